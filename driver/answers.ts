// Counts calls without a reply, and asks whether the target still answers others; the oracle decides what that means.

import { isAccepted } from '../history/outcomes.js'
import type { Outcome } from '../history/wire.js'
import type { Operation } from '../models/language/operation.js'
import { isOfGateway, isOfProxy } from '../oracle/explanations/gateway.js'
import { isBarredByProxy, wayThrough } from './connections.js'
import type { Planned, SessionOptions } from './session.js'
import { whyUnasked } from './stored.js'

export interface Answers {
  /** Takes in the outcome of a call that was sent at that time. */
  readonly count: (planned: Planned, outcome: Outcome, at: number) => void
  /**
   * Where no reply came twice or for some seconds, sends calls that were answered before: they tell an operation that is silent from a
   * target that is. One that starts anew is given some time.
   */
  readonly see: (silent: Operation, send: (planned: Planned) => Promise<unknown>) => Promise<void>
  /** Resolves once that is known; other calls wait for it. */
  readonly seen: () => Promise<void> | undefined
  /** What is wrong with the target, once it has given none for long enough, or none to too many calls for as long; undefined before. */
  readonly gone: () => string | undefined
  /** Asks it no more, for this reason. */
  readonly giveUp: (why: string) => void
}

/** What came in place of a reply. */
export const silenceOf = (outcome: Outcome): string =>
  'lost' in outcome ? (outcome.detail ?? outcome.lost) : `status ${outcome.status}`

/** How long a target that gives no reply is left alone before it is asked again, at first and in the end; and how long it may give none. */
const firstPauseMs = 250
const longestPauseMs = 4000
/** Three calls that are given up after ten seconds each, which a target file has if it says nothing, may end just before 30 s. */
const patienceMs = 28_000
/** After so long without a reply it is asked, even if only one call was sent. */
const longMs = 5000
/** So many different reads are asked by turns. */
const mostAsked = 2
/** So many times in a row one may give no reply that has answered nothing yet, however long each of them takes. */
const mostUnanswered = 5
/** Where so many of the latest calls had no reply, hardly any program shows anything, and what writes have done is soon unknown. */
const latest = { fewest: 40, most: 100, lostOneIn: 4 }

/** Where so many operations answer 304 to calls that were not conditional, a cache before the target is the reason; one may do so by itself. */
const mostUnasked = 3

const advice = 'see that it is up, and what stands before it'

const adviceOn = (loss: Outcome): string =>
  ('lost' in loss ? isBarredByProxy(loss.detail) : isOfProxy(loss))
    ? `a proxy on the way wants credentials: ${wayThrough}`
    : advice

/** Whether the target itself gave no reply. A reply that it is asked too often is one. */
export const isUnanswered = (outcome: Outcome): boolean =>
  'lost' in outcome || (isOfGateway(outcome.status) && outcome.status !== 429) || isOfProxy(outcome)

