// The four IPv6 range operations: sections "Endpoints / Networking" (ranges), "IPv6 range create body" and "Limits" of the document.

import { lacksWrite, type Principal } from '../language/access.js'
import { drop, patch, put, rekey } from '../language/changes.js'
import { known } from '../language/clause.js'
import type { NodeFixture } from '../language/environment.js'
import { nodes } from '../language/facts.js'
import { canonicalAddress } from '../language/formats.js'
import { isObject } from '../language/objects.js'
import { anything, operation, page, record, ref } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import type { Plan, Ref } from '../language/plan.js'
import { integer, object, oneOf, optional, text, without } from '../language/schema.js'
import { foreignNode } from '../language/strangers.js'
import { type Entity, find, isClosed, isLatent, live, type WireRecord, type World } from '../language/world.js'
import { isRangeText, namedAs, prefixOf, type Range, rangeKey, ranges, withoutPrefix } from './record.js'
import { freshNode, isClear, isIPv6, isNodeTaken, isRegionTaken, isRoomy, nodeOf } from './targets.js'

const endpoints = 'Endpoints / Networking'
const createBody = `${endpoints}, "IPv6 range create body"`
const range = { range: ref(ranges, { key: (path) => rangeKey(path.range ?? ''), field: 'address', type: 'string' }) }

/** A target may be stricter towards restricted users: which grants networking needs is not said. */
const restrictedUse = (id: string) => ({
  id: `${id}.restricted`,
  source: 'Authentication, "Permission rules beyond scopes"',
  text: 'What a restricted user may do with IPv6 ranges is not said.',
  when: ({ caller }: { readonly caller: Principal }) => lacksWrite(caller, 'nodes', undefined),
  unprobed: 'whether a restricted user lacks what it takes cannot be told, so neither answer shows it',
})

/** Whether a record carries the member that the document names for it; whether that comes within another object is not said. */
const carriesRange = (reply: unknown): boolean =>
  isObject(reply) && (typeof reply.range === 'string' || Object.values(reply).some(carriesRange))

const rangeMember =
  'Resources whose response fields are not fully given, "an IPv6 range record carries a field named range"'

/** A name without a prefix length, spelled otherwise than the target spells it; than is customary, where it has not yet shown it. */
const oddlySpelled = (id: string) => ({
  id: `${id}.spelling`,
  source: `${endpoints}, {range}`,
  text: 'Whether a range is found by another spelling of its address than its own is not said.',
  unprobed: 'it takes another spelling of a range that only the run itself makes known',
  when: ({
    path,
    refs,
  }: {
    readonly path: { readonly range: string }
    readonly refs: { readonly range: Entity<Range> }
  }) => (path.range.includes('/') ? false : path.range !== (refs.range.address ?? refs.range.key)),
})

/** The parameter is an address alone. The document does not list it among the errors, hence `should`. */
const bareAddress = (id: string) => ({
  id: `${id}.without-prefix`,
  level: 'should' as const,
  source: `${endpoints}, GET /networking/ipv6/ranges/{range}`,
  text: 'A range is named by its address, without the prefix length.',
  when: ({ path }: { readonly path: { readonly range: string } }) => path.range.includes('/'),
  probe: (plan: Plan) => {
    const made = plan.make(ranges)
    plan.probe(id, { path: { range: made.field('network') } })
    plan.twin(id, { path: { range: made.field('address') } })
  },
})

/** What a record and a range whose address is still to come both tell, and whether they agree. */
const compared = (range: Entity<Range>, shown: WireRecord): readonly boolean[] =>
  (['prefix_length', 'node_id', 'region'] as const).flatMap((field) =>
    range[field] !== undefined && typeof range[field] === typeof shown[field] ? [range[field] === shown[field]] : [],
  )

/** Notes how the target spells a range: one that is known, or the only one that the record can be of. */
const noted = (world: World, account: string | undefined, shown: WireRecord): World => {
  if (!isRangeText(shown.range)) return world
  const key = rangeKey(shown.range)
  const known = find(world, ranges, key)
  if (known)
    return known.address === undefined ? patch(world, ranges, key, namedAs(shown.range, known.prefix_length)) : world
  const [latent, ...others] = live(world, ranges, account).filter((one) => {
    const told = compared(one, shown)
    return isLatent(one.key) && !told.includes(false) && (isClosed(world, ranges, account) || told.includes(true))
  })
  return latent && others.length === 0
    ? rekey(world, ranges, latent.key, key, namedAs(shown.range, latent.prefix_length))
    : world
}

