// The law of order: the same deviations, with calls that have nothing to do with each other in another order, have the same diagnosis.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { diagnose } from '../../oracle/diagnosis/diagnose.js'
import { type Found, findingOf } from '../../oracle/found.js'
import { areIndependent } from '../../oracle/independence.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { seed } from '../seed.js'
import { withOneBroken } from './broken.js'
import { judgedAsRun, judgedAsTraffic, type Played, play, type Scene, sceneInTwoAreas } from './lanes.js'

const mutants = operations.flatMap(mutantsOf)

/** A scene on a target that breaks one of the operations called, in which two replies break a clause besides. */
const playBroken = (scene: Scene, at: number): Played => {
  const called = new Set(scene.rounds.flat().flatMap(({ deeds }) => deeds.map((deed) => deed.seed.operation)))
  const some = mutants.filter(({ operation }) => called.has(operation))
  const fault = some[at % some.length]?.arm().fault ?? {}
  return [at, at + 7919].reduce((played, n) => withOneBroken(played, n)?.played ?? played, play(scene, { fault }))
}

type Entry = Played['entries'][number]

/** The same calls, each a little later than the one before has ended: calls that touch count as sent together. */
const apart = (played: Played): Played => ({
  ...played,
  entries: played.entries.map((entry, i) => ({ ...entry, startedAt: entry.startedAt + i, endedAt: entry.endedAt + i })),
})

/** The same calls, at the same times, after pairs of neighbours have changed places that may. */
const reordered = (played: Played, pairs: readonly number[], may: (one: Entry, other: Entry) => boolean): Played => {
  const all = [...played.entries]
  for (const pair of pairs) {
    const i = pair % Math.max(1, all.length - 1)
    const [one, other] = [all[i], all[i + 1]]
    if (one && other && may(one, other)) all.splice(i, 2, other, one)
  }
  const at = (i: number): Pick<Entry, 'n' | 'startedAt' | 'endedAt' | 'ms'> => {
    const { n, startedAt, endedAt, ms } = played.entries[i] as Entry
    return { n, startedAt, endedAt, ms }
  }
  return { ...played, entries: all.map((entry, i) => ({ ...entry, ...at(i) })) }
}

const diagnosed = (found: readonly Found[]) =>
  diagnose(
    found
      .filter(({ deviation: { level } }) => level !== 'should')
      .map(({ deviation, steps, shrunkFrom }) => findingOf(deviation, steps, { shrunkFrom, replay: '' })),
  ).map(({ id, findings }) => ({ id, findings: [...findings].sort() }))

const diagnosedBy = (played: Played) => ({
  run: diagnosed(judgedAsRun(played)),
  known: diagnosed(judgedAsTraffic(played, true, false)),
})

/** Of two writes of one part of the interface, what comes next may be laid to the later one, though it has to do with neither. */
const mayChange = (one: Entry, other: Entry): boolean =>
  areIndependent(one, other) &&
  (one.op.method === 'GET' || other.op.method === 'GET' || one.op.reach.in !== other.op.reach.in)

const broken = (scene: Scene, at: number): Played => apart(playBroken(scene, at))
const pairs = fc.array(fc.nat(999), { minLength: 40, maxLength: 200, size: 'max' })

test('what is found has the same causes in whatever order unrelated calls were sent', () => {
  fc.assert(
    fc.property(sceneInTwoAreas, fc.nat(99_999), pairs, (scene, at, some) => {
      const played = broken(scene, at)
      const before = diagnosedBy(played)
      fc.pre(before.run.length > 0 && before.known.length > 0)
      expect(diagnosedBy(reordered(played, some, mayChange))).toEqual(before)
    }),
    // Judging a scene takes so long that shrinking would not end soon.
    { seed, numRuns: 15, endOnFailure: true },
  )
})

test('it has others where related calls change places', () => {
  const scenes = fc.sample(fc.tuple(sceneInTwoAreas, fc.nat(99_999), pairs), { seed, numRuns: 200 })
  const isOther = ([scene, at, some]: (typeof scenes)[number]): boolean => {
    const played = broken(scene, at)
    return JSON.stringify(diagnosedBy(reordered(played, some, () => true))) !== JSON.stringify(diagnosedBy(played))
  }
  expect(scenes.some(isOther)).toBe(true)
})
