// What is believed of the target: hypotheses that all explain what was seen, with calls that may still take effect.

import type { CallEntry } from '../history/entry.js'
import type { WireCall } from '../history/record.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type AnyEntity, find, put, type World } from '../models/language/world.js'
import { leavesOf } from '../models/tags/carriers.js'
import { clauseOf } from './due.js'
import { readCall } from './facts.js'
import { judge } from './judge.js'
import { type Deviation, deviation, type Judgement } from './judgement.js'
import type { Lookup, Reply } from './step.js'
import { eitherWay, unknowing } from './unfollowed.js'

/** A write whose reply was lost: it may have taken effect, may yet, or never. */
interface Pending {
  readonly op: Operation
  readonly call: WireCall
  readonly n: number
}

/** An acceptance that only drift could excuse; seeing the old state again refutes it. */
interface Assumption {
  readonly table: AnyTable
  readonly key: string
  readonly field: string
  readonly before: unknown
  readonly deviation: Deviation
}

interface Hypothesis {
  readonly world: World
  readonly pending: readonly Pending[]
  readonly assumed: readonly Assumption[]
}

export interface Belief {
  readonly hypotheses: readonly Hypothesis[]
  /** More hypotheses than are followed: what is seen from now on is inconclusive. */
  readonly overflow: boolean
}

/** What of a call the belief takes in. */
export type Observation = Pick<CallEntry, 'op' | 'call' | 'outcome' | 'n'>

export interface Observed {
  readonly belief: Belief
  readonly judgement: Judgement
}

/** The most hypotheses that are followed, and the most lost calls in each. */
const mostHypotheses = 32
const mostPending = 5

export const believe = (world: World): Belief => ({
  hypotheses: [{ world, pending: [], assumed: [] }],
  overflow: false,
})

/** The likeliest world: what programs are planned against. */
export const worldOf = (belief: Belief): World => (belief.hypotheses[0] as Hypothesis).world

/** The belief with a change that came about outside of the calls. */
export const adjusted = (belief: Belief, change: (world: World) => World): Belief => ({
  ...belief,
  hypotheses: belief.hypotheses.map((one) => ({ ...one, world: change(one.world) })),
})

/** A candidate explanation; `tier` counts what it assumes beyond the hypothesis. */
interface Candidate {
  readonly hypothesis: Hypothesis
  readonly tier: number
  readonly drifted: readonly {
    readonly table: AnyTable
    readonly key: string
    readonly before: AnyEntity
    readonly after: AnyEntity
  }[]
}

/** The world in which a lost call has taken effect; what it made has a latent id. */
const land = (world: World, { op, call, n }: Pending): World => {
  const before = { ...world, step: n, operation: op.id }
  const read = readCall(before, op, call)
  if (!op.apply || !read.resolved) return world
  const made = op.keys?.(read.facts as never) ?? `?${n}`
  try {
    const after = op.apply({ ...read.facts, world: before, made, chosen: {} } as never)
    return { ...after, step: world.step, operation: world.operation }
  } catch {
    // An ill-formed body has no effect that could be followed.
    return unknowing(world, op, read)
  }
}

/** Every order in which lost calls may have landed; of those that have nothing in common, the order in which they were sent stands for all. */
const landings = ({ world, pending, assumed }: Hypothesis, last?: Pending): readonly Candidate[] =>
  pending.flatMap((one) => {
    if (last && one.n < last.n && !haveInCommon(one, last)) return []
    const rest = pending.filter((other) => other !== one)
    const landed = { world: land(world, one), pending: rest, assumed }
    return [
      { hypothesis: landed, tier: 1, drifted: [] },
      ...landings(landed, one).map((deeper) => ({ ...deeper, tier: deeper.tier + 1 })),
    ]
  })

const haveInCommon = (one: Pending, other: Pending): boolean => {
  const names = new Set(leavesOf([one.call.path, one.call.body]))
  return leavesOf([other.call.path, other.call.body]).some((name) => names.has(name))
}

