// Reads HAR 1.2 into recordings, one for each origin: which entries are calls of the interface, who sent them, what came back; nothing is judged.

import { unknownToken } from '../models/access.js'
import type { Operation } from '../models/operation.js'
import type { Setting } from '../models/setting.js'
import { bodyOf, outcomeOf } from './har-content.js'
import { count, type RecordedEvent, type Recording, RecordingError } from './recording.js'

export interface HarTarget {
  readonly setting: Setting
  readonly baseUrl: string
  /** By token name. */
  readonly secrets: ReadonlyMap<string, string>
  readonly listLagMs: number
  /** From the target's words to the document's; left out where they are the same. */
  readonly translate?: { readonly body: (body: unknown) => unknown; readonly url: (url: string) => string }
}

export interface HarOptions {
  /** The operation that a method and a path below the base name. */
  readonly route: (
    method: string,
    path: string,
  ) => { readonly op: Operation; readonly path: Readonly<Record<string, string>> } | undefined
  readonly target?: HarTarget
}

type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** An entry with the parts that every HAR has. */
export interface HarEntry {
  readonly entry: Json
  readonly request: Json
  readonly response: Json
  readonly method: string
  readonly url: URL | undefined
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly ms: number
}

/** @throws RecordingError that names the JSON path of what is no HAR */
export const readHar = (json: unknown, file: string, options: HarOptions): readonly Recording[] => {
  const entries = entriesOf(json, file).sort((a, b) => a.startedAt - b.startedAt)
  const base = baseOf(entries, options)
  const groups = new Map<string, HarEntry[]>()
  const ignored: Record<string, number> = {}
  for (const entry of entries) {
    if (base === undefined || routeOf(entry, base.path, options) === undefined || !isOfTarget(entry, base.origin)) {
      count(ignored, 'names no operation of the interface')
      continue
    }
    const origin = (entry.url as URL).origin
    const group = groups.get(origin)
    if (group) group.push(entry)
    else groups.set(origin, [entry])
  }
  const recordings = [...groups].map(([origin, list]) => recordingOf(list, origin, base?.path ?? '', options))
  return recordings.length === 0
    ? [recordingOf([], options.target?.baseUrl ?? 'nowhere', '', options, ignored)]
    : recordings.map((one, i) => (i === 0 ? { ...one, ignored: { ...ignored, ...one.ignored } } : one))
}

const longestMs = 1e9

const isOfTarget = ({ url }: HarEntry, origin: string | undefined): boolean =>
  origin === undefined || url?.origin === origin

const fail = (file: string, pointer: string, expected: string, received: unknown): never => {
  const shown = (JSON.stringify(received) ?? 'nothing').slice(0, 80)
  throw new RecordingError(`${file}: ${pointer || '/'}: expected ${expected}, received ${shown}`)
}

const entriesOf = (json: unknown, file: string): HarEntry[] => {
  if (!isObject(json) || !isObject(json.log))
    return fail(
      file,
      '/log',
      'a HAR (an object with "log") or a run record (run.ndjson)',
      isObject(json) ? json.log : json,
    )
  const { entries } = json.log
  if (!Array.isArray(entries)) return fail(file, '/log/entries', 'an array', entries)
  return entries.map((entry, i) => entryOf(entry, file, `/log/entries/${i}`))
}

const entryOf = (entry: unknown, file: string, pointer: string): HarEntry => {
  if (!isObject(entry)) return fail(file, pointer, 'an object', entry)
  const { request, response, startedDateTime, time } = entry
  if (!isObject(request)) return fail(file, `${pointer}/request`, 'an object', request)
  if (typeof request.method !== 'string') return fail(file, `${pointer}/request/method`, 'a text', request.method)
  if (typeof request.url !== 'string') return fail(file, `${pointer}/request/url`, 'a text', request.url)
  if (!isObject(response)) return fail(file, `${pointer}/response`, 'an object', response)
  if (!Number.isInteger(response.status)) return fail(file, `${pointer}/response/status`, 'an integer', response.status)
  const startedAt = typeof startedDateTime === 'string' ? Date.parse(startedDateTime) : Number.NaN
  if (Number.isNaN(startedAt)) return fail(file, `${pointer}/startedDateTime`, 'a date and time', startedDateTime)
  return {
    entry,
    request,
    response,
    method: request.method.toUpperCase(),
    url: URL.canParse(request.url) ? new URL(request.url) : undefined,
    startedAt: startedAt + fraction(String(startedDateTime)),
    ms: typeof time === 'number' && time > 0 ? Math.min(time, longestMs) : 0,
  }
}

