// When the next request may be sent: the pace of the target file, and pauses that the target asks for; it never waits itself.

export interface Limiter {
  /** Takes the next slot; returns how many milliseconds away it is. */
  readonly reserve: () => number
  /** No slot is given for so many milliseconds. */
  readonly hold: (ms: number) => void
  /**
   * Makes slots rarer, as the target takes fewer. Where nothing asks for it again, they become as many as before in time.
   * @param mostMs how far apart they are at most
   */
  readonly slow: (mostMs?: number) => void
}

/** How far slots are apart at least once they were made rarer, and at most. */
const slowMs = { least: 10, most: 40 }
/** How much rarer they are made, so long after the last time, and how much less rare after so many. */
const slower = 1.5
const slowerEveryMs = 1000
const quicker = 1.1
const quickerEvery = 150

/** How far a late timer may be caught up with. */
const slackMs = 20

/** @param perSecond the most slots in a second, evenly spaced; no bound when undefined */
export const createLimiter = (
  perSecond: number | undefined,
  clock: () => number = () => performance.now(),
): Limiter => {
  const fullMs = perSecond === undefined ? 0 : 1000 / perSecond
  let intervalMs = fullMs
  let nextAt = clock()
  let slowedAt = Number.NEGATIVE_INFINITY
  let since = 0
  const recover = (): void => {
    since += 1
    if (intervalMs <= fullMs || since % quickerEvery !== 0) return
    const lessMs = intervalMs / quicker
    intervalMs = lessMs < Math.max(fullMs, slowMs.least) ? fullMs : lessMs
  }
  return {
    slow: (mostMs = slowMs.most) => {
      const now = clock()
      if (now - slowedAt < slowerEveryMs) return
      slowedAt = now
      since = 0
      intervalMs = Math.max(intervalMs, Math.min(mostMs, Math.max(slowMs.least, slower * intervalMs)))
    },
    reserve: () => {
      recover()
      const now = clock()
      const at = Math.max(nextAt, now - slackMs)
      nextAt = at + intervalMs
      return Math.max(0, at - now)
    },
    hold: (ms) => {
      nextAt = Math.max(nextAt, clock() + ms)
    },
  }
}
