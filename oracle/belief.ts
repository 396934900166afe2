// What is believed of the target: hypotheses that all explain what was seen, with calls that may still take effect.

import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { agrees } from '../models/language/same.js'
import { find, patch, unknown, type World } from '../models/language/world.js'
import { clauseOf } from './due.js'
import {
  type Assumption,
  assumptionsOf,
  type Drifted,
  driftsOf,
  isAbout,
  refuted,
  traceOfDrift,
  withLate,
} from './explanations/drift.js'
import { traceOf } from './explanations/explanation.js'
import { lag } from './explanations/lag.js'
import {
  type Landed,
  land,
  landings,
  mayBeUndoneBy,
  nextLandings,
  type Pending,
  tiedTo,
  traceOfLanding,
} from './explanations/landing.js'
import type { Sent } from './independence.js'
import { judge } from './judge.js'
import { type Deviation, deviation, gates, type Judgement, type Observation, undecided } from './judgement.js'
import {
  type Change,
  caughtUp,
  choicesOfLag,
  lateness,
  noPast,
  type Past,
  remembering,
  stillLate,
  type Unshown,
  withoutLate,
} from './late.js'
import { forgotten, noted, notedRefusal } from './retried.js'
import type { Reply } from './step.js'
import { asOne, mayHaveLanded, mostPending, pendingIn } from './surplus.js'
import { eitherWay } from './unfollowed.js'

interface Hypothesis {
  readonly world: World
  readonly pending: readonly Pending[]
  readonly assumed: readonly Assumption[]
}

export interface Belief {
  readonly hypotheses: readonly Hypothesis[]
  /** More hypotheses than are followed: what is seen from now on is inconclusive. */
  readonly overflow: boolean
  /** Changes that the target may not show yet; left out where nothing is sent again to find out. */
  readonly past?: Past
}

export interface Observed {
  readonly belief: Belief
  readonly judgement: Judgement
}

/** How an observation is taken in; recorded traffic is taken in with more reserve. */
export type Observe = (belief: Belief, observation: Observation) => Observed

/** The most hypotheses that are followed. */
const mostHypotheses = 32

export const believe = (world: World): Belief => ({
  hypotheses: [{ world, pending: [], assumed: [] }],
  overflow: false,
})

/** The belief of a judge who sends late reads again. */
export const patiently = (belief: Belief): Belief => ({ ...belief, past: noPast })

/** The belief of a judge who takes each reply as it is. */
export const impatiently = ({ past: _, ...belief }: Belief): Belief => belief

/** Whether the target has been seen to show a change late. */
export const isLateAtTimes = ({ past }: Belief): boolean => past !== undefined && past.longestMs > 0

/** The belief after a change that may not show at once, and the world before it. */
export const changing = (
  belief: Belief,
  world: World,
  endedAt: number | undefined,
  by: Observation | Pick<Change, 'name' | 'instance'>,
): Belief =>
  belief.past && endedAt !== undefined
    ? {
        ...belief,
        past: remembering(belief.past, {
          world,
          endedAt,
          instance: by.instance,
          ...('op' in by ? { name: by.op.id, by } : { name: by.name }),
        }),
      }
    : belief

/** The belief after something outside of the interface may have touched anything. */
export const disturbed = (belief: Belief): Belief =>
  belief.past ? { ...belief, past: { ...belief.past, retries: forgotten(belief.past.retries) } } : belief

/** The likeliest world: what programs are planned against. */
export const worldOf = (belief: Belief): World => (belief.hypotheses[0] as Hypothesis).world

/** Every world that may be, with what it assumes by name: lost calls have landed or not. */
export const worldsOf = ({
  hypotheses,
}: Belief): readonly { readonly world: World; readonly assumed: readonly string[] }[] =>
  hypotheses.flatMap(({ world, pending }) => [
    { world, assumed: [] },
    ...landings({ world, pending, landed: [] }).map((one) => ({
      world: one.world,
      assumed: one.landed.map(traceOfLanding),
    })),
  ])

/** The belief with a change that came about outside of the calls. */
export const adjusted = (belief: Belief, change: (world: World) => World): Belief => ({
  ...belief,
  hypotheses: belief.hypotheses.map((one) => ({ ...one, world: change(one.world) })),
})

