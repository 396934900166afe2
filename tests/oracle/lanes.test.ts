// The law of lanes: what the reference answers clients that call it at the same time is accepted by every judge.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seed } from '../seed.js'
import { foundByGuard, foundByRun, type Played, play, scene } from './lanes.js'

/** What each judge finds, of those for whom the scene is legal. */
const foundBy = (played: Played) => ({
  guard: foundByGuard(played, true),
  // Nobody has told them how late lists may be.
  ...(played.mishap !== 'late lists' && { stranger: foundByGuard(played, false), run: foundByRun(played) }),
})

const numRuns = 12

test('what the reference answers up to eight lanes of clients is accepted, whatever the interleaving and the mishaps', async () => {
  let calls = 0
  await fc.assert(
    fc.asyncProperty(scene, async (one) => {
      const played = play(one)
      calls += played.entries.length
      const found = foundBy(played)
      expect(found).toEqual(Object.fromEntries(Object.keys(found).map((judge) => [judge, []])))
    }),
    { seed, numRuns },
  )
  expect(calls).toBeGreaterThan(0)
})

test('what is wrong in every reply is found by each judge', () => {
  const silent = new Set<string>(['guard', 'stranger', 'run'])
  for (const one of fc.sample(scene, { seed, numRuns })) {
    const found = foundBy(play(one, { fault: { body: () => [] } }))
    for (const [judge, findings] of Object.entries(found)) if (findings.length > 0) silent.delete(judge)
    if (silent.size === 0) break
  }
  expect([...silent]).toEqual([])
})
