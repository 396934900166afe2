// Reads HAR 1.2 into recordings, one for each origin: which entries are calls of the interface, who sent them, what came back; nothing is judged.

import { unknownToken } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { grouped } from '../models/language/grouped.js'
import { isObject } from '../models/language/objects.js'
import type { CallEntry, Entry } from './entry.js'
import { replacedByOne } from './har-alike.js'
import { callers, tokenIn } from './har-callers.js'
import { areClocksUnknown, asOfSeveral, asSetBack, onOneClock } from './har-clocks.js'
import { bodyOf, hasForm, outcomeOf, unrecorded } from './har-content.js'
import { endsOf, entriesOf, fromCache, type HarEntry, type HarFile, inOneHistory, isByWorker } from './har-entries.js'
import { headerOf, headersOf } from './har-headers.js'
import { withKnown } from './har-ids.js'
import { turnsOf } from './har-lanes.js'
import { replacedByLength, type Told } from './har-lengths.js'
import { areQueriesLeftOut } from './har-queries.js'
import { replacedIn } from './har-replaced.js'
import { seenOnce } from './har-twice.js'
import { isPlaceholder } from './placeholders.js'
import { count, type Reading, type Recording } from './recording.js'
import type { Found } from './routes.js'

export interface HarTarget {
  readonly environment: Environment
  readonly baseUrl: string
  /** By token name. */
  readonly secrets: ReadonlyMap<string, string>
  readonly listLagMs: number
  /** From the target's words to the document's; left out where they are the same. */
  readonly translate?: { readonly body: (body: unknown) => unknown; readonly url: (url: string) => string }
}

/** An entry that calls an operation of the interface. */
export interface Located extends Found {
  readonly entry: HarEntry
  readonly url: URL
  /** Where the paths of the interface begin. */
  readonly base: string
}

/** Why an entry is no call. */
export const noCall = 'names no operation of the interface'

export interface HarOptions {
  /** The operation that a method and a path below the base name. */
  readonly route: (method: string, path: string) => Found | undefined
  readonly target?: HarTarget
}

/** @throws RecordingError that names the JSON path of what is no HAR */
export const readHar = (json: unknown, file: string, options: HarOptions): readonly Recording[] =>
  readHars([{ json, file }], options)

/** Files of the same time are one history. @throws RecordingError that names the JSON path of what is no HAR */
export const readHars = (files: readonly HarFile[], options: HarOptions): readonly Recording[] =>
  readingsOf(files, options)[0].recordings

/**
 * What the files may hold, first as they tell it. Where times go back and nothing says why, they may be those of calls side by side, or
 * the clock was set back. Where the dates of replies differ from the times of a file by changing amounts, either servers or recorders
 * have several clocks. Where recorders were at work at the same time, and nothing tells how their clocks differ, each file may be a
 * history of its own.
 */
export const readingsOf = (files: readonly HarFile[], options: HarOptions): readonly [Reading, ...Reading[]] => {
  const told = files.map(entriesOf)
  const back = told.map(asSetBack)
  const several = told.map(asOfSeveral)
  const both = back.some(Boolean) && several.some(Boolean) ? [told.map((_, i) => back[i] ?? several[i])] : []
  const ways = [back, several, ...both]
  const timed = new Set(told.flat())
  const readAs = (way: readonly (readonly HarEntry[])[]): readonly [Reading, ...Reading[]] => {
    const ignored: Record<string, number> = {}
    for (const { isCut } of files) if (isCut) count(ignored, 'was cut off with the file')
    const moved = way.flat().filter((one) => !timed.has(one)).length
    const clock = moved === 0 ? [] : [{ name: 'clock' as const, of: `${moved} entries` }]
    const timedSo = (one: Reading): Reading => ({ ...one, supposes: [...clock, ...one.supposes] })
    const [first, ...others] = originsIn(inOneHistory(seenOnce(onOneClock(way), ignored), ignored), ignored, options)
    return [timedSo(first), ...others.map(timedSo)]
  }
  const others = ways.flatMap((way) => (way.some(Boolean) ? readAs(told.map((own, i) => way[i] ?? own)) : []))
  return [...readAs(told), ...others, ...(areClocksUnknown(told) ? [oneByOne(files, options)] : [])]
}