/** The belief in which a change may have come about or not: what is seen next decides. */
export const orElse = (belief: Belief, change: (world: World) => World): Belief => {
  const changed = belief.hypotheses.flatMap((one) => {
    const world = change(one.world)
    return world.tables === one.world.tables ? [] : [{ ...one, world }]
  })
  const hypotheses = [...belief.hypotheses, ...changed]
  return {
    ...belief,
    hypotheses: hypotheses.length > mostHypotheses ? asOne(hypotheses) : hypotheses,
    overflow: belief.overflow || hypotheses.length > mostHypotheses,
  }
}

/** Writes whose replies were lost, which may still take effect. */
export const pendingOf = ({ hypotheses }: Belief): readonly Pending[] => pendingIn(hypotheses)

/** A fresh belief that keeps only the calls sent before that may still take effect. */
export const anew = (first: Belief, before: Belief): Belief => ({
  ...first,
  hypotheses: pendingOf(before).reduce((all, call) => all.map((one) => awaiting(one, call)), first.hypotheses),
})

/** A hypothesis with more assumed, which may explain a reply that it does not explain as it is. */
interface Candidate {
  readonly hypothesis: Hypothesis
  /** How much more it assumes. */
  readonly cost: number
  readonly drifted?: Drifted
  /** What it assumes, by name. */
  readonly assumed: readonly string[]
}

/** About so many candidates are tried for all hypotheses together: as many as there are orders in which five lost calls may have landed. */
const mostTried = 325

/**
 * What may be assumed of a hypothesis, the least first: lost calls have landed, entities have drifted, or both. If these are many more
 * than `most`, the last candidate is that any of the lost calls may have landed or not.
 */