export const createAnswers = ({ clock, sleep, time }: Pick<SessionOptions, 'clock' | 'sleep' | 'time'>): Answers => {
  /** How many times in a row no reply came. Calls that were under way together count once. */
  let unanswered = 0
  let lastLoss: Outcome = { status: 0 }
  let lastLossAt = 0
  /** Since when there was no reply, and when the last one came. */
  let silentSince = 0
  let answeredAt = 0
  let gone: string | undefined
  let seen: Promise<void> | undefined
  /** The latest read of each area that was answered, the latest one last. */
  const answered = new Map<string, Planned>()

  const losing = createShare(clock)
  const countUnasked = createUnasked()

  const silentMs = (): number => (unanswered === 0 ? 0 : clock() - silentSince)

  /** Those of other areas first, for an area may have fallen silent as a whole. */
  const readsBeside = (silent: Operation): readonly Planned[] =>
    [...answered.values()]
      .reverse()
      .filter(({ op }) => op !== silent)
      .sort((a, b) => Number(a.op.area === silent.area) - Number(b.op.area === silent.area))
      .slice(0, mostAsked)

  /** By turns, for one of them may have fallen silent too. A target that has answered nothing yet is left alone: the next call asks it. */
  const ask = async (silent: Operation, send: (planned: Planned) => Promise<unknown>): Promise<void> => {
    const others = readsBeside(silent)
    if (others.length === 0) return rest()
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      for (const other of others) {
        await send(other)
        if (unanswered === 0 || time?.isOver()) return
      }
      if (silentMs() > patienceMs) break
      await sleep(pauseMs)
    }
    gone ??= given()
  }

  const given = (): string => `gave no answer any more (the last: ${silenceOf(lastLoss)}): ${adviceOn(lastLoss)}`

  const rest = async (): Promise<void> => {
    if (unanswered >= mostUnanswered && silentMs() > patienceMs) gone ??= given()
    else await sleep(Math.min(firstPauseMs * 2 ** (unanswered - 1), longestPauseMs))
  }

  const countLoss = (outcome: Outcome, at: number): void => {
    if (unanswered === 0) silentSince = Math.max(at, answeredAt)
    if (unanswered === 0 || at >= lastLossAt) {
      unanswered += 1
      lastLossAt = clock()
    }
    lastLoss = outcome
  }

  return {
    count: (planned, outcome, at) => {
      const isLoss = isUnanswered(outcome)
      if (isLoss) countLoss(outcome, at)
      gone ??= countUnasked(planned, outcome)
      const share = losing(planned.op.id, isLoss)
      if (share)
        gone ??= `gave no answer to ${share} for half a minute (the last: ${silenceOf(lastLoss)}): ${adviceOn(lastLoss)}`
      if (isLoss) return
      unanswered = 0
      answeredAt = clock()
      if (planned.op.method !== 'GET' || !isAccepted(outcome)) return
      answered.delete(planned.op.area)
      answered.set(planned.op.area, planned)
    },
    see: async (silent, send) => {
      if (gone !== undefined || (unanswered < 2 && silentMs() < longMs)) return
      seen ??= ask(silent, send).finally(() => {
        seen = undefined
      })
      await seen
    },
    seen: () => seen,
    gone: () => gone,
    giveUp: (why) => {
      gone ??= why
    },
  }
}

/** Takes in an outcome; once too many operations have answered 304 to calls that were not conditional, tells which. */
const createUnasked = (): ((planned: Planned, outcome: Outcome) => string | undefined) => {
  const unasked = new Set<Operation>()
  return ({ op }, outcome) => {
    const why = whyUnasked(outcome)
    if (why === undefined) return undefined
    unasked.add(op)
    const all = [...unasked].map(({ method, path }) => `${method} ${path}`)
    return all.length < mostUnasked ? undefined : `answers ${all.join(', ')} with ${why}`
  }
}

/**
 * Takes in whether a call of an operation had no reply; once too many have had none for long enough, tells how many of the latest. An
 * operation that never comes back is silent by itself, which is told of it.
 */
const createShare = (clock: () => number): ((operation: string, isLoss: boolean) => string | undefined) => {
  const calls: { readonly operation: string; readonly isLoss: boolean }[] = []
  const lostOnce = new Set<string>()
  const cameBack = new Set<string>()
  let since: number | undefined
  return (operation, isLoss) => {
    if (isLoss) lostOnce.add(operation)
    else if (lostOnce.has(operation)) cameBack.add(operation)
    calls.push({ operation, isLoss })
    if (calls.length > latest.most) calls.shift()
    const lost = calls.filter((one) => one.isLoss && cameBack.has(one.operation)).length
    const isMuch = calls.length >= latest.fewest && lost * latest.lostOneIn >= calls.length
    since = isMuch ? (since ?? clock()) : undefined
    if (since === undefined || clock() - since <= patienceMs) return undefined
    return `${lost} of ${calls.length} calls`
  }
}
