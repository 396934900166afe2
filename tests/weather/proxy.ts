// A bad network in front of any target: connections that break, replies of gateways, cut and dripping bodies; it knows nothing of the interface.
import { Agent, createServer, type IncomingMessage, request as requestOf, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { random } from '../targets/harbour/options.js'
import { type GatewayName, gateways } from './gateways.js'
import type { Exchange } from './replies.js'

/** What may become of one exchange; all but `none` meet one request in so many. */
export type Trouble =
  | 'none'
  | 'reset'
  | 'lost'
  | 'hang'
  | 'html'
  | 'busy'
  | 'busy, told when'
  | 'truncated'
  | 'drip'
  | 'twice'
  | 'own envelope'
  | 'too early'
  | 'closed after'
  | 'cache'
  | 'headers'
  | 'HTTP/1.0'
  | 'trailers'
  | 'jitter'
  | 'two connections'
  | 'one connection'
  | 'restart'
  | 'refusals'
  | 'html 200'
  | 'other statuses'
  | 'unknown token'
  | 'forbidden'
  | 'busy, told oddly'
  | 'idle closed'
  | 'too short'
  | 'too long'
  | 'continue'
  | 'said twice'
  | 'folded'
  | 'slow'

/** One request in so many is met. */
const SHARE: { readonly [Name in Trouble]?: number } = {
  reset: 40,
  lost: 40,
  hang: 150,
  html: 40,
  busy: 60,
  'busy, told when': 150,
  truncated: 40,
  drip: 20,
  twice: 4,
  'own envelope': 40,
  'too early': 40,
  'html 200': 40,
  'other statuses': 40,
  'busy, told oddly': 60,
  'too short': 40,
  'too long': 40,
  continue: 2,
  'said twice': 40,
  folded: 40,
  slow: 60,
}

/** How long every exchange is held back where programs are to run side by side. */
const JITTER_MS = { jitter: 50, 'two connections': 25, 'one connection': 10 }
/** How long a reply to a GET is given again to whoever asks the same. */
const CACHE_MS = 1000
/** A connection is closed on so many requests, the last of which the target has been given. */
const CLOSED_AFTER = 30
/** When the target goes down, and for how long. */
const RESTART = { after: 150, ms: { restart: 1200, refusals: 2000 } }
/** From one request in so many on, what stands before the target knows no token for a while. */
const STORM = { every: 400, ms: 1000 }
/** How long a connection may be idle. */
const IDLE_MS = 5
/** A little less than a run gives a request. */
const SLOW_MS = 1300
const CLOSED_LATER_MS = 20
const TOLD = ['99999999', '-5', 'soon', '', '0', '1.5']

export interface Proxy {
  readonly origin: string
  readonly requests: () => number
  readonly close: () => Promise<void>
}

const listen = (server: ReturnType<typeof createServer>, port: number): Promise<number> =>
  new Promise((done, fail) => {
    server.once('error', fail)
    server.listen(port, '127.0.0.1', () => done((server.address() as AddressInfo).port))
  })

/** @param target the origin that requests are handed to */
export const openProxy = async (target: string, trouble: Trouble, seed: number): Promise<Proxy> => {
  const draw = random(seed)
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  let requests = 0
  let stormUntil = 0
  const isMet = (): boolean => draw() * (SHARE[trouble] ?? Number.POSITIVE_INFINITY) < 1
  const through = passTo(new URL(target), agent)
  const pass = trouble === 'cache' ? cached(through) : through
  const uses = new WeakMap<Socket, number>()
  const isClosed = ({ socket }: IncomingMessage): boolean => {
    uses.set(socket, (uses.get(socket) ?? 0) + 1)
    return trouble === 'closed after' && (uses.get(socket) ?? 0) >= CLOSED_AFTER
  }
  const server = createServer((request, response) => {
    requests += 1
    if ((trouble === 'restart' || trouble === 'refusals') && requests === RESTART.after)
      void restart(RESTART.ms[trouble])
    if (requests % STORM.every === 0) stormUntil = Date.now() + STORM.ms
    const isStorm = Date.now() < stormUntil && (trouble === 'unknown token' || trouble === 'forbidden')
    const now = isMet() || isClosed(request) || isStorm ? trouble : 'none'
    void bytesOf(request).then((body) => meet(now, { request, response, body, pass, draw }, trouble))
  })
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  if (trouble === 'two connections') server.maxConnections = 2
  if (trouble === 'one connection') server.maxConnections = 1
  if (trouble === 'idle closed') server.keepAliveTimeout = IDLE_MS
  const port = await listen(server, 0)
  const down = (): Promise<void> =>
    new Promise((done) => {
      server.close(() => done())
      for (const socket of sockets) socket.destroy()
    })
  const restart = async (ms: number): Promise<void> => {
    await down()
    await pause(ms)
    await listen(server, port)
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    requests: () => requests,
    close: async () => {
      await down()
      agent.destroy()
    },
  }
}

/** @param targets the origins that requests are handed to */
export const openGateway = async (
  targets: readonly [string, ...string[]],
  name: GatewayName,
  seed: number,
): Promise<Proxy> => {
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const meet = gateways[name]({ draw: random(seed), now: () => performance.now() })
  const ways = targets.map((target) => passTo(new URL(target), agent))
  let n = 0
  const server = createServer((request, response) => {
    n += 1
    const asking = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, n }
    void bytesOf(request).then(async (body) => {
      const reply = await meet({ ...asking, body }, (other) => {
        if (other?.url !== undefined) request.url = other.url
        const pass = ways[other?.to ?? 0] ?? (ways[0] as Pass)
        return pass(request, other?.body ?? body)
      }).catch(() => 'reset' as const)
      if (reply === 'reset') return void request.socket.destroy()
      if (reply.raw !== undefined) return void request.socket.write(reply.raw)
      const { 'content-length': _, ...headers } = reply.headers
      const told = Object.entries(headers).filter(([, value]) => value !== undefined && value !== '')
      response.writeHead(reply.status, {
        ...(Object.fromEntries(told) as Record<string, string>),
        ...(reply.status !== 204 && { 'content-length': String(reply.body.length) }),
      })
      response.end(reply.body)
    })
  })
  const port = await listen(server, 0)
  return {
    origin: `http://127.0.0.1:${port}`,
    requests: () => n,
    close: async () => {
      server.close()
      server.closeAllConnections()
      agent.destroy()
    },
  }
}

