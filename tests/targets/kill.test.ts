// A run that is killed leaves nothing that `sweep` does not find, and `sweep` touches nothing of others; `npm run kills` tries many.
import { expect, it } from 'vitest'
import { seed } from '../seed.js'
import { killOnce } from './kill.js'

it(`all that a killed run made is gone after a sweep, and what only looks like it stays (seed ${seed})`, async () => {
  const { told, wrong } = await killOnce(seed, 0)
  expect(told).toMatch(/killed after \d+ ms/)
  expect(wrong).toEqual([])
})
