// Recordings in which personal data was replaced before they were handed on: what was replaced is no fault of the target.
import { describe, expect, test } from 'vitest'
import { type Exchange, gating, harOf, judgeHar, page, recordingsOf, told, volume } from '../oracle/traffic.js'

const as = 'owner'

interface Said {
  readonly name: string
  readonly email: string
}

const person = (i: number): Said => ({ name: `Person ${i}`, email: `person${i}@example.com` })

/** Contacts that are made, shown, and named otherwise: each with what was sent and what was shown of it. */
const contacts = (sent: (i: number) => Said, shown: (i: number) => Said, many = 3): readonly Exchange[] =>
  Array.from({ length: many }, (_, i) => [
    told('managed-contacts.create', { as, body: { ...sent(i), group: 'ops' } }, 200, {
      id: i + 1,
      group: 'ops',
      ...shown(i),
    }),
    told('managed-contacts.view', { as, path: { contactId: i + 1 } }, 200, { id: i + 1, group: 'ops', ...shown(i) }),
    told('managed-contacts.update', { as, path: { contactId: i + 1 }, body: { name: sent(i + 50).name } }, 200, {
      id: i + 1,
      group: 'ops',
      ...shown(i),
      name: shown(i + 50).name,
    }),
  ]).flat()

const findings = (exchanges: readonly Exchange[]) => gating(judgeHar(harOf(exchanges), true))
const hashed = (i: number): Said => ({ name: `a1b2c3d4e5${i}`, email: `f6a7b8c9d0${i}` })
const constant = (): Said => ({ name: 'Somebody', email: 'somebody@example.com' })
const own = ['data', 'logs', 'mail']
const pathOf = (name: string) => `/dev/disk/by-id/scsi-0Node_Volume_${name}`
const disks = (labels: readonly string[], path: (i: number) => string) =>
  labels.map((label, i) =>
    told(
      'volumes.create',
      { as, body: { label, region: 'r1' } },
      200,
      volume({ id: i + 1, label, filesystem_path: path(i) }),
    ),
  )
const lists = ['volumes.list', 'firewalls.list', 'managed-services.list']
const other = (i: number): Said => ({ name: `Nobody ${i}`, email: `nobody${i}@example.org` })

describe('values that were replaced in a recording', () => {
  test.each([
    ['in replies alone, one by one', person, other],
    ['in replies alone, by hashes', person, hashed],
    ['in requests alone', other, person],
    ['in requests alone, by the same', constant, person],
    ['everywhere, by what such a member cannot have', hashed, hashed],
    ['everywhere, each time by another', hashed, other],
  ])('%s, are no finding', (_, sent, shown) => expect(findings(contacts(sent, shown))).toEqual([]))
  test.each<[string, number]>([
    ['are no finding where one stands for those of three resources', 3],
    ['are findings where one does for those of two', 2],
  ])('as whole bodies %s', (_, many) => {
    const removed = { message: 'removed' }
    const refused = told('volumes.view', { as, path: { volumeId: 7 } }, 404, removed)
    const made = [...lists.slice(0, many).map((id) => told(id, { as }, 200, removed)), refused]
    expect(findings(made).length > 0).toBe(many < 3)
  })
  test('are counted, and what is left of such calls is not known', () => {
    const [recording] = recordingsOf(harOf(contacts(person, other)), true)
    expect(recording?.ignored).toEqual({ 'has values that were replaced in the recording': 9 })
    expect(recording?.events.filter(({ kind }) => kind === 'blank')).toHaveLength(6)
  })
  test('are looked for in members of the same resource or name of which less is told, too', () => {
    const phone = (primary: string) => ({ phone: { primary } })
    const called = { as, path: { contactId: 1 }, body: phone('555-0100') }
    const reached = told('managed-contacts.update', called, 200, { id: 1, ...phone('555-0199') })
    expect(findings([...contacts(person, person), reached])).toEqual(['managed-contacts.update.shows.phone:phone'])
    expect(findings([...contacts(person, other), reached])).toEqual([])
    const once = told('object-keys.create', { as, body: { label: 'mine' } }, 200, { id: 9, label: 'k-1' })
    const labels = disks(['l-1', 'l-2', 'l-3'], (i) => pathOf(own[i] ?? ''))
    expect(findings([once])).not.toEqual([])
    expect(findings([...contacts(person, other), ...labels, once])).toEqual([])
    // Where neither the resource nor the name was replaced elsewhere, one value is what the target does.
    expect(findings([...contacts(person, other), once])).not.toEqual([])
  })
  test('are known by hashes in place of the words that are derived from them', () => {
    const labels = ['a1b2c3d4', 'b2c3d4e5', 'c3d4e5f6']
    expect(findings(disks(labels, (i) => pathOf(own[i] ?? '')))).toEqual([])
    for (const zeros of ['', '00000']) expect(findings(disks(labels, (i) => pathOf(`${zeros}${i}`)))).not.toEqual([])
  })
  test('may stand in what is derived from them, where other members were replaced as well', () => {
    const shown = disks(['l-1', 'l-2', 'l-3'], (i) => pathOf(own[i] ?? ''))
    expect(findings(shown)).not.toEqual([])
    expect(findings([...contacts(person, other), ...shown])).toEqual([])
    // One path for all, and one that lacks but a letter, is what the target does.
    expect(findings([...contacts(person, other), ...disks(own, () => pathOf('disk'))])).not.toEqual([])
    expect(findings([...contacts(person, other), ...disks(own, (i) => pathOf(`${own[i]}.`))])).not.toEqual([])
  })
})

