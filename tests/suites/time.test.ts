// A run lasts as long as it lasts, whatever the clock of its machine is set to meanwhile.
import { afterEach, expect, it, vi } from 'vitest'
import { embeddedTarget } from '../../reference/target.js'
import { openTime, steadyNow } from '../../suites/time.js'

const hourMs = 3_600_000

afterEach(() => {
  vi.useRealTimers()
})

it.each([
  ['forwards', 20 * 24 * hourMs],
  ['backwards', -hourMs],
])('a clock that is put %s ends no run, and none is told to have taken less than no time', async (_, jumpMs) => {
  const target = embeddedTarget({ baseUrl: 'http://127.0.0.1:1/v4', secrets: [] })
  const startedAt = steadyNow()
  const filters = { areas: [], operations: [], clauses: [], levels: [], shard: [1, 1] }
  const options = { filters, fuzz: false, maxTimeMs: hourMs }
  const time = openTime({ options, startedAt, stopFile: '/nowhere/.stop' } as never, target, () => 0)
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(startedAt + jumpMs)
  expect([time.ending(), time.isSpent()]).toEqual([undefined, false])
  await time.sleep(1)
  expect(steadyNow()).toBeGreaterThanOrEqual(startedAt)
  expect(steadyNow() - startedAt).toBeLessThan(hourMs)
})
