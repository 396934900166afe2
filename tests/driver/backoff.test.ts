// How much slower a run becomes where it is told that it asks too often, and not how often it may.
import { expect, test } from 'vitest'
import { createBackoff } from '../../driver/backoff.js'
import type { HttpReply } from '../../driver/exchange.js'
import { makingOf } from '../../driver/stored.js'

const busy: HttpReply = {
  status: 429,
  contentType: 'application/json',
  retryAfter: undefined,
  making: makingOf({}),
  text: 'Too many requests',
  bytes: 17,
}

/** What is asked of the limiter while a request is turned away so many times. */
const slowedBy = async (times: number, isShut: boolean): Promise<readonly (number | undefined)[]> => {
  const slowed: (number | undefined)[] = []
  const backoff = createBackoff(
    (mostMs) => slowed.push(mostMs),
    () => 0,
  )
  let waitedMs = 0
  for (let repetition = 0; repetition < times; repetition += 1) {
    const resort = await backoff.resort(busy, repetition, waitedMs, async () => isShut)
    if (!resort || !('pauseMs' in resort)) break
    waitedMs += resort.pauseMs
  }
  return slowed
}

test('a target that turns all away for some seconds, whenever a few came too soon, is asked far less often', async () => {
  expect(await slowedBy(5, true)).toContain(125)
})

test('one that turns away a request now and then, or that one alone, is not', async () => {
  expect(await slowedBy(2, true)).not.toContain(125)
  expect(await slowedBy(9, false)).toEqual([])
})

/** How often a slower pace is asked for where a pause helps, and one in so many requests is turned away. */
const slowedWhere = async (oneIn: number, atOnce = 1): Promise<number> => {
  let sent = 0
  let slowed = 0
  let now = 0
  const backoff = createBackoff(
    () => {
      slowed += 1
    },
    () => sent,
    () => now,
  )
  backoff.helped(busy)
  for (let time = 0; time < 20; time += 1) {
    sent += oneIn
    now += 1000
    await Promise.all(Array.from({ length: atOnce }, () => backoff.resort(busy, 0, 0, async () => false)))
  }
  return slowed
}

test('where one in sixty is turned away, the others go on as before; where one in ten is, they come further apart', async () => {
  expect([await slowedWhere(60), (await slowedWhere(10)) > 0]).toEqual([0, true])
})

test('calls that are turned away at the same time count as one', async () => {
  expect([await slowedWhere(60, 6), (await slowedWhere(10, 6)) > 0]).toEqual([0, true])
})
