import { describe, expect, test } from 'vitest'
import { conversation, refusal, told } from './conversation.js'
import { pageOf, told as story } from './stories.js'

const secret = 'bXktc2VjcmV0LWtleS0xMjM0NTY3ODkw'
const photos = { bucket_name: 'photos', cluster: 'c1', permissions: 'read_only' }

const withKey = (body: object, reply: object) => {
  const talk = conversation()
  return { talk, made: talk.hear('object-keys.create', { body: { ...body } }, { id: 7, ...reply }) }
}

describe('object-keys.create', () => {
  test.each([
    ['nothing but an id', {}],
    ['the accesses in another order and with more members', { bucket_access: [{ ...photos, region: 'r1' }] }],
    ['an access without its permissions', { bucket_access: [{ bucket_name: 'photos', cluster: 'c1' }] }],
    ['accesses as texts', { bucket_access: ['c1/photos:ro'] }],
    ['accesses as a map', { bucket_access: { 'c1/photos': 'read_only' } }],
    ['permissions in other words', { bucket_access: [{ ...photos, permissions: 'ro' }] }],
    ['a cluster as a record', { bucket_access: [{ ...photos, cluster: { id: 'c1' } }] }],
  ])('accepts a limited key shown with %s', (_, reply) => {
    expect(told(withKey({ label: 'ts-t-1', bucket_access: [photos] }, reply).made)).toEqual([])
  })

  test.each([
    ['another bucket', [{ ...photos, bucket_name: 'other' }]],
    ['other permissions', [{ ...photos, permissions: 'read_write' }]],
    ['no bucket', []],
    ['null', null],
    ['one bucket more', [photos, { ...photos, bucket_name: 'other' }]],
  ])('finds a limited key that is shown with %s', (_, bucket_access) => {
    expect(told(withKey({ label: 'ts-t-1', bucket_access: [photos] }, { bucket_access }).made)).toEqual([
      'must object-keys.create.limited',
    ])
  })

  test.each(['cluster', 'bucket_name'])('lets a bucket of no cluster be laid to its %s', (field) => {
    const talk = conversation()
    const body = { label: 'ts-t-1', bucket_access: [{ ...photos, cluster: 'never-existed' }] }
    expect(told(talk.hear('object-keys.create', { body }, refusal(`bucket_access[0].${field}`), 400))).toEqual([])
  })

  test('does not take a deleted key, listed as it was, for one made since whose label may be shown otherwise', () => {
    const make = (label: string, reply: object) => ['object-keys.create', { body: { label } }, 200, reply] as const
    const { deviations } = story(
      [
        make('ts-t-1', { id: 7, label: 'ts-t-1' }),
        ['object-keys.delete', { path: { keyId: 7 } }, 200, {}],
        make('ts-t-2 ключ', { key: { id: 8 } }),
        ['object-keys.list', {}, 200, pageOf({ id: 7, label: 'ts-t-1' })],
      ],
      { closed: ['object-keys'], nonce: 'ts-t' },
    )
    expect(deviations).toContain('must object-keys.list.only-live')
  })

  test('lets an update be answered with nothing', () => {
    const { talk } = withKey({ label: 'ts-t-1' }, {})
    const change = { path: { keyId: 7 }, body: { label: 'ts-t-2' } }
    expect(told(talk.hear('object-keys.update', change, null))).toEqual([])
  })

  test('finds a key without access that is shown with some', () => {
    expect(told(withKey({ label: 'ts-t-1', bucket_access: [] }, { bucket_access: [photos] }).made)).toEqual([
      'must object-keys.create.limited-to-none',
    ])
  })

  test('reports an unlimited key that is shown as one without access, but does not gate on it', () => {
    expect(told(withKey({ label: 'ts-t-1' }, { bucket_access: [] }).made)).toEqual([
      'should object-keys.create.unlimited',
    ])
  })

  test('lets another member tell that a key shown with no access is unlimited', () => {
    expect(told(withKey({ label: 'ts-t-1' }, { bucket_access: [], limited: false }).made)).toEqual([])
  })

  test.each([
    ['a bucket that is not known', { bucket_access: [{ ...photos, bucket_name: 'unheard-of' }] }],
    ['a bucket named twice', { bucket_access: [photos, photos] }],
    ['an access without a cluster', { bucket_access: [{ bucket_name: 'photos' }] }],
    [
      'a bucket named twice with other permissions',
      { bucket_access: [photos, { ...photos, permissions: 'read_write' }] },
    ],
  ])('lets %s be refused or accepted, and shown in any way', (_, body) => {
    expect(told(conversation().hear('object-keys.create', { body }, refusal(), 400))).toEqual([])
    for (const bucket_access of [undefined, [], [photos]]) {
      const talk = conversation()
      expect(told(talk.hear('object-keys.create', { body }, { id: 1, bucket_access }))).toEqual([])
      expect(told(talk.hear('object-keys.view', { path: { keyId: 1 } }, { id: 1, bucket_access: [photos] }))).toEqual(
        [],
      )
    }
  })

  test('lets a label with odd characters be refused or accepted', () => {
    const body = { label: 'Ä' }
    expect(told(conversation().hear('object-keys.create', { body }, refusal(), 400))).toEqual([])
    expect(told(conversation().hear('object-keys.create', { body }, { id: 1 }))).toEqual([])
  })

  test('finds a refusal of a key that is limited to a bucket of the account', () => {
    const body = { label: 'ts-t-1', bucket_access: [photos] }
    expect(told(conversation().hear('object-keys.create', { body }, refusal(), 400))).toContain(
      'must object-keys.create.accepts',
    )
  })

  test('finds a key made for an account with a negative balance', () => {
    const call = { body: { label: 'ts-t-1' }, as: 'debtor' }
    expect(told(conversation().hear('object-keys.create', call, { id: 1 }))).toEqual([
      'must object-keys.create.negative-balance',
    ])
    expect(conversation().hear('object-keys.create', call, refusal(), 403).decisive).toBe(
      'object-keys.create.negative-balance',
    )
  })
})

