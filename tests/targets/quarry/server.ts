// Quarry over HTTP: routing, tokens and scopes, envelopes, pages and the doors for hooks; no resource.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import findMyWay from 'find-my-way'
import { type Fault, type Json, Refusal } from './checks.js'
import { firewallRoutes } from './firewalls.js'
import { addressRoutes } from './ips.js'
import { managedRoutes } from './managed.js'
import { hash, type Options, type Rules, rules as rulesOf } from './options.js'
import { type Fixtures, newState, ordered, type State, type Token, type User } from './state.js'
import { tagRoutes } from './tags.js'

export interface Context {
  readonly state: State
  readonly rules: Rules
  readonly options: Options
  readonly user: User
  readonly params: { readonly [name: string]: string }
  readonly query: URLSearchParams
  readonly body: unknown
}

export interface Reply {
  readonly kind: 'view' | 'list' | 'creation' | 'change' | 'removal' | 'volume'
  readonly body?: unknown
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly scopes: readonly string[]
  readonly unrestricted?: boolean
  readonly handle: (context: Context) => Reply
}

export interface Setup {
  readonly options: Options
  readonly fixtures: Fixtures
  readonly users: readonly User[]
  readonly tokens: readonly Token[]
}

interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
}

const ROUTES: readonly Route[] = [...firewallRoutes, ...addressRoutes, ...managedRoutes, ...tagRoutes]

export interface Quarry {
  readonly server: Server
  /** Starts again with other options, as new. */
  readonly renew: (options: Options) => void
}

export const quarry = (setup: Setup): Quarry => {
  let answer = answering(setup)
  const server = createServer((request, response) => {
    void readAll(request).then((raw) => {
      const { status, body, headers = {} } = answer(request, raw)
      const text = body === undefined ? '' : JSON.stringify(body)
      const type = status >= 400 ? 'application/problem+json' : 'application/json; charset=UTF-8'
      response.writeHead(status, { ...(text === '' ? {} : { 'content-type': type }), ...headers })
      response.end(text)
    })
  })
  const renew = (options: Options): void => {
    answer = answering({ ...setup, options })
  }
  return { server, renew }
}

const readAll = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

