// What the embedded target answers to a request, whichever way it came: routes, credentials, disturbances, journal; no socket and no rule of the document.

import type { IncomingHttpHeaders } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Vocabulary } from '../config/vocabulary.js'
import { createRoutes, type Routes } from '../history/routes.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { operations } from '../models/index.js'
import { aid } from './aids.js'
import { type Controlled, control, controlPath } from './control.js'
import type { Disturbance } from './disturbances.js'
import { envelope, type Reply } from './reply.js'
import { readBody } from './request-body.js'
import type { Identity } from './worlds.js'

export interface Gateway extends Controlled {
  /** Whether the control interface is offered, to anyone who reaches the address. */
  readonly control: boolean
  /** Whether what clients ask first beside the interface is answered. */
  readonly aids: boolean
  /** The words in which clients speak, where they are not the document's. */
  readonly words: Vocabulary | undefined
}

export interface Request {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer | 'too-large'
}

/** Undefined where the connection is to break off. */
export type Answer = (request: Request) => Promise<Reply | undefined>

export const versionSegment = '/v4'

export const createAnswer = (gateway: Gateway): Answer => {
  const routes = createRoutes(operations)
  return async (request) => {
    const { method } = request
    const { pathname, search } = split(request.url)
    if (gateway.control && (pathname === controlPath || pathname.startsWith(`${controlPath}/`)))
      return controlled(gateway, request, pathname, search)
    if (method === 'GET' || method === 'HEAD') {
      if (pathname === '/healthz') return { status: 200, body: { status: 'ok' } }
      if (pathname === '/openapi.json') return { status: 200, body: await described(gateway, request) }
    }
    const url = withoutVersion(request.url)
    return answerPath(gateway, routes, request, gateway.words?.serving.url(url) ?? url)
  }
}

const described = async ({ words }: Gateway, { headers }: Request): Promise<unknown> => {
  const { openapi } = await import('./openapi.js')
  const { examples } = await import('./openapi-examples.js')
  return openapi({
    server: `http://${headers.host ?? 'localhost'}${versionSegment}`,
    examples: await examples(),
    ...(words && { words }),
  })
}

const answerPath = async (
  gateway: Gateway,
  routes: Routes,
  request: Request,
  url: string,
): Promise<Reply | undefined> => {
  const { headers } = request
  const { words } = gateway
  const { pathname: path, search } = split(url)
  const route = routes(request.method === 'HEAD' ? 'GET' : request.method, path)
  if (route === undefined || 'allow' in route) return answerBeside(gateway, request, url, route?.allow)
  const contentType = headers['content-type'] ?? ''
  const read = await readBody(request.body, { contentType, multipart: route.op.multipart === true, strict: true })
  if ('status' in read) return envelope(read.status, '', read.reason)
  const call: WireCall = {
    operation: route.op.id,
    method: route.op.method,
    url,
    as: null,
    path: route.path,
    query: search === '' ? {} : Object.fromEntries(new URLSearchParams(search)),
    ...read,
    ...(words && 'body' in read && { body: words.serving.body(read.body) }),
  }
  const outcome = await carryOut(gateway, call, identityOf(gateway, headers.authorization))
  if (outcome === undefined || 'lost' in outcome) return undefined
  return words && outcome.body !== undefined ? { ...outcome, body: words.serving.reply(outcome.body) } : outcome
}

/** The answer to what is no operation: to what clients ask beside the interface, before a call, or by mistake. */
const answerBeside = (
  gateway: Gateway,
  { method, headers }: Request,
  url: string,
  allowed: readonly string[] | undefined,
): Reply => {
  const { words, aids } = gateway
  const { pathname: path, search } = split(url)
  const known = aids ? aid(identityOf(gateway, headers.authorization), path, search) : undefined
  const allow = allowed ?? (known && ['GET'])
  if (allow && method === 'OPTIONS') return preflight(allow, headers)
  if (known && (method === 'GET' || method === 'HEAD'))
    return words ? { ...known, body: words.serving.reply(known.body) } : known
  if (allow === undefined) return envelope(404, '', `no operation has the path ${path}`)
  return {
    ...envelope(405, '', `${path} takes ${allow.join(', ')}, received ${method}`),
    headers: { allow: allow.join(', ') },
  }
}

/** Undefined where no reply is to reach the client. */
const carryOut = async (
  { worlds: _, disturbances, journal }: Gateway,
  anonymous: WireCall,
  { as, world, embedded }: Identity,
): Promise<(Reply & Outcome) | undefined> => {
  const call = { ...anonymous, as }
  const disturbance = disturbances.next(call.operation)
  const refusal = disturbance && refusalBy(disturbance)
  const outcome: Outcome = refusal ?? (disturbance?.kind === 'reset' ? { lost: 'reset' } : embedded.handle(call))
  const isLost = 'lost' in outcome || disturbance?.kind === 'lost'
  journal?.add({
    world,
    call,
    outcome: isLost ? { lost: 'reset' } : outcome,
    ...(disturbance && { disturbed: disturbance.kind }),
  })
  const delay = disturbances.delayMs()
  if (delay > 0) await pause(delay, undefined, { ref: false })
  return isLost ? undefined : (outcome as Reply & Outcome)
}

const refusalBy = ({ kind, retryAfter }: Disturbance): (Reply & Outcome) | undefined =>
  kind !== '429' && kind !== '503'
    ? undefined
    : ({
        ...envelope(Number(kind), '', kind === '429' ? 'Too many requests' : 'Service unavailable'),
        ...(retryAfter !== undefined && { headers: { 'retry-after': String(retryAfter) } }),
      } as Reply & Outcome)

const controlled = async (gateway: Gateway, request: Request, pathname: string, search: string): Promise<Reply> => {
  const { method, headers } = request
  if (method === 'OPTIONS') return preflight(['GET', 'POST', 'PUT', 'DELETE'], headers)
  const read = await readBody(request.body, { contentType: '', multipart: false, strict: false })
  if ('status' in read) return envelope(read.status, '', read.reason)
  return control(gateway, method === 'HEAD' ? 'GET' : method, pathname, search, read.body)
}

/** What a browser asks before it lets a page of another origin call. */
const preflight = (allow: readonly string[], headers: IncomingHttpHeaders): Reply => ({
  status: 204,
  headers: {
    allow: [...allow, 'OPTIONS'].join(', '),
    'access-control-allow-methods': allow.join(', '),
    'access-control-allow-headers': headers['access-control-request-headers'] ?? 'authorization, content-type',
    'access-control-max-age': '600',
  },
})

const split = (url: string): { readonly pathname: string; readonly search: string } => {
  const at = url.indexOf('?')
  return at < 0 ? { pathname: url, search: '' } : { pathname: url.slice(0, at), search: url.slice(at) }
}

/** The version segment may be left out. */
const withoutVersion = (url: string): string =>
  url.startsWith(`${versionSegment}/`) ? url.slice(versionSegment.length) : url

/** Who calls: nobody without the header, the wrong token with another scheme. */
const identityOf = ({ worlds }: Gateway, authorization: string | undefined): Identity =>
  worlds.identify(authorization === undefined ? undefined : (/^Bearer +(\S+) *$/i.exec(authorization)?.[1] ?? null))
