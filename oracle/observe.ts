// Takes a call and what came of it into a belief: the best explanations of each hypothesis go on, and what they leave is told; pure.

import { mayHaveCome } from '../history/outcomes.js'
import { patch } from '../models/language/changes.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { agrees } from '../models/language/same.js'
import { find, type World } from '../models/language/world.js'
import {
  aging,
  awaiting,
  type Belief,
  changing,
  type Hypothesis,
  mostHypotheses,
  type Observed,
  worldOf,
} from './belief.js'
import { clauseOf } from './clauses.js'
import { type Explained, explain, explainByOlder, judgeUnknowing, mostTried, unexplained } from './explaining.js'
import { type Assumption, assumptionsOf, isAbout, refuted, withLate } from './explanations/drift.js'
import { isAllowed, isTraceOf, traceOf } from './explanations/explanation.js'
import { gateway } from './explanations/gateway.js'
import { lag } from './explanations/lag.js'
import { isRelatedTo, land, landing, type Pending, wouldChange } from './explanations/landing.js'
import {
  assuming,
  type Deviation,
  deviation,
  gates,
  type Judgement,
  type Late,
  type Observation,
  undecided,
} from './judgement.js'
import { lateness, slack, type Unshown, withoutLate } from './late.js'
import { caughtUp, choicesOfLag, type Past, stillLate } from './past.js'
import { noted, notedRefusal } from './retried.js'
import type { Reply } from './step.js'
import { asOne } from './surplus.js'
import { eitherWay } from './unfollowed.js'

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
  const { older = [] } = belief
  const best = explainByOlder(
    all.filter((one) => one.left === left),
    older,
    observation,
    reply,
    leastOf,
  )
  const survivors = best.map((one) => survivor(one, observation, belief.past))
  const first = best[0] as Explained
  const assumed = [...first.candidate.assumed, ...(first.judgement.assumed ?? [])]
  const judgement = assumed.length === 0 ? first.judgement : { ...first.judgement, assumed }
  const refutedBy = survivors.every((one) => one.late.length > 0) ? (survivors[0] as (typeof survivors)[0]).late : []
  const told = refutedBy.length === 0 ? judgement : withLate(judgement, refutedBy)
  const { past } = belief
  // Seeing the old state again refutes an assumption, unless the target has been late before.
  const isTaken = refutedBy.length > 0 && past?.longestMs === 0
  const late = isTaken ? undefined : (asLate(belief, observation, told) ?? landedOrLate(belief, observation, best))
  if (late) return late
  const followed = survivors.map(({ hypothesis }) => hypothesis)
  const idles = best.map((one) => idle(one, observation))
  const forked =
    best.length < mostForked
      ? [...followed, ...idles.flatMap((one) => one ?? [])]
      : followed.map((one, i) => undecidedOf(one, idles[i]))
  const kept = followed.length > mostHypotheses ? asOne(followed) : forked
  const after = {
    hypotheses: kept,
    overflow: belief.overflow || survivors.length > mostHypotheses,
    ...(older.length > 0 && { older: notLanded(older, best, observation) }),
    ...(past && { past: noting(caughtUp(past, observation, told), belief, observation, told) }),
  }
  return {
    belief: followed.length > mostHypotheses ? aging(after, followed) : after,
    judgement: past ? withChoices(told, choicesOfLag(past, observation, told)) : told,
  }
}

/** The older lost calls without those that have landed whichever explanation is right: it assumes that, or shows what they did. */
const notLanded = (
  older: readonly Pending[],
  best: readonly Explained[],
  observation: Observation,
): readonly Pending[] => {
  const shown = best.map((one) => (observation.op.method === 'GET' ? shownAlone(older, one, observation) : undefined))
  return older.filter(
    (one) => !best.every(({ candidate }, i) => candidate.older?.includes(one) === true || shown[i] === one),
  )
}

/** The lost call that alone would have done what was unknown before and is shown now. */
const shownAlone = (
  older: readonly Pending[],
  { candidate: { hypothesis }, judgement }: Explained,
  observation: Observation,
): Pending | undefined => {
  if (hypothesis.world.tables === judgement.world.tables) return undefined
  const [one, ...others] = [...older, ...hypothesis.pending].filter(
    (each) =>
      isRelatedTo(each, observation) && wouldChange(hypothesis.world, each) && !wouldChange(judgement.world, each),
  )
  return others.length === 0 ? one : undefined
}

