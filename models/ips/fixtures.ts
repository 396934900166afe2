// The nodes and addresses that drafts and probes of the address operations take from the fixtures; no rule, no operation.

import { ranges } from '../ipv6-ranges/record.js'
import type { Ternary } from '../language/clause.js'
import { nodeBeyond } from '../language/distance.js'
import type { DnsFixture, NodeFixture } from '../language/environment.js'
import {
  addressed,
  aFixture,
  aForeignFixture,
  aNode,
  someSlaac,
  stranger,
  strangerNeed,
  together,
} from '../language/needs.js'
import type { Made, Plan } from '../language/plan.js'
import { isIpv4 } from './record.js'

type Where = (node: NodeFixture) => boolean

const publicOf = (node: NodeFixture): readonly string[] => node.ipv4?.public ?? []
const isNatted = (node: NodeFixture, address: string): Ternary => node.ipv4?.natted?.includes(address)
/** Whether an address is not shared from before, as far as the target file tells. */
const isUnshared =
  ({ environment: { fixtures } }: Plan) =>
  (address: string): boolean =>
    !fixtures.nodes?.some(({ ipv4 }) => ipv4?.shared?.includes(address))
/** Public addresses that carry no NAT and are not shared from before. */
const freeOf =
  (plan: Plan) =>
  (node: NodeFixture): readonly string[] =>
    publicOf(node).filter((address) => isNatted(node, address) === false && isUnshared(plan)(address))

/** Nothing about it is open: no live migration, its addresses are listed, it may be given further ones, nothing is shared with it. */
const isPlain = (node: NodeFixture): boolean =>
  node.liveMigration !== true &&
  node.extraAddresses === true &&
  node.ipv4?.public !== undefined &&
  node.ipv4.private !== undefined &&
  (node.ipv4.shared ?? []).length === 0

const isAnywhere: Where = () => true

/** How a node differs from what is usually asked for. */
interface Manner {
  /** Put behind the usual words. */
  readonly what: string
  readonly like?: Partial<NodeFixture>
  readonly nth?: number
}

export interface Holding {
  readonly node: NodeFixture
  readonly address: string
}

/** A node that keeps a public address when it gives one away, and the one that it gives. */
export const giver = (plan: Plan, where: Where = isAnywhere, { what, like, nth }: Manner = { what: '' }): Holding => {
  const node = plan.node(
    (n) => isPlain(n) && publicOf(n).length >= 2 && freeOf(plan)(n).length > 0 && where(n),
    aNode(`a node with two public addresses that may be given further ones${what}`, { ...addressed(2), ...like }, nth),
  )
  return { node, address: freeOf(plan)(node).at(-1) ?? '0.0.0.0' }
}

/** A node with two public addresses and no third: it may give either away, and not both. */
export const giverOfEither = (plan: Plan) => {
  const node = plan.node(
    (n) => isPlain(n) && publicOf(n).length === 2 && freeOf(plan)(n).length === 2,
    aNode('a node with just two public addresses that may be given further ones', addressed(2)),
  )
  const [one = '0.0.0.0', other = '0.0.0.0'] = freeOf(plan)(node)
  return { node, one, other }
}

/** A giver with another address to give away where there is such a node. */
export const spender = (plan: Plan): Holding => {
  const isRich: Where = (node) => freeOf(plan)(node).length > 1
  return ownNodes(plan).some((n) => isPlain(n) && isRich(n)) ? giver(plan, isRich) : giver(plan)
}

/** Another address that the node may give away in the place of that one. */
export const otherOf = (plan: Plan, node: NodeFixture, address: string): string | undefined =>
  freeOf(plan)(node).find((one) => one !== address)

/** A node beside another in its region, able to receive. */
export const taker = (
  plan: Plan,
  beside: NodeFixture,
  where: Where = isAnywhere,
  { what, like, nth = 2 }: Manner = { what: '' },
): NodeFixture =>
  plan.node(
    (n) => isPlain(n) && n.id !== beside.id && n.region === beside.region && where(n),
    aNode(`a second node in a region that may be given further addresses${what}`, { ...addressed(1), ...like }, nth),
  )

/** A node that may be given further addresses, in another region. */
export const distant = (plan: Plan, from: NodeFixture): NodeFixture =>
  nodeBeyond(
    plan,
    from.region,
    isPlain,
    aNode('a node in a second region that may be given further addresses', { ...addressed(1), region: 'r2' }, 2),
  )

/** A public address of that node or of another one in its region, where one is listed that carries no NAT. */
export const freeAddressNear = (plan: Plan, { region }: NodeFixture): string | undefined =>
  ownNodes(plan)
    .filter((n) => n.region === region)
    .flatMap(freeOf(plan))[0]

