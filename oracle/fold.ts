// The one judge: takes in a history entry by entry, keeps the belief, and attributes each deviation to the call that caused it; sends nothing.

import type {
  CallEntry,
  EndedEntry,
  EventsEntry,
  HookEntry,
  Phase,
  SurveyedEntry,
  WalkedEntry,
} from '../history/entry.js'
import { applyHook } from '../models/hooks.js'
import { operationById } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import type { Environment } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import {
  adjusted,
  type Belief,
  believe,
  changing,
  disturbed,
  isLateAtTimes,
  observe,
  patiently,
  worldOf,
  worldsOf,
} from './belief.js'
import { withinClause } from './blame.js'
import { createConfirmations } from './confirmation.js'
import { clauseNamed } from './due.js'
import {
  because,
  convict,
  type Episode,
  type Laid,
  layToWrite,
  type Spotted,
  type Suspected,
  settle,
  spottedIn,
} from './episode.js'
import { type Awaited, createEventJudge } from './events.js'
import { evidenceFor, isForOthers } from './evidence.js'
import { isAllowed, traceOf } from './explanations/explanation.js'
import { observeOnShared } from './explanations/interference.js'
import { overlapping } from './explanations/overlap.js'
import { createQuotaWatch, mayBeQuota, quota, type Trial } from './explanations/quota.js'
import { createResent, followingRemovals, wasUndone } from './explanations/resent.js'
import { guarded } from './guarded.js'
import { createHookWatch, type HookWatch } from './hooks.js'
import { assuming, type Deviation, type Judged, type Judgement, undecided } from './judgement.js'
import { isOfWhatIsShown } from './late.js'
import { distinct } from './linearize.js'
import { createMissing } from './missing.js'
import { afterAnyOf, goingOn } from './overflowed.js'
import { judgeOverlaps } from './overlaps.js'
import { findingIdOf } from './shrink.js'
import { createSilences } from './silence.js'
import { adopting, closeTold, createSurveyor } from './survey.js'
import { judgeWalks } from './walks.js'

/** The result of a program. */
export interface Conclusion {
  readonly spotted: readonly Spotted[]
  /** Deviations seen while other programs ran beside it: only a reason to run it again alone. */
  readonly doubts: readonly Deviation[]
  /** Clauses that the program as a whole was evidence for, with the number of its last call. */
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
}

export interface Fold {
  readonly belief: () => Belief
  /** The likeliest world. */
  readonly world: () => World
  readonly take: (entry: CallEntry) => Judged
  /** Judges calls that were sent at the same time: some order of them must explain every reply. Returns them in that order. */
  readonly takeTogether: (entries: readonly CallEntry[]) => readonly Judged[]
  readonly hook: (entry: HookEntry) => void
  readonly surveyed: (entry: SurveyedEntry) => void
  /** Which events to look for after that call. */
  readonly awaited: (n: number) => readonly Awaited[]
  /** Whether the events of that kind are still counted call by call. */
  readonly isCountedSingly: (event: string) => boolean
  /** Returns the clauses that held, and whether some did not. */
  readonly heard: (entry: EventsEntry) => Judged | undefined
  /** Returns the clauses that held, and what had to be assumed for that. */
  readonly walked: (entry: WalkedEntry) => Pick<Judgement, 'held'> & { readonly assumed: readonly string[] }
  readonly end: (entry: EndedEntry) => Conclusion
  /** At the end of a run: deviations that were held back for hooks that were never seen to work. */
  readonly rest: HookWatch['rest']
  /** What a program that is under way has shown so far. */
  readonly spottedIn: (instance: number) => readonly Spotted[]
  /** The next trial that would tell whether a quota refused that creation; undefined if none would, or none is needed. */
  readonly wanted: (n: number) => { readonly k: number; readonly trial: Trial } | undefined
  /** A trial is over. It came to nothing if it sent no creation. */
  readonly tried: (n: number, k: number) => void
  /** Whether the refusal of that creation is held back because a quota may explain it. */
  readonly isHeldBack: (n: number) => boolean
  /** Whether the target was seen to behave in a way that explains a deviation which shows only beside other programs. */
  readonly mayBePassing: (deviation: Deviation) => boolean
  /** Why an operation is not to be called any more, as it gives no reply; undefined where it may be. */
  readonly silence: (operation: string) => string | undefined
}

