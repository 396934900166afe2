// Reads the body of a request to the embedded server: JSON or an uploaded file, bounded; not what the operation makes of it.

import type { IncomingMessage } from 'node:http'
import { Busboy } from '@fastify/busboy'
import type { WireCall } from '../history/record.js'

/** What a request carries, or why it cannot be read. */
export type RequestBody =
  | Pick<WireCall, 'body' | 'file'>
  | { readonly status: 400 | 413; readonly reason: string }
  /** The client went away. */
  | undefined

/** The largest body that is read. */
export const maxBodyBytes = 16 * 1024 * 1024

/** Reads a body to its end. A file is looked for only where one is foreseen. */
export const readBody = async (request: IncomingMessage, multipart: boolean): Promise<RequestBody> => {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)) return {}
  const bytes = await collect(request)
  if (bytes === undefined) return undefined
  if (bytes === 'too-large') return { status: 413, reason: `a body of more than ${maxBodyBytes} bytes is not read` }
  if (bytes.length === 0) return {}
  const type = headers['content-type'] ?? ''
  return multipart && /^multipart\/form-data\b/i.test(type) ? readFile(type, bytes) : parseJson(bytes)
}

/** All bytes of a request. What is beyond the bound is read and forgotten, so that the refusal reaches its sender. */
const collect = (request: IncomingMessage): Promise<Buffer | 'too-large' | undefined> =>
  new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBodyBytes) chunks.push(chunk)
      else chunks.length = 0
    })
    request.on('end', () => resolve(size > maxBodyBytes ? 'too-large' : Buffer.concat(chunks)))
    request.on('error', () => resolve(undefined))
  })

const parseJson = (bytes: Buffer): RequestBody => {
  try {
    return { body: JSON.parse(bytes.toString()) }
  } catch (error) {
    return { status: 400, reason: `the body is no JSON: ${(error as Error).message}` }
  }
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