/** The same of a node that keeps another one when it gives it away. */
export const givenNear = (plan: Plan, { region }: NodeFixture): string | undefined =>
  ownNodes(plan)
    .filter((n) => n.region === region && isPlain(n) && publicOf(n).length >= 2)
    .flatMap(freeOf(plan))[0]

/** A node whose only public address is listed; beside another in its region, where one is given. */
export const poor = (plan: Plan, beside?: NodeFixture): Holding => {
  const node = plan.node(
    (n) =>
      n.liveMigration !== true &&
      (beside === undefined || (n.id !== beside.id && n.region === beside.region)) &&
      publicOf(n).length === 1 &&
      freeOf(plan)(n).length === 1,
    aNode(
      `a node with one public address alone${beside ? ', in a region with another node' : ''}`,
      addressed(1),
      beside ? 2 : 1,
    ),
  )
  return { node, address: publicOf(node)[0] ?? '0.0.0.0' }
}

/** A node with a private address. */
export const insider = (
  plan: Plan,
  where: Where = isAnywhere,
  need = aNode('a node with a private address that may be given further ones', addressed(1, 1)),
): Holding => {
  const node = plan.node(
    (n) => isPlain(n) && n.ipv4?.private?.length === 1 && n.ipv4.private.every(isUnshared(plan)) && where(n),
    need,
  )
  return { node, address: node.ipv4?.private?.[0] ?? '0.0.0.0' }
}

/** A node that may be given a private address for good: the last one of those that it would not be in the way of. */
export const hermit = (plan: Plan): NodeFixture => {
  const last = hermitOf(plan)
  return plan.node(
    (n) => n.id === last?.id,
    aNode('a node with two public addresses and no private one that may be given further ones', addressed(2)),
  )
}

const hermitOf = (plan: Plan): NodeFixture | undefined =>
  ownNodes(plan).findLast((n) => isPlain(n) && hasNoPrivate(n) && publicOf(n).length >= 2)

/** A node beside another that has no private address, and where there is a choice one that is not given one for good. */
export const roomFor = (plan: Plan, beside: NodeFixture): NodeFixture => {
  const kept = hermitOf(plan)?.id
  const fits: Where = (n) => n.id !== beside.id && n.region === beside.region && isPlain(n) && hasNoPrivate(n)
  const isFree: Where = (n) => hasNoPrivate(n) && n.id !== kept
  const where = ownNodes(plan).some((n) => fits(n) && isFree(n)) ? isFree : hasNoPrivate
  return taker(plan, beside, where, { what: ', without a private one' })
}

/** A node that has no public address, where one is listed in the region. */
export const bareNear = (plan: Plan, { region }: NodeFixture): NodeFixture | undefined =>
  ownNodes(plan).find((n) => isPlain(n) && n.region === region && publicOf(n).length === 0 && hasNoPrivate(n))

/** A third node of the region, where there is one. */
export const thirdNear = (plan: Plan, ...taken: readonly NodeFixture[]): NodeFixture | undefined =>
  ownNodes(plan).find((n) => isPlain(n) && n.region === taken[0]?.region && taken.every(({ id }) => id !== n.id))

/** A node without a private address. */
export const hasNoPrivate: Where = (node) => node.ipv4?.private?.length === 0

/** A node with a public address that carries a 1:1 NAT, and with one that does not. */
export const natted = (plan: Plan): Holding & { readonly other: string } => {
  const node = plan.node(
    (n) => isPlain(n) && publicOf(n).some((address) => isNatted(n, address) === true) && freeOf(plan)(n).length > 0,
    aNode('a node that may be given further addresses, with a public one under 1:1 NAT and one without', {
      ...addressed(2),
      ipv4: { ...addressed(2).ipv4, natted: addressed(1).ipv4?.public ?? [] },
    }),
  )
  return {
    node,
    address: publicOf(node).find((address) => isNatted(node, address)) ?? '0.0.0.0',
    other: freeOf(plan)(node)[0] ?? '0.0.0.0',
  }
}

/** Two nodes of a region with an address each to exchange, and a third one. */
export const pair = (plan: Plan) => {
  const a = giver(plan)
  const b = giver(plan, (n) => n.region === a.node.region && n.id !== a.node.id, { what: ', beside another', nth: 2 })
  const third = taker(plan, a.node, (n) => n.id !== b.node.id, { what: ', a third one', nth: 3 })
  return { a, b, third }
}

/** The values of a call that moves addresses within a region, each to the node beside it. */
export const assigning = (region: string, ...moves: readonly (readonly [address: unknown, node: NodeFixture])[]) => ({
  body: { assignments: moves.map(([address, node]) => ({ address, node_id: node.id })), region },
})

