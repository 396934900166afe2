// Creating an IPv6 range on a node or a routed one: "Endpoints / Networking", IPv6 range create body.

import { put } from '../language/changes.js'
import { known } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import { nodes } from '../language/facts.js'
import { canonicalAddress } from '../language/formats.js'
import { aForeignFixture, aNode, someSlaac } from '../language/needs.js'
import { isObject } from '../language/objects.js'
import { operation, record } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { integer, object, oneOf, optional, text, without } from '../language/schema.js'
import { foreignNode } from '../language/strangers.js'
import { isLatent } from '../language/world.js'
import { endpoints, rangeMember, restrictedUse } from './common.js'
import { isRangeText, namedAs, prefixOf, rangeKey, ranges, withoutPrefix } from './record.js'
import { freshNode, isClear, isIPv6, isNodeTaken, isRegionTaken, isRoomy, nodeOf, roomy } from './targets.js'

const createBody = `${endpoints}, "IPv6 range create body"`

/** Two nodes of one region, each with room for a range. */
const twoOfRegion = (plan: Plan): readonly [NodeFixture, NodeFixture] => {
  const first = freshNode(plan)
  const second = plan.node(
    (node) => isRoomy(node) && node.region === first.region && node.id !== first.id,
    aNode('a second node of the region with a known SLAAC address', roomy, 2),
  )
  return [first, second]
}

