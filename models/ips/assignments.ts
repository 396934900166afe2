// Assigning addresses to nodes, by either of two equivalent paths: what it does, and how that shows; its rules stand apart.

import { ranges } from '../ipv6-ranges/record.js'
import { forget, loosen, patch } from '../language/changes.js'
import { and, not } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import { nodes } from '../language/facts.js'
import { grouped } from '../language/grouped.js'
import { isObject } from '../language/objects.js'
import { anything, operation } from '../language/operation.js'
import type { Moved, Places } from '../language/places.js'
import type { Plan } from '../language/plan.js'
import { array, integer, object, optional, text } from '../language/schema.js'
import { find, live, type World } from '../language/world.js'
import { nodeSettings, resetSsh } from '../managed-node-settings/record.js'
import { refusalsOf, silencesOf } from './assignment-rules.js'
import {
  assigning,
  away,
  giver,
  giverOfEither,
  type Holding,
  insider,
  insiderBeside,
  lengthFor,
  otherOf,
  pair,
  poor,
  rangeOn,
  roomFor,
  spender,
  taker,
} from './fixtures.js'
import {
  type Assigning,
  emptiesMeanwhile,
  exchangesAll,
  formOf,
  leavesNoPublic,
  type Move,
  movesOf,
  swappedIn,
} from './moves.js'
import { addressKey, ips, isIpv4, settle, unsettleShares, wasReleased } from './record.js'

const rules = 'Endpoints / Networking, "IP rules", Assignment'
const item = 'IP assignment object'

const body = object({
  assignments: array(object({ address: optional(text()), node_id: optional(integer({ ref: 'nodes' })) })),
  region: text(),
})

/** All that are of one region go back in one call: nodes that have changed addresses cannot give them back one by one. */
const places: Places = {
  view: 'ips.view',
  of: ({ body }) =>
    isObject(body) && Array.isArray(body.assignments)
      ? body.assignments.flatMap((one) =>
          isObject(one) && isIpv4(one.address)
            ? [{ path: { address: addressKey(one.address) ?? '' }, to: { node_id: one.node_id } }]
            : [],
        )
      : [],
  members: ['node_id'],
  unsettles: ({ path: { address = '' }, was: { node_id } }) => ({
    operation: 'managed-node-settings.update',
    path: { nodeId: String(node_id) },
    name: address,
  }),
  back: (things, { fixtures }) => {
    const regionOf = ({ was }: Moved) => fixtures.nodes?.find(({ id }) => id === was.node_id)?.region
    return [...grouped(things, regionOf)].flatMap(([region, some]) => {
      const assignments = some.map(({ path, was }) => ({ address: path.address, node_id: was.node_id }))
      return region === undefined ? [] : [['ips.assign', { body: { assignments, region } }] as const]
    })
  },
}

const moves = {
  id: 'ips.assign.moves',
  source: `${item}, node_id`,
  text: 'An assigned address is on the node that receives it.',
  table: ips,
  field: 'node_id',
  probe: (plan: Plan) => {
    const { node, address } = giver(plan)
    const path = { address }
    plan.call('ips.view', { path })
    plan.call('ips.assign', assigning(node.region, [address, taker(plan, node)]))
    plan.check('ips.view', { path })
    plan.check('ips.list')
    plan.restore('ips.assign', assigning(node.region, [address, node]))
  },
}

const equivalent = {
  id: 'ipv4.assign.equivalent',
  source: 'Endpoints / Networking, POST /networking/ipv4/assign',
  text: 'It does what POST /networking/ips/assign does: what the one assigns the other assigns back.',
  table: ips,
  field: 'node_id',
  probe: (plan: Plan) => {
    const { node, address } = giver(plan)
    const path = { address }
    plan.call('ips.assign', assigning(node.region, [address, taker(plan, node)]))
    plan.call('ips.view', { path })
    plan.call('ipv4.assign', assigning(node.region, [address, node]))
    plan.check('ips.view', { path })
    plan.restore('ips.assign', assigning(node.region, [address, node]))
  },
}