/**
 * Phases whose calls never lead to findings: they are sent to learn more of the state, to tell others of the run, or to leave the
 * account tidy.
 */
const uncounted = new Set<Phase | undefined>([
  'survey',
  'trial',
  'again',
  'fill',
  'confirm',
  'watch',
  'alive',
  'mark',
  'retire',
])

/** The most sets of calls of one size that are followed. A race is short, but rounded times allow more orders than there were. */
const mostStates = 200

/** The most calls that wait for their events: more than are sent while an event is late. */
const mostUnheard = 1024

/** Opens a history of a run against one target. */
export const open = (environment: Environment, { nonce = '' }: { readonly nonce?: string } = {}): Fold => {
  const state = startState(environment, nonce)
  const { suspects, episodes } = state
  return {
    belief: () => state.belief,
    world: () => worldOf(state.belief),
    take: (entry) => take(state, entry),
    takeTogether: (entries) => takeTogether(state, entries),
    hook: (entry) => takeHook(state, entry),
    surveyed: ({ account }) => adjust(state, closeTold(environment, account)),
    isCountedSingly: state.events.isCountedSingly,
    awaited: (n) => {
      const judged = state.unheard.get(n)
      return judged ? state.events.awaited(judged) : []
    },
    heard: (entry) => hear(state, entry),
    walked: (entry) => walk(state, entry),
    end: (entry) => {
      if (entry.tells) return tellAfterwards(state, entry, entry.tells)
      const conclusion = conclude(state, entry)
      if (conclusion.isExercised) state.hooks.showed(entry.instance)
      return { ...conclusion, spotted: state.hooks.tellable(conclusion.spotted) }
    },
    rest: state.hooks.rest,
    spottedIn: (instance) => {
      const episode = episodes.get(instance)
      return episode ? spottedIn(episode) : []
    },
    wanted: (n) => suspects.get(n)?.suspicion.wanted(),
    tried: (n, k) => suspects.get(n)?.suspicion.over(k),
    isHeldBack: (n) => {
      const suspected = suspects.get(n)
      if (!suspected) return false
      const isGuilty = suspected.suspicion.isConvicted()
      if (isGuilty) convict(suspected)
      return !isGuilty
    },
    mayBePassing: (one) =>
      (isLateAtTimes(state.belief) && isOfWhatIsShown(one)) ||
      (isAllowed(environment, quota) && mayBeQuota(one) && operationById(one.operation)?.makes !== undefined),
    silence: state.silences.of,
  }
}

/** The judgement of the hypothesis that leaves the fewest deviations. */
const fewest = <T extends { readonly deviations: readonly unknown[] }>(all: readonly T[]): T =>
  all.reduce((one, other) => (other.deviations.length < one.deviations.length ? other : one))

/** The state of a history so far. */
type State = ReturnType<typeof startState>

const startState = (environment: Environment, nonce: string) => {
  const look = guarded(followingRemovals(environment.exclusive ? observe : observeOnShared))
  return {
    environment,
    belief: patiently(believe(startWorld(environment, { nonce }))),
    /** Clauses that held. */
    held: new Set<string>(),
    /** Refusals that plain calls have met. A call refused in the same way is not refused for a reason of its own. */
    refusals: new Set<string>(),
    episodes: new Map<number, Episode>(),
    suspects: new Map<number, Suspected>(),
    quotas: createQuotaWatch(environment, nonce),
    confirmations: createConfirmations(),
    events: createEventJudge(environment),
    survey: createSurveyor(environment),
    look,
    /** How a call is taken in that was sent by itself. */
    lookAlone: createResent(look),
    silences: createSilences(),
    hooks: createHookWatch(),
    /** Operations that have fallen silent since the last program ended. */
    silent: [] as Spotted[],
    missing: createMissing(environment),
    /** Deviations in programs that were run as one, by the number of the program. */
    doubted: new Map<number, readonly Spotted[]>(),
    /** Calls that may emit events, by number, until their events are read. */
    unheard: new Map<number, Laid>(),
  }
}

const adjust = (state: State, change: (world: World) => World): void => {
  state.belief = adjusted(state.belief, change)
}