const oneByOne = (files: readonly HarFile[], options: HarOptions): Reading => ({
  recordings: files.flatMap((file) => readHars([file], options)),
  supposes: [{ name: 'clocks', of: `${files.length} files` }],
})

/**
 * Recordings of each origin by itself; and, where callers show the same token at several origins, which may be names of one target, or
 * targets that take the same tokens, one recording of these.
 */
const originsIn = (
  entries: readonly HarEntry[],
  ignored: Record<string, number>,
  options: HarOptions,
): readonly [Reading, ...Reading[]] => {
  const baseFor = basesOf(entries, options)
  const calls = entries.flatMap((entry) => {
    const base = baseFor(entry)
    const one = base === undefined ? undefined : locate(entry, base, options)
    if (one) return [one]
    count(ignored, noCall)
    return []
  })
  const located = areQueriesLeftOut(calls.map(({ entry }) => entry)) ? withoutQueried(calls, ignored) : calls
  const groups = grouped(located, ({ url }) => url.origin)
  const read = (lists: readonly (readonly Located[])[]): readonly Recording[] => {
    const recordings = lists.map((list) => recordingOf(list, options))
    return recordings.length === 0
      ? [{ ...recordingOf([], options), ignored }]
      : recordings.map((one, i) => (i === 0 ? { ...one, ignored: { ...ignored, ...one.ignored } } : one))
  }
  const apart = speakingOf([...groups.values()], options, ignored)
  const [together = []] = sharing(apart, ({ entry }) => tokenIn(entry))
  const first: Reading = { recordings: read(apart), supposes: [] }
  if (together.length < 2) return [first]
  const rest = apart.filter((list) => !together.includes(list))
  const own = new Set(together.flat())
  const whole = located.filter((one) => own.has(one))
  const origins = [...new Set(whole.map(({ url }) => url.origin))].join(' and ')
  return [first, { recordings: read([whole, ...rest]), supposes: [{ name: 'origins', of: origins }] }]
}

/** The calls without those whose query tells what they ask for. */
const withoutQueried = (calls: readonly Located[], ignored: Record<string, number>): readonly Located[] =>
  calls.filter(({ op }) => {
    const isQueried = op.method === 'GET' && op.query !== undefined
    if (isQueried) count(ignored, 'was recorded without its query')
    return !isQueried
  })

/**
 * The lists without those of other hosts that happen to have such paths: nothing that these answered has a form of the interface, though
 * another host speaks it, and no caller shows both the same token.
 */
const speakingOf = (
  lists: readonly (readonly Located[])[],
  { target }: HarOptions,
  ignored: Record<string, number>,
): readonly (readonly Located[])[] => {
  const formOf = ({ op, entry }: Located) =>
    hasForm(op, inWords(outcomeOf(entry.response, entry.entry), target?.translate))
  const speaking = lists.filter((list) => list.some((one) => formOf(one) === true))
  const tokens = new Set(speaking.flat().map(({ entry }) => tokenIn(entry)))
  const isForeign = (list: readonly Located[]): boolean =>
    speaking.length > 0 &&
    !speaking.includes(list) &&
    list.every(({ entry }) => tokenIn(entry) === undefined || !tokens.has(tokenIn(entry)))
  return lists.filter((list) => {
    const drops = isForeign(list)
    if (drops) for (const _ of list) count(ignored, 'is of a host that does not speak the interface')
    return !drops
  })
}

