// The law of one broken clause: where one reply breaks one clause, each judge tells that clause and no other, whatever else has to be explained.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seed } from '../seed.js'
import { withOneBroken } from './broken.js'
import { foundByRun, foundInTraffic, type Played, play, type Scene, sceneInTurn } from './lanes.js'
import { judgeExchanges, page, told, volume } from './traffic.js'

/** Mishaps that a run tells from faults only by sending more. */
const unsent: readonly Scene['mishap'][] = ['late lists', 'token', 'quota', 'gap']

/** The clauses that each judge tells, of those for whom the scene is legal. */
const toldBy = (played: Played): Readonly<Record<string, readonly string[]>> => {
  const found = {
    lacking: foundInTraffic(played, false, true),
    ...(played.mishap !== 'gap' && {
      known: foundInTraffic(played, true, false),
      stranger: foundInTraffic(played, false, false),
    }),
    ...(!unsent.includes(played.mishap) && { run: foundByRun(played) }),
  }
  return Object.fromEntries(
    Object.entries(found).map(([judge, all]) => [judge, all.map(({ id }) => id.slice(0, id.lastIndexOf(':')))]),
  )
}

test('a reply in which one member is missing or of another type is told as that and as nothing else', () => {
  fc.assert(
    fc.property(sceneInTurn, fc.nat(9999), (scene, at) => {
      const one = withOneBroken(play(scene), at)
      fc.pre(one !== undefined)
      const told = toldBy(one.played)
      expect(told).toEqual(Object.fromEntries(Object.keys(told).map((judge) => [judge, [one.clause]])))
    }),
    { seed, numRuns: 15 },
  )
})

test('two such replies are told by more than one clause', () => {
  const scenes = fc.sample(fc.tuple(sceneInTurn, fc.nat(9999)), { seed, numRuns: 400 })
  const isToldByMore = ([scene, at]: (typeof scenes)[number]): boolean => {
    const one = withOneBroken(play(scene), at)
    const twice = one && withOneBroken(one.played, at + 1)
    return twice !== undefined && Object.values(toldBy(twice.played)).some((all) => new Set(all).size > 1)
  }
  expect(scenes.some(isToldByMore)).toBe(true)
})

test.each([
  ['is seen for the first time', []],
  ['is known', [page(volume())]],
])('what follows from a member of another type is not told besides where the volume %s', (_, before) => {
  const wrong = page({ ...volume(), label: { of: 'another type' } })
  const lists = [...before, wrong].map((body) => told('volumes.list', { as: 'owner' }, 200, body))
  expect(judgeExchanges(lists).found.map(({ id }) => id)).toEqual(['volumes.list.reply.label.type:shape'])
})

test('a reply that may show what was there already is wrong all the same where it breaks its schema', () => {
  const as = 'owner'
  const attached = volume({ node_id: 101, node_label: 'web-1' })
  const attaches = told('volumes.attach', { as, path: { volumeId: 7 }, body: { node_id: 101 } }, 200, attached)
  const wrong = volume({ region: { of: 'another type' } })
  const creates = told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, wrong)
  const { found } = judgeExchanges([attaches, creates])
  expect(found.map(({ id }) => id)).toEqual(['volumes.create.reply.region.type:shape'])
})
