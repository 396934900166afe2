// Targets whose addresses are changed in one respect which no derived mutant has: in what the document allows, and in what it does not.
import { describe, expect, test } from 'vitest'
import { ips, type Share, shares } from '../../models/ips/record.js'
import { type Range, rangeKey, ranges } from '../../models/ipv6-ranges/record.js'
import { drop, forget, patch, put } from '../../models/language/changes.js'
import type { Environment } from '../../models/language/environment.js'
import { nodes } from '../../models/language/facts.js'
import { canonicalAddress, parseAddress } from '../../models/language/formats.js'
import type { Operation } from '../../models/language/operation.js'
import { type Entity, find, live, type WireRecord, type World } from '../../models/language/world.js'
import { nodeSettings, resetSsh } from '../../models/managed-node-settings/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { both, findingsOf, instead, leaves, misjudges, outcomeOf, refuses, replies, spares } from './faulty.js'

/** An IPv6 address in full and in capitals, whatever follows it. */
const inFull = (text: string): string => {
  const [address = '', ...rest] = text.split('/')
  return [parseAddress(address)?.toNormalizedString().toUpperCase() ?? address, ...rest].join('/')
}

/** Takes and shows ranges in that spelling alone, with or without the prefix length. */
const spelling = (spell: (text: string) => string, withPrefix: boolean): Fault => {
  const shown = (range: unknown): unknown =>
    typeof range === 'string' ? spell(withPrefix ? range : (range.split('/')[0] ?? '')) : range
  const isOther = (text: string): boolean => text.includes(':') && text !== spell(text)
  const textsOf = ({ path, body }: { path: { range?: string }; body: Record<string, unknown> }): readonly string[] => [
    path.range ?? '',
    ...((body.ips as string[] | undefined) ?? []),
    ...((body.assignments as { address?: string }[] | undefined) ?? []).flatMap(({ address }) => address ?? []),
  ]
  const names = ['ipv6-ranges.view', 'ipv6-ranges.delete', 'ips.assign', 'ips.share']
  return {
    operation: (op) =>
      names.includes(op.id)
        ? ({
            ...op,
            refusals: [
              ...(op.refusals ?? []),
              {
                id: `${op.id}.fault`,
                source: '',
                text: 'unknown',
                when: (facts) => textsOf(facts as never).some(isOther),
              },
            ],
          } satisfies Operation)
        : op,
    body: (body, op) => {
      const record = body as { range?: unknown; data?: { range?: unknown }[] }
      if (!op.id.startsWith('ipv6-ranges.')) return body
      return record.data
        ? { ...record, data: record.data.map((one) => ({ ...one, range: shown(one.range) })) }
        : record.range === undefined
          ? body
          : { ...record, range: shown(record.range) }
    },
  }
}

const spellings: readonly (readonly [string, Fault])[] = [
  ['spells ranges in full and in capitals', spelling(inFull, true)],
  ['spells ranges in full and in capitals, without the prefix length', spelling(inFull, false)],
  ['spells ranges in capitals', spelling((text) => text.toUpperCase(), true)],
  ['spells ranges as is customary', spelling((text) => text.replace(/^[^/]+/, canonicalAddress), false)],
  ['shows a new range in the list alone', replies('ipv6-ranges.create', () => ({}))],
]

const usingRanges = [
  'ipv6-ranges.view.accepts',
  'ipv6-ranges.delete.accepts',
  'ipv6-ranges.delete.shared',
  'ips.share.range',
  'ips.share.without-prefix',
  'ips.assign.prefix-length',
  'ips.assign.moves-range',
]

interface Listing {
  readonly body: { readonly assignments?: readonly object[]; readonly ips?: readonly string[] }
}

const looksAtFirst = (id: string, rule: string): Fault =>
  misjudges(id, rule, (facts: Listing, when) => {
    const { assignments, ips } = facts.body
    return when({
      ...facts,
      body: {
        ...facts.body,
        ...(assignments && { assignments: assignments.slice(0, 1) }),
        ...(ips && { ips: ips.slice(0, 1) }),
      },
    })
  })

