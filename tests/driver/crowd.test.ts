// A target that drops connections beyond some.
import { expect, test } from 'vitest'
import { createCrowd } from '../../driver/crowd.js'
import type { HttpReply } from '../../driver/exchange.js'
import type { Lost } from '../../driver/loss.js'

const answered: HttpReply = { status: 200, contentType: undefined, retryAfter: undefined, text: '' }
const reset: Lost = { lost: 'reset' }

/** What the target takes at a time; each request is over when all of those that began with it have. */
const targetOf = (takes: number) => {
  const { admit } = createCrowd()
  let open = 0
  let dropped = 0
  const send = () =>
    admit(async () => {
      open += 1
      const isTaken = open <= takes
      if (!isTaken) dropped += 1
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      return isTaken ? answered : reset
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

test('that drops every second call of one connection after another is sent no more than one, though none is beside it', async () => {
  const sizes: number[] = []
  const { admit } = createCrowd((most) => sizes.push(most))
  for (let i = 0; i < 400; i += 1) await admit(async () => (sizes.length === 0 && i % 2 === 0 ? reset : answered))
  expect(sizes).toEqual([1])
})

test('that takes all of them is sent all at a time', async () => {
  const { admit } = createCrowd()
  let open = 0
  let most = 0
  const send = () =>
    admit(async () => {
      open += 1
      most = Math.max(most, open)
      await new Promise((resolve) => setImmediate(resolve))
      open -= 1
      return answered
    })
  await Promise.all(Array.from({ length: 40 }, send))
  expect(most).toBe(40)
})
