import { describe, expect, test } from 'vitest'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import { type Exchange, gating, harOf, judgeExchanges, page, recordingsOf, told, volume } from './traffic.js'

const as = 'owner'
const refusal = { errors: [{ field: '', reason: 'no' }] }
const disk = { path: { volumeId: 7 } }
const attached = { node_id: 101, node_label: 'node-101' }
const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const attaches = told('volumes.attach', { as, ...disk, body: { node_id: 101 } }, 200, volume(attached))
const views = (fields: object = {}, more: Partial<Exchange> = {}) =>
  told('volumes.view', { as, ...disk }, 200, volume(fields), more)

const rules = (port: string) => ({
  inbound: [{ protocol: 'TCP', ports: port, addresses: { ipv4: ['192.0.2.0/24'] }, action: 'ACCEPT' }],
  inbound_policy: 'DROP',
  outbound: [],
  outbound_policy: 'ACCEPT',
})
const firewall = { path: { firewallId: 1 } }
const replaces = (port: string, by: string) =>
  told('firewall-rules.update', { as: by, ...firewall, body: rules(port) }, 200, rules(port))

const device = { id: 5, entity: { id: 101, type: 'node' } }
const assigns = told('firewall-devices.create', { as, ...firewall, body: { id: 101, type: 'node' } }, 200, device)
const devices = (...data: readonly object[]) => told('firewall-devices.list', { as, ...firewall }, 200, page(...data))

const bucket = { cluster: 'c1', label: 'mine' }
const settings = (...ids: readonly number[]) =>
  told('managed-node-settings.list', { as }, 200, page(...ids.map((id) => ({ id, ssh: { access: true } }))))
const opens = (id: number) =>
  told('tickets.create', { as, body: { summary: `s${id}`, description: 'd' } }, 200, { id, summary: `s${id}` })
const closes = told('tickets.close', { as, path: { ticketId: 2 } }, 200, {})
const tagged = told('tags.create', { as, body: { label: 'abc', nodes: [101] } }, 200, { label: 'abc' })
const objects = (...data: readonly object[]) => told('tags.view', { as, path: { tagLabel: 'abc' } }, 200, page(...data))

test('a node that is gone by the end was there when a call was sent, though that is judged with others of the same time', () => {
  const address = '203.0.113.7'
  const on = { node_id: 102, node_label: 'node-102' }
  const assignments = [{ address, node_id: 102 }]
  const make = { as, body: { label: 'disk', node_id: 102 } }
  const tags = { tags: ['aa'] }
  const shown = { address, type: 'ipv4', public: true, node_id: null, region: 'r1', rdns: null }
  const calls = [
    told('volumes.create', make, 200, volume(on), { at: 0, ms: 5 }),
    told('ips.assign', { as, body: { region: 'r1', assignments } }, 200, {}, { at: 50, ms: 5 }),
    told('tickets.list', { as }, 200, page(), { at: 100, ms: 200 }),
    told('volumes.update', { as, ...disk, body: tags }, 200, volume({ ...on, ...tags }), { at: 110, ms: 10 }),
    told('ips.view', { as, path: { address } }, 200, shown, { at: 150, ms: 10 }),
  ]
  expect(gating(judgeExchanges(calls, true))).toEqual([])
})

describe('what others may have done is no finding:', () => {
  test.each<[string, readonly Exchange[]]>([
    [
      'two clients that replace the rules of a firewall',
      [
        replaces('22', 'one'),
        replaces('80', 'two'),
        told('firewall-rules.view', { as: 'one', ...firewall }, 200, rules('80')),
      ],
    ],
    ['a node that is deleted', [creates, attaches, views(attached), views()]],
    ['a node that is renamed', [creates, attaches, views({ ...attached, node_label: 'renamed' })]],
    [
      'a node that is deleted and was behind a firewall',
      [
        assigns,
        devices(device),
        devices(),
        told('firewall-devices.view', { as, path: { firewallId: 1, deviceId: 5 } }, 404, refusal),
      ],
    ],
    ['a node that is deleted and was managed', [settings(101, 102), settings(102)]],
    ['a node that loses its tags', [tagged, objects({ type: 'node', data: { id: 101 } }), objects()]],
    [
      'the access to a bucket that the S3 API sets',
      [
        told('buckets.create', { as, body: bucket }, 200, { ...bucket, acl: 'private', cors_enabled: false }),
        told('buckets.view', { as, path: { clusterId: 'c1', bucket: 'mine' } }, 200, {
          ...bucket,
          acl: 'public-read',
          cors_enabled: true,
        }),
      ],
    ],
    [
      'a ticket that the staff closed',
      [
        opens(1),
        opens(2),
        closes,
        told('tickets.list', { as }, 200, page({ id: 2, summary: 's2' }, { id: 1, summary: 's1' })),
      ],
    ],
    [
      'the remains of a firewall that somebody deleted',
      [
        told('firewalls.create', { as, body: { label: 'web', rules: rules('22') } }, 200, {
          id: 1,
          label: 'web',
          status: 'enabled',
          tags: [],
          rules: rules('22'),
        }),
        told('firewalls.view', { as, ...firewall }, 200, {
          id: 1,
          label: 'web',
          status: 'deleted',
          tags: [],
          rules: rules('22'),
        }),
      ],
    ],
  ])('%s', (_, exchanges) => {
    expect(gating(judgeExchanges(exchanges, true))).toEqual([])
  })

  test('rules that were replaced while lost updates were followed no longer', () => {
    const lost = { ...replaces('443', 'one'), status: 502, reply: undefined }
    const shown = told('firewall-rules.view', { as: 'one', ...firewall }, 200, rules('443'))
    expect(gating(judgeExchanges([replaces('22', 'one'), ...Array(7).fill(lost), shown], true))).toEqual([])
  })
})

