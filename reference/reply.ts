// A reply of the embedded server on its way out; what it says is decided elsewhere.

import type { ServerResponse } from 'node:http'

export interface Reply {
  readonly status: number
  /** JSON value; no body when undefined. */
  readonly body?: unknown
  /** A body that is no JSON. */
  readonly text?: string
  readonly contentType?: string
  readonly allow?: readonly string[]
}

/** A refusal in the document's error envelope. */
export const envelope = (status: number, field: string, reason: string): Reply => ({
  status,
  body: { errors: [{ field, reason }] },
})

export const sendReply = (response: ServerResponse, reply: Reply): void => {
  const text = reply.text ?? (reply.body === undefined ? '' : JSON.stringify(reply.body))
  const type = reply.contentType ?? (text === '' ? undefined : 'application/json')
  response.writeHead(reply.status, {
    ...(type !== undefined && { 'content-type': type }),
    'content-length': Buffer.byteLength(text),
    ...(reply.allow && { allow: reply.allow.join(', ') }),
  })
  response.end(text)
}
