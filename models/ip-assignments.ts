// Assigning addresses to nodes, by either of two equivalent paths: sections "IP assignment object" and "IP rules" of the document.
import { isRestricted } from './access.js'
import { and, known, or } from './clause.js'
import { distant, foreign, giver, hasNoPrivate, insider, natted, poor, taker } from './ip-fixtures.js'
import {
  type Assigning,
  formOf,
  gainsUnasked,
  givesSecondPrivate,
  givesSecondRange,
  isBusy,
  isIdle,
  isInaccessible,
  isOddlyNamed,
  leavesNoPublic,
  type Move,
  movesNatted,
  movesOf,
  movesShared,
  swappedIn,
  swapsShared,
} from './ip-moves.js'
import { anything, operation } from './operation.js'
import type { Plan } from './plan.js'
import { array, integer, object, optional, text } from './schema.js'
import type { NodeFixture } from './setting.js'
import { nodes } from './tables/facts.js'
import { addressKey, ips, unsettleShares, wasReleased } from './tables/ips.js'
import { ranges } from './tables/ipv6-ranges.js'
import { nodeSettings, resetSsh } from './tables/managed-node-settings.js'
import { find, forget, patch, type World } from './world.js'

const rules = 'Endpoints / Networking, "IP rules", Assignment'
const item = 'IP assignment object'

const body = object({
  assignments: array(object({ address: optional(text()), node_id: optional(integer({ ref: 'nodes' })) })),
  region: text(),
})

/** The values of a call that moves addresses within a region, each to the node beside it. */
export const assigning = (region: string, ...moves: readonly (readonly [address: unknown, node: NodeFixture])[]) => ({
  body: { assignments: moves.map(([address, node]) => ({ address, node_id: node.id })), region },
})

/** Moves an address away from its node, and has it put back when the program ends. */
const away = (id: string) => (plan: Plan) => {
  const { node, address } = giver(plan)
  plan.restore(id, assigning(node.region, [address, node]))
  return assigning(node.region, [address, taker(plan, node)])
}

const isIncomplete = ({ body: { assignments } }: Assigning): boolean =>
  assignments.some(({ address, node_id: node }) => address === undefined || node === undefined)

const addressesOf = ({ body: { assignments } }: Assigning): readonly string[] =>
  assignments.flatMap(({ address }) => address ?? [])

