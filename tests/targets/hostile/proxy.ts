// A proxy before a served target that may spoil each reply on its way; what it does to them is said elsewhere.

import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A call as it reached the target, and the reply that the target has given. */
export interface Met {
  /** Its number, from 1, among the calls that came with a token. */
  readonly n: number
  readonly method: string
  /** Without the version segment and the query. */
  readonly path: string
  readonly query: URLSearchParams
  readonly sent: string
  readonly status: number
  readonly text: string
  /** Whether the reply is a page of a list. */
  readonly isPage: boolean
}

/** Answers a call in place of the target, which has done by then what it was asked to. */
export type Spoil = (response: ServerResponse, met: Met) => void

export interface Proxy {
  readonly baseUrl: string
  /** How many calls have come. */
  readonly calls: () => number
  readonly close: () => Promise<void>
}

/** @param upstream address of the target, with its version segment */
export const startProxy = async (upstream: string, spoil: Spoil): Promise<Proxy> => {
  const { origin, pathname } = new URL(upstream)
  let n = 0
  const server = createServer({ keepAliveTimeout: 60_000 }, async (request, response) => {
    const chunks: Buffer[] = []
    response.on('error', () => undefined)
    try {
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks)
      const { method = 'GET', url = '/', headers } = request
      const { authorization, 'content-type': type } = headers
      const reply = await fetch(`${origin}${url}`, {
        method,
        headers: { ...(authorization && { authorization }), ...(type && { 'content-type': type }) },
        ...(body.length > 0 && { body }),
      })
      const text = await reply.text()
      const asked = new URL(url, origin)
      n += 1
      const met = { n, method, path: asked.pathname.slice(pathname.length), query: asked.searchParams }
      spoil(response, { ...met, sent: body.toString(), status: reply.status, text, isPage: /^\{"data":\[/.test(text) })
    } catch {
      response.destroy()
    }
  })
  server.on('clientError', (_, socket) => socket.destroy())
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    calls: () => n,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