/** Lists of which entries have a name in common, the most of them first. */
const sharing = <T>(
  lists: readonly (readonly T[])[],
  nameOf: (one: T) => string | undefined,
): readonly (readonly (readonly T[])[])[] => {
  const named = lists.flatMap((list) =>
    [...new Set(list.flatMap((one) => nameOf(one) ?? []))].map((name) => ({ name, list })),
  )
  const byName = [...grouped(named, ({ name }) => name).values()]
  return byName.map((own) => own.map(({ list }) => list)).sort((a, b) => b.length - a.length)
}

const trimmed = (path: string): string => path.replace(/\/+$/, '')

const below = (pathname: string, base: string): string | undefined =>
  base === '' || pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : undefined

/** The entry with the operation that it calls, if paths of the interface begin there; undefined where it calls none. */
export const locate = (entry: HarEntry, base: string, { route }: HarOptions): Located | undefined => {
  const { method, url } = entry
  const path = url && /^https?:$/.test(url.protocol) ? below(url.pathname, base) : undefined
  // No path of the document ends in a slash, lenient as servers may be.
  const found = path === undefined || path.endsWith('/') ? undefined : route(method, path)
  // A word where an id stands is a path of another interface beside this one, such as /volumes/types.
  const isOther = found && idsIn(found).some((id) => /^[a-z][a-z-]+$/.test(id))
  return url && found && !isOther ? { ...found, entry, url, base } : undefined
}

/** Values of a path that are numbers by the document. */
const idsIn = ({ op: { params }, path }: Found): readonly string[] =>
  Object.entries(path).flatMap(([name, value]) => {
    const reference = params[name]
    const type = typeof reference === 'object' ? reference.type : reference
    return type === 'string' ? [] : [value]
  })

/**
 * Where the paths of the interface begin for an entry; undefined where its origin is none that counts. As the target file says,
 * at another origin where the traffic has only that; else there is a prefix for each origin.
 */
const basesOf = (entries: readonly HarEntry[], options: HarOptions): ((entry: HarEntry) => string | undefined) => {
  const { target } = options
  if (target) {
    const { origin, pathname } = new URL(target.baseUrl)
    const base = trimmed(pathname)
    const isThere = entries.some((entry) => entry.url?.origin === origin && locate(entry, base, options))
    return ({ url }) => (isThere && url?.origin !== origin ? undefined : base)
  }
  const origins = grouped(entries, ({ url }) => url?.origin ?? 'none')
  const bases = new Map([...origins].map(([origin, own]) => [origin, commonBase(own, options)]))
  // Without a version segment a path tells little: any site may have tags.
  const isBare = [...bases.values()].every((base) => base === undefined)
  return ({ url }) => (isBare ? '' : bases.get(url?.origin ?? 'none'))
}

/** The prefix up to /v4 under which most calls are found. */
const commonBase = (entries: readonly HarEntry[], options: HarOptions): string | undefined => {
  const isFound = (base: string) => (entry: HarEntry) => locate(entry, base, options) !== undefined
  const bases = new Set(
    entries.flatMap(({ url }) =>
      [...(url?.pathname ?? '').matchAll(/\/v4(?=\/)/g)].map(({ index }) => url?.pathname.slice(0, index + 3) ?? ''),
    ),
  )
  const [best] = [...bases]
    .map((path) => ({ path, found: entries.filter(isFound(path)).length }))
    .filter(({ found }) => found > 0)
    .sort((a, b) => b.found - a.found || b.path.length - a.path.length)
  return best?.path
}

