import { describe, expect, test } from 'vitest'
import { planProgram } from '../../arbitraries/plan.js'
import { ranges } from '../../models/ipv6-ranges/record.js'
import { latentKey, live } from '../../models/language/world.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { pageOf, refusal, type Told, told } from './stories.js'

const slaac = '2001:db8::f03c:91ff:fe00:101'
const closed = ['ipv6-ranges', 'nodes']

const create = (body: object, reply: object, status = 200): Told => [
  'ipv6-ranges.create',
  { body: body as never },
  status,
  reply,
]
const made = create({ prefix_length: 64, node_id: 101 }, { range: '2001:db8:7::/64' })
const view = (reply: object, range = '2001:db8:7::', status = 200): Told => [
  'ipv6-ranges.view',
  { path: { range } },
  status,
  reply,
]
const list = (...records: readonly object[]): Told => ['ipv6-ranges.list', {}, 200, pageOf(...records)]
const remove = (reply: object = {}, status = 200, range = '2001:db8:7::'): Told => [
  'ipv6-ranges.delete',
  { path: { range } },
  status,
  reply,
]

describe('a target is left its freedom', () => {
  const stories: Readonly<Record<string, readonly Told[]>> = {
    'a range may be shown without its prefix length': [made, view({ range: '2001:db8:7::' })],
    'an address may be spelled in full and in capitals': [
      made,
      view({ range: '2001:0DB8:0007:0000:0000:0000:0000:0000' }),
      list({ range: '2001:DB8:7::/64' }),
    ],
    'a range that is shared may tell no node': [
      create({ prefix_length: 64, node_id: 101 }, { range: '2001:db8:7::', node_id: 101 }),
      ['ips.share', { body: { ips: ['2001:db8:7::'], node_id: 102 } }, 200, {}],
      view({ range: '2001:db8:7::', node_id: null }),
    ],
    'a record may carry nothing but the range': [made, list({ range: '2001:db8:7::' })],
    'a record may stand within another object': [
      made,
      view({ data: { range: '2001:db8:7::' } }),
      list({ attributes: { range: '2001:db8:7::' } }),
    ],
    'a record may stand within an object of the same name': [
      create({ prefix_length: 64, node_id: 101 }, { range: { range: '2001:db8:7::/64' } }),
      list({ range: '2001:db8:7::/64' }),
      view({ range: { range: '2001:db8:7::/64' } }),
      remove(),
    ],
    'the creation may tell nothing, and the list shows the range': [
      create({ prefix_length: 64, node_id: 101 }, {}),
      list({ range: '2001:db8:7::', region: 'r1' }),
      view({ range: '2001:db8:7::' }),
    ],
    'a route_target may come back in another spelling': [
      create({ prefix_length: 64, route_target: slaac }, { range: '2001:db8:7::', route_target: slaac.toUpperCase() }),
    ],
    'a range made for an address may be shown with the node': [
      create({ prefix_length: 64, route_target: slaac }, { range: '2001:db8:7::', node_id: 101 }),
    ],
    'a route_target that is null tells nothing of the node': [
      made,
      list({ range: '2001:db8:7::', route_target: null }),
      create({ prefix_length: 64, node_id: 103 }, { range: '2001:db8:8::/64', route_target: null }),
    ],
    'another spelling of a range may be unknown': [made, view(refusal('range'), '2001:DB8:0007::', 404)],
    'an address that belongs to no known node may be taken': [
      create({ prefix_length: 64, route_target: '2a00:1450::1' }, { range: '2001:db8:9::/64' }),
    ],
    'an address that belongs to no known node may be refused': [
      create({ prefix_length: 64, route_target: '2a00:1450::1' }, refusal('route_target'), 400),
    ],
    'a node under live migration may be refused': [
      create({ prefix_length: 64, node_id: 105 }, refusal('node_id'), 400),
    ],
    'a restricted user may be refused': [
      ['ipv6-ranges.create', { body: { prefix_length: 64, node_id: 101 }, as: 'limited' }, 403, refusal()],
    ],
    'a token with ips:read_only alone may be refused the view': [
      made,
      ['ipv6-ranges.view', { path: { range: '2001:db8:7::' }, as: 'without-ips-read' }, 403, refusal()],
    ],
    'a region is free again after its range was deleted': [
      made,
      remove(),
      create({ prefix_length: 56, node_id: 102 }, { range: '2001:db8:8::/56' }),
    ],
    'another region has room for another range': [
      made,
      create({ prefix_length: 56, node_id: 103 }, { range: '2001:db8:8::/56' }),
    ],
  }
  for (const [name, steps] of Object.entries(stories))
    test(name, () => expect(told(steps, { closed }).deviations.filter((one) => one.startsWith('must'))).toEqual([]))
})

test('on a shared account, a list of bare records does not tell which of the ranges was made', () => {
  const { world } = told([
    create({ prefix_length: 64, route_target: '2a00:1450::1' }, {}),
    list({ range: '2001:db8:7::' }, { range: '2001:db8:8::' }),
  ])
  expect(live(world, ranges).map(({ key }) => key)).toEqual([latentKey(1)])
})

