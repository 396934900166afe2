// Replies that a cache had kept since before the latest write, told by their heads: they count as none.
import { expect, test } from 'vitest'
import { makingOf, pastCaches } from '../../driver/stored.js'

type Fields = Parameters<typeof makingOf>[0]

const request = (method: string, path: string, token = 'one') => ({
  method,
  path,
  headers: ['x-step', String(Math.random()), 'authorization', `Bearer ${token}`],
})
const read = request('GET', '/v4/volumes')
const write = request('POST', '/v4/volumes')
/** One that no cache has. */
const asked = request('GET', '/v4/clusters')

/** A way past caches that is answered with these heads in turn, the last one from then on, in time that passes where it says so. */
const answeredBy = (...heads: readonly Fields[]) => {
  let now = 1_000_000
  const sent: ReturnType<typeof request>[] = []
  const send = pastCaches(
    async (one: ReturnType<typeof request>) => {
      sent.push(one)
      return { status: 200, making: makingOf(one === asked ? {} : (heads[sent.length - 1] ?? heads.at(-1) ?? {})) }
    },
    new Map(['one', 'two'].map((secret) => [secret, secret])),
    () => now,
  )
  const pass = (ms: number): void => {
    now += ms
  }
  const isAskedAnew = (): boolean => sent.at(-1)?.headers.join(' ').endsWith('cache-control no-cache') === true
  return { send, sent, pass, isAskedAnew }
}

/** The same way once it is known that not all replies are kept. */
const behind = async (...heads: readonly Fields[]) => {
  const way = answeredBy(...heads)
  await way.send(asked)
  way.sent.length = 0
  return way
}

const dated = (second: number): Fields => ({ date: new Date(second * 1000).toUTCString() })

test.each<[string, Fields]>([
  ['by its age', { age: '12' }],
  ['by its age, which may be rounded down', { age: '9', 'x-cache': 'MISS' }],
  ['by a cache that says that it had it', { 'x-cache': 'HIT, MISS' }],
  ['by a cache that says so in the words of RFC 9211', { 'cache-status': 'edge; hit; ttl=30' }],
])('a reply that was made before the latest write, %s, is asked for anew, and then is none', async (_, kept) => {
  const { send, sent, pass, isAskedAnew } = await behind({}, kept)
  await send(write)
  pass(9_500)
  expect(await send(read)).toMatchObject({
    lost: 'refused',
    detail: expect.stringContaining('name an address behind it'),
  })
  expect([sent.length, isAskedAnew()]).toEqual([3, true])
})

test('where the cache then asks the target, that counts', async () => {
  const { send, sent } = await behind({}, { age: '12' }, { age: '0' })
  await send(write)
  expect(await send(read)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(3)
})

test.each<[string, Fields]>([
  ['an age of less than the time since', { age: '8', 'x-cache': 'HIT' }],
  ['no age', { age: '0' }],
  ['an age that is none', { age: 'old' }],
  ['a cache that had not got it', { 'x-cache': 'MISS', 'cf-cache-status': 'DYNAMIC' }],
  ['a cache that had asked the target about it', { 'x-cache': 'RefreshHit from cloudfront' }],
])('a reply with %s counts', async (_, head) => {
  const { send, sent, pass } = await behind({}, head)
  await send(write)
  pass(9_500)
  expect(await send(read)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(2)
})

test('what a cache shows to who has no secret of the target is judged, however old it is', async () => {
  const { send, sent } = await behind({}, { age: '12' })
  await send(write)
  expect(await send(request('GET', '/v4/volumes', 'three'))).toMatchObject({ status: 200 })
  expect(await send({ ...read, headers: [] })).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(3)
})

test('where nothing was written, nor since the reply was made, what a cache kept counts', async () => {
  const { send, sent, pass } = await behind({ age: '12' })
  expect(await send(read)).toMatchObject({ status: 200 })
  await send(write)
  pass(13_001)
  expect(await send(read)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(3)
})

test('a reply with the Date of one to the same call from before the latest write was kept, though nothing else says so', async () => {
  const { send, pass, isAskedAnew } = await behind(dated(1), dated(3), dated(1), dated(1))
  await send(read)
  pass(2000)
  await send(write)
  expect(await send({ ...read, headers: request('GET', '', 'one').headers })).toMatchObject({ lost: 'refused' })
  expect(isAskedAnew()).toBe(true)
})

test.each<[string, ReturnType<typeof request>, number, Fields]>([
  ['of another call', request('GET', '/v4/tags'), 2000, dated(1)],
  ['of another token', request('GET', '/v4/volumes', 'two'), 2000, dated(1)],
  ['within the same second or the next', read, 1900, dated(1)],
  ['with another Date', read, 2000, dated(2)],
])('but not a reply %s', async (_, second, ms, head) => {
  const { send, sent, pass } = await behind(dated(1), dated(3), head)
  await send(read)
  pass(ms)
  await send(write)
  expect(await send(second)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(3)
})

test('what a cache says that it had counts for as long as a change may be late, counted from when it had to ask', async () => {
  const miss: Fields = { 'x-cache': 'MISS', date: 'any' }
  const { send, pass } = await behind(miss, {}, { 'x-cache': 'HIT', date: 'other' })
  await send(read)
  await send(write)
  pass(1999)
  expect(await send(read)).toMatchObject({ status: 200 })
  pass(1)
  expect(await send(read)).toMatchObject({ lost: 'refused', detail: expect.stringContaining('kept for 2 s') })
})

test('a target that dates all that it says alike has kept nothing', async () => {
  const { send, sent, pass } = await behind({ date: 'Thu, 01 Jan 1970 00:00:00 GMT' })
  await send(read)
  pass(5000)
  await send(write)
  expect(await send(read)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(3)
})

test.each<[string, Fields]>([
  ['kept', { 'x-cache': 'HIT' }],
  ['old', { age: '3600' }],
])('a target that says of all replies that they are %s tells nothing by that', async (_, head) => {
  const { send, sent, pass } = answeredBy(head)
  await send(read)
  await send(write)
  pass(5000)
  expect(await send(read)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(3)
})