describe('an access key', () => {
  test('keeps its accesses when its label changes', () => {
    const { talk } = withKey({ label: 'ts-t-1', bucket_access: [photos] }, {})
    const update = { path: { keyId: 7 }, body: { label: 'ts-t-2' } }
    expect(told(talk.hear('object-keys.update', update, { id: 7, label: 'ts-t-2', bucket_access: [photos] }))).toEqual(
      [],
    )
    expect(told(talk.hear('object-keys.view', { path: { keyId: 7 } }, { id: 7, bucket_access: [] }))).toEqual([
      'must object-keys.view.shows.bucket_access',
    ])
  })

  test('may be shown without the access to a bucket that is gone', () => {
    const { talk } = withKey({ label: 'ts-t-1', bucket_access: [photos] }, {})
    talk.hear('buckets.delete', { path: { clusterId: 'c1', bucket: 'photos' } })
    expect(told(talk.hear('object-keys.view', { path: { keyId: 7 } }, { id: 7, bucket_access: [] }))).toEqual([])
  })

  test('has its new label from the update on', () => {
    const { talk } = withKey({ label: 'ts-t-1' }, {})
    talk.hear('object-keys.update', { path: { keyId: 7 }, body: { label: 'ts-t-2' } }, {})
    expect(told(talk.hear('object-keys.view', { path: { keyId: 7 } }, { id: 7, label: 'ts-t-1' }))).toEqual([
      'must object-keys.update.takes-effect',
    ])
  })

  test('does not show its secret again, wherever the member stands', () => {
    const { talk } = withKey({ label: 'ts-t-1' }, { label: 'ts-t-1', keys: { secret_key: secret } })
    const view = { path: { keyId: 7 } }
    expect(told(talk.hear('object-keys.view', view, { id: 7, secret_key: '[REDACTED]' }))).toEqual([])
    expect(told(talk.hear('object-keys.view', view, { id: 7, s: secret }))).toEqual([
      'should object-keys.view.no-secret',
    ])
    const page = { data: [{ id: 7, secret_key: secret }], page: 1, pages: 1, results: 1 }
    expect(told(talk.hear('object-keys.list', {}, page))).toEqual(['should object-keys.list.no-secret'])
  })

  test('is gone once it is revoked, unless it is shown as revoked', () => {
    const { talk } = withKey({ label: 'ts-t-1' }, {})
    talk.hear('object-keys.delete', { path: { keyId: 7 } })
    const view = { path: { keyId: 7 } }
    for (const said of [{ status: 'revoked' }, { revoked: true }, { active: false }])
      expect(told(talk.hear('object-keys.view', view, { id: 7, ...said }))).toEqual([])
    const lives = told(talk.hear('object-keys.view', view, { id: 7, active: true }))
    expect(lives).toEqual(['must object-keys.delete.takes-effect'])
    expect(told(talk.hear('object-keys.view', view, { id: 7 }))).toEqual(['must object-keys.delete.takes-effect'])
    expect(told(talk.hear('object-keys.view', view, refusal(), 404))).toEqual([])
  })
})

