// Replies that a cache had kept since before the latest write, told by their heads: they count as none.
import { describe, expect, test, vi } from 'vitest'
import type { Lost } from '../../driver/loss.js'
import { type Fields, makingOf, pastCaches, whyUnasked } from '../../driver/stored.js'

const request = (method: string, path: string, token = 'one', step = 'first') => ({
  method,
  path,
  headers: ['x-step', step, 'authorization', `Bearer ${token}`],
})
const read = request('GET', '/v4/volumes')
const write = request('POST', '/v4/volumes')

/** A way past caches that is answered with these heads in turn, the last one from then on, in time that passes where it says so. */
const behind = (...heads: readonly Fields[]) => {
  let now = 1_000_000
  let status = 200
  let isLost = false
  const sent: ReturnType<typeof request>[] = []
  const send = pastCaches(
    async (one: ReturnType<typeof request>) => {
      sent.push(one)
      if (isLost) {
        isLost = false
        return { lost: 'timeout' } as const
      }
      return { status, making: makingOf(heads[sent.length - 1] ?? heads.at(-1) ?? {}) }
    },
    new Map(['one', 'two'].map((secret) => [secret, secret])),
    () => now,
  )
  const pass = (ms: number): void => {
    now += ms
  }
  const answer = (next: number): void => {
    status = next
  }
  const isAskedAnew = (): boolean => sent.at(-1)?.headers.join(' ').endsWith('cache-control no-cache') === true
  const lose = (): void => {
    isLost = true
  }
  return { send, sent, pass, answer, lose, isAskedAnew }
}

const dated = (second: number): Fields => ({ date: new Date(second * 1000).toUTCString() })

test.each<[string, Fields]>([
  ['by its age', { age: '12' }],
  ['by its age, which may be rounded down', { age: '9', 'x-cache': 'MISS' }],
  ['by a cache that says that it had it', { 'x-cache': 'HIT, MISS' }],
  ['by a cache that says so in the words of RFC 9211', { 'cache-status': 'edge; hit; ttl=30' }],
  ['by a cache, in the header of nginx', { 'x-cache-status': 'HIT' }],
  ['by a cache, in the header of Cloudflare', { 'cf-cache-status': 'HIT' }],
  ['by a cache, in the header of a proxy', { 'x-proxy-cache': 'HIT' }],
])('a reply that was made before the latest write, %s, is asked for anew, and then is none', async (_, kept) => {
  const { send, sent, pass, isAskedAnew } = behind({}, {}, kept)
  await send(read)
  await send(write)
  pass(9_500)
  expect(await send(read)).toMatchObject({
    lost: 'refused',
    detail: expect.stringContaining('name an address behind it'),
  })
  expect([sent.length, isAskedAnew()]).toEqual([4, true])
})

test('a write whose reply was lost counts as a write', async () => {
  const { send, lose } = behind({}, {}, { age: '12' })
  await send(read)
  lose()
  await send(write)
  expect(await send(read)).toMatchObject({ lost: 'refused' })
})

test('where the cache then asks the target, that counts, and the reply that was passed over is told', async () => {
  const { send, sent } = behind({}, {}, { age: '12' }, { age: '0' })
  const passedOver = vi.fn()
  await send(read, passedOver)
  await send(write, passedOver)
  expect(await send(read, passedOver)).toMatchObject({ status: 200, making: { age: 0 } })
  expect(passedOver.mock.calls).toMatchObject([[{ making: { age: 12 } }]])
  expect(sent).toHaveLength(4)
})

