// The embedded server's way in beside the interface: state, time, disturbances and journal over HTTP; not a part of the interface.

import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Value, type ValueError } from '@sinclair/typebox/value'
import { memoised } from '../models/language/memoised.js'
import { hookNames } from '../models/language/plan.js'
import { type Disturbances, disturbanceSchema, latencySchema, operationsLike } from './disturbances.js'
import type { Embedded } from './embedded.js'
import type { Journal } from './journal.js'
import { envelope, type Reply } from './reply.js'
import { faultNamed, type Switches, variationsNamed } from './switches.js'
import type { Worlds, WorldsSnapshot } from './worlds.js'

/** Where it stands, outside the version segment. */
export const controlPath = '/_control'

/** What this way in shows and sets. */
export interface Controlled {
  readonly worlds: Worlds
  readonly disturbances: Disturbances
  readonly switches: Switches
  /** Undefined where none is kept. */
  readonly journal: Journal | undefined
}

interface Given {
  readonly controlled: Controlled
  readonly id: string
  readonly query: URLSearchParams
  readonly body: unknown
}

interface Endpoint {
  readonly method: string
  /** Below the control path; `{id}` is a parameter. */
  readonly path: string
  readonly summary: string
  readonly query?: Readonly<Record<string, string>>
  readonly body?: TObject
  readonly handle: (given: Given) => Reply
}

const done: Reply = { status: 200, body: {} }
const ok = (body: unknown): Reply => ({ status: 200, body })

/** A request that cannot be carried out, as its reply. */
class Refused extends Error {
  constructor(
    readonly status: 400 | 404,
    readonly field: string,
    reason: string,
  ) {
    super(reason)
  }
}

/** @param what its method and its path */
const endpoint = <B extends TObject>(
  what: `${'GET' | 'POST' | 'PUT' | 'DELETE'} ${string}`,
  summary: string,
  more: Pick<Endpoint, 'query'> & {
    readonly body?: B
    readonly handle: (given: Omit<Given, 'body'> & { readonly body: Static<B> }) => Reply
  },
): Endpoint => {
  const [method = '', path = ''] = what.split(' ')
  return { method, path, summary, ...more } as unknown as Endpoint
}

const worldQuery = { world: 'Name of the world, where each token has its own; all worlds when left out.' }

/** The worlds that a request is about. */
const worldsIn = ({ controlled: { worlds }, query }: Pick<Given, 'controlled' | 'query'>): readonly Embedded[] => {
  const name = query.get('world')
  if (name === null) return worlds.names().flatMap((one) => worlds.find(one) ?? [])
  const found = worlds.find(name)
  if (!found)
    throw new Refused(404, 'world', `no world ${JSON.stringify(name)}; there are ${worlds.names().join(', ')}`)
  return [found]
}

const amount = (description: string) => Type.Optional(Type.Number({ minimum: 0, maximum: 1e12, description }))
const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: 1e9, description }))
const closed = { additionalProperties: false } as const

/** The snapshots of each target, by id. */
const snapshotsOf = memoised((_: Controlled) => new Map<string, WorldsSnapshot>())

const snapshotNamed = (controlled: Controlled, id: string): WorldsSnapshot => {
  const found = snapshotsOf(controlled).get(id)
  if (!found) throw new Refused(404, 'id', `no snapshot ${JSON.stringify(id)}`)
  return found
}

const state = ({ controlled: { worlds, disturbances, switches, journal } }: Given): Reply =>
  ok({
    worlds: worlds.names(),
    ...switches.settings(),
    faultActivations: switches.activations(),
    latency: disturbances.latency(),
    disturbances: disturbances.all(),
    requests: journal?.all().length ?? 0,
  })

/** Answers with the state of things after a setting has been made. */
const setting = (given: Given, set: () => void): Reply => {
  set()
  return state(given)
}

/** What a lookup by name throws is a mistake of the caller. */
const named = <T>(field: string, look: () => T): T => {
  try {
    return look()
  } catch (error) {
    throw new Refused(400, field, (error as Error).message)
  }
}

