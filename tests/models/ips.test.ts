import { describe, expect, test } from 'vitest'
import type { WireCall } from '../../history/wire.js'
import { operationById } from '../../models/index.js'
import { type Ip, ips } from '../../models/ips/record.js'
import { patch, put } from '../../models/language/changes.js'
import type { Environment } from '../../models/language/environment.js'
import type { Operation } from '../../models/language/operation.js'
import { type Entity, find, type World } from '../../models/language/world.js'
import { nodeSettings } from '../../models/managed-node-settings/record.js'
import { startWorld } from '../../models/start.js'
import { judge } from '../../oracle/judge.js'
import type { Reply } from '../../oracle/step.js'
import { embeddedEnvironment } from '../../reference/environment.js'

interface Call {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly as?: string
}

/** What is asked, what is expected of it, and the clause that is broken where it is accepted nevertheless. */
interface Row {
  readonly name: string
  readonly call: Call
  readonly kind: string
  readonly due?: string
}

const row = (name: string, call: Call, kind: string, due?: string): Row => ({ name, call, kind, ...(due && { due }) })

const ok = (body: unknown = {}): Reply => ({ status: 200, body })
const refused: Reply = { status: 400, body: { errors: [{ field: '', reason: 'no' }] } }
const refusedFor = (field: string): Reply => ({ status: 400, body: { errors: [{ field, reason: 'no' }] } })

let step = 0
const say = (world: World, id: string, { path = {}, query = {}, body, as = 'owner' }: Call, reply: Reply) => {
  const op = operationById(id) as Operation
  const call: WireCall = {
    operation: id,
    method: op.method,
    url: op.path,
    as,
    path,
    query,
    ...(body !== undefined && { body }),
  }
  step += 1
  return judge(world, op, call, reply, step)
}

const clauses = (...args: Parameters<typeof say>): readonly string[] =>
  say(...args).deviations.map(({ clause }) => clause)
const expects = (world: World, id: string, call: Call): string => say(world, id, call, refused).expects

const start = (change: (environment: Environment) => Environment = (environment) => environment): World =>
  startWorld(change(embeddedEnvironment()))

const assign = (region: string, ...moves: readonly (readonly [string, number])[]): Call => ({
  body: { assignments: moves.map(([address, node_id]) => ({ address, node_id })), region },
})
const share = (node_id: number, ...ips: readonly string[]): Call => ({ body: { ips, node_id } })
const having = (world: World, id: string, call: Call, reply: Reply = ok()): World => {
  const judged = say(world, id, call, reply)
  expect(judged.deviations).toEqual([])
  return judged.world
}

