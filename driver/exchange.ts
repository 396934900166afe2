// One HTTP request and its whole reply, bounded in time and size; not what the reply means.

import zlib, { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import type { Dispatcher, FormData } from 'undici'
import { type Lost, lossOf } from './loss.js'
import { type Fields, type Making, makingOf } from './stored.js'

export interface HttpRequest {
  readonly method: string
  readonly path: string
  /** Header names and values by turns. */
  readonly headers: readonly string[]
  readonly body: string | FormData | null
}

export interface HttpReply {
  readonly status: number
  readonly contentType: string | undefined
  readonly retryAfter: string | undefined
  readonly making: Making
  readonly text: string
  /** Of the body as it was sent. */
  readonly bytes: number
  /** Why the body cannot be read as its headers say. `text` holds what could be read of it. */
  readonly lie?: string
}

/** The largest reply that is read, in bytes. */
export const maxReplyBytes = 4 * 1024 * 1024
/** A body longer than this counts as endless. */
const endlessBytes = 64 * 1024 * 1024

/** Sends a request. Every failure is an outcome, and it ends after `timeoutMs` whatever the target does. */
export const exchange = (
  pool: Dispatcher,
  { method, path, headers, body }: HttpRequest,
  timeoutMs: number,
): Promise<HttpReply | Lost> =>
  new Promise((resolve) => {
    const receipt = openReceipt(timeoutMs, resolve)
    pool.dispatch({ method, path, headers: headers as string[], body: body as string }, receipt)
  })

/** Reads a reply until it is complete, fails, grows too large or takes too long. `end` is called once. */
const openReceipt = (timeoutMs: number, end: (result: HttpReply | Lost) => void): Dispatcher.DispatchHandler => {
  const gathered = gather()
  let controller: Dispatcher.DispatchController | undefined
  let isOver = false
  const finish = (result: HttpReply | Lost): void => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    end(result)
  }
  const giveUp = (lost: Lost): void => {
    finish(lost)
    controller?.abort(givenUp)
  }
  const tooLate = (): void =>
    giveUp(
      controller
        ? { lost: 'timeout', ...gathered.begun(), detail: gathered.lateness(timeoutMs) }
        : { lost: 'refused', detail: `no connection within ${timeoutMs} ms; nothing was sent` },
    )
  const timer = setTimeout(tooLate, timeoutMs)
  return {
    // A request whose time runs out while it waits for a connection is not sent.
    onRequestStart: (started) => {
      controller = started
      if (isOver) started.abort(givenUp)
    },
    onResponseStart: (_, status, fields) => gathered.begin(status, fields),
    onResponseData: (_, chunk) => {
      if (gathered.add(chunk) > endlessBytes)
        giveUp({ lost: 'timeout', detail: `no end of it, ${gathered.progress()}` })
    },
    onResponseEnd: () => finish(gathered.reply()),
    onResponseError: (_, error) => finish({ ...lossOf(error, gathered.progress()), ...gathered.begun() }),
  }
}

const givenUp = new Error('given up')

