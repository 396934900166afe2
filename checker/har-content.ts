// The bodies of a HAR entry: what the request carried and what the reply held, as far as they were recorded.
import type { Operation } from '../models/operation.js'
import type { Outcome, WireCall } from './record.js'
import { isTooDeep } from './recording.js'

type Json = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

const fromBase64 = (text: string): Uint8Array => Buffer.from(text, 'base64')

const textOf = (part: Json): string | undefined => {
  if (typeof part.text !== 'string') return undefined
  return part.encoding === 'base64' ? new TextDecoder().decode(fromBase64(part.text)) : part.text
}

const parsed = (text: string): { readonly json: unknown } | undefined => {
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

const contentLength = (request: Json): number | undefined => {
  const headers = Array.isArray(request.headers) ? request.headers : []
  const header = headers.find((one) => isObject(one) && String(one.name).toLowerCase() === 'content-length')
  return isObject(header) && /^\d+$/.test(String(header.value)) ? Number(header.value) : undefined
}

/** Whether a request without recorded body surely had none. */
const hadNone = (request: Json, { body, multipart }: Operation): boolean => {
  const length = contentLength(request) ?? (typeof request.bodySize === 'number' ? request.bodySize : -1)
  return length === 0 || (length < 0 && body === undefined && multipart !== true)
}

/** What a request carried; undefined where it carried something that was not recorded. */
export const bodyOf = (request: Json, op: Operation): Pick<WireCall, 'body' | 'file'> | undefined => {
  const { postData } = request
  if (!isObject(postData)) return hadNone(request, op) ? {} : undefined
  const text = textOf(postData)
  const params = Array.isArray(postData.params) ? postData.params.filter(isObject) : []
  const type = typeof postData.mimeType === 'string' ? postData.mimeType : ''
  if (/^multipart\/form-data\b/i.test(type) || (op.multipart && params.length > 0))
    return multipartOf(text, type, params, op)
  if (text === undefined || text === '') {
    if (params.length > 0) return { body: new URLSearchParams(params.map(pairOf)).toString() }
    return hadNone(request, op) || (text === '' && contentLength(request) === undefined) ? {} : undefined
  }
  const whole = parsed(text)
  return whole && isTooDeep(whole.json) ? undefined : { body: whole ? whole.json : text }
}

const pairOf = ({ name, value }: Json): [string, string] => [String(name ?? ''), String(value ?? '')]

/** The first file of a form; a form of which no file is known may still have carried one. */
const multipartOf = (
  text: string | undefined,
  type: string,
  params: readonly Json[],
  op: Operation,
): Pick<WireCall, 'body' | 'file'> | undefined => {
  const param = params.find(({ fileName }) => typeof fileName === 'string')
  if (param)
    return {
      file: {
        field: String(param.name ?? ''),
        name: String(param.fileName),
        bytes: typeof param.value === 'string' ? param.value.length : 0,
      },
    }
  const file = text === undefined ? undefined : fileIn(text, /boundary="?([^";]+)/i.exec(type)?.[1])
  if (file) return { file }
  if (!op.multipart) return { body: text ?? '' }
  return text !== undefined && text !== '' ? {} : undefined
}

const fileIn = (text: string, boundary: string | undefined): WireCall['file'] => {
  for (const part of text.split(boundary === undefined ? /\r?\n--/ : `--${boundary}`)) {
    const [head = '', ...rest] = part.split(/\r?\n\r?\n/)
    const disposition = /^content-disposition:(.*)$/im.exec(head)?.[1]
    const name = disposition === undefined ? undefined : /;\s*filename="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1]
    if (disposition !== undefined && name !== undefined) {
      const field = /;\s*name="((?:[^"\\]|\\.)*)"/i.exec(disposition)?.[1] ?? ''
      return { field, name, bytes: rest.join('\n\n').replace(/\r?\n$/, '').length }
    }
  }
  return undefined
}

const lost = (detail: string, why: 'reset' | 'too-large' = 'reset'): Outcome => ({ lost: why, detail })

const isPacked = (text: string): boolean => text.startsWith('\u001f\u008b') || text.startsWith('\u001f\ufffd')

/** What came back; a reply whose body was not recorded, or not whole, counts as one that was lost. */
export const outcomeOf = (response: Json, entry: Json): Outcome => {
  const status = Number(response.status)
  const error = entry._error ?? response._error
  if (status < 100 || status > 999 || typeof error === 'string')
    return lost(typeof error === 'string' && error !== '' ? error.slice(0, 200) : 'no reply was recorded')
  const content = isObject(response.content) ? response.content : {}
  const size = typeof content.size === 'number' ? content.size : undefined
  const text = textOf(content)
  const unrecorded = lost(`the body of the reply, of status ${status}, was not recorded`, 'too-large')
  if (text === undefined || text === '') {
    const isEmpty = size === 0 || status === 204 || (text === '' && (size ?? -1) <= 0)
    return isEmpty ? { status } : unrecorded
  }
  const contentType = typeof content.mimeType === 'string' ? { contentType: content.mimeType } : {}
  const whole = parsed(text)
  if (whole && !isTooDeep(whole.json)) return { status, body: whole.json, ...contentType }
  const isCut =
    (size !== undefined && size > new TextEncoder().encode(text).length) || isPacked(text) || whole !== undefined
  return isCut ? unrecorded : { status, text, ...contentType }
}
