// Replies that the document leaves open, as stories: what they may show finds nothing, and what goes beyond it is found.
import { describe, expect, test } from 'vitest'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { isClosed } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { volumes } from '../../models/volumes/record.js'
import { createSurveyor } from '../../oracle/survey.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { pageOf, refusal, type Told, told } from './stories.js'

const volume = {
  id: 7,
  label: 'web',
  status: 'active',
  size: 20,
  region: 'r1',
  hardware_type: 'nvme',
  filesystem_path: '/dev/disk/by-id/scsi-0Node_Volume_web',
  node_id: null,
  node_label: null,
  tags: [],
  created: '2026-01-01T00:00:00Z',
  updated: '2026-01-01T00:00:00Z',
}
const made: Told = ['volumes.create', { body: { label: 'web', region: 'r1' } }, 200, volume]
const path = { volumeId: 7 }

describe('a reply to a write whose time is not said', () => {
  const attached = (node: number | null): Told => [
    'volumes.attach',
    { path, body: { node_id: 101 } },
    200,
    { ...volume, node_id: node, node_label: node === null ? null : 'web-1' },
  ]
  const resized = (size: number): Told => ['volumes.resize', { path, body: { size: 30 } }, 200, { ...volume, size }]

  test('may show the volume as it was', () => {
    for (const last of [attached(null), attached(101), resized(20), resized(30)])
      expect(told([made, last]).deviations).toEqual([])
  })
  test('shows no third value', () => {
    expect(told([made, attached(102)]).deviations).toContain('must volumes.attach.shows.node_id')
    expect(told([made, resized(25)]).deviations).toEqual(['must volumes.resize.shows.size'])
  })
  test('may show a volume that was attached already without a node', () => {
    const onNode = { ...volume, node_id: 101, node_label: 'web-1' }
    const before: Told = ['volumes.create', { body: { label: 'web', node_id: 101 } }, 200, onNode]
    expect(told([before, attached(null)]).deviations).toEqual([])
    expect(told([before, attached(null), ['volumes.view', { path }, 200, onNode]]).deviations).toEqual([])
    const lost = told([before, attached(null), ['volumes.view', { path }, 200, volume]])
    expect(lost.deviations).not.toEqual([])
    expect(told([before, attached(102)]).deviations).toContain('must volumes.attach.shows.node_id')
  })
  test('may show a volume as active before it is attached to the node that it was created for', () => {
    const create = (node_id: number | null): Told => [
      'volumes.create',
      { body: { label: 'web', node_id: 101 } },
      200,
      { ...volume, node_id, node_label: node_id === null ? null : 'web-1' },
    ]
    const view = (node_id: number | null): Told => ['volumes.view', { path }, 200, create(node_id)[3] as object]
    const later = told([create(null), view(101)])
    expect(later.deviations).toEqual([])
    expect(later.held).toContain('volumes.create.attached')
    expect(told([create(102)]).deviations).toContain('must volumes.create.attached')
    const never = told([create(null), view(null)])
    expect(never.deviations).toContain('must volumes.create.attached')
    expect(never.held).not.toContain('volumes.create.attached')
  })
  test('may tell that a volume is where it is to be, whatever profile is named', () => {
    const onNode = { ...volume, node_id: 101, node_label: 'web-1' }
    const before: Told = ['volumes.create', { body: { label: 'web', node_id: 101 } }, 200, onNode]
    const again: Told = ['volumes.attach', { path, body: { node_id: 101, config_id: 1 } }, 200, onNode]
    expect(told([before, again]).deviations).toEqual([])
    expect(told([made, again]).deviations).toContain('must volumes.attach.config-of-node')
  })
  test('leaves the effect to be shown later on', () => {
    const view: Told = ['volumes.view', { path }, 200, volume]
    expect(told([made, attached(null), view]).deviations).toContain('must volumes.attach.takes-effect')
    expect(told([made, resized(20), view]).deviations).toEqual(['must volumes.resize.takes-effect'])
  })
})

test('the reply to an update may repeat a member that it does not have', () => {
  const username = (name: string): Told => [
    'managed-credentials.update',
    { path: { credentialId: 5 }, body: { label: 'new', username: 'other' } },
    200,
    { label: 'new', username: name },
  ]
  const create: Told = [
    'managed-credentials.create',
    { body: { label: 'db', password: 'Aa1-x-Zz9', username: 'root' } },
    200,
    { id: 5, label: 'db' },
  ]
  const view: Told = ['managed-credentials.view', { path: { credentialId: 5 } }, 200, { id: 5, username: 'other' }]
  expect(told([create, username('other')]).deviations).toEqual([])
  expect(told([create, username('third')]).deviations).toEqual(['must managed-credentials.update.username-kept'])
  expect(told([create, username('other'), view]).deviations).toHaveLength(1)
})

