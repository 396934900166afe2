// The suite's HTTP client: wire calls to requests, replies to outcomes, at the target's pace; it judges nothing.

import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { extname } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { type Dispatcher, FormData } from 'undici'
import type { Target } from '../config/target-file.js'
import { packageVersion } from '../config/version.js'
import { createVocabulary, type Vocabulary } from '../config/vocabulary.js'
import type { SendableCall } from '../history/calls.js'
import type { Outcome } from '../history/wire.js'
import { interfaceVersion } from '../models/index.js'
import { damagedToken, wrongToken } from '../models/language/access.js'
import { mediaTypes } from '../models/ticket-attachments/record.js'
import { createBackoff, mayBeBusy, pauseOf } from './backoff.js'
import { openConnections } from './connections.js'
import { createCrowd } from './crowd.js'
import { exchange, type HttpReply, type HttpRequest } from './exchange.js'
import type { Lost } from './loss.js'
import { createLimiter } from './rate.js'
import { createRedaction, type Redaction } from './redact.js'
import type { Transport } from './session.js'
import { pastCaches } from './stored.js'

export interface ClientOptions extends Pick<Target, 'baseUrl' | 'secrets' | 'vocabulary' | 'proxy' | 'tls'> {
  readonly pace: Pick<Target['pace'], 'perSecond' | 'concurrency' | 'requestTimeoutMs'>
  /** Names the run in a header of every request; letters, digits and hyphens. */
  readonly correlation: string
  /** Whether nothing is to be sent any more. Waiting calls are given up then. */
  readonly isSpent?: () => boolean
  /** How many milliseconds a call that is sent now may take, if less than the target file says. */
  readonly leftMs?: () => number
  /** Whether what can be read of a body counts, whatever its head says of it: to remove things, not to judge. */
  readonly isLenient?: boolean
  /** Whether old replies of a cache may be passed over; true when left out. */
  readonly isShielded?: boolean
  /** Told the step and the status of each such reply, before the call is sent past the cache. */
  readonly assume?: (step: number, status: number) => void
}

export interface Client extends Transport {
  /** Aborts calls under way and closes all connections. */
  readonly close: () => Promise<void>
  /** How many requests have been sent, repetitions included. */
  readonly requests: () => number
}

/** How far requests are moved apart at most where they are turned away by turns: those are not sent again as others are. */
const widestByTurnsMs = 100
/** How soon a wait notices that nothing is to be sent any more. */
const lookEveryMs = 250
/** The most characters that are kept of a body that is not JSON. */
const mostText = 16_384
/** The deepest JSON that is taken: deeper values would overflow the stack of code that walks them. */
const mostLevels = 500

/** A transport over HTTP. Whatever the target does is an outcome: `send` neither rejects nor hangs. */
export const createClient = (options: ClientOptions): Client => {
  let pool = openPool(options, options.pace.concurrency)
  const closing = new AbortController()
  // As many calls as are under way may wait for it; Node.js warns of a leak above ten.
  setMaxListeners(0, closing.signal)
  const limiter = createLimiter(options.pace.perSecond)
  const reading: Reading = {
    redaction: createRedaction(options.secrets),
    vocabulary: createVocabulary(options.vocabulary),
    isLenient: options.isLenient === true,
  }
  const requestOf = createRequests(options, reading.vocabulary)
  // A target that takes few connections counts idle ones as well.
  const resize = (most: number): void => {
    pool.close().catch(ignoreClosing)
    pool = openPool(options, Math.min(most, options.pace.concurrency))
  }
  const crowd = createCrowd({ resize, slow: () => limiter.slow(widestByTurnsMs) })
  let requests = 0
  const noteLength = createLengths()
  const backoff = createBackoff(limiter.slow, () => requests)
  /** The latest read that was answered. */
  let answered: HttpRequest | undefined

  const isEnded = (): boolean => closing.signal.aborted || options.isSpent?.() === true

  const sendNow = async (request: HttpRequest): Promise<HttpReply | Lost> => {
    await waitUntil(performance.now() + limiter.reserve(), isEnded, closing.signal)
    if (isEnded()) return { lost: 'refused', detail: 'the client is closed; nothing was sent' }
    requests += 1
    return noteLength(await crowd.admit(request.method, () => exchange(pool, request, timeoutOf(options))))
  }
  const sendOnce = pastCaches(sendNow, options.isShielded === false ? new Map() : options.secrets)

  const isShut = async (): Promise<boolean> => {
    if (answered === undefined) return false
    const reply = await sendOnce(answered)
    return 'status' in reply && mayBeBusy(reply)
  }

  /** The outcome of a reply, or how long to wait before the request is sent again. */
  const weigh = async (
    request: HttpRequest,
    reply: HttpReply,
    repetition: number,
    waitedMs: number,
  ): Promise<Outcome | { readonly pauseMs: number }> => {
    // A write that was answered 503 may have taken effect: sent again, it would take effect twice.
    if (reply.status === 503 && request.method !== 'GET') {
      limiter.hold(pauseOf(reply))
      return outcomeOf(reply, reading)
    }
    const resort = mayBeBusy(reply) ? await backoff.resort(reply, repetition, waitedMs, isShut) : undefined
    if (resort) return 'lost' in resort ? resort.lost : resort
    if (request.method === 'GET' && reply.status < 300) answered = request
    return outcomeOf(reply, reading)
  }

  const send = async (call: SendableCall, step: number): Promise<Outcome> => {
    const request = requestOf(call, step)
    if (request === undefined) return noSecret(call)
    let waitedMs = 0
    let before: HttpReply | undefined
    for (let repetition = 0; ; repetition += 1) {
      const reply = await sendOnce(request, ({ status }) => options.assume?.(step, status))
      if ('lost' in reply) return reply
      // A creation may have come to find room that another left.
      if (before && request.method !== 'POST' && !mayBeBusy(reply)) backoff.helped(before)
      before = reply
      const next = await weigh(request, reply, repetition, waitedMs)
      if (!('pauseMs' in next)) return next
      waitedMs += next.pauseMs
      limiter.hold(next.pauseMs)
    }
  }

  const close = (): Promise<void> => {
    closing.abort()
    return pool.destroy()
  }
  return { send, requests: () => requests, close }
}

