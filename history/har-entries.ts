// The entries of a HAR as they stand in the file: their parts, when they began and ended, and which stand there twice.
import { isObject } from '../models/language/objects.js'
import type { OwnTime, Surely } from './entry.js'
import { headerOf, headersOf, type Json } from './har-headers.js'
import { contentLength, endsWithin, textOf } from './har-text.js'
import { count, RecordingError } from './recording.js'
import { percentEncoded } from './uri.js'

/** What was read from a file, which messages name. */
export interface HarFile {
  readonly json: unknown
  readonly file: string
  /** Whether the file ends before its entries do: within a further one, or between two. */
  readonly isCut?: true | undefined
}

/** An entry with the parts that every HAR has. */
export interface HarEntry {
  readonly entry: Json
  readonly request: Json
  /** Empty where there is none. */
  readonly response: Json
  readonly method: string
  readonly url: URL | undefined
  /** Where it stands in the file, which may have the latest first; the same for entries of which the file does not tell the order. */
  readonly place: number
  /** Milliseconds since the epoch, as told. */
  readonly toldAt: number
  /** What that may have been cut or rounded by, in milliseconds. */
  readonly unitMs: number
  /** Milliseconds since the epoch: the earliest that agrees with what is told. */
  readonly startedAt: number
  /** The latest end that agrees with what is told; undefined where no duration is. */
  readonly endedAt: number | undefined
  /** From the latest beginning to the earliest end that agree with what is told, where that is exact enough. */
  readonly surely: Surely | undefined
  /** As told; 0 where it is not. */
  readonly ms: number
  /** What that may have been cut or rounded by. */
  readonly msUnit: number
  /** Whether it tells when it began. */
  readonly isTimed: boolean
  /** By the clock of its recorder, where there are several. */
  readonly own?: OwnTime
}

/** The entries of a file, the earliest first. @throws RecordingError that names the JSON path of what is no HAR */
export const entriesOf = ({ json, file }: HarFile): readonly HarEntry[] => {
  if (!isObject(json) || !isObject(json.log))
    return fail(
      file,
      '/log',
      'a HAR (an object with "log") or a run record (run.ndjson, which stands beside the results.json of its run)',
      isObject(json) ? json.log : json,
    )
  const { entries } = json.log
  if (!Array.isArray(entries)) return fail(file, '/log/entries', 'an array', entries)
  const units = { digits: commonDigits(entries), ms: commonMs(entries) }
  const read = entries.map((entry, i) => entryOf(entry, file, `/log/entries/${i}`, units))
  return withoutIdleClock(placed(withoutLostBodies(cutAlike(read.map(asFarAsKept)))))
}

/** Entries of one history, each once, in the order in which they were sent. */
export const inOneHistory = (
  files: readonly (readonly HarEntry[])[],
  ignored: Record<string, number>,
): readonly HarEntry[] => {
  const before = files.map((_, i) => files.slice(0, i).reduce((sum, { length }) => sum + length, 0))
  const all = onlyOnce(
    files.flatMap((file, i) => file.map((one) => ({ ...one, place: one.place + (before[i] ?? 0) }))),
    ignored,
  )
  // A call of which no time is told may have been sent at any time: its effect is waited for from the beginning.
  const from = all.reduce((least, { isTimed, startedAt }) => (isTimed ? Math.min(least, startedAt) : least), Infinity)
  const first = Number.isFinite(from) ? from : 0
  return all
    .map((one) => (one.isTimed ? one : { ...one, startedAt: first, endedAt: first }))
    .sort((a, b) => a.startedAt - b.startedAt)
}

const fail = (file: string, pointer: string, expected: string, received: unknown): never => {
  const shown = (JSON.stringify(received) ?? 'nothing').slice(0, 80)
  throw new RecordingError(`${file}: ${pointer || '/'}: expected ${expected}, received ${shown}`)
}

/**
 * With a place for each. A file in which no entry is later than the one before has the latest first. Whether it was turned round or sorted,
 * those that are told to have begun at the same time do not tell: they share a place.
 */
