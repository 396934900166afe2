// Time that passes only while nothing is to be done, and a target far away in it: waiting costs nothing, and is the same each time.

import { setImmediate as idle } from 'node:timers/promises'
import type { SessionOptions } from '../driver/session.js'

export type Afar = ReturnType<typeof createAfar>

/** @param delayMs how long the next call or reply is on its way */
export const createAfar = (delayMs: () => number) => {
  const timers: { readonly at: number; readonly ring: () => void }[] = []
  let now = 0
  let isTicking = false

  /** Lets whoever has something to do go on, then moves the clock to the next timer. */
  const tick = async (): Promise<void> => {
    isTicking = true
    while (timers.length > 0) {
      for (let turn = 0; turn < 3; turn += 1) await idle()
      const next = timers.reduce((one, other) => (other.at < one.at ? other : one))
      timers.splice(timers.indexOf(next), 1)
      now = next.at
      next.ring()
    }
    isTicking = false
  }

  const sleep = (ms: number): Promise<void> =>
    new Promise((ring) => {
      timers.push({ at: now + ms, ring })
      if (!isTicking) void tick()
    })

  return {
    now: (): number => now,
    sleep,
    /** The session's options with every call on its way so long before it arrives, and its reply so long again. */
    adapt: (options: SessionOptions): SessionOptions => ({
      ...options,
      sleep,
      clock: () => now,
      transport: {
        send: async (call, step) => {
          await sleep(delayMs())
          const outcome = await options.transport.send(call, step)
          await sleep(delayMs())
          return outcome
        },
      },
    }),
  }
}
