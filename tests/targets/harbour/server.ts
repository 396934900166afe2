// The target over HTTP: who calls, which operation, how replies and refusals are written, and the doors for hooks; no resource.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import findMyWay from 'find-my-way'
import { type Fault, type Json, Refusal } from './checks.js'
import type { Context, Reply, Route } from './context.js'
import { firewallRoutes } from './firewalls.js'
import { ACCOUNTS, DIGITS, FEW, type Fixtures, MANY, TOKENS, type Token, USERS, type User } from './fixtures.js'
import { addressRoutes } from './ips.js'
import { managedRoutes } from './managed.js'
import { objectStorageRoutes } from './object-storage.js'
import { newMemory, operate } from './operators.js'
import { hash, type Options, type Rules, rules as rulesOf } from './options.js'
import { bucketKey, newState, type State } from './state.js'
import { supportRoutes } from './support.js'
import { tagRoutes } from './tags.js'
import { volumeRoutes } from './volumes.js'

interface Answer {
  readonly status: number
  readonly body?: unknown
  readonly headers?: { readonly [name: string]: string }
}

export interface Harbour {
  readonly baseUrl: string
  readonly fixtures: Fixtures
  readonly rules: Rules
  readonly requests: () => number
  readonly reset: () => void
  readonly deleteNode: (id: number) => void
  readonly setLiveMigration: (id: number, on: boolean) => void
  readonly setVolumeMigrating: (id: number, on: boolean) => void
  readonly putObjects: (cluster: string, bucket: string, names: readonly string[]) => void
  readonly readEvents: (since: Date) => State['events']
  readonly close: () => Promise<void>
}

export const ROUTES: readonly Route[] = [
  ...volumeRoutes,
  ...objectStorageRoutes,
  ...managedRoutes,
  ...firewallRoutes,
  ...addressRoutes,
  ...supportRoutes,
  ...tagRoutes,
]

export const fixturesOf = (size: 'few' | 'many', { digitBucket }: Options): Fixtures => {
  if (size === 'few') return FEW
  return digitBucket ? { ...MANY, buckets: [DIGITS, ...MANY.buckets] } : MANY
}

export const openHarbour = async (options: Options, size: 'few' | 'many'): Promise<Harbour> => {
  const fixtures = fixturesOf(size, options)
  const rules = rulesOf(options)
  const world: World = { options, fixtures, rules, state: newState(fixtures), memory: newMemory(), past: [] }
  const router = findMyWay({ caseSensitive: true, ignoreTrailingSlash: false, maxParamLength: 2000 })
  for (const route of ROUTES)
    router.on(route.method, `/v4${route.path.replaceAll(/\{(\w+)\}/g, ':$1')}`, () => undefined, route)
  const server = createServer((request, response) => {
    void readAll(request)
      .then((raw) => serve(world, router, request, raw))
      .then((answer) => write(response, answer, options, request))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  return {
    baseUrl: `http://127.0.0.1:${port}/v4`,
    fixtures,
    rules,
    requests: () => world.state.requests,
    ...doors(world),
    close: () => shut(server),
  }
}

interface World {
  readonly options: Options
  readonly fixtures: Fixtures
  readonly rules: Rules
  state: State
  memory: ReturnType<typeof newMemory>
  /** What was there after each write, for reads that lag. */
  past: { readonly at: number; readonly state: State }[]
}

const shut = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done())
    server.closeAllConnections()
  })

const doors = (world: World): Omit<Harbour, 'baseUrl' | 'fixtures' | 'rules' | 'requests' | 'close'> => ({
  reset: () => {
    world.state = newState(world.fixtures)
    world.memory = newMemory()
    world.past = []
  },
  deleteNode: (id) => {
    forgetNode(world, id)
    keep(world)
  },
  setLiveMigration: (id, on) => {
    const node = world.state.nodes.get(id)
    if (node) node.migrating = on
    keep(world)
  },
  setVolumeMigrating: (id, on) => {
    const volume = world.state.volumes.get(id)
    if (volume) volume.migrating = on
    keep(world)
  },
  putObjects: (cluster, label, names) => {
    const bucket = world.state.buckets.get(bucketKey(cluster, label))
    if (!bucket) throw new Error(`no bucket ${cluster}/${label}`)
    for (const name of names) bucket.objects.set(name, 'private')
    keep(world)
  },
  readEvents: (since) => world.state.events.filter(({ at }) => at >= since.getTime()),
})

