// Runs against targets that answer in hostile ways end, break nothing and say what is wrong; `npm run hostile` tries all of them.
import { expect, it } from 'vitest'
import { kinds } from './hostile/kinds.js'
import { tryKind } from './hostile/trial.js'

/** Other ones each day. */
const many = 2
const day = Math.floor(Date.now() / 86_400_000)
const today = Array.from({ length: many }, (_, i) => kinds[(day * many + i) % kinds.length]).flatMap(
  (kind) => kind ?? [],
)

it('there are more than a hundred kinds, each with a name of its own', () => {
  expect(new Set(kinds.map(({ name }) => name)).size).toBe(kinds.length)
  expect(kinds.length).toBeGreaterThan(100)
})

it.concurrent.each(today)('a run survives a target of this kind: $name', { timeout: 180_000 }, async (kind) => {
  const { code, wrong } = await tryKind(kind, { givenSeconds: 5 })
  expect(wrong).toEqual([])
  expect([0, 1, 2, 3]).toContain(code)
})