describe('values that were replaced in members of two resources', () => {
  const replaced = [...contacts(person, other), ...disks(['l-1', 'l-2', 'l-3'], (i) => pathOf(own[i] ?? ''))]
  const opens = (id: number, summary: string, shown: string) =>
    told('tickets.create', { as, body: { summary, description: 'Why?' } }, 200, {
      id,
      summary: shown,
      description: 'Why?',
    })
  test('are looked for in all free texts of which none is shown as it was sent', () => {
    expect(findings([opens(1, 'mine', 'theirs')])).not.toEqual([])
    expect(findings([...contacts(person, other), opens(1, 'mine', 'theirs')])).not.toEqual([])
    expect(findings([...replaced, opens(1, 'mine', 'theirs')])).toEqual([])
    expect(findings([...replaced, opens(1, 'mine', 'mine'), opens(2, 'yours', 'theirs')])).not.toEqual([])
  })
  test('are known by their shape, where all are made in one way', () => {
    const hashes = ['a1b2c3d4e5f1', 'a1b2c3d4e5f2', 'a1b2c3d4e5f3']
    const hash = (i: number): Said => ({ name: `f6a7b8c9d0e${i}`, email: `a0b1c2d3e4f${i}` })
    const assigns = (address: string) =>
      told('ips.assign', { as, body: { region: 'r1', assignments: [{ address, node_id: 101 }] } }, 200, {})
    const body = { node_id: 101, public: true, type: 'ipv4' }
    const shows = (address: string) => told('ips.allocate', { as, body }, 200, { address })
    const all = [...contacts(hash, hash), ...disks(hashes, (i) => pathOf(`a1b2c3d4e5e${i}`))]
    const hashed = 'abcdef012345'
    expect(findings([shows(hashed), assigns(hashed)])).not.toEqual([])
    expect(findings([...all, shows(hashed), assigns(hashed)])).toEqual([])
    expect(findings([...all, shows('here'), assigns('here')])).not.toEqual([])
  })
  test('are known by one text that stands for all, where that cannot be an address of mail', () => {
    const nobody = (): Said => ({ name: 'nobody', email: 'nobody' })
    const shown = disks(['nobody', 'nobody', 'nobody'], () => 'nobody')
    expect(findings(shown)).not.toEqual([])
    expect(findings([...contacts(nobody, nobody), ...shown])).toEqual([])
    expect(findings([...contacts(nobody, nobody), ...disks(own, (i) => own[i] ?? '')])).not.toEqual([])
  })
})