const placed = (entries: readonly HarEntry[]): readonly HarEntry[] => {
  const isBackwards =
    entries.every(({ toldAt }, i) => i === 0 || toldAt <= (entries[i - 1] as HarEntry).toldAt) &&
    (entries[0]?.toldAt ?? 0) > (entries.at(-1)?.toldAt ?? 0)
  const inOrder = isBackwards ? entries.toReversed() : entries
  let tied = 0
  return inOrder.map((one, i) => {
    if (!isBackwards || one.toldAt !== inOrder[i - 1]?.toldAt) tied = i
    return { ...one, place: tied }
  })
}

const longestMs = 1e9

/** In what steps the times of a file are told: digits of a second, and milliseconds of durations. */
interface Units {
  readonly digits: number
  readonly ms: number
}

const entryOf = (entry: unknown, file: string, pointer: string, units: Units): HarEntry => {
  if (!isObject(entry)) return fail(file, pointer, 'an object', entry)
  const { request, startedDateTime } = entry
  if (!isObject(request)) return fail(file, `${pointer}/request`, 'an object', request)
  if (typeof request.method !== 'string') return fail(file, `${pointer}/request/method`, 'a text', request.method)
  if (typeof request.url !== 'string') return fail(file, `${pointer}/request/url`, 'a text', request.url)
  const times = timesOf(startedDateTime, durationOf(entry), units)
  return {
    entry,
    request,
    response: times.isTimed && isObject(entry.response) ? entry.response : {},
    method: request.method.toUpperCase(),
    url: URL.canParse(request.url) ? new URL(request.url) : undefined,
    place: 0,
    ...times,
  }
}

type Times = Pick<HarEntry, 'toldAt' | 'unitMs' | 'startedAt' | 'endedAt' | 'surely' | 'ms' | 'msUnit' | 'isTimed'>

/** When a call was sent and answered, at the widest and for certain: what is told may have been cut or rounded. */
const timesOf = (started: unknown, ms: number | undefined, units: Units): Times => {
  const at = typeof started === 'string' ? Date.parse(withPoint(started)) : Number.NaN
  const isTimed = !Number.isNaN(at)
  const told = at + fraction(String(started))
  const unit = unitMs(String(started), units.digits)
  const start = { toldAt: isTimed ? told : 0, unitMs: unit, startedAt: isTimed ? told - unit : 0, isTimed }
  if (ms === undefined) return { ...start, endedAt: undefined, surely: undefined, ms: 0, msUnit: 0 }
  const msUnit = Number.isInteger(ms) ? units.ms : 0
  return {
    ...start,
    endedAt: told + unit + ms + msUnit,
    surely: unit > 1 ? undefined : { from: told + unit, to: told - unit / 2 + ms - msUnit },
    ms,
    msUnit,
  }
}

const secondMs = 1000

/** The step of durations that are whole milliseconds: some recorders count seconds. */
const commonMs = (entries: readonly unknown[]): number => {
  const told = entries.flatMap((entry) => (isObject(entry) ? [durationOf(entry)] : []))
  return told.some(Boolean) && told.every((ms) => (ms ?? 0) % secondMs === 0) ? secondMs : 1
}

/** Milliseconds; undefined where it is not told. */
const durationOf = ({ time, timings }: Json): number | undefined => {
  if (typeof time === 'number' && time >= 0) return Math.min(time, longestMs)
  const parts = isObject(timings) ? Object.values(timings).filter((one) => typeof one === 'number' && one > 0) : []
  const sum = (parts as readonly number[]).reduce((all, one) => all + one, 0)
  return sum > 0 ? Math.min(sum, longestMs) : undefined
}

/** Where every entry of a host is told to have taken no time at all, none tells how long it took. */
const withoutIdleClock = (entries: readonly HarEntry[]): readonly HarEntry[] => {
  const busy = new Set(entries.flatMap(({ ms, url }) => (ms === 0 ? [] : [url?.host])))
  return entries.length < 2
    ? entries
    : entries.map((one) => (busy.has(one.url?.host) ? one : { ...one, endedAt: undefined, surely: undefined }))
}

/** A date whose fraction of a second begins with a point, as the language reads it; some write a comma. */
const withPoint = (date: string): string => date.replace(/(?<=:\d\d),(?=\d)/, '.')

const secondsPattern = /T\d\d:?\d\d:?\d\d(?:[.,](\d+))?/i