/** A reply as it comes in. */
const gather = () => {
  let status = 0
  let fields: Fields = {}
  let size = 0
  let first: Buffer | undefined
  let rest: Buffer[] | undefined
  const progress = (): string => (status === 0 ? '' : `after status ${status} and ${size} bytes of the body`)
  return {
    progress,
    begun: (): Pick<Lost, 'bytes'> => (status === 0 ? {} : { bytes: size }),
    // An interim reply (1xx) is replaced by the one that follows it.
    begin: (nextStatus: number, nextFields: Fields): void => {
      status = nextStatus
      fields = nextFields
    },
    /** Returns the size so far. */
    add: (chunk: Buffer): number => {
      size += chunk.length
      if (size > maxReplyBytes) [first, rest] = [undefined, undefined]
      else if (first === undefined) first = chunk
      else {
        rest ??= [first]
        rest.push(chunk)
      }
      return size
    },
    reply: (): HttpReply | Lost => {
      const body = rest ? Buffer.concat(rest, size) : first
      const codings = codingsOf(fields)
      if (isBeyondUs(body, codings))
        return {
          lost: 'too-large',
          detail: 'a reply that is coded as zstd, which this version of Node.js does not read',
        }
      const read = size > maxReplyBytes ? undefined : decoded(body, codings)
      if (read === undefined) return { lost: 'too-large', detail: `a reply of more than ${maxReplyBytes} bytes` }
      return {
        status,
        contentType: single(fields['content-type']),
        retryAfter: single(fields['retry-after']),
        making: makingOf(fields),
        bytes: size,
        ...read,
      }
    },
    lateness: (timeoutMs: number): string =>
      status === 0 ? `no reply within ${timeoutMs} ms` : `no end of it within ${timeoutMs} ms, ${progress()}`,
  }
}

type Decoder = (body: Buffer, options: { readonly maxOutputLength: number }) => Buffer

/** Some leave out the wrapper, by which its first byte could be told (RFC 9110, 8.4.1.2). */
const inflate: Decoder = (body, options) =>
  ((body[0] ?? 0) & 0x0f) === 8 && body.readUInt16BE() % 31 === 0
    ? inflateSync(body, options)
    : inflateRawSync(body, options)

/** Node.js has it from 22.15 on. */
const unzstd = (zlib as { readonly zstdDecompressSync?: Decoder }).zstdDecompressSync

/** What a frame of zstd begins with (RFC 8878, 3.1.1). */
const zstdStart = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** Whether a body is coded as its headers say, in a way that cannot be undone here. */
const isBeyondUs = (body: Buffer | undefined, codings: readonly Coding[]): boolean =>
  !unzstd && codings.at(-1)?.name === 'zstd' && body?.subarray(0, 4).equals(zstdStart) === true

const decoders: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflate],
  ['br', brotliDecompressSync],
  ...(unzstd ? ([['zstd', unzstd]] as const) : []),
  ['identity', (body) => body],
])

/** One of the ways in which a body is coded, and the header that says so. */
interface Coding {
  readonly header: 'content-encoding' | 'transfer-encoding'
  readonly name: string
}

/** A body as text, and in what way it contradicts its headers. */
interface Decoded {
  readonly text: string
  readonly lie?: string
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * The text of a body; undefined where it is too large. A coding that was not asked for is undone where it can be; a body that is not what
 * it says stays as it is.
 */
const decoded = (body: Buffer | undefined, codings: readonly Coding[]): Decoded | undefined => {
  if (!body) return { text: '' }
  let bytes = body
  for (const { header, name } of codings.toReversed()) {
    const decode = decoders.get(name)
    if (!decode) return { text: body.toString(), lie: `its ${header} is ${name}, which was not asked for` }
    try {
      bytes = decode(bytes, { maxOutputLength: maxReplyBytes })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined
      return { text: body.toString(), lie: `its ${header} is ${name}, and it is not so encoded` }
    }
  }
  return textOf(bytes)
}

const textOf = (bytes: Buffer): Decoded => {
  try {
    return { text: utf8.decode(bytes) }
  } catch {
    return { text: bytes.toString(), lie: 'it is not UTF-8' }
  }
}

/** How a body was coded by the target, and then on its way (RFC 9112, 7), in the order in which that was done. */
const codingsOf = (fields: Fields): readonly Coding[] =>
  (['content-encoding', 'transfer-encoding'] as const).flatMap((header) =>
    [fields[header] ?? []]
      .flat()
      .flatMap((line) => line.toLowerCase().split(','))
      .map((name) => ({ header, name: name.trim() }))
      // In chunks it was read already.
      .filter(({ name }) => name !== '' && !(header === 'transfer-encoding' && name === 'chunked')),
  )

const single = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value)
