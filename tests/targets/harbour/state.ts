// What the target holds in memory, and how its fixtures become that; no rule of the interface.
import { canonical } from './checks.js'
import type { Fixtures, NodeFixture } from './fixtures.js'
import { hash, type Options } from './options.js'

/** What an account holds, as an operator that breaks things at large sees it. */
export interface Held {
  readonly id: number | string
  readonly account: string
  /** The name of the token it was made with; '' where it was there from the start. */
  readonly maker: string
}

export interface Volume extends Held {
  readonly id: number
  label: string
  /** The label that the path is made of. */
  pathLabel: string
  size: number
  region: string
  status: 'creating' | 'active' | 'resizing'
  readonly hardware: 'hdd' | 'nvme'
  node: number | null
  /** The node that it comes to once it is there. */
  comesTo: number | null
  /** Whether it is in the node's configuration profile. */
  profiled: boolean
  tags: readonly string[]
  readonly created: number
  updated: number
  migrating: boolean
  /** The request count, or the moment, at which it becomes active. */
  wakes: number
  /** How many copies lie between it and a volume that was no copy. */
  copies: number
}

export interface Bucket extends Held {
  readonly id: string
  readonly cluster: string
  readonly label: string
  acl: string
  cors: boolean
  certificate: boolean
  /** By the object's name, its ACL. */
  readonly objects: Map<string, string>
}

export interface Key extends Held {
  readonly id: number
  label: string
  readonly access: unknown
}

export interface TicketReply {
  readonly id: number
  readonly description: string
}

export interface Ticket extends Held {
  readonly summary: string
  readonly description: string
  readonly subject: { readonly [member: string]: unknown }
  open: boolean
  readonly replies: TicketReply[]
  files: number
}

export interface Policy {
  inbound: readonly unknown[]
  inbound_policy: string
  outbound: readonly unknown[]
  outbound_policy: string
}

export interface Device {
  readonly id: number
  readonly entity: number
  readonly type: string
}

export interface Firewall extends Held {
  readonly id: number
  /** Name of the user who created it. */
  readonly creator: string
  label: string
  status: string
  tags: readonly string[]
  rules: Policy
  devices: Device[]
  /** Devices that it has ever had. */
  assigned: number
}

/** A contact, a credential or a service. */
export interface Made extends Held {
  readonly id: number
  body: { [name: string]: unknown }
}

export interface Tag extends Held {
  readonly id: string
  readonly label: string
  /** Objects other than volumes, as `kind:id`; volumes carry their tags themselves. */
  objects: Set<string>
}

export interface Ssh {
  access: boolean
  ip: string
  port: number | null
  user: string | null
}

export const defaultSsh = (): Ssh => ({ access: true, ip: 'any', port: null, user: null })

export interface Node extends Held {
  readonly id: number
  readonly label: string
  readonly region: string
  readonly memoryGiB: number
  readonly configs: readonly number[]
  readonly extra: boolean
  migrating: boolean
  readonly slaac: string
  ssh: Ssh
  /** Addresses that others share with it. */
  shares: string[]
}

export interface Address extends Held {
  readonly id: string
  node: number
  readonly region: string
  readonly public: boolean
  readonly version: 4 | 6
  readonly natted: boolean
  rdns: string | null
}

export interface Range extends Held {
  readonly id: string
  readonly prefix: number
  readonly region: string
  node: number | null
  target: string
}

export interface Happening {
  readonly action: string
  readonly account: string
  readonly at: number
  readonly entity: { readonly type: string; readonly id: number }
}

export interface State {
  volumes: Map<number, Volume>
  buckets: Map<string, Bucket>
  keys: Map<number, Key>
  tickets: Map<string, Ticket>
  firewalls: Map<number, Firewall>
  contacts: Map<number, Made>
  credentials: Map<number, Made>
  services: Map<number, Made>
  tags: Map<string, Tag>
  nodes: Map<number, Node>
  addresses: Map<string, Address>
  ranges: Map<string, Range>
  events: Happening[]
  /** Accounts that have cancelled Object Storage. */
  cancelled: Set<string>
  /** Labels of credentials that were revoked, with their account before them. */
  revoked: Set<string>
  counter: number
  requests: number
}

const TABLES = [
  'volumes',
  'buckets',
  'keys',
  'tickets',
  'firewalls',
  'contacts',
  'credentials',
  'services',
  'tags',
  'nodes',
  'addresses',
  'ranges',
] as const

export type TableName = (typeof TABLES)[number]

export const tables = (state: State): readonly (readonly [name: TableName, table: Map<number | string, Held>])[] =>
  TABLES.map((name) => [name, state[name] as Map<number | string, Held>])