/** Waits until a time of `performance.now`, or until nothing is to be sent any more. */
const waitUntil = async (until: number, isEnded: () => boolean, signal: AbortSignal): Promise<void> => {
  for (let leftMs = until - performance.now(); leftMs > 0 && !isEnded(); leftMs = until - performance.now())
    await sleep(Math.min(leftMs, lookEveryMs), undefined, { signal }).catch(ignoreClosing)
}

/** Milliseconds. */
const timeoutOf = ({ pace, leftMs = () => Number.POSITIVE_INFINITY }: ClientOptions): number =>
  Math.max(1, Math.min(pace.requestTimeoutMs, Math.ceil(leftMs())))

const noSecret = ({ as }: SendableCall): Lost => ({
  lost: 'refused',
  detail: `suite defect: no secret for the token ${as}; nothing was sent`,
})

/** Adds to what came of a reply how much of others had come whole. */
const createLengths = () => {
  let longestWhole = 0
  return (reply: HttpReply | Lost): HttpReply | Lost => {
    if ('status' in reply) longestWhole = Math.max(longestWhole, reply.bytes)
    return 'lost' in reply && reply.bytes !== undefined ? { ...reply, longestWhole } : reply
  }
}

/** A wait fails only when it is aborted, and the caller checks the signal itself. */
const ignoreClosing = (): void => undefined

const openPool = ({ baseUrl, pace, proxy, tls }: ClientOptions, connections: number): Dispatcher =>
  openConnections({ origin: new URL(baseUrl).origin, connections, timeoutMs: pace.requestTimeoutMs, proxy, tls })

/** Builds requests; undefined for a token whose secret is not known. */
const createRequests = (
  { baseUrl, secrets, correlation }: ClientOptions,
  vocabulary: Vocabulary | undefined,
): ((call: SendableCall, step: number) => HttpRequest | undefined) => {
  const prefix = new URL(baseUrl).pathname.replace(/\/+$/, '')
  const authorizations = new Map([...secrets].map(([name, secret]) => [name, `Bearer ${secret}`]))
  for (const [name, secret] of secrets) {
    authorizations.set(damagedToken('doubled', name), `Bearer ${secret}${secret}`)
    authorizations.set(damagedToken('prefixed', name), `Bearer x${secret}`)
    authorizations.set(damagedToken('basic', name), `Basic ${secret}`)
    authorizations.set(damagedToken('token', name), `Token ${secret}`)
    authorizations.set(damagedToken('bare', name), secret)
  }
  authorizations.set(wrongToken, `Bearer ${randomBytes(24).toString('hex')}`)
  return (call, step) => {
    const authorization = call.as === null ? undefined : authorizations.get(call.as)
    if (call.as !== null && authorization === undefined) return undefined
    const body = bodyOf(call, vocabulary)
    const headers = [
      'accept',
      'application/json',
      'accept-encoding',
      'identity',
      'user-agent',
      userAgent,
      stepHeader,
      `${correlation}-${step}`,
    ]
    if (authorization !== undefined) headers.push('authorization', authorization)
    // A form brings its own content type, with its boundary.
    if (typeof body === 'string') headers.push('content-type', 'application/json')
    return { method: call.method, path: prefix + (vocabulary ? vocabulary.url(call.url) : call.url), headers, body }
  }
}

