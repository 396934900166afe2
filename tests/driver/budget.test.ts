// What was found already is told well as long as that takes no more than its share of a run.
import { expect, test } from 'vitest'
import { createBudget } from '../../driver/budget.js'

const minute = 60_000

test('requests that tell more of what was found may be as many as those of programs, and some more', () => {
  const budget = createBudget()
  const times = (count: number, phase: 'confirm' | 'trial' | 'look'): void => {
    for (let i = 0; i < count; i += 1) budget.count(phase)
  }
  times(400, 'confirm')
  times(200, 'trial')
  expect(budget.isSpent(0)).toBe(false)
  times(1, 'trial')
  expect(budget.isSpent(0)).toBe(true)
  times(1, 'look')
  expect(budget.isSpent(0)).toBe(false)
})

test('it may take half as long as all else, and a minute more, however much of it goes on within other such work', async () => {
  const budget = createBudget()
  let now = 0
  const clock = () => now
  const after = async (ms: number): Promise<void> => {
    now += ms
  }
  await budget.during(clock, () => budget.during(clock, () => after(minute)))
  expect(budget.isSpent(now)).toBe(false)
  await budget.during(clock, () => after(minute / 2))
  expect(budget.isSpent(now)).toBe(true)
  await after(minute)
  expect(budget.isSpent(now)).toBe(false)
})

test('of findings that are alike the first few are made plainer, and none where all is spent', async () => {
  const budget = createBudget()
  const each = [1, 2, 3, 4].map(() => budget.mayBePlainer('volumes.create accepted', 0))
  expect(each).toEqual([true, true, true, false])
  expect(budget.mayBePlainer('volumes.create refused', 0)).toBe(true)
  let now = 0
  await budget.during(
    () => now,
    async () => {
      now += 2 * minute
    },
  )
  expect(budget.mayBePlainer('volumes.clone accepted', now)).toBe(false)
})
