// What is there from the start, who may call and with which tokens; not what becomes of it.

export interface NodeFixture {
  readonly id: number
  readonly label: string
  readonly region: string
  readonly account?: string
  readonly memoryGiB: number
  readonly configs: readonly number[]
  readonly liveMigration: boolean
  readonly extraAddresses: boolean
  readonly ipv4: {
    readonly public: readonly string[]
    readonly private: readonly string[]
    readonly natted: readonly string[]
    readonly shared: readonly string[]
  }
  readonly slaac: string
}

interface Owned {
  readonly id: number
  readonly account?: string
}

export interface Fixtures {
  readonly regions: readonly { readonly id: string; readonly vlans?: boolean }[]
  readonly clusters: readonly { readonly id: string }[]
  readonly nodes: readonly NodeFixture[]
  readonly nodebalancers: readonly (Owned & { readonly region: string })[]
  readonly domains: readonly Owned[]
  readonly volumes: readonly (Owned & { readonly region: string; readonly migrating?: boolean })[]
  readonly buckets: readonly {
    readonly account?: string
    readonly cluster: string
    readonly label: string
    readonly objects?: readonly string[]
  }[]
  readonly vlans: readonly { readonly label: string; readonly region: string; readonly account?: string }[]
  readonly dns: readonly { readonly name: string; readonly address: string }[]
  readonly managedIssues: readonly Owned[]
}

type Granted = { readonly [id: string]: 'read_only' | 'read_write' }

export interface User {
  readonly name: string
  readonly account: string
  readonly restricted: boolean
  readonly grants: {
    readonly global: readonly string[]
    readonly nodes: Granted
    readonly nodebalancers: Granted
    readonly volumes: Granted
    readonly domains: Granted
  }
}

export interface Token {
  readonly name: string
  readonly secret: string
  readonly user: string
  readonly scopes: '*' | readonly string[]
}

export interface Account {
  readonly name: string
  readonly balance: 'positive' | 'negative'
  readonly managed: boolean
}

const node = (id: number, region: string, more: Partial<NodeFixture> = {}): NodeFixture => ({
  id,
  label: `crane-${id}`,
  region,
  memoryGiB: 4,
  configs: [id + 1],
  liveMigration: false,
  extraAddresses: true,
  ipv4: { public: [`203.0.113.${id - 100}`], private: [], natted: [], shared: [] },
  slaac: `2001:db8::${id - 100}`,
  ...more,
})

const addresses = (
  publics: readonly string[],
  privates: readonly string[] = [],
  natted: readonly string[] = [],
): Pick<NodeFixture, 'ipv4'> => ({ ipv4: { public: publics, private: privates, natted, shared: [] } })

const other = { account: 'other' }

export const FEW: Fixtures = {
  regions: [{ id: 'eu-quay', vlans: true }],
  clusters: [{ id: 'eu-quay-1' }],
  nodes: [node(101, 'eu-quay'), node(103, 'eu-quay')],
  nodebalancers: [],
  domains: [],
  volumes: [],
  buckets: [],
  vlans: [],
  dns: [],
  managedIssues: [],
}