describe('a fault is found', () => {
  const stories: Readonly<Record<string, readonly [readonly Told[], string]>> = {
    'a second range in a region': [
      [made, create({ prefix_length: 64, node_id: 102 }, { range: '2001:db8:8::/64' })],
      'must ipv6-ranges.create.one-per-region',
    ],
    'a second range in a region, by the address of a node': [
      [
        made,
        create({ prefix_length: 64, route_target: '2001:0DB8::F03C:91FF:FE00:102' }, { range: '2001:db8:8::/64' }),
      ],
      'must ipv6-ranges.create.one-per-region',
    ],
    'a range of 60 bits': [
      [create({ prefix_length: 60, node_id: 101 }, { range: '2001:db8:7::/60' })],
      'must ipv6-ranges.create.body.prefix_length.enum',
    ],
    'a node and an address at once': [
      [create({ prefix_length: 64, node_id: 101, route_target: slaac }, { range: '2001:db8:7::' })],
      'must ipv6-ranges.create.not-both',
    ],
    'neither a node nor an address': [
      [create({ prefix_length: 64 }, { range: '2001:db8:7::' })],
      'must ipv6-ranges.create.one-of-both',
    ],
    'an address with /128': [
      [create({ prefix_length: 64, route_target: `${slaac}/128` }, { range: '2001:db8:7::' })],
      'must ipv6-ranges.create.route-target-suffix',
    ],
    'an IPv4 address for a route_target': [
      [create({ prefix_length: 64, route_target: '203.0.113.7' }, { range: '2001:db8:7::' })],
      'must ipv6-ranges.create.route-target-address',
    ],
    'the address of another account': [
      [create({ prefix_length: 64, route_target: '2001:db8::f03c:91ff:fe00:201' }, { range: '2001:db8:7::' })],
      'should ipv6-ranges.create.own-target',
    ],
    'a plain creation refused': [
      [create({ prefix_length: 64, node_id: 101 }, refusal(), 400)],
      'must ipv6-ranges.create.accepts',
    ],
    'the prefix length that was not asked for': [
      [create({ prefix_length: 56, node_id: 101 }, { range: '2001:db8:7::/64' })],
      'must ipv6-ranges.create.prefix-length',
    ],
    'a prefix length that changes': [[made, view({ range: '2001:db8:7::/56' })], 'must ipv6-ranges.view.shows.range'],
    "another region than the node's": [
      [create({ prefix_length: 64, node_id: 101 }, { range: '2001:db8:7::', region: 'r2' })],
      'must ipv6-ranges.create.shows.region',
    ],
    'the address of another node for a target': [
      [
        create(
          { prefix_length: 64, node_id: 101 },
          { range: '2001:db8:7::', route_target: '2001:db8::f03c:91ff:fe00:102' },
        ),
      ],
      'should ipv6-ranges.create.target-of-node',
    ],
    'a range that is none': [
      [create({ prefix_length: 64, node_id: 101 }, { range: 'none' })],
      'should ipv6-ranges.create.tells-range',
    ],
    'another range in the view': [[made, view({ range: '2001:db8:8::' })], 'must ipv6-ranges.view.shows.range'],
    'a record without range in the view': [[made, view({ id: 7 })], 'must ipv6-ranges.view.range-member'],
    'a record without range in the list': [[made, list({ id: 7 })], 'must ipv6-ranges.list.range-member'],
    'a range that is missing in the list': [[made, list()], 'must ipv6-ranges.list.complete'],
    'a range that is still listed after its deletion': [
      [made, remove(), list({ range: '2001:db8:7::' })],
      'must ipv6-ranges.list.only-live',
    ],
    'a range that is still shown after its deletion': [
      [made, remove(), view({ range: '2001:db8:7::' })],
      'must ipv6-ranges.delete.takes-effect',
    ],
    'a view by address and prefix length': [
      [made, view({ range: '2001:db8:7::' }, '2001:db8:7::/64')],
      'should ipv6-ranges.view.without-prefix',
    ],
    'a shared range deleted': [
      [made, ['ips.share', { body: { ips: ['2001:db8:7::'], node_id: 102 } }, 200, {}], remove()],
      'must ipv6-ranges.delete.shared',
    ],
    'a plain deletion refused': [[made, remove(refusal(), 400)], 'must ipv6-ranges.delete.accepts'],
  }
  for (const [name, [steps, finding]] of Object.entries(stories))
    test(name, () => expect(told(steps, { closed }).deviations).toContain(finding))
})

test('in an open account a region may be taken by a range that is not known', () => {
  expect(told([create({ prefix_length: 64, node_id: 101 }, refusal(), 400)]).deviations).toEqual([])
})

test('programs side by side make ranges in all regions that there are', () => {
  const { session } = inProcess({ environment: embeddedEnvironment() })
  const regionAt = (rotation: number): unknown => {
    const context = { ...session.context, rotation }
    const [step] = planProgram('a range', context, (plan) => void plan.make(ranges)).steps
    const node = step && 'body' in step ? (step.body as { readonly node_id?: unknown })?.node_id : undefined
    return context.environment.fixtures.nodes?.find(({ id }) => id === node)?.region
  }
  expect(new Set([0, 1, 2, 3, 4, 5, 6].map(regionAt))).toEqual(new Set(['r1', 'r2']))
})
