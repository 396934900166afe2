// What a write that is missing in a recording would explain, and when it counts all the same.
import { describe, expect, test } from 'vitest'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import { type Exchange, gating, harOf, judgeHar, named, page, recordingsOf, told, volume } from './traffic.js'

const as = 'owner'
const disk = { path: { volumeId: 7 } }
const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const renames = (label: string, reply = label) =>
  told('volumes.update', { as, ...disk, body: { label } }, 200, named(reply))
const views = (fields: object = {}) => told('volumes.view', { as, ...disk }, 200, volume(fields))
const lists = (...data: readonly object[]) => told('volumes.list', { as }, 200, page(...data))
const others = (times: number) => Array.from({ length: times }, () => told('tags.list', { as }, 200, page()))

/** A view that shows a change at once. */
const prompt = [creates, views()]

const found = (exchanges: readonly Exchange[], mayLack = true) => gating(judgeHar(harOf(exchanges), true, mayLack))

describe('a deviation that one missing write would explain', () => {
  test.each<[string, readonly Exchange[]]>([
    ['a name that was changed', [creates, ...others(2), told('volumes.view', { as, ...disk }, 200, named('other'))]],
    ['a size that was changed, in a list', [creates, ...others(2), lists(volume({ size: 30 }))]],
    ['something that was deleted', [creates, ...others(2), lists()]],
    ['one gap that many replies show', [creates, ...others(2), lists(), ...others(2), lists(), ...others(2), lists()]],
  ])('is held back where calls may be missing, and told where they may not: %s', (_, exchanges) => {
    expect(found(exchanges)).toEqual([])
    expect(found(exchanges, false)).not.toEqual([])
  })
  test('is told where a write shows as lost right after it', () => {
    expect(found([creates, renames('new'), views()])).toContain('volumes.update.takes-effect:label')
  })
  test('is not told where a write shows as lost after a pause in which the clients usually send several calls', () => {
    const renamed = [creates, ...others(20), renames('new')]
    expect(found([...renamed, { ...views(), at: 2400 }])).toContain('volumes.update.takes-effect:label')
    expect(found([...renamed, { ...views(), at: 5000 }])).toEqual([])
  })
  test('is not told where a write shows as lost right after it, in a recording in which things appear that no call made', () => {
    const second = { ...named('spare'), id: 8 }
    const lost = [...others(2), renames('new'), views()]
    expect(found([creates, lists(volume()), ...lost])).toContain('volumes.update.takes-effect:label')
    expect(found([lists(volume()), lists(volume(), second), ...lost])).toEqual([])
    expect(found([creates, lists(volume()), lists(volume(), second), ...lost])).toEqual([])
    const makes = [11, 12, 13].map((id) =>
      told('volumes.create', { as, body: { label: 'more', region: 'r1' } }, 200, { ...named('more'), id }),
    )
    const made = [11, 12, 13].map((id) => ({ ...named('more'), id }))
    expect(found([lists(), creates, ...makes, ...others(2), lists(volume(), second, ...made), ...lost])).toContain(
      'volumes.update.takes-effect:label',
    )
  })
  test('is not told where a missing reset explains that a name shows as lost, but where there is no room for one', () => {
    const shows = (n: number, rdns = `203-0-113-${n}.ip.example.test`) => ({ address: `203.0.113.${n}`, rdns })
    const own = (n: number) => ({ as, path: { address: `203.0.113.${n}` } })
    const looks = (n: number) => told('ips.view', own(n), 200, shows(n))
    const names = (n: number) =>
      told('ips.update', { ...own(n), body: { rdns: 'one.example.test' } }, 200, shows(n, 'one.example.test'))
    const resets = told('ips.update', { ...own(7), body: { rdns: null } }, 200, shows(7))
    const lost = 'ips.update.takes-effect:rdns'
    const begins = [looks(7), ...others(2)]
    expect(found([...begins, names(7), looks(7)])).toEqual([])
    expect(found([...begins, names(7), looks(7)], false)).toEqual([lost])
    expect(found([...begins, { ...names(7), ms: 90 }, looks(7)])).toEqual([lost])
    // A reset that shows as lost is undone by no other.
    const still = told('ips.view', own(7), 200, shows(7, 'one.example.test'))
    const known = [names(7), ...others(20), resets, looks(7), ...others(20)]
    expect(found([...known, names(7), ...others(20), resets, still])).toEqual([lost])
    // As many resets as were recorded may be missing, and any number where all of them may have been filtered out.
    const often = [1, 2, 3, 4, 5, 6].flatMap((n) => [looks(n), names(n), ...others(3), looks(n), ...others(9)])
    expect(found(often)).toEqual([])
    expect(found([...prompt, resets, ...often])).toEqual([lost])
    expect(found([...prompt, ...Array(6).fill(resets), ...often])).toEqual([])
  })
  test('is told where the same look shows afterwards what was before', () => {
    expect(found([creates, ...others(3), views({ size: 30 }), ...others(3), views()])).toEqual([
      'volumes.view.shows.size:size',
    ])
    expect(found([creates, ...others(3), views({ size: 30 }), ...others(3), views({ size: 30 })])).toEqual([])
  })
  test('is not told where a member goes back to one of few values, which two missing calls that cancel each other explain', () => {
    const attached = views({ node_id: 101, node_label: 'web-1' })
    expect(found([creates, ...others(3), attached, ...others(3), views()])).toEqual([])
    const contact = { as, path: { contactId: 3 } }
    const knows = (fields: object) => told('managed-contacts.view', contact, 200, { id: 3, name: 'Ann', ...fields })
    const makes = told('managed-contacts.create', { as, body: { name: 'Ann', group: 'ops' } }, 200, {
      id: 3,
      name: 'Ann',
      group: 'ops',
    })
    const back = [...others(3), knows({ group: 'ops' })]
    expect(found([makes, ...others(3), knows({ group: null }), ...back])).toEqual([])
    expect(found([makes, ...others(3), knows({ group: 'dev' }), ...back])).not.toEqual([])
    const two = (fields: object) => lists(volume(fields), volume({ id: 8 }))
    const shown = { node_id: 101, node_label: 'web-1' }
    expect(found([creates, two({}), ...others(3), two(shown), ...others(3), two({})])).toEqual([])
  })
  test('is not told where a tag shows that was made and removed again, by two missing calls, but where one is gone for a while', () => {
    const red = { as, body: { label: 'disk', region: 'r1', tags: ['red'] } }
    const begins = [told('volumes.create', red, 200, volume({ tags: ['red'] })), ...others(3)]
    const back = [...others(3), views({ tags: ['red'] })]
    expect(found([...begins, views({ tags: ['red', 'blue'] }), ...back])).toEqual([])
    expect(found([...begins, views({ tags: [] }), ...back])).toEqual(['volumes.view.shows.tags:tags'])
    const inList = (...tags: string[]) => lists(volume({ tags }), volume({ id: 8, tags: ['red'] }))
    expect(found([creates, inList(), ...others(3), inList('blue'), ...others(3), inList()])).toEqual([])
  })
  test('is told of a size that has become less, and of an earlier time of creation: no missing call explains either', () => {
    const grown = { size: 30, updated: '2026-01-01T00:00:09' }
    expect(found([creates, ...others(3), views({ size: 15 })])).toEqual(['volumes.view.shows.size:size'])
    expect(found([creates, ...others(3), lists(volume({ size: 15 }))])).toEqual(['volumes.list.shows.size:size'])
    expect(found([creates, ...others(3), views(grown), ...others(3), views({ ...grown, size: 20 })])).toEqual([
      'volumes.view.shows.size:size',
    ])
    const { created: _, ...unread } = volume({ size: 30 })
    const attaches = told('volumes.attach', { as, ...disk, body: { node_id: 101 } }, 200, volume({ node_id: 101 }))
    expect(found([told('volumes.view', { as, ...disk }, 200, unread), ...others(3), attaches])).toEqual([
      'volumes.view.reply.created.required:shape',
    ])
    const again = { ...named('new'), size: 10, created: '2026-01-01T00:00:09', updated: '2026-01-01T00:00:09' }
    expect(found([creates, ...others(3), lists(again)])).toEqual([])
    expect(found([creates, ...others(3), views(again), ...others(3), views(again)])).toEqual([])
    expect(found([creates, ...others(3), views({ created: '2025-01-01T00:00:00' })])).toEqual([
      'volumes.view.shows.created:created',
    ])
  })
  test('is not told where a later list shows another record as it was known', () => {
    const two = (size: number) => [volume({ size }), volume({ id: 8, size: 40 })]
    const before = [creates, lists(...two(20)), ...others(3), lists(volume({ size: 30 }), volume({ id: 8, size: 50 }))]
    expect(found([...before, ...others(3), lists(volume({ id: 8, size: 50 }))])).toEqual([])
    expect(found([...before, ...others(3), lists(...two(20))])).toEqual(['volumes.list.shows.size:size'])
  })
  test('is not told where a write of the recording explains why the later look shows what was before', () => {
    const renamed = told('volumes.view', { as, ...disk }, 200, named('other'))
    expect(found([creates, renamed, views()]).length).toBeGreaterThan(0)
    expect(found([creates, renamed, renames('disk'), views()])).toEqual([])
  })
  test('is laid to a refused write only where that could have left it, and other writes of the kind were recorded', () => {
    const refused = (id: string, body: Readonly<Record<string, unknown>>) =>
      told(id, { as, ...disk, body }, 400, { errors: [{ field: 'label', reason: 'no' }] })
    const tagged = views({ tags: ['red'] })
    const accepted = told('volumes.update', { as, path: { volumeId: 8 }, body: { tags: [] } }, 200, volume({ id: 8 }))
    const updated = refused('volumes.update', { label: '', tags: ['red'] })
    const before = [...others(20), creates]
    expect(found([accepted, ...before, refused('volumes.clone', { label: '' }), tagged])).toEqual([])
    expect(found([...before, updated, tagged])).toEqual([])
    expect(found([accepted, ...before, updated, tagged])).toEqual(['volumes.update.refusal.unchanged:changed'])
  })
  test('is not told of labels that are given again where all removals were filtered out, or as many may be missing as are there', () => {
    const makes = (id: number, label: string) =>
      told('managed-credentials.create', { as, body: { label, password: 'secret-1' } }, 200, { id, label })
    const again = Array.from({ length: 4 }, (_, i) => [
      makes(2 * i + 1, `key-${i}`),
      makes(2 * i + 2, `key-${i}`),
    ]).flat()
    const revokes = told('managed-credentials.revoke', { as, path: { credentialId: 99 } }, 200, {})
    expect(found(again)).toEqual([])
    expect(found([revokes, ...again])).toEqual(['managed-credentials.create.unique-label:accepted'])
    expect(found([...Array.from({ length: 9 }, () => revokes), ...again])).toEqual([])
    expect(found(again, false)).not.toEqual([])
  })
  test('is not told of ids that are given again where all removals were filtered out', () => {
    const rules = { inbound: [], inbound_policy: 'DROP', outbound: [], outbound_policy: 'DROP' }
    const makes = (label: string) =>
      told('firewalls.create', { as, body: { label, rules } }, 200, {
        id: 3,
        label,
        status: 'enabled',
        tags: [],
        rules,
      })
    const again = ['web', 'data', 'logs', 'mail', 'edge', 'blue'].map(makes)
    const removes = told('firewalls.delete', { as, path: { firewallId: 9 } }, 200, {})
    expect(found(again)).toEqual([])
    expect(found([removes, ...again])).toContain('firewalls.create.new:not-new')
  })
  test('is not told, however often it comes, where the recording has no write of the kind that would have to be missing', () => {
    const contact = (id: number) => ({ as, path: { contactId: id } })
    const makes = (id: number) =>
      told('managed-contacts.create', { as, body: { name: 'Ann' } }, 200, { id, name: 'Ann' })
    const shown = (id: number) => told('managed-contacts.view', contact(id), 200, { id, name: 'Bob' })
    const changed = Array.from({ length: 9 }, (_, id) => [makes(id), shown(id)]).flat()
    const renames = told('managed-contacts.update', { ...contact(99), body: { name: 'Eve' } }, 200, {
      id: 99,
      name: 'Eve',
    })
    expect(found(changed)).toEqual([])
    expect(found([...prompt, renames, ...changed])).toEqual(['managed-contacts.view.shows.name:name'])
    const ends = (id: number) =>
      told('managed-contacts.view', contact(id), 404, { errors: [{ field: 'contactId', reason: 'not found' }] })
    const ended = Array.from({ length: 9 }, (_, id) => [makes(id), ends(id)]).flat()
    expect(found(ended)).toEqual([])
    expect(found([...prompt, told('managed-contacts.delete', contact(99), 200, {}), ...ended])).toEqual([
      'managed-contacts.view.accepts:refused',
    ])
  })
  test('is not told where what a later list shows again may be something else with its id', () => {
    const makes = told('managed-contacts.create', { as, body: { name: 'Ann' } }, 200, { id: 3, name: 'Ann' })
    const lists = (...data: readonly object[]) => told('managed-contacts.list', { as }, 200, page(...data))
    const gone = [makes, ...others(2), lists(), ...others(2)]
    expect(found([...gone, lists({ id: 3, name: 'Bob' })])).toEqual([])
  })
  test('is not told where no more writes than were recorded would have to be missing', () => {
    const contact = (id: number) => ({ as, path: { contactId: id } })
    const makes = (id: number) =>
      told('managed-contacts.create', { as, body: { name: 'Ann' } }, 200, { id, name: 'Ann' })
    const shown = (id: number) => told('managed-contacts.view', contact(id), 200, { id, name: 'Bob' })
    const renames = (id: number) =>
      told('managed-contacts.update', { ...contact(id), body: { name: 'Eve' } }, 200, { id, name: 'Eve' })
    const changed = Array.from({ length: 4 }, (_, id) => [makes(id), ...others(9), shown(id)]).flat()
    const renamed = (times: number) => Array.from({ length: times }, (_, i) => renames(90 + i))
    // Of four places that are this close, two may have one write in common.
    expect(found([...renamed(1), ...changed])).toEqual(['managed-contacts.view.shows.name:name'])
    expect(found([...renamed(2), ...changed])).toEqual([])
  })
  test('is not told where the replies of writes show what such writes would have changed', () => {
    const body = { label: 'disk', region: 'r1' }
    const makes = (id: number) => told('volumes.create', { as, body }, 200, volume({ id }))
    const renames = (id: number) =>
      told('volumes.update', { as, path: { volumeId: id }, body: { label: 'new' } }, 200, {
        ...named('new'),
        id,
        size: 30,
      })
    const resizes = Array.from({ length: 2 }, (_, i) =>
      told(
        'volumes.resize',
        { as, path: { volumeId: 90 + i }, body: { size: 30 } },
        200,
        volume({ id: 90 + i, size: 30 }),
      ),
    )
    const changed = [1, 2, 3, 4].flatMap((id) => [makes(id), ...others(9), renames(id)])
    expect(found([...resizes, ...changed], false)).toContain('volumes.update.shows.size:size')
    expect(found([...resizes, ...changed])).toEqual([])
  })
  test('is not told of an id that another account has as well, where what the caller opened may be missing', () => {
    const body = { summary: 'down', description: 'It is.' }
    const lists = (by: string) => told('tickets.list', { as: by }, 200, page({ id: 5, ...body }))
    const views = (by: string) => told('tickets.view', { as: by, path: { ticketId: 5 } }, 200, { id: 5, summary: by })
    const opens = told('tickets.create', { as, body }, 200, { id: 5, ...body })
    const none = told('tickets.list', { as: 'other' }, 200, page())
    const all = judgeHar(harOf([none, opens, lists(as), ...others(2), views('other')]), true, true).found
    expect(all.map(({ id }) => id)).toEqual([])
  })
  test('is not told where other areas deviate in such a way as well', () => {
    const contact = { as, path: { contactId: 3 } }
    const knows = (name: string) => told('managed-contacts.view', contact, 200, { id: 3, name })
    const disks = [creates, ...others(3), views({ size: 30 }), ...others(3), views()]
    const makes = told('managed-contacts.create', { as, body: { name: 'Ann' } }, 200, { id: 3, name: 'Ann' })
    expect(found([makes, ...disks, knows('Ann')])).toEqual(['volumes.view.shows.size:size'])
    expect(found([makes, ...disks, knows('Bob')])).toEqual([])
  })
  test('is not told of an id that may have been given again, but of what is the same', () => {
    const deletes = told('volumes.delete', { as, ...disk }, 200, {})
    const again = { ...named('new'), created: '2026-01-01T00:00:09' }
    expect(found([creates, deletes, ...others(3), lists(again)])).toEqual([])
    expect(found([creates, deletes, ...others(3), lists(volume())])).toEqual(['volumes.list.only-live:deleted'])
    const moved = { region: 'r2', created: '2026-01-01T00:00:09' }
    expect(found([creates, ...others(3), views(moved)])).toEqual([])
  })
  test('is not told of an id that was given again in the same second, where a region differs and a size has become less', () => {
    const body = { label: 'disk', region: 'r1', size: 30 }
    const makes = (fields: object) => told('volumes.create', { as, body }, 200, volume({ size: 30, ...fields }))
    const larger = [makes({}), ...others(3)]
    const other = { ...named('other'), region: 'r2' }
    expect(found([...larger, lists(other)])).toEqual([])
    expect(found([...larger, lists({ ...other, region: 'r1' })])).toEqual(['volumes.list.shows.size:size'])
    expect(found([...larger, lists(volume({ size: 30, region: 'r2' }))])).toEqual(['volumes.list.shows.region:region'])
    expect(found([...larger, lists(volume())])).toEqual(['volumes.list.shows.size:size'])
    const finer = { created: '2026-01-01T00:00:00.250' }
    expect(found([makes(finer), ...others(3), lists({ ...other, ...finer })])).toContain(
      'volumes.list.shows.region:region',
    )
  })
  test('is not told for what another caller is shown, or others may have changed since', () => {
    const gone = [creates, ...others(3), lists(), ...others(3)]
    expect(found([...gone, told('volumes.list', { as: 'stranger' }, 200, page())])).toEqual([])
    const strangerCreates = told(
      'volumes.create',
      { as: 'stranger', body: { label: 'disk', region: 'r1' } },
      200,
      volume({ id: 8 }),
    )
    expect(found([...gone, strangerCreates, lists()])).toEqual([])
  })
  test('is told, from its first call on, where it comes again with other calls in between', () => {
    const lost = [renames('a'), ...others(3), views(), renames('disk'), ...others(29)]
    const { found: all, steps } = judgeHar(harOf([...prompt, ...Array(4).fill(lost).flat()]), true, true)
    expect(all.map(({ id }) => id)).toContain('volumes.update.takes-effect:label')
    expect(all[0]?.steps.at(-1)?.n).toBe(7)
    expect(steps.filter(({ verdict }) => verdict === 'finding').map(({ n }) => n)).toEqual([7, 42, 77, 112])
  })
  test('stands on the line of its step as what was assumed', () => {
    const { steps } = judgeHar(harOf([creates, ...others(2), lists()]), true, true)
    expect(steps.at(-1)).toMatchObject({ verdict: 'inconclusive', judgement: { assumed: ['gap volumes.list'] } })
  })
  test('is told where the target file says that nothing is missing', () => {
    const [recording] = recordingsOf(harOf([creates, ...others(2), lists()]), true)
    if (!recording) throw new Error('no recording')
    expect(recording.mayLack).toBe(true)
    const environment = { ...recording.environment, explanations: { gap: false } }
    expect(gating(judgeTraffic(recording))).toEqual([])
    expect(gating(judgeTraffic({ ...recording, environment }))).toEqual(['volumes.list.complete:missing'])
  })
})