describe('where every call of every client was recorded', () => {
  const [ann, bob] = ['ann', 'bob']
  const views = (size: number) => told('volumes.view', { as: ann, ...disk }, 200, volume({ size }))
  const grows = (id: number) =>
    told('volumes.resize', { as: bob, path: { volumeId: id }, body: { size: 30 } }, 200, volume({ id, size: 30 }))
  const judge = (exchanges: readonly Exchange[]) => {
    const [recording] = recordingsOf(harOf(exchanges))
    const { environment, ...rest } = recording as NonNullable<typeof recording>
    const explanations = { gap: false, interference: false }
    return gating(judgeTraffic({ ...rest, environment: { ...environment, explanations }, mayLack: true }))
  }
  test('another token may have changed what it names, even if nothing tells that it is of the same account', () => {
    expect(judge([views(20), grows(7), views(30)])).toEqual([])
    expect(judge([views(20), grows(8), views(30)])).toEqual(['volumes.view.shows.size:size'])
    expect(judge([views(20), views(30)])).toEqual(['volumes.view.shows.size:size'])
  })
  test('what was seen after the last change of another token still stands', () => {
    expect(judge([grows(7), views(30), views(40)])).toEqual(['volumes.view.shows.size:size'])
  })
})

describe('where accounts may count their resources anew', () => {
  const made = { id: 1001, label: 'theirs', bucket_access: null }
  const makes = told('object-keys.create', { as: 'other', body: { label: 'theirs' } }, 200, made)
  const found = (reply: object) => {
    const views = told('object-keys.view', { as, path: { keyId: 1001 } }, 200, reply)
    return judgeExchanges([makes, views], true).found.map(({ id }) => id)
  }
  test('a caller may have one of the same id from before, unless it is shown what the other account has', () => {
    expect(found({ id: 1001 })).toEqual([])
    expect(found({ ...made, label: 'mine' })).toEqual([])
    expect(found(made)).toEqual(['object-keys.view.path.keyId.exists:accepted'])
  })
})

describe('what nobody else can have done is a finding:', () => {
  test('a volume that leaves a node which is there later', () => {
    const later = told('volumes.create', { as, body: { label: 'b', node_id: 101 } }, 200, {
      ...volume({ id: 8, label: 'b', filesystem_path: '/dev/disk/by-id/scsi-0Node_Volume_b' }),
      ...attached,
    })
    const left = { ...views(), at: 2500 }
    expect(gating(judgeExchanges([creates, attaches, views(attached), left, { ...later, at: 2600 }], true))).toEqual([
      'volumes.view.shows.node_id:node_id',
    ])
  })
  test('a bucket that is there after the recording has made and deleted it', () => {
    const made = [
      told('buckets.create', { as, body: bucket }, 200, bucket),
      told('buckets.delete', { as, path: { clusterId: 'c1', bucket: 'mine' } }, 200, {}),
    ]
    const lists = told('buckets.list', { as }, 200, page(bucket))
    expect(gating(judgeExchanges([...made, lists], true))).toEqual(['buckets.list.only-live:deleted'])
    const stranger = { as: 'a stranger' }
    const diskOfOthers = told('volumes.create', { ...stranger, body: { label: 'disk', region: 'r1' } }, 200, volume())
    expect(gating(judgeExchanges([...made, diskOfOthers, lists], true))).toEqual(['buckets.list.only-live:deleted'])
    const bucketOfOthers = told('buckets.create', { ...stranger, body: { ...bucket, label: 'theirs' } }, 200)
    expect(gating(judgeExchanges([...made, bucketOfOthers, lists], true))).toEqual([])
  })
  test('another label of a service that this recording has disabled, and that says so', () => {
    const sent = { label: 'web', service_type: 'url', address: 'https://example.org/', timeout: 30 }
    const service = { path: { serviceId: 3 } }
    const shows = (fields: object) =>
      told('managed-services.view', { as, ...service }, 200, { id: 3, ...sent, ...fields })
    const made = told('managed-services.create', { as, body: sent }, 200, { id: 3, ...sent, status: 'ok' })
    const disables = told('managed-services.disable', { as, ...service }, 200, {})
    const other = { label: 'other', status: 'disabled' }
    expect(gating(judgeExchanges([made, disables, shows(other)], true))).toEqual([
      'managed-services.view.shows.label:label',
    ])
    // Without that, others may have deleted it.
    expect(gating(judgeExchanges([made, shows(other)], true))).toEqual([])
  })
  test('a closed ticket before one that was opened only then', () => {
    const shown = told('tickets.list', { as }, 200, page({ id: 2, summary: 's2' }, { id: 1, summary: 's3' }))
    expect(gating(judgeExchanges([opens(1), opens(2), closes, shown], true))).toEqual([
      'tickets.list.shows.summary:summary',
    ])
  })
})

