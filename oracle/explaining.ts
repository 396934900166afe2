// Which explanations of a reply leave least unexplained and assume least: lost calls that have landed, entities that have drifted; pure.

import type { Operation } from '../models/language/operation.js'
import { referencesOf } from '../models/language/references.js'
import { unknown, type World } from '../models/language/world.js'
import type { Hypothesis } from './belief.js'
import { type Drifted, driftsOf, traceOfDrift } from './explanations/drift.js'
import {
  isRelatedTo,
  type Landed,
  land,
  mayBeUndoneBy,
  nextLandings,
  type Pending,
  tiedTo,
  traceOfLanding,
} from './explanations/landing.js'
import type { CallWithOutcome } from './independence.js'
import { judge } from './judge.js'
import { type Deviation, gates, type Judgement, type Observation } from './judgement.js'
import type { Reply } from './step.js'
import { mayHaveLanded } from './surplus.js'

/** A hypothesis with more assumed, which may explain a reply that it does not explain as it is. */
interface Candidate {
  readonly hypothesis: Hypothesis
  /** How much more it assumes. */
  readonly cost: number
  readonly drifted?: Drifted
  /** What it assumes, by name. */
  readonly assumed: readonly string[]
  /** Lost calls that have landed, with those that were followed no more. */
  readonly older?: readonly Pending[]
}

/** About so many candidates are tried for all hypotheses together: as many as there are orders in which five lost calls may have landed. */
export const mostTried = 325

/**
 * What may be assumed of a hypothesis, the least first: lost calls have landed, entities have drifted, or both. If these are many more
 * than `most`, the last candidate is that any of the lost calls may have landed or not.
 */
function* candidatesFor(hypothesis: Hypothesis, sent: CallWithOutcome, most: number): Generator<readonly Candidate[]> {
  const { world, pending } = hypothesis
  const tied = tiedTo(pending, sent)
  let open = driftedFrom({ hypothesis, cost: 0, assumed: [] }, sent)
  let level = nextLandings({ world, pending: tied, landed: [] })
  let tried = 0
  for (let cost = 1; tried <= most && (level.length > 0 || open.length > 0); cost += 1) {
    const landed = level.map((one) => landedIn(hypothesis, one))
    const now = [...landed, ...open.filter((one) => one.cost <= cost)]
    yield now
    open = [...open.filter((one) => one.cost > cost), ...landed.flatMap((one) => driftedFrom(one, sent))]
    level = level.flatMap(nextLandings)
    tried += now.length
  }
  if (level.length === 0 && open.length === 0) return
  const any = anyLandedIn(hypothesis, tied)
  yield [any, ...driftedFrom(any, sent)]
}

/** The candidate in which what the calls may have changed is unknown. They go on being followed. */
const anyLandedIn = (hypothesis: Hypothesis, tied: readonly Pending[]): Candidate => ({
  hypothesis: { ...hypothesis, world: tied.reduce(mayHaveLanded, hypothesis.world) },
  cost: tied.length,
  assumed: tied.map(traceOfLanding),
})

const landedIn = (hypothesis: Hypothesis, { world, landed }: Landed): Candidate => ({
  hypothesis: { ...hypothesis, world, pending: hypothesis.pending.filter((other) => !landed.includes(other)) },
  cost: landed.length,
  assumed: landed.map(traceOfLanding),
})

const driftedFrom = (candidate: Candidate, { op, call }: CallWithOutcome): readonly Candidate[] =>
  driftsOf(candidate.hypothesis.world, op, call).map(({ world, drifted }, i) => ({
    hypothesis: { ...candidate.hypothesis, world },
    cost: candidate.cost + 1 + i,
    drifted,
    assumed: [...candidate.assumed, traceOfDrift(drifted)],
  }))

/** How much of a reply is left unexplained: its deviations and, for a forbidden acceptance, those beyond it (`Judgement.beyond`). */
export const unexplained = ({ deviations, beyond = 0 }: Judgement): number =>
  (deviations.filter(isHeavy).length + beyond) * gating + deviations.length

/** That a server breaks down is as wrong where it has to refuse as where it has to accept, and tells of nothing that it holds. */
const isHeavy = (one: Deviation): boolean => gates(one) || one.kind === 'server-error'

/** The weight of a deviation that gates: more than that of all others together. */
const gating = 1000

/** A reply as a candidate explains it. */
export interface Explained {
  readonly candidate: Candidate
  readonly judgement: Judgement
  /** What it leaves unexplained. */
  readonly left: number
  readonly plain: Judgement
}

interface Search {
  /** What even the best candidate leaves. */
  readonly leastOf: () => number
  /** About how many candidates are tried. */
  readonly most: number
}