test('a change of an id that was given again may be a change of what was made since', () => {
  const body = (name: string) => ({ name, email: `${name}@example.org` })
  const at = { path: { contactId: 7 } }
  const story: readonly Told[] = [
    ['managed-contacts.create', { body: body('anna') }, 200, { id: 7 }],
    ['managed-contacts.delete', at, 200, {}],
    ['managed-contacts.create', { body: body('berta') }, 200, {}],
    ['managed-contacts.update', { ...at, body: body('clara') }, 200, {}],
    ['managed-contacts.list', {}, 200, pageOf({ id: 7, ...body('clara') })],
  ]
  expect(told(story, { closed: ['managed-contacts'] }).deviations).toEqual([])
})

test('a range may stand in an object that is called range as well', () => {
  const body = { prefix_length: 64, node_id: 101 }
  const view = (range: string): readonly Told[] => [
    ['ipv6-ranges.create', { body }, 200, { range: '2001:db8:7::/64' }],
    ['ipv6-ranges.view', { path: { range: '2001:db8:7::' } }, 200, { status: 'ok', range: { range, prefix: 64 } }],
  ]
  expect(told(view('2001:db8:7::')).deviations).toEqual([])
  expect(told(view('2001:db8:8::')).deviations).toEqual(['must ipv6-ranges.view.shows.range'])
})

describe('an address', () => {
  const record = (node: number) => ({ address: '203.0.113.7', node_id: node, public: true, type: 'ipv4' })
  test.each([
    ['once for each node', [101, 102], []],
    ['twice for one', [101, 101], ['must ips.list.no-duplicates']],
  ])('is listed %s', (_, nodes, expected) =>
    expect(told([['ips.list', {}, 200, { ...pageOf(...nodes.map(record)), pages: 2, results: 4 }]]).deviations).toEqual(
      expected,
    ),
  )
  test('may be listed for each node without telling which', () => {
    const { address } = record(101)
    const list: Told = ['ips.list', {}, 200, { ...pageOf({ address }, { address }), pages: 2, results: 4 }]
    expect(told([list]).deviations).toEqual([])
  })
})

describe('pages whose bounds are not shown', () => {
  const page = (number: number, data: readonly object[], results = data.length) => ({
    data,
    page: number,
    pages: 1,
    results,
  })
  test('may be counted from 0, but not from 2', () => {
    const list = (number: number): Told => ['volumes.list', {}, 200, { ...page(number, [volume], 2), pages: 2 }]
    expect(told([made, list(0)]).deviations).toEqual([])
    expect(told([made, list(2)]).deviations).toContain('must volumes.list.page')
  })
  test('may have a second one that is called 1', () => {
    const second: Told = ['volumes.list', { query: { page: 1 } }, 200, page(1, [], 1)]
    expect(told([made, second], { closed: ['volumes'] }).deviations).toEqual([])
  })
  test('may not be had at all: the first one is shown in place of the second, and called 1', () => {
    const asked = (id: string, number: number): Told => [
      id,
      { query: { page: 2 } },
      200,
      { ...page(number, [{ label: 'blue' }], 2), pages: 2 },
    ]
    expect(told([asked('tags.list', 1)]).deviations).toEqual([])
    expect(told([asked('tags.list', 3)]).deviations).toEqual(['should tags.list.page'])
    expect(told([asked('firewalls.list', 1)]).deviations).toContain('must firewalls.list.page')
  })
  test('are counted from 1 where they are', () => {
    const list: Told = ['firewalls.list', {}, 200, page(0, [])]
    expect(told([list]).deviations).toEqual(['must firewalls.list.page'])
  })
})

test('a tagged object may tell nothing of itself', () => {
  const view = (record: object): readonly Told[] => [
    made,
    ['tags.create', { body: { label: 'blue', volumes: [7] } }, 200, {}],
    ['tags.view', { path: { tagLabel: 'blue' } }, 200, pageOf(record)],
  ]
  expect(told(view({ type: 'volume' })).deviations).toEqual([])
  expect(told(view({ type: 'volume', data: { id: 8 } })).deviations).toEqual(['should tags.view.names-objects'])
})