/** The recording of entries of one target. */
const recordingOf = (located: readonly Located[], { target }: HarOptions): Recording => {
  const ignored: Record<string, number> = {}
  const [first] = located
  const entries = located.map(({ entry }) => entry)
  const callerOf = callers(entries, target?.secrets)
  const senders = new Map(entries.map((entry) => [entry, callerOf(entry)]))
  const made = new Map(located.map((one) => [one.entry, madeBy(one)]))
  const ends = endsOf(entries, (entry) => made.get(entry))
  const from = first?.entry.startedAt ?? 0
  const told = located.flatMap((one) => {
    const { entry } = one
    const { surely } = entry
    const times = {
      startedAt: entry.startedAt - from,
      endedAt: (ends.get(entry) ?? from) - from,
      ...(surely && { surely: { from: surely.from - from, to: surely.to - from } }),
    }
    const event = eventOf(one, times, senders.get(entry) ?? null, target?.translate)
    if (typeof event !== 'string') return [{ entry, event }]
    count(ignored, event)
    return []
  })
  const shown = withoutReplaced(told, ignored)
  const turns = turnsOf(
    shown.map(({ entry }) => entry),
    (entry) => senders.get(entry) ?? null,
  )
  const events = withKnown(
    shown.map(({ entry, event }, i): Entry => {
      const turn = turns.get(entry)
      return { ...event, n: i + 1, ...(turn && { turn }), ...(entry.own && { own: entry.own }) }
    }),
  )
  const names = [
    ...new Set(events.flatMap((event) => (event.kind === 'hook' ? [] : 'as' in event ? event.as : event.call.as))),
  ]
  return {
    kind: 'traffic',
    environment: target ? { ...target.environment, exclusive: false } : environmentFor(names),
    baseUrl: first ? `${first.url.origin}${first.base}` : (target?.baseUrl ?? 'nowhere'),
    nonce: '',
    events,
    sequential: false,
    mayLack: true,
    listLagMs: target?.listLagMs ?? 0,
    ignored,
  }
}

/** What is left where values were replaced after the recording: what such a request asked for, or such a reply showed, is not known. */
const withoutReplaced = (told: readonly Told[], ignored: Record<string, number>): readonly Told[] => {
  const calls = told.flatMap(({ event }) => (event.kind === 'call' ? [event] : []))
  const signs = [replacedIn(calls), replacedByLength(told)]
  const inRequest = (one: CallEntry): boolean => signs.some((sign) => sign.inRequest(one))
  const byOne = replacedByOne(calls)
  const inReply = (one: CallEntry): boolean => byOne.inReply(one) || signs.some((sign) => sign.inReply(one))
  return told.map(({ entry, event }) => {
    if (event.kind !== 'call' || !(inRequest(event) || inReply(event))) return { entry, event }
    count(ignored, 'has values that were replaced in the recording')
    const { startedAt, endedAt, program, call } = event
    return {
      entry,
      event: inRequest(event)
        ? { kind: 'blank', n: 0, as: call.as, startedAt, endedAt, program }
        : { ...event, outcome: unrecorded(Number(entry.response.status), 'has values that were replaced') },
    }
  })
}

/** What is known without a target file: nothing, but that all that one credential reaches is one account's. */
export const environmentFor = (names: readonly (string | null)[]): Environment => ({
  name: 'recorded traffic',
  exclusive: false,
  accounts: names.flatMap((name) => (name === null || name === unknownToken ? [] : [{ name }])),
  users: [],
  tokens: [],
  fixtures: {},
  pins: {},
  safety: { prefix: 'ts', maxLive: {}, maxVolumeGiB: 0, allow: [] },
})

