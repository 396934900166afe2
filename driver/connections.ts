// The connections to a target, or to the proxy that leads to it; not what is sent over them.

import { type buildConnector, type Dispatcher, Pool, ProxyAgent } from 'undici'
import type { HttpProxy } from '../config/proxy.js'
import type { TlsIdentity } from '../config/tls.js'
import { connectorWithoutInterim, withoutInterim } from './interim.js'

export interface ConnectionOptions {
  /** Scheme, host and port of the target. */
  readonly origin: string
  /** The most at a time. */
  readonly connections: number
  /** How long one may take to be made. */
  readonly timeoutMs: number
  readonly proxy?: HttpProxy | undefined
  readonly tls?: TlsIdentity | undefined
}

/** How long one of several addresses of a target is given to accept a connection; Node.js gives it a quarter of that, which is little for one far away. */
const farthestMs = 1000
/** Shorter than most servers keep an idle connection, so that the server does not close it just when it is used again. */
const keepAliveTimeout = 1_500

/** As much as the guard passes on; gateways put long policies into the head of every reply. */
const maxHeaderSize = 65_536

export const openConnections = (options: ConnectionOptions): Dispatcher => {
  const { origin, proxy } = options
  if (!proxy) return new Pool(origin, pooled(options, connectorWithoutInterim(connectingTo(options))))
  return origin.startsWith('https:') ? tunnelled(options, proxy) : forwarded(options, proxy)
}

const connecting = ({ timeoutMs }: ConnectionOptions): buildConnector.BuildOptions => ({
  timeout: timeoutMs,
  autoSelectFamilyAttemptTimeout: farthestMs,
})

/** How a target is connected to; a proxy is not told who the client is. */
export const connectingTo = (options: ConnectionOptions): buildConnector.BuildOptions => {
  const { ca, ...own } = options.tls ?? {}
  return { ...connecting(options), ...(ca && { ca: [...ca] }), ...own }
}

const pooled = ({ connections }: ConnectionOptions, connect: buildConnector.connector): Pool.Options => ({
  connections,
  pipelining: 1,
  maxHeaderSize,
  keepAliveTimeout,
  connect,
  // The deadline of the exchange covers both.
  headersTimeout: 0,
  bodyTimeout: 0,
})

/** Through a proxy that is asked to connect (CONNECT); what is sent, it does not see. */
const tunnelled = (options: ConnectionOptions, { url, authorization }: HttpProxy): Dispatcher => {
  const { origin, timeoutMs } = options
  const agent = new ProxyAgent({
    uri: url,
    ...(authorization !== undefined && { token: authorization }),
    requestTls: connectingTo(options),
    proxyTls: connecting(options),
    clientFactory: (to, more) => new Pool(to, { ...more, headersTimeout: timeoutMs }),
    factory: (to, { connect }: Pool.Options) =>
      new Pool(to, pooled(options, withoutInterim(tellingOfProxy(connect as buildConnector.connector, url)))),
  })
  return changing(agent, (request) => ({ ...request, origin }))
}

/** What a proxy that makes no connection is told as: nothing has been sent to the target then. */
export const notConnected = 'ERR_PROXY_NOT_CONNECTED'
const wantsCredentials = '407: it wants credentials'

/** How calls get past such a proxy. */
export const wayThrough =
  'put the credentials that it wants into its address, as in http://user:password@proxy.example:3128, or name the host of the target in NO_PROXY'

/** Whether the text of a lost call says that a proxy wants credentials. */
export const isBarredByProxy = (detail: string | undefined): boolean =>
  detail?.startsWith(`${notConnected}:`) === true && detail.includes(wantsCredentials)

const tellingOfProxy =
  (connect: buildConnector.connector, url: string): buildConnector.connector =>
  (where, done) =>
    connect(where, (...result) => {
      const [error, socket] = result
      if (!error) return done(null, socket)
      const status = /^Proxy response \((\d+)\)/.exec(error.message)?.[1]
      if (status === undefined) return done(error, null)
      const why = status === '407' ? wantsCredentials : status
      return done(Object.assign(new Error(`the proxy ${url} answered ${why}`), { code: notConnected }), null)
    })

/** Through a proxy that is sent each request with its whole address, as is done without TLS. */
const forwarded = (options: ConnectionOptions, { url, authorization }: HttpProxy): Dispatcher => {
  const { origin } = options
  const pool = new Pool(url, pooled(options, connectorWithoutInterim(connecting(options))))
  const more = [
    'host',
    new URL(origin).host,
    ...(authorization === undefined ? [] : ['proxy-authorization', authorization]),
  ]
  return changing(pool, (request) => ({
    ...request,
    path: origin + request.path,
    headers: [...(request.headers as string[]), ...more],
  }))
}

/** A dispatcher that changes each request before another sends it. */
const changing = (
  dispatcher: Dispatcher,
  changed: (request: Dispatcher.DispatchOptions) => Dispatcher.DispatchOptions,
): Dispatcher => dispatcher.compose((dispatch) => (request, handler) => dispatch(changed(request), handler))