/** The hypothesis with entities that the call names advanced as far as they may have drifted by themselves. */
const driftsOf = (candidate: Candidate, op: Operation, call: WireCall): readonly Candidate[] => {
  const { hypothesis } = candidate
  const read = readCall(hypothesis.world, op, call)
  return Object.entries(op.params).flatMap(([name, reference]) => {
    const resolution = read.resolutions[name]
    if (typeof reference !== 'object' || resolution?.kind !== 'found' || !reference.table.drifts) return []
    const before = resolution.entity
    return (reference.table.drifts(before) as readonly AnyEntity[]).map((after, i) => ({
      hypothesis: { ...hypothesis, world: put(hypothesis.world, reference.table, after) },
      tier: candidate.tier + 1 + i,
      drifted: [{ table: reference.table, key: before.key, before, after }],
    }))
  })
}

const candidatesFor = (hypothesis: Hypothesis, op: Operation, call: WireCall): readonly Candidate[] => {
  const landed: readonly Candidate[] = [{ hypothesis, tier: 0, drifted: [] }, ...landings(hypothesis)]
  return [...landed, ...landed.flatMap((candidate) => driftsOf(candidate, op, call))]
}

const gates = ({ level }: Deviation): boolean => level === 'must' || level === 'pinned'
const explains = (judgement: Judgement): boolean => !judgement.deviations.some(gates)

interface Explained {
  readonly candidate: Candidate
  readonly judgement: Judgement
}

/** Notes what a drifted explanation assumes: that the entity had moved on although it was last seen before. */
const assumptionsOf = (
  { candidate, judgement }: Explained,
  plain: Judgement | undefined,
  op: Operation,
): readonly Assumption[] => {
  const blamed = plain?.deviations.find(gates)
  if (!blamed || judgement.accepted !== true || op.method === 'GET') return []
  return candidate.drifted.flatMap(({ table, key, before, after }) =>
    (table.drifting ?? []).flatMap((field) => {
      const now = find(judgement.world, table, key) as AnyEntity | undefined
      const stays = now?.[field] === after[field]
      return before[field] !== after[field] && stays
        ? [{ table, key, field, before: before[field], deviation: blamed }]
        : []
    }),
  )
}

/** Assumptions that this reply refutes: the state is seen again that must have been left. */
const refuted = (assumed: readonly Assumption[], world: World, op: Operation): readonly Assumption[] =>
  op.method === 'GET'
    ? assumed.filter(
        ({ table, key, field, before }) => (find(world, table, key) as AnyEntity | undefined)?.[field] === before,
      )
    : []

const isAbout = (assumption: Assumption, op: Operation, call: WireCall): boolean =>
  op.method === 'GET' &&
  op.reply.kind === 'record' &&
  op.reply.table === assumption.table &&
  Object.values(call.path).includes(assumption.key)

const survivor = (
  explained: Explained,
  plain: Judgement | undefined,
  { op, call }: Observation,
): { readonly hypothesis: Hypothesis; readonly late: readonly Assumption[] } => {
  const { candidate, judgement } = explained
  const assumed = [...candidate.hypothesis.assumed, ...assumptionsOf(explained, plain, op)]
  const late = refuted(assumed, judgement.world, op)
  const open = assumed.filter((assumption) => !late.includes(assumption) && !isAbout(assumption, op, call))
  return { hypothesis: { world: judgement.world, pending: candidate.hypothesis.pending, assumed: open }, late }
}