export const newState = (fixtures: Fixtures): State => {
  const state: State = {
    volumes: new Map(),
    buckets: new Map(),
    keys: new Map(),
    tickets: new Map(),
    firewalls: new Map(),
    contacts: new Map(),
    credentials: new Map(),
    services: new Map(),
    tags: new Map(),
    nodes: new Map(),
    addresses: new Map(),
    ranges: new Map(),
    events: [],
    cancelled: new Set(),
    revoked: new Set(),
    counter: 0,
    requests: 0,
  }
  for (const node of fixtures.nodes) addNode(state, node)
  for (const volume of fixtures.volumes) addVolume(state, volume)
  for (const { account = 'main', cluster, label, objects = [] } of fixtures.buckets)
    state.buckets.set(bucketKey(cluster, label), {
      id: bucketKey(cluster, label),
      account,
      maker: '',
      cluster,
      label,
      acl: 'private',
      cors: false,
      certificate: false,
      objects: new Map(objects.map((name) => [name, 'private'])),
    })
  return state
}

export const bucketKey = (cluster: string, label: string): string => `${cluster}/${label}`

const addVolume = (state: State, fixture: Fixtures['volumes'][number]): void => {
  const { id, account = 'main', region, migrating = false } = fixture
  const label = `mooring-${id}`
  state.volumes.set(id, {
    id,
    account,
    maker: '',
    label,
    pathLabel: label,
    size: 30,
    region,
    status: 'active',
    hardware: 'hdd',
    node: null,
    comesTo: null,
    profiled: false,
    tags: [],
    created: Date.UTC(2020, 1, 2),
    updated: Date.UTC(2020, 1, 2),
    migrating,
    wakes: 0,
    copies: 0,
  })
}

const addNode = (state: State, node: NodeFixture): void => {
  const { id, label, region, account = 'main', memoryGiB, configs, slaac: given } = node
  const slaac = canonical(given)
  const place = { node: id, region, account, maker: '' }
  state.nodes.set(id, {
    id,
    account,
    maker: '',
    label,
    region,
    memoryGiB,
    configs,
    extra: node.extraAddresses,
    migrating: node.liveMigration,
    slaac,
    ssh: defaultSsh(),
    shares: [],
  })
  const { natted } = node.ipv4
  const put = (address: string, isPublic: boolean, version: 4 | 6): void => {
    const rdns = version === 4 && isPublic ? defaultRdns(address) : null
    const isNatted = natted.includes(address)
    state.addresses.set(address, { ...place, id: address, public: isPublic, version, natted: isNatted, rdns })
  }
  for (const address of new Set([...node.ipv4.public, ...natted])) put(address, true, 4)
  for (const address of node.ipv4.private) put(address, false, 4)
  put(slaac, true, 6)
}

export const defaultRdns = (address: string): string => `${address.replaceAll('.', '-')}.ip.harbour.example`

/** The first ids that are not those of fixtures. */
const FIRST = 10_000

export const newId = (state: State, { ids, seed }: Options, kind: TableName | 'replies' | 'devices'): number => {
  state.counter += 1
  const { counter } = state
  if (ids === 'counting') return FIRST + counter
  if (ids === 'negative') return -FIRST - counter
  if (ids === 'scattered') return FIRST + (hash(`${seed} ${counter}`) % 90_000) * 1_000 + (counter % 1_000)
  if (ids === 'huge') return (hash(`${seed} high ${counter}`) % 2 ** 20) * 2 ** 32 + hash(`${seed} ${counter}`) + 1
  const held = kind === 'replies' || kind === 'devices' ? undefined : state[kind]
  // Ids of tickets may have letters before the number.
  const numbers = [...(held?.keys() ?? [])].map((id) => Number(String(id).replace(/^\D+/, '')))
  const highest = Math.max(FIRST, ...numbers.filter((id) => !Number.isNaN(id)))
  if (ids === 'reused') return held ? highest + 1 : FIRST + counter
  const next = (counted.get(state)?.[kind] ?? FIRST) + 1
  counted.set(state, { ...counted.get(state), [kind]: next })
  return next
}

/** The last id of each kind, where every kind counts for itself. */
const counted = new WeakMap<State, { readonly [kind: string]: number }>()

/** The order of a list, the same for every page. */
export const ordered = <Item>(
  items: readonly Item[],
  key: (item: Item) => string,
  { order, seed }: Options,
): readonly Item[] => {
  if (order === 'made') return items
  if (order === 'newest') return items.toReversed()
  return items.toSorted((one, other) => hash(`${seed} ${key(one)}`) - hash(`${seed} ${key(other)}`))
}