/** The event, or why the entry is not one. */
export const eventOf = (
  located: Located,
  { surely, ...span }: Pick<CallEntry, 'startedAt' | 'endedAt' | 'surely'>,
  as: string | null,
  translate: Translate,
): Entry | string => {
  const { entry, op, path } = located
  const times = { ...span, program: '' }
  const isRead = op.method === 'GET'
  if (fromCache(entry)) return 'was answered from a cache'
  if (entry.response.status === 101) return 'went on in another protocol'
  if (isSentOn(entry)) return 'was sent on to another address'
  if (entry.response.status === 406 && !acceptsJson(entry)) return 'asked for something else than JSON'
  const unknown = unknownOf(located)
  const body = unknown === undefined ? bodyOf(entry.request, op) : undefined
  if (body === undefined) {
    const why = unknown ?? 'has a request body that was not recorded'
    return isRead ? why : { kind: 'blank', n: 0, as, ...times }
  }
  const told = outcomeOf(entry.response, entry.entry, idsIn(located))
  const isOther = 'text' in told && !acceptsJson(entry)
  const outcome = isOther ? unrecorded(told.status, 'was asked for in another form than JSON') : told
  return {
    kind: 'call',
    n: 0,
    op,
    call: { operation: op.id, ...addressOf(located, translate), as, path, ...inWords(body, translate) },
    outcome: inWords(outcome, translate),
    ...times,
    ms: entry.ms,
    ...(surely && { surely }),
  }
}

/** Whether something before the target, such as what leads from http to https, named another address for the same path. */
const isSentOn = ({ response, url }: HarEntry): boolean => {
  const to = String(response.redirectURL || headerOf(response, 'location') || '')
  const isMoved = [301, 302, 303, 307, 308].includes(Number(response.status)) && URL.canParse(to, url?.href)
  return isMoved && new URL(to, url?.href).href !== url?.href
}

/** Why it is not known what was asked for, if it is not. */
const unknownOf = (located: Located): string | undefined => {
  const { entry, op, path } = located
  if (isByWorker(entry)) return 'was answered by a service worker'
  if (headerOf(entry.request, 'x-filter') !== undefined && op.method === 'GET')
    return 'asks for a part, by a header that the document does not have'
  const status = Number(entry.response.status)
  const isTaken = status >= 200 && status < 300
  const values = [...new URLSearchParams(searchOf(entry)).values()]
  // A client may leave one value empty; where none is left, they were taken.
  const isEmptied = values.length > 0 && values.every((value) => value === '')
  const isGone = idsIn(located).some((id) => /^\D+$/.test(id)) || isEmptied
  const isHidden = [...Object.values(path), ...values].some(isPlaceholder) || (isTaken && isGone)
  return isHidden ? 'names something that was kept back' : undefined
}

type Translate = NonNullable<HarOptions['target']>['translate']

/** Where a call went, in the document's words. */
const addressOf = ({ entry, url: { pathname }, base }: Located, translate: Translate) => {
  const told = searchOf(entry)
  const search = translate ? translate.url(pathname + told).slice(pathname.length) : told
  const url = (below(pathname, base) ?? pathname) + search
  return { method: entry.method, url, query: Object.fromEntries(new URLSearchParams(search)) }
}

/** What has a body, with it in the document's words. */
const inWords = <T extends object>(carrier: T, translate: Translate): T =>
  translate && 'body' in carrier ? { ...carrier, body: translate.body(carrier.body) } : carrier

/** The query of an entry, which some exporters tell beside the URL only. */
const searchOf = ({ url, request }: HarEntry): string => {
  const inUrl = url?.search ?? ''
  if (inUrl !== '' || String(request.url).includes('?') || !Array.isArray(request.queryString)) return inUrl
  const pairs = request.queryString
    .filter(isObject)
    .map(({ name, value }): [string, string] => [String(name ?? ''), String(value ?? '')])
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`
}

const acceptsJson = ({ request }: HarEntry): boolean =>
  headersOf(request)
    .filter(({ name }) => name.toLowerCase() === 'accept')
    .every(({ value }) => /json|\*\/\*|application\/\*/i.test(value))

/** The key of what a creation made, as paths name it. */
const madeBy = ({ op, entry }: Located): string | undefined => {
  if (!op.makes) return undefined
  const outcome = outcomeOf(entry.response, entry.entry)
  const body = 'body' in outcome && isObject(outcome.body) ? outcome.body : {}
  const id = [body.id, body.address, body.label].find((one) => typeof one === 'number' || typeof one === 'string')
  return id === undefined ? undefined : String(id)
}
