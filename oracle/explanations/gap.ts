// A write of the recorded clients is missing in the recording. A deviation that one such write would explain counts only if it comes too often, or too soon.

import { bodyOf } from '../../history/outcomes.js'
import { recordsIn } from '../../history/pages.js'
import { operationById, operations } from '../../models/index.js'
import { grouped } from '../../models/language/grouped.js'
import { isObject } from '../../models/language/objects.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { find, type WireRecord } from '../../models/language/world.js'
import { type Belief, type Observe, worldOf } from '../belief.js'
import { clauseNamed, isOneOf } from '../clauses.js'
import { forked } from '../forked.js'
import { type Adding, asJudged, type Finder, type Trail } from '../found.js'
import { areIndependent } from '../independence.js'
import { assuming, type Deviation, findingIdOf, type Judged } from '../judgement.js'
import { agreement } from '../reply.js'
import { isWrite } from '../writes.js'
import { type Explanation, isAllowed, traceOf } from './explanation.js'
import {
  beforeOf,
  farthest,
  type Nearness,
  nearnessAt,
  nearnessesOf,
  nearnessOver,
  type Pace,
  paceAfter,
  surely,
} from './missing-calls.js'
import type { RefusedCreation } from './quota-in-traffic.js'
import { changesMember, isAboutSame } from './settable.js'
import { createUnrecorded } from './unrecorded.js'

export const gap: Explanation = {
  name: 'gap',
  refutes:
    'the same is seen again, is as before at the next look, or shows a write as lost right after it: so many gaps in just these places are not likely',
  bound: 'recorded traffic, and what one write between two of its calls could have changed',
}

/**
 * The weight at which a finding counts. It is more if its clause has held often, since each of those calls could have met a gap, and
 * more if other areas deviate as if calls were missing, since a target is seldom broken everywhere.
 */
const enoughFor = (held: number, elsewhere: number): number => (2 + Math.log2(1 + held) / 2) * (1 + elsewhere)

/** A finding that gaps may explain. */
interface Suspicion {
  readonly first: { readonly deviation: Deviation; readonly trail: Trail; readonly adding: Adding }
  readonly at: readonly Place[]
  /** Numbers of the places after which a like look shows the old state again. */
  readonly undone: ReadonlySet<number>
}

interface Place {
  readonly n: number
  readonly deviation: Deviation
  readonly step: Judged
  readonly nearness: Nearness
  /** Whether it shows a write as lost, and no reset that is missing would show the same. */
  readonly isLost: boolean
}

type Doubts = ReturnType<typeof noDoubts>

const noDoubts = () => ({
  suspicions: new Map<string, Suspicion>(),
  /** How often each clause has held. */
  held: new Map<string, number>(),
  /** The latest writes: one of them may explain why a look shows the old state again. */
  writes: [] as readonly Judged[],
  /** How many writes of each operation may have had an effect. */
  written: new Map<Operation, number>(),
  pace: { first: 0, latest: [], count: 0 } as Pace,
  unrecorded: createUnrecorded(),
})

/** The most writes that are remembered. */
const mostWrites = 256

/** The most places at which a suspicion is weighed, and the most that are compared with each later look. */
const mostPlaces = 64

const mostCompared = 8