/** The views of what was made, and of settings, by the ids that their addresses, requests and replies hold. */
const seen = (idIn: (at: 'address' | 'body' | 'list', id: number) => unknown): readonly Exchange[] => [
  ...[1, 2, 3].map((id) =>
    told(
      'volumes.create',
      { as, body: { label: `v-${id}`, region: 'r1' } },
      200,
      volume({ id: idIn('list', id), label: `v-${id}` }),
    ),
  ),
  ...[1, 2, 3].map((id) =>
    told(
      'volumes.view',
      { as, path: { volumeId: Number(idIn('address', id)) } },
      200,
      volume({ id: idIn('body', id), label: `v-${id}` }),
    ),
  ),
  ...[101, 102, 103].map((id) =>
    told('managed-node-settings.view', { as, path: { nodeId: Number(idIn('address', id)) } }, 200, {
      id: idIn('body', id),
      label: `node-${id}`,
      group: '',
      ssh: { access: true, ip: 'any', port: null, user: null },
    }),
  ),
]

describe('ids that were replaced in a recording', () => {
  test.each<[string, Parameters<typeof seen>[0]]>([
    ['in addresses alone', (at, id) => (at === 'address' ? id + 7000 : id)],
    ['in bodies alone', (at, id) => (at === 'address' ? id : id + 7000)],
    ['by texts', (at, id) => (at === 'address' ? id : `id-${id}`)],
    ['by nothing', (at, id) => (at === 'address' ? id : null)],
    ['by one for all', (at, id) => (at === 'address' ? id : 0)],
  ])('%s, are no finding, and are counted', (_, idIn) => {
    expect(findings(seen(idIn))).toEqual([])
    const [recording] = recordingsOf(harOf(seen(idIn)), true)
    expect(Object.keys(recording?.ignored ?? {})).toEqual(['has values that were replaced in the recording'])
  })
  test('are known where lists of two kinds show several under one', () => {
    const volumes = told('volumes.list', { as }, 200, page(volume({ id: 5 }), volume({ id: 5, label: 'other' })))
    const tickets = told('tickets.list', { as }, 200, page({ id: 5, summary: 'One' }, { id: 5, summary: 'Two' }))
    expect(findings([volumes])).toContain('volumes.list.no-duplicates:duplicate')
    expect(findings([tickets])).toContain('tickets.list.no-duplicates:duplicate')
    expect(findings([volumes, tickets])).toEqual([])
    const twice = told('tickets.list', { as }, 200, page({ id: 5, summary: 'One' }, { id: 5, summary: 'One' }))
    expect(findings([volumes, twice])).toContain('tickets.list.no-duplicates:duplicate')
  })
  test.each<[string, readonly Exchange[]]>([
    ['any reply shows one that was named', seen((at, id) => (at === 'body' ? id + 7000 : id))],
    ['it is those of one kind', seen((at, id) => (at === 'address' || id < 100 ? id : id + 7000)).slice(6)],
  ])('are those of the target where %s', (_, exchanges) => {
    const [recording] = recordingsOf(harOf(exchanges), true)
    expect(recording?.ignored).toEqual({})
  })
})

describe('what a target does wrong', () => {
  test.each([
    ['a reply shows another value twice', contacts(person, other, 2)],
    ['one member is never shown as it was sent', contacts(person, (i) => ({ ...person(i), name: other(i).name }))],
    ['all are shown as the same', contacts(person, constant)],
    ['most replies show what was sent', [...contacts(person, person, 3), ...contacts((i) => person(i + 9), other, 3)]],
    ['it is updates that are lost', contacts(person, (i) => person(i % 50))],
    [
      'it takes what cannot be beside what can',
      contacts(
        (i) => (i < 50 && i > 0 ? hashed(i) : person(i)),
        (i) => (i < 50 && i > 0 ? hashed(i) : person(i)),
      ),
    ],
  ])('is found where %s', (_, exchanges) => expect(findings(exchanges)).not.toEqual([]))
})
