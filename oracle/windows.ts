// Calls that overlap in time, cut and put in order: what is judged together, and how; nothing is kept from one window to the next.

import type { CallEntry, Entry, Surely } from '../history/entry.js'
import { operationById } from '../models/index.js'
import type { Belief } from './belief.js'
import { isWrite } from './explanations/lag.js'
import { overlapping } from './explanations/overlap.js'
import { undecided } from './guarded.js'
import { groupsOf } from './independence.js'
import type { Judgement } from './judgement.js'
import { isBefore, linearize } from './linearize.js'
import type { Observe } from './shrink.js'

export interface JudgedGroup {
  /** Undefined where the calls could not be put in order. */
  readonly belief: Belief | undefined
  /** In the order in which they explain each other. */
  readonly calls: readonly CallEntry[]
  readonly judgements: readonly Judgement[]
}

export interface Looks {
  /** How calls are taken in that no write was sent beside. */
  readonly look: Observe
  /** How others are. */
  readonly beside: Observe
  readonly first: () => Belief
}

/** Judges calls that overlap; reads alone are as good in one order as in another, while no lost write may land between them. */
export const judgeGroup = (
  belief: Belief,
  calls: readonly CallEntry[],
  { look, beside, first }: Looks,
): JudgedGroup => {
  const isSettled = belief.hypotheses.every(({ pending }) => pending.length === 0)
  if (calls.length < 2 || (isSettled && calls.every(({ op }) => op.method === 'GET'))) {
    let after = belief
    const judgements = calls.map((event) => {
      const observed = beside(after, event, operationById)
      after = observed.belief
      return observed.judgement
    })
    return { belief: after, calls, judgements }
  }
  const timed = calls.map((event) => ({ observation: event, ...event }))
  const { verdict, order, judgements, belief: after } = linearize(belief, timed, operationById, { observe: beside })
  if (verdict === 'inconclusive') {
    const alone = overlapping(look)
    return { belief: undefined, calls, judgements: calls.map((event) => inItself(event, belief, first(), alone)) }
  }
  return {
    belief: after,
    calls: order.map((i) => calls[i] as CallEntry),
    judgements: order.map((i) => judgements[i] as Judgement),
  }
}

/** Takes in those calls with reserve that were sent at the same time as a write; the others may only seem to be, for their times are not exact. */
export const besideOthers = (calls: readonly CallEntry[], look: Observe): Observe => {
  const beside = new Set(
    calls
      .filter((one) => calls.some((other) => other !== one && isWrite(other) && areTogether(one, other)))
      .map(({ n }) => n),
  )
  const reserved = overlapping(look)
  return (belief, observation, lookup) => (beside.has(observation.n) ? reserved : look)(belief, observation, lookup)
}

const areTogether = (one: CallEntry, other: CallEntry): boolean => {
  const [a, b] = [one, other].map(({ surely, startedAt, endedAt }) => surely ?? { from: startedAt, to: endedAt }) as [
    Surely,
    Surely,
  ]
  return a.from <= b.to && b.from <= a.to
}

/** What is wrong with a call whatever came before it. */
const inItself = (event: CallEntry, belief: Belief, afresh: Belief, look: Observe): Judgement => {
  const { deviations, verdict } = look(afresh, event, operationById).judgement
  return { ...undecided(belief), deviations, verdict: deviations.length > 0 ? verdict : 'inconclusive' }
}

/** Events cut where all that were sent before were over; a hook stands alone. */
export const windowsOf = (events: readonly Entry[]): readonly (readonly Entry[])[] => {
  const windows: Entry[][] = []
  let last = -1
  for (const [i, event] of events.entries()) {
    const window = windows.at(-1)
    const isApart = i > last || event.kind === 'hook' || window?.[0]?.kind === 'hook'
    if (window && !isApart) window.push(event)
    else windows.push([event])
    last = Math.max(isApart ? i : last, lastBeside(events, i))
  }
  return windows
}

/** The calls of a window, in groups that have to be judged together, each after those that it may depend on. */
export const groupsIn = (calls: readonly CallEntry[]): readonly (readonly CallEntry[])[] =>
  calls.length > 1 ? groupsOf(calls, comesBefore) : [calls]

/** The place of the last event that may have been sent while this one was under way. */
const lastBeside = (events: readonly Entry[], i: number): number => {
  const one = events[i] as Entry
  let next = i + 1
  while ((events[next]?.startedAt ?? Number.POSITIVE_INFINITY) <= one.endedAt) next += 1
  for (let last = next - 1; last > i; last -= 1) if (!comesBefore(one, events[last] as Entry)) return last
  return i
}

const comesBefore = (one: Entry, other: Entry): boolean =>
  one.endedAt < other.startedAt || (one.kind !== 'hook' && other.kind !== 'hook' && isBefore(one, other))