const ofEach: readonly (readonly [operation: string, rule: string])[] = [
  ...['address-form', 'prefix-length', 'accessible', 'region-of-nodes', 'region-of-addresses', 'natted'].map(
    (rule) => ['ips.assign', rule] as const,
  ),
  ...['without-prefix', 'accessible', 'region', 'natted'].map((rule) => ['ips.share', rule] as const),
]

const carriesOutTwo = (id: string): Fault =>
  instead(id, ({ apply }) => ({
    apply: ((facts: { readonly body: { readonly assignments: readonly object[] } }) =>
      apply?.({
        ...facts,
        body: { ...facts.body, assignments: facts.body.assignments.slice(0, 2) },
      } as never)) as never,
  }))

interface Sharing {
  readonly body: { readonly ips: readonly string[]; readonly node_id: number }
}

const faults: readonly (readonly [string, string, Fault])[] = [
  [
    'takes a range for free once one of two gives it back',
    'ipv6-ranges.delete.shared',
    leaves('ips.share', (after, _, { body }: Sharing) =>
      body.ips.length > 0
        ? after
        : live(after, ranges).reduce((world, { key }) => patch(world, ranges, key, { shared: false }), after),
    ),
  ],
  ...ofEach.map(
    ([id, rule]) => ['looks at the first of several alone', `${id}.${rule}`, looksAtFirst(id, rule)] as const,
  ),
  ...['ips.assign', 'ips.share'].flatMap((id) =>
    ['accessible-range', 'region-of-ranges'].map(
      (rule) => ['looks at no range', `${id}.${rule}`, misjudges(id, rule, () => false)] as const,
    ),
  ),
  [
    "assigns the caller's own range under another prefix length",
    'ips.assign.prefix-length',
    spares('ips.assign', 'prefix-length', ({ body }: { body: { assignments: { address: string }[] } }) =>
      body.assignments.every(({ address }) => address.endsWith('/60') && !address.startsWith('2001:db8:ffff:')),
    ),
  ],
  [
    'takes a range that is assigned without a prefix length for a /64',
    'ipv4.assign.prefix-length',
    spares(
      'ipv4.assign',
      'prefix-length',
      ({ world, body }: { world: World; body: { assignments: { address: string }[] } }) =>
        body.assignments.every(({ address }) => find(world, ranges, address)?.prefix_length === 64),
    ),
  ],
  [
    'assigns no /56',
    'ips.assign.prefix-length',
    refuses('ips.assign', ({ body }: { body: { assignments: { address: string }[] } }) =>
      body.assignments.some(({ address }) => address.endsWith('/56')),
    ),
  ],
]

interface Assigning {
  readonly world: World
  readonly body: { readonly assignments: readonly { readonly address: string; readonly node_id: number }[] }
}

/** What of a share an empty array leaves shared, where it is a range. */
const keeps = (which: (share: Entity<Share>) => readonly (string | undefined)[]): Fault =>
  leaves('ips.share', (after, before, { body }: Sharing) => {
    const share = find(before, shares, body.node_id)
    return body.ips.length > 0 || !share
      ? after
      : which(share).reduce(
          (world, key) => (key === undefined ? world : patch(world, ranges, key, { shared: true })),
          after,
        )
  })

/** An empty array leaves private addresses shared. */
const keepsPrivate = (id: string): Fault =>
  leaves(id, (after, before, { body }: Sharing) => {
    const kept = (find(before, shares, body.node_id)?.surely ?? []).filter((key) => key.startsWith('192.168.'))
    return body.ips.length > 0 ? after : patch(after, shares, body.node_id, { surely: kept })
  })

/** Has addresses change places where neither is shared, and not where one is. */
const movesNothingShared = refuses('ips.assign', ({ world, body: { assignments } }: Assigning) =>
  assignments.some(({ address }) => live(world, shares).some(({ surely = [] }) => surely.includes(address))),
)

const isPrivate = ({ body: { assignments } }: Assigning): boolean =>
  assignments.every(({ address }) => address.startsWith('192.168.'))

/** Leaves what is shared out of the list. */
const hidesShared: Fault = replies('ips.list', (body, before) => {
  const shared = new Set(live(before, shares).flatMap(({ surely = [] }) => surely))
  const data = (body.data as readonly WireRecord[]).filter(({ address }) => !shared.has(String(address)))
  return { ...body, data, results: data.length }
})

