// Recordings of targets that conform, with the oddities of recorders and of what they leave out: none of them is a finding.
import { describe, expect, test } from 'vitest'
import type { Recording } from '../../history/recording.js'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import {
  type Exchange,
  entryOf,
  gating,
  harOf,
  judgeExchanges,
  judgeHar,
  named,
  page,
  recordingsOf,
  told,
  volume,
} from './traffic.js'

const as = 'owner'
const refusal = (field: string) => ({ errors: [{ field, reason: 'no' }] })
const disk = { path: { volumeId: 7 } }
const red = { path: { tagLabel: 'red' } }
const tag = { label: 'red' }
const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const views = (fields: object = {}) => told('volumes.view', { as, ...disk }, 200, volume(fields))
const colours = told('volumes.update', { as, ...disk, body: { tags: ['red'] } }, 200, volume({ tags: ['red'] }))

/** Without credentials, so that it is not known whose calls they are. */
const redacted = (exchanges: readonly Exchange[]) => harOf(exchanges.map((one) => ({ ...one, as: undefined })))

describe('where credentials were removed, calls may be those of several accounts, each with tags of its own:', () => {
  test.each<[string, readonly Exchange[]]>([
    [
      'a tag that another account made is on nothing',
      [
        creates,
        told('tags.create', { as, body: tag }, 200, tag),
        colours,
        told('tags.view', { as, ...red }, 200, page()),
      ],
    ],
    [
      'a tag that one account has deleted is there for the other, and stays on what that has',
      [
        creates,
        colours,
        told('tags.create', { as, body: tag }, 200, tag),
        told('tags.delete', { as, ...red }, 200, {}),
        told('tags.list', { as }, 200, page(tag)),
        told('tags.view', { as, ...red }, 200, page()),
        views({ tags: ['red'] }),
      ],
    ],
  ])('%s', (_, exchanges) => {
    expect(gating(judgeHar(redacted(exchanges)))).toEqual([])
  })
})

describe('what is not known of a target is no finding:', () => {
  test('the service of a device that tells its id alone, and whose creation has no reply', () => {
    const path = { firewallId: 9 }
    const rules = { inbound_policy: 'DROP', outbound_policy: 'ACCEPT' }
    const begun = [
      told('firewalls.create', { as, body: { label: 'web', rules } }, 200, { id: 9, label: 'web', status: 'enabled' }),
      told('firewall-devices.create', { as, path, body: { id: 102, type: 'node' } }, 0),
      told('firewall-devices.view', { as, path: { ...path, deviceId: 31 } }, 200, { id: 31 }),
    ]
    const ended = told('ips.allocate', { as, body: { node_id: 102, type: 'ipv4', public: true } }, 200, {
      address: '203.0.113.77',
    })
    const listed = told('firewall-devices.list', { as, path }, 200, page({ id: 31 }))
    expect(gating(judgeHar(redacted([...begun, listed, ended])))).toEqual([])
  })
  test('the settings of a node from which an address was taken that no call has told it has', () => {
    const node = { path: { nodeId: 102 } }
    const ssh = { access: false, ip: '192.168.128.8', port: 2222, user: 'ann' }
    const first = { access: true, ip: 'any', port: null, user: null }
    const body = { assignments: [{ address: '192.168.128.8', node_id: 101 }], region: 'r1' }
    const exchanges = [
      told('managed-node-settings.update', { as, ...node, body: { ssh } }, 200, { id: 102, ssh }),
      told('ipv4.assign', { as, body }, 200, {}),
      told('managed-node-settings.view', { as, ...node }, 200, { id: 102, ssh: first }),
    ]
    expect(gating(judgeExchanges(exchanges))).toEqual([])
    const prompt = [creates, views()]
    expect(gating(judgeExchanges([...prompt, exchanges[0], exchanges[2]] as Exchange[]))).not.toEqual([])
  })
  test('a tag that is refused because it may exist, although it lists what is not of the account', () => {
    const body = { label: 'red', domains: [499] }
    const exchanges = [
      told('tags.create', { as, body }, 400, refusal('label')),
      told('tags.create', { as, body: { label: 'blue' } }, 200, { label: 'blue' }),
    ]
    expect(gating(judgeExchanges(exchanges, true))).toEqual([])
  })
})

