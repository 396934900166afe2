// What goes wrong between a client and the embedded target by request: delays, refusals of a gateway, broken connections.

import { Type } from '@sinclair/typebox'
import { operations } from '../models/index.js'
import { matchesGlob } from '../models/language/glob.js'
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

const kinds = ['429', '503', 'reset', 'lost'] as const

const closed = { additionalProperties: false } as const

/** An hour. */
export const mostLatencyMs = 3_600_000

/** What is a latency, where no compiler has seen it. */
export const latencySchema = Type.Object(
  {
    ms: Type.Number({ minimum: 0, maximum: mostLatencyMs, description: 'Milliseconds.' }),
    spreadMs: Type.Optional(
      Type.Number({ minimum: 0, maximum: mostLatencyMs, description: 'More or less by up to so many milliseconds.' }),
    ),
  },
  closed,
)

/** What is a disturbance, where no compiler has seen it. */
export const disturbanceSchema = Type.Object(
  {
    kind: Type.Union(
      kinds.map((kind) => Type.Literal(kind)),
      {
        title: `one of ${kinds.join(', ')}`,
        description:
          '429 and 503 are answered without effect; reset breaks off before the effect, lost after the effect.',
      },
    ),
    operation: Type.Optional(Type.String({ description: 'An operation id, or a part with *; all when left out.' })),
    times: Type.Optional(Type.Integer({ minimum: 1, description: 'So many calls; every one when left out.' })),
    share: Type.Optional(
      Type.Number({ exclusiveMinimum: 0, maximum: 1, description: 'The share of calls; all when left out.' }),
    ),
    retryAfter: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 1e9, description: 'Seconds that Retry-After names.' }),
    ),
  },
  closed,
)

/**
 * Whether the id of an operation is meant by a glob; every one when it is left out.
 * @throws Error where no operation is meant
 */
export const operationsLike = (glob = '*'): ((id: string) => boolean) => {
  if (!operations.some(({ id }) => matchesGlob(glob, id)))
    throw new Error(`no operation has an id like ${glob}; \`touchstone list operations\` shows all`)
  return (id) => matchesGlob(glob, id)
}

export type Disturbances = ReturnType<typeof createDisturbances>

export const createDisturbances = (seed: number, first: Latency = { ms: 0 }) => {
  const random = generator(seed)
  let latency = first
  let waiting: readonly Disturbance[] = []
  return {
    /** @throws Error where no operation is meant */
    add: (disturbance: Disturbance): void => {
      operationsLike(disturbance.operation)
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
        ({ operation: glob = '*', share }) => matchesGlob(glob, operation) && (share === undefined || random() < share),
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
