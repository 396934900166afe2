// The embedded target as a real HTTP server: requests in, wire calls to the reference implementation, replies out; no rule of the document stands here.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { operations } from '../models/index.js'
import { wrongToken } from '../models/language/access.js'
import { control, controlPath } from './control.js'
import type { Embedded } from './embedded.js'
import { envelope, type Reply, sendReply } from './reply.js'
import { readBody } from './request-body.js'
import { createRoutes, type Routes } from './routes.js'

export interface ServerOptions {
  readonly embedded: Embedded
  /** By token name. */
  readonly secrets: ReadonlyMap<string, string>
  /** Any free port when left out or 0. */
  readonly port?: number
  readonly host?: string
  /** How long a reply is held back after the call has taken effect. */
  readonly latencyMs?: number
  /** Whether hooks and events are offered over HTTP, to anyone who reaches the port. */
  readonly control?: boolean
}

export interface RunningServer {
  /** With the version segment, without a slash at its end. */
  readonly baseUrl: string
  /** Undefined where `control` is off. */
  readonly controlUrl: string | undefined
  readonly close: () => Promise<void>
}

/** @throws Error where the port cannot be listened on */
export const startServer = async (options: ServerOptions): Promise<RunningServer> => {
  const { host = loopback, port = 0 } = options
  const serving = servingOf(options)
  const server = createServer(
    { keepAliveTimeout: 60_000, requestTimeout: 60_000, maxHeaderSize: 65_536, noDelay: true },
    (request, response) => void serve(serving, request, response),
  )
  server.on('clientError', refuseRaw)
  await listen(server, host, port)
  const { baseUrl, controlUrl } = addressOf(portOf(server), host)
  return {
    baseUrl,
    controlUrl: options.control ? controlUrl : undefined,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

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

const versionSegment = '/v4'

interface Serving {
  readonly embedded: Embedded
  readonly routes: Routes
  /** Token names by secret. */
  readonly names: ReadonlyMap<string, string>
  readonly latencyMs: number
  readonly control: boolean
}

const servingOf = ({ embedded, secrets, latencyMs = 0, control = false }: ServerOptions): Serving => ({
  embedded,
  routes: createRoutes(operations),
  names: new Map([...secrets].map(([name, secret]) => [secret, name])),
  latencyMs,
  control,
})

const listen = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new Error(`cannot listen on ${host}:${port}: ${cause.message}; name another port, or 0 for any that is free`, {
          cause,
        }),
      ),
    )
    server.listen(port, host, resolve)
  })

const serve = async (serving: Serving, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const reply = await answerTo(serving, request).catch((error: Error) =>
    envelope(500, '', `suite defect: ${error.message}`),
  )
  if (serving.latencyMs > 0) await pause(serving.latencyMs, undefined, { ref: false })
  // An implementation that answers nothing is heard as a connection that breaks off.
  if (reply === undefined) request.socket.destroy()
  else if (!response.destroyed) sendReply(response, reply)
}

/** Undefined where there is nobody to answer, or the implementation gives no reply. */
const answerTo = async (serving: Serving, request: IncomingMessage): Promise<Reply | undefined> => {
  const { method = '', url = '' } = request
  const { pathname, search } = split(url)
  if (serving.control && (pathname === controlPath || pathname.startsWith(`${controlPath}/`)))
    return answerControl(serving, request, pathname)
  const path = withoutVersion(pathname)
  const route = serving.routes(method, path)
  const read = await readBody(request, route !== undefined && 'op' in route && route.op.multipart === true)
  if (read === undefined) return undefined
  if (route === undefined) return envelope(404, '', `no operation has the path ${path}`)
  if ('allow' in route)
    return {
      ...envelope(405, '', `${path} takes ${route.allow.join(', ')}, received ${method}`),
      allow: route.allow,
    }
  if ('status' in read) return envelope(read.status, '', read.reason)
  const outcome = serving.embedded.handle({
    operation: route.op.id,
    method,
    url: path + search,
    as: tokenOf(request.headers.authorization, serving.names),
    path: route.path,
    query: search === '' ? {} : Object.fromEntries(new URLSearchParams(search)),
    ...read,
  })
  return 'lost' in outcome ? undefined : outcome
}

const answerControl = async (
  { embedded }: Serving,
  request: IncomingMessage,
  pathname: string,
): Promise<Reply | undefined> => {
  const read = await readBody(request, false)
  if (read === undefined) return undefined
  if ('status' in read) return envelope(read.status, '', read.reason)
  return control(embedded, request.method ?? '', pathname, read.body)
}

const split = (url: string): { readonly pathname: string; readonly search: string } => {
  const at = url.indexOf('?')
  return at < 0 ? { pathname: url, search: '' } : { pathname: url.slice(0, at), search: url.slice(at) }
}

/** The version segment may be left out. */
const withoutVersion = (pathname: string): string =>
  pathname.startsWith(`${versionSegment}/`) ? pathname.slice(versionSegment.length) : pathname

/** The token that a header names; null for none, the wrong one for a secret that nobody holds or another scheme. */
const tokenOf = (authorization: string | undefined, names: ReadonlyMap<string, string>): string | null => {
  if (authorization === undefined) return null
  const secret = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  return (secret === undefined ? undefined : names.get(secret)) ?? wrongToken
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
