// What a program came to when it ends: its deviations, and the clauses that it was evidence for.

import type { EndedEntry } from '../history/entry.js'
import { purposeOf } from '../history/phases.js'
import { bracketOf, isAgainstTargetFile } from './bracket.js'
import { clauseNamed } from './clauses.js'
import { distinct } from './condensing.js'
import { type Episode, type Spotted, settle, spottedIn } from './episode.js'
import { type Evidence, evidenceFor, isForOthers, type Lack } from './evidence.js'
import { wasUndone } from './explanations/resent.js'
import { adjust, type State } from './fold-state.js'
import { type Deviation, findingIdOf, type Judged } from './judgement.js'

/** The result of a program. */
export interface Conclusion {
  readonly spotted: readonly Spotted[]
  /** Deviations seen while other programs ran beside it: only a reason to run it again alone. */
  readonly doubts: readonly Deviation[]
  /** Clauses that the program as a whole was evidence for. */
  readonly held: readonly string[]
  /** Of programs that were run as one, the clauses that were to be shown and were not. */
  readonly open?: readonly string[]
  readonly last: number
  readonly isExercised: boolean
  /** Set where a look showed what only an update that came a second time explains. */
  readonly isUndone?: true
  /** Why the program did not show its clause, where it did not, and whether that is because of what others may do to the target. */
  readonly untested?: string
  readonly mayBeOthers?: true
  /** Whether that is because the state that makes it due may have passed. */
  readonly isPassing?: true
}

/** The result of a program that has ended. */
export const conclude = (state: State, entry: EndedEntry): Conclusion => {
  state.belief = distinct(state.belief)
  adjust(state, state.missing.doubted)
  const episode = state.episodes.get(entry.instance)
  state.episodes.delete(entry.instance)
  const insisted = [...state.proven.splice(0), ...state.confirmations.end(entry)]
  if (!episode) return { spotted: insisted, doubts: [], held: [], last: 0, isExercised: false }
  settle(episode)
  for (const n of episode.suspicions.keys()) state.suspects.delete(n)
  const own = episode.steps.filter(({ phase, judgement }) => purposeOf(phase).isEvidence && !judgement.late)
  const last = own.at(-1)?.n ?? 0
  const undone = undoneIn(own)
  const doubts = entry.beside ? doubtsOf(state, entry, episode) : []
  if (doubts.length > 0) return { spotted: insisted, doubts, held: [], last, isExercised: false }
  const stopped = lackOf(entry)
  if (entry.shows) {
    const told = entry.shows.map((one) => ({ id: one.clause, evidence: stopped ?? evidenceAmong(own, one) }))
    const shown = told.flatMap(({ id, evidence }) => (evidence === true ? [id] : []))
    const open = told.flatMap(({ id, evidence }) => (typeof evidence === 'object' ? [id] : []))
    for (const id of shown) state.held.add(id)
    return { spotted: insisted, doubts, held: shown, open, last, isExercised: shown.length === told.length, ...undone }
  }
  const clause = entry.phase === undefined ? clauseNamed(entry.clause) : undefined
  const evidence = stopped ?? evidenceFor(own, clause)
  const shown = clause && evidence === true ? [clause.id] : []
  for (const id of shown) state.held.add(id)
  return {
    spotted: [...spottedIn(episode), ...insisted],
    doubts,
    held: shown,
    last,
    isExercised: evidence === true,
    ...undone,
    ...(typeof evidence === 'object' && evidence),
    ...(!stopped && isForOthers(state, own, clause, evidence) && { mayBeOthers: true as const }),
  }
}

/** What a program lacks that stopped before its end. */
const lackOf = ({ stopped }: EndedEntry): Lack | undefined =>
  stopped === undefined ? undefined : { untested: stopped }

const undoneIn = (own: readonly Judged[]): Pick<Conclusion, 'isUndone'> =>
  own.some(wasUndone) ? { isUndone: true } : {}

const doubtsOf = (
  { doubted }: State,
  { instance, shows: together }: EndedEntry,
  episode: Episode,
): readonly Deviation[] => {
  const spotted = spottedIn(episode)
  const kept = together ? spotted : spotted.filter((one) => isAgainstTargetFile(one.deviation) || bracketOf(one))
  if (kept.length > 0) doubted.set(instance, kept)
  return spotted.map(({ deviation: one }) => one)
}

/** Deviations of programs that ran beside others, where none shows them by itself. */
export const tellAfterwards = ({ doubted }: State, { instance }: EndedEntry, ids: readonly string[]): Conclusion => {
  const all = doubted.get(instance) ?? []
  const spotted = all.filter(({ deviation }) => ids.includes(findingIdOf(deviation)))
  return { spotted, doubts: [], held: [], last: 0, isExercised: false }
}

/** Whether calls of an episode were decisive for a clause. */
const evidenceAmong = (
  own: readonly Judged[],
  { clause, calls }: { readonly clause: string; readonly calls: readonly number[] },
): Evidence =>
  evidenceFor(
    own.filter(({ n }) => calls.includes(n)),
    clauseNamed(clause),
  )
