// Tells replies to reads that show nothing of what is there now: what a cache had kept since before the latest write, and a 304, as no
// conditional request is sent. Judges nothing.

import type { Outcome } from '../history/wire.js'
import type { Lost } from './loss.js'

export type Fields = Readonly<Record<string, string | string[] | undefined>>

/** What the head of a reply tells of when it was made. */
export interface Making {
  /** Seconds. */
  readonly age: number | undefined
  readonly date: string | undefined
  /** Whether a cache says that it had the reply. */
  readonly isHit: boolean
}

interface Answered {
  readonly status: number
  readonly making: Making
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
/** Of so many reads it is known when they were answered; those before are forgotten. */
const mostReads = 10_000

/** Says that what the asking one has kept is still right. Nothing that is sent here says that anything was kept (RFC 9110, 15.4.5). */
const notModified = 304

/** `Cache-Status` is of RFC 9211, the others are what caches have long said. */
const tellingHits = ['cache-status', 'x-cache', 'x-cache-status', 'cf-cache-status', 'x-proxy-cache'] as const

export const makingOf = (fields: Fields): Making => {
  const all = (name: string): readonly string[] => [fields[name] ?? []].flat()
  const [age = ''] = all('age')
  return {
    age: /^\d{1,9}$/.test(age) ? Number(age) : undefined,
    date: all('date')[0],
    isHit: tellingHits.some((name) => all(name).some((value) => /\bhit\b/i.test(value))),
  }
}

/**
 * Sends a read once more that a cache answered with what it had kept since before the latest write, or with nothing but that this is still
 * right, and asks for what is there now (RFC 9111, 5.2.1.4). If the cache answers that as well, the read counts as unanswered. Old replies to
 * callers without one of these secrets are judged however old they are. So is everything once a cache has given one token the reply to
 * another: that is a fault by itself. Without any secret all is judged as it comes.
 *
 * @returns sends a request; `kept` is told a reply that is passed over
 */
export const pastCaches = <Request extends Asking, Reply extends Answered>(
  send: (request: Request) => Promise<Reply | Lost>,
  secrets: ReadonlyMap<string, string>,
  clock: () => number = () => performance.now(),
): ((request: Request, kept?: (reply: Reply) => void) => Promise<Reply | Lost>) => {
  const { wrote, lostRead, whyStale } = createStored(clock)
  const known = new Set([...secrets.values()].map((secret) => `Bearer ${secret}`))
  const whyNone = (path: string, token: string, reply: Answered): Lost | undefined => {
    // What carries no body shows nobody what another was given.
    if (reply.status === notModified && known.size > 0) return unasked
    const stale = whyStale(path, token, reply)
    return known.has(token) ? stale : undefined
  }
  const anew = async (request: Request): Promise<Reply | Lost> => {
    const again = await send({ ...request, headers: [...request.headers, 'cache-control', 'no-cache'] })
    return 'lost' in again ? again : (whyNone(request.path, tokenOf(request), again) ?? again)
  }
  return async (request, kept) => {
    const reply = await send(request)
    const { method, path } = request
    const token = tokenOf(request)
    if (method !== 'GET') wrote('lost' in reply ? undefined : reply.making)
    else if ('lost' in reply) lostRead(path, token)
    else if (whyNone(path, token, reply)) {
      kept?.(reply)
      return anew(request)
    }
    return reply
  }
}

/** Empty where there is none. */
const tokenOf = ({ headers }: Asking): string => {
  const at = headers.indexOf('authorization')
  return (at === -1 ? undefined : headers[at + 1]) ?? ''
}

/** What a cache gave in place of a reply: the call has not come to the target. */
const lossOf = (keptMs: number): Lost => ({
  lost: 'refused',
  detail: `a cache answered with what it had kept for ${Math.round(keptMs / 1000)} s, since before the latest write: name an address behind it, or have it pass what carries an Authorization`,
})

const unasked = {
  lost: 'foreign',
  detail: `status ${notModified}, which answers conditional requests alone, though none was sent, and again when sent with Cache-Control: no-cache: a cache before the target may answer so; name an address behind it, or have it pass what carries an Authorization`,
} as const satisfies Lost

/** Why a 304 counts as no reply; undefined for any other outcome. */
export const whyUnasked = (outcome: Outcome): string | undefined =>
  'lost' in outcome && outcome.detail === unasked.detail ? unasked.detail : undefined

/** The latest reply to a call that was not out of a cache: its Date, when it came, and what its head told of a cache. */
interface Made {
  readonly date: string | undefined
  readonly at: number
  readonly leastAge: number
  readonly isAlwaysHit: boolean
}

const createStored = (clock: () => number) => {
  let wroteAt: number | undefined
  const telling = createTelling()
  let isShared = false
  /** Whether an age has grown, so that ages are a cache's. */
  let doAgesTell = false
  /** Reads by path and token that had no reply: a cache may have kept what was lost. */
  const lost = new Set<string>()
  /** By path and status, and then by token: a cache gives again what it was given before. */
  const made = new Map<string, Map<string, Made>>()

  /** Whether the reply to one token was made when another was given its own, and not this one. */
  const isOfAnother = (path: string, replies: ReadonlyMap<string, Made>, token: string, making: Making): boolean => {
    if (replies.has(token) || lost.has(`${path} ${token}`)) return false
    const madeAt = clock() - telling.age(making) * grainMs
    return [...replies.values()].some(({ at, date }) =>
      telling.age(making) > 0
        ? Math.abs(madeAt - at) <= grainMs
        : telling.isRepeated(making, date) && clock() - at >= leastMs,
    )
  }

  /** For how long a reply had been kept at least. The age of what was never given to the token before counts once ages were seen to grow. */
  const keptFor = (known: Made | undefined, making: Making): number => {
    if (!known) return doAgesTell ? telling.age(making) * grainMs : 0
    const beyond = telling.age(making) - known.leastAge
    doAgesTell ||= beyond > 0
    if (beyond > 0) return beyond * grainMs
    const isHit = telling.isHit(making) && !known.isAlwaysHit
    return isHit || telling.isRepeated(making, known.date) ? clock() - known.at : 0
  }

  const note = (replies: Map<string, Made>, token: string, making: Making): number => {
    const known = replies.get(token)
    const keptMs = keptFor(known, making)
    const leastAge =
      !known && keptMs > 0 ? 0 : Math.min(known?.leastAge ?? Number.POSITIVE_INFINITY, telling.age(making))
    const isAlwaysHit = telling.isHit(making) && known?.isAlwaysHit !== false
    const isNew = keptMs === 0 && (making.date === undefined || making.date !== known?.date)
    const when = known && !isNew ? { date: known.date, at: known.at } : { date: making.date, at: clock() }
    replies.set(token, { ...when, leastAge, isAlwaysHit })
    return keptMs
  }

  return {
    lostRead: (path: string, token: string): void => {
      if (lost.size === mostReads) lost.clear()
      lost.add(`${path} ${token}`)
    },
    /** Takes in that a write has come to its end; without what its reply tells, where it had none. */
    wrote: (making: Making | undefined): void => {
      wroteAt = clock()
      if (making) telling.ofWrite(making)
    },
    /** What a read came to whose reply was made before the latest write; undefined where it may have been made since. */
    whyStale: (path: string, token: string, { status, making }: Answered): Lost | undefined => {
      telling.ofRead(making)
      const name = `${path} ${status}`
      if (made.size === mostReads && !made.has(name)) made.clear()
      const replies = made.get(name) ?? new Map<string, Made>()
      made.set(name, replies)
      isShared ||= isOfAnother(path, replies, token, making)
      const keptMs = note(replies, token, making)
      const isBefore = wroteAt !== undefined && keptMs + grainMs > clock() - wroteAt
      return !isShared && isBefore && keptMs >= leastMs ? lossOf(keptMs) : undefined
    },
  }
}

/**
 * What can be told from the heads of replies. A target may send any of these headers with whatever it answers; no cache says of a reply to a
 * write that it had kept it, and a clock that stands still dates all replies to reads, or those to writes as well, alike.
 */
const createTelling = () => {
  let isOfCaches = true
  let dateOfWrite: string | undefined
  let firstDate: string | undefined
  let isRunning = false
  return {
    ofWrite: ({ age = 0, date, isHit }: Making): void => {
      if (age > 0 || isHit) isOfCaches = false
      dateOfWrite = date ?? dateOfWrite
    },
    ofRead: ({ date }: Making): void => {
      firstDate ??= date
      isRunning ||= date !== undefined && date !== firstDate
    },
    age: ({ age = 0 }: Making): number => (isOfCaches ? age : 0),
    isHit: ({ isHit }: Making): boolean => isOfCaches && isHit,
    /** Whether a reply has the Date of one before, though the clock of the target has gone on. */
    isRepeated: ({ date }: Making, before: string | undefined): boolean =>
      date !== undefined && date === before && isRunning && dateOfWrite !== undefined && date !== dateOfWrite,
  }
}
