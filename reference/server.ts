// The embedded target as a real HTTP server: bytes in, replies of the gateway out; what is answered is decided there.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { controlPath } from './control.js'
import { type Answer, versionSegment } from './gateway.js'
import { envelope, sendReply } from './reply.js'
import { maxBodyBytes } from './request-body.js'

export interface ListenOptions {
  /** Any free port when left out or 0. */
  readonly port?: number
  readonly host?: string
}

export interface RunningServer {
  /** With the version segment, without a slash at its end. */
  readonly baseUrl: string
  readonly controlUrl: string
  readonly close: () => Promise<void>
}

/** A server that does not listen yet: connections may be handed to it. */
export const createHttpServer = (answer: Answer): Server => {
  const server = createServer(
    { keepAliveTimeout: 60_000, requestTimeout: 60_000, maxHeaderSize: 65_536, noDelay: true },
    (request, response) => void serve(answer, request, response),
  )
  server.on('clientError', refuseRaw)
  return server
}

/** @throws Error where the port cannot be listened on */
export const startServer = async (
  answer: Answer,
  { host = loopback, port = 0 }: ListenOptions = {},
): Promise<RunningServer> => {
  const server = createHttpServer(answer)
  await listen(server, host, port)
  return { ...addressOf(portOf(server), host), close: () => closed(server) }
}

export const closed = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

/** Where a server that listens on `port` is found. */
export const addressOf = (port: number, host = loopback): { readonly baseUrl: string; readonly controlUrl: string } => {
  const origin = `http://${host.includes(':') ? `[${host}]` : host}:${port}`
  return { baseUrl: `${origin}${versionSegment}`, controlUrl: `${origin}${controlPath}` }
}

/** A port that is free at the moment, for a server that a worker will start. */
export const freePort = async (): Promise<number> => {
  const server = createServer()
  await listen(server, loopback, 0)
  const port = portOf(server)
  await new Promise((resolve) => server.close(resolve))
  return port
}

const loopback = '127.0.0.1'

const portOf = (server: Server): number => (server.address() as AddressInfo).port

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new Error(
          `cannot listen on ${host}:${port}: ${cause.message}; name another address, or another port: 0 is any that is free`,
          {
            cause,
          },
        ),
      ),
    )
    server.listen(port, host, resolve)
  })

const serve = async (answer: Answer, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = '', url = '', headers } = request
  const body = await bytesOf(request)
  // The client went away.
  if (body === undefined) return
  const reply = await answer({ method, url, headers, body }).catch((error: Error) =>
    envelope(500, '', `suite defect: ${error.message}`),
  )
  // An implementation that answers nothing is heard as a connection that breaks off.
  if (reply === undefined) request.socket.destroy()
  else if (!response.destroyed) sendReply(response, reply, method === 'HEAD')
}

const nothing = Buffer.alloc(0)

/** All bytes of a request. What is beyond the bound is read and forgotten, so that the refusal reaches its sender. */
const bytesOf = (request: IncomingMessage): Promise<Buffer | 'too-large' | undefined> | Buffer => {
  const { headers } = request
  if (headers['transfer-encoding'] === undefined && !(Number(headers['content-length']) > 0)) return nothing
  return new Promise((resolve) => {
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
}

/** What cannot be parsed as HTTP is refused with the envelope too. */
const refuseRaw = (error: NodeJS.ErrnoException, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy()
    return
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request'
  const text = JSON.stringify(envelope(400, '', `the request is no HTTP: ${error.message}`).body)
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}