describe('what went by beside calls is left out:', () => {
  test('connections of another protocol, by the address or by the status', () => {
    const opens = told('volumes.list', { as }, 101)
    const socket = { ...opens, url: 'wss://api.example.test/v4/volumes', status: 200 }
    const judged = judgeHar(harOf([creates, opens, socket, views()]))
    expect(judged.steps.map(({ op }) => op.id)).toEqual(['volumes.create', 'volumes.view'])
    expect(judged.found).toEqual([])
  })
  test('the durations of other hosts, where none is told of the calls of the target', () => {
    const other = entryOf({ method: 'GET', url: 'https://cdn.example.net/app.js', status: 200, ms: 40 }, 9)
    const deletes = told('volumes.delete', { as, ...disk }, 200, {})
    const calls = [creates, deletes, views()].map((one, i) => entryOf({ ...one, ms: 0, at: i * 100 }, i))
    const json = (...entries: readonly object[]) => ({ log: { version: '1.2', entries } })
    expect(gating(judgeHar(json(...calls, other)))).toEqual([])
  })
})

describe('where too many calls overlap to be put in order,', () => {
  const renames = (label: string, at: number, more: Partial<Exchange> = {}) =>
    told('volumes.update', { as, ...disk, body: { label } }, 200, named(label), { at, ...more })
  const looks = (label: string, at: number) => told('volumes.view', { as, ...disk }, 200, named(label), { at })
  /** All at once, so that any may have been the last. */
  const crowd = Array.from({ length: 10 }, (_, i) => renames(`crowd-${i}`, 200 + i, { ms: 100 }))
  const slow = told('volumes.list', { as }, 200, page(), { at: 150, ms: 5000 })
  test('those after them are judged all the same, though one of them goes on', () => {
    const judged = (label: string) =>
      judgeExchanges([{ ...creates, at: 0 }, slow, ...crowd, renames('z', 1000), ...later, looks(label, 4000)], true)
    const later = Array.from({ length: 10 }, (_, i) => looks('z', 1200 + 100 * i))
    expect(gating(judged('z'))).toEqual([])
    expect(gating(judged('y'))).toContain('volumes.view.shows.label:label')
    const { unordered, steps } = judged('z')
    expect(unordered).toHaveLength(crowd.length + 1)
    expect(steps.map(({ n }) => n)).toEqual(Array.from({ length: crowd.length + later.length + 4 }, (_, i) => i + 1))
  })
  test('a write that was lost before them may still take effect after them', () => {
    const lost = { ...renames('late', 100), status: 0, reply: undefined }
    const exchanges = [{ ...creates, at: 0 }, lost, ...crowd, renames('z', 1000), looks('late', 1200)]
    expect(gating(judgeExchanges(exchanges, true))).toEqual([])
    expect(gating(judgeExchanges([...exchanges.slice(0, -1), looks('other', 1200)], true))).not.toEqual([])
  })
})

describe('a write of which the reply has a status, but no body that was recorded,', () => {
  const kept = { more: { response: { status: 200, content: { size: 40, mimeType: 'application/json' } } } }
  const renames = told('volumes.update', { as, ...disk, body: { label: 'new' } }, 200, undefined, kept)
  const refuses = {
    ...renames,
    more: { response: { ...kept.more.response, status: 400 } },
  }
  test('has taken effect once it was accepted, and not later', () => {
    const again = told('volumes.update', { as, ...disk, body: { label: 'disk' } }, 200, volume())
    expect(gating(judgeExchanges([creates, renames, views(named('new'))], true))).toEqual([])
    expect(gating(judgeExchanges([creates, renames, views()], true))).toContain('volumes.update.takes-effect:label')
    expect(gating(judgeExchanges([creates, renames, again, views(named('new'))], true))).not.toEqual([])
  })
  test('has none where it was refused', () => {
    expect(gating(judgeExchanges([creates, refuses, views()], true))).toEqual([])
    expect(gating(judgeExchanges([creates, refuses, views(named('new'))], true))).not.toEqual([])
  })
  test('may have made what a list shows', () => {
    const made = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, undefined, kept)
    const lists = told('volumes.list', { as }, 200, page(volume()))
    expect(gating(judgeExchanges([made, lists, views()], true))).toEqual([])
  })
})

describe('a lost removal of what is made again', () => {
  const tagged = (id: number, tags: readonly string[]) => volume({ ...named(`d${id}`), id, tags })
  const makes = (id: number) =>
    told('volumes.create', { as, body: { label: `d${id}`, region: 'r1' } }, 200, tagged(id, []))
  const tags = (id: number) => told('tags.create', { as, body: { ...tag, volumes: [id] } }, 200, tag)
  const lost = told('tags.delete', { as, ...red }, 0)
  const lists = (...shown: readonly object[]) => told('volumes.list', { as }, 200, page(...shown))
  const found = (...shown: readonly object[]) =>
    gating(judgeExchanges([makes(7), makes(8), tags(7), lost, tags(8), lists(...shown)], true))
  test('may have landed before, after or never', () => {
    expect(found(tagged(7, []), tagged(8, ['red']))).toEqual([])
    expect(found(tagged(7, []), tagged(8, []))).toEqual([])
    expect(found(tagged(7, ['red']), tagged(8, ['red']))).toEqual([])
  })
  test('leaves nothing of what it was on alone', () => {
    expect(found(tagged(7, ['red']), tagged(8, []))).not.toEqual([])
  })
})

