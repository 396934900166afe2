// Tells replies to reads that a cache had kept since before the latest write: they show nothing of what is there now. Judges nothing.

import type { Lost } from './loss.js'

type Fields = Readonly<Record<string, string | string[] | undefined>>

/** What the head of a reply tells of when it was made. */
export interface Making {
  /** Seconds; 0 where it tells none. */
  readonly age: number
  readonly date: string | undefined
  /** Whether a cache says that it had the reply. */
  readonly isHit: boolean
}

/** A request as it is sent; header names and values by turns. */
interface Asking {
  readonly method: string
  readonly path: string
  readonly headers: readonly string[]
}

/** Ages and dates are whole seconds. */
const grainMs = 1000
/** What was kept for less is late as a change may be, which is waited for. A clock that shows seconds shows others by then. */
const leastMs = 2 * grainMs
/** Of so many calls it is known when the reply that they are given now was made; those before are forgotten. */
const mostCalls = 10_000

/** `Cache-Status` is of RFC 9211, the others are what caches have long said. */
const tellingHits = ['cache-status', 'x-cache', 'x-cache-status', 'cf-cache-status', 'x-proxy-cache'] as const

export const makingOf = (fields: Fields): Making => {
  const all = (name: string): readonly string[] => [fields[name] ?? []].flat()
  const [age = ''] = all('age')
  return {
    age: /^\d{1,9}$/.test(age) ? Number(age) : 0,
    date: all('date')[0],
    isHit: tellingHits.some((name) => all(name).some((value) => /\bhit\b/i.test(value))),
  }
}

/**
 * Sends a read once more that a cache answered with what it had kept since before the latest write, and asks for what is there now
 * (RFC 9111, 5.2.1.4). Where that is in vain, there is no reply. What a cache shows to who has none of these secrets is not late, whenever it
 * was made.
 */
export const pastCaches = <Request extends Asking, Reply extends { readonly making: Making }>(
  send: (request: Request) => Promise<Reply | Lost>,
  secrets: ReadonlyMap<string, string>,
  clock: () => number = () => performance.now(),
): ((request: Request) => Promise<Reply | Lost>) => {
  const { wrote, whyStale } = createStored(clock)
  const known = new Set([...secrets.values()].map((secret) => `Bearer ${secret}`))
  return async (request) => {
    const reply = await send(request)
    const making = 'lost' in reply ? undefined : reply.making
    if (request.method !== 'GET') wrote(making)
    const token = tokenOf(request)
    const name = `${request.path} ${token}`
    if (request.method !== 'GET' || !making || !known.has(token) || !whyStale(name, making)) return reply
    const again = await send({ ...request, headers: [...request.headers, 'cache-control', 'no-cache'] })
    return 'lost' in again ? again : (whyStale(name, again.making) ?? again)
  }
}

/** Empty where there is none. */
const tokenOf = ({ headers }: Asking): string => {
  const at = headers.indexOf('authorization')
  return (at === -1 ? undefined : headers[at + 1]) ?? ''
}

/** What a cache gave in place of a reply: the call has not come to the target. */
const lossOf = (keptMs: number): Lost => {
  const time = Number.isFinite(keptMs) ? `${Math.round(keptMs / 1000)} s` : 'an unknown time'
  return {
    lost: 'refused',
    detail: `a cache answered with what it had kept for ${time}, since before the latest write: name an address behind it, or have it pass what carries an Authorization`,
  }
}

const createStored = (clock: () => number) => {
  let wroteAt: number | undefined
  let dateOfWrite: string | undefined
  /** Whether a read was seen that was not kept: what says of every reply that it was tells nothing. */
  let hasAsked = false
  /** By call, when it was first answered with the Date that its replies have now, or last by more than a cache. */
  const made = new Map<string, { readonly date: string | undefined; readonly at: number }>()

  /** For how long the reply to a call had been kept at least. */
  const keptFor = (call: string, { age, date, isHit }: Making): number => {
    const known = made.get(call)
    // A target whose clock stands still dates all replies alike.
    const isRepeated = date !== undefined && date === known?.date && date !== dateOfWrite
    hasAsked ||= age === 0 && !isHit
    if (!hasAsked) return 0
    if (age > 0) return age * grainMs
    if (isHit || isRepeated) return clock() - (known?.at ?? Number.NEGATIVE_INFINITY)
    if (made.size === mostCalls) made.clear()
    if (date === undefined || date !== known?.date) made.set(call, { date, at: clock() })
    return 0
  }

  return {
    /** Takes in that a write has come to its end; without what its reply tells, where it had none. */
    wrote: (making: Making | undefined): void => {
      wroteAt = clock()
      dateOfWrite = making?.date ?? dateOfWrite
    },
    /** What a read came to whose reply was made before the latest write; undefined where it may have been made since. */
    whyStale: (call: string, making: Making): Lost | undefined => {
      const keptMs = keptFor(call, making)
      const isBefore = wroteAt !== undefined && keptMs + grainMs > clock() - wroteAt
      return isBefore && keptMs >= leastMs ? lossOf(keptMs) : undefined
    },
  }
}
