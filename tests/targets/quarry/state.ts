// What Quarry remembers, and how its fixtures become that; no rule of the interface.
import { canonical, expanded } from './checks.js'
import { hash, type Options } from './options.js'

export interface NodeFixture {
  readonly id: number
  readonly label: string
  readonly region: string
  readonly account?: string
  readonly memoryGiB?: number
  readonly configs?: readonly number[]
  readonly liveMigration?: boolean
  readonly extraAddresses?: boolean
  readonly ipv4?: {
    readonly public?: readonly string[]
    readonly private?: readonly string[]
    readonly natted?: readonly string[]
  }
  readonly slaac?: string
}

interface Owned {
  readonly id: number
  readonly region?: string
  readonly account?: string
}

export interface Fixtures {
  readonly regions: readonly { readonly id: string; readonly vlans?: boolean }[]
  readonly nodes: readonly NodeFixture[]
  readonly nodebalancers: readonly Owned[]
  readonly domains: readonly Owned[]
  readonly vlans: readonly { readonly label: string; readonly region: string }[]
  readonly dns: readonly { readonly name: string; readonly address: string }[]
  readonly managedIssues: readonly { readonly id: number; readonly account?: string }[]
}

export interface User {
  readonly name: string
  readonly account: string
  readonly restricted: boolean
  readonly grants?: { readonly [kind: string]: { readonly [id: string]: string } | readonly string[] }
}

export interface Token {
  readonly secret: string
  readonly user: string
  readonly scopes: '*' | readonly string[]
}

export interface Ssh {
  access: boolean
  ip: string
  port: number | null
  user: string | null
}

export const defaultSsh = (): Ssh => ({ access: true, ip: 'any', port: null, user: null })

export interface Node {
  readonly id: number
  readonly label: string
  readonly region: string
  readonly account: string
  readonly extra: boolean
  migrating: boolean
  readonly slaac: string
  ssh: Ssh
  /** Addresses that others share with it. */
  shares: string[]
}

export interface Address {
  readonly address: string
  node: number
  readonly region: string
  readonly account: string
  readonly public: boolean
  readonly version: 4 | 6
  readonly natted: boolean
  rdns: string | null
}

export interface Range {
  readonly range: string
  readonly prefix: number
  readonly region: string
  readonly account: string
  node: number | null
  target: string
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

export interface Firewall {
  readonly id: number
  readonly account: string
  /** Name of the user who created it. */
  readonly maker: string
  label: string
  status: string
  tags: readonly string[]
  rules: Policy
  devices: Device[]
  /** Devices that it has ever had. */
  assigned: number
}

export interface Made {
  readonly id: number
  readonly account: string
  readonly created: number
  /** What it was created with. */
  readonly first?: { readonly [name: string]: unknown }
  body: { [name: string]: unknown }
}

export interface Tag {
  readonly account: string
  readonly label: string
  /** Objects other than volumes, as `kind:id`; volumes carry their tags themselves. */
  readonly objects: Set<string>
}

export interface Event {
  readonly kind: string
  readonly account: string
}

export interface State {
  readonly fixtures: Fixtures
  readonly nodes: Map<number, Node>
  readonly addresses: Map<string, Address>
  readonly ranges: Map<string, Range>
  readonly firewalls: Map<number, Firewall>
  readonly contacts: Map<number, Made>
  readonly credentials: Map<number, Made>
  readonly services: Map<number, Made>
  readonly volumes: Map<number, Made>
  readonly tags: Map<string, Tag>
  readonly events: Event[]
  counter: number
}

export const newState = (fixtures: Fixtures): State => {
  const state: State = {
    fixtures,
    nodes: new Map(),
    addresses: new Map(),
    ranges: new Map(),
    firewalls: new Map(),
    contacts: new Map(),
    credentials: new Map(),
    services: new Map(),
    volumes: new Map(),
    tags: new Map(),
    events: [],
    counter: 0,
  }
  for (const node of fixtures.nodes) addNode(state, node)
  return state
}

const addNode = (state: State, node: NodeFixture): void => {
  const { id, label, region, account = 'main', extraAddresses: extra = false, liveMigration: migrating = false } = node
  const slaac = canonical(node.slaac ?? `2001:db8:ffff::${(id % 60_000).toString(16)}`)
  state.nodes.set(id, { id, label, region, account, extra, migrating, slaac, ssh: defaultSsh(), shares: [] })
  const natted = node.ipv4?.natted ?? []
  const place = { node: id, region, account }
  const put = (address: string, isPublic: boolean, version: 4 | 6): void => {
    const isNatted = natted.includes(address)
    const rdns = version === 4 && isPublic ? defaultRdns(address) : null
    state.addresses.set(address, { ...place, address, public: isPublic, version, natted: isNatted, rdns })
  }
  for (const address of new Set([...(node.ipv4?.public ?? []), ...natted])) put(address, true, 4)
  for (const address of node.ipv4?.private ?? []) put(address, false, 4)
  put(slaac, true, 6)
}

export const defaultRdns = (address: string): string => `${address.replaceAll('.', '-')}.ip.quarry.example`

export const newId = (state: State, options: Options): number => {
  state.counter += 1
  if (options.ids === 'small') return 1000 + state.counter
  const high = hash(`${options.seed} high ${state.counter}`) % 2 ** 20
  return high * 2 ** 32 + hash(`${options.seed} low ${state.counter}`) + 1
}

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

/** An address in the spelling this implementation shows. */
export const shown = (address: string, options: Options): string => {
  const [bare = '', mask] = address.split('/')
  const spelled = options.normalises && bare.includes(':') ? expanded(bare).toUpperCase() : bare
  return mask === undefined ? spelled : `${spelled}/${mask}`
}
