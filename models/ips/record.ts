// IP addresses as requests and paths name them, and what is shared with which node; the record is not shown, no operations here.

import { patch, put } from '../language/changes.js'
import type { Ternary } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import { canonicalAddress, holdsNoAddress, parseAddress } from '../language/formats.js'
import { type Entity, find, live, type Table, type World } from '../language/world.js'

export interface Ip {
  address: string
  public: boolean
  type: string
  node_id: number
  rdns: string | null
  region: string
  /** Model only: whether it carries an active 1:1 NAT to a VPC interface address. */
  natted: boolean
  /** Model only: whether the present rdns is the provider's default. */
  isDefault: boolean
  /** Model only: the provider's default, once it has been shown. */
  defaultRdns: string | null
  /** Model only: whether it may be shared since before the run. It may not where the target file tells, or a call has made, moved or shared it. */
  untold: boolean
}

export const isIpv4 = (text: unknown): text is string =>
  typeof text === 'string' && parseAddress(text)?.kind() === 'ipv4'
export const isIpv6 = (text: unknown): text is string =>
  typeof text === 'string' && parseAddress(text)?.kind() === 'ipv6'

/** Key of the address that a text is; undefined where it is none. */
export const addressKey = (text: unknown): string | undefined =>
  isIpv4(text) || isIpv6(text) ? canonicalAddress(text) : undefined

/** An address as a record may spell it, without the prefix length of a single host. */
export const plainAddress = (text: unknown): unknown =>
  typeof text === 'string' ? text.replace(/(?<=\..*)\/32$|(?<=:.*)\/128$/, '') : text

/** Names of hosts are the same in either case, and with or without the final dot. */
export const sameHost = (a: unknown, b: unknown): boolean =>
  typeof a === 'string' && typeof b === 'string' && plainHost(a) === plainHost(b)
const plainHost = (name: string): string => name.toLowerCase().replace(/\.$/, '')

export const ips: Table<Ip> = {
  name: 'ips',
  fields: ['address', 'public', 'type', 'node_id', 'rdns', 'region'],
  reasons: ['natted'],
  resets: ['rdns'],
  identify: ({ address }) => addressKey(plainAddress(address)),
  misnames: holdsNoAddress,
  sort: (key) => (isIpv6(key) ? 'ipv6' : 'ipv4'),
  same: {
    address: (known: string, seen) => addressKey(plainAddress(seen)) === addressKey(known),
    rdns: (known: string, seen) => sameHost(known, seen),
  },
  bare: ({ address, rdns }) => (isIpv6(address) ? { address, rdns: rdns ?? null } : { address }),
  node: ({ node_id }) => node_id ?? undefined,
  change: { lasting: ['address', 'public', 'type', 'region'], outside: [], renewable: true },
  closable: false,
  mint: (dice, _, body) => {
    const n = dice.next('ips')
    const [high, low] = [(n >> 8) % 256, n % 256]
    return body.public === false ? `192.168.${high}.${low}` : `198.18.${high}.${low}`
  },
  draw: (_, { key, public: isPublic }) => ({
    natted: false,
    isDefault: true,
    rdns: isPublic === false ? null : `${key.replace(/[.:]+/g, '-')}.default.example.net`,
  }),
}

/** Whether no node of the target file tells what is shared with it. */
export const isShareUntold = (nodes: readonly NodeFixture[] = []): boolean =>
  nodes.every(({ ipv4 }) => ipv4?.shared === undefined)

/** The addresses that the target file lists for nodes. Those that it does not call natted carry no NAT, if it lists any. */
export const fixedAddresses = (nodes: readonly NodeFixture[] = []): readonly Partial<Ip>[] => {
  const untold = isShareUntold(nodes)
  return nodes.flatMap(({ id, region, account, ipv4, slaac }) => {
    const common = { node_id: id, region, untold, ...(account !== undefined && { account }) }
    const natted = ipv4?.natted?.map(canonicalAddress)
    const listed = (addresses: readonly string[] | undefined, isPublic: boolean) =>
      [...new Set(addresses?.map(canonicalAddress))].map((address) => ({
        ...common,
        address,
        public: isPublic,
        ...(natted && { natted: natted.includes(address) }),
      }))
    return [
      ...listed(ipv4?.private, false),
      ...listed([...(ipv4?.public ?? []), ...(natted ?? [])], true),
      ...(slaac === undefined ? [] : [{ ...common, address: canonicalAddress(slaac) }]),
    ]
  })
}

