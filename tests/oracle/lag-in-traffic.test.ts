// Reads of recorded traffic that show what was before a change: late where the recording shows it, else a finding.
import { describe, expect, test } from 'vitest'
import { judgeTraffic } from '../../oracle/judge-traffic.js'
import { type Exchange, harOf, judgeHar, named, page, recordingsOf, told, volume } from './traffic.js'

const as = 'owner'
const path = { volumeId: 7 }
const created = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume())
const renamed = (label: string): Exchange => told('volumes.update', { as, path, body: { label } }, 200, named(label))
const shows = (label: string): Exchange => told('volumes.view', { as, path }, 200, named(label))
const refuses = told('volumes.view', { as, path }, 404, { errors: [{ field: 'volumeId', reason: 'Not found' }] })

/** Ids of what is found, and what was assumed; calls are 100 ms apart. */
const judged = (...calls: readonly Exchange[]) => {
  const { found, steps } = judgeHar(harOf(calls), true)
  const assumed = steps.flatMap(({ judgement }) => judgement.assumed ?? [])
  return { found: found.map(({ id }) => id), assumed: [...new Set(assumed)] }
}

const lost = ['volumes.update.takes-effect:label', 'volumes.view.shows.filesystem_path:filesystem_path']

describe('A read that shows what was before a change', () => {
  test('was late where the same read shows the change afterwards', () => {
    const late = { found: [], assumed: ['lag volumes.update'] }
    expect(judged(created, renamed('b'), shows('disk'), shows('b'))).toEqual(late)
    expect(judged(created, renamed('b'), shows('disk'), shows('disk'), shows('b'))).toEqual(late)
    expect(judged(created, refuses, shows('disk'))).toEqual({ found: [], assumed: ['lag volumes.create'] })
  })

  test('was late where a list shows the change afterwards, and is a finding where it goes on after that', () => {
    const lists = (label: string): Exchange => told('volumes.list', { as }, 200, page(named(label)))
    const read = [created, renamed('b'), shows('disk')]
    expect(judged(...read, lists('b'))).toMatchObject({
      found: [],
      assumed: expect.arrayContaining(['lag volumes.update']),
    })
    expect(judged(...read, lists('b'), shows('b')).found).toEqual([])
    expect(judged(...read, lists('b'), shows('disk'), lists('b')).found).toContain('volumes.view.shows.label:label')
    expect(judged(...read, lists('disk')).found).toContain(lost[0])
  })

  test('is a finding where it is one change behind after every change', () => {
    const lists = (label: string): Exchange => told('volumes.list', { as }, 200, page(named(label)))
    const behind = ['disk', 'b', 'c', 'd', 'e'].flatMap((label, index, all) => {
      const next = all[index + 1]
      return next === undefined ? [] : [renamed(next), shows(label), lists(next)]
    })
    expect(judged(created, ...behind).found).toContain('volumes.update.takes-effect:label')
    expect(judged(created, ...behind.slice(0, 6), shows('c')).found).toEqual([])
  })

  test('was late where it is a list, and a view shows the change afterwards', () => {
    // The target file says of no volume that this account has it.
    const by = (operation: string, body: Readonly<Record<string, unknown>>, reply: object, id = 7): Exchange =>
      told(operation, { as: 'debtor', path: { volumeId: id }, body }, 200, reply)
    const lists = (label: string): Exchange => told('volumes.list', { as: 'debtor' }, 200, page(named(label)))
    const view = (label: string, id = 7): Exchange => by('volumes.view', {}, { ...named(label), id }, id)
    const make = told('volumes.create', { as: 'debtor', body: { label: 'disk', region: 'r1' } }, 200, volume())
    const read = [make, by('volumes.update', { label: 'b' }, named('b')), lists('disk')]
    expect(judged(...read, view('b')).found).toEqual([])
    expect(judged(...read, view('b'), lists('disk'), view('b')).found).toContain('volumes.list.shows.label:label')
    expect(judged(...read, view('disk')).found).toContain(lost[0])
    expect(judged(...read, view('b', 8)).found).toContain(lost[0])
    expect(judged(...read, by('volumes.update', { label: 'c' }, named('c')), view('c')).found).toContain(lost[0])
    // It may show what was made since.
    const second = { ...named('new'), id: 8 }
    const makes = told('volumes.create', { as: 'debtor', body: { label: 'new', region: 'r1' } }, 200, second)
    const both = (label: string): Exchange => told('volumes.list', { as: 'debtor' }, 200, page(named(label), second))
    const since = [...read.slice(0, 2), makes]
    expect(judged(...since, both('disk'), view('b')).found).toEqual([])
    expect(judged(...since, both('disk')).found).toContain(lost[0])
    expect(judged(...since, both('x'), view('b')).found).not.toEqual([])
  })

  test('is a finding where none shows it, and the change with its read is what shows that', () => {
    expect(judged(created, renamed('b'), shows('disk'))).toEqual({ found: lost, assumed: [] })
    const { found } = judgeHar(harOf([created, shows('disk'), renamed('b'), shows('disk'), shows('disk')]), true)
    expect(found.map(({ id, steps }) => [id, steps.map(({ op }) => op.id)])[0]).toEqual([
      lost[0],
      ['volumes.view', 'volumes.update', 'volumes.view'],
    ])
  })

  test('is none where the change has just been shown, as one of several replicas may be behind, and a finding long after that', () => {
    const later = (call: Exchange): Exchange => ({ ...call, at: 2500 })
    const shown = [created, renamed('b'), shows('b')]
    expect(judged(...shown, shows('disk'), shows('b')).found).toEqual([])
    expect(judged(...shown, shows('disk')).found).toEqual([])
    expect(judged(...shown, later(shows('disk')), { ...shows('b'), at: 2600 }).found).toContain(
      'volumes.view.shows.label:label',
    )
    expect(judged(...shown, later(shows('disk'))).found).toContain('volumes.view.shows.label:label')
    expect(judged(...shown, shows('disk'), later(shows('disk'))).found).not.toEqual([])
    const late = [renamed('c'), shows('b'), shows('c')]
    expect(judged(...shown, ...late, shows('b'), shows('c')).found).toEqual([])
  })

  test('is none where one front end is behind after each change, and another is not', () => {
    const rounds = ['b', 'c', 'd', 'e', 'f'].flatMap((label, i, all) => [
      renamed(label),
      shows(label),
      shows(all[i - 1] ?? 'disk'),
    ])
    expect(judged(created, ...rounds).found).toEqual([])
  })

  test('is none beside another at the same time that does not show the change either', () => {
    const firewall = { as, path: { firewallId: 5 } }
    const rules = (inbound_policy: string) => ({ inbound: [], inbound_policy, outbound: [], outbound_policy: 'ACCEPT' })
    const shown = (policy: string) => ({ id: 5, label: 'wall', status: 'enabled', tags: [], rules: rules(policy) })
    const make = told('firewalls.create', { as, body: { label: 'wall', rules: rules('DROP') } }, 200, shown('DROP'))
    const change = told('firewall-rules.update', { ...firewall, body: rules('ACCEPT') }, 200, rules('ACCEPT'))
    const both = (policy: string, at: number): readonly Exchange[] => [
      { ...told('firewall-rules.view', firewall, 200, rules(policy)), at },
      { ...told('firewalls.view', firewall, 200, shown(policy)), at },
    ]
    const found = (...more: readonly Exchange[]): readonly string[] => judged(make, change, ...more).found
    expect(found(...both('DROP', 300), ...both('ACCEPT', 500))).toEqual([])
    expect(found(...both('DROP', 300), ...both('DROP', 3000))).not.toEqual([])
  })

  test('is none at the end where each change before was looked for later than that', () => {
    const rounds = ['b', 'c', 'd'].flatMap((label, i): readonly Exchange[] => [
      { ...renamed(label), at: 1000 * i + 200 },
      { ...shows(label), at: 1000 * i + 800 },
    ])
    const last = { ...renamed('e'), at: 4000 }
    expect(judged(created, ...rounds, last, { ...shows('d'), at: 4100 }).found).toEqual([])
    expect(judged(created, ...rounds.slice(0, 2), last, { ...shows('b'), at: 4100 }).found).toEqual(lost)
    expect(judged(created, ...rounds, last, { ...shows('d'), at: 4900 }).found).toEqual(lost)
  })

  test('is none where lists are read from two replicas by turns, of which one is late', () => {
    // The target file says of no volume that this account has it.
    const by = { as: 'debtor' }
    const makes = told('volumes.create', { ...by, body: { label: 'disk', region: 'r1' } }, 200, volume())
    const lists = (...data: readonly object[]): Exchange => told('volumes.list', by, 200, page(...data))
    expect(judged(makes, lists(volume()), lists(), lists(volume())).found).toEqual([])
    expect(judged(makes, lists(volume()), lists(), { ...lists(), at: 2500 }).found).not.toEqual([])
  })

  test('is a finding where it takes another change until something is shown', () => {
    expect(judged(created, renamed('b'), shows('disk'), renamed('c'), shows('c')).found).toEqual(lost)
  })

  test('may be late by as much as others in the recording, and not by much more', () => {
    const once = [renamed('b'), shows('disk'), shows('b')]
    const again = (atMs: number): Exchange => ({ ...shows('b'), at: atMs })
    expect(judged(created, ...once, renamed('c'), again(500)).found).toEqual([])
    expect(judged(created, ...once, renamed('c'), again(2000)).found).toEqual(lost)
  })

  test('was late where another call shows that it is there, or gone, and is a finding where none does', () => {
    const by = { as: 'debtor', path }
    const make = told('volumes.create', { as: 'debtor', body: { label: 'disk', region: 'r1' } }, 200, volume())
    const lists = (...data: readonly object[]): Exchange => told('volumes.list', { as: 'debtor' }, 200, page(...data))
    const view = told('volumes.view', by, 200, volume())
    const none = told('volumes.view', by, 404, { errors: [{ field: 'volumeId', reason: 'Not found' }] })
    const removal = told('volumes.delete', by, 200, {})
    expect(judged(make, none, lists(volume())).found).toEqual([])
    expect(judged(make, lists(), view).found).toEqual([])
    expect(judged(make, none, lists()).found).not.toEqual([])
    expect(judged(make, view, removal, view, lists()).found).toEqual([])
    expect(judged(make, view, removal, lists(volume()), none).found).toEqual([])
    expect(judged(make, view, removal, lists(volume())).found).not.toEqual([])
    const another = told('volumes.view', { as: 'debtor', path: { volumeId: 8 } }, 404, none.reply)
    expect(judged(make, view, removal, lists(volume()), another).found).not.toEqual([])
    // A list has shown it before.
    expect(judged(make, lists(volume()), none, lists(volume())).found).toEqual([])
  })

  test('was late where it is shown after a write that does not bring it, unless that goes on', () => {
    const grown = (size: number): Exchange =>
      told('volumes.resize', { as, path, body: { size } }, 200, { ...named('b'), size })
    const sized = (label: string, size: number): Exchange =>
      told('volumes.view', { as, path }, 200, { ...named(label), size })
    expect(judged(created, renamed('b'), shows('disk'), grown(30), sized('b', 30)).found).toEqual([])
    expect(judged(created, renamed('b'), shows('disk'), renamed('c'), shows('c')).found).toEqual(lost)
    const rounds = ['b', 'c', 'd', 'e'].flatMap((label, i, all) => [
      told('volumes.update', { as, path, body: { label } }, 200, { ...named(label), size: 20 + i }),
      sized(all[i - 1] ?? 'disk', 20 + i),
      told('volumes.resize', { as, path, body: { size: 21 + i } }, 200, { ...named(label), size: 21 + i }),
      sized(label, 21 + i),
    ])
    expect(judged(created, ...rounds).found).not.toEqual([])
  })

  test('was late where it is shown after something else was made, or removed', () => {
    const by = { as: 'debtor' }
    const make = (label: string, id: number): Exchange =>
      told('volumes.create', { ...by, body: { label, region: 'r1' } }, 200, { ...named(label), id })
    const lists = (...data: readonly object[]): Exchange => told('volumes.list', by, 200, page(...data))
    const [one, two] = [volume(), { ...named('new'), id: 8 }]
    const removes = (volumeId: number): Exchange => told('volumes.delete', { ...by, path: { volumeId } }, 200, {})
    const both = [make('disk', 7), make('new', 8), lists(one, two)]
    expect(judged(make('disk', 7), lists(), make('new', 8), lists(one, two)).found).toEqual([])
    expect(judged(make('disk', 7), lists(), make('new', 8), lists(two)).found).toEqual([
      'volumes.list.complete:missing',
    ])
    expect(judged(...both, removes(7), lists(one, two), removes(8), lists()).found).toEqual([])
    expect(judged(...both, removes(7), lists(one, two), removes(8), lists(one)).found).not.toEqual([])
  })

  test('was late where its error has no field, which is told of others', () => {
    const none = told('volumes.view', { as, path }, 404, { errors: [{ reason: 'Not found' }] })
    expect(judged(created, none, shows('disk'))).toEqual({ found: [], assumed: ['lag volumes.create'] })
    expect(judged(created, none).found).toEqual(['volumes.view.accepts:refused'])
  })

  test('may be late where others are about other things, after other changes and in other looks', () => {
    const no = (reply: string) => ({ errors: [{ field: reply, reason: 'Not found' }] })
    const contact = { id: 3, name: 'Ann' }
    const key = { id: 4, label: 'key' }
    const ticket = { id: 5, summary: 'a', description: 'b', status: 'open', opened_by: 'owner' }
    const ann = told('managed-contacts.create', { as, body: { name: 'Ann' } }, 200, contact)
    const makesKey = told('object-keys.create', { as, body: { label: 'key' } }, 200, key)
    const opens = told('tickets.create', { as, body: { summary: 'a', description: 'b' } }, 200, ticket)
    const lacksAnn = told('managed-contacts.view', { as, path: { contactId: 3 } }, 404, no('contactId'))
    const lacksKey = told('object-keys.list', { as }, 200, page())
    const lacksTicket = told('tickets.view', { as, path: { ticketId: 5 } }, 404, no('ticketId'))
    expect(judged(ann, lacksAnn, makesKey, lacksKey, opens, lacksTicket).found).toEqual([])
    expect(judged(ann, lacksAnn).found).toEqual(['managed-contacts.view.accepts:refused'])
    expect(judged(ann, lacksAnn, lacksAnn).found).toEqual(['managed-contacts.view.accepts:refused'])
  })

  test('was late as well where calls beside it were under way', () => {
    const beside = (one: Exchange, at: number, ms: number): Exchange => ({ ...one, at, ms })
    const pair = (end: string): readonly Exchange[] => [
      beside(created, 0, 10),
      beside(renamed('b'), 100, 10),
      beside(shows('disk'), 120, 30),
      beside(told('volumes.resize', { as, path, body: { size: 30 } }, 200, { ...named('b'), size: 30 }), 140, 30),
      beside(told('volumes.view', { as, path }, 200, { ...named(end), size: 30 }), 300, 10),
    ]
    expect(judged(...pair('b')).found).toEqual([])
    expect(judged(...pair('disk')).found).not.toEqual([])
  })

  test('was late where a look beside the creation has shown already what is missing, though an address may be given again', () => {
    const address = (last: number) => `192.0.2.${last}`
    const shown = (last: number) => ({
      address: address(last),
      type: 'ipv4',
      public: true,
      node_id: 101,
      region: 'r1',
      rdns: null,
    })
    const lists = (at: number, ms: number, ...lasts: readonly number[]): Exchange =>
      told('ips.list', { as }, 200, page(...lasts.map(shown)), { at, ms })
    const body = { node_id: 101, type: 'ipv4', public: true }
    const allocates = told('ips.allocate', { as, body }, 200, shown(9), { at: 150, ms: 30 })
    const calls = [lists(0, 10, 7), lists(100, 100, 7, 9), allocates]
    expect(judged(...calls, lists(250, 10, 7), lists(400, 10, 7, 9)).found).toEqual([])
    expect(judged(...calls, lists(3000, 10, 7)).found).toEqual(['ips.list.complete:missing'])
  })

  test('is no moment of a replica where all else shows at once, and more than one look goes back to the same', () => {
    const ids = Array.from({ length: 18 }, (_, i) => 100 + i)
    const disk = (id: number) => ({ ...named(`disk-${id}`), id })
    const lists = (at: number, all: readonly number[]): Exchange =>
      told('volumes.list', { as }, 200, page(...all.map(disk)), { at })
    const made = ids.flatMap((id, i) => {
      const body = { label: `disk-${id}`, region: 'r1' }
      return [
        told('volumes.create', { as, body }, 200, disk(id), { at: 30 * i }),
        lists(30 * i + 15, ids.slice(0, i + 1)),
      ]
    })
    const less = ids.slice(0, -1)
    expect(judged(...made, lists(600, less), lists(700, ids)).found).toEqual([])
    expect(judged(...made, lists(600, less)).found).toEqual([])
    expect(judged(...made, lists(600, less), lists(700, less)).found).toEqual(['volumes.list.complete:missing'])
  })

  test('may be late by up to a second where the same call has shown that the target is late', () => {
    const once = [renamed('b'), shows('disk'), shows('b')]
    const again = (at: number): Exchange => ({ ...shows('b'), at })
    expect(judged(created, ...once, renamed('c'), again(1200)).found).toEqual([])
    expect(judged(created, ...once, renamed('c'), again(2000)).found).toEqual(lost)
  })

  test('is no late one where it shows what was never so', () => {
    expect(judged(created, renamed('b'), shows('x'), shows('b')).found).not.toEqual([])
    expect(
      judged(created, told('volumes.view', { as, path }, 200, volume({ size: 30 })), shows('disk')).found,
    ).toContain('volumes.view.shows.size:size')
  })

  test('may repeat what a cache was told shortly before, where another change hides what it would show later', () => {
    const cached = [shows('disk'), renamed('b'), shows('disk'), shows('disk')]
    const overtaken = [...cached, renamed('c'), shows('c')]
    const late = [created, renamed('a'), shows('disk'), shows('a'), renamed('disk')]
    expect(judged(...late, ...overtaken).found).toEqual([])
    // On a target of which no late call has come right.
    expect(judged(created, ...overtaken).found).toEqual(lost)
  })

  test('needs no later one where it is a list as late as the target file allows, of something that may be late as well', () => {
    const body = { summary: 'a', description: 'b' }
    const ticket = { id: 5, ...body, status: 'open', opened_by: 'owner' }
    const makes = told('tickets.create', { as, body }, 200, ticket)
    const reads = told('ticket-replies.list', { as, path: { ticketId: 5 } }, 404, refuses.reply)
    const [recording] = recordingsOf(harOf([makes, reads]), true)
    const found = (listLagMs: number) =>
      judgeTraffic({ ...(recording as NonNullable<typeof recording>), listLagMs, mayLack: false }).found.map(
        ({ id }) => id,
      )
    expect(found(1000)).toEqual([])
    expect(found(0)).toEqual(['ticket-replies.list.accepts:refused'])
  })

  test('is a finding at once where the target file says that nothing is late', () => {
    const [recording] = recordingsOf(harOf([created, renamed('b'), shows('disk'), shows('b')]), true)
    if (!recording) throw new Error('no recording')
    const environment = { ...recording.environment, explanations: { lag: false } }
    expect(judgeTraffic({ ...recording, environment }).found.map(({ id }) => id)).toContain(lost[0])
  })

  describe('is not told where no look of its kind has shown a change so soon:', () => {
    const made = (id: number) =>
      told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume({ id }))
    const renames = (id: number, label: string) =>
      told('volumes.update', { as, path: { volumeId: id }, body: { label } }, 200, { ...named(label), id })
    const view = (id: number, label: string) =>
      told('volumes.view', { as, path: { volumeId: id } }, 200, { ...named(label), id })
    const lists = (...labels: readonly string[]) =>
      told('volumes.list', { as }, 200, page(...labels.map((label, i) => ({ ...named(label), id: 7 + i }))))
    const timed = (...calls: readonly (readonly [number, Exchange])[]) =>
      judged(...calls.map(([at, call]) => ({ ...call, at }))).found

    test('an update that sends what is there already shows nothing', () => {
      const before = [
        [0, made(7)],
        [100, made(8)],
        [1000, renames(7, 'b')],
      ] as const
      const late = [
        [7000, renames(7, 'c')],
        [7100, view(7, 'b')],
        [8000, renames(8, 'c')],
        [8100, view(8, 'disk')],
      ] as const
      expect(timed(...before, [6000, renames(7, 'b')], [6050, view(7, 'b')], ...late)).toEqual([])
      expect(timed(...before, [1050, view(7, 'b')], ...late)).toContain(lost[0])
    })

    test('a view that is later still does not tell against a list', () => {
      const before = [
        [0, made(7)],
        [100, made(8)],
        [3200, lists('disk', 'disk')],
        [8000, renames(8, 'c')],
      ] as const
      const late = [
        [8100, lists('disk', 'disk')],
        [20_000, renames(7, 'b')],
        [20_100, lists('disk', 'c')],
      ] as const
      expect(timed(...before, ...late, [25_000, view(7, 'disk')])).toEqual([])
      expect(timed(...before, ...late, [25_000, lists('disk', 'c')])).toContain(lost[0])
    })
  })
})