describe('what was there before a run is known', () => {
  const op = operationById('volumes.list') as Operation
  const known = (...pages: readonly (readonly number[])[]): boolean => {
    const follow = createSurveyor(embeddedEnvironment())
    const world = pages.reduce(
      (before, ids, i) => {
        const query: Record<string, string> = i === 0 ? {} : { page: String(i + 1) }
        const body = { data: ids.map((id) => ({ id })), page: i + 1, pages: pages.length, results: 4 }
        const call = { operation: op.id, method: op.method, url: op.path, as: 'owner', path: {}, query }
        return follow({ op, call, outcome: { status: 200, body } } as never, true)(before)
      },
      startWorld(embeddedEnvironment(), {}),
    )
    return isClosed(world, volumes, 'main')
  }
  test('once all of it has been seen, in whatever order', () => {
    expect([known([1, 2], [3, 4]), known([4, 1], [2, 3])]).toEqual([true, true])
    expect(known([1, 2], [2, 3])).toBe(false)
  })
})

test('an account in debt is refused what the document says, and nothing else', () => {
  const indebted = { ...embeddedEnvironment() }
  const as = indebted.tokens.find(({ user }) => {
    const { account } = indebted.users.find(({ name }) => name === user) ?? {}
    return indebted.accounts.some(({ name, balance }) => name === account && balance === 'negative')
  })?.name
  if (as === undefined) throw new Error('no account in debt')
  expect(told([['volumes.list', { as }, 402, refusal()]]).deviations).toEqual(['must volumes.list.accepts'])
  const key: Told = ['object-keys.create', { as, body: { label: 'backup' } }, 200, { id: 7 }]
  expect(told([key]).deviations).toEqual(['must object-keys.create.negative-balance'])
})

test('a record may stand alone in a list, where it is not shown', () => {
  const view = (...data: readonly object[]): readonly Told[] => [
    ['tickets.create', { body: { summary: 'help', description: 'it is broken' } }, 200, { id: 5 }],
    ['tickets.view', { path: { ticketId: 5 } }, 200, data],
  ]
  expect(told(view({ id: 5, summary: 'help' })).deviations).toEqual([])
  expect(told(view({ id: 5, summary: 'other' })).deviations).toEqual(['must tickets.view.shows.summary'])
  expect(told(view({ id: 5 }, { id: 6 })).deviations).toEqual(['should tickets.view.object'])
})

test('an error without a field is doubted as well where it is not said whether the call is refused', () => {
  const ticketId = { path: { ticketId: 7 } }
  const again = (errors: readonly object[]): readonly Told[] => [
    ['tickets.create', { body: { summary: 'a', description: 'b' } }, 200, { id: 7 }],
    ['tickets.close', ticketId, 200, {}],
    ['tickets.close', ticketId, 400, { errors }],
  ]
  expect(told(again([{ field: 'status', reason: 'no' }])).deviations).toEqual([])
  expect(told(again([{ reason: 'no' }])).deviations).toEqual(['should tickets.close.refusal.field-present'])
})

describe('a statement about a creation whose reply does not show what it is about', () => {
  test('is shown by a later look', () => {
    const creating = { ...volume, status: 'creating' }
    const create: Told = ['volumes.create', { body: { label: 'web', node_id: 101 } }, 200, creating]
    expect(told([create]).held).not.toContain('volumes.create.attached')
    const attached = { ...volume, node_id: 101, node_label: 'web-1' }
    expect(told([create, ['volumes.view', { path }, 200, attached]]).held).toContain('volumes.create.attached')
    const late = told([create, ['volumes.view', { path }, 200, volume]])
    expect(late.deviations).toContain('must volumes.create.attached')
    expect(late.held).not.toContain('volumes.create.attached')
  })
  test('is not shown by what another operation has set', () => {
    const rules = { inbound_policy: 'DROP', outbound_policy: 'DROP' }
    const create: Told = ['firewalls.create', { body: { label: 'web', rules } }, 200, { id: 9 }]
    const at = { firewallId: 9 }
    const view = (status: string): Told => ['firewalls.view', { path: at }, 200, { id: 9, label: 'web', status }]
    expect(told([create, view('enabled')]).held).toContain('firewalls.create.enabled')
    const disable: Told = ['firewalls.update', { path: at, body: { status: 'disabled' } }, 200, {}]
    expect(told([create, disable, view('disabled')]).held).not.toContain('firewalls.create.enabled')
    expect(told([create, view('disabled')]).deviations).toContain('must firewalls.view.shows.status')
  })
})
