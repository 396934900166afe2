// A reverse proxy to one origin that passes everything on as it comes, and tells what it saw; it neither judges nor keeps anything back.

import http, { type ClientRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import https from 'node:https'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { TlsIdentity } from '../config/tls.js'
import { backward, onward } from './headers.js'
import type { Passed, PassedReply, PassedRequest } from './traffic.js'
import type { Watched } from './watcher.js'

export interface ProxyOptions {
  readonly origin: string
  /** What the proxy proves to the target with who it is. */
  readonly tls?: TlsIdentity | undefined
  readonly begin: () => Watched
  /** Whether bodies are worth keeping at the moment. */
  readonly isKeeping: () => boolean
}

/** The most bytes of a body that are kept to be judged. */
const mostKept = 4 * 1024 * 1024

/** Shorter than most servers keep an idle connection, so that none closes just as it is used again. */
const idleMs = 1_500

/** Names what the proxy itself answers. */
export const ownHeader = 'Touchstone-Guard'

/** A server that does not listen yet. Closing it breaks off what is under way. */
export const createProxy = ({ origin, tls = {}, begin, isKeeping }: ProxyOptions): Server => {
  const { protocol, host } = new URL(origin)
  const { Agent, request: send } = protocol === 'https:' ? https : http
  const { ca, ...own } = tls
  const identity = { ...own, ...(ca && { ca: [...ca] }) }
  const agent = new Agent({ keepAlive: true, timeout: idleMs, scheduling: 'lifo', noDelay: true, ...identity })
  const pass = (incoming: IncomingMessage, response: ServerResponse): void => {
    const { method = 'GET', url = '/', rawHeaders } = incoming
    // Absolute and other forms are for proxies that clients know of.
    if (!url.startsWith('/') && url !== '*') {
      refuse(response, 400, `expected a path, received ${method} to another form of target`)
      return
    }
    const outgoing = send(origin, { method, path: url, agent, headers: onward(rawHeaders, method, host) })
    relay({ incoming, response, outgoing, watched: begin(), isKeeping: isKeeping() })
  }
  const server = http.createServer(
    { requestTimeout: 0, keepAliveTimeout: 65_000, maxHeaderSize: 65_536, noDelay: true, joinDuplicateHeaders: false },
    pass,
  )
  server.timeout = 0
  // The client waits for the target's word, not for the proxy's.
  server.on('checkContinue', pass)
  server.on('checkExpectation', pass)
  server.on('connect', (_, socket: Duplex) => refuseRaw(socket, '501 Not Implemented', 'a tunnel is not offered'))
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else refuseRaw(socket, '400 Bad Request', `the request is no HTTP: ${error.message}`)
  })
  server.on('close', () => agent.destroy())
  return server
}

interface Relay {
  readonly incoming: IncomingMessage
  readonly response: ServerResponse
  readonly outgoing: ClientRequest
  readonly watched: Watched
  readonly isKeeping: boolean
}