test.each<[string, Fields]>([
  ['an age of less than the time since', { age: '8', 'x-cache': 'HIT' }],
  ['no age', { age: '0' }],
  ['an age that is none', { age: 'old' }],
  ['a cache that had not got it', { 'x-cache': 'MISS', 'cf-cache-status': 'DYNAMIC' }],
  ['a cache that had asked the target about it', { 'x-cache': 'RefreshHit from cloudfront' }],
])('a reply with %s counts', async (_, head) => {
  const { send, sent, pass } = behind({}, {}, head)
  await send(read)
  await send(write)
  pass(9_500)
  expect(await send(read)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(3)
})

describe('a read that is answered 304, though it told of nothing that it has kept,', () => {
  test.each([
    ['a token', read],
    ['a stranger', request('GET', '/v4/volumes', 'three')],
    ['nobody', { ...read, headers: [] }],
  ])('is asked for anew for %s, and then has no reply', async (_, one) => {
    const { send, sent, answer, isAskedAnew } = behind({})
    answer(304)
    const outcome = await send(one)
    expect(outcome).toMatchObject({ lost: 'foreign', detail: expect.stringContaining('name an address behind it') })
    expect([sent.length, isAskedAnew()]).toEqual([2, true])
    expect(whyUnasked(outcome as Lost)).toBe((outcome as Lost).detail)
  })

  test('counts where a cache may answer in no other way, for that is judged', async () => {
    const send = pastCaches(async () => ({ status: 304, making: makingOf({}) }), new Map())
    expect(await send(read)).toMatchObject({ status: 304 })
  })

  test('is a reply to a write, which nobody asks again', async () => {
    const { send, sent, answer } = behind({})
    answer(304)
    expect([await send(write), sent.length]).toMatchObject([{ status: 304 }, 1])
  })
})

test('what a cache shows to who has no secret of the target is judged, however old it is', async () => {
  const { send, sent } = behind({}, {}, {}, { age: '12' })
  const strangers = [request('GET', '/v4/volumes', 'three'), { ...read, headers: [] }]
  for (const one of strangers) await send(one)
  await send(write)
  for (const one of strangers) expect(await send(one)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(5)
})

test('what is read for the first time is as old as it says, once ages were seen to grow', async () => {
  const { send, pass } = behind({}, {}, { age: '4' }, {}, { age: '40' })
  await send(read)
  await send(request('GET', '/v4/tags'))
  await send(request('GET', '/v4/tags'))
  await send(write)
  pass(10_000)
  expect(await send(request('GET', '/v4/firewalls'))).toMatchObject({ lost: 'refused' })
})

test('where nothing was written, nor since the reply was made, what a cache kept counts', async () => {
  const { send, sent, pass } = behind({}, { age: '12' }, {}, { age: '12' })
  await send(read)
  expect(await send(read)).toMatchObject({ status: 200 })
  await send(write)
  pass(13_001)
  expect(await send(read)).toMatchObject({ status: 200 })
  expect(sent).toHaveLength(4)
})

test('a reply with the Date of one to the same call from before the latest write was kept, though nothing else says so', async () => {
  const { send, pass, isAskedAnew } = behind(dated(1), dated(2), dated(3), dated(1), dated(1))
  await send(read)
  await send(request('GET', '/v4/tags'))
  pass(2000)
  await send(write)
  expect(await send(request('GET', '/v4/volumes', 'one', 'second'))).toMatchObject({ lost: 'refused' })
  expect(isAskedAnew()).toBe(true)
})

test.each<[string, ReturnType<typeof request>, number, Fields, number]>([
  ['of another call', request('GET', '/v4/tags'), 2000, dated(1), 200],
  ['of another token', request('GET', '/v4/volumes', 'two'), 2000, dated(1), 200],
  ['with another status', read, 2000, dated(1), 404],
  ['within the same second or the next', read, 1900, dated(1), 200],
  ['with another Date', read, 2000, dated(2), 200],
])('but not a reply %s', async (_, second, ms, head, status) => {
  const { send, sent, pass, answer } = behind(dated(1), dated(2), dated(3), head)
  await send(read)
  await send(request('GET', '/v4/tags/any'))
  pass(ms)
  await send(write)
  answer(status)
  expect(await send(second)).toMatchObject({ status })
  expect(sent).toHaveLength(4)
})

test('what a cache says that it had counts for as long as a change may be late, counted from when it had to ask', async () => {
  const miss: Fields = { 'x-cache': 'MISS', date: 'any' }
  const { send, pass } = behind(miss, {}, { 'x-cache': 'HIT', date: 'other' })
  await send(read)
  await send(write)
  pass(1999)
  expect(await send(read)).toMatchObject({ status: 200 })
  pass(1)
  expect(await send(read)).toMatchObject({ lost: 'refused', detail: expect.stringContaining('kept for 2 s') })
})

/** What the replies to reads and to writes say, where the target keeps none; from the time and how many there were. */
type Says = (at: number, n: number) => Fields
const now: Says = (at) => dated(Math.floor(at / 1000))
const standing: Says = () => dated(0)

test.each<[string, Says, Says]>([
  ['an Age on all that it says', () => ({ age: '5' }), () => ({ age: '5' })],
  ['an Age on what is read', () => ({ age: '3600' }), () => ({})],
  ['any Age on all that it says', (_, n) => ({ age: String((n * 7) % 11) }), (_, n) => ({ age: String(1 + (n % 9)) })],
  ['a hit on all that it says', () => ({ 'x-cache': 'HIT' }), () => ({ 'x-cache': 'HIT' })],
  ['a hit on what is read', () => ({ 'cache-status': 'edge; hit' }), () => ({ 'cache-status': 'edge; fwd=method' })],
  [
    'a hit on all writes and on some reads',
    (_, n) => ({ 'x-cache': n % 2 ? 'HIT' : 'MISS' }),
    () => ({ 'x-cache': 'HIT' }),
  ],
  ['one Date on all that it says', standing, standing],
  ['one Date on what is read, and another one on writes', standing, now],
  ['one Date on what is read, and none on writes', standing, () => ({})],
  ['a clock that is hours off', (at) => now(at - 18_000_000, 0), (at) => now(at - 18_000_000, 0)],
  [
    'a clock that shows minutes',
    (at) => dated(60 * Math.floor(at / 60_000)),
    (at) => dated(60 * Math.floor(at / 60_000)),
  ],
])('a target that has %s has kept nothing', async (_, ofReads, ofWrites) => {
  let at = 1_000_000
  let sent = 0
  const send = pastCaches(
    async ({ method }: ReturnType<typeof request>) => {
      sent += 1
      return { status: 200, making: makingOf((method === 'GET' ? ofReads : ofWrites)(at, sent)) }
    },
    new Map([['one', 'one']]),
    () => at,
  )
  const all = [read, request('GET', '/v4/tags'), write]
  for (let i = 0; i < 200; i += 1) {
    expect(await send(all[i % 3] ?? read)).toMatchObject({ status: 200 })
    at += (i * 611) % 5000
  }
  expect(sent).toBe(200)
})

describe('a cache that ignores Authorization', () => {
  const others = request('GET', '/v4/volumes', 'two')
  const strangers = request('GET', '/v4/volumes', 'three')

  test.each<[string, ReturnType<typeof request>, Fields, Fields]>([
    ['by the Age', others, {}, { age: '12' }],
    ['by the Age, to a stranger', strangers, {}, { age: '12' }],
    ['by the Date', others, dated(1), dated(1)],
  ])(
    'is told by what it gives to another token, %s, and from then on all that it shows counts',
    async (_, second, fresh, kept) => {
      const { send, sent, pass } = behind(fresh, dated(2), dated(3), kept)
      await send(read)
      await send(request('GET', '/v4/tags'))
      await send(write)
      pass(12_000)
      expect(await send(second)).toMatchObject({ status: 200 })
      expect(await send(read)).toMatchObject({ status: 200 })
      expect(sent).toHaveLength(5)
    },
  )

  test('is none where the token had been given a reply of its own', async () => {
    const { send, pass } = behind({}, {}, {}, { age: '12' })
    await send(read)
    await send(others)
    await send(write)
    pass(12_000)
    expect(await send(others)).toMatchObject({ lost: 'refused' })
  })

  test('is none where a reply to the token was lost on the way, which the cache has kept', async () => {
    const { send, pass, lose } = behind({}, {}, {}, { age: '12' })
    await send(read)
    lose()
    await send(others)
    await send(write)
    pass(12_000)
    await send(others)
    expect(await send(read)).toMatchObject({ lost: 'refused' })
  })

  test('is none where two tokens are answered within one second', async () => {
    const { send, pass } = behind(dated(0), dated(0), dated(1), dated(1), dated(4), dated(1))
    await send(request('GET', '/v4/tags'))
    await send(write)
    await send(read)
    await send(others)
    pass(3000)
    await send(write)
    expect(await send(read)).toMatchObject({ lost: 'refused' })
  })

  test('is none where the reply was made before any other token was given one', async () => {
    const { send, pass } = behind({}, {}, { age: '14' })
    await send(read)
    await send(write)
    pass(12_000)
    expect(await send(others)).toMatchObject({ status: 200 })
    expect(await send(read)).toMatchObject({ lost: 'refused' })
  })
})
