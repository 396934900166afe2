import { expect, test } from 'vitest'
import { operationById, operations } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { groupsOf } from '../../oracle/groups.js'
import { areIndependent } from '../../oracle/independence.js'

const sent = (id: string, path: Readonly<Record<string, string>> = {}, body?: object) => {
  const op = operationById(id) as Operation
  const call = { operation: id, method: op.method, url: op.path, as: 'owner', path, query: {}, ...(body && { body }) }
  return { op, call, outcome: { status: 200, body: {} } }
}

const madeVolume = {
  ...sent('volumes.create', {}, { label: 'made' }),
  outcome: { status: 200, body: { id: 7, label: 'made' } },
}

test.each([
  ['looks at two volumes', sent('volumes.view', { volumeId: '7' }), sent('volumes.view', { volumeId: '8' })],
  ['a volume and a contact', sent('volumes.create'), sent('managed-contacts.create')],
  [
    'two contacts',
    sent('managed-contacts.view', { contactId: '1' }),
    sent('managed-contacts.delete', { contactId: '2' }),
  ],
  ['a volume and the firewalls', sent('volumes.create'), sent('firewalls.list')],
  ['a volume without tags and the tags', sent('volumes.create', {}, { label: 'a' }), sent('tags.list')],
  ['the tickets and a new volume', sent('tickets.list'), sent('volumes.create')],
  ['a volume and a tag of others', madeVolume, sent('tags.create', {}, { label: 'a', volumes: [8] })],
  ['a ticket about nothing and a volume', sent('tickets.create', {}, { summary: 'a' }), sent('volumes.delete')],
])('%s have nothing to do with each other', (_, one, other) => {
  expect([areIndependent(one, other), areIndependent(other, one)]).toEqual([true, true])
})

test.each([
  ['two calls on one volume', sent('volumes.view', { volumeId: '7' }), sent('volumes.resize', { volumeId: '7' })],
  [
    'attachments, which share a node',
    sent('volumes.attach', { volumeId: '7' }),
    sent('volumes.detach', { volumeId: '8' }),
  ],
  ['a volume and a tag', sent('volumes.delete', { volumeId: '7' }), sent('tags.view', { tagLabel: 'a' })],
  [
    'a service and a contact of its group',
    sent('managed-services.create'),
    sent('managed-contacts.delete', { contactId: '1' }),
  ],
  ['a volume with tags and the tags', sent('volumes.create', {}, { tags: ['a'] }), sent('tags.list')],
  ['a creation whose body is not known and the tags', sent('firewalls.create'), sent('tags.list')],
  ['a firewall and a tag', sent('firewalls.update', { firewallId: '7' }), sent('tags.delete', { tagLabel: 'a' })],
  ['a volume without tags and the tag that it is given', madeVolume, sent('tags.create', {}, { volumes: [7] })],
  ['a ticket and what it is about', sent('tickets.create'), sent('volumes.delete', { volumeId: '7' })],
])('%s may have', (_, one, other) => {
  expect([areIndependent(one, other), areIndependent(other, one)]).toEqual([false, false])
})

const showsTags = ({ reply, makes }: Operation): boolean =>
  'table' in reply && reply.table.fields.includes('tags') && makes === undefined

test.each(operations.filter(showsTags))('$id, which shows tags, may have to do with their deletion', ({ id }) => {
  expect(areIndependent(sent(id), sent('tags.delete', { tagLabel: 'a' }))).toBe(false)
})

test('Calls that overlap are judged apart where nothing ties them together, each after what it depends on', () => {
  const timed = (id: string, from: number, to: number, path: Readonly<Record<string, string>> = {}) => ({
    ...sent(id, path),
    startedAt: from,
    endedAt: to,
  })
  const one = timed('volumes.resize', 0, 10, { volumeId: '7' })
  const contact = timed('managed-contacts.create', 1, 30)
  const other = timed('volumes.view', 5, 12, { volumeId: '7' })
  const later = timed('volumes.list', 13, 20)
  const groups = groupsOf([one, contact, other, later], () => false)
  expect(groups.map((group) => group.map(({ op }) => op.id)).filter(([id]) => id?.startsWith('volumes'))).toEqual([
    ['volumes.resize', 'volumes.view'],
    ['volumes.list'],
  ])
  expect(groups.flat()).toHaveLength(4)
})
