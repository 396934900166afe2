import { describe, expect, test } from 'vitest'
import { find } from '../../models/language/world.js'
import { nodeSettings } from '../../models/managed-node-settings/record.js'
import { eitherWay } from '../../oracle/unfollowed.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { pageOf, type Told, told } from './stories.js'

const path = { nodeId: 101 }
const all = { access: false, ip: 'any', port: 2222, user: 'ops' }
const update = (ssh: object, reply: unknown = {}, status = 200): Told => [
  'managed-node-settings.update',
  { path, body: { ssh } },
  status,
  reply,
]
const view = (ssh: object): Told => ['managed-node-settings.view', { path }, 200, { id: 101, ssh }]
const refusal = { errors: [{ field: 'ip', reason: 'no' }] }
const nodes = (embeddedEnvironment().fixtures.nodes ?? []).flatMap(({ id, account }) => (account ? [] : [id]))
const own = embeddedEnvironment().fixtures.nodes?.find(({ id }) => id === 101)?.ipv4?.public?.[0]
const unheardOf = 150
const list = (...records: readonly object[]) =>
  told([['managed-node-settings.list', {}, 200, pageOf(...records)]]).deviations
const listAfter = (change: Told, ...records: readonly object[]) =>
  told([change, ['managed-node-settings.list', {}, 200, pageOf(...records)]], { closed: ['managed-node-settings'] })
    .deviations

describe('an update of every member', () => {
  test('is taken', () =>
    expect(told([update({ ...all, ip: own }, refusal, 400)]).deviations).toEqual([
      'must managed-node-settings.update.accepts',
    ]))
  test('may be answered with a job that has an id of its own, but with no settings of another node', () => {
    expect(told([update(all, { id: 990, state: 'queued' }, 202)]).deviations).toEqual([])
    expect(told([update(all, { id: 990, ssh: all })]).deviations).toEqual(['should managed-node-settings.update.by-id'])
  })
  test.each([
    ['access', true],
    ['port', 2223],
    ['user', 'root'],
    ['ip', '203.0.113.7'],
  ])('is broken where %s is shown as %s', (member, value) =>
    expect(told([update(all), view({ ...all, [member]: value })]).deviations).toEqual([
      'must managed-node-settings.view.shows.ssh',
    ]),
  )
  test.each(['Any', '', null, '0.0.0.0', '::', '*', '0.0.0.0/0', '::/0'])('may show any address as %o', (ip) =>
    expect(told([update(all), view({ ...all, ip })]).deviations).toEqual([]),
  )
  test('may show any address otherwise each time', () =>
    expect(
      told([
        view({ ...all, ip: null, user: '' }),
        view({ ...all, ip: '0.0.0.0', user: null }),
        view({ ...all, user: 'root' }),
      ]).deviations,
    ).toEqual([]))
  test('may show no user as an empty one', () =>
    expect(
      told([update({ ...all, user: null }, { ssh: { ...all, user: '' } }), view({ ...all, user: '' })]).deviations,
    ).toEqual([]))
  test('may show null as what it means', () => {
    const none = { ...all, port: null, user: null }
    expect(told([update(none), view({ ...all, port: 22, user: 'root' })]).deviations).toEqual([])
  })
  test('does not show another port after null', () =>
    expect(told([update({ ...all, port: null }, { ssh: { ...all, port: 2200 } })]).deviations).toContain(
      'must managed-node-settings.update.nullable',
    ))
  test('takes an address of the node', () =>
    expect(told([update({ ...all, ip: '203.0.113.7' }, refusal, 400)]).deviations).toEqual([
      'must managed-node-settings.update.accepts',
    ]))
  test.each([
    ['203.0.113.7/32', []],
    ['203.0.113.7/24', ['must managed-node-settings.update.address']],
    ['203.0.113.8/32', ['must managed-node-settings.update.address']],
  ])('may show an address as a network that holds it alone: %s', (ip, deviations) =>
    expect(told([update({ ...all, ip: '203.0.113.7' }, { ssh: { ...all, ip } })]).deviations).toEqual(
      deviations.length === 0 ? [] : expect.arrayContaining(deviations),
    ),
  )
  test('may refuse an address of another node', () =>
    expect(told([update({ ...all, ip: '203.0.113.8' }, refusal, 400)]).deviations).toEqual([]))
  test.each([
    ['port.minimum', { port: 0 }],
    ['port.maximum', { port: 65536 }],
    ['user.maxLength', { user: 'x'.repeat(33) }],
    ['ip.format', { ip: 'nowhere' }],
  ])('keeps %s', (clause, change) =>
    expect(told([update({ ...all, ...change })]).deviations).toEqual([
      `must managed-node-settings.update.body.ssh.${clause}`,
    ]),
  )
})

describe('an update of some members', () => {
  test('may be refused', () => expect(told([update({ port: 2222 }, refusal, 400)]).deviations).toEqual([]))
  test('may reset the others', () =>
    expect(
      told([update(all), update({ port: 1 }), view({ access: true, ip: 'any', port: 1, user: null })]).deviations,
    ).toEqual([]))
  test('changes what it gives', () =>
    expect(told([update(all), update({ port: 1 }), view(all)]).deviations).toEqual([
      'must managed-node-settings.update.takes-effect',
    ]))
  test('shows in its reply what became of the others', () =>
    expect(
      told([update({ port: 1 }, { ssh: { ...all, port: 1 } }), view({ ...all, port: 1, user: 'x' })]).deviations,
    ).toEqual(['must managed-node-settings.view.shows.ssh']))
})