const refusalsOf = (id: string) => [
  {
    id: `${id}.complete`,
    level: 'should' as const,
    source: item,
    text: 'An assignment has an address and a node_id.',
    fields: ['assignments', 'address', 'node_id'],
    when: isIncomplete,
    probe: (plan: Plan) => {
      const { body } = away(id)(plan)
      plan.probe(id, { body: { ...body, assignments: [{ address: body.assignments[0]?.address }] } })
      plan.probe(id, { body: { ...body, assignments: [{ node_id: body.assignments[0]?.node_id }] } })
      plan.twin(id, { body })
    },
  },
  {
    id: `${id}.address-form`,
    source: `${item}, address`,
    text: 'What is assigned is an IPv4 address or an IPv6 range.',
    fields: ['assignments', 'address'],
    when: (facts: Assigning) =>
      !isIncomplete(facts) && addressesOf(facts).some((address) => formOf(address) === 'no-address'),
    probe: (plan: Plan) => {
      const { body } = away(id)(plan)
      plan.probe(id, {
        body: { ...body, assignments: body.assignments.map((one) => ({ ...one, address: 'no-address' })) },
      })
      plan.twin(id, { body })
    },
  },
  {
    id: `${id}.prefix-length`,
    source: `${item}, address`,
    text: 'An IPv6 range is assigned with its prefix length, 56 or 64.',
    fields: ['assignments', 'address'],
    when: (facts: Assigning) =>
      !isIncomplete(facts) && addressesOf(facts).some((address) => formOf(address) === 'wrong-prefix'),
    probe: (plan: Plan) => {
      const { from, to, range } = rangeOn(plan)
      plan.probe(id, assigning(from.region, [range.id, to]))
      plan.probe(id, assigning(from.region, ['2001:db8:ffff::/60', to]))
      plan.twin(id, assigning(from.region, [range.field('network'), to]))
    },
  },
  {
    id: `${id}.accessible`,
    source: `${item}, address`,
    text: 'What is assigned is accessible to the caller.',
    fields: ['assignments', 'address'],
    when: ({ world, account, ...facts }: Assigning) =>
      or(
        ...addressesOf({ world, account, ...facts }).map((address) => {
          const form = formOf(address)
          if (form === undefined) return undefined
          return form === 'ipv4' || form === 'range' ? isInaccessible(world, account, address, form === 'range') : false
        }),
      ),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const to = taker(plan, node)
      plan.probe(id, assigning(node.region, [foreign(plan, node), to]))
      plan.twin(id, assigning(node.region, [address, to]))
      plan.restore(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.region-of-nodes`,
    source: 'Endpoints / Networking, POST /networking/ips/assign, region',
    text: 'Every node that receives is in the region that the call names.',
    fields: ['region', 'assignments', 'node_id'],
    when: ({ world, body: { assignments, region } }: Assigning) =>
      or(
        ...assignments.map(({ node_id: node }) =>
          node === undefined ? false : known(find(world, nodes, node)?.region, region, (a, b) => a !== b),
        ),
      ),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      plan.probe(id, assigning(node.region, [address, distant(plan, node)]))
      plan.twin(id, assigning(node.region, [address, taker(plan, node)]))
      plan.restore(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.region-of-addresses`,
    source: 'Endpoints / Networking, POST /networking/ips/assign, region',
    text: 'Every address is in the region that the call names.',
    fields: ['region', 'assignments', 'address'],
    when: (facts: Assigning) =>
      or(
        ...movesOf(facts).map(({ ip, range }) =>
          known(ip?.region ?? range?.region, facts.body.region, (a, b) => a !== b),
        ),
      ),
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const far = distant(plan, node)
      plan.probe(id, assigning(far.region, [address, far]))
      plan.twin(id, assigning(node.region, [address, taker(plan, node)]))
      plan.restore(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.public-left`,
    source: rules,
    text: 'After the assignment, as a whole, every node involved has a public IPv4 address.',
    when: leavesNoPublic,
    probe: (plan: Plan) => {
      const rich = giver(plan)
      const { node, address } = poor(plan, rich.node)
      const { region } = node
      plan.probe(id, assigning(region, [address, rich.node]))
      plan.twin(id, assigning(region, [address, rich.node], [rich.address, node]))
      plan.restore(id, assigning(region, [address, node], [rich.address, rich.node]))
    },
  },
  {
    id: `${id}.one-private`,
    source: rules,
    text: 'A node has at most one private IPv4 address.',
    when: givesSecondPrivate,
    probe: (plan: Plan) => {
      const { node, address } = insider(plan)
      const other = insider(
        plan,
        (n) => n.id !== node.id && n.region === node.region,
        'a second node in the region with a private address',
      )
      plan.probe(id, assigning(node.region, [address, other.node]))
      plan.twin(
        id,
        assigning(node.region, [address, taker(plan, node, hasNoPrivate, ', without a private one')]),
      )
      plan.restore(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.one-range`,
    source: rules,
    text: 'A node has at most one IPv6 range.',
    when: givesSecondRange,
    unprobed: 'an account has one IPv6 range in a region, and all that is assigned together is in one region',
  },
  {
    id: `${id}.natted`,
    source: rules,
    text: 'An address with an active 1:1 NAT to a VPC interface address is not assigned to another node.',
    when: movesNatted,
    probe: (plan: Plan) => {
      const { node, address, other } = natted(plan)
      const to = taker(plan, node)
      plan.probe(id, assigning(node.region, [address, to]))
      plan.twin(id, assigning(node.region, [other, to]))
      plan.restore(id, assigning(node.region, [other, node]))
    },
  },
  {
    id: `${id}.shared-swap`,
    source: rules,
    text: 'Shared addresses do not change places between nodes.',
    when: swapsShared,
    probe: (plan: Plan) => {
      // Shared and taken back by the path that goes with this one, so that either is held to what the other is.
      const share = id.replace('assign', 'share')
      const { a, b, third } = pair(plan)
      const swap = assigning(a.node.region, [a.address, b.node], [b.address, a.node])
      plan.call(share, { body: { ips: [a.address, b.address], node_id: third.id } })
      plan.restore(share, { body: { ips: [], node_id: third.id } })
      plan.probe(id, swap)
      plan.call(share, { body: { ips: [], node_id: third.id } })
      plan.twin(id, swap)
      plan.restore(id, assigning(a.node.region, [a.address, a.node], [b.address, b.node]))
    },
  },
]

/** An IPv6 range on a node, and another node in its region. */
const rangeOn = (plan: Plan) => {
  const from = plan.node((n) => n.slaac !== undefined && n.liveMigration !== true && (n.ipv4?.public?.length ?? 0) > 0, 'a node whose SLAAC and public addresses are known')
  const to = taker(plan, from, (n) => n.slaac !== undefined, ', with a known SLAAC address')
  const range = plan.make(ranges, { prefix_length: 64, node_id: from.id, route_target: undefined })
  return { from, to, range }
}

/** Two nodes of a region with an address each to exchange, and a third one. */
const pair = (plan: Plan) => {
  const a = giver(plan)
  const beside = (n: NodeFixture) => n.region === a.node.region && n.id !== a.node.id
  const b = giver(plan, beside, ', beside another')
  const third = taker(plan, a.node, (n) => n.id !== b.node.id, ', a third one')
  return { a, b, third }
}

const silencesOf = (id: string) => [
  {
    id: `${id}.idle`,
    source: rules,
    text: 'Whether an assignment may be empty, name an address twice, or name the node that has it already, is not said.',
    when: isIdle,
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      plan.check(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.shared-move`,
    source: rules,
    text: 'Whether a shared address may be assigned to another node, other than in exchange for a shared one, is not said.',
    when: (facts: Assigning) => and(movesShared(facts), swapsShared(facts) !== true),
    probe: (plan: Plan) => {
      const share = id.replace('assign', 'share')
      const { a, b, third } = pair(plan)
      plan.call(share, { body: { ips: [a.address], node_id: third.id } })
      plan.restore(id, assigning(a.node.region, [a.address, a.node]))
      plan.restore(share, { body: { ips: [], node_id: third.id } })
      plan.check(id, assigning(a.node.region, [a.address, b.node]))
    },
  },
  {
    id: `${id}.extra-addresses`,
    source: 'Endpoints / Networking, POST /networking/ips',
    text: 'Whether a node must be configured for extra addresses to receive one by assignment is not said.',
    when: gainsUnasked,
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const closed = plan.node(
        (n) => n.extraAddresses === false && n.region === node.region && n.liveMigration !== true,
        'a node that may not be given further addresses',
      )
      plan.restore(id, assigning(node.region, [address, node]))
      plan.check(id, assigning(node.region, [address, closed]))
    },
  },
  {
    id: `${id}.busy-node`,
    source: rules,
    text: 'Whether addresses of a node under live migration can be assigned is not said.',
    when: isBusy,
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const busy = plan.node(
        (n) => n.liveMigration === true && n.region === node.region,
        'a node under live migration',
      )
      plan.restore(id, assigning(node.region, [address, node]))
      plan.check(id, assigning(node.region, [address, busy]))
    },
  },
  {
    id: `${id}.range-spelling`,
    source: `${item}, address`,
    text: 'Whether a range may be named by another spelling, another prefix length or an address within it is not said.',
    when: isOddlyNamed,
  },
  {
    id: `${id}.restricted`,
    source: 'Authentication, "Permission rules beyond scopes"',
    text: 'Which grants a restricted user needs to assign addresses is not said.',
    when: ({ caller }: { readonly caller: Parameters<typeof isRestricted>[0] }) => isRestricted(caller),
    probe: (plan: Plan) => {
      const as = plan.token({ restricted: true, has: ['ips:read_write', 'nodes:read_write'] })
      plan.check(id, { ...away(id)(plan), as })
    },
  },
]

const effectsOf = (id: string) => [
  {
    id: `${id}.moves`,
    source: `${item}, node_id`,
    text: 'An assigned address is on the node that receives it.',
    table: ips,
    field: 'node_id',
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const path = { address }
      plan.call('ips.view', { path })
      plan.call(id, assigning(node.region, [address, taker(plan, node)]))
      plan.check('ips.view', { path })
      plan.restore(id, assigning(node.region, [address, node]))
    },
  },
  {
    id: `${id}.route-target`,
    source: rules,
    text: 'Assigning an IPv6 range makes the SLAAC address of the node its route target.',
    table: ranges,
    field: 'route_target',
    probe: (plan: Plan) => {
      const { from, to, range } = rangeOn(plan)
      const path = { range: range.id }
      plan.call('ipv6-ranges.view', { path })
      plan.call(id, assigning(from.region, [range.field('network'), to]))
      plan.check('ipv6-ranges.view', { path })
    },
  },
  {
    id: `${id}.resets-ssh`,
    source: `${rules}, ssh.ip`,
    text: 'Taking away the address that is the ssh.ip of a managed node sets its SSH access settings back to the defaults.',
    table: nodeSettings,
    field: 'ssh',
    probe: (plan: Plan) => {
      const { node, address } = giver(plan)
      const path = { nodeId: node.id }
      const settings = (ssh: object) => ({ path, body: { ssh } })
      plan.call(
        'managed-node-settings.update',
        settings({ access: false, ip: address, port: 2222, user: plan.name() }),
      )
      plan.restore(
        'managed-node-settings.update',
        settings({ access: true, ip: 'any', port: null, user: null }),
      )
      plan.restore(id, assigning(node.region, [address, node]))
      plan.call('managed-node-settings.view', { path })
      plan.call(id, assigning(node.region, [address, taker(plan, node)]))
      plan.check('managed-node-settings.view', { path })
    },
  },
]

const statementsOf = (id: string) => [
  {
    id: `${id}.exchange`,
    source: `${rules}, "after assignment"`,
    text: 'What a call assigns is assigned at once: two nodes may exchange the only public address that each has.',
    holds: (facts: Assigning) => swappedIn(facts).length > 0 || undefined,
    probe: (plan: Plan) => {
      const one = giver(plan)
      const a = poor(plan, one.node)
      const b = poor(plan, a.node)
      plan.check(id, assigning(a.node.region, [a.address, b.node], [b.address, a.node]))
      plan.restore(id, assigning(a.node.region, [a.address, a.node], [b.address, b.node]))
    },
  },
  {
    id: `${id}.after-sharing`,
    source: 'Endpoints / Networking, "IP rules", Share, "an empty array removes all shared addresses"',
    text: 'Addresses that were shared, and are no longer, can change places.',
    holds: (facts: Assigning) => swappedIn(facts).some((key) => wasReleased(facts.world, key)) || undefined,
    probe: (plan: Plan) => {
      const share = id.replace('assign', 'share')
      const { a, b, third } = pair(plan)
      const { region } = a.node
      plan.call(share, { body: { ips: [a.address, b.address], node_id: third.id } })
      plan.call(share, { body: { ips: [], node_id: third.id } })
      plan.check(id, assigning(region, [a.address, b.node], [b.address, a.node]))
      plan.restore(id, assigning(region, [a.address, a.node], [b.address, b.node]))
    },
  },
]

const moveIp = (world: World, { key, from, to }: Move): World => {
  // Whether a reverse name stays with an address that moves is not said.
  const moved = patch(forget(world, ips, key, ['rdns', 'isDefault', 'defaultRdns']), ips, key, { node_id: to })
  const settings = from === undefined ? undefined : find(world, nodeSettings, from)
  if (!settings || settings.ssh?.ip === undefined || addressKey(settings.ssh.ip) !== key) return moved
  return settings.certain === undefined || settings.certain.includes('ip')
    ? resetSsh(moved, settings.key)
    : forget(moved, nodeSettings, settings.key, ['ssh', 'certain'])
}

const moveRange = (world: World, { key, to }: Move): World => {
  const slaac = find(world, nodes, to)?.slaac
  return patch(slaac === undefined ? forget(world, ranges, key, ['route_target']) : world, ranges, key, {
    node_id: to,
    ...(slaac !== undefined && { route_target: slaac }),
  })
}

const assign = (facts: Assigning): World =>
  movesOf(facts)
    .filter(({ from, to }) => from !== to)
    .reduce(
      (world, move) => unsettleShares(move.range ? moveRange(world, move) : moveIp(world, move), move.key),
      facts.world,
    )

const namesOf = ({ body: { assignments } }: Assigning) =>
  assignments.flatMap(({ address, node_id: node }) => [
    ...(formOf(address ?? '') === 'ipv4' ? [{ table: ips, key: addressKey(address) ?? '' }] : []),
    ...(node === undefined ? [] : [{ table: nodes, key: node }]),
  ])

const assignment = (id: string) =>
  ({
    id,
    area: 'networking',
    method: 'POST',
    source: 'Endpoints / Networking; IP assignment object',
    scopes: ['ips:read_write', 'nodes:read_write'],
    params: {},
    body,
    reply: anything,
    draft: away(id),
    refusals: refusalsOf(id),
    silences: silencesOf(id),
    statements: statementsOf(id),
    apply: assign,
    names: namesOf,
  }) as const

export const assignIps = operation({
  ...assignment('ips.assign'),
  path: '/networking/ips/assign',
  summary: 'Assigns addresses and ranges of a region to nodes.',
  effects: effectsOf('ips.assign'),
})

export const assignIpv4 = operation({
  ...assignment('ipv4.assign'),
  path: '/networking/ipv4/assign',
  summary: 'Assigns addresses and ranges of a region to nodes, as POST /networking/ips/assign does.',
  effects: effectsOf('ipv4.assign'),
})

export const ipAssignmentOperations = [assignIps, assignIpv4]