describe('an assignment', () => {
  test('may exchange the only public IPv4 addresses of two nodes that have public IPv6 addresses as well', () => {
    const { fixtures } = embeddedEnvironment()
    const data = [102, 104].map((node_id) => {
      const address = fixtures.nodes?.find(({ id }) => id === node_id)?.slaac
      return { address, type: 'ipv6', public: true, node_id, rdns: null }
    })
    const seen = having(start(), 'ips.list', {}, ok({ data, page: 1, pages: 2, results: 3 }))
    const exchange = assign('r1', ['203.0.113.8', 104], ['203.0.113.9', 102])
    expect(say(seen, 'ips.assign', exchange, ok()).possible).toEqual(['ips.assign.exchange'])
  })
  const calls: readonly Row[] = [
    row('of a spare address is accepted', assign('r1', ['203.0.113.17', 102]), 'accept'),
    row(
      'of the only public address is refused',
      assign('r1', ['203.0.113.8', 101]),
      'refuse',
      'ips.assign.public-left',
    ),
    row(
      'in which two nodes exchange their only public addresses is free',
      assign('r1', ['203.0.113.8', 104], ['203.0.113.9', 102]),
      'either',
    ),
    row(
      'of a second private address is refused',
      assign('r1', ['192.168.128.8', 107]),
      'refuse',
      'ips.assign.one-private',
    ),
    row(
      'in which two nodes exchange their private addresses is free',
      assign('r1', ['192.168.128.8', 107], ['192.168.128.13', 102]),
      'either',
    ),
    row('of an address under NAT is refused', assign('r1', ['203.0.113.12', 101]), 'refuse', 'ips.assign.natted'),
    row('of an address under NAT to its own node is free', assign('r1', ['203.0.113.12', 106]), 'either'),
    row('to a node elsewhere is refused', assign('r1', ['203.0.113.17', 103]), 'refuse', 'ips.assign.region-of-nodes'),
    row(
      'in a region where the address is not is refused',
      assign('r2', ['203.0.113.17', 103]),
      'refuse',
      'ips.assign.region-of-addresses',
    ),
    row(
      "of another account's address is refused",
      assign('r1', ['203.0.113.99', 101]),
      'refuse',
      'ips.assign.accessible',
    ),
    row(
      "to another account's node is refused",
      assign('r1', ['203.0.113.17', 201]),
      'refuse',
      'ips.assign.body.assignments[].node_id.exists',
    ),
    row('of an address of which nothing is known is free', assign('r1', ['203.0.113.200', 101]), 'either'),
    row(
      'of a range without its prefix length is refused',
      assign('r1', ['2001:db8:ab::', 101]),
      'refuse',
      'ips.assign.prefix-length',
    ),
    row(
      'of a range of another size is refused',
      assign('r1', ['2001:db8:ab::/48', 101]),
      'refuse',
      'ips.assign.prefix-length',
    ),
    row('of a range of which nothing is known is free', assign('r1', ['2001:db8:ab::/64', 101]), 'either'),
    row('of a text that is no address is refused', assign('r1', ['web-1', 101]), 'refuse', 'ips.assign.address-form'),
    row('of an IPv4 address with a mask is free', assign('r1', ['203.0.113.17/32', 102]), 'either'),
    row('to the node that has it already is free', assign('r1', ['203.0.113.17', 101]), 'either'),
    row('of the same address twice is free', assign('r1', ['203.0.113.17', 102], ['203.0.113.17', 107]), 'either'),
    row('to a node without extra addresses is free', assign('r1', ['203.0.113.17', 104]), 'either'),
    row('to a node under live migration is free', assign('r1', ['203.0.113.17', 105]), 'either'),
    row('of nothing is free', assign('r1'), 'either'),
    row('by a restricted user is free', { ...assign('r1', ['203.0.113.17', 102]), as: 'limited' }, 'either'),
  ]
  test.each(calls)('$name', ({ call, kind, due }) => {
    expect(expects(start(), 'ips.assign', call)).toBe(kind)
    if (due) expect(clauses(start(), 'ips.assign', call, ok())).toEqual([due])
    if (due) expect(clauses(start(), 'ipv4.assign', call, ok())).toEqual([due.replace('ips.', 'ipv4.')])
  })

  test('is free where the target file does not list the addresses of the node that gives', () => {
    const world = start((environment) => ({
      ...environment,
      fixtures: {
        ...environment.fixtures,
        nodes: (environment.fixtures.nodes ?? []).map((node) =>
          node.id === 102 ? { ...node, ipv4: { natted: ['203.0.113.8'] } } : node,
        ),
      },
    }))
    expect(expects(world, 'ips.assign', assign('r1', ['192.168.128.8', 101]))).toBe('either')
  })

  test('that is refused although two addresses of three may leave is a finding', () => {
    expect(clauses(start(), 'ips.assign', assign('r1', ['203.0.113.17', 102]), refused)).toContain('ips.assign.accepts')
  })

  test('that the view does not show lost its effect', () => {
    const path = { address: '203.0.113.17' }
    const seen = having(start(), 'ips.view', { path }, ok({ address: '203.0.113.17', node_id: 101 }))
    const world = having(seen, 'ips.assign', assign('r1', ['203.0.113.17', 102]))
    expect(clauses(world, 'ips.view', { path }, ok({ address: '203.0.113.17', node_id: 101 }))).toEqual([
      'ips.assign.moves',
    ])
    expect(clauses(world, 'ips.view', { path }, ok({ address: '203.0.113.17', node_id: 102 }))).toEqual([])
    const unseen = having(start(), 'ips.assign', assign('r1', ['203.0.113.17', 102]))
    expect(clauses(unseen, 'ips.view', { path }, ok({}))).toEqual([])
  })

  test('sets the SSH access of a node back only where the address that leaves is its ssh.ip', () => {
    const ssh = { access: false, ip: '203.0.113.17', port: 2222, user: 'admin' }
    const world = patch(start(), nodeSettings, 101, { ssh })
    const moved = having(world, 'ips.assign', assign('r1', ['203.0.113.17', 102]))
    expect(find(moved, nodeSettings, 101)?.ssh).toMatchObject({ access: true, ip: 'any' })
    const kept = having(world, 'ips.assign', assign('r1', ['203.0.113.7', 102]))
    expect(find(kept, nodeSettings, 101)?.ssh).toEqual(ssh)
    const path = { nodeId: '101' }
    expect(clauses(moved, 'managed-node-settings.view', { path }, ok({ id: 101, ssh }))).toEqual([
      'ips.assign.resets-ssh',
    ])
  })
})