function* candidatesFor(hypothesis: Hypothesis, sent: Sent, most: number): Generator<readonly Candidate[]> {
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

const driftedFrom = (candidate: Candidate, { op, call }: Sent): readonly Candidate[] =>
  driftsOf(candidate.hypothesis.world, op, call).map(({ world, drifted }, i) => ({
    hypothesis: { ...candidate.hypothesis, world },
    cost: candidate.cost + 1 + i,
    drifted,
    assumed: [...candidate.assumed, traceOfDrift(drifted)],
  }))

/** How much of a reply is left unexplained: its deviations and, for a forbidden acceptance, those beyond it (`Judgement.beyond`). */
const unexplained = ({ deviations, beyond = 0 }: Judgement): number =>
  (deviations.filter(gates).length + beyond) * gating + deviations.length

/** The weight of a deviation that gates: more than that of all others together. */
const gating = 1000

interface Explained {
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
const explain = (hypothesis: Hypothesis, observation: Observation, reply: Reply, { leastOf, most }: Search) => {
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

const survivor = (
  { candidate, judgement, plain }: Explained,
  observation: Observation,
  past: Past | undefined,
): { readonly hypothesis: Hypothesis; readonly late: readonly Assumption[] } => {
  const { op, call } = observation
  const { hypothesis, drifted } = candidate
  const world = past ? withoutLate(past, observation, hypothesis.world, judgement.world) : judgement.world
  const blamed = plain.deviations.find((one) => gates(one) && !judgement.deviations.some((other) => isSame(one, other)))
  const more = drifted ? assumptionsOf(drifted, judgement, blamed, op) : []
  const assumed = [...hypothesis.assumed, ...more]
  const late = refuted(assumed, judgement.world, op)
  const open = assumed.filter((assumption) => !late.includes(assumption) && !isAbout(assumption, op, call))
  return { hypothesis: { world, pending: hypothesis.pending, assumed: open }, late }
}

/** While fewer hypotheses than this are followed, one more follows for each forbidden acceptance: that it had no effect. */
const mostForked = 8

/** The hypothesis that a forbidden acceptance changed nothing. What is seen next decides. */
const idle = ({ candidate: { hypothesis }, judgement }: Explained, { op, n }: Observation): Hypothesis | undefined =>
  judgement.beyond === undefined || op.method === 'GET' || hypothesis.world.tables === judgement.world.tables
    ? undefined
    : { ...hypothesis, world: { ...hypothesis.world, step: n, operation: op.id } }

/** Where too many are followed for one more: of what a forbidden acceptance may have changed nothing is known. */
const undecidedOf = (one: Hypothesis, other: Hypothesis | undefined): Hypothesis =>
  other ? { ...one, world: eitherWay(other.world, one.world) } : one

const isSame = (one: Deviation, other: Deviation): boolean => one.clause === other.clause && one.kind === other.kind

/** Takes the best explanation of each hypothesis, and rules out hypotheses that leave more of the reply unexplained than others. */
const observeReply = (belief: Belief, observation: Observation, reply: Reply): Observed => {
  let least: number | undefined
  const leastOf = (): number => {
    least ??= unexplained(judgeUnknowing(worldOf(belief), observation, reply))
    return least
  }
  const search = { leastOf, most: mostTried / belief.hypotheses.length }
  const all = belief.hypotheses.flatMap((hypothesis) => explain(hypothesis, observation, reply, search))
  const left = Math.min(...all.map((one) => one.left))
  const best = all.filter((one) => one.left === left)
  const survivors = best.map((one) => survivor(one, observation, belief.past))
  const first = best[0] as Explained
  const assumed = [...first.candidate.assumed, ...(first.judgement.assumed ?? [])]
  const judgement = assumed.length === 0 ? first.judgement : { ...first.judgement, assumed }
  const late = survivors.every((one) => one.late.length > 0) ? (survivors[0] as (typeof survivors)[0]).late : []
  const told = late.length === 0 ? judgement : withLate(judgement, late)
  const { past } = belief
  // Seeing the old state again refutes an assumption, unless the target has been late before.
  const isTaken = late.length > 0 && past?.longestMs === 0
  const unshown = past && !isTaken ? lateness(past, observation, reply, told) : undefined
  if (past && unshown)
    return unseen({ ...belief, past: notShowing(past, observation, told, unshown) }, observation, told, unshown)
  const followed = survivors.map(({ hypothesis }) => hypothesis)
  const idles = best.map((one) => idle(one, observation))
  const forked =
    best.length < mostForked
      ? [...followed, ...idles.flatMap((one) => one ?? [])]
      : followed.map((one, i) => undecidedOf(one, idles[i]))
  const kept = followed.length > mostHypotheses ? asOne(followed) : forked
  return {
    belief: {
      hypotheses: kept,
      overflow: belief.overflow || survivors.length > mostHypotheses,
      ...(past && { past: noting(caughtUp(past, observation, told), belief, observation, told) }),
    },
    judgement: past ? withChoices(told, choicesOfLag(past, observation, told)) : told,
  }
}

const noting = (past: Past, belief: Belief, by: Observation, told: Judgement): Past => ({
  ...past,
  retries: noted(past.retries, by, worldOf(belief), told),
})

const notShowing = (past: Past, by: Observation, { accepted, world }: Judgement, { late }: Unshown): Past => {
  const { retries, ...after } = stillLate(past, by, late)
  return { ...after, retries: accepted === false ? notedRefusal(retries, by, world) : retries }
}

const withChoices = (judgement: Judgement, more: Judgement['choices']): Judgement =>
  more.length === 0 ? judgement : { ...judgement, choices: [...judgement.choices, ...more] }

/** A reply that does not show the latest changes teaches nothing. If it accepted a write, the effect of that write is unknown. */
const unseen = (
  belief: Belief,
  { op, n }: Observation,
  told: Judgement,
  { late, judgement, isOthers }: Unshown,
): Observed => {
  const hypotheses = belief.hypotheses.map((one) => ({ ...one, world: { ...one.world, step: n, operation: op.id } }))
  const { world } = hypotheses[0] as Hypothesis
  const after = { ...belief, hypotheses }
  const assumed = [...(told.assumed ?? []), traceOf(lag, late.by)]
  if (isOthers) return { belief: after, judgement: { ...judgement, world, assumed } }
  const { decisive: _, made: __, suspect: ___, ...rest } = told
  const accepted = op.method !== 'GET' && told.accepted === false ? false : undefined
  const silent = { verdict: 'inconclusive', deviations: [], held: [], choices: [] } as const
  return { belief: after, judgement: { ...rest, ...silent, world, accepted, assumed, late } }
}

/** The hypothesis with one more call that may still take effect. If they are too many, the effect of the oldest becomes unknown. */
const awaiting = (hypothesis: Hypothesis, call: Omit<Pending, 'sentIn'>): Hypothesis => {
  const pending = [...hypothesis.pending, { ...call, sentIn: hypothesis.world }]
  const [oldest] = pending
  if (!oldest || pending.length <= mostPending) return { ...hypothesis, pending }
  const { world } = hypothesis
  return { ...hypothesis, world: eitherWay(world, land(world, oldest)), pending: pending.slice(1) }
}

/** Whether a status is one of those hundred. */
const isOf = (hundreds: number, status: number | undefined): boolean =>
  status !== undefined && Math.floor(status / 100) === hundreds

const observeLoss = (belief: Belief, observation: Observation): Observed => {
  const { op, call, n, outcome } = observation
  // Without a connection nothing was sent, so nothing can land.
  const isSent = !('lost' in outcome && (outcome.lost === 'refused' || outcome.lost === 'tls'))
  const isWrite = op.method !== 'GET' && isSent
  const replied = 'lost' in outcome ? outcome.replied : undefined
  const hypotheses = belief.hypotheses.map((hypothesis) => {
    const world = { ...hypothesis.world, step: n, operation: op.id }
    if (!isWrite || !op.apply || isOf(4, replied)) return { ...hypothesis, world }
    // The status shows that the call was accepted. Only the content of the reply is unknown.
    if (isOf(2, replied)) return { ...hypothesis, world: land(world, { op, call, n, sentIn: world }) }
    return awaiting({ ...hypothesis, world }, { op, call, n })
  })
  const judgement = undecided((hypotheses[0] as Hypothesis).world)
  const past = belief.past && noting(belief.past, belief, observation, judgement)
  return { belief: { ...belief, hypotheses, ...(past && { past }) }, judgement }
}

/**
 * Takes in a call and what came of it. If one of the hypotheses explains the reply, with lost calls landed or entities drifted where
 * need be, it is no finding. If none does, what the best explanation leaves is reported. The best explanations that assume least go on.
 */
export const observe = (belief: Belief, observation: Observation): Observed => {
  const { outcome, op, call } = observation
  if ('lost' in outcome) {
    const lost = remembered(belief, observation, observeLoss(belief, observation))
    return outcome.lost === 'malformed' ? { ...lost, judgement: malformed(lost.judgement, op, outcome.detail) } : lost
  }
  const observed = remembered(belief, observation, observeReply(belief, observation, outcome))
  const isUnsure = observed.judgement.accepted === undefined && op.method !== 'GET' && op.apply !== undefined
  if (!isUnsure)
    return belief.overflow
      ? { ...observed, judgement: { ...observed.judgement, verdict: 'inconclusive', deviations: [] } }
      : observed
  const after = observed.belief.hypotheses.map((one) => awaiting(one, { op, call, n: observation.n }))
  return { ...observed, belief: { ...observed.belief, hypotheses: after } }
}

/** A write that was not refused may not show at once. */
const remembered = ({ hypotheses }: Belief, observation: Observation, observed: Observed): Observed => {
  const { belief, judgement } = observed
  if (!belief.past || observation.op.method === 'GET' || judgement.accepted === false) return observed
  const after = changing(belief, (hypotheses[0] as Hypothesis).world, observation.endedAt, observation)
  // What is made may show before the rest of what its creation does, such as the node that it is attached to.
  const partly = madeAsShown(worldOf(belief), observation, judgement)
  if (!partly) return { ...observed, belief: after }
  const { op, endedAt, instance } = observation
  return { ...observed, belief: changing(after, partly, endedAt, { name: op.id, instance }) }
}

/** The world with what a creation made as its own reply showed it, where that is not yet what it comes to. */
const madeAsShown = (
  world: World,
  { op, outcome }: Observation,
  { made, deviations }: Judgement,
): World | undefined => {
  const table = op.makes
  const known = table && made !== undefined ? find(world, table, made) : undefined
  if (!table || !known || deviations.length > 0 || !('body' in outcome) || !isObject(outcome.body)) return undefined
  const shown = outcome.body
  const isEarly = (name: string): boolean =>
    known[name] !== undefined && shown[name] !== undefined && !agrees(known[name], shown[name])
  const early = table.fields.filter(isEarly)
  if (early.length === 0) return undefined
  return patch(world, table, known.key, Object.fromEntries(early.map((name) => [name, shown[name]])))
}

/** A reply that HTTP cannot read is no reply that the interface can give. */
const malformed = (judgement: Judgement, op: Operation, detail: string | undefined): Judgement => {
  const clause = clauseOf(op, 'json')
  return clause
    ? {
        ...judgement,
        verdict: 'finding',
        deviations: [
          deviation(clause, 'malformed', 'an HTTP reply with a JSON body', detail ?? 'a reply that cannot be parsed'),
        ],
      }
    : judgement
}