interface Assigning {
  readonly world: World
  readonly body: { readonly assignments: readonly { readonly address: string; readonly node_id: number }[] }
}

/** Faults that other clauses than the probe's own speak of. */
const shown: readonly (readonly [string, string, Fault])[] = [
  [
    'keeps the place of a range that a node gave away',
    'ips.assign.route-target',
    refuses('ips.assign', ({ world, body }: Assigning) =>
      body.assignments.some(
        ({ address, node_id: to }) =>
          find(world, ranges, rangeKey(address))?.since?.route_target?.before === find(world, nodes, to)?.slaac,
      ),
    ),
  ],
  ...['ips', 'ipv4'].map(
    (path) => [`lists no address that ${path} shares`, `${path}.share.shared`, hidesShared] as const,
  ),
  [
    'shares no ranges by the older path',
    'ipv4.share.range',
    leaves('ipv4.share', (after) =>
      live(after, ranges).reduce((world, { key }) => patch(world, ranges, key, { shared: false }), after),
    ),
  ],
  ['shares no private addresses', 'ips.share.private', spares('ips.assign', 'shared-swap', isPrivate)],
  [
    'makes a second range in a region whose first is shared',
    'ipv6-ranges.delete.shared',
    spares('ipv6-ranges.create', 'one-per-region', ({ world }: { readonly world: World }) =>
      live(world, ranges).some(({ shared }) => shared === true),
    ),
  ],
  ...['ips.share', 'ipv4.share'].map((id): readonly [string, string, Fault] => [
    'keeps private addresses shared',
    `${id}.empty-removes-private`,
    both(keepsPrivate(id), movesNothingShared),
  ]),
  ['keeps what was shared before', 'ips.share.empty-removes-ranges', keeps(({ perhaps = [] }) => perhaps)],
  ['keeps the first of two', 'ips.share.empty-removes-ranges', keeps(({ surely = [] }) => surely.slice(0, -1))],
  ['keeps the last of two', 'ips.share.empty-removes-ranges', keeps(({ surely = [] }) => surely.slice(1))],
  [
    'resets the settings with every address',
    'ips.assign.resets-ssh',
    leaves('ips.assign', (after) => live(after, nodeSettings).reduce((world, { key }) => resetSsh(world, key), after)),
  ],
  ...['ips.assign', 'ipv4.assign'].map((id): readonly [string, string, Fault] => [
    'resets the settings with the first of several addresses alone',
    `${id}.resets-ssh`,
    leaves(id, (after, before, { body: { assignments } }: Assigning) =>
      live(before, nodeSettings).reduce(
        (world, settings) =>
          assignments.slice(1).some(({ address }) => address === settings.ssh?.ip)
            ? put(world, nodeSettings, settings)
            : world,
        after,
      ),
    ),
  ]),
  [
    'resets the settings with public addresses alone',
    'ips.assign.resets-private-ssh',
    leaves('ips.assign', (after, before, facts: Assigning) =>
      isPrivate(facts)
        ? live(before, nodeSettings).reduce((world, settings) => put(world, nodeSettings, settings), after)
        : after,
    ),
  ],
  [
    'lists addresses where they were',
    'ips.assign.moves',
    replies('ips.list', (body) => ({
      ...body,
      data: (body.data as { address: string }[]).map((one) =>
        one.address === '203.0.113.17' ? { ...one, node_id: 101 } : one,
      ),
    })),
  ],
  [
    'lists ranges where they were',
    'ips.assign.moves-range',
    replies('ipv6-ranges.list', (body) => ({
      ...body,
      data: (body.data as object[]).map((one) => ({ ...one, node_id: 101 })),
    })),
  ],
  [
    'allocates no private address',
    'ips.allocate.private',
    refuses('ips.allocate', ({ body }: { body: { public: boolean } }) => !body.public),
  ],
]

describe('a fault shows', () => {
  for (const [what, id, fault] of shown)
    test(`a target that ${what} breaks a clause in the probe of ${id}`, async () => {
      expect(await findingsOf(id, fault)).not.toEqual([])
      expect(await findingsOf(id, {})).toEqual([])
    })
})

