// When the next request may be sent: the pace of the target file, and pauses that the target asks for; it never waits itself.

export interface Limiter {
  /** Takes the next slot; returns how many milliseconds away it is. */
  readonly reserve: () => number
  /** No slot is given for so many milliseconds. */
  readonly hold: (ms: number) => void
}

/** How far a late timer may be caught up with. */
const slackMs = 20

/** @param perSecond the most slots in a second, evenly spaced; no bound when undefined */
export const createLimiter = (
  perSecond: number | undefined,
  clock: () => number = () => performance.now(),
): Limiter => {
  const intervalMs = perSecond === undefined ? 0 : 1000 / perSecond
  let nextAt = clock()
  return {
    reserve: () => {
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
