// Under which conditions a share is refused, or may be: section "IP rules", Share, of the document; no operation.

import { type Range, rangeKey, ranges, withoutPrefix } from '../ipv6-ranges/record.js'
import { isRestricted, type Principal } from '../language/access.js'
import { known, not, or, type Ternary } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import { nodes } from '../language/facts.js'
import { parseAddress } from '../language/formats.js'
import { aNode } from '../language/needs.js'
import type { Made, Plan } from '../language/plan.js'
import { type Entity, find, gone, type World } from '../language/world.js'
import {
  assigning,
  distant,
  distantRange,
  foreign,
  foreignRange,
  freeAddressNear,
  giver,
  lengthFor,
  natted,
  pair,
  taker,
} from './fixtures.js'
import { isInaccessible } from './moves.js'
import { addressKey, type Ip, ips, isIpv4, isIpv6, isShared, sharedWith, shares } from './record.js'

export const rules = 'Endpoints / Networking, "IP rules", Share'

export interface Sharing {
  readonly world: World
  readonly account: string | undefined
  readonly body: { readonly ips: readonly string[]; readonly node_id: number }
}

export const sharing = (node: NodeFixture, ...addresses: readonly unknown[]) => ({
  body: { ips: addresses, node_id: node.id },
})

export const rangeFor = (plan: Plan, node: NodeFixture, length: 56 | 64 = 64): Made =>
  plan.make(ranges, { prefix_length: length, node_id: node.id, route_target: undefined })

/** Shares an address with a node beside its own, and has that taken back when the program ends. */
export const lend = (id: string) => (plan: Plan) => {
  const { node, address } = giver(plan)
  const to = taker(plan, node)
  plan.restore(id, sharing(to))
  return sharing(to, address)
}

/** Whether a text is neither an address nor an address with a prefix length; undefined where implementations may differ. */
const isNoAddress = (address: string): Ternary => {
  if (parseAddress(withoutPrefix(address))) return false
  return /^[\d.:/%[\]\sa-fA-F]+$/.test(address) ? undefined : true
}

/** Whether a text is an IPv6 range with its prefix length. */
const hasPrefix = (address: string): boolean => /\/\d+$/.test(address) && isIpv6(withoutPrefix(address))

const entityOf = (world: World, address: string): Entity<Ip> | Entity<Range> | undefined =>
  isIpv4(address) ? find(world, ips, addressKey(address)) : find(world, ranges, rangeKey(address))

/** Whether a text names a range that is or was known. */
const isRange = (world: World, address: string): boolean =>
  find(world, ranges, rangeKey(address)) !== undefined || gone(world, ranges, rangeKey(address)) !== undefined

/** What the call shares of the caller's own, as far as it is known. */
export const ownOf = ({ world, account, body: { ips: addresses } }: Sharing) =>
  addresses.flatMap((address) => {
    const entity = entityOf(world, address)
    return entity && (entity.account === undefined || account === undefined || entity.account === account)
      ? [entity]
      : []
  })

export const keysOf = ({ body: { ips: addresses } }: Sharing): readonly string[] =>
  addresses.map((address) => addressKey(withoutPrefix(address)) ?? address)

export const isSharedWith = (world: World, node: number): boolean =>
  sharedWith(find(world, shares, node)).surely.length > 0

/** Whether all that was shared with a node has been taken back. */
const isKnownBare = (world: World, node: number): boolean => {
  const share = find(world, shares, node)
  const { surely, perhaps, isOpen } = sharedWith(share)
  return share !== undefined && !isOpen && surely.length + perhaps.length === 0
}

const isDistant = ({ world, body }: Sharing, { region }: { readonly region?: string }): Ternary =>
  known(region, find(world, nodes, body.node_id)?.region, (a, b) => a !== b)

export const refusalsOf = (id: string) => [...formRefusals(id), ...accessRefusals(id), ...placeRefusals(id)]

