// Targets that misbehave on the wire, and clients for them; no test.

import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net'
import { onTestFinished, vi } from 'vitest'
import { type Client, type ClientOptions, createClient } from '../../driver/client.js'
import { buildCall, type SendableCall } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Args } from '../../models/language/plan.js'

export const secrets: ReadonlyMap<string, string> = new Map([
  ['owner', 'embedded-owner'],
  ['reader', 'embedded-owner-reader'],
])

/** A client that is closed when the test ends; it waits for longer than any of them takes. */
export const clientOf = (baseUrl: string, options: Partial<ClientOptions> = {}): Client => {
  const pace = { perSecond: undefined, concurrency: 2, requestTimeoutMs: 300_000 }
  const client = createClient({ baseUrl, secrets, vocabulary: {}, pace, correlation: 'run-1', ...options })
  onTestFinished(client.close)
  return client
}

export const patient = (requestTimeoutMs: number, concurrency = 2): Pick<ClientOptions, 'pace'> => ({
  pace: { perSecond: undefined, concurrency, requestTimeoutMs },
})

export const callOf = (operation: string, args: Args = {}): SendableCall => {
  const op = operationById(operation)
  if (!op) throw new Error(`no operation ${operation}`)
  return buildCall(op, { as: 'owner', ...args })
}

export const list: SendableCall = callOf('volumes.list')

/** A server over bare sockets; `onRequest` is called with the first bytes of each request on a connection. */
export const rawTarget = async (onRequest: (socket: Socket) => void): Promise<string> => {
  const server = createRawServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('data', () => onRequest(socket))
  })
  return `http://127.0.0.1:${await listen(server)}/v4`
}

/** A target that never answers; `next` resolves when it hears the next request. */
export const silentTarget = async () => {
  const heard = new EventEmitter()
  const baseUrl = await rawTarget(() => heard.emit('request'))
  return { baseUrl, next: () => once(heard, 'request') }
}

/** Time that passes only where the test says so, and by as much, until the test ends. */
export const heldTime = (): ((ms: number) => void) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return (ms) => void vi.advanceTimersByTime(ms)
}

/** The same bytes for every request, then the end of the connection. */
export const bytesTarget = (reply: string | Uint8Array): Promise<string> => rawTarget((socket) => socket.end(reply))

export const jsonReply = (text: string, status = '200 OK', headers = ''): string =>
  `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(text)}\r\n${headers}\r\n${text}`

export interface Seen {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}

/** A well-behaved server that notes what it is sent; answers `{}` unless told otherwise. */
export const notingTarget = async (
  answer: (response: ServerResponse, seen: Seen) => void = (response) => response.end('{}'),
): Promise<{ readonly baseUrl: string; readonly seen: readonly Seen[]; readonly connections: () => number }> => {
  const seen: Seen[] = []
  let connections = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url = '', headers } = request
    const one = { method, url, headers, body: Buffer.concat(chunks) }
    seen.push(one)
    answer(response, one)
  })
  server.on('connection', () => {
    connections += 1
  })
  return { baseUrl: `http://127.0.0.1:${await listen(server)}/v4`, seen, connections: () => connections }
}

/** Listens on any free port until the test ends. */
export const listen = async (server: Server): Promise<number> => {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  onTestFinished(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}
