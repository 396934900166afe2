// A write of the recorded clients is missing in the recording. A deviation that one such write would explain counts only if it comes too often, or too soon.

import { operationById } from '../../models/index.js'
import { suppositions } from '../../models/language/environment.js'
import { isObject } from '../../models/language/objects.js'
import { type AnyEntity, find, type WireRecord } from '../../models/language/world.js'
import { adjusted, type Belief, impatiently, type Observe, worldOf } from '../belief.js'
import type { Adding, Finder, Trail } from '../found.js'
import type { Deviation, Judged, Judgement } from '../judgement.js'
import { agreement } from '../reply.js'
import { findingIdOf } from '../shrink.js'
import { type Explanation, isAllowed } from './explanation.js'
import { interfered } from './interference.js'
import type { Convicted } from './quota-in-traffic.js'

export const gap: Explanation = {
  name: 'gap',
  supposes: suppositions.gap,
  cost: 1,
  refutes:
    'the same is seen again, is as before at the next look, or shows a write as lost right after it: so many gaps in just these places are not likely',
  bound: 'recorded traffic, and what one write between two of its calls could have changed',
}

/** The weight of a deviation, by the number of calls between which the missing write would have to lie. */
interface Reach {
  readonly calls: number
  readonly weight: number
  /** The weight if the reply shows the state before a write, as if the write had had no effect. */
  readonly weightIfLost: number
}

const reaches: readonly Reach[] = [
  { calls: 1, weight: 3, weightIfLost: 6 },
  { calls: 2, weight: 2, weightIfLost: 4 },
  { calls: 32, weight: 1, weightIfLost: 1 },
]
const farReach: Reach = { calls: Number.POSITIVE_INFINITY, weight: 0, weightIfLost: 0 }

/** The weight of a deviation that no gap explains. */
const surely: Reach = { calls: 0, weight: Number.POSITIVE_INFINITY, weightIfLost: Number.POSITIVE_INFINITY }

/** The weight if the write would have to be missing among so many calls. */
const reachOver = (calls: number): Reach => reaches.find((one) => calls <= one.calls) ?? farReach

/** The weight at which a finding counts: more if its clause has held often, since each of those calls could have met a gap. */
const enoughFor = (held: number): number => 2 + Math.log2(1 + held) / 2

/** A finding that gaps may explain. */
interface Suspicion {
  readonly first: { readonly deviation: Deviation; readonly trail: Trail; readonly adding: Adding }
  readonly weight: number
  /** The last call that has added to the weight. One gap may explain any deviation before it, or that rests on calls before it. */
  readonly last: { readonly n: number; readonly weight: number }
  readonly at: readonly { readonly n: number; readonly deviation: Deviation; readonly step: Judged }[]
}

interface Doubts {
  readonly suspicions: ReadonlyMap<string, Suspicion>
  /** How often each clause has held. */
  readonly held: ReadonlyMap<string, number>
}

export interface GapFilter {
  /** Takes in a refused creation that no quota explains, as a later one shows. A removal between the two may still be missing. */
  readonly convict: (one: Convicted, later: Judged) => void
  /** The deviations of a step that count at once. */
  readonly hear: (step: Judged, trailOf: () => Trail, adding: Adding, look: Observe) => readonly Deviation[]
  /** The steps, with the deviations that were held back and then counted, and with what was assumed of the others. */
  readonly close: (steps: readonly Judged[]) => readonly Judged[]
  /** A copy that goes on from here and reports to another finder. */
  readonly fork: (finder: Finder) => GapFilter
}

export const createGapFilter = (finder: Finder, from?: Doubts): GapFilter => {
  const suspicions = new Map(from?.suspicions)
  const held = new Map(from?.held)
  const isTold = (deviation: Deviation): boolean => finder.has(findingIdOf(deviation))
  const tell = ({ first }: Suspicion): void => finder.add([first.deviation], () => first.trail, first.adding)
  const suspect = (first: Suspicion['first'], step: Judged, reach: Reach): void => {
    const { deviation } = first
    const id = findingIdOf(deviation)
    const now = weighed(suspicions.get(id) ?? { first, ...unweighed }, step, reach, deviation)
    suspicions.set(id, now)
    if (now.weight >= enoughFor(held.get(deviation.clause) ?? 0)) tell(now)
  }
  return {
    convict: ({ sent, refused, trail }, later) => {
      const calls = later.n - sent.n
      const mayLack = beforeOf(sent) !== undefined && isAllowed(sent.judgement.world.environment, gap)
      const reach = mayLack ? reachOver(calls) : surely
      for (const deviation of refused) suspect({ deviation, trail, adding: {} }, sent, reach)
    },
    hear: (step, trailOf, adding, look) => {
      for (const clause of new Set(step.held)) held.set(clause, (held.get(clause) ?? 0) + 1)
      for (const one of suspicions.values())
        if (!isTold(one.first.deviation) && one.at.some((at) => isAsBefore(at, step, look))) tell(one)
      const { deviations: spotted, judgement } = step
      if (spotted.every(isTold) || !isAllowed(judgement.world.environment, gap)) return spotted
      const reachOf = reachesOf(step, look)
      return spotted.filter((deviation) => {
        const reach = isTold(deviation) ? undefined : reachOf(deviation)
        if (reach) suspect({ deviation, trail: trailOf(), adding }, step, reach)
        return reach === undefined
      })
    },
    close: (steps) => told(steps, [...suspicions.values()], isTold),
    fork: (other) => createGapFilter(other, { suspicions, held }),
  }
}

