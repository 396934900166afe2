// Things that are done several at a time.
import { setImmediate as underWay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { atOnce } from '../../driver/at-once.js'

test('no more are under way than may be, and the results keep their order', async () => {
  let now = 0
  let most = 0
  const done = await atOnce(3, [1, 2, 3, 4, 5, 6, 7], async (thing) => {
    now += 1
    most = Math.max(most, now)
    for (let turn = 0; turn < 8 - thing; turn += 1) await underWay()
    now -= 1
    return thing * 10
  })
  expect(done).toEqual([10, 20, 30, 40, 50, 60, 70])
  expect(most).toBe(3)
})