/** Model only: the IPv4 addresses that the last whole list of an account held. */
export interface Listed {
  addresses: readonly string[]
}

export const listings: Table<Listed> = {
  name: 'ip-listings',
  fields: [],
  identify: () => undefined,
  change: { lasting: [], outside: [], renewable: false },
  closable: false,
}

/** What calls have shared with a node; one that no call named shares nothing. */
export interface Share {
  node_id: number
  /** Keys of what is shared with it. */
  surely: readonly string[]
  /** Keys of what was shared with it, and of which the document does not say whether it still is. */
  perhaps: readonly string[]
  /** Keys of what is no longer shared with it. */
  released: readonly string[]
}

export const shares: Table<Share> = {
  name: 'ip-shares',
  fields: [],
  identify: () => undefined,
  change: { lasting: [], outside: [], renewable: false },
  closable: false,
}

interface Shared {
  readonly surely: readonly string[]
  readonly perhaps: readonly string[]
  /** Whether anything else may be shared as well, since a call without an answer may have done it. */
  readonly isOpen: boolean
}

/** What is shared with a node. Of one that may have been named by a call without an answer alone, nothing is sure. */
export const sharedWith = (share: Entity<Share> | undefined): Shared => {
  const { surely = [], perhaps = [] } = share ?? {}
  const isOpen = share !== undefined && (share.surely === undefined || share.perhaps === undefined)
  return share?.stub ? { surely: [], perhaps: [...surely, ...perhaps], isOpen } : { surely, perhaps, isOpen }
}

/** Whether an address or a range is shared with some node. */
export const isShared = (world: World, key: string): Ternary => {
  const all = live(world, shares).map(sharedWith)
  if (all.some(({ surely }) => surely.includes(key))) return true
  // Recorded traffic may begin after something was shared, and so may a run.
  const address = find(world, ips, key)
  const isUntold = world.adopting || (address !== undefined && address.untold !== false)
  return isUntold || all.some(({ perhaps, isOpen }) => isOpen || perhaps.includes(key)) ? undefined : false
}

/** Takes what a call has moved or shared to be free for that: the same is taken again. */
export const settle = (world: World, keys: readonly string[]): World =>
  keys.reduce((before, key) => patch(before, ips, key, { untold: false }), world)

/** What the target file says is shared with nodes before the run. */
export const fixedShares = (nodes: readonly NodeFixture[] = []): readonly (Share & { readonly account?: string })[] =>
  nodes.flatMap(({ id, account, ipv4 }) =>
    ipv4?.shared?.length
      ? [
          {
            node_id: id,
            surely: ipv4.shared.map(canonicalAddress),
            perhaps: [],
            released: [],
            ...(account !== undefined && { account }),
          },
        ]
      : [],
  )

/** Whether an address was shared, and no longer is. */
export const wasReleased = (world: World, key: string): boolean =>
  isShared(world, key) === false && live(world, shares).some(({ released = [] }) => released.includes(key))

/**
 * Shares what is given with a node; nothing given takes back all. Whether what was shared with it before stays shared
 * is not said.
 */
export const shareWith = (world: World, account: string | undefined, node: number, keys: readonly string[]): World => {
  const share = find(world, shares, node)
  const { surely, perhaps, isOpen } = sharedWith(share)
  const released = share?.released ?? []
  const before = [...surely, ...perhaps]
  return put(world, shares, {
    key: String(node),
    account,
    node_id: node,
    surely: keys,
    ...(keys.length === 0 ? { perhaps: [] } : !isOpen && { perhaps: before.filter((key) => !keys.includes(key)) }),
    released: [...new Set([...released, ...(keys.length === 0 ? before : [])])].filter((key) => !keys.includes(key)),
  })
}

/** What moving a shared address does to its being shared is not said. */
export const unsettleShares = (world: World, key: string): World =>
  live(world, shares).reduce(
    (before, { key: node, surely = [], perhaps }) =>
      surely.includes(key)
        ? patch(before, shares, node, {
            surely: surely.filter((one) => one !== key),
            ...(perhaps && { perhaps: [...perhaps, key] }),
          })
        : before,
    world,
  )
