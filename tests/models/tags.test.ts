import { describe, expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { idIn } from '../../models/language/world.js'
import { tagKey } from '../../models/tags/record.js'
import { judge } from '../../oracle/judge.js'
import { pageOf, refusal, type Told, told } from './stories.js'

const closed = ['tags', 'volumes', 'nodes', 'domains', 'nodebalancers', 'firewalls']

const volumeRecord = (tags: readonly string[], label = 'disk', id = 7) => ({
  id,
  label,
  status: 'active',
  size: 20,
  region: 'r1',
  hardware_type: 'nvme',
  filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_${label}`,
  node_id: null,
  node_label: null,
  tags,
  created: '2026-01-01T00:00:00Z',
  updated: '2026-01-01T00:00:00Z',
})
const volume = (tags: readonly string[] = []): Told => [
  'volumes.create',
  { body: { label: 'disk', region: 'r1', tags } },
  200,
  volumeRecord(tags),
]
const retagged = (tags: readonly string[]): Told => [
  'volumes.update',
  { path: { volumeId: 7 }, body: { tags } },
  200,
  volumeRecord(tags),
]
const shown = (tags: readonly string[]): Told => ['volumes.view', { path: { volumeId: 7 } }, 200, volumeRecord(tags)]
const gone: Told = ['volumes.delete', { path: { volumeId: 7 } }, 200, {}]
const create = (label: string, objects: object = {}, reply: object = { label }, status = 200): Told => [
  'tags.create',
  { body: { label, ...objects } },
  status,
  reply,
]
const list = (...labels: readonly string[]): Told => [
  'tags.list',
  {},
  200,
  pageOf(...labels.map((label) => ({ label }))),
]
const view = (label: string, ...objects: readonly object[]): Told => [
  'tags.view',
  { path: { tagLabel: label } },
  200,
  pageOf(...objects),
]
const remove = (label: string, reply: object = {}, status = 200): Told => [
  'tags.delete',
  { path: { tagLabel: label } },
  status,
  reply,
]
const disk = { type: 'volume', data: { id: 7 } }

describe('a target is left its freedom', () => {
  const stories: Readonly<Record<string, readonly Told[]>> = {
    'a record may name its object by a path, or by a name of parts': [
      volume(),
      create('alpha', { volumes: [7] }),
      view('alpha', { url: '/v4/volumes/7' }),
      view('alpha', { urn: 'urn:volume:7' }),
    ],
    'a reply may tell nothing, and records may have no label': [
      create('alpha', {}, {}),
      ['tags.list', {}, 200, pageOf({ id: 1 })],
      view('alpha'),
      remove('alpha'),
    ],
    'records may have no label where none shows one': [
      create('alpha'),
      create('beta'),
      ['tags.list', {}, 200, pageOf({ label: null, name: 'alpha' }, { label: null, name: 'beta' })],
    ],
    'a record may have no label where others do': [
      create('alpha'),
      create('beta'),
      ['tags.list', {}, 200, pageOf({ label: 'alpha' }, { name: 'beta' })],
    ],
    'a label that exists may be refused': [create('alpha'), create('alpha', {}, refusal('label'), 400)],
    'a label that exists may be taken': [create('alpha'), create('alpha')],
    'a label that was set on a volume may exist as a tag': [volume(['alpha']), list('alpha'), view('alpha', disk)],
    'a label that was set on a volume may not exist as a tag': [volume(['alpha']), list()],
    'a label that was once set on a volume may be refused': [
      volume(['alpha']),
      gone,
      create('alpha', {}, refusal('label'), 400),
    ],
    'a label that was once set on a volume may be taken': [volume(['alpha']), gone, create('alpha')],
    'a tag that only a volume carried may go with it': [volume(['alpha']), list('alpha'), gone, list()],
    'a tag that only a volume carried may stay': [volume(['alpha']), list('alpha'), retagged([]), list('alpha')],
    'a view of a tag that only a volume carried may be refused': [
      volume(['alpha']),
      ['tags.view', { path: { tagLabel: 'alpha' } }, 404, refusal()],
    ],
    'a label that was only set on a volume may be carried by nothing as a tag': [volume(['alpha']), view('alpha')],
    'a label that a clone was given by itself may exist as a tag': [
      volume(),
      ['volumes.clone', { path: { volumeId: 7 }, body: { label: 'copy' } }, 200, volumeRecord(['cloned'], 'copy', 8)],
      list('cloned'),
    ],
    'an odd label may be refused': [create('Ä b', {}, refusal('label'), 400)],
    'an odd label may be kept in another form': [create('Ä b', {}, { label: 'ä-b' }), list('ä-b')],
    'an odd label may still name the tag that is kept in another form': [
      create('Ä b', {}, { label: 'ä-b' }),
      view('Ä b'),
      remove('Ä b'),
      list(),
    ],
    'an odd label that the reply does not repeat may name the tag': [create('two words', {}, {}), view('two words')],
    'an odd label that the reply does not repeat may be deleted': [create('two words', {}, {}), remove('two words')],
    'an object may be told by a path that ends in its id': [
      volume(),
      create('alpha', { volumes: [7] }),
      view('alpha', { href: '/volumes/7' }),
    ],
    'an odd label on a volume may become another tag': [volume(['A b']), list('a-b')],
    'a label may be like an odd one that exists': [volume(['A b']), create('a-b', {}, refusal('label'), 400)],
    'a firewall may count among the objects of a tag': [
      create('alpha', { domains: [401] }),
      [
        'firewalls.create',
        { body: { label: 'wall', rules: { inbound_policy: 'DROP', outbound_policy: 'DROP' }, tags: ['alpha'] } },
        200,
        { id: 9, label: 'wall', tags: ['alpha'] },
      ],
      view('alpha', { type: 'domain', data: { id: 401 } }, { type: 'firewall', data: { id: 9 } }),
    ],
    'a firewall may be left out of the objects of a tag': [
      create('alpha', { domains: [401] }),
      [
        'firewalls.create',
        { body: { label: 'wall', rules: { inbound_policy: 'DROP', outbound_policy: 'DROP' }, tags: ['alpha'] } },
        200,
        { id: 9, label: 'wall', tags: ['alpha'] },
      ],
      view('alpha', { type: 'domain', data: { id: 401 } }),
    ],
    'objects may be shown bare': [volume(), create('alpha', { volumes: [7] }), view('alpha', volumeRecord(['alpha']))],
    'tags of a volume may come in another order': [
      volume(['zeta']),
      create('alpha', { volumes: [7] }),
      shown(['alpha', 'zeta']),
    ],
    'an object listed twice may be refused': [volume(), create('alpha', { volumes: [7, 7] }, refusal('volumes'), 400)],
  }
  for (const [name, steps] of Object.entries(stories))
    test(name, () => expect(told(steps, { closed }).deviations.filter((one) => one.startsWith('must'))).toEqual([]))
})

describe('a fault is found', () => {
  const stories: Readonly<Record<string, readonly [readonly Told[], string]>> = {
    'a tag whose label is null in a list that shows labels': [
      [create('alpha'), create('beta'), ['tags.list', {}, 200, pageOf({ label: 'alpha' }, { label: null })]],
      'must tags.list.complete',
    ],
    'a label of two characters': [[create('ab')], 'must tags.create.body.label.minLength'],
    'a label of 51 characters': [[create('a'.repeat(51))], 'must tags.create.body.label.maxLength'],
    'a label of 50 characters refused': [
      [create('a'.repeat(50), {}, refusal('label'), 400)],
      'must tags.create.accepts',
    ],
    'a volume of another account tagged': [[create('alpha', { volumes: [699] })], 'must tags.create.volumes-writable'],
    'a node of another account tagged beside an own one': [
      [create('alpha', { nodes: [101, 201] })],
      'must tags.create.nodes-writable',
    ],
    'a tag that does not exist after a refusal is listed': [
      [create('alpha', { domains: [499] }, refusal('domains'), 400), list('alpha')],
      'must tags.list.only-live',
    ],
    'a volume tagged although the creation was refused': [
      [volume(), create('alpha', { volumes: [7], domains: [499] }, refusal('domains'), 400), shown(['alpha'])],
      'must volumes.view.shows.tags',
    ],
    'a volume that was to be tagged and is not': [
      [volume(), create('alpha', { volumes: [7] }), shown([])],
      'must tags.create.tags-volumes',
    ],
    'a volume that loses its other tags': [
      [volume(['zeta']), create('alpha', { volumes: [7] }), shown(['alpha'])],
      'must volumes.view.shows.tags',
    ],
    'a volume that keeps a deleted tag': [
      [volume(), create('alpha', { volumes: [7] }), shown(['alpha']), remove('alpha'), shown(['alpha'])],
      'must tags.delete.untags-volumes',
    ],
    'a volume that loses its other tags with a deleted one': [
      [volume(['zeta']), create('alpha', { volumes: [7] }), remove('alpha'), shown([])],
      'must volumes.view.shows.tags',
    ],
    'a collection without an object': [
      [volume(), create('alpha', { volumes: [7], domains: [401] }), view('alpha', disk)],
      'must tags.view.all-objects',
    ],
    'a collection with an object twice': [
      [volume(), create('alpha', { volumes: [7] }), view('alpha', disk, disk)],
      'must tags.view.all-objects',
    ],
    'a collection with a volume that was deleted': [
      [volume(), create('alpha', { volumes: [7] }), gone, view('alpha', disk)],
      'must tags.view.all-objects',
    ],
    'a collection with a volume that lost the tag': [
      [volume(), create('alpha', { volumes: [7] }), retagged([]), view('alpha', disk)],
      'must tags.view.all-objects',
    ],
    'a collection without a volume that was given the tag later': [
      [volume(), create('alpha'), retagged(['alpha']), view('alpha')],
      'must tags.view.all-objects',
    ],
    'a collection with another object': [
      [volume(), create('alpha', { volumes: [7] }), view('alpha', { type: 'volume', data: { id: 8 } })],
      'should tags.view.names-objects',
    ],
    'a deleted tag that is still listed': [
      [create('alpha'), remove('alpha'), list('alpha')],
      'must tags.list.only-live',
    ],
    'a deleted tag whose label is not free': [
      [create('alpha'), remove('alpha'), create('alpha', {}, refusal('label'), 400)],
      'must tags.create.accepts',
    ],
    'a tag that is missing in the list': [[create('alpha'), create('bravo'), list('alpha')], 'must tags.list.complete'],
    'another label than the one that was asked for': [
      [create('alpha', {}, { label: 'bravo' })],
      'must tags.create.shows.label',
    ],
    'tags listed for a restricted user': [
      [['tags.list', { as: 'limited' }, 200, pageOf()]],
      'must tags.list.unrestricted',
    ],
  }
  for (const [name, [steps, finding]] of Object.entries(stories))
    test(name, () => expect(told(steps, { closed, nonce: 'alpha' }).deviations).toContain(finding))
})

test('a tag of another account with the same label is another tag', () => {
  const other: Told = ['tags.create', { body: { label: 'alpha' }, as: 'other' }, 200, { label: 'alpha' }]
  expect(told([other, create('alpha'), list('alpha'), remove('alpha'), list()], { closed }).deviations).toEqual([])
})

test('a tag of another account in the list is found', () => {
  const other: Told = ['tags.create', { body: { label: 'alpha' }, as: 'other' }, 200, { label: 'alpha' }]
  expect(told([other, list('alpha')], { closed }).deviations).toContain('must tags.list.only-live')
})

test('in an open account a label that this run did not invent may be taken', () => {
  expect(told([create('alpha', {}, refusal('label'), 400)]).deviations).toEqual([])
  expect(told([create('alpha-q1', {}, refusal('label'), 400)], { nonce: 'q1' }).deviations).toEqual([
    'must tags.create.accepts',
  ])
})

test('an account may have the name of a mailbox', () => {
  const key = tagKey('ops@example.com', 'web')
  expect(idIn(key)).toBe(key)
})

test('a tag that a call without a token has made may show in the list of any account', () => {
  const made = told([['tags.create', { as: null, body: { label: 'alpha' } }, 200, { label: 'alpha' }]], { closed })
  expect(made.deviations).toContain('must tags.create.token')
  const op = operationById('tags.list') as Operation
  const listed = (label: string) =>
    judge(made.world, op, buildCall(op, { as: 'owner' }), { status: 200, body: pageOf({ label }) }, 2).deviations
  expect(listed('alpha')).toEqual([])
  expect(listed('beta').map(({ clause }) => clause)).toEqual(['tags.list.only-live'])
})