describe('sharing', () => {
  test('keeps shared addresses from changing places until an empty list takes them back', () => {
    const swap = assign('r1', ['203.0.113.17', 107], ['203.0.113.14', 101])
    const shared = having(start(), 'ips.share', share(102, '203.0.113.17', '203.0.113.14'))
    expect(clauses(shared, 'ips.assign', swap, ok())).toEqual(['ips.assign.shared-swap'])
    const back = having(shared, 'ipv4.share', share(102))
    expect(expects(back, 'ips.assign', swap)).toBe('accept')
  })

  test('of another list leaves open whether the first one still holds', () => {
    const swap = assign('r1', ['203.0.113.17', 107], ['203.0.113.14', 101])
    const shared = having(start(), 'ips.share', share(102, '203.0.113.17', '203.0.113.14'))
    const further = having(shared, 'ips.share', share(102, '203.0.113.13'))
    expect(expects(further, 'ips.assign', swap)).toBe('either')
    expect(expects(having(further, 'ips.share', share(102)), 'ips.assign', swap)).toBe('accept')
  })

  const telling = (ofNode: (id: number) => readonly string[] | undefined) =>
    start((environment) => ({
      ...environment,
      fixtures: {
        ...environment.fixtures,
        nodes: (environment.fixtures.nodes ?? []).map(({ ipv4: { shared: _, ...ipv4 } = {}, ...node }) => {
          const shared = ofNode(node.id)
          return { ...node, ipv4: { ...ipv4, ...(shared && { shared }) } }
        }),
      },
    }))

  test('from before the run is what the target file says', () => {
    const world = telling((id) => (id === 102 ? ['203.0.113.17', '203.0.113.14'] : undefined))
    const swap = assign('r1', ['203.0.113.17', 107], ['203.0.113.14', 101])
    expect(expects(world, 'ips.assign', swap)).toBe('refuse')
    expect(expects(world, 'ips.assign', assign('r1', ['203.0.113.17', 107]))).toBe('either')
    expect(expects(world, 'ips.assign', assign('r1', ['203.0.113.13', 101]))).toBe('accept')
  })

  test('from before the run may be where the target file says nothing, until a call has moved the address', () => {
    const world = telling(() => undefined)
    expect(expects(world, 'ips.assign', assign('r1', ['203.0.113.17', 107]))).toBe('either')
    expect(expects(world, 'ips.share', share(102, '203.0.113.17'))).toBe('either')
    const there = having(world, 'ips.assign', assign('r1', ['203.0.113.17', 107]))
    const back = having(there, 'ips.assign', assign('r1', ['203.0.113.17', 101]))
    expect(expects(back, 'ips.assign', assign('r1', ['203.0.113.17', 107]))).toBe('accept')
    expect(expects(back, 'ips.share', share(102, '203.0.113.17'))).toBe('accept')
  })

  const calls: readonly Row[] = [
    row('a public address is accepted', share(102, '203.0.113.17'), 'accept'),
    row('a private address is accepted', share(101, '192.168.128.8'), 'accept'),
    row('a node that may not be given addresses is free', share(104, '203.0.113.17'), 'either'),
    row('an address under NAT is refused', share(101, '203.0.113.12'), 'refuse', 'ips.share.natted'),
    row('an address from elsewhere is refused', share(103, '203.0.113.17'), 'refuse', 'ips.share.region'),
    row("another account's address is refused", share(101, '203.0.113.99'), 'refuse', 'ips.share.accessible'),
    row(
      'a range with its prefix length is refused',
      share(101, '2001:db8:ab::/64'),
      'refuse',
      'ips.share.without-prefix',
    ),
    row('a range of which nothing is known is free', share(101, '2001:db8:ab::'), 'either'),
    row('a text that is no address is refused', share(101, 'web-1'), 'refuse', 'ips.share.address-form'),
    row('an address with the node that has it is free', share(101, '203.0.113.17'), 'either'),
    row('nothing where nothing is shared is free', share(101), 'either'),
  ]
  test.each(calls)('$name', ({ call, kind, due }) => {
    expect(expects(start(), 'ips.share', call)).toBe(kind)
    if (due) expect(clauses(start(), 'ips.share', call, ok())).toEqual([due])
    if (due) expect(clauses(start(), 'ipv4.share', call, ok())).toEqual([due.replace('ips.', 'ipv4.')])
  })
})

