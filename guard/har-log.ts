// Exchanges that went by as entries of a HAR, and the file they are written to; what is written holds no secret.

import { closeSync, openSync, writeSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib'
import { packageVersion } from '../config/version.js'
import type { TrafficSecrets } from '../driver/traffic-secrets.js'
import type { Json } from '../history/har-headers.js'
import { isPlainHeader } from '../history/header-secrets.js'
import { masked } from '../history/masking.js'
import type { Ended, Passed, PassedRequest } from './traffic.js'

/** The largest body that is unpacked. */
const mostBytes = 16 * 1024 * 1024

/** An entry as history/har.ts reads it, secrets included. */
export const harEntryOf = (
  { startedAt, endedAt, request, reply, broken }: Ended,
  origin: string,
  from: number,
): Json => ({
  startedDateTime: timeOf(from + startedAt),
  time: endedAt - startedAt,
  request: {
    method: request.method,
    url: urlOf(request, origin),
    httpVersion: `HTTP/${request.httpVersion}`,
    headers: pairsOf(request.headers),
    queryString: [...new URL(urlOf(request, origin)).searchParams].map(([name, value]) => ({ name, value })),
    cookies: [],
    headersSize: -1,
    bodySize: request.size,
    ...postDataOf(request),
  },
  response: reply
    ? {
        status: reply.status,
        statusText: reply.statusText,
        httpVersion: `HTTP/${reply.httpVersion}`,
        headers: pairsOf(reply.headers),
        cookies: [],
        redirectURL: fieldOf(reply.headers, 'location') ?? '',
        headersSize: -1,
        bodySize: reply.size,
        content: contentOf(reply),
        ...(broken !== undefined && { _error: broken }),
      }
    : { ...noReply, _error: broken ?? 'no reply' },
  cache: {},
  timings: { send: 0, wait: endedAt - startedAt, receive: 0 },
})

/** With microseconds, so that calls which follow each other closely are told apart. */
const timeOf = (ms: number): string => {
  const micros = Math.floor((ms % 1) * 1000)
  return new Date(Math.floor(ms)).toISOString().replace('Z', `${String(micros).padStart(3, '0')}Z`)
}

const noReply = {
  status: 0,
  statusText: '',
  httpVersion: '',
  headers: [],
  cookies: [],
  redirectURL: '',
  headersSize: -1,
  bodySize: -1,
  content: { size: 0, mimeType: '' },
}

/** A URL that the platform can't read stays a path of its own. */
export const urlOf = ({ url }: PassedRequest, origin: string): string =>
  url.startsWith('/') && URL.canParse(origin + url) ? origin + url : `${origin}/`

export const fieldOf = (headers: readonly string[], name: string): string | undefined => {
  for (let i = 0; i < headers.length; i += 2) if (headers[i]?.toLowerCase() === name) return headers[i + 1]
  return undefined
}

export const fieldsOf = (headers: readonly string[]): readonly (readonly [name: string, value: string])[] =>
  Array.from({ length: headers.length / 2 }, (_, i) => [headers[2 * i] ?? '', headers[2 * i + 1] ?? ''])

const pairsOf = (headers: readonly string[]): readonly Json[] =>
  fieldsOf(headers).map(([name, value]) => ({ name, value }))

/** The text of a body; undefined where it can't be told. */
export const textOf = (message: Passed): string | undefined => unpacked(message)?.toString()

const postDataOf = (request: PassedRequest): Json => {
  if (request.size === 0 || request.body === undefined) return {}
  const mimeType = fieldOf(request.headers, 'content-type') ?? ''
  const bytes = unpacked(request)
  // Of a form the number of bytes counts, and they may be no text.
  const text = bytes && (/^multipart\//i.test(mimeType) ? bytes.toString('latin1') : bytes.toString())
  return text === undefined ? {} : { postData: { mimeType, text } }
}

const contentOf = (reply: Passed): Json => {
  const mimeType = fieldOf(reply.headers, 'content-type') ?? ''
  const bytes = unpacked(reply)
  return bytes ? { size: bytes.length, mimeType, text: bytes.toString() } : { size: reply.size, mimeType }
}

const unpackers: Readonly<Record<string, (body: Uint8Array, options: { readonly maxOutputLength: number }) => Buffer>> =
  {
    gzip: gunzipSync,
    'x-gzip': gunzipSync,
    deflate: inflateSync,
    br: brotliDecompressSync,
  }

/** Undefined where it can't be told. */
const unpacked = ({ headers, body, size }: Passed): Buffer | undefined => {
  const coding = fieldOf(headers, 'content-encoding')?.trim().toLowerCase() ?? 'identity'
  if (body === undefined) return undefined
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  if (coding === 'identity' || size === 0) return bytes
  try {
    return unpackers[coding]?.(bytes, { maxOutputLength: mostBytes })
  } catch {
    return undefined
  }
}

/** The entry without its secrets: credentials by the number of who has them, members that are secret masked. */
export const maskedEntry = (entry: Json, caller: string | null, secrets: TrafficSecrets): Json => {
  const { request, response, ...rest } = entry as { readonly request: Json; readonly response: Json }
  const name = caller ?? 'nobody'
  const clean = (value: unknown): string => secrets.text(String(value))
  const maskPart = (part: Json): Json => ({ ...part, headers: (part.headers as readonly Json[]).map(maskHeader) })
  const maskHeader = ({ name: header, value }: Json): Json => ({
    name: clean(header),
    value: isPlainHeader(String(header)) ? clean(value) : `masked (${name})`,
  })
  const text = (body: Json): Json =>
    typeof body.text === 'string' ? { ...body, text: maskedText(body.text, secrets) } : body
  const { postData, url, queryString, ...sent } = maskPart(request)
  const { content, ...received } = maskPart(response)
  return {
    ...rest,
    request: {
      ...sent,
      url: clean(url),
      queryString: (queryString as readonly Json[]).map((one) => secrets.value(one)),
      ...(postData !== undefined && { postData: text(postData as Json) }),
    },
    response: {
      ...received,
      statusText: clean(received.statusText),
      redirectURL: clean(received.redirectURL),
      ...(received._error !== undefined && { _error: clean(received._error) }),
      content: text(content as Json),
    },
    _caller: name,
  }
}

/** What holds no secret stays as it was written. */
const maskedText = (text: string, secrets: TrafficSecrets): string => {
  const clean = secrets.text(text)
  try {
    const json: unknown = JSON.parse(text)
    const without = masked(json)
    return without === json && clean === text ? text : JSON.stringify(secrets.value(without))
  } catch {
    return clean
  }
}

export interface HarLog {
  readonly add: (entry: Json) => void
  readonly close: () => void
}

/** Writes a HAR entry by entry, so that it need not fit into memory. @throws where the file can't be written */
export const openHarLog = (path: string): HarLog => {
  const file = openSync(path, 'w', 0o600)
  const creator = { name: 'touchstone guard', version: packageVersion() }
  writeSync(file, `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[`)
  let separator = '\n'
  return {
    add: (entry) => {
      writeSync(file, separator + JSON.stringify(entry))
      separator = ',\n'
    },
    close: () => {
      writeSync(file, '\n]}}\n')
      closeSync(file)
    },
  }
}