export const MANY: Fixtures = {
  regions: [{ id: 'eu-quay', vlans: true }, { id: 'ap-pier', vlans: false }, { id: 'us-dock' }],
  clusters: [{ id: 'eu-quay-1' }, { id: 'ap-pier-1' }],
  nodes: [
    node(101, 'eu-quay', { memoryGiB: 16 }),
    node(103, 'eu-quay'),
    node(105, 'eu-quay', {
      memoryGiB: 20,
      ...addresses(['203.0.113.5', '203.0.113.55'], ['192.168.1.5'], ['203.0.113.55']),
    }),
    node(107, 'eu-quay', { ...addresses(['203.0.113.7', '203.0.113.8'], ['192.168.1.7']) }),
    node(109, 'ap-pier', { memoryGiB: 96 }),
    node(111, 'ap-pier'),
    node(113, 'us-dock', { ...addresses([13, 14, 15, 71, 72, 73, 74].map((n) => `203.0.113.${n}`)) }),
    node(115, 'us-dock', { liveMigration: true, ...addresses(['203.0.113.16']) }),
    node(117, 'eu-quay', { ...addresses(['203.0.113.17', '203.0.113.18']) }),
    node(119, 'eu-quay', { extraAddresses: false, memoryGiB: 2, configs: [] }),
    { ...node(201, 'eu-quay'), ...other },
    { ...node(203, 'eu-quay'), ...other },
  ],
  nodebalancers: [
    { id: 301, region: 'eu-quay' },
    { id: 303, region: 'eu-quay' },
    { id: 305, region: 'ap-pier' },
    { id: 391, region: 'eu-quay', ...other },
  ],
  domains: [{ id: 401 }, { id: 403 }, { id: 491, ...other }],
  volumes: [
    { id: 601, region: 'eu-quay' },
    { id: 603, region: 'eu-quay' },
    { id: 605, region: 'eu-quay', migrating: true },
    { id: 691, region: 'eu-quay', ...other },
  ],
  buckets: [
    { cluster: 'eu-quay-1', label: 'photos', objects: ['a/1.jpg', 'a/2.jpg', 'b.txt'] },
    {
      cluster: 'ap-pier-1',
      label: 'manifests',
      objects: [...Array.from({ length: 104 }, (_, i) => `m/${String(i).padStart(3, '0')}.txt`), 'z.txt'],
    },
  ],
  vlans: [
    { label: 'lan-1', region: 'eu-quay' },
    { label: 'lan-9', region: 'eu-quay', ...other },
  ],
  dns: [
    { name: 'one.harbour.example', address: '203.0.113.1' },
    { name: 'also.harbour.example', address: '203.0.113.1' },
    { name: 'six.harbour.example', address: '2001:db8::1' },
  ],
  managedIssues: [{ id: 901 }, { id: 903 }, { id: 991, ...other }],
}

export const DIGITS = { cluster: 'eu-quay-1', label: '4111111111111111', objects: ['one.txt'] } as const

export const ACCOUNTS: readonly Account[] = [
  { name: 'main', balance: 'positive', managed: true },
  { name: 'other', balance: 'positive', managed: true },
  { name: 'poor', balance: 'negative', managed: false },
]

const nothing: User['grants'] = { global: [], nodes: {}, nodebalancers: {}, volumes: {}, domains: {} }
const free = (name: string, account: string): User => ({ name, account, restricted: false, grants: nothing })

export const USERS: readonly User[] = [
  free('owner', 'main'),
  {
    name: 'limited',
    account: 'main',
    restricted: true,
    grants: {
      global: [],
      nodes: { 101: 'read_write', 103: 'read_only' },
      nodebalancers: { 301: 'read_write', 303: 'read_only' },
      volumes: { 601: 'read_write', 603: 'read_only' },
      domains: { 401: 'read_write' },
    },
  },
  {
    name: 'adder',
    account: 'main',
    restricted: true,
    grants: {
      ...nothing,
      global: ['add_volumes'],
      nodes: { 101: 'read_write' },
      volumes: { 601: 'read_write', 603: 'read_write' },
    },
  },
  free('stranger', 'other'),
  free('poor', 'poor'),
]

const SCOPES = ['volumes', 'nodes', 'object_storage', 'account', 'firewall', 'ips']
const token = (name: string, user: string, scopes: Token['scopes']): Token => ({
  name,
  secret: `harbour-${name}-secret`,
  user,
  scopes,
})

export const TOKENS: readonly Token[] = [
  ...['owner', 'limited', 'adder', 'stranger', 'poor'].map((user) => token(user, user, '*')),
  ...SCOPES.map((scope) => token(`${scope}-reader`, 'owner', [`${scope}:read_only`])),
  ...SCOPES.map((scope) =>
    token(
      `not-${scope}`,
      'owner',
      SCOPES.filter((each) => each !== scope).flatMap((each) => [`${each}:read_only`, `${each}:read_write`]),
    ),
  ),
]