export const createRange = operation({
  id: 'ipv6-ranges.create',
  area: 'networking',
  method: 'POST',
  path: '/networking/ipv6/ranges',
  reach: { in: 'addresses', alone: false, lent: 'ranges' },
  source: createBody,
  summary: 'Creates an IPv6 range for a node or for a SLAAC address.',
  scopes: ['ips:read_write', 'nodes:read_write'],
  params: {},
  body: object({
    prefix_length: without(oneOf(56, 64), 48, 57, 60, 63, 128),
    node_id: optional(integer({ ref: 'nodes' })),
    route_target: optional(text()),
  }),
  reply: record(ranges),
  shows: 'made',
  makes: ranges,
  names: ({ body }) => (body.node_id === undefined ? [] : [{ table: nodes, key: body.node_id }]),
  draft: (plan) => ({ body: { prefix_length: 64, node_id: freshNode(plan).id } }),
  sole: ['node_id'],
  full: (plan) => ({ body: { prefix_length: 56, route_target: freshNode(plan).slaac } }),
  contest: (plan) => {
    const [first, second] = twoOfRegion(plan)
    return {
      rivals: [{ body: { prefix_length: 64, node_id: first.id } }, { body: { prefix_length: 64, node_id: second.id } }],
    }
  },
  refusals: [
    {
      id: 'ipv6-ranges.create.not-both',
      source: `${createBody}; Errors, "IPv6 range create with both"`,
      text: 'Giving both node_id and route_target is an error.',
      when: ({ body }) => body.node_id !== undefined && body.route_target !== undefined,
      probe: (plan) => {
        const { id, slaac } = freshNode(plan)
        plan.probe('ipv6-ranges.create', { body: { prefix_length: 64, node_id: id, route_target: slaac } })
        plan.twin('ipv6-ranges.create', { body: { prefix_length: 64, node_id: id } })
      },
    },
    {
      id: 'ipv6-ranges.create.one-of-both',
      source: `${createBody}; Errors, "IPv6 range create with both"`,
      text: 'One of node_id and route_target is required.',
      when: ({ body }) => body.node_id === undefined && body.route_target === undefined,
      probe: (plan) => {
        const { slaac } = freshNode(plan)
        plan.probe('ipv6-ranges.create', { body: { prefix_length: 64 } })
        plan.twin('ipv6-ranges.create', { body: { prefix_length: 64, route_target: slaac } })
      },
    },
    {
      id: 'ipv6-ranges.create.route-target-address',
      source: `${createBody}, route_target`,
      text: 'A route_target is an IPv6 address.',
      fields: ['route_target'],
      when: ({ body }) =>
        body.route_target !== undefined && body.node_id === undefined && !isIPv6(withoutPrefix(body.route_target)),
      probe: (plan) => {
        const { slaac, ipv4 } = freshNode(plan)
        plan.probe('ipv6-ranges.create', { body: { prefix_length: 64, route_target: 'nowhere' } })
        plan.probe('ipv6-ranges.create', {
          body: { prefix_length: 64, route_target: ipv4?.public?.[0] ?? '192.0.2.1' },
        })
        plan.twin('ipv6-ranges.create', { body: { prefix_length: 64, route_target: slaac } })
      },
    },
    {
      id: 'ipv6-ranges.create.route-target-suffix',
      source: `${createBody}, route_target`,
      text: 'A route_target is written without the /128 suffix.',
      fields: ['route_target'],
      when: ({ body }) =>
        body.node_id === undefined &&
        body.route_target?.includes('/') === true &&
        isIPv6(withoutPrefix(body.route_target)),
      probe: (plan) => {
        const { slaac } = freshNode(plan)
        plan.probe('ipv6-ranges.create', { body: { prefix_length: 64, route_target: `${slaac}/128` } })
        plan.twin('ipv6-ranges.create', { body: { prefix_length: 64, route_target: slaac } })
      },
    },
    {
      id: 'ipv6-ranges.create.one-per-region',
      source: 'Limits, "IPv6"',
      text: 'An account has one IPv6 range in a region.',
      when: ({ world, account, body }) =>
        isClear(body) ? isRegionTaken(world, account, nodeOf(world, body)?.region) : false,
      probe: (plan) => {
        const [first, second] = twoOfRegion(plan)
        const made = plan.call('ipv6-ranges.create', { body: { prefix_length: 64, node_id: first.id } })
        const byId = { body: { prefix_length: 64, node_id: second.id } }
        const byAddress = { body: { prefix_length: 56, route_target: second.slaac } }
        plan.probe('ipv6-ranges.create', byId)
        plan.probe('ipv6-ranges.create', byAddress)
        plan.call('ipv6-ranges.delete', { path: { range: made.field('address') } })
        const again = plan.twin('ipv6-ranges.create', byId)
        plan.call('ipv6-ranges.delete', { path: { range: again.field('address') } })
        plan.twin('ipv6-ranges.create', byAddress)
      },
    },
    {
      id: 'ipv6-ranges.create.one-per-node',
      source: 'Limits, "IPv6"',
      text: "One range targets a node's SLAAC address.",
      when: ({ world, account, body }) => {
        const node = isClear(body) ? nodeOf(world, body) : undefined
        // Where it is undecided, the limit of the region is undecided too, and says so.
        return node !== undefined && isNodeTaken(world, account, node) === true
      },
      unprobed:
        'A second range for a node would be a second one in its region too, so the limit of one range in a region always forbids it as well.',
    },
    {
      id: 'ipv6-ranges.create.own-target',
      level: 'should',
      source: createBody,
      text: "The address is that of one of the caller's nodes.",
      fields: ['route_target'],
      when: ({ world, account, body }) =>
        isClear(body) && body.route_target !== undefined
          ? known(nodeOf(world, body)?.account ?? account, account, (a, b) => a !== b)
          : false,
      probe: (plan) => {
        const own = freshNode(plan)
        const other = foreignNode(
          plan,
          ({ slaac }) => slaac !== undefined,
          aForeignFixture('nodes', 'a node of another account with a known SLAAC address', { slaac: someSlaac }),
        )
        plan.probe('ipv6-ranges.create', { body: { prefix_length: 64, route_target: other.slaac } })
        plan.twin('ipv6-ranges.create', { body: { prefix_length: 64, route_target: own.slaac } })
      },
    },
  ],
  silences: [
    {
      id: 'ipv6-ranges.create.target-unknown',
      source: `${createBody}, route_target`,
      text: 'What happens with an address that is not known to be the SLAAC address of a node is not said.',
      unprobed: 'an address of which the target file says nothing may belong to anybody',
      when: ({ world, body }) =>
        isClear(body) && body.route_target !== undefined && nodeOf(world, body) === undefined ? undefined : false,
    },
    {
      id: 'ipv6-ranges.create.target-spelling',
      source: `${createBody}, route_target`,
      text: 'Whether the address may be spelled otherwise than customary is not said.',
      when: ({ world, body }) =>
        isClear(body) &&
        body.route_target !== undefined &&
        body.route_target !== canonicalAddress(body.route_target) &&
        body.route_target !== nodeOf(world, body)?.slaac,
      probe: (plan) =>
        void plan.check('ipv6-ranges.create', {
          body: { prefix_length: 64, route_target: freshNode(plan).slaac?.toUpperCase() },
        }),
    },
    {
      id: 'ipv6-ranges.create.node-state',
      source: createBody,
      text: 'What happens for a node under live migration, or one that may have no SLAAC address, is not said.',
      when: ({ world, body }) => {
        const node = isClear(body) ? nodeOf(world, body) : undefined
        if (node === undefined) return false
        return node.liveMigration === true ? true : node.slaac === undefined ? undefined : false
      },
      probe: (plan) => {
        const node = plan.node(
          ({ liveMigration, slaac }) => liveMigration === true && slaac !== undefined,
          aNode('a node under live migration with a known SLAAC address', { liveMigration: true, slaac: someSlaac }),
        )
        plan.check('ipv6-ranges.create', { body: { prefix_length: 64, node_id: node.id } })
      },
    },
    restrictedUse('ipv6-ranges.create'),
  ],
  statements: [
    {
      id: 'ipv6-ranges.create.tells-range',
      level: 'should',
      source: rangeMember,
      text: 'What the reply tells as the range is one.',
      holds: ({ reply }) => (isObject(reply) && typeof reply.range === 'string' ? isRangeText(reply.range) : undefined),
      probe: (plan) => void plan.check('ipv6-ranges.create', plan.draft('ipv6-ranges.create')),
    },
    {
      id: 'ipv6-ranges.create.prefix-length',
      source: `${createBody}, prefix_length`,
      text: 'The prefix length that the reply shows, in the range or beside it, is the one that was asked for.',
      holds: ({ body, reply }) => {
        if (!isObject(reply)) return undefined
        const shown = (isRangeText(reply.range) ? prefixOf(reply.range) : undefined) ?? reply.prefix_length
        return shown === undefined ? undefined : shown === body.prefix_length
      },
      probe: (plan) => {
        const draft = plan.draft('ipv6-ranges.create').body
        const made = plan.check('ipv6-ranges.create', { body: { ...draft, prefix_length: 56 } })
        plan.call('ipv6-ranges.delete', { path: { range: made.field('address') } })
        plan.check('ipv6-ranges.create', { body: { ...draft, prefix_length: 64 } })
      },
    },
    {
      id: 'ipv6-ranges.create.target-of-node',
      level: 'should',
      source: `${endpoints}, IP rules, "Assigning an IPv6 range updates its route target"`,
      text: 'The route_target in the reply is the SLAAC address of the node that the range is for.',
      holds: ({ world, body, reply }) => {
        const slaac = nodeOf(world, body)?.slaac
        const shown = isObject(reply) ? reply.route_target : undefined
        return slaac === undefined || !isRangeText(shown) ? undefined : rangeKey(shown) === rangeKey(slaac)
      },
      probe: (plan) =>
        void plan.check('ipv6-ranges.create', { body: { prefix_length: 64, route_target: freshNode(plan).slaac } }),
    },
  ],
  choices: [
    {
      id: 'ipv6-ranges.create.shows-prefix',
      text: 'Whether the range in the reply is written with its prefix length.',
      source: rangeMember,
      values: [true, false],
      observe: ({ reply }) =>
        isObject(reply) && isRangeText(reply.range) ? prefixOf(reply.range) !== undefined : undefined,
    },
  ],
  apply: ({ world, body, made, account, caller, chosen }) => {
    const region = nodeOf(world, body)?.region
    const own = isRangeText(chosen.range) ? chosen.range : made
    return put(world, ranges, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      prefix_length: body.prefix_length,
      ...(body.node_id !== undefined && { node_id: body.node_id }),
      ...(body.route_target !== undefined && { route_target: body.route_target }),
      ...(region !== undefined && { region }),
      ...(!isLatent(made) && namedAs(own, body.prefix_length)),
      shared: false,
    })
  },
})
