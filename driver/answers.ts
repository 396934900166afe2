// Counts calls without a reply, and asks whether the target still answers others; the oracle decides what that means.

import { isAccepted } from '../history/outcomes.js'
import type { Outcome } from '../history/wire.js'
import type { Operation } from '../models/language/operation.js'
import { isOfGateway } from '../oracle/explanations/gateway.js'
import type { Planned, SessionOptions } from './session.js'

export interface Answers {
  /** Takes in the outcome of a call that was sent at that time. */
  readonly count: (planned: Planned, outcome: Outcome, at: number) => void
  /** How many times in a row no reply came. Calls that were under way together count once. */
  readonly unanswered: () => number
  /** Why the last of them had no reply. */
  readonly lastLoss: () => string
  /**
   * Where no reply came twice, sends a call that was answered before: it tells an operation that is silent from a target that is. One
   * that starts anew is given some time.
   */
  readonly see: (silent: Operation, send: (planned: Planned) => Promise<unknown>) => Promise<void>
  /** Resolves once that is known; other calls wait for it. */
  readonly seen: () => Promise<void> | undefined
  /** Whether it has been asked for long enough, and has answered nothing since. */
  readonly isGone: () => boolean
}

/** How long a target that gives no reply is left alone before it is asked again, at first and in the end, and for how long it is asked. */
const firstPauseMs = 250
const longestPauseMs = 4000
const patienceMs = 30_000
/** So many more calls are sent to one that has not answered for all that time. */
const mostInVain = 3

/** Whether the target itself gave no reply. A reply that it is asked too often is one. */
export const isUnanswered = (outcome: Outcome): boolean =>
  'lost' in outcome || (isOfGateway(outcome.status) && outcome.status !== 429)

export const createAnswers = ({ clock, sleep, time }: Pick<SessionOptions, 'clock' | 'sleep' | 'time'>): Answers => {
  let unanswered = 0
  let lastLoss = ''
  let lastLossAt = 0
  let seen: Promise<void> | undefined
  /** How many calls had no reply since it was asked in vain. */
  let inVain: number | undefined
  /** The latest reads that were answered, of two operations. */
  let answered: readonly Planned[] = []

  const ask = async (silent: Operation, send: (planned: Planned) => Promise<unknown>): Promise<void> => {
    const other = answered.find(({ op }) => op !== silent)
    if (!other) return
    const until = clock() + patienceMs
    for (let pauseMs = firstPauseMs; clock() < until; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      await send(other)
      if (unanswered === 0 || time?.isOver()) return
      await sleep(pauseMs)
    }
    inVain = 0
  }

  const countLoss = (outcome: Outcome, at: number): void => {
    if (inVain !== undefined) inVain += 1
    if (unanswered === 0 || at >= lastLossAt) {
      unanswered += 1
      lastLossAt = clock()
    }
    lastLoss = 'lost' in outcome ? (outcome.detail ?? outcome.lost) : `status ${outcome.status}`
  }

  return {
    count: (planned, outcome, at) => {
      if (isUnanswered(outcome)) return countLoss(outcome, at)
      unanswered = 0
      inVain = undefined
      if (planned.op.method === 'GET' && isAccepted(outcome) && answered[0]?.op !== planned.op)
        answered = [planned, ...answered.slice(0, 1)]
    },
    unanswered: () => unanswered,
    lastLoss: () => lastLoss,
    see: async (silent, send) => {
      if (unanswered < 2 || inVain !== undefined) return
      seen ??= ask(silent, send).finally(() => {
        seen = undefined
      })
      await seen
    },
    seen: () => seen,
    isGone: () => inVain !== undefined && inVain >= mostInVain,
  }
}