export const createGapFilter = (finder: Finder, state = noDoubts()) => {
  const { suspicions, held, written, unrecorded } = state
  /** Whether a write since then may have set it back: one that was recorded, or one from before those that are remembered. */
  const isSetBack = (at: Place, later: Judged): boolean =>
    (state.writes.length === mostWrites && at.n < (state.writes[0]?.n ?? 0)) ||
    state.writes.some((write) => write.n > at.n && !areIndependent(write, later))
  const isTold = (deviation: Deviation): boolean => finder.has(findingIdOf(deviation))
  const isKnownWell = (deviation: Deviation): boolean =>
    (suspicions.get(findingIdOf(deviation))?.at.length ?? 0) >= mostPlaces
  const suspect = (first: () => Suspicion['first'], step: Judged, nearness: Nearness, deviation: Deviation): void => {
    const id = findingIdOf(deviation)
    const before = suspicions.get(id) ?? { first: first(), at: [], undone: new Set() }
    const isLost = isLoss(deviation) && !mayBeReset(deviation, step, nearness, state.writes)
    suspicions.set(id, { ...before, at: [...before.at, { n: step.n, deviation, step, nearness, isLost }] })
  }
  const noteUndone = (later: Judged, look: Observe): void => {
    for (const [id, one] of suspicions) {
      const isNew = (at: Place): boolean =>
        !one.undone.has(at.n) && isLikeLook(at, later) && !isSetBack(at, later) && isAsBefore(at, later, look)
      const undone = one.at
        .slice(-mostCompared)
        .filter(isNew)
        .map(({ n }) => n)
      if (undone.length > 0) suspicions.set(id, { ...one, undone: new Set([...one.undone, ...undone]) })
    }
  }
  const isEnough = ({ first: { deviation }, undone, at }: Suspicion): boolean => {
    const { weight, writes } = weightOf(at, unrecorded.isSampled())
    const elsewhere = areasOf([...suspicions.values()].map((one) => one.first.deviation)).size - 1
    const enough = enoughFor(held.get(deviation.clause) ?? 0, elsewhere)
    const isUnlikely =
      weight >= enough && writes > mostMissing(at.find(({ isLost }) => isLost) ?? (at[0] as Place), state)
    return undone.size > elsewhere || weight === Number.POSITIVE_INFINITY || isUnlikely
  }
  return {
    /** Takes in a refused creation that no quota explains, as a later one shows. A removal between the two may still be missing. */
    hearUnexcused: ({ sent, refused, trail }: RefusedCreation, later: Judged): void => {
      const calls = later.n - sent.n
      const mayLack = beforeOf(sent) !== undefined && isAllowed(sent.judgement.world.environment, gap)
      const nearness = mayLack ? nearnessOver(calls) : surely
      for (const one of refused) suspect(() => ({ deviation: one, trail, adding: {} }), sent, nearness, one)
    },
    /** The deviations of a step that count at once. */
    hear: (step: Judged, trailOf: () => Trail, adding: Adding, look: Observe): readonly Deviation[] => {
      for (const clause of new Set(step.held)) held.set(clause, (held.get(clause) ?? 0) + 1)
      state.pace = paceAfter(state.pace, step)
      unrecorded.hear(step)
      noteUndone(step, look)
      if (isWrite(step)) {
        state.writes = [...state.writes.slice(1 - mostWrites), step]
        written.set(step.op, (written.get(step.op) ?? 0) + 1)
      }
      const { deviations: spotted, judgement } = step
      if (spotted.every(isTold) || !isAllowed(judgement.world.environment, gap)) return spotted
      const { nearnessOf, brokenAnyway } = nearnessesOf(step, look)
      return spotted.flatMap((deviation): readonly Deviation[] => {
        const near = isTold(deviation) ? undefined : isKnownWell(deviation) ? farthest : nearnessOf(deviation)
        const nearness = near && nearnessAt(state.pace, near)
        if (nearness) suspect(() => ({ deviation, trail: trailOf(), adding }), step, nearness, deviation)
        return nearness === undefined ? [deviation] : brokenAnyway(deviation)
      })
    },
    /** The steps, with the deviations that were held back and then counted, and with what was assumed of the others. */
    close: (steps: readonly Judged[]): readonly Judged[] => {
      for (const one of [...suspicions.values()].filter(isEnough))
        finder.add([one.first.deviation], () => one.first.trail, one.first.adding)
      return told(steps, [...suspicions.values()], isTold)
    },
    /** A copy that goes on from here and reports to another finder. */
    fork: (other: Finder) => createGapFilter(other, { ...forked(state), unrecorded: unrecorded.fork() }),
  }
}

const areasOf = (deviations: readonly Deviation[]): ReadonlySet<string | undefined> =>
  new Set(deviations.map(({ operation }) => operationById(operation)?.area))

/**
 * The weight of all places together, and how many writes would have to be missing for them. One gap may explain any deviation before a
 * call, or that rests on calls before it: of those the heaviest counts. Where a recording lacks much, what undoes a write right after it
 * is as likely to be missing as all else.
 */
const weightOf = (at: readonly Place[], isSampled: boolean): { readonly weight: number; readonly writes: number } => {
  let sum = 0
  let writes = 0
  let last = { n: 0, weight: 0 }
  for (const { n, nearness, isLost } of at) {
    const weight = isLost && !isSampled ? nearness.weightIfLost : nearness.weight
    const isApart = n - nearness.calls >= last.n
    const beyond = isApart ? weight : weight - last.weight
    if (!(beyond > 0)) continue
    if (isApart || writes === 0) writes += 1
    sum += beyond
    last = { n, weight }
  }
  return { weight: sum, writes }
}