/** Passes one request on and its reply back, and tells both. */
const relay = ({ incoming, response, outgoing, watched, isKeeping }: Relay): void => {
  const { method = 'GET', url = '/', httpVersion, rawHeaders } = incoming
  const sent = keep(incoming, isKeeping)
  let reply: IncomingMessage | undefined
  let received: Kept | undefined
  let isOver = false
  const requestOf = (): PassedRequest => ({ method, url, httpVersion, headers: rawHeaders, ...sent(incoming.complete) })
  const replyOf = (): PassedReply | undefined =>
    reply && {
      status: reply.statusCode ?? 0,
      statusText: reply.statusMessage ?? '',
      httpVersion: reply.httpVersion,
      headers: reply.rawHeaders,
      ...(received as Kept)(reply.complete),
    }
  const end = (broken?: string): void => {
    if (isOver) return
    isOver = true
    watched.ended(requestOf(), replyOf(), broken)
  }

  incoming.pipe(outgoing, { end: false })
  // A request without a body, and one whose client waits for leave to send it, goes out at once.
  sendHeaders(outgoing)
  incoming.once('end', () => {
    if (incoming.rawTrailers.length > 0) outgoing.addTrailers(pairsOf(incoming.rawTrailers))
    outgoing.end()
    if (!isOver) watched.sent(requestOf())
  })
  outgoing.once('continue', () => response.writeContinue())
  outgoing.on('information', ({ statusCode, rawHeaders: hints }) => inform(response, statusCode, hints))
  outgoing.once('response', (answer) => {
    reply = answer
    received = keep(answer, isKeeping)
    response.sendDate = false
    response.writeHead(answer.statusCode ?? 502, answer.statusMessage, backward(answer.rawHeaders))
    sendHeaders(response)
    answer.pipe(response, { end: false })
    answer.once('end', () => {
      end()
      const trailers = pairsOf(answer.rawTrailers)
      if (trailers.length > 0) response.addTrailers(trailers)
      response.end()
    })
    // A body that is cut reaches the client cut.
    answer.once('close', () => {
      if (answer.complete) return
      end('the reply was cut')
      response.destroy()
    })
    answer.on('error', () => undefined)
  })
  outgoing.once('error', (error: NodeJS.ErrnoException) => {
    end(`${error.code ?? 'error'}: ${error.message}`)
    // Whatever the target makes of the rest of the request, its reply is there.
    if (reply?.complete) return
    if (response.headersSent) response.destroy()
    else refuse(response, 502, `the target gave no reply (${error.code ?? error.message})`)
    incoming.resume()
  })
  response.once('close', () => {
    if (response.writableFinished) return
    end('the client went away')
    outgoing.destroy()
  })
}

const nothing = Buffer.alloc(0)

/** Sends the headers at once, byte by byte as they came: `flushHeaders` would write what is not ASCII anew, as UTF-8. */
const sendHeaders = (message: ClientRequest | ServerResponse): void => {
  message.write(nothing)
}

/** Tells how much went by, and the bytes of it where they were kept and nothing is missing. */
type Kept = (isWhole: boolean) => Pick<Passed, 'size' | 'body'>

const keep = (message: IncomingMessage, isKeeping: boolean): Kept => {
  let chunks: Buffer[] | undefined = isKeeping ? [] : undefined
  let size = 0
  message.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > mostKept) chunks = undefined
    chunks?.push(chunk)
  })
  return (isWhole) => ({ size, body: isWhole && chunks ? bytesOf(chunks) : undefined })
}

/** A copy of its own where a chunk is part of a larger buffer, so that only these bytes go to another thread. */
const bytesOf = (chunks: readonly Buffer[]): Uint8Array => new Uint8Array(Buffer.concat(chunks))

const inform = (response: ServerResponse, status: number, headers: readonly string[]): void => {
  if (response.headersSent) return
  if (status === 102) response.writeProcessing()
  const links = pairsOf(headers).flatMap(([name, value]) => (name.toLowerCase() === 'link' ? [value] : []))
  if (status === 103 && links.length > 0) response.writeEarlyHints({ link: links })
}

const pairsOf = (flat: readonly string[]): [string, string][] =>
  Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i] as string, flat[2 * i + 1] as string])

const bodyFor = (reason: string): string =>
  `${JSON.stringify({ errors: [{ reason: `touchstone guard: ${reason}` }] })}\n`

/** A reply of the proxy's own, which says so. */
const refuse = (response: ServerResponse, status: number, reason: string): void => {
  if (response.destroyed) return
  const body = bodyFor(reason)
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(body),
    [ownHeader]: 'own reply',
    Connection: 'close',
  })
  response.end(body)
}

const refuseRaw = (socket: Duplex | Socket, status: string, reason: string): void => {
  const body = bodyFor(reason)
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\n${ownHeader}: own reply\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}
