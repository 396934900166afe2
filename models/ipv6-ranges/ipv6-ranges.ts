// The four IPv6 range operations: sections "Endpoints / Networking" (ranges), "IPv6 range create body" and "Limits" of the document.

import { drop, patch, rekey } from '../language/changes.js'
import type { NodeFixture } from '../language/environment.js'
import { aNode } from '../language/needs.js'
import { isObject } from '../language/objects.js'
import { anything, operation, page, record } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import type { Plan, Ref } from '../language/plan.js'
import { type Entity, find, isClosed, isLatent, live, type WireRecord, type World } from '../language/world.js'
import { carriesRange, endpoints, range, rangeMember, restrictedUse } from './common.js'
import { createRange } from './create.js'
import { isRangeText, namedAs, type Range, rangeKey, ranges } from './record.js'
import { freshNode, isRoomy, roomy } from './targets.js'

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
        const other = plan.node(isNear, aNode('a second node of the region with a known SLAAC address', roomy, 2))
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
