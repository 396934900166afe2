// The bodies of a HAR entry: what the request carried and what the reply held, as far as they were recorded.
import { errorsIn } from '../models/language/error-envelope.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { headerOf, type Json } from './har-headers.js'
import { contentLength, textOf } from './har-text.js'
import { hasPlaceholder, isPlaceholder } from './placeholders.js'
import { isTooDeep } from './recording.js'
import { percentDecoded } from './uri.js'
import type { Outcome, WireCall } from './wire.js'

export const parsed = (text: string): { readonly json: unknown } | undefined => {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** Whether a text has an integer that numbers of the language cannot tell from its neighbours. */
const hasHugeInteger = (text: string): boolean =>
  /\d{16}/.test(text) &&
  [...text.matchAll(/"(?:[^"\\]+|\\.)*"|-?\d{16,}(?![\d.eE])/g)].some(
    ([token]) => !token.startsWith('"') && !Number.isSafeInteger(Number(token)),
  )

/** Whether a text that is no JSON may be one that was packed, cut or changed when it was recorded. */
const isDoubtful = (text: string, content: Json, message: Json): boolean =>
  isPacked(text) ||
  isEncoded(content) ||
  isPlaceholder(text) ||
  isNote(text) ||
  isInPieces(text) ||
  headerOf(message, 'content-encoding') !== undefined ||
  typeof content.comment === 'string' ||
  toldSizes(content, message).some((size) => size > Buffer.byteLength(text) || size === unmarkedLength(text))

/** Whether a text is told to stand for bytes in a way that is not read here, such as hex. */
const isEncoded = ({ encoding }: Json): boolean =>
  typeof encoding === 'string' && !/^(?:|base64|identity|utf-?8|text)$/i.test(encoding)

/** How long a text is without a byte order mark, which whoever wrote it down may have put there; undefined where it has none. */
const unmarkedLength = (text: string): number | undefined =>
  text.startsWith('\ufeff') ? Buffer.byteLength(text.slice(1)) : undefined

/** Words in brackets are a note of the recorder: `(body too large)`, `<binary>`. */
const isNote = (text: string): boolean => /^\s*[[({<][\w .,:-]{3,100}[\])}>]\s*$/.test(text)

/** Some recorders keep the pieces in which a body was sent, each with its length before it. */
const isInPieces = (text: string): boolean => /^[\da-f]+\r\n/i.test(text) && /\r\n0\r\n\r\n$/.test(text)

/** Bytes of a body, wherever they are told. The `bodySize` of a reply may count its headers too. */
export const toldSizes = ({ size }: Json, message: Json): readonly number[] =>
  [size, contentLength(message)].filter((one): one is number => typeof one === 'number')

/** Whether a request without recorded body surely had none. */
const hadNone = (request: Json, { body, multipart }: Operation, text?: string): boolean => {
  if (text === '' && contentLength(request) === undefined) return true
  const length = contentLength(request) ?? (typeof request.bodySize === 'number' ? request.bodySize : -1)
  return length === 0 || (length < 0 && body === undefined && multipart !== true)
}

/** What a request carried, as it was recorded. */
export const bodyTextOf = ({ postData }: Json): string | undefined =>
  isObject(postData) ? textOf(postData) : undefined

/** What a request carried; undefined where it carried something that was not recorded. */
export const bodyOf = (request: Json, op: Operation): Pick<WireCall, 'body' | 'file'> | undefined => {
  const { postData } = request
  if (!isObject(postData)) return hadNone(request, op) ? {} : undefined
  const text = textOf(postData)
  const params = Array.isArray(postData.params) ? postData.params.filter(isObject) : []
  const type = typeof postData.mimeType === 'string' ? postData.mimeType : ''
  if (/^multipart\/form-data\b/i.test(type) || (op.multipart && params.length > 0))
    return multipartOf(text, type, params, op)
  if (!text && params.length > 0) return fromParams(params, type)
  if (!text) return hadNone(request, op, text) ? {} : undefined
  const read = readText(text, { size: request.bodySize, ...postData }, request)
  return read && { body: 'json' in read ? read.json : text }
}

/** The text of a body as JSON, or as it is; undefined where what was sent may have been something else. */
const readText = (text: string, content: Json, message: Json): { readonly json?: unknown } | undefined => {
  const whole = parsed(text) ?? unmarked(text)
  if (!whole) return isDoubtful(text, content, message) ? undefined : {}
  return isTooDeep(whole.json) || hasHugeInteger(text) || hasPlaceholder(whole.json) ? undefined : whole
}

/** The JSON in a text that is in base64, though nothing says so. A word such as OK would be a number, but base64 has groups of four. */
const unmarked = (text: string): { readonly json: unknown } | undefined => {
  const bare = text.replace(/\s+/g, '')
  if (!/^[\w+/]{2,}=*$/.test(bare)) return undefined
  const read = parsed(textOf({ text: bare, encoding: 'base64' }) ?? '')
  return typeof read?.json === 'object' || bare.length % 4 === 0 ? read : undefined
}

/** The members of a JSON body, listed as if they were those of a form, have lost their types. */
const fromParams = (params: readonly Json[], type: string): Pick<WireCall, 'body'> | undefined =>
  isJson(type) ? undefined : { body: formOf(params) }

