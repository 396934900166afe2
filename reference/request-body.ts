// Reads the body of a request to the embedded server: JSON or an uploaded file, bounded; not what the operation makes of it.

import { Busboy } from '@fastify/busboy'
import type { WireCall } from '../history/wire.js'

/** What a request carries, or why it cannot be read. */
export type RequestBody =
  | Pick<WireCall, 'body' | 'file'>
  | { readonly status: 400 | 413 | 415; readonly reason: string }

/** The largest body that is read. */
export const maxBodyBytes = 16 * 1024 * 1024

/** The deepest JSON that is read: what walks values does so by calling itself. */
export const maxDepth = 256

export interface BodyOptions {
  /** As the header tells it; empty where there is none. */
  readonly contentType: string
  /** Whether a file is foreseen; it is looked for nowhere else. */
  readonly multipart: boolean
  /** Whether the content type is looked at. */
  readonly strict: boolean
}

/** @param bytes all of them, or that there were more than are read */
export const readBody = (
  bytes: Buffer | 'too-large',
  { contentType, multipart, strict }: BodyOptions,
): RequestBody | Promise<RequestBody> => {
  if (bytes === 'too-large') return { status: 413, reason: `a body of more than ${maxBodyBytes} bytes is not read` }
  if (bytes.length === 0) return {}
  if (multipart && /^multipart\/form-data\b/i.test(contentType)) return readFile(contentType, bytes)
  if (strict && contentType !== '' && !/^application\/(?:[\w.+-]+\+)?json\b/i.test(contentType))
    return { status: 415, reason: `expected the content type application/json, received ${contentType}` }
  return parseJson(bytes)
}

const parseJson = (bytes: Buffer): RequestBody => {
  const text = bytes.toString()
  if (isTooDeep(text)) return { status: 400, reason: `JSON that is nested deeper than ${maxDepth} is not read` }
  try {
    return { body: JSON.parse(text) }
  } catch (error) {
    return { status: 400, reason: `the body is no JSON: ${(error as Error).message}` }
  }
}

/** Whether brackets are nested beyond the bound; those within texts do not count. */
const isTooDeep = (text: string): boolean => {
  if (text.length <= maxDepth || !hasBrackets(text, maxDepth)) return false
  let depth = 0
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth += 1
    else if (token === ']' || token === '}') depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

/** Whether a text has more opening brackets than that, wherever they stand. */
const hasBrackets = (text: string, most: number): boolean => {
  let count = 0
  for (let at = text.search(/[[{]/); at < text.length && count <= most; at += 1)
    if (text[at] === '[' || text[at] === '{') count += 1
  return count > most
}

/** The first file of a multipart/form-data body; other fields are ignored. */
const readFile = (type: string, bytes: Buffer): Promise<RequestBody> =>
  new Promise((resolve) => {
    const refuse = (error: unknown): void =>
      resolve({ status: 400, reason: `the body is no multipart/form-data: ${(error as Error).message}` })
    try {
      const form = new Busboy({ headers: { 'content-type': type }, preservePath: true, limits: { files: 1 } })
      let file: WireCall['file']
      form.on('file', (field, stream, name) => {
        let size = 0
        stream.on('data', (chunk: Buffer) => {
          size += chunk.length
        })
        stream.on('error', refuse)
        stream.on('end', () => {
          file = { field, name: name ?? '', bytes: size }
        })
      })
      form.on('error', refuse)
      form.on('finish', () => resolve(file ? { file } : {}))
      form.end(bytes)
    } catch (error) {
      refuse(error)
    }
  })
