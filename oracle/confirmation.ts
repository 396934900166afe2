// Tells a missing check from drift: the forbidden call was accepted time after time, while twins left alone held the state longer. Pure.

import type { EndedEntry } from '../history/entry.js'
import type { Clause } from '../models/language/derive.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { referencesOf } from '../models/language/references.js'
import { find } from '../models/language/world.js'
import { believe } from './belief.js'
import { clauseNamed } from './clauses.js'
import type { Spotted } from './episode.js'
import { deviation, type Judged } from './judgement.js'
import { received } from './step.js'

/** If it were drift, a pair would come out like this at most once in four times, and seven pairs once in sixteen thousand. */
export const pairs = 7

/** The fewest looks at a state that was left alone. */
export const fewestLooks = 2

interface Pair {
  readonly calls: Judged[]
  probe?: Judged
  looks: number
  /** Whether the state was still there at the last look. */
  isUnsettled: boolean
}

/** Follows pairs of programs: one insists on the forbidden call, the other watches the state that forbids it. */
export const createConfirmations = () => {
  const tried = new Map<string, Pair[]>()
  const starts = new Map<string, number>()
  /** The pair that a call belongs to; a program that insists begins a new one. */
  const pairOf = ({ phase, instance }: Judged, clause: string): Pair | undefined => {
    const all = getOrInsert(tried, clause, () => [])
    if (phase === 'insist' && starts.get(clause) !== instance) {
      starts.set(clause, instance ?? 0)
      all.push({ calls: [], looks: 0, isUnsettled: false })
    }
    return all.at(-1)
  }
  const hear = (judged: Judged): void => {
    const { clause, phase } = judged
    if (clause === undefined || (phase !== 'insist' && phase !== 'watch')) return
    const pair = pairOf(judged, clause)
    if (!pair) return
    if (phase === 'watch') {
      pair.looks += 1
      pair.isUnsettled = isUnsettled(judged)
    } else if (!pair.probe) {
      pair.calls.push(judged)
      if (judged.role === 'probe' && judged.judgement.accepted === true) pair.probe = judged
    }
  }
  const end = ({ clause }: EndedEntry): readonly Spotted[] => {
    if (clause === undefined) return []
    const all = tried.get(clause) ?? []
    const last = all.at(-1)
    const rule = clauseNamed(clause)
    if (!all.every(isShown) || all.length < pairs || !last?.probe || !rule) return []
    tried.delete(clause)
    const [first] = last.calls
    const start = believe((first ?? last.probe).judgement.world)
    return [{ deviation: breach(rule, last.probe), start, calls: last.calls, isWhole: true }]
  }
  return { hear, end }
}

const isShown = ({ probe, isUnsettled: isThere, looks }: Pair): boolean =>
  probe !== undefined && isThere && looks >= fewestLooks

/** Whether what a look is about was still under way. */
const isUnsettled = ({ op, call, judgement: { world } }: Judged): boolean => {
  const [named] = referencesOf(op)
  if (!named) return false
  const [param, { table }] = named
  const entity = find(world, table, call.path[param])
  return entity !== undefined && table.settled?.(entity) === false
}

const breach = (clause: Clause, probe: Judged) =>
  deviation(
    clause,
    'accepted',
    '4xx with the error envelope',
    'status' in probe.outcome ? received(probe.outcome) : probe.outcome.lost,
    [
      `it was accepted ${pairs} times out of ${pairs}, each time right after the state that forbids it was seen`,
      `${pairs} times out of ${pairs} the same state was left alone and was still seen later than that`,
    ],
  )