/**
 * What a lost call explains, a late change may explain as well on a target that is late: a replica that is behind may show what was there
 * before. Until that is over nothing tells which of them it was.
 */
const landedOrLate = (belief: Belief, observation: Observation, best: readonly Explained[]): Observed | undefined => {
  const { past } = belief
  const [first] = best
  const isByLanding = best.every(({ candidate }) => candidate.assumed.some((one) => isTraceOf(one, landing)))
  if (!past || !first || !isByLanding || observation.op.method !== 'GET') return undefined
  const isUsual = ({ ageMs, isGuess }: Late): boolean => !isGuess && ageMs <= slack * past.longestMs
  return asLate(belief, observation, first.plain, isUsual)
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

/** A reply as one that does not show the latest changes, if it is right without them and these may be late. */
export const asLate = (
  belief: Belief,
  observation: Observation,
  told: Judgement,
  mayBe: (late: Late) => boolean = () => true,
): Observed | undefined => {
  const { past } = belief
  const { outcome } = observation
  const unshown = past && 'status' in outcome ? lateness(past, observation, outcome, told) : undefined
  return past && unshown && mayBe(unshown.late)
    ? unseen({ ...belief, past: notShowing(past, observation, told, unshown) }, observation, told, unshown)
    : undefined
}

/** Whether a status is one of those hundred. */
const isOf = (hundreds: number, status: number | undefined): boolean =>
  status !== undefined && Math.floor(status / 100) === hundreds

const observeLoss = (belief: Belief, observation: Observation): Observed => {
  const { op, call, n, outcome } = observation
  const isWrite = op.method !== 'GET' && mayHaveCome(outcome)
  const replied = 'lost' in outcome ? outcome.replied : undefined
  const hypotheses = belief.hypotheses.map((hypothesis) => {
    const world = { ...hypothesis.world, step: n, operation: op.id }
    if (!isWrite || !op.apply) return { ...hypothesis, world }
    // The status shows that the call was accepted. Only the content of the reply is unknown.
    return isOf(2, replied)
      ? { ...hypothesis, world: land(world, { op, call, n, sentIn: world }) }
      : { ...hypothesis, world }
  })
  const judgement = undecided((hypotheses[0] as Hypothesis).world)
  const past = belief.past && noting(belief.past, belief, observation, judgement)
  const after = { ...belief, hypotheses, ...(past && { past }) }
  const mayLand = isWrite && op.apply !== undefined && !isOf(4, replied) && !isOf(2, replied)
  return { belief: mayLand ? awaiting(after, { op, call, n }) : after, judgement }
}

/**
 * Takes in a call and what came of it. If one of the hypotheses explains the reply, with lost calls landed or entities drifted where
 * need be, it is no finding. If none does, what the best explanation leaves is reported. The best explanations that assume least go on.
 */
export const observe = (belief: Belief, observation: Observation): Observed => {
  const { outcome, op, call } = observation
  if ('lost' in outcome) {
    const lost = remembered(belief, observation, observeLoss(belief, observation))
    const isForeign = outcome.lost === 'foreign'
    // That the target itself did not write it so is in its favour, and is told.
    if (isForeign && isAllowed(lost.judgement.world.environment, gateway))
      return { ...lost, judgement: assuming(lost.judgement, traceOf(gateway, outcome.detail ?? outcome.lost)) }
    return isForeign || outcome.lost === 'malformed'
      ? { ...lost, judgement: malformed(lost.judgement, op, outcome.detail) }
      : lost
  }
  const observed = remembered(belief, observation, observeReply(belief, observation, outcome))
  const isUnsure = observed.judgement.accepted === undefined && op.method !== 'GET' && op.apply !== undefined
  if (!isUnsure)
    return belief.overflow
      ? { ...observed, judgement: { ...observed.judgement, verdict: 'inconclusive', deviations: [] } }
      : observed
  return { ...observed, belief: awaiting(observed.belief, { op, call, n: observation.n }) }
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