const states: readonly Endpoint[] = [
  endpoint('GET ', 'Shows the worlds and everything that can be switched.', {
    handle: state,
  }),
  endpoint('POST /reset', 'Brings the fixtures, the ids and the dice back to the beginning; settings stay.', {
    query: worldQuery,
    handle: (given) => {
      for (const one of worldsIn(given)) one.reset()
      return done
    },
  }),
  endpoint('POST /snapshots', 'Keeps the present state of all worlds, and answers with the id to restore it by.', {
    handle: ({ controlled }) => {
      const kept = snapshotsOf(controlled)
      const id = String(kept.size + 1)
      kept.set(id, controlled.worlds.snapshot())
      return { status: 201, body: { id } }
    },
  }),
  endpoint(
    'POST /snapshots/{id}/restore',
    'Brings all worlds back to the state of the snapshot, any number of times.',
    {
      handle: ({ controlled, id }) => {
        controlled.worlds.restore(snapshotNamed(controlled, id))
        return done
      },
    },
  ),
  endpoint('POST /advance', 'Lets time or calls pass; without either everything comes to rest that is under way.', {
    query: worldQuery,
    body: Type.Object({ ms: amount('Milliseconds that pass.'), calls: count('Calls that pass.') }, closed),
    handle: (given) => {
      const { ms, calls } = given.body
      const by = { ...(ms !== undefined && { ms }), ...(calls !== undefined && { calls }) }
      for (const one of worldsIn(given)) one.advance(ms === undefined && calls === undefined ? undefined : by)
      return done
    },
  }),
  endpoint('GET /events', 'Lists the events so far, oldest first; `at` numbers the call that emitted one.', {
    query: worldQuery,
    handle: (given) => ok(worldsIn(given).flatMap((one) => one.events())),
  }),
  endpoint(
    'POST /hook',
    'Does what the interface cannot: deletes a node, begins a migration, puts objects into a bucket.',
    {
      query: worldQuery,
      body: Type.Object({
        name: Type.Union(
          hookNames.map((name) => Type.Literal(name)),
          { description: `One of ${hookNames.join(', ')}.` },
        ),
        args: Type.Array(Type.Unknown(), { description: 'As the hook of a target file takes them.' }),
      }),
      handle: (given) => {
        for (const one of worldsIn(given)) one.hook(given.body.name, given.body.args)
        return done
      },
    },
  ),
]

const settings: readonly Endpoint[] = [
  endpoint('PUT /latency', 'Holds back replies from now on.', {
    body: latencySchema,
    handle: (given) => setting(given, () => given.controlled.disturbances.setLatency(given.body)),
  }),
  endpoint('PUT /rest', 'Says when what was changed comes to rest; with none of these members as at the beginning.', {
    body: Type.Object(
      {
        calls: count('After so many further calls.'),
        ms: amount('After so many milliseconds.'),
        byHand: Type.Optional(Type.Literal(true, { description: 'Only when told to advance.' })),
      },
      { ...closed, maxProperties: 1 },
    ),
    handle: (given) =>
      setting(given, () => {
        const { calls, ms, byHand } = given.body
        given.controlled.switches.setRest(byHand ? 'by-hand' : (calls ?? (ms === undefined ? undefined : { ms })))
      }),
  }),
  endpoint('PUT /variations', 'Puts these legal variations in place of those before.', {
    body: Type.Object({ names: Type.Array(Type.String()) }, closed),
    handle: (given) =>
      setting(given, () =>
        given.controlled.switches.setVariations(named('names', () => variationsNamed(given.body.names))),
      ),
  }),
  endpoint('PUT /fault', 'Puts a fault in place of the one before; null for none.', {
    body: Type.Object({ id: Type.Union([Type.String(), Type.Null()]) }, closed),
    handle: (given) =>
      setting(given, () => {
        const { id } = given.body
        given.controlled.switches.setFault(id === null ? undefined : named('id', () => faultNamed(id)))
      }),
  }),
  endpoint(
    'POST /disturbances',
    'Disturbs calls to come: refuses them as a gateway would, or breaks the connection off before or after.',
    {
      body: disturbanceSchema,
      handle: (given) => setting(given, () => named('operation', () => given.controlled.disturbances.add(given.body))),
    },
  ),
  endpoint('DELETE /disturbances', 'Takes all disturbances away.', {
    handle: (given) => setting(given, given.controlled.disturbances.clear),
  }),
  endpoint('GET /journal', 'Lists the latest requests with their replies, oldest first.', {
    query: {
      operation: 'Only calls of these operations: an id, or a part with *.',
      since: 'Only requests of a higher number.',
    },
    handle: ({ controlled, query }) => {
      const isMeant = named('operation', () => operationsLike(query.get('operation') ?? undefined))
      const since = Number(query.get('since') ?? 0)
      if (!Number.isInteger(since)) throw new Refused(400, 'since', 'expected the number of a request')
      return ok((controlled.journal?.all() ?? []).filter(({ n, call }) => n > since && isMeant(call.operation)))
    },
  }),
  endpoint('DELETE /journal', 'Empties the journal; its numbers begin at 1 again.', {
    handle: ({ controlled }) => {
      controlled.journal?.clear()
      return done
    },
  }),
]

