// What goes wrong between a client and the embedded target by request: delays, refusals of a gateway, broken connections.

import { generator } from './random.js'

/** How long replies are held back after the call has taken effect, in milliseconds, more or less by `spreadMs`. */
export interface Latency {
  readonly ms: number
  readonly spreadMs?: number
}

export interface Disturbance {
  /**
   * `429` and `503`: the call is answered so and has no effect. `reset`: the connection breaks off before the call has
   * an effect. `lost`: the call has its effect, then the connection breaks off.
   */
  readonly kind: '429' | '503' | 'reset' | 'lost'
  /** Operation id, or a part of it with `*` for any text; every operation when left out. */
  readonly operation?: string
  /** How many calls it meets; every one until it is taken away when left out. */
  readonly times?: number
  /** The share of calls that it meets, above 0 and up to 1; all of them when left out. */
  readonly share?: number
  /** Seconds that the header Retry-After of a 429 or 503 names; no such header when left out. */
  readonly retryAfter?: number
}

export type Disturbances = ReturnType<typeof createDisturbances>

export const createDisturbances = (seed: number, first: Latency = { ms: 0 }) => {
  const random = generator(seed)
  let latency = first
  let waiting: readonly Disturbance[] = []
  return {
    add: (disturbance: Disturbance): void => {
      waiting = [...waiting, disturbance]
    },
    clear: (): void => {
      waiting = []
    },
    /** Those that are still to meet a call, with the times that are left. */
    all: (): readonly Disturbance[] => waiting,
    /** The first one that meets this call; it is counted. */
    next: (operation: string): Disturbance | undefined => {
      const met = waiting.find(
        (one) => isMeant(one.operation, operation) && (one.share === undefined || random() < one.share),
      )
      if (met?.times !== undefined)
        waiting = waiting.flatMap((one) =>
          one !== met ? [one] : (one.times ?? 0) > 1 ? [{ ...one, times: (one.times ?? 0) - 1 }] : [],
        )
      return met
    },
    setLatency: (next: Latency): void => {
      latency = next
    },
    latency: (): Latency => latency,
    /** How long to hold back the next reply, in milliseconds. */
    delayMs: (): number => {
      const { ms, spreadMs = 0 } = latency
      return spreadMs === 0 ? ms : Math.max(0, ms + (random() * 2 - 1) * spreadMs)
    },
  }
}

const isMeant = (glob: string | undefined, operation: string): boolean =>
  glob === undefined ||
  new RegExp(`^${glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`).test(operation)
