// What a single reply comes to: accepted, refused or broken, and what follows from that alone.
import { expect, test } from 'vitest'
import { conversation, refusal, told } from '../models/conversation.js'
import { named, page, volume } from './traffic.js'

test.each([200, 299])('a call to be accepted that is answered %i with an error envelope was refused', (status) => {
  const judgement = conversation().hear('volumes.list', {}, refusal('page'), status)
  expect(judgement.accepted).toBe(false)
  expect(told(judgement)).toEqual(['must volumes.list.accepts', 'should volumes.list.refusal.status'])
})

test('a call to be refused that is answered so has an odd status, and was refused all the same', () => {
  const judgement = conversation().hear('volumes.view', { path: { volumeId: 'x' } }, refusal('volumeId'), 200)
  expect(judgement.accepted).toBe(false)
  expect(judgement.decisive).toBe('volumes.view.path.volumeId.type')
  expect(told(judgement)).toEqual(['should volumes.view.refusal.status'])
})

test('an error of the server in place of a refusal lacks the envelope as well; in place of a result it need not have one', () => {
  const { hear } = conversation()
  const broken = ['should volumes.view.refusal.status', 'must volumes.view.refusal.envelope']
  expect(told(hear('volumes.view', { path: { volumeId: 'x' } }, {}, 500))).toEqual(broken)
  expect(told(hear('volumes.view', { path: { volumeId: 'x' } }, refusal('volumeId'), 500))).toEqual(broken.slice(0, 1))
  expect(told(hear('volumes.list', {}, {}, 500))).toEqual(['must volumes.list.accepts'])
})

test('a record that breaks its schema is told by what stands where it does', () => {
  const { tags: _, ...others } = volume()
  const { deviations } = conversation().hear('volumes.view', { path: { volumeId: 7 } }, { ...others, size: '20' })
  expect(deviations.map(({ received }) => received.replace(/\{.*/, '…'))).toEqual(['no tags in …', 'size "20" in …'])
})

test('the refusal to make what is there already is no quota’s doing', () => {
  const { hear } = conversation()
  const body = { cluster: 'c1', label: 'a-bucket' }
  hear('buckets.create', { body }, { ...body, hostname: 'a-bucket.c1.example.test' })
  const again = hear('buckets.create', { body }, refusal(), 400)
  expect(told(again)).toEqual(['must buckets.create.accepts'])
  expect(again.suspect).toBe(false)
})

test.each([500, 501, 505])('a status of %d tells of an error of the server, whatever stands in the body', (status) => {
  const judgement = conversation().hear('volumes.view', { path: { volumeId: 'x' } }, refusal('volumeId'), status)
  expect(judgement.accepted).toBe(undefined)
  expect(judgement.deviations.map(({ kind }) => kind)).toEqual(['server-error'])
})

test('what was removed of another account is a must once it shows to be gone, and a should before', () => {
  const { hear } = conversation()
  const path = { volumeId: '7' }
  hear('volumes.create', { body: { label: 'd', size: 20, region: 'r1' } }, named('d'))
  expect(told(hear('volumes.delete', { path, as: 'other' }, {}))).toEqual(['should volumes.delete.path.volumeId.owned'])
  expect(told(hear('volumes.view', { path }, refusal(), 404))).toEqual(['must volumes.delete.path.volumeId.owned'])
})

test('a list may not cut the texts of a record that the document shows', () => {
  const { hear } = conversation()
  const label = 'a-disk-with-a-long-name-in-full'
  hear('volumes.create', { body: { label, size: 20, region: 'r1' } }, named(label))
  const { filesystem_path } = named(label)
  const cut = { ...named(label.slice(0, 20)), filesystem_path }
  const listed = hear('volumes.list', {}, page(cut))
  expect(told(listed)).toContain('must volumes.list.shows.label')
})

test('a value that one operation alone shows wrongly, time after time, is not held against others that show the right one', () => {
  const { hear } = conversation()
  const path = { volumeId: 7 }
  const [right, wrong] = [volume(), volume({ created: '2001-01-01T00:00:00' })]
  hear('volumes.create', { body: { label: right.label, region: right.region } }, right)
  const updates = [1, 2, 3].map(() => told(hear('volumes.update', { path, body: { label: right.label } }, wrong)))
  expect(updates).toEqual([['must volumes.update.shows.created'], [], []])
  expect(told(hear('volumes.view', { path }, right))).toEqual([])
})
