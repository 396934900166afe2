// A run that is killed leaves nothing that `sweep` does not find, and `sweep` touches nothing of others; `npm run kills` tries many.
import { expect, it } from 'vitest'
import { killOnce } from './kill.js'

/** Another area and moment each day. */
const day = Math.floor(Date.now() / 86_400_000)

it(`all that a killed run made is gone after a sweep, and what only looks like it stays (seed ${day})`, {
  timeout: 180_000,
}, async () => {
  const { told, wrong } = await killOnce(day, 0)
  expect(told).toMatch(/killed after \d+ ms/)
  expect(wrong).toEqual([])
})
