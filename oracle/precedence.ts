// Which of the calls that overlap may come next in an order, and in which sets of them every order has to be tried; pure.

import type { Known, OwnTime, Turn } from '../history/entry.js'
import { areIndependent } from './independence.js'
import type { Observation } from './judgement.js'

/** An order so far: the calls that it has taken of those that some order has yet to take. */
export interface Order {
  readonly ahead: ReadonlySet<number>
}

/** A call with the time in which it took effect, if it did. Times have any unit and any origin. */
export interface TimedCall {
  readonly observation: Observation
  readonly startedAt: number
  readonly endedAt: number
  readonly turn?: Turn
  readonly own?: OwnTime
  readonly known?: Known
}

/** The call with that number. */
export const at = (calls: readonly TimedCall[], i: number): TimedCall => calls[i] as TimedCall

/** Calls that may come next: those before whose start no other call that is left has ended, and whose turn it is. */
export const nextOf = (calls: readonly TimedCall[], left: readonly number[], { ahead }: Order): readonly number[] => {
  const next: number[] = []
  let firstEnd = Number.POSITIVE_INFINITY
  for (const i of left) {
    const { startedAt, endedAt } = at(calls, i)
    if (startedAt > firstEnd) break
    if (ahead.has(i)) continue
    next.push(i)
    firstEnd = Math.min(firstEnd, endedAt)
  }
  const waits = (i: number): boolean => next.some((other) => isBefore(at(calls, other), at(calls, i)))
  return next.filter((i) => at(calls, i).startedAt <= firstEnd && !waits(i)).sort((a, b) => a - b)
}

/**
 * A stubborn set of calls that may come next: one of them has to come before anything related to any of them, and calls outside of the
 * set may as well come later. Sets that were begun are finished first, so that differing orders soon have taken the same calls.
 */
export const tangled = (
  calls: readonly TimedCall[],
  left: readonly number[],
  { ahead }: Order,
  next: readonly number[],
): readonly number[] => {
  const isBegun = (i: number): boolean =>
    [...ahead].some((j) => !areIndependent(at(calls, j).observation, at(calls, i).observation))
  const first = next.find(isBegun) ?? next[0]
  return first === undefined
    ? next
    : tangle(
        calls,
        left.filter((i) => !ahead.has(i)),
        next,
        first,
      )
}

/** Of all calls that are related to each other, from the first one on, those that may come next. */
const tangle = (
  calls: readonly TimedCall[],
  open: readonly number[],
  next: readonly number[],
  first: number,
): readonly number[] => {
  const enabled = new Set(next)
  const all = new Set([first])
  /** The calls that a call which may not come next is waiting for. */
  const addAwaited = (one: TimedCall): void => {
    const awaited = next.filter((j) => at(calls, j).endedAt < one.startedAt || isBefore(at(calls, j), one))
    if (awaited[0] !== undefined && !awaited.some((j) => all.has(j))) all.add(awaited[0])
  }
  const addTied = (one: TimedCall): void => {
    for (const j of open) {
      const other = at(calls, j)
      if (other.startedAt > one.endedAt) return
      if (!all.has(j) && !isBefore(one, other) && !areIndependent(one.observation, other.observation)) all.add(j)
    }
  }
  for (const i of all) {
    if (enabled.has(i)) addTied(at(calls, i))
    else addAwaited(at(calls, i))
  }
  return next.filter((i) => all.has(i))
}

type Timed = Pick<TimedCall, 'turn' | 'own' | 'known'>

/**
 * Whether a call had been answered before another was sent, as far as turns, or times by one clock, tell; or took effect before, as it made
 * what the other uses.
 */
export const isBefore = (one: Timed, other: Timed): boolean =>
  (one.turn !== undefined && one.turn.lane === other.turn?.lane && one.turn.at < other.turn.at) ||
  (one.own !== undefined && one.own.clock === other.own?.clock && one.own.to < other.own.from) ||
  (one.known?.made !== undefined && other.known?.uses.has(one.known.made) === true)