describe('an id that was given again', () => {
  const deletes = told('volumes.delete', { as, ...disk }, 200, {})
  const later = { created: '2026-01-02T00:00:00' }
  const lists = told('volumes.list', { as }, 200, page(volume(later)))
  const makesAgain = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume(later))

  test('is that of something else, which others have made, where what lasts is another', () => {
    expect(gating(judgeExchanges([creates, deletes, views(later), lists], true))).toEqual([])
    expect(gating(judgeExchanges([creates, deletes, views()], true))).toEqual([
      'volumes.delete.takes-effect:still-there',
    ])
  })
  test('tells of a target that gives ids again that what is shown otherwise is no more what it was', () => {
    const again = [creates, deletes, makesAgain]
    const third = views({ created: '2026-01-03T00:00:00' })
    expect(gating(judgeExchanges([...again, third], true))).toEqual([])
    expect(gating(judgeExchanges([creates, views(later)], true))).toEqual(['volumes.view.shows.created:created'])
  })
  test('may be given once more, so that what it names need not be gone', () => {
    const { found } = judgeExchanges([creates, deletes, makesAgain, deletes, deletes], true)
    expect(found).toEqual([])
    expect(judgeExchanges([creates, deletes, deletes], true).found.map(({ id }) => id)).toEqual([
      'volumes.delete.path.volumeId.exists:accepted',
    ])
  })
})

describe('a list that may lag', () => {
  const renames = told('volumes.update', { as, ...disk, body: { label: 'new' } }, 200, {
    ...volume({ label: 'new', filesystem_path: '/dev/disk/by-id/scsi-0Node_Volume_new' }),
  })
  const lists = (...data: readonly object[]) => told('volumes.list', { as }, 200, page(...data))
  const judge = (listLagMs: number, exchanges: readonly Exchange[]) => {
    const [recording] = recordingsOf(harOf(exchanges), true)
    return gating(judgeTraffic({ ...(recording as NonNullable<typeof recording>), listLagMs, mayLack: false }))
  }
  const renamed = views({ label: 'new', filesystem_path: '/dev/disk/by-id/scsi-0Node_Volume_new' })

  test.each<[string, readonly Exchange[]]>([
    ['shows the old values', [creates, renames, lists(volume()), renamed]],
    ['misses what was made', [creates, lists(), views()]],
    ['shows what was removed', [creates, told('volumes.delete', { as, ...disk }, 200, {}), lists(volume())]],
  ])('%s for that long and no longer', (_, exchanges) => {
    expect(judge(1000, exchanges)).toEqual([])
    expect(judge(0, exchanges)).not.toEqual([])
  })
  test('may count its records later than it shows them, and needs no more pages for that', () => {
    const counted = (results: number, pages: number): Exchange =>
      told('managed-contacts.list', { as }, 200, { data: [], page: 1, pages, results })
    const made = told('managed-contacts.create', { as, body: { name: 'ab' } }, 200, { id: 4, name: 'ab' })
    expect(judge(1000, [made, counted(1, 1)])).toEqual([])
    expect(judge(0, [made, counted(1, 1)])).toContain('managed-contacts.list.page-size:page-size')
    expect(judge(1000, [made, counted(0, 2)])).toEqual(['managed-contacts.list.pages:pages'])
  })
  test('still has its form', () => {
    expect(judge(1000, [creates, told('volumes.list', { as }, 200, { data: [volume(), volume()], page: 1 })])).toEqual([
      'volumes.list.envelope:envelope',
    ])
  })
})
