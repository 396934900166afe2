// Sharing addresses with a node, by either of two equivalent paths: what it does, and how that shows; its rules stand apart.

import { rangeKey, ranges } from '../ipv6-ranges/record.js'
import { forget, loosen, patch } from '../language/changes.js'
import type { Environment, NodeFixture } from '../language/environment.js'
import { nodes } from '../language/facts.js'
import { exclusiveNeed, type Need } from '../language/needs.js'
import { anything, operation } from '../language/operation.js'
import type { Plan, Ref } from '../language/plan.js'
import { array, integer, object, text } from '../language/schema.js'
import { type Entity, find, live, type World } from '../language/world.js'
import { assigning, giver, hasNoPrivate, insider, insiderBeside, pair, taker } from './fixtures.js'
import {
  addressKey,
  type Ip,
  ips,
  isIpv4,
  isIpv6,
  isShared,
  isShareUntold,
  settle,
  sharedWith,
  shares,
  shareWith,
} from './record.js'
import {
  isSharedWith,
  keysOf,
  lend,
  ownOf,
  rangeFor,
  refusalsOf,
  rules,
  type Sharing,
  sharing,
  silencesOf,
} from './sharing-rules.js'

const body = object({ ips: array(text()), node_id: integer({ ref: 'nodes' }) })

const statementsOf = (id: string) => [...sharedStatements(id), ...removalStatements(id), ...kindStatements(id)]

const sharedStatements = (id: string) => [
  {
    id: `${id}.shared`,
    source: 'Endpoints / Networking, POST /networking/ips/share; "IP rules", Assignment, "shared IP addresses"',
    text: 'What a call shares is shared.',
    holds: (facts: Sharing) => ownOf(facts).length > 0 || undefined,
    probe: (plan: Plan) => {
      const { a, b, third } = pair(plan)
      plan.restore('ips.assign', assigning(a.node.region, [a.address, a.node], [b.address, b.node]))
      plan.restore(id, sharing(third))
      plan.check(id, sharing(third, a.address, b.address))
      plan.check('ips.list')
      // That they no longer change places is where it shows.
      plan.check('ips.assign', assigning(a.node.region, [a.address, b.node], [b.address, a.node]))
    },
  },
]

const removalStatements = (id: string) => [
  {
    id: `${id}.empty-removes`,
    source: `${rules}, "an empty array removes all shared addresses"`,
    text: 'An empty array takes back all that was shared.',
    holds: ({ world, body: { ips: addresses, node_id: node } }: Sharing) =>
      (addresses.length === 0 && isSharedWith(world, node)) || undefined,
    probe: (plan: Plan) => {
      const { a, b, third } = pair(plan)
      plan.restore('ips.assign', assigning(a.node.region, [a.address, a.node], [b.address, b.node]))
      plan.restore(id, sharing(third))
      plan.call(id, sharing(third, a.address, b.address))
      plan.check(id, sharing(third))
      // That they change places again is where it shows.
      plan.check('ips.assign', assigning(a.node.region, [a.address, b.node], [b.address, a.node]))
    },
  },
  {
    id: `${id}.empty-removes-private`,
    source: `${rules}, "an empty array removes all shared addresses"`,
    text: 'An empty array takes back private addresses as well as public ones.',
    holds: ({ world, body: { ips: addresses, node_id: node } }: Sharing) =>
      (addresses.length === 0 &&
        sharedWith(find(world, shares, node)).surely.some((key) => find(world, ips, key)?.public === false)) ||
      undefined,
    probe: (plan: Plan) => {
      const a = insider(plan)
      const isBeside = (n: NodeFixture) => n.region === a.node.region && n.id !== a.node.id
      // Two private ones need not change places, whether they are shared or not.
      const b = giver(plan, (n) => isBeside(n) && hasNoPrivate(n), {
        what: ', beside one with a private address',
        nth: 2,
      })
      const third = taker(plan, a.node, (n) => n.id !== b.node.id, { what: ', a third one', nth: 3 })
      plan.restore('ips.assign', assigning(a.node.region, [a.address, a.node], [b.address, b.node]))
      plan.restore(id, sharing(third))
      plan.call(id, sharing(third, a.address, b.address))
      plan.check(id, sharing(third))
      // That they change places is where it shows.
      plan.check('ips.assign', assigning(a.node.region, [a.address, b.node], [b.address, a.node]))
    },
  },
  {
    id: `${id}.empty-removes-ranges`,
    source: `${rules}, "an empty array removes all shared addresses"`,
    text: 'An empty array takes back ranges, whatever was shared with them, before them or after them.',
    holds: ({ world, body: { ips: addresses, node_id: node } }: Sharing) => {
      const { surely, perhaps } = sharedWith(find(world, shares, node))
      const isRangeShared = [...surely, ...perhaps].some((key) => find(world, ranges, key) !== undefined)
      return (addresses.length === 0 && surely.length > 0 && isRangeShared) || undefined
    },
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      plan.restore(id, sharing(to))
      const orders = [
        (range: Ref) => [[address, range]],
        (range: Ref) => [[range, address]],
        (range: Ref) => [[range], [address]],
      ]
      for (const [i, order] of orders.entries()) {
        const range = rangeFor(plan, node, i === 0 ? 56 : 64).field('address')
        for (const shared of order(range)) plan.check(id, sharing(to, ...shared))
        // Until then it cannot be, of whatever length it is.
        if (i === 0) plan.check('ipv6-ranges.delete', { path: { range } })
        plan.check(id, sharing(to))
        // That it can be deleted is where it shows.
        plan.check('ipv6-ranges.delete', { path: { range } })
      }
    },
  },
]