const formOf = (params: readonly Json[]): string =>
  new URLSearchParams(
    params.map(({ name, value }): [string, string] => [String(name ?? ''), String(value ?? '')]),
  ).toString()

/** The file of a form; a form of which no file is known may still have carried one. */
const multipartOf = (
  text: string | undefined,
  type: string,
  params: readonly Json[],
  op: Operation,
): Pick<WireCall, 'body' | 'file'> | undefined => {
  const files =
    text === undefined || text === '' ? filesOf(params) : filesIn(text, /boundary="?([^";]+)/i.exec(type)?.[1])
  const [file, ...more] = files.length > 0 ? files : filesOf(params)
  // Which of several files counts is not said.
  if (more.length > 0) return undefined
  if (file) return { file }
  if (!op.multipart) return { body: text ?? '' }
  return text !== undefined && text !== '' ? {} : undefined
}

type File = NonNullable<WireCall['file']>

const filesOf = (params: readonly Json[]): readonly File[] =>
  params
    .filter(({ fileName }) => typeof fileName === 'string')
    .map(({ name, fileName, value }) => ({
      field: String(name ?? ''),
      name: String(fileName),
      bytes: typeof value === 'string' ? value.length : 0,
    }))

const filesIn = (text: string, boundary: string | undefined): readonly File[] =>
  text.split(boundary === undefined ? /\r?\n--/ : `--${boundary}`).flatMap((part) => {
    const [head = '', ...rest] = part.split(/\r?\n\r?\n/)
    const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1]
    const name = disposition === undefined ? undefined : fileNameIn(disposition)
    if (disposition === undefined || name === undefined) return []
    const bytes = rest.join('\n\n').replace(/\r?\n$/, '').length
    return [{ field: paramIn(disposition, 'name') ?? '', name, bytes }]
  })

/** A parameter of a header, quoted or not. */
const paramIn = (header: string, name: string): string | undefined => {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^";\\s]+))`, 'i').exec(header)
  return found?.[1] ?? found?.[2]
}

/** The name of a file, which `filename*` tells with its charset: `UTF-8''a.png`. */
const fileNameIn = (disposition: string): string | undefined => {
  const extended = /;\s*filename\*=[\w-]*'[\w-]*'([^;\s]+)/i.exec(disposition)?.[1]
  return extended === undefined ? paramIn(disposition, 'filename') : percentDecoded(extended)
}

const lost = (detail: string): Outcome => ({ lost: 'reset', detail })

/** What is left of a reply whose body is not known. */
export const unrecorded = (status: number, why: string): Outcome => ({
  lost: 'too-large',
  replied: status,
  detail: `the body of the reply, of status ${status}, ${why}`,
})

/** Whether a text has what no text has: bytes of a packed body, whatever they were taken for. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they tell bytes from text
const isPacked = (text: string): boolean => /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text)

/** What came back for a call with these keys in its path; a reply whose body was not recorded whole counts as one that was lost. */
export const outcomeOf = (response: Json, entry: Json, keys: readonly string[] = []): Outcome => {
  const status = Number(response.status)
  const error = entry._error ?? response._error
  if (typeof error === 'string') return lost(error.slice(0, 200) || 'no reply was recorded')
  // An interim reply, such as early hints, is followed by another.
  if (!(status >= 200 && status <= 999)) return lost('no reply was recorded')
  const unknown = unrecorded(status, 'was not recorded')
  // An id that numbers cannot hold may be another than it looks.
  if (keys.some(hasHugeInteger)) return unknown
  if (status === 206 && headerOf(response, 'content-range') !== undefined) return unknown
  const content = isObject(response.content) ? response.content : {}
  const text = textOf(content)
  if (!text) return wasEmpty(response, content, status, text) ? { status } : unknown
  const read = readText(text, content, response)
  if (read === undefined) return unknown
  const contentType = typeof content.mimeType === 'string' ? { contentType: content.mimeType } : {}
  return 'json' in read ? { status, body: read.json, ...contentType } : { status, text, ...contentType }
}

/** Whether what came back has a form that the interface gives to it; undefined where that does not show. */
export const hasForm = ({ reply }: Operation, outcome: Outcome): boolean | undefined => {
  if ('lost' in outcome || (outcome.body === undefined && outcome.text === undefined)) return undefined
  const body = isObject(outcome.body) ? outcome.body : {}
  if (outcome.status >= 400) return errorsIn(body) !== undefined
  if (reply.kind === 'page') return Array.isArray(body.data)
  return 'table' in reply ? reply.table.fields.some((name) => name in body) : undefined
}

const isJson = (type = ''): boolean => /\bjson\b/i.test(type)

/** Whether a reply of which no text was recorded surely had none. */
const wasEmpty = (response: Json, { size }: Json, status: number, text: string | undefined): boolean => {
  if (status === 204) return true
  if ((contentLength(response) ?? 0) > 0 || Number(response.bodySize) > 0) return false
  // What is sent in pieces, or told to be JSON, of a length that the target did not count, is seldom nothing.
  const isBody = headerOf(response, 'transfer-encoding') !== undefined || isJson(headerOf(response, 'content-type'))
  if (isBody && contentLength(response) !== 0) return false
  // Recorders write an empty text for what they did not keep as well.
  return size === 0 || (text === '' && (contentLength(response) === 0 || response.bodySize === 0))
}