/**
 * Whether a deviation shows the state before an accepted write, or what a refused write asked for. A resource that still shows after its
 * removal may be another one with the same id, and is neither.
 */
const isLoss = ({ clause, kind }: Deviation): boolean =>
  kind !== 'still-there' && (isOneOf(clause, 'takes-effect') || isLeftover(clause))

const isLeftover = (clause: string): boolean => isOneOf(clause, 'refusal.unchanged')

/** Whether a write of a member shows as lost to which null brings back a value: for that a call need not know the value. */
const isLossOfResettable = ({ clause, operation, member }: Deviation): boolean => {
  const { reply } = operationById(operation) ?? {}
  if (!member || !reply || !('table' in reply) || !isOneOf(clause, 'takes-effect')) return false
  return reply.table.resets?.includes(member.name) === true
}

const isReset = ({ op, call }: Judged, { operation, member }: Deviation): boolean =>
  op.id === operation && member !== undefined && isObject(call.body) && call.body[member.name] === null

/**
 * Whether a missing reset may have undone a write before a look shows the old state. That takes about as long as the write did: a look
 * right after the write leaves no room for it.
 */
const mayBeReset = (deviation: Deviation, step: Judged, { calls }: Nearness, writes: Doubts['writes']): boolean => {
  const write = writes.findLast(({ n }) => n < step.n)
  if (!isLossOfResettable(deviation) || (write && isReset(write, deviation))) return false
  return !write || calls > 1 || step.startedAt - write.endedAt >= (write.endedAt - write.startedAt) / 2
}

/** How many writes may be missing that would explain a deviation, by those of the recording. */
const mostMissing = ({ deviation, isLost }: Place, { written, writes }: Pick<Doubts, 'written' | 'writes'>): number => {
  if (isLost && !isLeftover(deviation.clause)) return 0
  // A reset sends null: a recording without any may have had all of them filtered out.
  if (isLossOfResettable(deviation))
    return writes.filter((one) => isReset(one, deviation)).length || Number.POSITIVE_INFINITY
  const most = asManyAs(asJudged(deviation), written)
  return isLeftover(deviation.clause) && most < Number.POSITIVE_INFINITY ? 0 : most
}

/** What stands against a write, such as a label in use, may be gone by a removal or an update. Without any removal all may be missing. */
const asManyAsMakeRoom = (seen: Operation, written: Doubts['written']): number => {
  const about = operations.filter((op) => op.method !== 'GET' && op.makes === undefined && isAboutSame(op, seen))
  const timesOf = (some: readonly Operation[]) => some.reduce((sum, op) => sum + (written.get(op) ?? 0), 0)
  const removals = about.filter(({ removes }) => removes !== undefined)
  return removals.length > 0 && timesOf(removals) === 0 ? Number.POSITIVE_INFINITY : timesOf(about)
}

/**
 * How many writes a recording has of the kind that would have to be missing: no more of them than that are taken to be. If it has none,
 * all of them may have been left out, as by a filter: then it tells nothing how many would have to be missing.
 */
const asManyAs = ({ operation, clause, kind, member }: Deviation, written: Doubts['written']): number => {
  const seen = operationById(operation)
  // Something is there that was removed: a creation may have made another one with its id.
  const rule = clauseNamed(clause)?.kind
  const isPresence = kind === 'deleted' || kind === 'still-there' || rule === 'exists' || rule === 'names'
  if (!seen) return 0
  if (kind === 'accepted') return asManyAsMakeRoom(seen, written)
  // An id was given again, for which its first bearer has to be removed.
  const isGivenAgain = kind === 'not-new'
  const explains = (op: Operation): boolean => {
    if (isPresence) return op.makes !== undefined && isAboutSame(op, seen)
    if (kind === 'missing' || kind === 'refused' || isGivenAgain)
      return op.removes !== undefined && isAboutSame(op, seen)
    return member !== undefined && changesMember(op, member.name) && isAboutSame(op, seen)
  }
  const recorded = [...written].reduce((sum, [op, times]) => sum + (explains(op) ? times : 0), 0)
  return recorded > 0 || !operations.some(explains) ? recorded : Number.POSITIVE_INFINITY
}

const isLikeLook = ({ step }: Place, later: Judged): boolean =>
  later.op.method === 'GET' && later.n !== step.n && later.call.url === step.call.url && later.call.as === step.call.as