type Pass = (request: IncomingMessage, body: Buffer) => Promise<Exchange>

interface Meeting {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly body: Buffer
  readonly pass: Pass
  readonly draw: () => number
}

const meet = async (now: Trouble, meeting: Meeting, always: Trouble): Promise<void> => {
  const { request, response, body, pass, draw } = meeting
  if (now === 'reset') return void request.socket.destroy()
  if (now === 'busy' || now === 'busy, told when')
    return refuse(429, meeting, now === 'busy' ? {} : { 'retry-after': '1' })
  if (now === 'busy, told oddly') return refuse(429, meeting, { 'retry-after': oddTime(draw) })
  if (now === 'unknown token') return refuse(401, meeting)
  if (now === 'forbidden') return refuse(403, meeting)
  if (now === 'other statuses' && draw() < 0.5) return refuse([520, 529, 599][Math.floor(draw() * 3)] ?? 520, meeting)
  if (now === 'html 200' && draw() < 0.5) return refuse(200, meeting)
  if (now === 'slow') await pause(SLOW_MS)
  if (now === 'too early') return refuse(draw() < 0.5 ? 408 : 425, meeting)
  // A gateway may have handed on what it then says that it could not.
  if (now === 'html' && draw() < 0.5) return refuse([502, 503, 504][Math.floor(draw() * 3)] ?? 502, meeting)
  if (now === 'own envelope' && draw() < 0.5) return refuseInEnvelope(meeting)
  if (always === 'jitter' || always === 'two connections' || always === 'one connection')
    await pause(draw() * JITTER_MS[always])
  if (now === 'twice' && ['GET', 'PUT'].includes(request.method ?? '')) await pass(request, body)
  const reply = await pass(request, body).catch(() => undefined)
  if (!reply || now === 'lost' || now === 'closed after') return void request.socket.destroy()
  if (now === 'hang') return
  if (now === 'html') return refuse(504, meeting)
  if (now === 'html 200') return refuse(200, meeting)
  if (now === 'other statuses') return refuse(520, meeting)
  const raw = RAW[now]?.(reply)
  if (raw) return void request.socket.write(raw, () => void pause(CLOSED_LATER_MS).then(() => request.socket.destroy()))
  if (now === 'continue') {
    response.writeContinue()
    response.writeEarlyHints({ link: '</a>; rel=preload' })
  }
  if (now === 'own envelope') return refuseInEnvelope(meeting)
  if (always === 'HTTP/1.0') return void request.socket.end(asHttp10(reply))
  if (always === 'trailers') return withTrailers(response, reply)
  const headers = { ...reply.headers, connection: 'keep-alive' }
  response.writeHead(reply.status, always === 'headers' ? odd(headers) : headers)
  if (now === 'truncated' && reply.body.length > 1) {
    response.write(reply.body.subarray(0, reply.body.length >> 1), () => request.socket.destroy())
    return
  }
  if (now === 'drip') return drip(response, reply.body)
  response.end(reply.body)
}

/** A time that nobody can make sense of, or an odd one that they can. */
const oddTime = (draw: () => number): string =>
  draw() < 0.3 ? new Date(Date.now() + 1000).toUTCString() : (TOLD[Math.floor(draw() * TOLD.length)] ?? '')

