// Reads what went by as calls of the interface: who called, what was asked, what came back; nothing is judged.

import type { Entry } from '../history/entry.js'
import { eventOf, locate, noCall } from '../history/har.js'
import type { HarEntry } from '../history/har-entries.js'
import type { Json } from '../history/har-headers.js'
import { unknownToken } from '../models/language/access.js'
import { fieldOf, harEntryOf } from './har-log.js'
import { harOptionsOf, type RecordedTarget } from './har-options.js'
import type { Ended, PassedRequest } from './traffic.js'

export interface ReadExchange {
  /** As a HAR has it, secrets included. */
  readonly har: Json
  /** A token of the target file, `?1` and so on, or null for nobody. */
  readonly as: string | null
  /** The call, or why it is none. */
  readonly entry: Entry | string
  /** Removes the caller's credential from a text. */
  readonly clean: (text: string) => string
}

/** @param from when the guard began, in milliseconds since the epoch */
export const createReader = (target: RecordedTarget, from: number): ((ended: Ended) => ReadExchange) => {
  const { origin, pathname } = new URL(target.baseUrl)
  const own = pathname.replace(/\/+$/, '')
  const callerOf = createCallers(target.secrets)
  const options = harOptionsOf(target)
  return (ended) => {
    const { request, n, startedAt, endedAt } = ended
    const { as, secret } = callerOf(request)
    const clean = cleaner(secret, as, target.secrets)
    const har = cleaned(harEntryOf(ended, origin, from), clean)
    const base = own === '' && /^\/v4\//.test(request.url) ? '/v4' : own
    const located = locate(asHarEntry(har, ended), base, options)
    const entry = located ? eventOf(located, { startedAt, endedAt }, as, options.target?.translate) : noCall
    return {
      har,
      as,
      entry: typeof entry === 'string' ? entry : { ...entry, n },
      clean,
    }
  }
}

const asHarEntry = (har: Json, { n, startedAt, endedAt }: Ended): HarEntry => {
  const { request, response } = har as { readonly request: Json; readonly response: Json }
  return {
    entry: har,
    request,
    response,
    method: String(request.method),
    url: new URL(String(request.url)),
    place: n,
    toldAt: startedAt,
    unitMs: 0,
    startedAt,
    endedAt,
    surely: undefined,
    ms: endedAt - startedAt,
    msUnit: 0,
    isTimed: true,
  }
}

interface Caller {
  readonly as: string | null
  /** What it has shown; undefined where there is nothing to hide. */
  readonly secret: string | undefined
}

/** The most credentials that are told apart beyond those of the target file. */
const mostStrangers = 1000

/** Who calls. One who shows something else than a token is not known, and not nobody either. */
const createCallers = (secrets: ReadonlyMap<string, string>): ((request: PassedRequest) => Caller) => {
  const names = new Map([...secrets].map(([name, secret]) => [secret, name]))
  let strangers = 0
  return ({ headers }) => {
    const authorization = fieldOf(headers, 'authorization')
    if (authorization === undefined) return { as: showsOther(headers) ? unknownToken : null, secret: undefined }
    const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    if (secret === undefined) return { as: unknownToken, secret: authorization.replace(/^\S+ +/, '') }
    if (!names.has(secret) && strangers < mostStrangers) {
      strangers += 1
      names.set(secret, `${unknownToken}${strangers}`)
    }
    return { as: names.get(secret) ?? unknownToken, secret }
  }
}

const showsOther = (headers: readonly string[]): boolean =>
  headers.some((name, i) => i % 2 === 0 && /auth|cookie|token|api-?key|session|cert/i.test(name))

/** A target may show again what it was sent. */
const cleaned = (har: Json, clean: (text: string) => string): Json => {
  const { request, response, ...rest } = har as Readonly<Record<'request' | 'response', Json>>
  const text = (part: unknown): Json => {
    const { text: told, ...others } = part as Json
    return typeof told === 'string' ? { ...others, text: clean(told) } : others
  }
  return {
    ...rest,
    request: {
      ...request,
      url: clean(String(request.url)),
      ...(request.postData !== undefined && { postData: text(request.postData) }),
    },
    response: { ...response, content: text(response.content) },
  }
}

/** A shorter one may be part of an ordinary word. */
const leastSecret = 8

const cleaner = (secret: string | undefined, as: string | null, known: ReadonlyMap<string, string>) => {
  const all: readonly (readonly [string, string])[] = [
    ...(secret === undefined ? [] : [[as ?? '', secret] as const]),
    ...known,
  ]
    .filter(([, one]) => one.length >= leastSecret)
    .flatMap(([name, one]) =>
      one.includes('/') ? [[name, one] as const, [name, one.replaceAll('/', '\\/')] as const] : [[name, one] as const],
    )
  return (text: string): string =>
    all.reduce((left, [name, one]) => (left.includes(one) ? left.replaceAll(one, `«token ${name}»`) : left), text)
}