/** Digits beyond milliseconds, which dates of the language do not hold. */
const fraction = (text: string): number => Number(`0.${secondsPattern.exec(text)?.[1]?.slice(3) || '0'}`)

/** A recorder that kept no body at all tells nothing of sizes either, unless a header does. */
const withoutLostBodies = (entries: readonly HarEntry[]): readonly HarEntry[] => {
  const isKept = ({ response }: HarEntry): boolean =>
    (isObject(response.content) && Boolean(response.content.text)) || headerOf(response, 'content-length') === '0'
  if (entries.length < 2 || entries.some(isKept)) return entries
  return entries.map((one) => {
    const { content, bodySize: _, ...response } = one.response
    const { size: __, ...kept } = isObject(content) ? content : {}
    return { ...one, response: { ...response, content: kept } }
  })
}

/**
 * An entry without what its recorder may not have kept. Some cut long bodies, or leave out those of requests, and tell the size of what is
 * left: only a header that was recorded tells how long a body was. No target is asked for what a cut request would have to be refused for.
 */
const asFarAsKept = (one: HarEntry): HarEntry => {
  const { method, request, response } = one
  const content = isObject(response.content) ? response.content : {}
  const shown = isCut(content, response) ? { ...response, content: { ...content, comment: 'cut' } } : response
  const status = Number(response.status)
  const isTaken = ['POST', 'PUT'].includes(method) && status >= 200 && status < 300
  return { ...one, response: shown, request: isTaken ? withBodyUnsure(request) : request }
}

const withBodyUnsure = ({ postData, ...request }: Json): Json => {
  if (isObject(postData) && isCut(postData, request)) return { ...request, postData: { ...postData, comment: 'cut' } }
  const isEmpty =
    !isObject(postData) || (!textOf(postData) && !(Array.isArray(postData.params) && postData.params.length))
  return isEmpty && contentLength(request) === undefined ? { ...request, bodySize: -1 } : { ...request, postData }
}

/** Whether a text ends within a JSON value, or with a note in its place, and no header tells that it ended there. */
const isCut = (part: Json, message: Json): boolean => {
  const text = textOf(part)
  return text !== undefined && endsWithin(text) && contentLength(message) !== new TextEncoder().encode(text).length
}

/** Times in smaller steps than this, in milliseconds, may be of several clocks, which are read one after another. */
const coarsestMs = 1

/**
 * A recorder cuts or rounds all its times in one way, so that none is earlier or later by more than a step beside the others. That
 * tells nothing where times are written in several ways, as those of several recorders may be.
 */
const cutAlike = (entries: readonly HarEntry[]): readonly HarEntry[] => {
  const forms = new Set(entries.map(({ entry }) => formOf(String(entry.startedDateTime))))
  if (forms.size !== 1) return entries
  return entries.map((one) => (one.isTimed && one.unitMs > coarsestMs ? { ...one, startedAt: one.toldAt } : one))
}

/** How many digits a timestamp has, and its time zone. */
export const formOf = (text: string): string => `${text.length} ${/(?:z|[+-]\d\d:?\d\d)$/i.exec(text)?.[0]}`

/** An entry as early as it may have begun whatever way its recorder cuts or rounds times. */
export const asEarlyAsMayBe = (one: HarEntry): HarEntry =>
  one.isTimed ? { ...one, startedAt: Math.min(one.startedAt, one.toldAt - one.unitMs) } : one

/** The smallest step of a timestamp, in milliseconds: what it may have been cut or rounded by. */
const unitMs = (text: string, digits: number): number =>
  secondsPattern.test(text) ? 1000 / 10 ** Math.max(digits, digitsOf(text)) : 60_000

const digitsOf = (text: unknown): number => secondsPattern.exec(String(text))?.[1]?.length ?? 0

/** How many digits of a second nearly all timestamps have; where a few have less, zeros at the end were left out. */
const commonDigits = (entries: readonly unknown[]): number => {
  const all = entries.map((entry) => (isObject(entry) ? digitsOf(entry.startedDateTime) : 0)).sort((a, b) => a - b)
  return all[Math.floor(all.length / 5)] ?? 0
}