/** Keeps a call until its events are read; the oldest gives way. */
const awaitEvents = ({ unheard }: State, judged: Laid): void => {
  if (!judged.op.emits?.length) return
  unheard.set(judged.n, judged)
  const [oldest] = unheard.keys()
  if (unheard.size > mostUnheard && oldest !== undefined) unheard.delete(oldest)
}

const episodeOf = ({ episodes, belief }: State, instance: number): Episode =>
  getOrInsert(episodes, instance, () => ({ start: belief, steps: [], suspicions: new Map(), isRaced: false }))

const take = (state: State, entry: CallEntry): Judged => {
  const episode = isCounted(entry) ? episodeOf(state, entry.instance ?? 0) : undefined
  const isSurvey = entry.phase === 'survey'
  if (isSurvey) adjust(state, adopting)
  const observed = state.lookAlone(state.belief, entry)
  state.belief = goingOn(state.belief, observed.belief, [observed.judgement])
  state.missing.note(entry, observed.judgement)
  // What is tried again has to show it of what it makes itself.
  if (entry.phase === 'confirm') adjust(state, state.missing.doubted)
  if (isSurvey) adjust(state, state.survey(entry, observed.judgement.accepted))
  return receive(state, entry, observed.judgement, episode)
}

const takeTogether = (state: State, entries: readonly CallEntry[]): readonly Judged[] => {
  const [first] = entries
  if (!first) return []
  const episode = episodeOf(state, first.instance ?? 0)
  episode.isRaced = true
  const calls = [...entries].sort((a, b) => a.n - b.n)
  const timed = calls.map((entry) => ({ observation: entry, startedAt: entry.startedAt, endedAt: entry.endedAt }))
  const before = state.belief
  const raced = judgeOverlaps(before, timed, { observe: overlapping(state.look), mostStates })
  state.belief = goingOn(before, raced.belief, raced.judgements)
  if (raced.verdict === 'inconclusive') {
    // Their effect is unknown, so nothing that follows can contradict it.
    state.belief = afterAnyOf(before, calls)
    return calls.map((entry) => receive(state, entry, undecided(worldOf(before)), episode))
  }
  return raced.order.map((i) => receive(state, calls[i] as CallEntry, raced.judgements[i] as Judgement, episode))
}

const takeHook = (state: State, entry: HookEntry): void => {
  if (entry.instance !== undefined) {
    episodeOf(state, entry.instance)
    state.hooks.called(entry.instance, entry.hook)
  }
  const before = worldOf(state.belief)
  adjust(state, hooked(entry))
  state.belief = disturbed(changing(state.belief, before, entry.endedAt, `hook ${entry.hook}`))
  state.events.disturb()
}

const receive = (state: State, entry: CallEntry, judgement: Judgement, episode: Episode | undefined): Judged => {
  const { deviations, verdict } = judgement
  const judged: Laid = { ...entry, judgement, deviations, verdict, held: judgement.held }
  const silent = state.silences.hear(judged)
  // A late read is sent again, and teaches nothing until then.
  if (judgement.late) {
    state.events.note(judged)
    return judged
  }
  awaitEvents(state, judged)
  if (episode) layIn(state, episode, judged)
  else if (entry.trial !== undefined) noteTrial(state, judged)
  state.quotas.noteMade(judged)
  state.confirmations.hear(judged)
  if (silent) state.silent.push({ deviation: silent, start: state.belief, calls: [judged], isWhole: true })
  state.events.note(judged)
  for (const id of judged.held) state.held.add(id)
  return judged
}

/** Notes the outcome of a trial: that of its last creation. */
const noteTrial = ({ quotas, suspects }: State, judged: Judged): void => {
  const { after, trial, phase, role, op, judgement } = judged
  if (role === 'clean' || op.method === 'GET' || after === undefined || trial === undefined) return
  if (phase === 'trial') quotas.note(judged)
  suspects.get(after)?.suspicion.tried(trial, judgement.accepted === true)
}

const layIn = (state: State, episode: Episode, judged: Laid): void => {
  episode.steps.push(judged)
  if (judged.phase === 'look' && judged.after !== undefined) layToWrite(episode, judged)
  else if (judged.group !== undefined) layToRace(state, judged)
  else if (judged.phase === 'look' && episode.isRaced)
    because(judged, 'it follows from no order of the overlapping calls before')
  else if (judged.phase === undefined || judged.phase === 'restore' || judged.phase === 'insist')
    layToCall(state, episode, judged)
}