describe('the list', () => {
  const page = (...data: readonly object[]): Reply => ok({ data, page: 1, pages: 1, results: data.length })
  const publics = (world: World) =>
    (world.environment.fixtures.nodes ?? [])
      .filter(({ account }) => account === undefined)
      .flatMap(({ ipv4 }) => (ipv4?.public ?? []).map((address) => ({ address })))

  test('need not hold SLAAC addresses, and must hold every public one', () => {
    const world = start()
    const all = publics(world)
    expect(clauses(world, 'ips.list', {}, page(...all))).toEqual([])
    expect(clauses(world, 'ips.list', {}, page(...all.slice(1)))).toEqual(['ips.list.complete'])
    const first = (address: string) => page({ ...all[0], address }, ...all.slice(1))
    expect(clauses(world, 'ips.list', {}, first(`${all[0]?.address}x`))).toEqual(['ips.list.complete'])
    // How a record spells an address is not said.
    expect(clauses(world, 'ips.list', {}, first(`${all[0]?.address}/24`))).toEqual([])
    expect(clauses(world, 'ips.list', {}, first(`public ${all[0]?.address}`))).toEqual([])
  })

  test('must not hold a private address, be it known or not', () => {
    const world = start()
    expect(clauses(world, 'ips.list', {}, page(...publics(world), { address: '192.168.128.8' }))).toEqual([
      'ips.list.only-live',
      'ips.list.no-private',
    ])
    expect(clauses(world, 'ips.list', {}, page(...publics(world), { address: '192.168.9.9' }))).toEqual([
      'ips.list.no-private',
    ])
  })

  test('may hold addresses that are used on their link alone', () => {
    const world = start()
    const linked = { address: 'fe80::101', type: 'ipv6', public: false, rdns: null }
    expect(clauses(world, 'ips.list', {}, page(...publics(world), linked))).toEqual([])
    expect(clauses(world, 'ips.list', {}, page(...publics(world), { ...linked, address: 'fd00::101' }))).toEqual([
      'ips.list.no-private',
    ])
  })

  test('shows rdns of IPv6 addresses, and null where skip_ipv6_rdns is asked for in both places', () => {
    const world = start()
    const six = { address: '2001:db8::f03c:91ff:fe00:101' }
    const both = { query: { skip_ipv6_rdns: 'true' }, body: { skip_ipv6_rdns: true } }
    const listed = (rdns?: string | null) => page(...publics(world), { ...six, ...(rdns !== undefined && { rdns }) })
    expect(clauses(world, 'ips.list', {}, listed())).toEqual(['ips.list.ipv6-rdns'])
    expect(clauses(world, 'ips.list', both, listed('six.example.org'))).toEqual(['ips.list.skip-ipv6-rdns'])
    expect(clauses(world, 'ips.list', { query: both.query }, listed('six.example.org'))).toEqual([])
    expect(clauses(world, 'ips.list', both, listed(null))).toEqual([])
    expect(clauses(world, 'ips.list', both, refused)).toEqual([])
  })

  test('that leaves out reverse names teaches nothing about them', () => {
    const world = start()
    const six = { address: '2001:db8::f03c:91ff:fe00:101' }
    const skipped = having(
      world,
      'ips.list',
      { body: { skip_ipv6_rdns: true } },
      page(...publics(world), { ...six, rdns: null }),
    )
    expect(clauses(skipped, 'ips.view', { path: six }, ok({ ...six, rdns: 'six.example.org' }))).toEqual([])
  })

  test('is not asked for pages that the document does not list as a parameter', () => {
    const world = start()
    const second = ok({ data: [], page: 2, pages: 1, results: 8 })
    expect(clauses(world, 'ips.list', { query: { page: '2' } }, second)).toEqual([])
  })
})