const forgetNode = ({ state, options, rules }: World, id: number): void => {
  const node = state.nodes.get(id)
  state.nodes.delete(id)
  for (const one of state.volumes.values())
    if (one.node === id && rules.holds('volumes.detached-from-deleted'))
      Object.assign(one, { node: null, profiled: false })
  for (const one of state.addresses.values()) if (one.node === id) state.addresses.delete(one.id)
  for (const one of state.ranges.values())
    if (one.node === id) {
      if (options.rangesOutlive) one.node = null
      else state.ranges.delete(one.id)
    }
  for (const one of options.devicesOutlive ? [] : state.firewalls.values())
    one.devices = one.devices.filter(({ entity, type }) => entity !== id || type !== 'node')
  for (const one of state.tags.values()) one.objects.delete(`nodes:${id}`)
  if (node && options.sharesOutlive) state.nodes.set(-id, { ...node, id: -id, account: '' })
}

const readAll = async (request: IncomingMessage): Promise<Buffer> => {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const serve = async (
  world: World,
  router: ReturnType<typeof findMyWay>,
  request: IncomingMessage,
  raw: Buffer,
): Promise<Answer> => {
  const { options, rules } = world
  world.state.requests += 1
  const { requests } = world.state
  if (options.busyEvery > 0 && hash(`${options.seed} busy ${requests}`) % options.busyEvery === 0)
    return later(requests, options)
  if (options.strangers && rules.draw() < 0.1) visit(world)
  const url = new URL(request.url ?? '/', 'http://harbour')
  const found = router.find(request.method as 'GET', url.pathname)
  if (!found) return refused([{ field: options.noField, reason: 'no such path' }], 404, world, '')
  const route = found.store as Route
  try {
    const caller = enter(world, route, request)
    const state = route.method === 'GET' ? seen(world, route) : world.state
    const content = contentOf(request, raw, options)
    const params = found.params as Context['params']
    const context = { ...world, ...caller, ...content, state, route, params, query: url.searchParams }
    if (options.lagMs > 0 && options.lagsFor === 'all' && route.method !== 'GET')
      await operate({ ...context, state: structuredClone(seen(world, route)) }, route.handle, newMemory())
    if (options.lagMs > 0 && world.past.length === 0) world.past.push({ at: 0, state: structuredClone(world.state) })
    const reply = await operate(context, route.handle, world.memory)
    if (route.method !== 'GET') keep(world)
    return accepted(route, reply, content.body, world)
  } catch (error) {
    if (!(error instanceof Refusal)) return { status: 500, body: { errors: [{ field: '', reason: String(error) }] } }
    emitRefused(world, route)
    return refused(error.faults, error.status, world, route.id)
  }
}

/** Keeps what is there after a change. */
const keep = ({ past, state, options }: World): void => {
  if (options.lagMs > 0) past.push({ at: Date.now(), state: structuredClone(state) })
}

/** What reads see: the present, or what was there a while ago. */
const seen = ({ state, past, options }: World, { path }: Route): State => {
  const { lagMs, lagsFor } = options
  if (lagMs === 0 || (lagsFor === 'lists' && path.endsWith('}'))) return state
  if (lagsFor === 'every second read' && state.requests % 2 === 0) return state
  const latest = past.findLastIndex(({ at }) => at <= Date.now() - lagMs)
  if (latest > 0) past.splice(0, latest)
  return past[0] && past[0].at <= Date.now() - lagMs ? past[0].state : state
}

const later = (requests: number, options: Options): Answer => {
  if (requests % 5 === 0) return { status: 502, body: '<h1>Bad Gateway</h1>', headers: { 'content-type': 'text/html' } }
  const body = { errors: [{ field: options.noField, reason: 'later' }] }
  const headers = { 'retry-after': requests % 3 ? '0' : new Date(0).toUTCString() }
  return { status: requests % 2 ? 429 : 503, body, headers }
}

/** Somebody else makes or removes a volume of their own in the first account. */
const visit = ({ state, rules }: World): void => {
  const pattern = state.volumes.get(601)
  const id = 700 + Math.floor(rules.draw() * 5)
  if (!pattern || state.volumes.delete(id)) return
  state.volumes.set(id, { ...pattern, id, label: `passing-${id}`, pathLabel: `passing-${id}` })
}

/** An event for a call that was refused, where that sentence is broken. */
const emitRefused = ({ state, rules }: World, { id }: Route): void => {
  const action = EVENTS[id]
  if (!action || rules.fault !== `event ${action} / refused` || rules.holds(rules.fault)) return
  state.events.push({ action, account: 'main', at: Date.now(), entity: { type: id, id: 0 } })
}

const EVENTS: { readonly [route: string]: string } = {
  'firewalls.create': 'firewall_create',
  'firewalls.delete': 'firewall_delete',
  'firewall-devices.create': 'firewall_device_add',
  'firewall-devices.delete': 'firewall_device_remove',
  'object-keys.create': 'obj_access_key_create',
  'object-keys.update': 'obj_access_key_update',
}

const enter = (
  { rules, options }: World,
  route: Route,
  request: IncomingMessage,
): Pick<Context, 'token' | 'user' | 'account'> => {
  const secret = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
  const token = TOKENS.find((one) => one.secret === secret)
  const isOpen = route.scopes.length === 0 && options.openClusters
  if (!token && !isOpen && rules.holds('token') && rules.holds(`${route.id}.token`))
    throw denial('no token', 401, options)
  const caller = callerOf(token ?? TOKENS[0])
  if (!token) return caller
  const lacking = route.scopes.filter((scope) => !covers(token, scope, options))
  const needed = lacking.filter((scope) => rules.holds(`scope ${scope}`) && rules.holds(`${route.id}.scope`))
  if (needed.length > 0) throw denial(`needs ${needed.join(' and ')}`, 403, options)
  const isBarred = route.unrestricted && caller.user.restricted
  const area = route.path.split('/')[1]
  if (isBarred && rules.holds(`unrestricted ${area}`) && rules.holds(`${route.id}.unrestricted`))
    throw denial('unrestricted users only', 403, options)
  if (options.managedOnly && area === 'managed' && !caller.account.managed) throw denial('Managed is off', 403, options)
  return caller
}

const callerOf = (token: Token | undefined): Pick<Context, 'token' | 'user' | 'account'> => {
  const user = USERS.find(({ name }) => name === token?.user) as User
  const account = ACCOUNTS.find(({ name }) => name === user.account)
  if (!token || !account) throw new Error('no such caller')
  return { token, user, account }
}

const denial = (reason: string, status: number, { noField }: Options): Refusal =>
  new Refusal([{ field: noField, reason }], status)

const covers = ({ scopes }: Token, scope: string, { exactScopes }: Options): boolean =>
  scopes === '*' || scopes.includes(scope) || (!exactScopes && scopes.includes(`${scope.split(':')[0]}:read_write`))

const contentOf = (request: IncomingMessage, raw: Buffer, options: Options): Pick<Context, 'body' | 'files'> => {
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('multipart/form-data')) return { body: {}, files: filesIn(raw) }
  if (raw.length === 0) return { body: undefined, files: [] }
  try {
    return { body: JSON.parse(raw.toString('utf8')), files: [] }
  } catch {
    throw denial('is not JSON', 400, options)
  }
}