const unweighed: Omit<Suspicion, 'first'> = { weight: 0, last: { n: 0, weight: 0 }, at: [] }

/** Adds a deviation. Of those that one gap may explain, the heaviest counts. */
const weighed = (before: Suspicion, step: Judged, { calls, ...weights }: Reach, deviation: Deviation): Suspicion => {
  const { n } = step
  const weight = deviation.clause.endsWith('.takes-effect') ? weights.weightIfLost : weights.weight
  const at = [...before.at, { n, deviation, step }]
  const beyond = n - calls >= before.last.n ? weight : weight - before.last.weight
  return beyond > 0 ? { ...before, weight: before.weight + beyond, last: { n, weight }, at } : { ...before, at }
}

/** Whether a later like look shows the belief from before the deviation: only two gaps that cancel each other would explain that. */
const isAsBefore = ({ deviation, step }: Suspicion['at'][number], later: Judged, look: Observe): boolean => {
  const before = beforeOf(step)
  const isAgain = later.n !== step.n && later.call.url === step.call.url && later.call.as === step.call.as
  if (!before || !isAgain || later.op.method !== 'GET') return false
  const {
    held,
    deviations,
    assumed = [],
  } = look(before, changedBack(before, step, later, deviation), operationById).judgement
  const { clause } = deviation
  // A reply that is right only if others have changed something tells nothing.
  return assumed.length === 0 && held.includes(clause) && deviations.every((one) => one.clause !== clause)
}

/** A later list, reduced to the records of entities that were known before the deviation. */
const changedBack = (before: Belief, step: Judged, later: Judged, { kind }: Deviation): Judged => {
  const { reply } = step.op
  const [records, rows] = [step, later].map(rowsOf)
  if (!('table' in reply) || !records?.some((one) => kind in one) || !rows) return later
  const world = worldOf(before)
  const { table } = reply
  const keyOf = (row: WireRecord): string | undefined => table.identify(row, step.call.path, undefined)
  const shown = new Map(records.map((one) => [keyOf(one), one]))
  const data = rows.filter((row) => {
    const entity = find(world, table, keyOf(row) ?? '') as AnyEntity | undefined
    const record = shown.get(keyOf(row))
    if (!entity || entity[kind] === undefined || !record) return false
    const fits = (one: WireRecord) => agreement(world, table, entity, kind, entity[kind], one[kind])
    return fits(record) === false && fits(row) === true
  })
  return { ...later, outcome: { ...later.outcome, body: { ...(later.outcome as { body: object }).body, data } } }
}

const rowsOf = ({ outcome }: Judged): readonly WireRecord[] | undefined => {
  const { data } = ('body' in outcome && isObject(outcome.body) ? outcome.body : {}) as { readonly data?: unknown }
  return Array.isArray(data) ? data.filter(isObject) : undefined
}

/** The belief before a call whose reply deviates. */
interface Remembered extends Judgement {
  readonly before?: Belief
}

const beforeOf = ({ judgement }: { readonly judgement: Remembered }): Belief | undefined => judgement.before

/** Keeps the belief before each call that deviates. */
export const remembering =
  (look: Observe): Observe =>
  (belief, observation, lookup) => {
    const { belief: after, judgement } = look(belief, observation, lookup)
    if (judgement.deviations.length === 0 && judgement.late === undefined) return { belief: after, judgement }
    const remembered: Remembered = { ...judgement, before: impatiently(belief) }
    return { belief: after, judgement: remembered }
  }

/** The number of calls among which a write that explains the deviation would have to be missing; undefined if no write explains it. */
const reachesOf = (step: Judged, look: Observe): ((deviation: Deviation) => Reach | undefined) => {
  const before = beforeOf(step)
  if (!before) return () => undefined
  const known = new Map<number, ReadonlySet<string>>()
  /** Whether the call still deviates if everything known before a step is forgotten. */
  const isLeft = (deviation: Deviation, from: number): boolean => {
    const open = () =>
      look(
        adjusted(before, (world) => interfered(world, (n) => n >= from, true)),
        step,
        operationById,
      )
    const left = known.get(from) ?? new Set(open().judgement.deviations.map(contentOf))
    known.set(from, left)
    return left.has(contentOf(deviation))
  }
  return (deviation) =>
    isLeft(deviation, Number.POSITIVE_INFINITY)
      ? undefined
      : (reaches.find(({ calls }) => isLeft(deviation, step.n - calls)) ?? farReach)
}

/** The part of a deviation that stays the same if another call is blamed for it. */
const contentOf = ({ expected, received }: Deviation): string => `${expected}\n${received}`

/** The steps, with the deviations that came to count, and with what was assumed of the others. */
const told = (
  steps: readonly Judged[],
  suspicions: readonly Suspicion[],
  isTold: (deviation: Deviation) => boolean,
): readonly Judged[] => {
  const byStep = new Map<number, Deviation[]>()
  for (const { n, deviation } of suspicions.flatMap(({ at }) => at))
    byStep.set(n, [...(byStep.get(n) ?? []), deviation])
  return steps.map((step) => {
    const all = byStep.get(step.n)
    if (!all) return step
    const counted = all.filter(isTold)
    if (counted.length > 0) return { ...step, verdict: 'finding', deviations: [...counted, ...step.deviations] }
    const assumed = [...(step.judgement.assumed ?? []), `${gap.name} ${step.op.id}`]
    return { ...step, judgement: { ...step.judgement, assumed } }
  })
}