describe('the first list of a recording', () => {
  const lists = (fields: object) => told('volumes.list', { as }, 200, page(volume(fields)))
  const found = (fields: object) => gating(judgeExchanges([lists(fields)]))
  test('is held to the form of its records, though none of them is known yet', () => {
    expect(found({})).toEqual([])
    expect(found({ status: 'lost' })).toEqual(['volumes.list.reply.status.enum:shape'])
    expect(found({ size: undefined })).toEqual(['volumes.list.reply.size.required:shape'])
  })
  test('tells a wrong form once', () => {
    const twice = [lists({ hardware_type: 'tape' }), lists({ hardware_type: 'tape' })]
    expect(gating(judgeExchanges(twice))).toEqual(['volumes.list.reply.hardware_type.enum:shape'])
  })
})

describe('a change in a list that comes after a refused creation', () => {
  test('is not its doing where it is about a member of something else', () => {
    const refuses = told('volumes.create', { as, body: { label: '', region: 'r1' } }, 400, refusal('label'))
    const lists = told('volumes.list', { as }, 200, page(named('new')))
    expect(judgeHar(harOf([creates, refuses, lists]), true, true).found.map(({ id }) => id)).toEqual([])
    expect(gating(judgeHar(harOf([creates, refuses, lists]), true))).toContain('volumes.list.shows.label:label')
  })
})

test('what the first call made, whose reply was not recorded, keeps its caller once a list shows its id', () => {
  const opened = { summary: 'slow', description: 'The disk is slow.' }
  const kept = { more: { response: { status: 200, content: { size: -1 } } } }
  const ticket = (id: number) => ({ id, ...opened, summary: `slow ${id}` })
  const replies = { path: { ticketId: 1001 } }
  const answer = { id: 9, description: 'Wait.' }
  const bucket = { cluster: 'c1', label: 'logs' }
  const exchanges = [
    told('tickets.create', { as, body: { ...opened, summary: 'slow 1001' } }, 200, undefined, kept),
    told('tickets.list', { as }, 200, page(ticket(1001))),
    told('buckets.create', { as, body: bucket }, 200, bucket),
    told('tickets.list', { as }, 200, page(ticket(1004), ticket(1001))),
    told('ticket-replies.create', { as, ...replies, body: { description: 'Wait.' } }, 200, answer),
    told('ticket-replies.list', { as, ...replies }, 200, page(answer)),
  ]
  expect(judgeHar(harOf(exchanges)).found.map(({ id }) => id)).toEqual([])
})

test('what the target file lists and a call has removed does not come back once a write was not recorded whole', () => {
  const attaches: Exchange = { method: 'POST', url: '/support/tickets/5/attachments', as, status: 200, reply: {} }
  const unread = { ...entryOf(attaches, 1), request: { ...(entryOf(attaches, 1).request as object), bodySize: 180 } }
  const entries = [
    entryOf(told('volumes.delete', { as, path: { volumeId: 602 } }, 200, {}), 0),
    unread,
    entryOf(told('volumes.list', { as }, 200, page()), 2),
  ]
  const [recording] = recordingsOf({ log: { version: '1.2', entries } }, true) as [Recording]
  const environment = { ...recording.environment, explanations: { interference: false } }
  const { found } = judgeTraffic({ ...recording, environment, mayLack: false })
  expect(found.map(({ id }) => id)).toEqual([])
})

test('a range that a list shows by its address alone may be the one just made, and once it is deleted its place is free', () => {
  const allocates = (node_id: number) =>
    told('ipv6-ranges.create', { as, body: { prefix_length: 64, node_id } }, 202, {})
  const exchanges = [
    allocates(101),
    told('ipv6-ranges.list', { as }, 200, page({ range: '2001:db8:1:2::' })),
    told('ipv6-ranges.delete', { as, path: { range: '2001:db8:1:2::' } }, 200, {}),
    allocates(102),
  ]
  expect(judgeHar(harOf(exchanges), true).found.map(({ id }) => id)).toEqual([])
  const [first, list, , second] = exchanges as [Exchange, Exchange, Exchange, Exchange]
  expect(gating(judgeHar(harOf([first, list, second]), true))).toEqual(['ipv6-ranges.create.one-per-region:accepted'])
})
