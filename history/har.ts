// Reads HAR 1.2 into recordings, one for each origin: which entries are calls of the interface, who sent them, what came back; nothing is judged.

import { unknownToken } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { grouped } from '../models/language/grouped.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import type { Path } from '../models/language/world.js'
import type { CallEntry, Entry } from './entry.js'
import { callers, tokenIn } from './har-callers.js'
import { areClocksUnknown, asSetBack, onOneClock } from './har-clocks.js'
import { bodyOf, hasForm, outcomeOf, unrecorded } from './har-content.js'
import { endsOf, entriesOf, fromCache, type HarEntry, type HarFile, inOneHistory, isByWorker } from './har-entries.js'
import { headerOf, headersOf } from './har-headers.js'
import { knownOf } from './har-ids.js'
import { turnsOf } from './har-lanes.js'
import { replacedIn } from './har-replaced.js'
import { seenOnce } from './har-twice.js'
import { isPlaceholder } from './placeholders.js'
import { count, type Recording } from './recording.js'

export interface HarTarget {
  readonly environment: Environment
  readonly baseUrl: string
  /** By token name. */
  readonly secrets: ReadonlyMap<string, string>
  readonly listLagMs: number
  /** From the target's words to the document's; left out where they are the same. */
  readonly translate?: { readonly body: (body: unknown) => unknown; readonly url: (url: string) => string }
}

/** What a method and a path name. */
interface Found {
  readonly op: Operation
  readonly path: Path
}

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
  readingsOf(files, options)[0] as readonly Recording[]

/** How entries are noted that are read at other times than the file gives them. */
export const clockSetBack = 'read as timed by a clock that was set back'

/** How entries of recorders are noted of which nothing tells what came before what. */
export const clocksApart = 'read apart from files of other recorders, by whose clocks it cannot be ordered'

/**
 * What the files may hold. Where times go back and nothing says why, they may be those of calls side by side, or the clock was set back.
 * Where recorders were at work at the same time, and nothing tells how their clocks differ, each file may be a history of its own.
 */
export const readingsOf = (files: readonly HarFile[], options: HarOptions): readonly (readonly Recording[])[] => {
  const told = files.map(entriesOf)
  const back = told.map(asSetBack)
  const ways = back.some(Boolean) ? [told, told.map((own, i) => back[i] ?? own)] : [told]
  const whole = ways.flatMap((way) => {
    const ignored: Record<string, number> = {}
    for (const { isCut } of files) if (isCut) count(ignored, 'was cut off with the file')
    // What is taken for set back is said, as it may excuse what the other reading shows.
    const timed = new Set(told.flat())
    for (const one of way.flat()) if (!timed.has(one)) count(ignored, clockSetBack)
    return originsIn(inOneHistory(seenOnce(onOneClock(way), ignored), ignored), ignored, options)
  })
  if (!areClocksUnknown(told)) return whole
  const apart = files.flatMap((file, i) => {
    const [[first, ...others] = []] = readingsOf([file], options)
    return first ? [{ ...first, ignored: { ...first.ignored, [clocksApart]: told[i]?.length ?? 0 } }, ...others] : []
  })
  return [...whole, apart]
}

/**
 * Recordings of each origin by itself; and, where callers show the same token at several origins, which may be names of one target, or
 * targets that take the same tokens, one recording of these.
 */
const originsIn = (
  entries: readonly HarEntry[],
  ignored: Record<string, number>,
  options: HarOptions,
): readonly (readonly Recording[])[] => {
  const baseFor = basesOf(entries, options)
  const groups = grouped(entries, (entry) => {
    const base = baseFor(entry)
    if (base !== undefined && routeOf(entry, base, options)) return entry.url?.origin
    count(ignored, 'names no operation of the interface')
    return undefined
  })
  const read = (lists: readonly (readonly HarEntry[])[]): readonly Recording[] => {
    const recordings = lists.map((list) => recordingOf(list, baseFor, options))
    return recordings.length === 0
      ? [{ ...recordingOf([], baseFor, options), ignored }]
      : recordings.map((one, i) => (i === 0 ? { ...one, ignored: { ...ignored, ...one.ignored } } : one))
  }
  const apart = speakingOf([...groups.values()], baseFor, options, ignored)
  const [together = []] = sharing(apart, tokenIn)
  if (together.length < 2) return [read(apart)]
  const rest = apart.filter((list) => !together.includes(list))
  const own = new Set(together.flat())
  const whole = entries.filter((entry) => own.has(entry))
  return [read(apart), read([whole, ...rest])]
}