/** Digits beyond milliseconds, which dates of the language do not hold. */
const fraction = (text: string): number => Number(`0.${/\.\d{3}(\d+)/.exec(text)?.[1] ?? '0'}`)

interface Base {
  readonly path: string
  /** Undefined where the calls of several origins count. */
  readonly origin: string | undefined
}

const trimmed = (path: string): string => path.replace(/\/+$/, '')

const below = (pathname: string, base: string): string | undefined =>
  base === '' || pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : undefined

const routeOf = ({ method, url }: HarEntry, base: string, { route }: HarOptions) => {
  const path = url && below(url.pathname, base)
  return path === undefined ? undefined : route(method, path)
}

/** Where paths of the interface begin: as the target file says, else the prefix up to /v4 under which most calls are found. */
const baseOf = (entries: readonly HarEntry[], options: HarOptions): Base | undefined => {
  const { target } = options
  const isFound = (base: string) => (entry: HarEntry) => routeOf(entry, base, options) !== undefined
  if (target) {
    const { origin, pathname } = new URL(target.baseUrl)
    const path = trimmed(pathname)
    const isThere = entries.some((entry) => entry.url?.origin === origin && isFound(path)(entry))
    return { path, origin: isThere ? origin : undefined }
  }
  const bases = new Set(
    entries.flatMap(({ url }) =>
      [...(url?.pathname ?? '').matchAll(/\/v4(?=\/)/g)].map(({ index }) => url?.pathname.slice(0, index + 3) ?? ''),
    ),
  )
  const ranked = [...bases]
    .map((path) => ({ path, found: entries.filter(isFound(path)).length }))
    .filter(({ found }) => found > 0)
    .sort((a, b) => b.found - a.found || b.path.length - a.path.length)
  const path = ranked[0]?.path ?? (entries.some(isFound('')) ? '' : undefined)
  return path === undefined ? undefined : { path, origin: undefined }
}

const recordingOf = (
  entries: readonly HarEntry[],
  origin: string,
  base: string,
  options: HarOptions,
  ignored: Record<string, number> = {},
): Recording => {
  const callerOf = callers(entries, options.target)
  const from = entries[0]?.startedAt ?? 0
  const events = entries.flatMap((entry): readonly RecordedEvent[] => {
    const event = eventOf(entry, from, base, callerOf(entry), options)
    if (typeof event !== 'string') return [event]
    count(ignored, event)
    return []
  })
  const numbered = events.map((event, i) => ({ ...event, n: i + 1 }))
  const names = [
    ...new Set(events.flatMap((event) => (event.kind === 'hook' ? [] : 'as' in event ? event.as : event.call.as))),
  ]
  return {
    kind: 'traffic',
    setting: options.target ? { ...options.target.setting, exclusive: false } : settingFor(names),
    baseUrl: entries.length === 0 ? origin : origin + base,
    nonce: '',
    events: numbered,
    sequential: false,
    listLagMs: options.target?.listLagMs ?? 0,
    ignored,
  }
}

/** What is known without a target file: nothing, but that all that one credential reaches is one account's. */
const settingFor = (names: readonly (string | null)[]): Setting => ({
  name: 'recorded traffic',
  exclusive: false,
  accounts: names.flatMap((name) => (name === null || name === unknownToken ? [] : [{ name }])),
  users: [],
  tokens: [],
  fixtures: {},
  pins: {},
  safety: { prefix: 'ts', maxLive: {}, maxVolumeGiB: 0, allow: [] },
})