describe('a reverse name', () => {
  const path = { address: '203.0.113.7' }
  const update = (rdns: string | null): Call => ({ path, body: { rdns } })

  test('without forward DNS is refused, with it is accepted, and where nothing is known is free', () => {
    expect(clauses(start(), 'ips.update', update('a.invalid'), ok())).toEqual(['ips.update.forward-dns'])
    expect(clauses(start(), 'ips.update', update('a.invalid'), refusedFor('rdns'))).toEqual([])
    const shown = having(start(), 'ips.view', { path }, ok({ ...path, rdns: 'default.example.net' }))
    expect(clauses(shown, 'ips.update', update('a.invalid'), refusedFor('address'))).toEqual([
      'ips.update.refusal.field',
    ])
    expect(expects(start(), 'ips.update', update('www.example.net'))).toBe('either')
    expect(expects(start(), 'ips.update', update('host.example.org.'))).toBe('either')
    const seen = having(start(), 'ips.view', { path }, ok({ ...path, rdns: 'default.example.net' }))
    expect(expects(seen, 'ips.update', update('host.example.org'))).toBe('accept')
  })

  test('is the same with a final dot and in capitals', () => {
    const world = having(start(), 'ips.update', update('host.example.org'), ok({ rdns: 'HOST.example.org.' }))
    expect(clauses(world, 'ips.view', { path }, ok({ ...path, rdns: 'other.example.org' }))).toEqual([
      'ips.view.shows.rdns',
    ])
  })

  test('that is reset is the default that was shown before', () => {
    let world = having(start(), 'ips.update', update(null))
    world = having(world, 'ips.view', { path }, ok({ ...path, rdns: 'default.example.net' }))
    world = having(world, 'ips.update', update('host.example.org'))
    expect(expects(world, 'ips.update', update(null))).toBe('accept')
    expect(clauses(world, 'ips.update', update(null), ok({ rdns: 'host.example.org' }))).toEqual(['ips.update.resets'])
    world = having(world, 'ips.update', update(null), ok({ rdns: null }))
    expect(clauses(world, 'ips.view', { path }, ok({ ...path, rdns: 'host.example.org' }))).toEqual([
      'ips.update.takes-effect',
    ])
    expect(clauses(world, 'ips.view', { path }, ok({ ...path, rdns: 'default.example.net' }))).toEqual([])
  })

  test('is unknown once its address has moved', () => {
    const named = having(start(), 'ips.update', update('host.example.org'))
    const moved = having(named, 'ips.assign', assign('r1', ['203.0.113.7', 102]))
    expect(clauses(moved, 'ips.view', { path }, ok({ ...path, rdns: 'default.example.net' }))).toEqual([])
  })
})