const described = endpoint('GET /openapi.json', 'This interface as OpenAPI 3.1.', {
  handle: () => ok(controlOpenapi()),
})

const endpoints: readonly Endpoint[] = [...states, ...settings, described]

/** Answers a request below the control path: bad arguments with 400, unknown ids and paths with 404. */
export const control = (
  controlled: Controlled,
  method: string,
  pathname: string,
  search: string,
  body: unknown,
): Reply => {
  const path = pathname.slice(controlPath.length).replace(/\/$/, '')
  const there = endpoints.flatMap((one) => {
    const match = new RegExp(`^${one.path.replace('{id}', '([^/]+)')}$`).exec(path)
    return match ? [{ one, id: match[1] ?? '' }] : []
  })
  const found = there.find(({ one }) => one.method === method)
  if (!found) {
    const known = there.map(({ one }) => one.method)
    return known.length > 0
      ? { ...envelope(405, '', `${pathname} takes ${known.join(', ')}`), headers: { allow: known.join(', ') } }
      : envelope(404, '', `no such path; GET ${controlPath}/openapi.json lists all`)
  }
  const { one, id } = found
  const query = new URLSearchParams(search)
  const given = one.body ? (body ?? {}) : undefined
  try {
    const unknown = [...query.keys()].find((name) => one.query?.[name] === undefined)
    if (unknown !== undefined)
      throw new Refused(
        400,
        unknown,
        `unknown; ${pathname} takes ${Object.keys(one.query ?? {}).join(', ') || 'no query'}`,
      )
    if (one.body) check(one.body, given)
    return one.handle({ controlled, id, query, body: given })
  } catch (error) {
    if (error instanceof Refused) return envelope(error.status, error.field, error.message)
    throw error
  }
}

const check = (schema: TSchema, value: unknown): void => {
  const first = Value.Errors(schema, value).First()
  if (!first) return
  const field = first.path.split('/').slice(1).join('.')
  const description = (first.schema.description as string | undefined) ?? ''
  const received = (JSON.stringify(first.value) ?? 'nothing').slice(0, mostShown)
  const text = `${expectedOf(first)}, received ${received}`
  throw new Refused(400, field, `${text}${description === '' ? '' : `. ${description}`}`)
}

/** So many characters of a value that is refused are repeated. */
const mostShown = 60

/** What a schema expects; where it lists values, these. */
const expectedOf = ({ schema, message }: ValueError): string => {
  const values: readonly { readonly const?: unknown }[] = schema.anyOf ?? []
  const listed = values.flatMap((one) => (one.const === undefined ? [] : [JSON.stringify(one.const)]))
  return listed.length === 0 ? message : `Expected one of ${listed.join(', ')}`
}

/** The control interface itself as OpenAPI 3.1. */
export const controlOpenapi = (): unknown => {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { method, path, summary, query = {}, body } of endpoints)
    paths[controlPath + path] = {
      ...paths[controlPath + path],
      [method.toLowerCase()]: {
        summary,
        parameters: [
          ...(path.includes('{id}') ? [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }] : []),
          ...Object.entries(query).map(([name, description]) => ({
            name,
            in: 'query',
            description,
            schema: { type: 'string' },
          })),
        ],
        ...(body && { requestBody: { content: { 'application/json': { schema: JSON.parse(JSON.stringify(body)) } } } }),
        responses: {
          '2XX': { description: 'Done.' },
          '4XX': { description: 'Refused: errors, each a field and a reason.' },
        },
      },
    }
  return {
    openapi: '3.1.0',
    info: { title: 'Control of the embedded target', version: '1' },
    paths,
  }
}