/** Names and sizes of the files of a multipart body; enough of the format for well-formed requests. */
const filesIn = (raw: Buffer): Context['files'] =>
  [...raw.toString('latin1').matchAll(/name="([^"]*)"; filename="([^"]*)"[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/g)].map(
    ([, field = '', name = '', content = '']) => ({ field, name, size: content.length }),
  )

const ODD: { readonly [status: number]: readonly number[] } = {
  400: [400, 409, 418, 422, 451],
  401: [401, 403],
  402: [402, 403],
  403: [403, 401, 404],
  404: [404, 410, 400],
}

const refused = (faults: readonly Fault[], status: number, { options, rules }: World, route: string): Answer => {
  const codes = ODD[status] ?? [status, 400]
  const code = (options.codes === 'odd' ? codes[hash(JSON.stringify(faults)) % codes.length] : undefined) ?? status
  const more = options.manyErrors ? [{ field: options.noField, reason: 'the request was refused', code: 17 }] : []
  const bodies: { readonly [fault: string]: () => unknown } = {
    'refusal.envelope': () => ({ error: faults[0]?.reason }),
    'refusal.no-array': () => ({ errors: faults[0] }),
    'refusal.no-reason': () => ({ errors: faults.map(({ field }) => ({ field })) }),
    'refusal.no-field': () => ({ errors: faults.map(({ reason }) => ({ reason })) }),
    'refusal.field': () => ({ errors: [{ field: 'harbour', reason: 'no' }] }),
    'refusal.empty': () => ({ errors: [] }),
    [`${route}.refusal.empty`]: () => ({ errors: [] }),
    'refusal.text': () => faults[0]?.reason,
  }
  const wrong = bodies[rules.fault]
  if (wrong && !rules.holds(rules.fault)) return { status: code, body: wrong() }
  if (!rules.holds('refusal.as-200')) return { status: 200, body: { errors: faults } }
  return { status: code, body: { errors: [...faults, ...more].toReversed() } }
}

/** An echo does not repeat what must be kept secret. */
const withoutSecrets = (sent: unknown): unknown => {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return sent
  const { password: _password, private_key: _key, ...rest } = sent as Json
  return rest
}

const ODD_BODIES = [null, [], 'done', { ok: true }, 0]

const accepted = ({ path, method }: Route, reply: Reply, sent: unknown, { options, rules }: World): Answer => {
  const { kind, body } = reply
  const odd =
    options.codes === 'odd' ? [200, 201, 202, 203, 226][hash(`${options.seed} ${method} ${path}`) % 5] : undefined
  const status = reply.status ?? odd ?? (kind === 'creation' ? 201 : 200)
  const way = kind === 'creation' ? options.creation : kind === 'change' ? options.change : ''
  if (way === 'empty') return { status, body: {} }
  if (way === 'echo' && sent !== undefined) return { status, body: withoutSecrets(sent) }
  if (way === 'odd') return { status, body: ODD_BODIES[Math.floor(rules.draw() * ODD_BODIES.length)] }
  if (way === 'without id' && typeof body === 'object') return { status, body: { ...(body as Json), id: undefined } }
  if (kind === 'removal' && options.removal === 'none') return { status: 204 }
  if (kind === 'removal' && options.removal === 'record') return { status, body: { message: 'done' } }
  return { status, body: body ?? {} }
}

const write = (
  response: ServerResponse,
  { status, body, headers = {} }: Answer,
  options: Options,
  request: IncomingMessage,
): void => {
  const text =
    typeof body === 'string' && headers['content-type'] ? body : body === undefined ? '' : written(body, options)
  const type = status >= 400 && options.codes === 'odd' ? 'application/problem+json' : 'application/json; charset=UTF-8'
  const zips = options.compresses && /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  response.writeHead(status, {
    ...(text === '' ? {} : { 'content-type': type }),
    ...(zips ? { 'content-encoding': 'gzip' } : {}),
    ...(options.closes ? { connection: 'close' } : {}),
    ...headers,
  })
  response.end(zips ? gzipSync(text) : text)
}

const written = (body: unknown, { json }: Options): string => {
  if (json === 'pretty') return `\n${JSON.stringify(body, null, '\t')}\r\n`
  const text = JSON.stringify(body)
  if (json === 'escaped')
    return text
      .replaceAll('/', '\\/')
      .replaceAll(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`)
  return json === 'decimal' ? decimal(body) : text
}

/** Whole numbers with a point, which in JSON are the same numbers. */
const decimal = (value: unknown): string => {
  if (Number.isInteger(value)) return `${value}.0`
  if (Array.isArray(value)) return `[${value.map((each) => decimal(each ?? null)).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, each]) => each !== undefined)
  return `{${members.map(([name, each]) => `${JSON.stringify(name)}:${decimal(each)}`).join()}}`
}
