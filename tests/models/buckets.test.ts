// What the model expects of calls on buckets, judged before any reply.
import { describe, expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import { bucketKey, buckets } from '../../models/buckets/record.js'
import { operationById } from '../../models/index.js'
import { drop, patch, put } from '../../models/language/changes.js'
import type { Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { live, type World } from '../../models/language/world.js'
import { startWorld } from '../../models/start.js'
import { expectationOf, judge } from '../../oracle/judge.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { conversation, refusal, told } from './conversation.js'
import { told as story } from './stories.js'

const photos = { clusterId: 'c1', bucket: 'photos' }
const ours = { clusterId: 'c1', bucket: 'ts-t-1' }
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'

/** The fixtures, and an empty bucket of our own. */
const world = (): World =>
  put(startWorld(embeddedEnvironment(), { nonce: 'ts-t' }), buckets, {
    key: bucketKey('c1', 'ts-t-1'),
    account: 'main',
    maker: 'owner',
    clusterId: 'c1',
    cluster: 'c1',
    label: 'ts-t-1',
    acl: 'private',
    cors_enabled: false,
    objects: [],
    certificate: false,
  })

const ofOurs = (fields: object): World => patch(world(), buckets, 'c1/ts-t-1', fields)
const create = (label: string, cluster = 'c1'): Args => ({ body: { cluster, label } })

type Case = readonly [string, 'accept' | 'refuse' | 'either', string, Args, (() => World)?]

const cases: readonly Case[] = [
  ['a bucket with a new name is created', 'accept', 'buckets.create', create('ts-t-2')],
  ['a name that anyone may have taken may be refused', 'either', 'buckets.create', create('pictures')],
  ['an owned bucket is created again', 'accept', 'buckets.create', create('ts-t-1')],
  [
    'another account cannot create a bucket of that name',
    'refuse',
    'buckets.create',
    { ...create('ts-t-1'), as: 'other' },
  ],
  [
    'another account can create one in another cluster',
    'accept',
    'buckets.create',
    { ...create('ts-t-1', 'c2'), as: 'other' },
  ],
  [
    'another account can create one after its deletion',
    'accept',
    'buckets.create',
    { ...create('ts-t-1'), as: 'other' },
    () => drop(world(), buckets, 'c1/ts-t-1'),
  ],
  ['a negative balance forbids a new bucket', 'refuse', 'buckets.create', { ...create('ts-t-2'), as: 'debtor' }],
  ['a restricted user may be refused', 'either', 'buckets.create', { ...create('ts-t-2'), as: 'limited' }],
  ['a name with capitals may be refused', 'either', 'buckets.create', create('ts-t-A')],
  ['a name of 64 characters may be refused', 'either', 'buckets.create', create(`ts-t-${'a'.repeat(59)}`)],
  [
    'custom is no ACL for a new bucket',
    'refuse',
    'buckets.create',
    { body: { cluster: 'c1', label: 'ts-t-2', acl: 'custom' } },
  ],
  ['a cluster is required', 'refuse', 'buckets.create', { body: { label: 'ts-t-2' } }],
  ['a bucket with objects stays', 'refuse', 'buckets.delete', { path: photos }],
  ['an empty bucket is deleted', 'accept', 'buckets.delete', { path: ours }],
  [
    'a bucket with a certificate may stay',
    'either',
    'buckets.delete',
    { path: ours },
    () => ofOurs({ certificate: true }),
  ],
  [
    'a bucket whose objects are not known may stay',
    'either',
    'buckets.delete',
    { path: ours },
    () => ofOurs({ objects: undefined }),
  ],
  ["another account's bucket is not shown", 'refuse', 'buckets.view', { path: ours, as: 'other' }],
  [
    'a bucket is set to custom',
    'accept',
    'bucket-access.update',
    { path: ours, body: { acl: 'custom', cors_enabled: true } },
  ],
  ['CORS may be set alone, or refused', 'either', 'bucket-access.allow', { path: ours, body: { cors_enabled: true } }],
  ['an access setting that sets nothing may be refused', 'either', 'bucket-access.allow', { path: ours, body: {} }],
  ['the ACL of an object is shown', 'accept', 'object-acl.view', { path: photos, query: { name: 'c.txt' } }],
  ['the ACL of no object may be refused', 'either', 'object-acl.view', { path: photos }],
  [
    'the ACL of a missing object may be refused',
    'either',
    'object-acl.view',
    { path: photos, query: { name: 'd.txt' } },
  ],
  ['an object ACL needs a name', 'refuse', 'object-acl.update', { path: photos, body: { acl: 'private' } }],
  [
    'an object ACL may be custom',
    'accept',
    'object-acl.update',
    { path: photos, body: { acl: 'custom', name: 'c.txt' } },
  ],
  [
    'objects are listed with a prefix and a delimiter',
    'accept',
    'bucket-objects.list',
    { path: photos, query: { prefix: 'a/', delimiter: '/' } },
  ],
  [
    'a marker that no page told may be refused',
    'either',
    'bucket-objects.list',
    { path: photos, query: { marker: 'a/001.jpg' } },
  ],
  ['a page of 24 objects is too small', 'refuse', 'bucket-objects.list', { path: photos, query: { page_size: '24' } }],
  [
    'a page of 500 objects is not too large',
    'accept',
    'bucket-objects.list',
    { path: photos, query: { page_size: '500' } },
  ],
  [
    'a URL to put an object needs a content type',
    'refuse',
    'object-urls.create',
    { path: ours, body: { name: 'a.txt', method: 'PUT' } },
  ],
  [
    'a URL for a method of whatever name needs one too',
    'refuse',
    'object-urls.create',
    { path: ours, body: { name: 'a.txt', method: 'HEAD' } },
  ],
  [
    'a URL to get a missing object needs none',
    'accept',
    'object-urls.create',
    { path: ours, body: { name: 'a.txt', method: 'GET' } },
  ],
  ['a URL without a method may be refused', 'either', 'object-urls.create', { path: ours, body: { name: 'a.txt' } }],
  [
    'a URL is valid for 360 seconds at least',
    'refuse',
    'object-urls.create',
    { path: ours, body: { name: 'a.txt', method: 'GET', expires_in: 359 } },
  ],
  [
    'a URL is valid for 86,400 seconds at most',
    'refuse',
    'object-urls.create',
    { path: ours, body: { name: 'a.txt', method: 'GET', expires_in: 86_401 } },
  ],
  [
    'any certificate may be refused',
    'either',
    'bucket-certificates.upload',
    { path: ours, body: { certificate: pem, private_key: 'k' } },
  ],
  [
    'what is no PEM at all is refused',
    'refuse',
    'bucket-certificates.upload',
    { path: ours, body: { certificate: 'a b', private_key: 'k' } },
  ],
  [
    'a certificate is deleted',
    'accept',
    'bucket-certificates.delete',
    { path: ours },
    () => ofOurs({ certificate: true }),
  ],
  ['the deletion of none may be refused', 'either', 'bucket-certificates.delete', { path: ours }],
]

for (const [what, kind, id, args, given = world] of cases)
  test(`${what}: ${kind}`, () => {
    const op = operationById(id) as Operation
    const call = buildCall(op, { as: 'owner', ...args })
    expect(expectationOf(given(), op, call).kind).toBe(kind)
  })

describe('recorded traffic', () => {
  /** Judges calls in a world in which whatever is seen is taken in. */
  const recorded = (...steps: readonly (readonly [string, Args, number, unknown])[]) => {
    let before = startWorld(embeddedEnvironment(), { adopting: true })
    return steps.flatMap(([id, args, status, body], i) => {
      const op = operationById(id) as Operation
      const call = buildCall(op, { as: 'owner', ...args })
      const { deviations, world } = judge(before, op, call, { status, body }, i + 1)
      before = world
      return deviations.map(({ clause, level }) => `${level} ${clause}`)
    })
  }
  const path = { clusterId: 'c1', bucket: 'pictures' }
  const body = { cluster: 'c1', label: 'pictures' }

  test.each(['owner', '?'])('a bucket may be created twice by %s', (as) => {
    const create = ['buckets.create', { body, as }, 200, body] as const
    expect(recorded(create, create)).toEqual([])
  })
  test('one of which nothing but its path was seen may be created again', () =>
    expect(
      recorded(['bucket-certificates.view', { path }, 200, { ssl: false }], ['buckets.create', { body }, 200, body]),
    ).toEqual([]))
})

test.each([
  ['PUT', 'content_type', []],
  ['PUT', 'method', []],
  ['PUT', 'name', ['must object-urls.create.refusal.field']],
  [12, 'content_type', []],
  [12, 'name', ['should object-urls.create.refusal.field']],
])('a content type that is missing beside the method %s may be blamed on %s', (method, field, findings) => {
  const talk = conversation()
  const made = { cluster: 'c1', label: 'ts-t-1' }
  talk.hear('buckets.create', { body: made }, made)
  const args = { path: ours, body: { name: 'a.txt', method } }
  expect(told(talk.hear('object-urls.create', args, refusal(field), 400))).toEqual(findings)
})

test.each([
  ['name', []],
  ['acl', ['must object-acl.update.refusal.field']],
])('a missing name of an object may be blamed on %s', (field, findings) => {
  const talk = conversation()
  const made = { cluster: 'c1', label: 'ts-t-1' }
  talk.hear('buckets.create', { body: made }, made)
  const args = { path: ours, body: { acl: 'private' } }
  expect(told(talk.hear('object-acl.update', args, refusal(field), 400))).toEqual(findings)
})

test.each([
  ['an empty key', '', []],
  ['a key', 'k3y-k3y-k3y', ['should bucket-certificates.upload.no-secret']],
])('a reply that repeats %s is judged', (_, key, findings) => {
  const talk = conversation()
  const made = { cluster: 'c1', label: 'ts-t-1' }
  talk.hear('buckets.create', { body: made }, made)
  const args = { path: ours, body: { certificate: pem, private_key: key } }
  expect(told(talk.hear('bucket-certificates.upload', args, { ssl: true, private_key: key }))).toEqual(findings)
})

describe('the buckets of a cluster that is not there', () => {
  const ask = (body: unknown, status = 200) =>
    story([['buckets.list-in-cluster', { path: { clusterId: 'never-existed' } }, status, body]], {
      closed: ['clusters'],
    }).deviations

  test.each([
    ['refused', refusal('clusterId'), 404],
    ['none, in an array', [], 200],
    ['none, in a page', { data: [], page: 1, pages: 1, results: 0 }, 200],
    ['none, under another name', { buckets: [] }, 200],
  ])('may be %s', (_, body, status) => expect(ask(body, status)).toEqual([]))

  test.each([
    ['shown', [{ label: 'photos' }]],
    ['told in no list', {}],
  ])('may not be %s', (_, body) => expect(ask(body)).toEqual(['should buckets.list-in-cluster.path.clusterId.exists']))
})

test('the buckets of a cluster may be told by their names', () => {
  const steps = [['buckets.create', create('photos'), 200, { cluster: 'c1', label: 'photos' }]] as const
  const listed = (body: unknown) =>
    story([...steps, ['buckets.list-in-cluster', { path: { clusterId: 'c1' } }, 200, body]], { closed: ['buckets'] })
  for (const body of [['photos'], { data: ['photos'] }]) expect(listed(body).deviations).toEqual([])
  expect(listed([null]).deviations).not.toEqual([])
})

test('a creation that repeats an odd label does not tell how it is kept', () => {
  const label = 'ts-t-9_B.C'
  const steps = [
    ['buckets.create', create(label), 200, { cluster: 'c1', label }],
    ['buckets.list', {}, 200, { data: [{ cluster: 'c1', label: label.toLowerCase() }], page: 1, pages: 1, results: 1 }],
  ] as const
  expect(story(steps, { closed: ['buckets'] }).deviations.filter((one) => !one.includes('.complete'))).toEqual([])
  const { world: after } = story(steps, { closed: ['buckets'] })
  expect(live(after, buckets).map(({ key }) => key)).toContain(bucketKey('c1', label.toLowerCase()))
})

test('a list up to a delimiter that is sought after the prefix may show names whole', () => {
  const isBelow = (name: string): boolean => name.startsWith('a/')
  const objects = embeddedEnvironment().fixtures.buckets?.find(({ label }) => label === 'photos')?.objects ?? []
  const listed = objects.filter(isBelow).map((name) => ({ name }))
  const list = (data: readonly object[]) =>
    told(
      conversation().hear(
        'bucket-objects.list',
        { path: photos, query: { prefix: 'a/', delimiter: '/', page_size: 500 } },
        { data, next_marker: null },
      ),
    )
  expect(list(listed)).toEqual([])
  expect(list(listed.slice(1))).toEqual(['should bucket-objects.list.up-to-delimiter'])
})

test.each([
  ['leave out a name that begins with it', 'c', (name: string) => name !== 'c.txt', []],
  ['not leave out another', '/', (name: string) => name === 'c.txt', ['should bucket-objects.list.up-to-delimiter']],
])('a list up to a delimiter may %s', (_, delimiter, isListed, findings) => {
  const objects = embeddedEnvironment().fixtures.buckets?.find(({ label }) => label === 'photos')?.objects ?? []
  const page = { data: objects.filter(isListed).map((name) => ({ name })), next_marker: null }
  const query = { delimiter, page_size: 500 }
  expect(told(conversation().hear('bucket-objects.list', { path: photos, query }, page))).toEqual(findings)
})