/** Two exports of one session, merged, hold every entry twice; one of them may be without its secrets. */
const onlyOnce = (entries: readonly HarEntry[], ignored: Record<string, number>): readonly HarEntry[] => {
  const byContent = new Map<string, HarEntry>()
  for (const [i, one] of entries.entries()) {
    const key = one.isTimed ? keyOfEntry(one) : `entry ${i}`
    const before = byContent.get(key)
    if (before) count(ignored, 'stands in the file twice')
    if (!before || tellsMore(one, before)) byContent.set(key, one)
  }
  return [...byContent.values()]
}

/** Whether an entry says what another of the same call leaves out. */
export const tellsMore = (one: HarEntry, other: HarEntry): boolean =>
  isByWorker(one) === isByWorker(other)
    ? authorizationOf(one) !== undefined && authorizationOf(other) === undefined
    : isByWorker(other)

/** Whether a service worker answered. Its own request is recorded as well, but not in every HAR. */
export const isByWorker = ({ response, entry }: HarEntry): boolean =>
  response._fetchedViaServiceWorker === true || entry._fetchType === 'Service Worker'

/** What two exports of one entry have in common. */
export const keyOfEntry = ({ entry, request, response, method }: HarEntry): string =>
  JSON.stringify([
    entry.startedDateTime,
    entry.time,
    method,
    request.url,
    request.postData,
    response.status,
    response.content,
  ])

const authorizationOf = ({ request }: HarEntry): string | undefined => headerOf(request, 'authorization')

/**
 * When each entry was over at the latest. Of one whose duration is not told that is known only where a later one could not
 * have been sent before: the next on the same connection, or one that names what it made.
 */
export const endsOf = (
  entries: readonly HarEntry[],
  madeBy: (entry: HarEntry) => string | undefined,
): ReadonlyMap<HarEntry, number> => {
  const last = entries.reduce((latest, { startedAt, endedAt }) => Math.max(latest, startedAt, endedAt ?? 0), 0)
  const ends = new Map<HarEntry, number>()
  // From the last entry on, the next on each connection and the next that has a segment in its path.
  const next = new Map<string, HarEntry>()
  for (const one of entries.toReversed()) {
    const made = one.endedAt === undefined ? madeBy(one) : undefined
    const after = [
      ...(isAloneOnConnection(one) ? [next.get(connectionOf(one))] : []),
      ...(made === undefined ? [] : [next.get(`/${percentEncoded(made)}`)]),
    ].flatMap((other) => (other ? [Math.max(one.startedAt, other.startedAt)] : []))
    ends.set(one, one.endedAt ?? Math.min(last, ...after))
    next.set(connectionOf(one), one)
    for (const segment of one.url?.pathname.split('/') ?? []) next.set(`/${segment}`, one)
  }
  return ends
}

const connectionOf = ({ entry, own }: HarEntry): string => `${own?.clock} ${entry.connection}`

/** Whether the connection is told, and of a kind that carries one call at a time. */
export const isAloneOnConnection = ({ entry, response }: HarEntry): boolean =>
  typeof entry.connection === 'string' && entry.connection !== '' && /^HTTP\/1/i.test(String(response.httpVersion))

/** What caches on the way tell of an answer of their own, in headers such as X-Cache, CF-Cache-Status or Cache-Status. */
const isCacheHit = (response: Json): boolean =>
  headersOf(response).some(
    ({ name, value }) => /(?:^|-)cache(?:-status|-lookup)?$/i.test(name) && /\bhit\b/i.test(value),
  )

/** Whether a cache answered, so that the target was not asked. */
export const fromCache = ({ entry, response, method, ms }: HarEntry): boolean =>
  response.status === 304 ||
  // Nothing came over the network, or it had been kept on the way.
  (method === 'GET' &&
    (response._transferSize === 0 || Number(headerOf(response, 'age')) > 0 || isCacheHit(response))) ||
  [entry._fromCache, response._fromCache, entry._fromDiskCache, response._fromDiskCache].some(Boolean) ||
  ['Memory Cache', 'Disk Cache', 'Inspector Override'].includes(String(entry._fetchType)) ||
  (ms === 0 && entry.time === 0 && isObject(entry.cache) && isObject(entry.cache.afterRequest))