describe('an allocation', () => {
  const allocate = (node_id: number, isPublic = true): Call => ({ body: { node_id, public: isPublic, type: 'ipv4' } })

  test('needs a node that allows extra addresses', () => {
    expect(clauses(start(), 'ips.allocate', allocate(104), ok({ address: '198.18.0.1' }))).toEqual([
      'ips.allocate.extra-addresses',
    ])
    expect(expects(start(), 'ips.allocate', allocate(101))).toBe('accept')
    expect(expects(start(), 'ips.allocate', allocate(105))).toBe('either')
  })

  test('yields an IPv4 address on that node', () => {
    expect(clauses(start(), 'ips.allocate', allocate(101), ok({ address: '2001:db8::1' }))).toContain(
      'ips.allocate.ipv4',
    )
    expect(clauses(start(), 'ips.allocate', allocate(101), ok({ address: '198.18.0.1', node_id: 102 }))).toEqual([
      'ips.allocate.shows.node_id',
    ])
    expect(clauses(start(), 'ips.allocate', allocate(101), ok({ address: '203.0.113.7' }))).toContain(
      'ips.allocate.new',
    )
    expect(clauses(start(), 'ips.allocate', allocate(101), ok({}))).toEqual([])
  })

  test('of a second private address breaks what may be inferred, not what is said', () => {
    const judged = say(start(), 'ips.allocate', allocate(102, false), ok({ address: '192.168.1.1' }))
    expect(judged.deviations.map(({ clause, level }) => [clause, level])).toEqual([
      ['ips.allocate.one-private', 'should'],
    ])
  })

  test('of a second private address leaves a node of which every assignment may be refused', () => {
    const moved = assign('r1', ['203.0.113.17', 102])
    expect(expects(start(), 'ips.assign', moved)).toBe('accept')
    const second = ok({ address: '192.168.128.200', public: false, node_id: 102, region: 'r1' })
    const { world } = say(start(), 'ips.allocate', allocate(102, false), second)
    expect(expects(world, 'ips.assign', moved)).toBe('either')
  })
})

test('an address may be shown with the prefix length of a host', () => {
  const [four, six] = ['203.0.113.17', '2001:db8::f03c:91ff:fe00:101']
  const body = { node_id: 101, public: true, type: 'ipv4' }
  expect(clauses(start(), 'ips.view', { path: { address: four } }, ok({ address: `${four}/32` }))).toEqual([])
  expect(clauses(start(), 'ips.view', { path: { address: six } }, ok({ address: `${six}/128`, rdns: null }))).toEqual(
    [],
  )
  expect(clauses(start(), 'ips.allocate', { body }, ok({ address: '198.51.100.1/32' }))).toEqual([])
  expect(clauses(start(), 'ips.view', { path: { address: four } }, ok({ address: `${four}/31` }))).toEqual([
    'ips.view.shows.address',
  ])
})

test('a text that is no address names nothing', () => {
  const judged = say(start(), 'ips.view', { path: { address: 'web-1' } }, ok({}))
  expect(judged.deviations.map(({ clause, level }) => [clause, level])).toEqual([
    ['ips.view.path.address.exists', 'should'],
  ])
})

test('an address of which it is not known whether it is private may go to a node that has two private ones', () => {
  const own = { account: 'main', public: false, type: 'ipv4', node_id: 102, region: 'r1' } as const
  const known: readonly Entity<Ip>[] = [
    ...['192.168.133.234', '192.168.133.235'].map((address) => ({ ...own, key: address, address })),
    { account: 'main', key: '198.51.100.77', address: '198.51.100.77', region: 'r1', node_id: 101 },
  ]
  const world = known.reduce((before, one) => put(before, ips, one), startWorld(embeddedEnvironment()))
  const body = { region: 'r1', assignments: [{ address: '198.51.100.77', node_id: 102 }] }
  expect(say(world, 'ips.assign', { body }, ok()).expects).toBe('either')
})