const effectsOf = (id: string) => [
  {
    id: `${id}.moves-range`,
    source: `${item}, node_id`,
    text: 'An assigned IPv6 range is on the node that receives it.',
    table: ranges,
    field: 'node_id',
    probe: (plan: Plan) => {
      const { from, to, range } = rangeOn(plan, 'node_id', lengthFor(id))
      const path = { range: range.field('address') }
      plan.call('ipv6-ranges.view', { path })
      plan.call(id, assigning(from.region, [range.field('network'), to]))
      plan.check('ipv6-ranges.view', { path })
      plan.check('ipv6-ranges.list')
      // It is still the one that the account has in the region, by whichever of two equivalent paths it moved.
      if (id === 'ips.assign') plan.check('ipv6-ranges.create', { body: { prefix_length: 64, node_id: from.id } })
    },
  },
  {
    id: `${id}.route-target`,
    source: rules,
    text: 'Assigning an IPv6 range makes the SLAAC address of the node its route target.',
    table: ranges,
    field: 'route_target',
    probe: (plan: Plan) => {
      const { from, to, range } = rangeOn(plan, 'route_target', lengthFor(id))
      const path = { range: range.field('address') }
      plan.call('ipv6-ranges.view', { path })
      plan.call(id, assigning(from.region, [range.field('network'), to]))
      plan.check('ipv6-ranges.view', { path })
      // A node that gave its range away may have it back.
      plan.check(id, assigning(from.region, [range.field('network'), from]))
    },
  },
  {
    id: `${id}.resets-ssh`,
    source: `${rules}, ssh.ip`,
    text: 'Taking away the address that is the ssh.ip of a managed node sets its SSH access settings back to the defaults.',
    table: nodeSettings,
    field: 'ssh',
    probe: (plan: Plan) => {
      const { node, address } = spender(plan)
      const to = taker(plan, node)
      const path = reachBy(plan, node, address)
      plan.restore(id, assigning(node.region, [address, node]))
      plan.call('managed-node-settings.view', { path })
      const other = otherOf(plan, node, address)
      if (other !== undefined) {
        // Another address of the node may leave it and come back.
        plan.restore(id, assigning(node.region, [other, node]))
        plan.call(id, assigning(node.region, [other, to]))
        plan.call(id, assigning(node.region, [other, node]))
        plan.check('managed-node-settings.view', { path })
      }
      plan.call(id, assigning(node.region, [address, to]))
      plan.check('managed-node-settings.view', { path })
      const beside = plan.attempt(() => giver(plan, (n) => n.region === node.region && n.id !== node.id))
      if (beside === undefined) return
      // It may leave after another has come, in the same call.
      plan.call(id, assigning(node.region, [address, node]))
      reachBy(plan, node, address)
      plan.call('managed-node-settings.view', { path })
      // A third assignment of a call is carried out as well.
      const third = plan.attempt(() => {
        const inner = insider(plan, (n) => n.region === node.region)
        const room = roomFor(plan, inner.node)
        return { there: [inner.address, room] as const, back: [inner.address, inner.node] as const }
      })
      plan.restore(id, assigning(node.region, [beside.address, beside.node], ...(third ? [third.back] : [])))
      plan.call(
        id,
        assigning(node.region, [beside.address, node], [address, beside.node], ...(third ? [third.there] : [])),
      )
      plan.check('managed-node-settings.view', { path })
    },
  },
]

/** Has an address be the ssh.ip of its node, and tells the path of the settings. */
const reachBy = (plan: Plan, node: NodeFixture, address: string) => {
  const path = { nodeId: node.id }
  const settings = (ssh: object) => ({ path, body: { ssh } })
  plan.call('managed-node-settings.update', settings({ access: false, ip: address, port: 2222, user: plan.name() }))
  plan.restore('managed-node-settings.update', settings({ access: true, ip: 'any', port: null, user: null }))
  return path
}

/** Has two nodes change addresses, and looks at both. */
const exchange = (plan: Plan, id: string, a: Holding, b: Holding): void => {
  const { region } = a.node
  plan.restore(id, assigning(region, [a.address, a.node], [b.address, b.node]))
  plan.check(id, assigning(region, [a.address, b.node], [b.address, a.node]))
  for (const { address } of [a, b]) plan.check('ips.view', { path: { address } })
}

