// A reply of the embedded server on its way out; what it says is decided elsewhere.

import type { ServerResponse } from 'node:http'

export interface Reply {
  readonly status: number
  /** JSON value; no body when undefined. */
  readonly body?: unknown
  /** A body that is no JSON. */
  readonly text?: string
  readonly contentType?: string
  /** In lower case, beside those of every reply. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A refusal in the document's error envelope. */
export const envelope = (status: number, field: string, reason: string): Reply => ({
  status,
  body: { errors: [{ field, reason }] },
})

/** @param isHead whether the body stays behind, and only its length is told */
export const sendReply = (response: ServerResponse, reply: Reply, isHead = false): void => {
  const text = reply.text ?? (reply.body === undefined ? '' : JSON.stringify(reply.body))
  const type = reply.contentType ?? (text === '' ? undefined : 'application/json')
  response.writeHead(reply.status, {
    ...(type !== undefined && { 'content-type': type }),
    ...(reply.status !== 204 && { 'content-length': Buffer.byteLength(text) }),
    // Pages of any origin may develop against it.
    'access-control-allow-origin': '*',
    ...(reply.status === 401 && { 'www-authenticate': 'Bearer realm="touchstone"' }),
    ...reply.headers,
  })
  response.end(isHead ? undefined : text)
}