/** The explanations of a reply that leave least unexplained; of these, the ones that assume least. */
export const explain = (hypothesis: Hypothesis, observation: Observation, reply: Reply, { leastOf, most }: Search) => {
  const { op, call, n } = observation
  const explainedBy = (candidate: Candidate): Omit<Explained, 'plain'> => {
    const judgement = judge(candidate.hypothesis.world, op, call, reply, n)
    return { candidate, judgement, left: unexplained(judgement) }
  }
  const none = explainedBy({ hypothesis, cost: 0, assumed: [] })
  const plain = none.judgement
  const all: Explained[] = [{ ...none, plain }]
  if (none.left === 0) {
    const landed = landedBefore(hypothesis, plain, observation).map((one) => ({ ...explainedBy(one), plain }))
    return [...all, ...landed.filter(({ left }) => left === 0)]
  }
  const least = leastOf()
  if (none.left <= least) return all
  for (const candidates of candidatesFor(hypothesis, observation, most)) {
    all.push(...candidates.map((one) => ({ ...explainedBy(one), plain })))
    if (all.some(({ left }) => left <= least)) break
  }
  return cheapest(all)
}

/**
 * The same, or better ones in which lost calls that are followed no more have landed only now. What lands is chosen one call at a time,
 * so that as few possibilities are judged as there are calls.
 */
export const explainByOlder = (
  best: readonly Explained[],
  older: readonly Pending[],
  observation: Observation,
  reply: Reply,
  leastOf: Search['leastOf'],
): readonly Explained[] => {
  const [first] = best
  if (!first || older.length === 0 || first.left <= leastOf()) return best
  const { op, call, n } = observation
  const related = older.filter((one) => isRelatedTo(one, observation) && !isUnnamed(one, op))
  const landed = best.slice(0, mostExtended).flatMap(({ candidate, plain }): readonly Explained[] =>
    oneMoreLandedIn(candidate, related).map((one) => {
      const judgement = judge(one.hypothesis.world, op, call, reply, n)
      return { candidate: one, judgement, left: unexplained(judgement), plain }
    }),
  )
  const next = nextBest(first, landed)
  if (next.length === 0) return best
  const after = explainByOlder(next, older, observation, reply, leastOf)
  return restOf(after[0] as Explained) < restOf(first) ? after : best
}

/** Whether a call made something that a path cannot name yet: the target tells the id, in a list at first. */
const isUnnamed = ({ op: { makes, keys } }: Pending, by: Operation): boolean =>
  keys === undefined && referencesOf(by).some(([, { table }]) => table === makes)

/** Those of the explanations that leave less than one before; else one that leaves as much, but nothing of the same. */
const nextBest = (before: Explained, all: readonly Explained[]): readonly Explained[] => {
  const least = Math.min(...all.map(restOf))
  if (least < restOf(before)) return cheapest(all.filter((one) => restOf(one) === least))
  const told = new Set(before.judgement.deviations.map(({ expected }) => expected))
  const isOther = ({ judgement }: Explained): boolean =>
    judgement.deviations.every(({ expected }) => !told.has(expected))
  return all.filter((one) => restOf(one) === least && least === restOf(before) && isOther(one)).slice(0, 1)
}

/** What an explanation leaves, and of how many things: one deviation tells of all that is missing, each of which another call may have removed. */
const restOf = ({ left, judgement: { deviations } }: Explained): number =>
  left * gating + deviations.reduce((sum, { missing = [] }) => sum + missing.length, 0)

/** So many explanations that leave the same are tried with one more call, and so many calls together. */
const mostExtended = 4
const mostTogether = 8

/** The candidate with one more lost call; without those that would change nothing by now. */
const oneMoreLandedIn = (candidate: Candidate, older: readonly Pending[]): readonly Candidate[] => {
  const { hypothesis, cost, assumed } = candidate
  if (candidate.older?.length === mostTogether) return []
  const all = [...older.filter((one) => candidate.older?.includes(one) !== true), ...hypothesis.pending]
  return all.flatMap((one) => {
    const world = land(hypothesis.world, one)
    if (world.tables === hypothesis.world.tables) return []
    return {
      hypothesis: { ...hypothesis, world, pending: hypothesis.pending.filter((other) => other !== one) },
      cost: cost + 1,
      assumed: [...assumed, traceOfLanding(one)],
      older: [...(candidate.older ?? []), one],
    }
  })
}

/** The judgement of a reply by one who knows nothing of what there is. More knowledge never explains more. */
export const judgeUnknowing = (world: World, { op, call, n }: Observation, reply: Reply): Judgement =>
  judge(unknown(world), op, call, reply, n)

/** A lost removal landed before this write made the same thing again. Had it landed later, the thing would be gone. */
const landedBefore = (hypothesis: Hypothesis, plain: Judgement, observation: Observation): readonly Candidate[] => {
  const { world, pending } = hypothesis
  if (observation.op.method === 'GET' || plain.accepted !== true) return []
  return pending
    .filter((one) => mayBeUndoneBy(one, observation))
    .map((one) => landedIn(hypothesis, { world: land(world, one), pending: [], landed: [one] }))
}

const cheapest = (all: readonly Explained[]): readonly Explained[] => {
  const least = Math.min(...all.map(({ left }) => left))
  const best = all.filter(({ left }) => left === least)
  const cost = Math.min(...best.map(({ candidate }) => candidate.cost))
  return best.filter(({ candidate }) => candidate.cost === cost)
}
