// How long the pauses between recorded calls were: a call that is missing was sent in one that was long enough. Nothing is judged here.

import type { Entry } from '../../history/entry.js'
import { isAccepted } from '../../history/outcomes.js'
import { forked } from '../forked.js'
import { isWrite } from '../writes.js'

/** Calls from a certain one on, between which no pause was longer than so many milliseconds. */
interface Stretch {
  readonly from: number
  readonly longestMs: number
}

const nothingHeard = () => ({
  /** When all calls so far were surely over, by the clock of the latest. */
  over: Number.NEGATIVE_INFINITY,
  clock: undefined as number | undefined,
  /** Whether no two calls were surely under way at the same time. */
  isInTurn: true,
  writes: 0,
  /** How long the shortest accepted write took at least. */
  shortestWriteMs: Number.POSITIVE_INFINITY,
  shortestMs: Number.POSITIVE_INFINITY,
  longestMs: Number.NEGATIVE_INFINITY,
  stretch: { from: 0, longestMs: 0 } as Stretch,
  /** By the number of the latest call, of those that were noted last. */
  stretches: new Map<number, Stretch>(),
})

/** A missing write is taken to have needed at least this part of the time of the shortest recorded one. */
const part = 0.5

/** So many writes tell how long one takes. */
const leastWrites = 8

/** Pauses that differ by less may be those of times that somebody made up. */
const leastSpreadMs = 2

const surelyOf = (event: Entry) => (event.kind === 'call' ? event.surely : undefined)

const clockOf = (event: Entry): number | undefined => (event.kind === 'hook' ? undefined : event.own?.clock)

/** Pauses are as long as they may have been, and writes as short, since times are rounded. */
export const createPauses = (state = nothingHeard()) => {
  const noteWrite = (event: Entry): void => {
    if (event.kind !== 'call' || !isWrite(event) || !isAccepted(event.outcome)) return
    const { surely } = event
    state.writes += 1
    state.shortestWriteMs = Math.min(state.shortestWriteMs, surely ? surely.to - surely.from : 0)
  }
  const notePause = (event: Entry): void => {
    const surely = surelyOf(event)
    const clock = clockOf(event)
    const ms = surely && clock === state.clock ? surely.from - state.over : Number.POSITIVE_INFINITY
    const { from, longestMs } = state.stretch
    const isLongEnough = ms >= part * state.shortestWriteMs
    state.isInTurn &&= ms >= 0
    state.shortestMs = Math.min(state.shortestMs, ms)
    state.longestMs = Math.max(state.longestMs, ms)
    state.stretch = isLongEnough ? { from: event.n, longestMs: 0 } : { from, longestMs: Math.max(longestMs, ms) }
    state.over = Math.max(state.over, surely?.to ?? event.endedAt)
    state.clock = clock
  }
  return {
    /** Takes in calls in the order in which they were sent. */
    note: (events: readonly Entry[]): void => {
      state.stretches = new Map()
      for (const event of events) {
        notePause(event)
        noteWrite(event)
        state.stretches.set(event.n, state.stretch)
      }
    },
    /**
     * The longest pause in the calls up to one of those noted last, as far back as there was none for another; undefined where something
     * before them may be the reason.
     */
    upTo: (n: number, isLeft: (from: number) => boolean): number | undefined => {
      const stretch = state.stretches.get(n)
      return stretch && isLeft(stretch.from) ? stretch.longestMs : undefined
    },
    /** Whether a pause was too short for a write, where one client sent all calls, each when those before had been answered. */
    isTooShort: (ms: number): boolean =>
      state.isInTurn &&
      state.writes >= leastWrites &&
      state.longestMs - state.shortestMs > leastSpreadMs &&
      ms < part * state.shortestWriteMs,
    fork: () => createPauses(forked(state)),
  }
}
