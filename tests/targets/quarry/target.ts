// The target file that describes Quarry, and Quarry on a port of its own; not what it does.

import type { AddressInfo } from 'node:net'
import type { Hooks } from '../../../config/target-file.js'
import type { Options } from './options.js'
import { type Quarry, quarry } from './server.js'
import type { Event, Fixtures, Token, User } from './state.js'

export interface Shape {
  readonly exclusive: boolean
  /** `few`: one account, one token and two nodes; `some`: no second account. */
  readonly fixtures: 'few' | 'some' | 'many'
  readonly hooks: boolean
}

const node = (id: number, region: string, last: number, more: object = {}) => ({
  id,
  label: `quarry-${id}`,
  region,
  memoryGiB: 4,
  configs: [id + 1],
  liveMigration: false,
  extraAddresses: true,
  ipv4: { public: [`203.0.113.${last}`], private: [], natted: [] },
  slaac: `2001:db8::${last}`,
  ...more,
})

const FEW: Fixtures = {
  regions: [{ id: 'r1', vlans: true }],
  nodes: [node(101, 'r1', 1), node(103, 'r1', 3)],
  nodebalancers: [],
  domains: [],
  vlans: [],
  dns: [],
  managedIssues: [],
}

const SOME: Fixtures = {
  regions: [{ id: 'r1', vlans: true }, { id: 'r2', vlans: false }, { id: 'r3' }],
  nodes: [
    ...FEW.nodes,
    node(105, 'r1', 5, {
      ipv4: { public: ['203.0.113.5', '203.0.113.55'], private: ['192.168.1.5'], natted: ['203.0.113.55'] },
    }),
    node(107, 'r1', 7, {
      ipv4: { public: ['203.0.113.7', '203.0.113.8'], private: ['192.168.1.7'], natted: [] },
    }),
    node(109, 'r2', 9),
    node(119, 'r1', 19, { extraAddresses: false }),
    node(111, 'r2', 11),
    node(113, 'r3', 13, {
      ipv4: { public: ['203.0.113.13', '203.0.113.14', '203.0.113.15'], private: [], natted: [] },
    }),
    node(115, 'r3', 15, { liveMigration: true, ipv4: { public: ['203.0.113.16'], private: [], natted: [] } }),
    node(117, 'r1', 17, { ipv4: { public: ['203.0.113.17', '203.0.113.18'], private: [], natted: [] } }),
  ],
  nodebalancers: [
    { id: 301, region: 'r1' },
    { id: 303, region: 'r1' },
    { id: 305, region: 'r2' },
  ],
  domains: [{ id: 401 }, { id: 403 }],
  vlans: [{ label: 'lan-1', region: 'r1' }],
  dns: [
    { name: 'one.quarry.example', address: '203.0.113.1' },
    { name: 'also.quarry.example', address: '203.0.113.1' },
    { name: 'six.quarry.example', address: '2001:db8::1' },
  ],
  managedIssues: [{ id: 901 }],
}

const other = { account: 'other' }
const MANY: Fixtures = {
  ...SOME,
  nodes: [...SOME.nodes, { ...node(201, 'r1', 101), ...other }, { ...node(203, 'r1', 103), ...other }],
  nodebalancers: [...SOME.nodebalancers, { id: 391, region: 'r1', ...other }],
  domains: [...SOME.domains, { id: 491, ...other }],
  managedIssues: [...SOME.managedIssues, { id: 991, ...other }],
}

export const fixturesOf = ({ fixtures }: Shape): Fixtures => ({ few: FEW, some: SOME, many: MANY })[fixtures]

const owner: User = { name: 'owner', account: 'main', restricted: false }
const USERS: readonly User[] = [
  owner,
  {
    name: 'limited',
    account: 'main',
    restricted: true,
    grants: {
      global: ['add_volumes'],
      nodes: { 101: 'read_write', 103: 'read_only' },
      nodebalancers: { 301: 'read_write', 303: 'read_only' },
      volumes: {},
      domains: {},
      firewalls: {},
    },
  },
  { name: 'stranger', account: 'other', restricted: false },
]
const full: Token = { secret: 'quarry-owner-secret', user: 'owner', scopes: '*' }
const SCOPES = ['volumes', 'nodes', 'account', 'firewall', 'ips']
const TOKENS: readonly (Token & { name: string })[] = [
  { ...full, name: 'owner' },
  { name: 'limited', secret: 'quarry-limited-secret', user: 'limited', scopes: '*' },
  { name: 'stranger', secret: 'quarry-stranger-secret', user: 'stranger', scopes: '*' },
  ...SCOPES.map((scope) => ({
    name: `${scope}-reader`,
    secret: `quarry-${scope}-reader`,
    user: 'owner',
    scopes: [`${scope}:read_only`],
  })),
  ...SCOPES.map((scope) => ({
    name: `not-${scope}`,
    secret: `quarry-not-${scope}`,
    user: 'owner',
    scopes: SCOPES.filter((each) => each !== scope).flatMap((each) => [`${each}:read_only`, `${each}:read_write`]),
  })),
]

const usersOf = ({ fixtures }: Shape): readonly User[] =>
  fixtures === 'few' ? [owner] : USERS.filter(({ account }) => account === 'main' || fixtures === 'many')

export interface Running extends Quarry {
  readonly baseUrl: string
  readonly end: () => Promise<void>
}

export const start = async (options: Options, shape: Shape): Promise<Running> => {
  const made = quarry({ options, fixtures: fixturesOf(shape), users: USERS, tokens: TOKENS })
  await new Promise<void>((done) => made.server.listen(0, '127.0.0.1', done))
  const { port } = made.server.address() as AddressInfo
  const end = (): Promise<void> =>
    new Promise((done) => {
      made.server.close(() => done())
      made.server.closeAllConnections()
    })
  return { ...made, baseUrl: `http://127.0.0.1:${port}/v4`, end }
}

/** The content of the target file for the server at `baseUrl`, hooks apart. */
export const targetFile = (baseUrl: string, shape: Shape): object => {
  const users = usersOf(shape)
  const tokens = TOKENS.filter(
    ({ user, name }) => users.some((one) => one.name === user) && (shape.fixtures !== 'few' || name === 'owner'),
  )
  const more = shape.fixtures === 'many' ? [{ name: 'other', managed: true }] : []
  const accounts = [{ name: 'main', balance: 'positive', managed: true }, ...more]
  const pace = { concurrency: 4, settleMs: 2000 }
  return {
    name: 'quarry',
    baseUrl,
    exclusive: shape.exclusive,
    accounts,
    users,
    tokens,
    fixtures: fixturesOf(shape),
    pace,
  }
}

/** What a target file's hooks do to the server at `baseUrl`. */
export const hooksOf = (baseUrl: string): Hooks => {
  const knock = async (name: string, body: object): Promise<unknown> => {
    const reply = await fetch(`${baseUrl.replace('/v4', '/-/')}${name}`, { method: 'POST', body: JSON.stringify(body) })
    return reply.json()
  }
  return {
    deleteNode: async (id) => void (await knock('node', { id })),
    setLiveMigration: async (id, on) => void (await knock('migration', { id, on })),
    readEvents: async () => ((await knock('events', {})) as Event[]).map(({ kind }) => ({ action: kind })),
  }
}