const fromCache = ({ entry, response }: HarEntry): boolean =>
  response.status === 304 ||
  [entry._fromCache, response._fromCache, entry._fromDiskCache, response._fromDiskCache].some(Boolean)

/** The event, or why the entry is not one. */
const eventOf = (
  entry: HarEntry,
  from: number,
  base: string,
  as: string | null,
  options: HarOptions,
): RecordedEvent | string => {
  const { method, url, startedAt, ms } = entry
  const found = routeOf(entry, base, options)
  if (!found || !url) return 'names no operation of the interface'
  const times = { startedAt: startedAt - from, endedAt: startedAt - from + ms, ms, program: '' }
  const isRead = found.op.method === 'GET'
  if (fromCache(entry)) return 'was answered from a cache'
  // The worker's own request is recorded as well, but not in every HAR.
  const isDoubled = entry.response._fetchedViaServiceWorker === true
  const body = isDoubled ? undefined : bodyOf(entry.request, found.op)
  if (body === undefined) {
    const why = isDoubled ? 'was answered by a service worker' : 'has a request body that was not recorded'
    return isRead ? why : { kind: 'blank', n: 0, as, ...times }
  }
  const { translate } = options.target ?? {}
  const search = translate ? translate.url(url.pathname + url.search).slice(url.pathname.length) : url.search
  const outcome = outcomeOf(entry.response, entry.entry)
  return {
    kind: 'call',
    n: 0,
    op: found.op,
    call: {
      operation: found.op.id,
      method,
      url: (below(url.pathname, base) ?? url.pathname) + search,
      as,
      path: found.path,
      query: Object.fromEntries(new URLSearchParams(search)),
      ...('body' in body && { body: translate ? translate.body(body.body) : body.body }),
      ...('file' in body && { file: body.file }),
    },
    outcome: 'body' in outcome && translate ? { ...outcome, body: translate.body(outcome.body) } : outcome,
    ...times,
  }
}

interface Credential {
  /** Undefined where no header was recorded. */
  readonly secret: string | undefined
  /** Whether a header that was not recorded can't have been sent either. */
  readonly isBare: boolean
}

const headersOf = (request: Json): readonly { readonly name: string; readonly value: string }[] =>
  Array.isArray(request.headers)
    ? request.headers.filter(
        (header): header is { name: string; value: string } =>
          isObject(header) && typeof header.name === 'string' && typeof header.value === 'string',
      )
    : []

const credentialOf = ({ request }: HarEntry): Credential => {
  const headers = headersOf(request)
  const find = (name: string) => headers.find((header) => header.name.toLowerCase() === name)?.value
  const hasCookie = find('cookie') !== undefined || (Array.isArray(request.cookies) && request.cookies.length > 0)
  return { secret: find('authorization'), isBare: headers.length > 0 && !hasCookie }
}

const isMasked = (secret: string): boolean =>
  /redact|remov|mask|hidden|\*{2,}|x{4,}|…|\.{3}|^<.*>$|^\[.*\]$/i.test(secret)

/**
 * Who sent each entry: a token of the target file, nobody, or an unknown one. Exporters often leave credentials out, so a
 * call counts as nobody's only where other calls carry theirs.
 */
const callers = (entries: readonly HarEntry[], target: HarTarget | undefined) => {
  const names = new Map([...(target?.secrets ?? [])].map(([name, secret]) => [secret, name]))
  const anyHeader = entries.some((entry) => credentialOf(entry).secret !== undefined)
  let strangers = 0
  return (entry: HarEntry): string | null => {
    const { secret: header, isBare } = credentialOf(entry)
    if (header === undefined) return anyHeader && isBare ? null : unknownToken
    const secret = /^Bearer +(\S+) *$/i.exec(header)?.[1]
    if (secret === undefined || isMasked(secret)) return unknownToken
    if (!names.has(secret)) {
      strangers += 1
      names.set(secret, `${unknownToken}${strangers}`)
    }
    return names.get(secret) as string
  }
}