test('a target that does not ask whether the receiver has a public address is found out by a node that has none', async () => {
  const environment = embeddedEnvironment()
  const [first, ...others] = environment.fixtures.nodes ?? []
  const bare = { ...first, id: 109, ipv4: { public: [], private: [], natted: [] }, slaac: undefined }
  const nodes = [first, bare, ...others] as NonNullable<Environment['fixtures']['nodes']>
  const extended = { ...environment, fixtures: { ...environment.fixtures, nodes } }
  const careless = spares('ips.assign', 'public-left', ({ body: { assignments } }: Assigning) =>
    assignments.some(({ node_id: node }) => node === bare.id),
  )
  expect(await findingsOf('ips.assign.public-left', careless, extended)).toEqual(['ips.assign.public-left'])
  expect(await findingsOf('ips.assign.public-left', {}, extended)).toEqual([])
})

/** The same nodes, of which none with a single public address has a private one. */
const withoutInsiders = (): Environment => {
  const { fixtures, ...rest } = embeddedEnvironment()
  const nodes = fixtures.nodes?.map((node) =>
    node.ipv4?.public?.length === 1 ? { ...node, ipv4: { ...node.ipv4, private: [] } } : node,
  )
  return { ...rest, fixtures: { ...fixtures, ...(nodes && { nodes }) } }
}

test.each([
  ['ips.assign', 'its own private one', embeddedEnvironment()],
  ['ipv4.assign', 'its own private one', embeddedEnvironment()],
  ['ips.assign', 'a private one of another node', withoutInsiders()],
] as const)('%s that lets go of the last public address of who receives %s is found', async (id, _, environment) => {
  const careless = spares(id, 'public-left', ({ world, body: { assignments } }: Assigning) =>
    assignments.some(({ address, node_id: to }) =>
      assignments.some(
        (one) => one.node_id !== to && find(world, ips, one.address)?.node_id === to && one.address !== address,
      ),
    ),
  )
  expect(await findingsOf(`${id}.public-left`, careless, environment)).toContain(`${id}.public-left`)
  expect(await findingsOf(`${id}.public-left`, {}, environment)).toEqual([])
})

describe('a fault is found', () => {
  for (const [what, id, fault] of faults)
    test(`a target that ${what} breaks ${id}`, async () => {
      expect(await findingsOf(id, fault)).toEqual([id])
      expect(await findingsOf(id, {})).toEqual([])
    })
})

describe('a target may differ', () => {
  for (const [what, fault] of spellings)
    for (const id of usingRanges)
      test(`a target that ${what} breaks nothing in the probe of ${id}`, async () => {
        const { findings: all, untested } = await outcomeOf(id, fault)
        const findings = all.filter(({ level }) => level === 'must')
        expect([...findings.map(({ clause, because }) => [clause, because]), untested]).toEqual([undefined])
      })
})

test.each(['ips.assign', 'ipv4.assign'])(
  '%s that lets a second private address in beside another move is found',
  async (id) => {
    const fault = spares(
      id,
      'one-private',
      ({ body }: { body: { assignments: readonly object[] } }) => body.assignments.length > 1,
    )
    expect(await findingsOf(`${id}.one-private`, fault)).toContain(`${id}.one-private`)
  },
)

/** A node in a region whose id begins like that of the first. */
const withAlike = () => {
  const environment = embeddedEnvironment()
  const { nodes = [], regions = [] } = environment.fixtures
  const [near] = nodes
  const far = nodes.find(({ region, extraAddresses }) => region !== near?.region && extraAddresses === true)
  if (!near || !far) throw new Error('no two regions')
  const alike = {
    ...far,
    id: 990_101,
    region: `${near.region}0`,
    ipv4: { public: ['203.0.113.240', '203.0.113.241'], private: [], natted: [], shared: [] },
    slaac: '2001:db8::f03c:91ff:fe00:990',
  }
  const fixtures = {
    ...environment.fixtures,
    regions: [...regions, { id: alike.region, vlans: true }],
    nodes: [...nodes, alike],
  }
  return { ...environment, fixtures }
}

const regionIn = (world: World, id: number): string => find(world, nodes, id)?.region ?? ''