/** No trial can tell whether a quota refused one of several calls at the same time. */
const layToRace = ({ environment }: State, judged: Laid): void => {
  because(judged, 'no order of the overlapping calls explains it')
  if (judged.judgement.suspect !== true || !isAllowed(environment, quota)) return
  judged.judgement = assuming(judged.judgement, traceOf(quota, judged.op.id))
  judged.deviations = judged.deviations.filter((one) => !mayBeQuota(one))
}

const layToCall = (state: State, episode: Episode, judged: Laid): void => {
  const { environment, quotas, suspects, belief } = state
  if (judged.deviations.length > 0) judged.deviations = withinProgram(state, episode, judged)
  // While other programs create and remove, the fate of a creation tells nothing about a quota.
  if (judged.beside || judged.role === 'read' || judged.role === undefined) return
  quotas.note(judged)
  const mayBe = judged.judgement.suspect === true && isAllowed(environment, quota)
  const heldBack = mayBe ? judged.deviations.filter(mayBeQuota) : []
  if (heldBack.length === 0) return
  judged.judgement = assuming(judged.judgement, traceOf(quota, judged.op.id))
  const suspected = { suspicion: quotas.suspect(judged, worldOf(belief)), sent: judged, heldBack }
  episode.suspicions.set(judged.n, suspected)
  suspects.set(judged.n, suspected)
  judged.deviations = judged.deviations.filter((one) => !heldBack.includes(one))
}

/** A refused twin is blamed on the clause whose twin it is, unless any plain call is refused in the same way. */
const withinProgram = (state: State, episode: Episode, judged: Judged): readonly Deviation[] => {
  const { op, judgement, beside } = judged
  const clause = clauseShownBy(state, episode, judged)
  return judgement.deviations.map((one) => {
    if (one.clause !== `${op.id}.accepts`) return one
    const refusal = `${op.id} ${one.received}`
    if (clause && !state.refusals.has(refusal)) return withinClause(one, clause)
    if (!beside) state.refusals.add(refusal)
    return one
  })
}

/** The clause that a call is there to show, if a refusal of the call contradicts that clause. */
const clauseShownBy = (state: State, episode: Episode, judged: Judged): Clause | undefined => {
  const { role, judgement, phase } = judged
  const clause = phase === undefined ? clauseNamed(judged.clause) : undefined
  if (!clause || clause.kind === 'general' || clause.kind === 'token' || clause.kind === 'scheme') return undefined
  if (judgement.accepted !== false || judgement.expects !== 'accept') return undefined
  const isShown = role === 'twin' || (role === 'check' && isAbout(state, episode, judged, clause))
  return isShown ? clause : undefined
}

/** If plain calls are accepted, a refusal of a call that a statement is about is blamed on that statement. */
const isAbout = ({ held }: State, { steps }: Episode, { op }: Judged, clause: Clause): boolean =>
  (clause.kind === 'statement' || clause.kind === 'effect') &&
  clause.level === 'must' &&
  held.has(`${op.id}.accepts`) &&
  (clause.operation === op.id || steps.some((one) => one.op.id === clause.operation && one.judgement.accepted === true))

/** Takes in the events that were read after a call. */
const hear = (state: State, entry: EventsEntry): Judged | undefined => {
  const judged = state.unheard.get(entry.n)
  if (!judged) return undefined
  state.unheard.delete(entry.n)
  const told = state.events.hear(judged, entry)
  judged.deviations = [...judged.deviations, ...told.deviations]
  judged.held = [...judged.held, ...told.held]
  judged.judgement = assuming(judged.judgement, ...(told.assumed ?? []))
  if (told.deviations.length > 0) {
    judged.verdict = 'finding'
    const deviations = [...judged.judgement.deviations, ...told.deviations]
    judged.judgement = { ...judged.judgement, verdict: 'finding', deviations }
  }
  for (const id of told.held) state.held.add(id)
  if (Object.values(entry.further).some((more) => more > 0)) state.hooks.prove('readEvents')
  return judged
}

