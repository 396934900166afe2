// The target over HTTP: who calls, which operation, and how a refusal is written; not what an operation does.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import router from 'find-my-way'
import { type Answer, broken, type Call, createWorld, type Issue, Refusal, type Route, type World } from './call.js'
import { firewallRoutes } from './firewalls.js'
import { objectStorageRoutes } from './object-storage.js'
import type { Oddities } from './oddities.js'
import { bucketKey, type Caller, callers, startState } from './state.js'
import { supportRoutes } from './support.js'
import { volumeRoutes } from './volumes.js'

export interface Harbour {
  readonly baseUrl: string
  readonly world: World
  close(): Promise<void>
  reset(): void
  deleteNode(id: number): void
  setVolumeMigrating(id: number, on: boolean): void
  putObjects(cluster: string, bucket: string, names: readonly string[]): void
  readEvents(since: Date): readonly { action: string; entity: { type: string; id: number } }[]
}

export const openHarbour = async (oddities: Oddities): Promise<Harbour> => {
  const world = createWorld(oddities, startState())
  const routes = [...volumeRoutes(world), ...objectStorageRoutes(world), ...supportRoutes(world), ...firewallRoutes]
  const paths = router({ maxParamLength: 2000 })
  for (const route of routes) paths.on(route.method as 'GET', `/v4${route.path}`, () => undefined, route)
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => send(world, response, serve(world, paths, request, Buffer.concat(chunks))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v4`, world, ...hooks(world), close: () => shut(server) }
}

const shut = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })

const hooks = (world: World): Omit<Harbour, 'baseUrl' | 'world' | 'close'> => ({
  reset: () => {
    world.state = startState()
  },
  deleteNode: (id) => {
    world.state.nodes.delete(id)
    for (const { volumes } of world.state.accounts.values())
      for (const volume of volumes.values()) if (volume.node === id) volume.node = null
  },
  setVolumeMigrating: (id, on) => {
    for (const { volumes } of world.state.accounts.values()) {
      const volume = volumes.get(id)
      if (volume) volume.migrating = on
    }
  },
  putObjects: (cluster, label, names) => {
    const bucket = world.state.buckets.get(bucketKey(cluster, label))
    if (!bucket) throw new Error(`no bucket ${cluster}/${label}`)
    for (const name of names) bucket.objects.set(name, 'private')
  },
  readEvents: (since) => world.state.events.filter(({ at }) => at >= since.getTime()),
})

const serve = (world: World, paths: ReturnType<typeof router>, request: IncomingMessage, raw: Buffer): Answer => {
  world.state.requests += 1
  if (world.oddities.flaky && world.draw() < 0.02) return outage(world)
  if (world.oddities.strangers && world.draw() < 0.1) visit(world)
  const url = new URL(request.url ?? '/', 'http://harbour')
  const found = paths.find(request.method as 'GET', url.pathname)
  try {
    if (!found) throw new Refusal([['', 'no such path']], 404)
    const route = found.store as Route
    const params = found.params as Readonly<Record<string, string>>
    const call = callOf(world, route, params, url.searchParams, request, raw)
    const answer = route.handle(call)
    return world.oddities.flaky && world.draw() < 0.01 ? { status: 502, body: '<h1>Bad Gateway</h1>' } : answer
  } catch (error) {
    if (!(error instanceof Refusal)) return { status: 500, body: { errors: [{ field: '', reason: String(error) }] } }
    return refusal(world, error)
  }
}

const outage = ({ draw }: World): Answer =>
  draw() < 0.7 ? { status: 429, body: { errors: [{ field: '', reason: 'slower' }] } } : { status: 503, body: 'busy' }

/** Somebody else makes and removes a volume of their own in the first account. */
const visit = (world: World): void => {
  const volumes = world.state.accounts.get('main')?.volumes
  const pattern = volumes?.get(601)
  if (!volumes || !pattern) return
  const id = 700 + Math.floor(world.draw() * 5)
  if (!volumes.delete(id)) volumes.set(id, { ...pattern, id, label: `passing-${id}`, pathLabel: `passing-${id}` })
}

const callOf = (
  world: World,
  route: Route,
  params: Call['params'],
  query: URLSearchParams,
  request: IncomingMessage,
  raw: Buffer,
): Call => {
  const caller = authorized(world, route, request.headers.authorization)
  const account = world.state.accounts.get(caller.account) as Call['account']
  const type = request.headers['content-type'] ?? ''
  if (type.startsWith('multipart/form-data'))
    return { world, account, caller, params, query, body: {}, files: files(raw) }
  try {
    const body: unknown = raw.length > 0 ? JSON.parse(raw.toString()) : undefined
    return { world, account, caller, params, query, body, files: [] }
  } catch {
    throw new Refusal([['', 'no JSON']])
  }
}

const authorized = (world: World, route: Route, header: string | undefined): Caller => {
  const secret = /^Bearer (.+)$/.exec(header ?? '')?.[1] ?? ''
  const caller = Object.hasOwn(callers, secret) ? callers[secret] : undefined
  if (!caller && route.scopes.length === 0 && world.oddities.codes === 'odd') return callers['harbour-other'] as Caller
  if (!caller && !header && broken(world, 'token-unchecked')) return callers['harbour-owner'] as Caller
  if (!caller) throw new Refusal([['', 'who?']], 401)
  const lacking = route.scopes.filter((scope) => caller.scopes !== '*' && !caller.scopes.includes(scope))
  const implied = world.oddities.silence !== 'refuse'
  const stillLacking = lacking.filter(
    (scope) => !implied || !caller.scopes.includes(scope.replace('read_only', 'read_write')),
  )
  if (stillLacking.length > 0) throw new Refusal([['', `${stillLacking.join()} is needed`]], 403)
  return caller
}

/** File names and sizes of a multipart body; enough of the format for well-formed requests. */
const files = (raw: Buffer): Call['files'] => {
  const text = raw.toString('latin1')
  return [...text.matchAll(/filename="([^"]*)"[\s\S]*?\r\n\r\n([\s\S]*?)\r\n--/g)].map(
    ([, name = '', content = '']) => ({
      name,
      size: content.length,
    }),
  )
}

const oddCodes = [400, 404, 409, 418, 422, 451]

const refusal = (world: World, { issues, status }: Refusal): Answer => {
  const { codes, envelope } = world.oddities
  if (broken(world, 'error-without-reason')) return { status, body: { errors: issues.map(([field]) => ({ field })) } }
  if (broken(world, 'error-not-array')) return { status, body: { errors: { field: issues[0]?.[0], reason: 'no' } } }
  if (broken(world, 'error-as-200')) return { status: 200, body: { errors: [{ field: '', reason: 'no' }] } }
  const written = issues.map(([field, reason]) => ({ field: place(envelope, field), reason }))
  const more = envelope === 'many' ? [{ field: 'base', reason: 'the request was refused', code: 7 }] : []
  const code = codes === 'odd' ? (oddCodes[Math.floor(world.draw() * oddCodes.length)] ?? 400) : status
  return { status: code, body: { errors: [...more, ...written].reverse() } }
}

const place = (envelope: Oddities['envelope'], field: Issue[0]): string => {
  if (field === '' || envelope === 'plain' || envelope === 'many') return field
  return envelope === 'dotted' ? `request.body.${field}` : `body[${field}]`
}

const oddSuccess = [200, 201, 202, 203, 206, 226]

const send = (world: World, response: ServerResponse, { status, body }: Answer): void => {
  const odd = world.oddities.codes === 'odd' && status === 201
  response.statusCode = odd ? (oddSuccess[Math.floor(world.draw() * oddSuccess.length)] ?? 200) : status
  if (status === 429) response.setHeader('Retry-After', '0')
  if (status >= 502) {
    response.setHeader('Content-Type', 'text/html')
    response.end(String(body))
    return
  }
  if (body === undefined) {
    response.end()
    return
  }
  response.setHeader('Content-Type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(body))
}