/**
 * The lists without those of other hosts that happen to have such paths: nothing that these answered has a form of the interface, though
 * another host speaks it, and no caller shows both the same token.
 */
const speakingOf = (
  lists: readonly (readonly HarEntry[])[],
  baseFor: (entry: HarEntry) => string | undefined,
  options: HarOptions,
  ignored: Record<string, number>,
): readonly (readonly HarEntry[])[] => {
  const formOf = (entry: HarEntry) => {
    const op = routeOf(entry, baseFor(entry) ?? '', options)?.op
    return op && hasForm(op, inWords(outcomeOf(entry.response, entry.entry), options.target?.translate))
  }
  const speaking = lists.filter((list) => list.some((entry) => formOf(entry) === true))
  const tokens = new Set(speaking.flat().map(tokenIn))
  const isForeign = (list: readonly HarEntry[]): boolean =>
    speaking.length > 0 &&
    !speaking.includes(list) &&
    list.every((entry) => tokenIn(entry) === undefined || !tokens.has(tokenIn(entry)))
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

const routeOf = ({ method, url }: HarEntry, base: string, { route }: HarOptions) => {
  const path = url && /^https?:$/.test(url.protocol) ? below(url.pathname, base) : undefined
  // No path of the document ends in a slash, lenient as servers may be.
  const found = path === undefined || path.endsWith('/') ? undefined : route(method, path)
  // A word where an id stands is a path of another interface beside this one, such as /volumes/types.
  return found && idsIn(found.op, found.path).some((id) => /^[a-z][a-z-]+$/.test(id)) ? undefined : found
}

/** Values of a path that are numbers by the document. */
const idsIn = ({ params }: Operation, path: Path): readonly string[] =>
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
    const isThere = entries.some((entry) => entry.url?.origin === origin && routeOf(entry, base, options))
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
  const isFound = (base: string) => (entry: HarEntry) => routeOf(entry, base, options) !== undefined
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

/** The recording of entries of one target, whose paths begin where `baseFor` says. */
const recordingOf = (
  entries: readonly HarEntry[],
  baseFor: (entry: HarEntry) => string | undefined,
  options: HarOptions,
): Recording => {
  const ignored: Record<string, number> = {}
  const baseOf = (entry: HarEntry): string => baseFor(entry) ?? ''
  const [first] = entries
  const callerOf = callers(entries, options.target?.secrets)
  const senders = new Map(entries.map((entry) => [entry, callerOf(entry)]))
  const ends = endsOf(entries, (entry) => madeBy(entry, baseOf(entry), options))
  const from = first?.startedAt ?? 0
  const told = entries.flatMap((entry) => {
    const { surely } = entry
    const times = {
      startedAt: entry.startedAt - from,
      endedAt: (ends.get(entry) ?? from) - from,
      ...(surely && { surely: { from: surely.from - from, to: surely.to - from } }),
    }
    const event = eventOf(entry, times, baseOf(entry), senders.get(entry) ?? null, options)
    if (typeof event !== 'string') return [{ entry, event }]
    count(ignored, event)
    return []
  })
  const shown = withoutReplaced(told, ignored)
  const turns = turnsOf(
    shown.map(({ entry }) => entry),
    (entry) => senders.get(entry) ?? null,
  )
  const knownBy = knownOf(shown.flatMap(({ event }) => (event.kind === 'call' ? [event] : [])))
  const events = shown.map(({ entry, event }, i): Entry => {
    const turn = turns.get(entry)
    const known = event.kind === 'call' && knownBy.get(event)
    return { ...event, n: i + 1, ...(turn && { turn }), ...(entry.own && { own: entry.own }), ...(known && { known }) }
  })
  const names = [
    ...new Set(events.flatMap((event) => (event.kind === 'hook' ? [] : 'as' in event ? event.as : event.call.as))),
  ]
  return {
    kind: 'traffic',
    environment: options.target ? { ...options.target.environment, exclusive: false } : environmentFor(names),
    baseUrl: first ? `${first.url?.origin}${baseOf(first)}` : (options.target?.baseUrl ?? 'nowhere'),
    nonce: '',
    events,
    sequential: false,
    mayLack: true,
    listLagMs: options.target?.listLagMs ?? 0,
    ignored,
  }
}

interface Told {
  readonly entry: HarEntry
  readonly event: Entry
}

/** What is left where values were replaced after the recording: what such a request asked for, or such a reply showed, is not known. */
const withoutReplaced = (told: readonly Told[], ignored: Record<string, number>): readonly Told[] => {
  const { inRequest, inReply } = replacedIn(told.flatMap(({ event }) => (event.kind === 'call' ? [event] : [])))
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
  entry: HarEntry,
  { surely, ...span }: Pick<CallEntry, 'startedAt' | 'endedAt' | 'surely'>,
  base: string,
  as: string | null,
  options: HarOptions,
): Entry | string => {
  const { url, ms } = entry
  const found = routeOf(entry, base, options)
  if (!found || !url) return 'names no operation of the interface'
  const times = { ...span, program: '' }
  const isRead = found.op.method === 'GET'
  if (fromCache(entry)) return 'was answered from a cache'
  if (entry.response.status === 101) return 'went on in another protocol'
  if (isSentOn(entry)) return 'was sent on to another address'
  if (entry.response.status === 406 && !acceptsJson(entry)) return 'asked for something else than JSON'
  const unknown = unknownOf(entry, found)
  const body = unknown === undefined ? bodyOf(entry.request, found.op) : undefined
  if (body === undefined) {
    const why = unknown ?? 'has a request body that was not recorded'
    return isRead ? why : { kind: 'blank', n: 0, as, ...times }
  }
  const { translate } = options.target ?? {}
  const outcome = outcomeOf(entry.response, entry.entry, idsIn(found.op, found.path))
  return {
    kind: 'call',
    n: 0,
    op: found.op,
    call: {
      operation: found.op.id,
      ...addressOf(entry, url, base, translate),
      as,
      path: found.path,
      ...inWords(body, translate),
    },
    outcome: inWords(outcome, translate),
    ...times,
    ms,
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
const unknownOf = (entry: HarEntry, { op, path }: Found): string | undefined => {
  if (isByWorker(entry)) return 'was answered by a service worker'
  if (headerOf(entry.request, 'x-filter') !== undefined && op.method === 'GET')
    return 'asks for a part, by a header that the document does not have'
  const status = Number(entry.response.status)
  const isTaken = status >= 200 && status < 300
  const isHidden =
    Object.values(path).some(isPlaceholder) || (isTaken && idsIn(op, path).some((id) => /^\D+$/.test(id)))
  return isHidden ? 'names something that was kept back' : undefined
}

type Translate = NonNullable<HarOptions['target']>['translate']

/** Where a call went, in the document's words. */
const addressOf = (entry: HarEntry, { pathname }: URL, base: string, translate: Translate) => {
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
const madeBy = (entry: HarEntry, base: string, options: HarOptions): string | undefined => {
  if (!routeOf(entry, base, options)?.op.makes) return undefined
  const outcome = outcomeOf(entry.response, entry.entry)
  const body = 'body' in outcome && isObject(outcome.body) ? outcome.body : {}
  const id = [body.id, body.address, body.label].find((one) => typeof one === 'number' || typeof one === 'string')
  return id === undefined ? undefined : String(id)
}