/** What can be shared besides public IPv4 addresses. */
const kindStatements = (id: string) => [
  {
    id: `${id}.private`,
    source: rules,
    text: 'A private IPv4 address can be shared as well as a public one.',
    holds: (facts: Sharing) => ownOf(facts).some((entity) => (entity as Entity<Ip>).public === false) || undefined,
    probe: (plan: Plan) => {
      const a = insider(plan)
      const b = insiderBeside(plan, a.node)
      const third = taker(plan, a.node, (n) => n.id !== b.node.id, { what: ', a third one', nth: 3 })
      plan.restore('ips.assign', assigning(a.node.region, [a.address, a.node], [b.address, b.node]))
      plan.restore(id, sharing(third))
      plan.check(id, sharing(third, a.address, b.address))
      // That they no longer change places is where it shows.
      plan.check('ips.assign', assigning(a.node.region, [a.address, b.node], [b.address, a.node]))
    },
  },
  {
    id: `${id}.range`,
    source: rules,
    text: 'An IPv6 range can be shared.',
    holds: (facts: Sharing) =>
      facts.body.ips.some((address) => isIpv6(address) && find(facts.world, ranges, rangeKey(address)) !== undefined) ||
      undefined,
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      const range = rangeFor(plan, node)
      plan.check(id, sharing(to, address, range.field('address')))
      // That it cannot be deleted is where it shows.
      plan.check('ipv6-ranges.delete', { path: { range: range.field('address') } })
      plan.call(id, sharing(to))
    },
  },
]

const share = (facts: Sharing): World => {
  const { world, account, body } = facts
  const given = [...new Set(keysOf(facts))]
  const after = shareWith(settle(world, given), account, body.node_id, given)
  const { surely, perhaps } = sharedWith(find(world, shares, body.node_id))
  const touched = new Set([...given, ...surely, ...perhaps])
  return live(after, ranges)
    .filter(({ key }) => touched.has(key))
    .reduce((before, { key }) => {
      const shared = isShared(before, key)
      // Which node a record tells of a range that several have is not said.
      const open = loosen(before, ranges, key, ['node_id', 'route_target'])
      return shared === undefined ? forget(open, ranges, key, ['shared']) : patch(open, ranges, key, { shared })
    }, after)
}

const namesOf = ({ body: { ips: addresses, node_id: node } }: Sharing) => [
  ...addresses.filter(isIpv4).map((address) => ({ table: ips, key: addressKey(address) ?? '' })),
  { table: nodes, key: node },
]

/** No reply shows what is shared with a node: what was before a call cannot be given back unless the target file tells it. */
const wants = ({ fixtures }: Pick<Environment, 'fixtures'>): Need | undefined =>
  isShareUntold(fixtures.nodes)
    ? exclusiveNeed(
        'an exclusive target, or ipv4.shared of the nodes: what is shared with a node before could not be given back',
      )
    : undefined

const sharingOf = (id: string) =>
  ({
    id,
    area: 'networking',
    method: 'POST',
    source: 'Endpoints / Networking; "IP rules", Share',
    scopes: ['ips:read_write', 'nodes:read_write'],
    params: {},
    body,
    reply: anything,
    draft: lend(id),
    refusals: refusalsOf(id),
    silences: silencesOf(id),
    statements: statementsOf(id),
    unshown: 'no reply shows what is shared; that shared addresses do not change places, and then do, shows it',
    undecided: { 'refusal.unchanged': `no reply shows what is shared; ${id}.address-form asks for it` },
    apply: share,
    names: namesOf,
    wants,
  }) as const

export const shareIps = operation({
  ...sharingOf('ips.share'),
  path: '/networking/ips/share',
  reach: { in: 'addresses', alone: false, lent: 'shares' },
  summary: 'Shares addresses and ranges with a node; an empty list takes all back.',
})

export const shareIpv4 = operation({
  ...sharingOf('ipv4.share'),
  path: '/networking/ipv4/share',
  reach: { in: 'addresses', alone: false, lent: 'shares' },
  summary: 'Shares addresses and ranges with a node, as POST /networking/ips/share does.',
  statements: [
    ...statementsOf('ipv4.share'),
    {
      id: 'ipv4.share.equivalent',
      source: 'Endpoints / Networking, POST /networking/ipv4/share',
      text: 'It does what POST /networking/ips/share does: what the one shares the other takes back.',
      holds: ({ world, body: { ips: addresses, node_id: node } }) =>
        (addresses.length === 0 &&
          find(world, shares, node)?.since?.surely?.by === 'ips.share' &&
          isSharedWith(world, node)) ||
        undefined,
      probe: (plan) => {
        const { a, b, third } = pair(plan)
        plan.restore('ips.assign', assigning(a.node.region, [a.address, a.node], [b.address, b.node]))
        plan.restore('ips.share', sharing(third))
        plan.call('ips.share', sharing(third, a.address, b.address))
        plan.check('ipv4.share', sharing(third))
        plan.check('ips.assign', assigning(a.node.region, [a.address, b.node], [b.address, a.node]))
      },
    },
  ],
})

export const ipSharingOperations = [shareIps, shareIpv4]