/** Whether a like look shows the belief from before the deviation: only two gaps that cancel each other would explain that. */
const isAsBefore = ({ deviation, step }: Place, later: Judged, look: Observe): boolean => {
  const before = beforeOf(step)
  if (!before) return false
  const back = changedBack(before, step, later, deviation)
  if (isOneOfFew(back, deviation)) return false
  const { held, deviations, assumed = [] } = look(before, back).judgement
  const { clause, kind } = deviation
  // What is there again and differs may be something else that was given its id.
  const isAbsence = kind === 'missing' || kind === 'refused'
  const isRight = deviations.every((one) => one.clause !== clause && !isAbsence)
  // A reply that is right only if others have changed something tells nothing.
  return assumed.length === 0 && held.includes(clause) && isRight
}

/**
 * Whether a member had nothing in between, or what a later look shows again is one of few values, or is what is left when something
 * else is removed. Clients switch to and fro, as by attaching and detaching, or by making and removing a tag, so that two missing
 * writes are likely that cancel each other. A text or a number in place of another would have to be sent again.
 */
const isOneOfFew = ({ op: { reply }, outcome }: Judged, { member }: Deviation): boolean => {
  if (!member || !('table' in reply) || !('body' in outcome)) return false
  const { table } = reply
  const { name, shown } = member
  const mayBeBack = (value: unknown) => isFew(table, name, value) || (isLess(value, shown) && isTakenOut(table, name))
  return shown === null || recordsIn(outcome.body).some((one) => name in one && mayBeBack(one[name]))
}

/** Whether all of a list is in another one. */
const isLess = (some: unknown, all: unknown): boolean =>
  Array.isArray(some) && Array.isArray(all) && some.every((one) => all.includes(one))

/** Whether removing something else takes it out of a member that holds it. */
const isTakenOut = (table: AnyTable, member: string): boolean =>
  operations.some(
    ({ removes, effects = [] }) =>
      removes !== undefined && effects.some((one) => one.table.name === table.name && one.field === member),
  )

const isFew = (table: AnyTable, member: string, value: unknown): boolean =>
  value === null ||
  typeof value === 'boolean' ||
  operations.some(
    ({ reply, body }) => 'table' in reply && reply.table === table && body?.properties[member]?.enum !== undefined,
  )

/** A later list, reduced to the records of entities that were known before the deviation. */
const changedBack = (before: Belief, step: Judged, later: Judged, { member }: Deviation): Judged => {
  const { reply } = step.op
  const [records, rows] = [step, later].map(rowsOf)
  if (!member || !('table' in reply) || !records?.some((one) => member.name in one) || !rows) return later
  const { name } = member
  const world = worldOf(before)
  const { table } = reply
  const keyOf = (row: WireRecord): string | undefined => table.identify(row, step.call.path, undefined)
  const shown = new Map(records.map((one) => [keyOf(one), one]))
  const data = rows.filter((row) => {
    const entity = find(world, table, keyOf(row) ?? '')
    const record = shown.get(keyOf(row))
    if (!entity || entity[name] === undefined || !record) return false
    const fits = (one: WireRecord) => agreement(world, table, entity, name, entity[name], one[name])
    return fits(record) === false && fits(row) === true
  })
  return { ...later, outcome: { ...later.outcome, body: { ...(later.outcome as { body: object }).body, data } } }
}

const rowsOf = ({ outcome }: Judged): readonly WireRecord[] | undefined => {
  const body = bodyOf(outcome)
  return isObject(body) && Array.isArray(body.data) ? body.data.filter(isObject) : undefined
}

/** The steps, with the deviations that came to count, and with what was assumed of the others. */
const told = (
  steps: readonly Judged[],
  suspicions: readonly Suspicion[],
  isTold: (deviation: Deviation) => boolean,
): readonly Judged[] => {
  const byStep = grouped(
    suspicions.flatMap(({ at }) => at),
    ({ n }) => n,
  )
  return steps.map((step) => {
    const all = byStep.get(step.n)
    if (!all) return step
    const counted = all.map(({ deviation }) => deviation).filter(isTold)
    if (counted.length > 0) return { ...step, verdict: 'finding', deviations: [...counted, ...step.deviations] }
    return { ...step, judgement: assuming(step.judgement, traceOf(gap, step.op.id)) }
  })
}