const walk = (state: State, { instance, walks }: WalkedEntry): ReturnType<Fold['walked']> => {
  const steps = state.episodes.get(instance)?.steps ?? []
  const pages = walks.map((numbers) => steps.filter(({ n }) => numbers.includes(n)))
  const told = fewest(worldsOf(state.belief).map(({ world, assumed }) => ({ assumed, ...judgeWalks(world, pages) })))
  const last = steps.at(-1)
  if (last) last.deviations = [...last.deviations, ...told.deviations]
  for (const id of told.held) state.held.add(id)
  return told
}

const conclude = (state: State, entry: EndedEntry): Conclusion => {
  state.belief = distinct(state.belief)
  adjust(state, state.missing.doubted)
  const episode = state.episodes.get(entry.instance)
  state.episodes.delete(entry.instance)
  const insisted = [...state.silent.splice(0), ...state.confirmations.end(entry)]
  if (!episode) return { spotted: insisted, doubts: [], held: [], last: 0, isExercised: false }
  settle(episode)
  for (const n of episode.suspicions.keys()) state.suspects.delete(n)
  const own = episode.steps.filter(({ phase }) => phase !== 'restore' && phase !== 'clean-up')
  const last = own.at(-1)?.n ?? 0
  const undone = undoneIn(own)
  const doubts = entry.beside ? doubtsOf(state, entry, episode) : []
  if (doubts.length > 0) return { spotted: insisted, doubts, held: [], last, isExercised: false }
  if (entry.shows) {
    const told = entry.shows.map((one) => ({ id: one.clause, evidence: entry.stopped ?? evidenceAmong(own, one) }))
    const shown = told.flatMap(({ id, evidence }) => (evidence === true ? [id] : []))
    const open = told.flatMap(({ id, evidence }) => (typeof evidence === 'string' ? [id] : []))
    for (const id of shown) state.held.add(id)
    return { spotted: insisted, doubts, held: shown, open, last, isExercised: shown.length === told.length, ...undone }
  }
  const clause = entry.phase === undefined ? clauseNamed(entry.clause) : undefined
  const evidence = entry.stopped ?? evidenceFor(own, clause)
  const shown = clause && evidence === true ? [clause.id] : []
  for (const id of shown) state.held.add(id)
  return {
    spotted: [...spottedIn(episode), ...insisted],
    doubts,
    held: shown,
    last,
    isExercised: evidence === true,
    ...undone,
    ...(typeof evidence === 'string' && { untested: evidence }),
    ...(entry.stopped === undefined && isForOthers(state, own, clause, evidence) && { mayBeOthers: true as const }),
  }
}

const undoneIn = (own: readonly Judged[]): Pick<Conclusion, 'isUndone'> =>
  own.some(wasUndone) ? { isUndone: true } : {}

const doubtsOf = (
  { doubted }: State,
  { instance, shows: together }: EndedEntry,
  episode: Episode,
): readonly Deviation[] => {
  const spotted = spottedIn(episode)
  if (together && spotted.length > 0) doubted.set(instance, spotted)
  return spotted.map(({ deviation: one }) => one)
}

/** Deviations of programs that were run as one, where no single program shows them. */
const tellAfterwards = ({ doubted }: State, { instance }: EndedEntry, ids: readonly string[]): Conclusion => {
  const all = doubted.get(instance) ?? []
  const spotted = all.filter(({ deviation }) => ids.includes(findingIdOf(deviation)))
  return { spotted, doubts: [], held: [], last: 0, isExercised: false }
}

/** Whether calls of an episode were decisive for a clause. */
const evidenceAmong = (
  own: readonly Judged[],
  { clause, calls }: { readonly clause: string; readonly calls: readonly number[] },
): ReturnType<typeof evidenceFor> =>
  evidenceFor(
    own.filter(({ n }) => calls.includes(n)),
    clauseNamed(clause),
  )

const isCounted = ({ phase }: CallEntry): boolean => !uncounted.has(phase)

/** The change that a hook brought about. */
export const hooked =
  ({ n, hook, args }: HookEntry): ((world: World) => World) =>
  (world) => {
    try {
      return applyHook({ ...world, step: n, operation: `hook ${hook}` }, hook, args)
    } catch {
      // A hook with arguments that make no sense changes nothing that the model knows of.
      return world
    }
  }
