// A record that is not shown may leave out what it likes, but not what it shows of others.
import { expect, test } from 'vitest'
import { type Told, told } from '../models/stories.js'

const body = { label: 'web', service_type: 'url', address: 'https://example.org/', timeout: 30, notes: 'by night' }
const made = (id: number, more: object = {}): Told => [
  'managed-services.create',
  { body: { ...body, label: `web-${id}`, ...more } },
  200,
  { id },
]
const view = (id: number, more: object): Told => [
  'managed-services.view',
  { path: { serviceId: id } },
  200,
  { id, ...more },
]
const broken = ['should managed-services.view.shows.notes']

test('a member that is never shown is no matter', () => {
  expect(told([made(1), view(1, { label: 'web-1' }), view(1, { label: 'web-1' })]).deviations).toEqual([])
})

test('a member that was shown is shown again, of the same resource or of another', () => {
  expect(told([made(1), view(1, { notes: 'by night' }), view(1, {})]).deviations).toEqual(broken)
  expect(told([made(1), made(2), view(1, { notes: 'by night' }), view(2, {})]).deviations).toEqual(broken)
})

test('so is what follows from another member, such as the buckets of a key that is given a new label', () => {
  const bucket: Told = ['buckets.create', { body: { cluster: 'c1', label: 'photos' } }, 200, {}]
  const access = [{ bucket_name: 'photos', cluster: 'c1', permissions: 'read_only' }]
  const key: Told = ['object-keys.create', { body: { label: 'one', bucket_access: access } }, 200, { id: 1 }]
  const seen = (more: object): Told => ['object-keys.view', { path: { keyId: 1 } }, 200, { id: 1, ...more }]
  const renamed: Told = ['object-keys.update', { path: { keyId: 1 }, body: { label: 'two' } }, 200, {}]
  expect(told([bucket, key, seen({ bucket_access: access }), renamed, seen({ label: 'two' })]).deviations).toEqual([
    'should object-keys.view.shows.bucket_access',
  ])
  expect(told([bucket, key, seen({}), renamed, seen({ label: 'two' })]).deviations).toEqual([])
})

test('a member may be left out where there is nothing to show, and where it is not known what there is', () => {
  const other = view(1, { notes: 'by night' })
  expect(told([made(1), made(2, { notes: null }), other, view(2, {})]).deviations).toEqual([])
  expect(told([made(1), other, view(3, {})]).deviations).toEqual([])
})

test('what only a list or a write shows may be left out by a view', () => {
  const list: Told = ['managed-services.list', {}, 200, [{ id: 1, notes: 'by night' }]]
  expect(told([made(1), list, view(1, {})]).deviations).toEqual([])
})

test('what the document says of IPv6 addresses alone is not missed in the records of others', () => {
  const reverse = (address: string, more: object): readonly Told[] => [
    ['ips.update', { path: { address }, body: { rdns: 'a.example.org' } }, 200, {}],
    ['ips.view', { path: { address } }, 200, { address, ...more }],
  ]
  const ipv6 = reverse('2001:db8::7', { rdns: 'a.example.org' })
  expect(told([...ipv6, ...reverse('203.0.113.7', {})]).deviations).toEqual([])
  const shown = reverse('203.0.113.7', { rdns: 'a.example.org' })
  expect(told([...ipv6, ...shown, ...reverse('203.0.113.8', {})]).deviations).toEqual(['should ips.view.shows.rdns'])
})