const observeReply = (belief: Belief, observation: Observation, reply: Reply, lookup: Lookup): Observed => {
  const { op, call, n } = observation
  const groups = belief.hypotheses.map((hypothesis) => {
    const plain = judge(hypothesis.world, op, call, reply, n, lookup)
    if (explains(plain))
      return { plain, explained: [{ candidate: { hypothesis, tier: 0, drifted: [] }, judgement: plain }] }
    const explained = candidatesFor(hypothesis, op, call)
      .slice(1)
      .map((candidate) => ({ candidate, judgement: judge(candidate.hypothesis.world, op, call, reply, n, lookup) }))
      .filter(({ judgement }) => explains(judgement))
    const least = Math.min(...explained.map(({ candidate }) => candidate.tier))
    return { plain, explained: explained.filter(({ candidate }) => candidate.tier === least) }
  })
  const all = groups.flatMap(({ plain, explained }) => explained.map((one) => ({ one, plain })))
  if (all.length === 0) {
    // A reply that is wrong whichever hypothesis holds rules out only those which it contradicts more than others.
    const plain = groups.map((group) => group.plain)
    const faults = plain.map(({ deviations }) => deviations.filter(gates).length)
    const least = Math.min(...faults)
    return {
      belief: {
        ...belief,
        hypotheses: belief.hypotheses.flatMap((one, i) =>
          faults[i] === least ? [{ ...one, world: (plain[i] as Judgement).world }] : [],
        ),
      },
      judgement: plain[faults.indexOf(least)] as Judgement,
    }
  }
  const survivors = all.map(({ one, plain }) => survivor(one, plain, observation))
  const judgement = (all[0] as (typeof all)[0]).one.judgement
  const late = survivors.every((one) => one.late.length > 0) ? (survivors[0] as (typeof survivors)[0]).late : []
  const kept = survivors.slice(0, mostHypotheses).map(({ hypothesis }) => hypothesis)
  return {
    belief: { hypotheses: kept, overflow: belief.overflow || survivors.length > mostHypotheses },
    judgement: late.length === 0 ? judgement : withLate(judgement, late),
  }
}

const withLate = (judgement: Judgement, late: readonly Assumption[]): Judgement => ({
  ...judgement,
  verdict: 'finding',
  deviations: [
    ...judgement.deviations,
    ...late.map(({ table, key, field, before, deviation }) => ({
      ...deviation,
      because: [...deviation.because, `${table.name} ${key} was seen with ${field} ${String(before)} before and after`],
    })),
  ],
})

/** The hypothesis with one more call that may still take effect; what the oldest of too many does is then unknown. */
const awaiting = (hypothesis: Hypothesis, call: Pending): Hypothesis => {
  const pending = [...hypothesis.pending, call]
  const [oldest] = pending
  if (!oldest || pending.length <= mostPending) return { ...hypothesis, pending }
  const { world } = hypothesis
  return { ...hypothesis, world: eitherWay(world, land(world, oldest)), pending: pending.slice(1) }
}

const observeLoss = (belief: Belief, { op, call, n, outcome }: Observation): Observed => {
  // Where no connection came about, nothing was sent that could land.
  const isSent = !('lost' in outcome && (outcome.lost === 'refused' || outcome.lost === 'tls'))
  const isWrite = op.method !== 'GET' && isSent
  const hypotheses = belief.hypotheses.map((hypothesis) => {
    const world = { ...hypothesis.world, step: n, operation: op.id }
    return isWrite && op.apply ? awaiting({ ...hypothesis, world }, { op, call, n }) : { ...hypothesis, world }
  })
  return {
    belief: { ...belief, hypotheses },
    judgement: {
      expects: 'either',
      verdict: 'inconclusive',
      deviations: [],
      accepted: undefined,
      world: (hypotheses[0] as Hypothesis).world,
      held: [],
      possible: [],
      choices: [],
    },
  }
}

/**
 * Takes in a call and what came of it. A reply that one of the hypotheses explains, with lost calls landed or entities drifted
 * where need be, is no finding; the explanations that assume least go on.
 */
export const observe = (belief: Belief, observation: Observation, lookup: Lookup): Observed => {
  const { outcome, op, call } = observation
  if ('lost' in outcome) {
    const lost = observeLoss(belief, observation)
    return outcome.lost === 'malformed' ? { ...lost, judgement: malformed(lost.judgement, op, outcome.detail) } : lost
  }
  const observed = observeReply(belief, observation, outcome, lookup)
  const isUnsure = observed.judgement.accepted === undefined && op.method !== 'GET' && op.apply !== undefined
  if (!isUnsure)
    return belief.overflow
      ? { ...observed, judgement: { ...observed.judgement, verdict: 'inconclusive', deviations: [] } }
      : observed
  const after = observed.belief.hypotheses.map((one) => awaiting(one, { op, call, n: observation.n }))
  return { ...observed, belief: { ...observed.belief, hypotheses: after } }
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