const formRefusals = (id: string) => [
  {
    id: `${id}.address-form`,
    source: rules,
    text: 'What is shared is an IPv4 address or an IPv6 range.',
    fields: ['ips'],
    when: ({ body: { ips: addresses } }: Sharing) => or(...addresses.map(isNoAddress)),
    probe: (plan: Plan) => {
      const { a, b, third } = pair(plan)
      plan.restore('ips.assign', assigning(a.node.region, [a.address, a.node], [b.address, b.node]))
      plan.restore(id, sharing(third))
      plan.probe(id, sharing(third, a.address, b.address, 'no-address'))
      // None of them is shared, so they change places freely.
      plan.check('ips.assign', assigning(a.node.region, [a.address, b.node], [b.address, a.node]))
      plan.twin(id, sharing(third, a.address, b.address))
    },
  },
  {
    id: `${id}.without-prefix`,
    source: rules,
    text: 'An IPv6 range is shared by its address, without the prefix length.',
    fields: ['ips'],
    when: ({ body: { ips: addresses } }: Sharing) => addresses.some(hasPrefix),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      const range = rangeFor(plan, node, lengthFor(id))
      plan.probe(id, sharing(to, range.field('network')))
      plan.probe(id, sharing(to, address, range.field('network')))
      plan.twin(id, sharing(to, range.field('address')))
      // A shared range cannot be deleted.
      plan.call(id, sharing(to))
    },
  },
]

const accessRefusals = (id: string) => [
  {
    id: `${id}.accessible`,
    source: rules,
    text: 'What is shared is accessible to the caller.',
    fields: ['ips'],
    when: ({ world, account, body: { ips: addresses } }: Sharing) =>
      or(...addresses.map((address) => isIpv4(address) && isInaccessible(world, account, address, false))),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      plan.restore(id, sharing(to))
      plan.probe(id, sharing(to, foreign(plan, node)))
      plan.probe(id, sharing(to, address, foreign(plan, node)))
      plan.twin(id, sharing(to, address))
    },
  },
  {
    id: `${id}.accessible-range`,
    source: rules,
    text: 'An IPv6 range that is shared is accessible to the caller.',
    fields: ['ips'],
    when: ({ world, account, body: { ips: addresses } }: Sharing) =>
      or(
        ...addresses.map((address) =>
          isNoAddress(address) !== false || hasPrefix(address) || isIpv4(address)
            ? false
            : isRange(world, address)
              ? isInaccessible(world, account, address, true)
              : undefined,
        ),
      ),
    probe: (plan: Plan) => {
      const { node } = giver(plan)
      const to = taker(plan, node)
      const range = rangeFor(plan, node, lengthFor(id))
      plan.probe(id, sharing(to, foreignRange(plan, node).field('address')))
      plan.twin(id, sharing(to, range.field('address')))
      // A shared range cannot be deleted.
      plan.call(id, sharing(to))
    },
  },
]

const placeRefusals = (id: string) => [
  {
    id: `${id}.region`,
    source: rules,
    text: 'What is shared is in the region of the node that it is shared with.',
    when: (facts: Sharing) => or(...ownOf(facts).map((own) => isIpv4(own.key) && isDistant(facts, own))),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      const far = distant(plan, node)
      const strange = freeAddressNear(plan, far)
      plan.restore(id, sharing(to))
      plan.probe(id, sharing(far, address))
      if (strange !== undefined) plan.probe(id, sharing(to, address, strange))
      plan.twin(id, sharing(to, address))
    },
  },
  {
    id: `${id}.region-of-ranges`,
    source: rules,
    text: 'An IPv6 range that is shared is in the region of the node that it is shared with.',
    when: (facts: Sharing) => or(...ownOf(facts).map((own) => !isIpv4(own.key) && isDistant(facts, own))),
    probe: (plan: Plan) => {
      const { node } = giver(plan)
      const to = taker(plan, node)
      const range = rangeFor(plan, node, lengthFor(id))
      plan.probe(id, sharing(to, distantRange(plan, node).field('address')))
      plan.twin(id, sharing(to, range.field('address')))
      // A shared range cannot be deleted.
      plan.call(id, sharing(to))
    },
  },
  {
    id: `${id}.natted`,
    source: rules,
    text: 'A public IPv4 address with 1:1 NAT on a VPC interface is not shared.',
    when: (facts: Sharing) =>
      or(
        ...ownOf(facts).map((entity) =>
          'natted' in entity || isIpv4(entity.key) ? (entity as Entity<Ip>).natted : false,
        ),
      ),
    probe: (plan: Plan) => {
      const { node, address, other } = natted(plan)
      const to = taker(plan, node)
      plan.restore(id, sharing(to))
      plan.probe(id, sharing(to, address))
      plan.probe(id, sharing(to, other, address))
      plan.twin(id, sharing(to, other))
    },
  },
]

export const silencesOf = (id: string) => [...repeatSilences(id), ...nodeSilences(id), ...otherSilences(id)]

