// A target that drops connections beyond some.
import { expect, test } from 'vitest'
import { createCrowd } from '../../driver/crowd.js'
import type { HttpReply } from '../../driver/exchange.js'
import type { Lost } from '../../driver/loss.js'
import { makingOf } from '../../driver/stored.js'

const answered: HttpReply = {
  status: 200,
  contentType: undefined,
  retryAfter: undefined,
  making: makingOf({}),
  text: '',
  bytes: 0,
}
const reset: Lost = { lost: 'reset' }

/** What the target takes at a time; each request is over when all of those that began with it have. */
const targetOf = (takes: number, otherwise: HttpReply | Lost = reset) => {
  const { admit } = createCrowd()
  let open = 0
  let dropped = 0
  const send = () =>
    admit('GET', async () => {
      open += 1
      const isTaken = open <= takes
      if (!isTaken) dropped += 1
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      return isTaken ? answered : otherwise
    })
  return { all: (count: number) => Promise.all(Array.from({ length: count }, send)), dropped: () => dropped }
}

test.each([1, 2, 5])(
  'of which it takes %i at a time is soon sent no more, and nothing is left waiting',
  async (takes) => {
    const { all, dropped } = targetOf(takes)
    for (let round = 0; round < 8; round += 1) await all(8)
    const before = dropped()
    const results = await all(100)
    expect(results).toHaveLength(100)
    expect(dropped() - before).toBeLessThan(8)
  },
)

test('of which a gateway takes four at a time, and answers 503 to others, is soon sent no more', async () => {
  const { all, dropped } = targetOf(4, { ...answered, status: 503 })
  for (let round = 0; round < 8; round += 1) await all(8)
  const before = dropped()
  await all(200)
  expect(dropped() - before).toBeLessThan(20)
})

test('that answers 503 to all for a while is sent as many at a time as before', async () => {
  const sizes: number[] = []
  const { admit } = createCrowd({ resize: (most) => sizes.push(most) })
  const all = (status: number) =>
    Promise.all(Array.from({ length: 24 }, () => admit('GET', async () => ({ ...answered, status }))))
  for (const status of [503, 503, 503, 200, 200]) await all(status)
  expect(sizes).toEqual([])
})

test.each<readonly [string, readonly string[], boolean]>([
  ['every write is asked no more slowly', ['POST', 'DELETE'], false],
  ['every third call is asked more slowly', [], true],
])('that answers 503 to %s', async (_, shed, isSlowed) => {
  const slowed: number[] = []
  const { admit } = createCrowd({ slow: () => slowed.push(slowed.length) })
  const methods = ['POST', 'GET', 'GET', 'DELETE', 'GET', 'GET', 'GET']
  for (let i = 0; i < 400; i += 1) {
    const method = methods[i % methods.length] as string
    const isShed = shed.length > 0 ? shed.includes(method) : i % 3 === 0
    await admit(method, async () => ({ ...answered, status: isShed ? 503 : 200 }))
  }
  expect(slowed.length > 0).toBe(isSlowed)
})

test('that drops every second call of one connection after another is sent no more than one, though none is beside it', async () => {
  const sizes: number[] = []
  const { admit } = createCrowd({ resize: (most) => sizes.push(most) })
  for (let i = 0; i < 400; i += 1)
    await admit('GET', async () => (sizes.length === 0 && i % 2 === 0 ? reset : answered))
  expect(sizes).toEqual([1])
})

test('that answers 503 beyond a rate, to one call after another, is asked more slowly', async () => {
  let intervalMs = 5
  let room = 20
  let shed = 0
  const sizes: number[] = []
  const slow = () => {
    intervalMs *= 1.5
  }
  const { admit } = createCrowd({ resize: (most) => sizes.push(most), slow })
  for (let i = 0; i < 2000; i += 1) {
    room = Math.min(20, room + intervalMs / 20)
    const isTaken = room >= 1
    if (isTaken) room -= 1
    else shed += 1
    await admit('GET', async () => (isTaken ? answered : { ...answered, status: 503 }))
  }
  expect([sizes, shed < 100]).toEqual([[], true])
})

test('that takes all of them is sent all at a time', async () => {
  const { admit } = createCrowd()
  let open = 0
  let most = 0
  const send = () =>
    admit('GET', async () => {
      open += 1
      most = Math.max(most, open)
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      return answered
    })
  await Promise.all(Array.from({ length: 40 }, send))
  expect(most).toBe(40)
})