describe('a deviation that no write explains', () => {
  test.each<[string, readonly Exchange[], string]>([
    [
      'what a reply lacks',
      [creates, ...others(2), views({ size: undefined })],
      'volumes.view.reply.size.required:shape',
    ],
    ['what lasts', [creates, ...others(2), views({ region: 'r2' })], 'volumes.view.shows.region:region'],
    ['a reply to what was sent', [renames('new', 'old')], 'volumes.update.shows.label:label'],
  ])('is told at once: %s', (_, exchanges, id) => {
    expect(found(exchanges).join()).toContain(id)
  })
  test.each<[string, object]>([
    ['an enumerated member outside of its values', { status: 'enabledx' }],
    ['a text as a number', { label: 5 }],
    ['a text that may not be empty as null', { label: null }],
  ])('is told at once: %s', (_, wrong) => {
    const fire = { id: 9, label: 'wall', status: 'enabled', tags: [] }
    const shows = (fields: object) =>
      told('firewalls.view', { as, path: { firewallId: 9 } }, 200, { ...fire, ...fields })
    expect(found([shows({}), ...others(3), shows({ status: 'disabled', label: 'gate' })])).toEqual([])
    const [member] = Object.keys(wrong)
    // Another call may have detached it.
    const disks = [creates, views({ node_id: 101, node_label: 'web-1' })]
    expect(found([...disks, ...others(3), views()])).toEqual([])
    expect(found([shows({}), ...others(3), shows(wrong)])).toEqual([`firewalls.view.shows.${member}:${member}`])
  })
  test('is told at once: a size that was only seen, and has become less', () => {
    expect(found([lists(volume({ size: 30 })), ...others(3), lists(volume({ size: 20 }))])).toEqual([
      'volumes.list.shows.size:size',
    ])
  })
  test('is told by what holds in any case: an error of the server', () => {
    const contact = { as, path: { contactId: 3 } }
    const knows = told('managed-contacts.view', contact, 200, { id: 3, name: 'Ann' })
    const fails = told('managed-contacts.view', contact, 500, { errors: [{ field: '', reason: 'oops' }] })
    const { found: all } = judgeHar(harOf([knows, ...others(3), fails]), true, true)
    expect(all.map(({ id, deviation: { level } }) => [level, id])).toEqual([
      ['should', 'managed-contacts.view.refusal.status:server-error'],
    ])
  })
})