describe('the list', () => {
  test('has an entry for every node', () =>
    expect(list(...nodes.slice(1).map((id) => ({ id })))).toContain('must managed-node-settings.list.one-per-node'))
  test('has no entry twice, whatever names it', () => {
    expect(list(...[...nodes, 101].map((id) => ({ id })))).toEqual(['must managed-node-settings.list.one-per-node'])
    expect(list(...[...nodes.slice(1), 102].map((id) => ({ id })))).toContain(
      'must managed-node-settings.list.one-per-node',
    )
    expect(list(...nodes.map((node_id) => ({ id: 1, node_id })))).toEqual([])
  })
  test('may name nodes in its own way', () => expect(list(...nodes.map(() => ({ ssh: all })))).toEqual([]))
  test('may have ids of its own, at the price of a doubt', () =>
    expect(list(...nodes.map((id) => ({ id: id + 5000 })))).toEqual(['should managed-node-settings.list.by-id']))
  test('has the nodes that it names by node_id', () =>
    expect(list(...nodes.map((id) => ({ node_id: id === 101 ? unheardOf : id })))).toEqual([
      'must managed-node-settings.list.one-per-node',
    ]))
  test('shows the settings of the node that an entry names', () =>
    expect(listAfter(update(all), ...nodes.map((id) => ({ id: id + 1, node_id: id, ssh: {} })))).toEqual([]))
  test('is broken where that node has other settings', () =>
    expect(listAfter(update(all), ...nodes.map((id) => ({ node_id: id, ssh: { port: 2224 } })))).toContain(
      'must managed-node-settings.list.shows.ssh',
    ))
  test('may have entries whose own ids are those of other nodes', () =>
    expect(
      listAfter(update(all), ...nodes.map((id) => ({ id: id + 1, ssh: id === 101 ? all : { port: null } }))).filter(
        (one) => one.startsWith('must'),
      ),
    ).toEqual([]))
  describe('of entries without a node_id, where a view has shown an id', () => {
    const listed = (entry: object, ...before: readonly Told[]) =>
      told([...before, ['managed-node-settings.list', {}, 200, pageOf(entry)]]).deviations.filter((one) =>
        one.includes('as-viewed'),
      )
    const viewedAs = (nodeId: number, id: number): Told => [
      'managed-node-settings.view',
      { path: { nodeId } },
      200,
      { id, ssh: nodeId === 101 ? all : {} },
    ]
    const broken = ['must managed-node-settings.list.as-viewed']
    test('shows the settings of the node under that id', () => {
      expect(listed({ id: 7, ssh: { ...all, port: 1 } }, update(all), viewedAs(101, 7))).toEqual(broken)
      expect(listed({ id: 7, ssh: all }, update(all), viewedAs(101, 7))).toEqual([])
    })
    test('may show other settings where others use the account, who may have changed them since', () => {
      const environment = { ...embeddedEnvironment(), exclusive: false }
      const list: Told = ['managed-node-settings.list', {}, 200, pageOf({ id: 7, ssh: { ...all, port: 1 } })]
      expect(told([update(all), viewedAs(101, 7), list], { environment }).deviations).not.toContain(broken[0])
    })
    test('may show anything under another id, or under one that every view shows', () => {
      expect(listed({ id: 101, ssh: { ...all, port: 1 } }, update(all), viewedAs(101, 7))).toEqual([])
      expect(listed({ id: 7, ssh: { ...all, port: 1 } }, update(all), viewedAs(101, 7), viewedAs(102, 7))).toEqual([])
    })
  })
  test('may have an entry for a node that the target file does not name', () =>
    expect(listAfter(update(all), ...[...nodes, unheardOf].map((node_id) => ({ node_id })))).toEqual([]))
  test.each(['node_id', 'id'])('has no entry that bears the %s of a node of another account', (name) =>
    expect(listAfter(update(all), ...[...nodes, 201].map((id) => ({ [name]: id })))).toContain(
      'should managed-node-settings.list.no-more',
    ),
  )
  test('has nodes that the target file does not list', () =>
    expect(list(...[...nodes, unheardOf].map((id) => ({ id })))).toEqual([]))
})

describe('settings of which two histories are possible', () => {
  const worldAfter = (...calls: readonly Told[]) => told(calls).world
  const seen = { access: true, ip: 'any', port: null, user: 'ops' }
  test('are known as far as both tell', () => {
    const updated = worldAfter(view(seen), update({ user: 'ops' }))
    const reset = worldAfter(view(seen), update({ user: 'ops' }), update({ port: null }))
    const either = find(eitherWay(updated, reset), nodeSettings, '101')
    expect(either?.ssh?.user).toBeUndefined()
    expect(find(eitherWay(updated, updated), nodeSettings, '101')?.ssh?.user).toBe('ops')
  })
})
