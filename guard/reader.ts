// Reads what went by as calls of the interface: who called, what was asked, what came back; nothing is judged.

import { createTrafficSecrets, type TrafficSecrets } from '../driver/traffic-secrets.js'
import type { Entry } from '../history/entry.js'
import { eventOf, locate, noCall } from '../history/har.js'
import type { HarEntry } from '../history/har-entries.js'
import type { Json } from '../history/har-headers.js'
import { unknownToken } from '../models/language/access.js'
import { fieldOf, fieldsOf, harEntryOf, textOf } from './har-log.js'
import { harOptionsOf, type RecordedTarget } from './har-options.js'
import type { Ended, PassedRequest, UnderWay } from './traffic.js'

export interface ReadExchange {
  /** As a HAR has it, secrets included. */
  readonly har: Json
  /** A token of the target file, `?1` and so on, or null for nobody. */
  readonly as: string | null
  /** The call, or why it is none. */
  readonly entry: Entry | string
}

export interface Reader {
  readonly secrets: TrafficSecrets
  /** Learns the secrets of what went by. */
  readonly hear: (passing: UnderWay | Ended) => void
  readonly read: (ended: Ended) => ReadExchange
}

/** @param from when the guard began, in milliseconds since the epoch */
export const createReader = (target: RecordedTarget, from: number): Reader => {
  const { origin, pathname } = new URL(target.baseUrl)
  const own = pathname.replace(/\/+$/, '')
  const secrets = createTrafficSecrets(target.secrets)
  const callerOf = createCallers(target.secrets)
  const options = harOptionsOf(target)
  const hear = (passing: UnderWay | Ended): void => {
    const { request } = passing
    const caller = callerOf(request) ?? unknownToken
    secrets.hearUrl(request.url, caller)
    for (const message of [request, ...(passing.kind === 'ended' && passing.reply ? [passing.reply] : [])]) {
      secrets.hearHeaders(fieldsOf(message.headers), caller)
      secrets.hearBody(textOf(message) ?? '')
    }
  }
  const read = (ended: Ended): ReadExchange => {
    const { request, n, startedAt, endedAt } = ended
    const as = callerOf(request)
    const har = harEntryOf(ended, origin, from)
    const base = own === '' && /^\/v4\//.test(request.url) ? '/v4' : own
    const located = locate(asHarEntry(har, ended), base, options)
    const entry = located ? eventOf(located, { startedAt, endedAt }, as, options.target?.translate) : noCall
    return {
      har,
      as,
      entry: typeof entry === 'string' ? entry : { ...entry, n },
    }
  }
  return { secrets, hear, read }
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

/** The most credentials that are told apart beyond those of the target file. */
const mostStrangers = 1000

/** Who calls. One who shows something else than a token is not known, and not nobody either. */
const createCallers = (secrets: ReadonlyMap<string, string>): ((request: PassedRequest) => string | null) => {
  const names = new Map([...secrets].map(([name, secret]) => [secret, name]))
  let strangers = 0
  return ({ headers }) => {
    const authorization = fieldOf(headers, 'authorization')
    if (authorization === undefined) return showsOther(headers) ? unknownToken : null
    const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    if (secret === undefined) return unknownToken
    if (!names.has(secret) && strangers < mostStrangers) {
      strangers += 1
      names.set(secret, `${unknownToken}${strangers}`)
    }
    return names.get(secret) ?? unknownToken
  }
}

const showsOther = (headers: readonly string[]): boolean =>
  headers.some((name, i) => i % 2 === 0 && /auth|cookie|token|api-?key|session|cert/i.test(name))