export const listRanges = operation({
  id: 'ipv6-ranges.list',
  area: 'networking',
  method: 'GET',
  path: '/networking/ipv6/ranges',
  reach: { in: 'addresses', alone: false, lent: 'looks' },
  source: endpoints,
  summary: 'Lists the IPv6 ranges of the account.',
  scopes: ['ips:read_only'],
  params: {},
  query: standardPaging,
  reply: page(ranges),
  // A shared range may have a record for each of its nodes.
  apart: 'node_id',
  // Remembered is only how the target spells what it lists.
  notes: ({ world, account, chosen }) =>
    (Array.isArray(chosen.data) ? chosen.data.filter(isObject) : []).reduce(
      (before, shown) => noted(before, account, shown),
      world,
    ),
  draft: () => ({}),
  silences: [restrictedUse('ipv6-ranges.list')],
  statements: [
    {
      id: 'ipv6-ranges.list.range-member',
      source: rangeMember,
      text: 'Every IPv6 range in the list carries range.',
      holds: ({ reply }) => {
        const data = isObject(reply) && Array.isArray(reply.data) ? reply.data : []
        return data.length === 0 ? undefined : data.every(carriesRange)
      },
      probe: (plan) => {
        plan.make(ranges)
        plan.check('ipv6-ranges.list')
      },
    },
  ],
})

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
        const first = freshNode(plan)
        const second = plan.node(
          (node) => isRoomy(node) && node.region === first.region && node.id !== first.id,
          'a second node of the region with a known SLAAC address',
        )
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
          'a node of another account with a known SLAAC address',
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
          'a node under live migration with a known SLAAC address',
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

export const viewRange = operation({
  id: 'ipv6-ranges.view',
  area: 'networking',
  method: 'GET',
  path: '/networking/ipv6/ranges/{range}',
  reach: { in: 'addresses', alone: false, lent: 'looks' },
  source: endpoints,
  summary: 'Shows one IPv6 range.',
  scopes: ['ips:read'],
  params: range,
  reply: record(ranges),
  shows: 'range',
  draft: (plan) => ({ path: { range: plan.make(ranges).field('address') } }),
  refusals: [bareAddress('ipv6-ranges.view')],
  silences: [oddlySpelled('ipv6-ranges.view'), restrictedUse('ipv6-ranges.view')],
  statements: [
    {
      id: 'ipv6-ranges.view.range-member',
      source: rangeMember,
      text: 'The record of an IPv6 range carries range.',
      holds: ({ reply }) => carriesRange(reply),
      probe: (plan) => void plan.check('ipv6-ranges.view', plan.draft('ipv6-ranges.view')),
    },
  ],
})

export const deleteRange = operation({
  id: 'ipv6-ranges.delete',
  area: 'networking',
  method: 'DELETE',
  path: '/networking/ipv6/ranges/{range}',
  reach: { in: 'addresses', alone: false, lent: 'ranges' },
  source: endpoints,
  summary: 'Removes an IPv6 range and disconnects it from nodes.',
  scopes: ['ips:read_write'],
  params: range,
  reply: anything,
  removes: 'range',
  draft: (plan) => ({ path: { range: plan.make(ranges).field('address') } }),
  refusals: [
    {
      id: 'ipv6-ranges.delete.shared',
      source: `${endpoints}, DELETE /networking/ipv6/ranges/{range}; Errors, "deleting a shared IPv6 range"`,
      text: 'A shared range is not deleted.',
      when: ({ refs }) => refs.range.shared,
      probe: (plan) => {
        const owner = freshNode(plan)
        const isNear = (node: NodeFixture) => isRoomy(node) && node.region === owner.region && node.id !== owner.id
        const other = plan.node(isNear, 'a second node of the region with a known SLAAC address')
        const address = plan.make(ranges, { node_id: owner.id }).field('address')
        const share = (node: NodeFixture, ...ips: readonly Ref[]) => ({ body: { ips, node_id: node.id } })
        plan.call('ips.share', share(other, address))
        plan.probe('ipv6-ranges.delete', { path: { range: address } })
        // Being shared, it still is the one that the account has in the region.
        plan.check('ipv6-ranges.create', { body: { prefix_length: 64, node_id: other.id } })
        const third = plan.attempt(() =>
          plan.node((node) => isNear(node) && node.id !== other.id && node.extraAddresses === true),
        )
        const second = third && plan.check('ips.share', share(third, address))
        plan.call('ips.share', share(other))
        if (third && second) {
          // Whether two may share it at a time is not said.
          plan.call('ips.share', { ...share(third, address), unless: second.step })
          plan.probe('ipv6-ranges.delete', { path: { range: address } })
          plan.call('ips.share', share(third))
        }
        plan.twin('ipv6-ranges.delete', { path: { range: address } })
      },
    },
    bareAddress('ipv6-ranges.delete'),
  ],
  silences: [oddlySpelled('ipv6-ranges.delete'), restrictedUse('ipv6-ranges.delete')],
  apply: ({ world, refs }) => drop(world, ranges, refs.range.key),
})

export const ipv6RangeOperations = [listRanges, createRange, viewRange, deleteRange]