/** A public address of another account, in the region of a node. */
export const foreign = (plan: Plan, beside: NodeFixture): string => {
  const { accounts, fixtures } = plan.environment
  const node = (fixtures.nodes ?? []).find(
    (n) =>
      n.account !== undefined &&
      n.account !== accounts[0]?.name &&
      n.region === beside.region &&
      freeOf(plan)(n).length > 0,
  )
  plan.need(
    node !== undefined,
    aForeignFixture(
      'nodes',
      'a node of another account with a public address without 1:1 NAT, in a region with nodes of the first',
      addressed(1),
    ),
  )
  return (node && freeOf(plan)(node)[0]) ?? '0.0.0.0'
}

/** A forward DNS entry for a public address of the plan's account. */
export const named = (plan: Plan, where: (address: string) => boolean = () => true): DnsFixture => {
  const own = ownNodes(plan).flatMap(publicOf)
  return plan.dns(
    ({ address }) => isIpv4(address) && own.includes(address) && where(address),
    together(
      'a forward DNS entry for a public IPv4 address of a node',
      aFixture('dns', 'an entry'),
      aNode('a node', addressed(1)),
    ),
  )
}

/** The same for an IPv6 address, where there is one. */
export const namedIpv6 = (plan: Plan): DnsFixture | undefined => {
  const own = ownNodes(plan).map(({ slaac }) => slaac)
  return plan.environment.fixtures.dns?.find(({ address }) => own.includes(address))
}

/** The nodes of the first account. */
export const ownNodes = ({ environment: { accounts, fixtures } }: Plan): readonly NodeFixture[] =>
  (fixtures.nodes ?? []).filter(({ account }) => account === undefined || account === accounts[0]?.name)

/** A call that moves an address away from its node, and puts it back when the program ends. */
export const away = (id: string) => (plan: Plan) => {
  const { node, address } = giver(plan)
  plan.restore(id, assigning(node.region, [address, node]))
  return assigning(node.region, [address, taker(plan, node)])
}

/** The one length of a range on the one of two equivalent paths, the other on the other: what holds for a range holds for both. */
export const lengthFor = (id: string): 56 | 64 => (id.startsWith('ips.') ? 56 : 64)

/** An IPv6 range on a node, and another node in its region. */
export const rangeOn = (plan: Plan, by: 'node_id' | 'route_target' = 'node_id', length: 56 | 64 = 64) => {
  const from = plan.node(
    (n) => n.slaac !== undefined && n.liveMigration !== true && (n.ipv4?.public?.length ?? 0) > 0,
    aNode('a node whose SLAAC and public addresses are known', { ...addressed(1), slaac: someSlaac }),
  )
  const to = taker(plan, from, (n) => n.slaac !== undefined, {
    what: ', with a known SLAAC address',
    like: { slaac: someSlaac },
  })
  const range = plan.make(ranges, {
    prefix_length: length,
    node_id: by === 'node_id' ? from.id : undefined,
    route_target: by === 'route_target' ? from.slaac : undefined,
  })
  return { from, to, range }
}

/** An IPv6 range of another account, in the region of a node. */
export const foreignRange = (plan: Plan, beside: NodeFixture): Made => {
  const { accounts, fixtures, tokens, users } = plan.environment
  const ownerOf = ({ account }: NodeFixture) =>
    account === undefined || account === accounts[0]?.name
      ? undefined
      : tokens.find(
          ({ scopes, user }) =>
            scopes === '*' && users.some((one) => one.name === user && one.account === account && !one.restricted),
        )
  const node = (fixtures.nodes ?? []).find((n) => ownerOf(n) && n.region === beside.region && n.slaac !== undefined)
  plan.need(
    node !== undefined,
    together(
      'a node of another account with a known SLAAC address, in a region with nodes of the first, and a token of its owner',
      strangerNeed('an owner'),
      aFixture('nodes', 'a node', { account: stranger, slaac: someSlaac }),
    ),
  )
  const as = node && ownerOf(node)?.name
  return plan.call('ipv6-ranges.create', {
    body: { prefix_length: 64, node_id: node?.id ?? 0 },
    ...(as !== undefined && { as }),
  })
}

/** An IPv6 range in another region than that of a node. */
export const distantRange = (plan: Plan, from: NodeFixture): Made => {
  const far = nodeBeyond(
    plan,
    from.region,
    (n) => n.slaac !== undefined && n.liveMigration !== true,
    aNode(
      'a node in a second region with a known SLAAC address',
      { liveMigration: false, slaac: someSlaac, region: 'r2' },
      2,
    ),
  )
  return plan.make(ranges, { prefix_length: 64, node_id: far.id, route_target: undefined })
}

/** Another node of the region with a private address. */
export const insiderBeside = (plan: Plan, node: NodeFixture): Holding =>
  insider(
    plan,
    (n) => n.id !== node.id && n.region === node.region,
    aNode('a second node in the region with a private address that may be given further ones', addressed(1, 1), 2),
  )