const answering = ({
  options,
  fixtures,
  users,
  tokens,
}: Setup): ((request: IncomingMessage, raw: string) => Answer) => {
  const rules = rulesOf(options)
  const router = findMyWay({ caseSensitive: true, ignoreTrailingSlash: false })
  for (const route of ROUTES)
    router.on(route.method, `/v4${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, () => undefined, route)
  let state = newState(fixtures)
  let count = 0

  const enter = (route: Route, request: IncomingMessage): User => {
    const secret = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    const token = tokens.find((one) => one.secret === secret)
    const user = users.find(({ name }) => name === token?.user)
    if (!token || !user) {
      if (rules.holds('token') || !users[0]) throw new Refusal([{ field: options.noField, reason: 'no token' }], 401)
      return users[0]
    }
    const missing = route.scopes.filter((scope) => rules.holds(`scope ${scope}`) && !covers(token, scope, options))
    if (missing.length > 0)
      throw new Refusal([{ field: options.noField, reason: `needs ${missing.join(' and ')}` }], 403)
    if (route.unrestricted && user.restricted && rules.holds(`unrestricted ${route.path.split('/')[1]}`))
      throw new Refusal([{ field: options.noField, reason: 'unrestricted users only' }], 403)
    return user
  }

  return (request, raw) => {
    const url = new URL(request.url ?? '/', 'http://quarry')
    if (url.pathname.startsWith('/-/')) {
      state = control(state, fixtures, url, raw, rules.silent)
      return { status: 200, body: url.pathname === '/-/events' ? state.events : {} }
    }
    count += 1
    if (options.busyEvery > 0 && hash(`${options.seed} busy ${count}`) % options.busyEvery === 0)
      return refused([{ field: options.noField, reason: 'later' }], count % 2 ? 429 : 503, options, {
        'retry-after': count % 3 ? '0' : new Date(0).toUTCString(),
      })
    const found = router.find(request.method as 'GET', url.pathname)
    const nothing = { field: options.noField, reason: 'no such path' }
    if (!found) return refused([nothing], 404, options)
    const route = found.store as Route
    try {
      const user = enter(route, request)
      const body = route.method === 'GET' && raw === '' ? undefined : parse(raw, options)
      const params = found.params as Context['params']
      return accepted(
        route,
        route.handle({ state, rules, options, user, params, query: url.searchParams, body }),
        options,
      )
    } catch (error) {
      if (error instanceof Refusal) return refused(error.faults, error.status, options)
      throw error
    }
  }
}

const covers = ({ scopes }: Token, scope: string, { exactScopes }: Options): boolean =>
  scopes === '*' || scopes.includes(scope) || (!exactScopes && scopes.includes(`${scope.split(':')[0]}:read_write`))

const parse = (raw: string, { noField }: Options): unknown => {
  if (raw === '') return undefined
  try {
    return JSON.parse(raw)
  } catch {
    throw new Refusal([{ field: noField, reason: 'is not JSON' }])
  }
}

const control = (state: State, fixtures: Fixtures, url: URL, raw: string, silent: Rules['silent']): State => {
  if (url.pathname === '/-/reset') return newState(fixtures)
  const { id, on } = JSON.parse(raw === '' ? '{}' : raw) as { id?: number; on?: boolean }
  const node = state.nodes.get(id ?? -1)
  if (node && url.pathname === '/-/migration') node.migrating = on === true
  if (node && url.pathname === '/-/node') forgetNode(state, node.id, silent('devices outlive nodes'))
  return state
}

const forgetNode = (state: State, id: number, devicesStay: boolean): void => {
  state.nodes.delete(id)
  for (const one of state.addresses.values()) if (one.node === id) state.addresses.delete(one.address)
  for (const one of state.ranges.values()) if (one.node === id) one.node = null
  for (const one of devicesStay ? [] : state.firewalls.values())
    one.devices = one.devices.filter(({ entity, type }) => entity !== id || type !== 'node')
}

const ODD = {
  400: [400, 409, 418, 422, 451],
  404: [404, 410, 400],
  401: [401, 403],
  403: [403, 401, 404],
  429: [429],
  503: [503],
}

const refused = (faults: readonly Fault[], status: number, options: Options, headers = {}): Answer => {
  const codes = ODD[status as 400]
  const code = options.codes === 'odd' ? codes[hash(JSON.stringify(faults)) % codes.length] : status
  const more = options.manyErrors ? [{ field: options.noField, reason: 'the request was refused', code: 17 }] : []
  if (options.fault === 'envelope') return { status: code ?? status, body: { error: faults[0]?.reason }, headers }
  if (options.fault === 'field')
    return { status: code ?? status, body: { errors: [{ field: 'quarry', reason: 'no' }] }, headers }
  return { status: code ?? status, body: { errors: [...faults, ...more] }, headers }
}

const accepted = ({ path, method }: Route, { kind, body }: Reply, options: Options): Answer => {
  const odd =
    options.codes === 'odd' ? [200, 201, 202, 203, 226][hash(`${options.seed} ${method} ${path}`) % 5] : undefined
  const status = odd ?? 200
  if (kind === 'creation' && options.creation === 'empty') return { status, body: {} }
  if (kind === 'creation' && options.creation === 'without id')
    return { status, body: { ...(body as Json), id: undefined } }
  if (kind === 'removal' && options.removal === 'none') return { status: 204 }
  if (kind === 'removal' && options.removal === 'record') return { status, body: { message: 'done' } }
  return { status, body: body ?? {} }
}

const wholeParam = (value: string | null, fallback: number): number =>
  value === null ? fallback : /^\d+$/.test(value) ? Number(value) : Number.NaN

/** One page of the records in this implementation's order. */
export const page = (context: Context, records: readonly unknown[], key: (record: never) => string): Reply => {
  const { query, rules, options } = context
  if (
    [...query.keys()].some((name) => !['page', 'page_size'].includes(name)) &&
    !rules.silent('unknown query parameters')
  )
    throw new Refusal([{ field: options.noField, reason: 'unknown parameter' }])
  const number = wholeParam(query.get('page'), rules.bound('page.default', 1))
  const size = wholeParam(query.get('page_size'), rules.holds('page_size.default') ? 100 : 25)
  const found: Fault[] = []
  if (!(number >= rules.bound('page.minimum', 1))) found.push({ field: 'page', reason: 'must be at least 1' })
  if (!(size >= rules.bound('page_size.minimum', 25) && size <= rules.bound('page_size.maximum', 500)))
    found.push({ field: 'page_size', reason: 'must be from 25 to 500' })
  if (found.length > 0) throw new Refusal(found)
  const pages = rules.holds('pages')
    ? Math.max(options.emptyPages, Math.ceil(records.length / size))
    : Math.floor(records.length / size) + 1
  if (number > Math.max(pages, 1) && !rules.silent('page beyond last'))
    throw new Refusal([{ field: 'page', reason: 'beyond the last' }])
  const shown = rules.silent('shows the last page instead') ? Math.min(number, Math.max(pages, 1)) : number
  const start = rules.holds('page.start') ? (shown - 1) * size : Math.max(0, (shown - 1) * size - 1)
  const data = ordered(records, key as (record: unknown) => string, options).slice(start, start + size)
  const results = rules.holds('results') ? records.length : data.length
  const told = number > 1 && number === pages && !rules.holds('pages.last') ? pages + 1 : pages
  return { kind: 'list', body: { data, page: shown, pages: told, results } }
}

/** A path parameter that is a whole number. */
export const idOf = ({ params, options }: Context, name: string): number => {
  const value = params[name] ?? ''
  if (!/^\d+$/.test(value)) throw new Refusal([{ field: name, reason: 'must be a whole number' }], 404)
  if (!Number.isSafeInteger(Number(value))) throw new Refusal([{ field: options.noField, reason: 'not found' }], 404)
  return Number(value)
}

export const missing = ({ options }: Context, name: string): Refusal =>
  new Refusal([{ field: options.fields === 'leaf' ? name : options.noField, reason: 'not found' }], 404)

export const refuse = (field: string, reason: string): never => {
  throw new Refusal([{ field, reason }])
}

/** Whether the user may write to a node, node balancer, volume or domain. */
export const mayWrite = ({ user }: Context, kind: string, id: number): boolean => {
  if (!user.restricted) return true
  const granted = user.grants?.[kind] as { readonly [id: string]: string } | undefined
  return granted?.[String(id)] === 'read_write'
}

/** The document says nothing of restricted users here. */
export const restrictedMay = ({ user, options }: Context): void => {
  if (user.restricted && options.restricted === 'refuse')
    throw new Refusal([{ field: options.noField, reason: 'restricted user' }], 403)
}

export const dress = (record: Json, { records, offsetDates }: Options): Json => {
  if (records === 'bare') return record
  const made = { created: offsetDates ? '2024-02-29T23:30:00+05:30' : '2024-02-29T18:00:00' }
  return records === 'plain'
    ? { ...record, ...made }
    : { ...record, ...made, _links: { self: null }, quarry: [1, { a: null }] }
}