const userAgent = `touchstone/${packageVersion()} (interface ${interfaceVersion})`
const stepHeader = 'x-touchstone-step'

const bodyOf = (call: SendableCall, vocabulary: Vocabulary | undefined): HttpRequest['body'] => {
  if (call.raw !== undefined) return call.raw
  if (call.file) return formOf(call.file, call.content ?? '')
  if (call.body === undefined) return null
  return JSON.stringify(vocabulary ? vocabulary.body(call.body) : call.body)
}

const formOf = ({ field, name }: NonNullable<SendableCall['file']>, content: string): FormData => {
  const form = new FormData()
  form.append(field, new Blob([Buffer.from(content, 'latin1')], { type: mediaTypeOf(name) }), name)
  return form
}

const mediaTypeOf = (name: string): string =>
  mediaTypes[extname(name).slice(1).toLowerCase()] ?? 'application/octet-stream'

interface Reading {
  readonly redaction: Redaction
  readonly vocabulary: Vocabulary | undefined
  readonly isLenient: boolean
}

const outcomeOf = (
  { status, contentType: type, text, lie }: HttpReply,
  { redaction, vocabulary, isLenient }: Reading,
): Outcome => {
  const contentType = type === undefined ? {} : { contentType: redaction.text(type) }
  if (text === '') return { status, ...contentType }
  // Clients that read such a body get nothing, whatever could be guessed from it.
  if (lie !== undefined && !isLenient)
    return { status, text: `(${lie}) ${shortened(redaction.text(text))}`, ...contentType }
  const parsed = parse(isLenient ? text.replace(/^\ufeff/, '') : text)
  if (parsed === undefined)
    return foreignOf(status, text, type) ?? { status, text: shortened(redaction.text(text)), ...contentType }
  if (text.length > 2 * mostLevels && isDeeper(parsed.body, mostLevels))
    return { lost: 'too-large', detail: `a reply of status ${status} that is nested more than ${mostLevels} deep` }
  if (/\d{16}/.test(text) && hasInexact(parsed.body))
    return {
      lost: 'too-large',
      detail: `a reply of status ${status} with an integer beyond 2^53, which is not read exactly`,
    }
  const body = redaction.value(parsed.body, text)
  return { status, body: vocabulary ? vocabulary.reply(body) : body, ...contentType }
}

/** How a page in place of a result is told. */
export const pageOfHtml = 'a page of HTML'

/** A reply that is not the target's own: a page in place of a result, or a reply with a part missing. */
const foreignOf = (status: number, text: string, type: string | undefined): Outcome | undefined => {
  const isResult = status >= 200 && status < 300
  if (isResult && /^\s*text\/html\b/i.test(type ?? '') && /^\s*</.test(text))
    return { lost: 'foreign', detail: `${pageOfHtml} with status ${status}` }
  if (/^\s*[[{]/.test(text) && isCutOff(text))
    return {
      lost: 'foreign',
      detail: `a body that ends in the middle, after status ${status} and ${text.length} characters`,
    }
  return undefined
}

/** Whether brackets are still open at the end of a text. */
const isCutOff = (text: string): boolean => {
  const errors: ParseError[] = []
  parseTree(text, errors)
  return errors.some(
    ({ error, offset }) => offset >= text.length && /^Close\w+Expected$/.test(printParseErrorCode(error)),
  )
}

/** The parsed text; undefined if it is no JSON. */
const parse = (text: string): { readonly body: unknown } | undefined => {
  try {
    return { body: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const shortened = (text: string): string =>
  text.length <= mostText ? text : `${text.slice(0, mostText)}… (${text.length - mostText} characters more)`

/** Whether a number was too large to keep all of its digits. */
const hasInexact = (value: unknown): boolean =>
  typeof value === 'number'
    ? Number.isInteger(value) && !Number.isSafeInteger(value)
    : typeof value === 'object' && value !== null && Object.values(value).some(hasInexact)

const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  for (const member of Array.isArray(value) ? value : Object.values(value))
    if (typeof member === 'object' && isDeeper(member, levels - 1)) return true
  return false
}