/** Sharing what is shared already, or where something is; taking back where nothing is. */
const repeatSilences = (id: string) => [
  {
    id: `${id}.shared-already`,
    source: rules,
    text: 'Whether a call may name an address twice, or one that is shared already, is not said.',
    when: (facts: Sharing) =>
      or(
        new Set(keysOf(facts)).size < facts.body.ips.length,
        ...keysOf(facts).map((key) => isShared(facts.world, key)),
      ),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      plan.restore(id, sharing(to))
      plan.check(id, sharing(to, address, address))
    },
  },
  {
    id: `${id}.further`,
    source: rules,
    text: 'Whether a node with which something is shared takes more, in addition or instead, is not said.',
    when: ({ world, body: { ips: addresses, node_id: node } }: Sharing) =>
      addresses.length > 0 && isSharedWith(world, node),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const other = giver(plan, (n) => n.region === node.region && n.id !== node.id, {
        what: ', beside another',
        nth: 2,
      })
      const to = taker(plan, node, (n) => n.id !== other.node.id, { what: ', a third one', nth: 3 })
      plan.restore(id, sharing(to))
      plan.call(id, sharing(to, address))
      plan.check(id, sharing(to, other.address))
    },
  },
  {
    id: `${id}.nothing-to-remove`,
    source: rules,
    text: 'Whether an empty array is taken where nothing is shared is not said.',
    when: ({ world, body: { ips: addresses, node_id: node } }: Sharing) =>
      addresses.length > 0 || isSharedWith(world, node) ? false : isKnownBare(world, node) || undefined,
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      plan.call(id, sharing(to, address))
      plan.call(id, sharing(to))
      plan.check(id, sharing(to))
    },
  },
]

const nodeSilences = (id: string) => [
  {
    id: `${id}.own`,
    source: rules,
    text: 'Whether an address can be shared with the node that has it is not said.',
    when: (facts: Sharing) =>
      or(...ownOf(facts).map(({ node_id: node }) => known(node, facts.body.node_id, (a, b) => a === b))),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      plan.restore(id, sharing(node))
      plan.check(id, sharing(node, address))
    },
  },
  {
    id: `${id}.extra-addresses`,
    source: 'Endpoints / Networking, POST /networking/ips',
    text: 'Whether a node must be configured for extra addresses to have some shared with it is not said.',
    when: ({ world, body: { ips: addresses, node_id: node } }: Sharing) =>
      addresses.length === 0 ? false : not(find(world, nodes, node)?.extraAddresses),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const closed = plan.node(
        (n) => n.extraAddresses === false && n.region === node.region && n.liveMigration !== true,
        aNode('a node that may not be given further addresses', { extraAddresses: false, liveMigration: false }),
      )
      plan.restore(id, sharing(closed))
      plan.check(id, sharing(closed, address))
    },
  },
  {
    id: `${id}.busy-node`,
    source: rules,
    text: 'Whether addresses can be shared with or from a node under live migration is not said.',
    when: (facts: Sharing) =>
      or(
        ...[facts.body.node_id, ...ownOf(facts).flatMap(({ node_id: node }) => node ?? [])].map(
          (node) => find(facts.world, nodes, node)?.liveMigration === true,
        ),
      ),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const busy = plan.node(
        (n) => n.liveMigration === true && n.region === node.region,
        aNode('a node under live migration', { liveMigration: true }),
      )
      plan.restore(id, sharing(busy))
      plan.check(id, sharing(busy, address))
    },
  },
]

const otherSilences = (id: string) => [
  {
    id: `${id}.range-spelling`,
    source: rules,
    text: 'Whether a range may be named by another spelling of its address is not said.',
    unprobed: 'it takes another spelling of a range that only the run itself makes known',
    when: ({ world, body: { ips: addresses } }: Sharing) =>
      addresses.some(
        (address) =>
          isIpv6(address) && address !== (find(world, ranges, rangeKey(address))?.address ?? addressKey(address)),
      ),
  },
  {
    id: `${id}.restricted`,
    source: 'Authentication, "Permission rules beyond scopes"',
    text: 'Which grants a restricted user needs to share addresses is not said.',
    when: ({ caller }: { readonly caller: Principal }) => isRestricted(caller),
    probe: (plan: Plan) => {
      const as = plan.token({ restricted: true, has: ['ips:read_write', 'nodes:read_write'] })
      plan.check(id, { ...lend(id)(plan), as })
    },
  },
]
