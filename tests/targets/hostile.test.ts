// Runs against targets that answer in hostile ways end, break nothing and say what is wrong; `npm run hostile` tries all of them.
import { expect, it } from 'vitest'
import { seed } from '../seed.js'
import { kinds } from './hostile/kinds.js'
import { tryKind } from './hostile/trial.js'

/** Other ones with each seed. */
const many = 2
const some = Array.from({ length: many }, (_, i) => kinds[(seed * many + i) % kinds.length]).flatMap(
  (kind) => kind ?? [],
)

it('there are more than a hundred kinds, each with a name of its own', () => {
  expect(new Set(kinds.map(({ name }) => name)).size).toBe(kinds.length)
  expect(kinds.length).toBeGreaterThan(100)
})

it.concurrent.each(some)('a run survives a target of this kind: $name', async (kind) => {
  const { code, wrong } = await tryKind(kind, { givenSeconds: 5 })
  expect(wrong).toEqual([])
  expect([0, 1, 2, 3]).toContain(code)
})