test.each([
  [
    'ips.assign.region-of-nodes',
    spares(
      'ips.assign',
      'region-of-nodes',
      ({ world, body: { assignments, region } }: Assigning & { readonly body: { readonly region: string } }) =>
        assignments.every(({ node_id: node }) => regionIn(world, node).startsWith(region)),
    ),
  ],
  [
    'ips.share.region',
    spares('ips.share', 'region', ({ world, body }: Sharing & { readonly world: World }) =>
      body.ips.every((address) => regionIn(world, body.node_id).startsWith(find(world, ips, address)?.region ?? '-')),
    ),
  ],
])('regions that are compared by how they begin break %s', async (id, fault) => {
  const environment = withAlike()
  expect(await findingsOf(id, fault, environment)).toContain(id)
  expect(await findingsOf(id, {}, environment)).toEqual([])
})

const isLong = ({ prefix_length: length }: Partial<Range>): boolean => length === 56

test.each([
  [
    'deletes a /56 that is shared',
    'ips.share.empty-removes-ranges',
    spares('ipv6-ranges.delete', 'shared', ({ refs }: { readonly refs: { readonly range: Entity<Range> } }) =>
      isLong(refs.range),
    ),
  ],
  [
    'shares no /56',
    'ips.share.without-prefix',
    refuses('ips.share', ({ world, body }: Sharing & { readonly world: World }) =>
      body.ips.some((address) => live(world, ranges).some((one) => one.address === address && isLong(one))),
    ),
  ],
  [
    'counts no range that has moved',
    'ips.assign.moves-range',
    misjudges('ipv6-ranges.create', 'one-per-region', (facts: { readonly world: World }, when) =>
      when({
        ...facts,
        world: live(facts.world, ranges)
          .filter(({ since }) => since?.node_id?.by === 'ips.assign')
          .reduce((world, { key }) => drop(world, ranges, key), facts.world),
      }),
    ),
  ],
  [
    'forgets the reverse names that a list was to leave out',
    'ips.list.skip-ipv6-rdns',
    leaves('ips.list', (after, _, { body }: { readonly body: { readonly skip_ipv6_rdns?: boolean } }) =>
      live(after, ips)
        .filter(({ address }) => body.skip_ipv6_rdns === true && String(address).includes(':'))
        .reduce((world, { key }) => patch(world, ips, key, { rdns: null }), after),
    ),
  ],
  ['carries out two assignments of a call alone', 'ips.assign.resets-ssh', carriesOutTwo('ips.assign')],
  ['carries out two assignments of a call alone', 'ipv4.assign.resets-ssh', carriesOutTwo('ipv4.assign')],
  [
    'leaves the route target of a /56',
    'ips.assign.route-target',
    leaves('ips.assign', (after, before) =>
      live(before, ranges)
        .filter(isLong)
        .reduce(
          (world, { key, route_target: target }) => patch(world, ranges, key, { route_target: target as string }),
          after,
        ),
    ),
  ],
] as const)('a target that %s is found in the probe of %s', async (_, id, fault) => {
  expect(await findingsOf(id, fault)).not.toEqual([])
  expect(await findingsOf(id, {})).toEqual([])
})

test('an address is allocated in another region as well', async () => {
  const environment = withAlike()
  const atHome = leaves('ips.allocate', (after, before) => {
    const made = live(after, ips).find(({ key }) => find(before, ips, key) === undefined)
    return made ? patch(after, ips, made.key, { region: 'r1' }) : after
  })
  expect(await findingsOf('ips.allocate.public', atHome, environment)).not.toEqual([])
  expect(await findingsOf('ips.allocate.public', {}, environment)).toEqual([])
})

test('a target that keeps the name that a reset is to take back is found where an address has two names, whatever was seen before', async () => {
  const plain = embeddedEnvironment()
  const [{ address } = { address: '' }] = plain.fixtures.dns ?? []
  const dns = [...(plain.fixtures.dns ?? []), { name: 'second.example.org', address }]
  const environment = { ...plain, fixtures: { ...plain.fixtures, dns } }
  const keeps = leaves('ips.update', (after, before, { body }: { readonly body: { readonly rdns: string | null } }) =>
    body.rdns === null
      ? patch(forget(after, ips, address, ['defaultRdns']), ips, address, {
          rdns: find(before, ips, address)?.rdns ?? null,
        })
      : after,
  )
  expect(await findingsOf('ips.update.resets', keeps, environment)).toEqual(['ips.update.resets'])
  expect(await findingsOf('ips.update.resets', {}, environment)).toEqual([])
})
