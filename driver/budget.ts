// What a run may spend, beside its programs, on what it has found already, so that it ends soon however much that is.

import type { Phase } from '../history/phases.js'

/** So much may be spent in any case, and of what all else takes a share. */
const least = { requests: 600, ms: 60_000 }
const share = { requests: 1, ms: 1 / 2 }
/** Programs that are sent again to make findings plainer: for one finding, for how many that are alike, and in a run. */
const plainer = { ofOne: 24, alike: 3, ofAll: 120, longestMs: 10_000 }
/** Milliseconds that may go into finding the fewest calls by what was recorded: for one finding, and in a run. */
const shrinking = { ofOneMs: 10_000, ofAllMs: 120_000 }

/** Calls that tell more of what was found already. */
const isExtra = (phase: Phase | undefined): boolean => phase === 'confirm' || phase === 'trial' || phase === 'again'

/** Nothing spent yet. */
export const createBudget = () => {
  const requests = { own: 0, extra: 0 }
  const alike = new Map<string, number>()
  let extraMs = 0
  let isUnderWay = false
  let triesOfAll = 0
  let shrinkingMs = 0
  /** @param now milliseconds since the run began */
  const isSpent = (now: number): boolean =>
    requests.extra > least.requests + share.requests * requests.own || extraMs > least.ms + share.ms * (now - extraMs)
  return {
    count: (phase: Phase | undefined): void => {
      requests[isExtra(phase) ? 'extra' : 'own'] += 1
    },
    /** Does what tells more of what was found, or shows it again, and counts how long that takes. */
    during: async <T>(clock: () => number, what: () => Promise<T>): Promise<T> => {
      if (isUnderWay) return what()
      isUnderWay = true
      const from = clock()
      try {
        return await what()
      } finally {
        isUnderWay = false
        extraMs += clock() - from
      }
    },
    /** Whether what is found from now on is shown again in no more than two ways, and what shows nothing else is not run again. */
    isSpent,
    /** Whether a finding may be made plainer: those that are alike mostly have one cause, which the plainest of them tells. */
    mayBePlainer: (kind: string, now: number): boolean => {
      const times = (alike.get(kind) ?? 0) + 1
      alike.set(kind, times)
      return times <= plainer.alike && !isSpent(now)
    },
    /** Counts the programs that are sent again for one finding: whether there may be one more. */
    tries: (clock: () => number): (() => boolean) => {
      const until = clock() + plainer.longestMs
      let ofOne = 0
      return () => {
        if (ofOne >= plainer.ofOne || triesOfAll >= plainer.ofAll || clock() > until) return false
        ofOne += 1
        triesOfAll += 1
        return true
      }
    },
    shrinkingLeftMs: (): number => Math.min(shrinking.ofOneMs, shrinking.ofAllMs - shrinkingMs),
    shrank: (ms: number): void => {
      shrinkingMs += ms
    },
  }
}
