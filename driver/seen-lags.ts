// How long changes take to show, as far as a run has seen it, and how long it waits for the next one; sends nothing.

import type { Operation } from '../models/language/operation.js'
import type { Sent } from './session.js'

/** A little more time than was seen to be enough. */
export const margin = 1.25
export const marginMs = 5
/** The shortest wait, however many were in vain: so long, and so many times as long as anything has been seen to take. */
const leastMs = 1000
const leastTimes = 2
/** So many times shorter is the next wait for what the same operation changes, after one in vain. */
const shorter = 4
/** So are all first waits, each time so many more operations were waited for in vain. */
const mostUnseen = 4
/** Once half of the latest so many calls that did not wait came too early, calls wait; one in so many still does not, to see whether that has ended. */
const mostEarly = 8

export type Late = NonNullable<Sent['judgement']['late']>

/** What may be late, with a time of its own for each. */
type Sight = 'list' | 'record' | 'write'

const sightOf = ({ method, reply }: Operation): Sight => {
  if (method !== 'GET') return 'write'
  return reply.kind === 'page' || reply.kind === 'records' ? 'list' : 'record'
}

export type SeenLags = ReturnType<typeof createSeenLags>

type Seen = `${Operation['area']} ${Sight}`
const seenBy = ({ area }: Operation, sight: Sight): Seen => `${area} ${sight}`

/** @param settleMs how long a change may take to show, in milliseconds */
export const createSeenLags = (settleMs: number) => {
  /** The longest waits, in milliseconds: by what looked, in each area for itself, and by what had changed. */
  const bySight = new Map<Seen, number>()
  const byChange = new Map<string, number>()
  /** How long the next change by each operation or hook is waited for, after waits that were in vain. */
  const inVain = new Map<string, number>()
  /** The operations and hooks whose changes came and went until the time was over. */
  const wavering = new Set<string>()
  let longestMs = 0
  /** The same without guesses. */
  let surelyMs = 0
  /** Of the latest calls that were sent earlier than changes were seen to take, whether each came too early. */
  let early: readonly boolean[] = []
  /** How many calls were due to wait since then. */
  let waits = 0
  const afterVain = (by: string): number => inVain.get(by) ?? settleMs / shorter ** Math.floor(inVain.size / mostUnseen)
  return {
    /**
     * Whether so long is not waited for: what was late once may have been so by chance, so half of the calls that were sent earlier have to
     * have been late. A call that comes too early after all is sent again.
     */
    isTooLong: (knownMs: number, isSure: boolean): boolean => {
      if (knownMs <= leastMs) return false
      if (2 * early.filter((isLate) => isLate).length < mostEarly) return true
      // Nothing asks again for what a refused call may have changed.
      if (!isSure) return false
      waits += 1
      return waits % mostEarly === 0
    },
    noteEarly: ({ judgement: { late } }: Sent): void => {
      early = [...early.slice(1 - mostEarly), late !== undefined]
    },
    /** The longest wait for what an operation or a hook has changed. */
    patienceMs: (by: string) => Math.min(settleMs, Math.max(leastMs, afterVain(by), leastTimes * longestMs)),
    /**
     * Notes a wait that was in vain, so that the next one for what the same has changed is shorter. One in which the change came and went is
     * so from the second on: the first may have met what others changed meanwhile.
     */
    lose: (by: string, cameAndWent = false): void => {
      if (cameAndWent && !wavering.has(by)) wavering.add(by)
      else inVain.set(by, afterVain(by) / shorter)
    },
    isNews: ({ by, ageMs }: Late): boolean => ageMs > margin * (byChange.get(by) ?? -marginMs) + marginMs,
    /** What did not show amid many changes is a guess, which teaches no much longer wait than has been seen for certain. */
    learn: (op: Operation, { by, isGuess }: Late, ageMs: number): void => {
      if (!isGuess) surelyMs = Math.max(surelyMs, ageMs)
      else if (ageMs > leastTimes * surelyMs) return
      longestMs = Math.max(longestMs, ageMs)
      byChange.set(by, Math.max(byChange.get(by) ?? 0, ageMs))
      // What is made at last may have been refused for want of room: other writes need not wait for that.
      if (op.makes) return
      const seen = seenBy(op, sightOf(op))
      bySight.set(seen, Math.max(bySight.get(seen) ?? 0, ageMs))
    },
    /** Forgets how long reads were waited for that were not late, but right and wrong by turns. */
    forget: (op: Operation): void => void bySight.delete(seenBy(op, sightOf(op))),
    /** Lists are never quicker than views, and writes never slower than views. One area may have a copy of its own that lags. */
    usualOf: (op: Operation, sight: Sight = sightOf(op)): number => {
      const own = bySight.get(seenBy(op, sight)) ?? 0
      if (sight === 'record') return own
      const record = bySight.get(seenBy(op, 'record')) ?? 0
      if (sight === 'list') return Math.max(own, record)
      // A write may have been refused for longer because the entity was not at rest yet, or was busy for a moment long after the change.
      return Math.min(own, Math.max(record, bySight.get(seenBy(op, 'list')) ?? 0) || leastMs)
    },
  }
}