test.each([
  ['refused', refusal('bucket_access'), 400, []],
  ['accepted', { id: 7 }, 200, ['should object-keys.create.body.bucket_access[].type']],
])('null in place of an access is %s', (_, reply, status, findings) => {
  const body = { label: 'ts-t-1', bucket_access: [null] }
  expect(told(conversation().hear('object-keys.create', { body }, reply, status))).toEqual(findings)
})

test.each([
  ['with the id of one that is there', ['must object-keys.create.new'], []],
  ['with the id of one that cancelling may have removed', [], ['object-storage.cancel']],
])('a key made %s is judged', (_, findings, between) => {
  const { talk } = withKey({ label: 'ts-t-1' }, {})
  for (const id of between) talk.hear(id, {})
  expect(told(talk.hear('object-keys.create', { body: { label: 'ts-t-2' } }, { id: 7 }))).toEqual(findings)
})

describe('object-keys.view', () => {
  const view = (keyId: number) => ['object-keys.view', { path: { keyId } }, 200, { id: keyId, label: '' }] as const
  const closed = ['object-keys']

  test('takes an id for that of a key whose creation told nothing that was asked for', () => {
    const create = [
      'object-keys.create',
      { body: { bucket_access: [photos] } },
      200,
      { id: 7, label: '', limited: true },
    ] as const
    expect(story([create, view(7)], { closed }).deviations).toEqual([])
  })

  test('takes no id for that of a key that told its own', () => {
    const create = ['object-keys.create', { body: { label: 'ts-t-1' } }, 200, { id: 7, label: 'ts-t-1' }] as const
    expect(story([create, view(8)], { closed }).deviations).toEqual(['should object-keys.view.path.keyId.exists'])
  })
})

test('a list tells keys whose creations showed nothing apart by their labels, though one of these may be spelled otherwise', () => {
  const create = (label: string) => ['object-keys.create', { body: { label } }, 200, {}] as const
  const records = [
    { id: 8, label: 'ts-t-2' },
    { id: 7, label: 'ts-t-1 Ёлка' },
  ]
  const list = ['object-keys.list', {}, 200, { data: records, page: 1, pages: 1, results: 2 }] as const
  const { deviations } = story([create('ts-t-1 Ёлка'), create('ts-t-2'), list], { closed: ['object-keys'] })
  expect(deviations).toEqual([])
})

test('a list takes the key of a creation that gave no label for none whose label another creation gave', () => {
  const create = (body: Readonly<Record<string, unknown>>) => ['object-keys.create', { body }, 200, {}] as const
  const records = [
    { id: 8, label: 'ts-t-2' },
    { id: 7, label: '' },
  ]
  const list = ['object-keys.list', {}, 200, { data: records, page: 1, pages: 1, results: 2 }] as const
  const { deviations } = story([create({}), create({ label: 'ts-t-2' }), list], { closed: ['object-keys'] })
  expect(deviations).toEqual([])
})