const headOf = ({ status, headers }: Exchange, length: number, more: readonly string[] = []): Buffer => {
  const type = `content-type: ${String(headers['content-type'] ?? 'application/json')}`
  const lines = [`HTTP/1.1 ${status} Said`, type, `content-length: ${length}`, ...more, '', '']
  return Buffer.from(lines.join('\r\n'))
}

/** Replies that are written as they are not to be, or as hardly anybody does; their connection is closed some time later. */
const RAW: { readonly [Name in Trouble]?: (reply: Exchange) => Buffer } = {
  'too short': (reply) => Buffer.concat([headOf(reply, Math.max(1, reply.body.length - 3)), reply.body]),
  'too long': (reply) => Buffer.concat([headOf(reply, reply.body.length + 3), reply.body]),
  folded: (reply) => Buffer.concat([headOf(reply, reply.body.length, ['x-folded: one', '\ttwo']), reply.body]),
  'said twice': (reply) => {
    const once = Buffer.concat([headOf(reply, reply.body.length), reply.body])
    return Buffer.concat([once, once])
  },
}

const refuse = (status: number, { response }: Meeting, headers: Readonly<Record<string, string>> = {}): void => {
  response.writeHead(status, { 'content-type': 'text/html', ...headers })
  response.end(`<html><body><h1>${status}</h1></body></html>`)
}

/** A gateway that has an envelope of its own, which looks like that of the interface. */
const refuseInEnvelope = ({ response }: Meeting): void => {
  response.writeHead(503, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ errors: [{ reason: 'upstream connect error', field: 'upstream' }] }))
}

/** Names of headers in capitals, and headers that say the same twice. */
const odd = (headers: Exchange['headers']): Record<string, string | string[]> => ({
  ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), String(value)])),
  'X-Request-Id': ['1', '1'],
  'Set-Cookie': ['one=1', 'two=2'],
  VIA: ['1.1 one', '1.0 two'],
})

/** The whole reply in the words of HTTP/1.0: its body ends where the connection does. */
const asHttp10 = ({ status, headers, body }: Exchange): Buffer => {
  const { 'content-length': _, connection: __, 'keep-alive': ___, ...kept } = headers
  const lines = Object.entries(kept).map(([name, value]) => `${name}: ${String(value)}\r\n`)
  return Buffer.concat([Buffer.from(`HTTP/1.0 ${status} Said\r\n${lines.join('')}\r\n`), body])
}

/** A reply in chunks, after which come more headers. */
const withTrailers = (response: ServerResponse, { status, headers, body }: Exchange): void => {
  const { 'content-length': _, connection: __, ...kept } = headers
  response.writeHead(status, { ...kept, trailer: 'x-checksum' } as Record<string, string>)
  for (let at = 0; at < body.length; at += 7) response.write(body.subarray(at, at + 7))
  response.addTrailers({ 'x-checksum': '1' })
  response.end()
}

/** Gives a successful reply to a GET again for a while. */
const cached = (pass: Pass): Pass => {
  const kept = new Map<string, { readonly until: number; readonly reply: Exchange }>()
  return async (request, body) => {
    if (request.method !== 'GET') return pass(request, body)
    const key = `${request.url} ${request.headers.authorization}`
    const known = kept.get(key)
    if (known && known.until > Date.now()) return known.reply
    const reply = await pass(request, body)
    if (reply.status === 200) kept.set(key, { until: Date.now() + CACHE_MS, reply })
    return reply
  }
}

/** A reply in eight pieces with pauses between. */
const drip = async (response: ServerResponse, body: Buffer): Promise<void> => {
  const size = Math.max(1, Math.ceil(body.length / 8))
  for (let at = 0; at < body.length; at += size) {
    response.write(body.subarray(at, at + size))
    await pause(20)
  }
  response.end()
}

const bytesOf = async (message: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const passTo =
  (target: URL, agent: Agent): Pass =>
  (incoming, body) =>
    new Promise((done, fail) => {
      const { connection: _, host: __, 'transfer-encoding': ___, 'content-length': ____, ...headers } = incoming.headers
      const outgoing = requestOf(
        {
          agent,
          host: target.hostname,
          port: target.port,
          method: incoming.method,
          path: incoming.url,
          headers: { ...headers, ...(body.length > 0 && { 'content-length': body.length }) },
        },
        (reply) =>
          void bytesOf(reply).then((bytes) => {
            const { 'transfer-encoding': _chunked, ...kept } = reply.headers
            done({
              status: reply.statusCode ?? 502,
              headers: { ...kept, 'content-length': String(bytes.length) },
              body: bytes,
            })
          }, fail),
      )
      outgoing.on('error', fail)
      outgoing.end(body)
    })