const statementsOf = (id: string) => [
  {
    id: `${id}.resets-private-ssh`,
    source: `${rules}, ssh.ip`,
    text: 'Taking away a private address that is the ssh.ip of a managed node sets its SSH access settings back as well.',
    holds: (facts: Assigning) =>
      movesOf(facts).some(
        ({ ip, key, from, to }) =>
          ip?.public === false && from !== to && addressKey(find(facts.world, nodeSettings, from)?.ssh?.ip) === key,
      ) || undefined,
    probe: (plan: Plan) => {
      const { node, address } = insider(plan)
      const to = roomFor(plan, node)
      const path = reachBy(plan, node, address)
      plan.restore(id, assigning(node.region, [address, node]))
      plan.call('managed-node-settings.view', { path })
      plan.check(id, assigning(node.region, [address, to]))
      plan.check('managed-node-settings.view', { path })
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
  if (!settings?.ssh) return moved
  const { ip } = settings.ssh
  if (ip === undefined) return forget(moved, nodeSettings, settings.key, ['ssh'])
  return addressKey(ip) === key ? resetSsh(moved, settings.key) : moved
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
      (world, move) =>
        unsettleShares(settle(move.range ? moveRange(world, move) : moveIp(world, move), [move.key]), move.key),
      unsettleSsh(facts),
    )

/** Where it is not known which node had an address, the settings whose ssh.ip it may be may be back at their defaults. */
const unsettleSsh = (facts: Assigning): World => {
  const known = new Set(movesOf(facts).flatMap(({ key, from }) => (from === undefined ? [] : [key])))
  const open = facts.body.assignments
    .flatMap(({ address }) => addressKey(address) ?? [])
    .filter((key) => !known.has(key))
  const mayBeOpen = (ip: unknown): boolean =>
    open.length > 0 && (ip === undefined || open.includes(addressKey(ip) ?? ''))
  return live(facts.world, nodeSettings)
    .filter(({ ssh }) => ssh && mayBeOpen(ssh.ip))
    .reduce((world, { key }) => forget(world, nodeSettings, key, ['ssh']), facts.world)
}

/** Whether the assignments of a call are carried out together is not said: one that is refused may have carried out some. */
const assignPartly = (facts: Assigning): World =>
  facts.body.assignments.length < 2
    ? facts.world
    : movesOf(facts).reduce(
        (world, { key, range }) =>
          range ? loosen(world, ranges, key, ['node_id', 'route_target']) : loosen(world, ips, key, ['node_id']),
        facts.world,
      )

const namesOf = ({ body: { assignments } }: Assigning) =>
  assignments.flatMap(({ address, node_id: node }) => [
    ...(formOf(address ?? '') === 'ipv4' ? [{ table: ips, key: addressKey(address) ?? '' }] : []),
    ...(node === undefined ? [] : [{ table: nodes, key: node }]),
  ])

/** Where the things that the call names are seen afterwards. */
const looksOf = (facts: Assigning) =>
  movesOf(facts).map(({ key, ip, range }) =>
    ip
      ? { operation: 'ips.view', path: { address: key } }
      : { operation: 'ipv6-ranges.view', path: { range: range?.address ?? key } },
  )

const assignment = (id: string) =>
  ({
    id,
    area: 'networking',
    method: 'POST',
    source: 'Endpoints / Networking; IP assignment object',
    scopes: ['ips:read_write', 'nodes:read_write'],
    params: {},
    places,
    body,
    reply: anything,
    draft: away(id),
    refusals: refusalsOf(id),
    silences: [
      ...silencesOf(id),
      {
        id: `${id}.exchange`,
        source: `${rules}, "after assignment"`,
        text: 'Whether the assignments of a call are carried out together or one by one is not said, and so neither whether two nodes may exchange their only public addresses.',
        when: (facts: Assigning) => and(not(leavesNoPublic(facts)), emptiesMeanwhile(facts)),
        probe: (plan: Plan) => {
          const a = poor(plan)
          exchange(plan, id, a, poor(plan, a.node))
        },
      },
      {
        id: `${id}.exchange-private`,
        source: rules,
        text: 'Whether two nodes may exchange the private address that each has, so that neither ever has two, is not said.',
        when: (facts: Assigning) => exchangesAll(facts, false),
        probe: (plan: Plan) => {
          const a = insider(plan)
          exchange(plan, id, a, insiderBeside(plan, a.node))
        },
      },
    ],
    statements: statementsOf(id),
    apply: assign,
    partly: assignPartly,
    names: namesOf,
    looks: looksOf,
  }) as const

export const assignIps = operation({
  ...assignment('ips.assign'),
  path: '/networking/ips/assign',
  reach: { in: 'addresses', alone: false, lent: 'addresses' },
  summary: 'Assigns addresses and ranges of a region to nodes.',
  contest: (plan) => {
    const { node, one, other } = giverOfEither(plan)
    const to = taker(plan, node)
    for (const address of [one, other]) plan.restore('ips.assign', assigning(node.region, [address, node]))
    return { rivals: [assigning(node.region, [one, to]), assigning(node.region, [other, to])] }
  },
  effects: [moves, ...effectsOf('ips.assign')],
})

export const assignIpv4 = operation({
  ...assignment('ipv4.assign'),
  path: '/networking/ipv4/assign',
  reach: { in: 'addresses', alone: false, lent: 'addresses' },
  summary: 'Assigns addresses and ranges of a region to nodes, as POST /networking/ips/assign does.',
  effects: [equivalent, ...effectsOf('ipv4.assign')],
})

export const ipAssignmentOperations = [assignIps, assignIpv4]
