// In which order programs of a night come, and of what they are.
import { describe, expect, test } from 'vitest'
import type { StepSeed } from '../../arbitraries/programs.js'
import { operations } from '../../models/index.js'
import type { Corpus } from '../../suites/corpus.js'
import { createSource } from '../../suites/source.js'

type Steps = readonly StepSeed[]

const volumes = operations.filter(({ id }) => id.startsWith('volumes.'))
const first = (count: number, corpus?: Corpus, seed = 5): readonly Steps[] => {
  const next = createSource(volumes, seed, corpus)
  return Array.from({ length: count }, (_, n) => next(n + 1))
}
const withPrograms = (programs: readonly Steps[], finders: number): Corpus => ({
  programs: () => programs,
  finders,
  reached: () => 0,
  take: () => 0,
})
const begins = (steps: Steps): boolean =>
  steps.slice(0, 2).every(({ operation, full }) => full && operation === 'volumes.create')

describe('the programs of a night', () => {
  const programs = first(40)

  test('are the same for the same seed, and others for another', () => {
    expect(first(40)).toEqual(programs)
    expect(first(40, undefined, 6)).not.toEqual(programs)
  })

  test('are by turns about one resource and about many, and of the operations that are asked for', () => {
    const about = programs.map(begins)
    expect(about.filter((_, n) => n % 2 === 0)).not.toContain(false)
    expect(about.filter((_, n) => n % 2 === 1)).toContain(false)
    expect(programs.flat().filter(({ operation }) => !operation.startsWith('volumes.'))).toEqual([])
  })

  test('begin with those that showed a finding, but for what is not asked for', () => {
    const [finder = [], other = []] = programs
    const foreign = [{ ...(finder[0] as StepSeed), operation: 'tags.create' }]
    expect(first(2, withPrograms([foreign, finder, other], 2))[0]).toEqual(finder)
  })

  test('are mutations of the corpus every other time, and new ones in between', () => {
    const [known = []] = programs
    const texts = new Set(known.map((step) => JSON.stringify(step)))
    const share = (steps: Steps): number =>
      steps.filter((step) => texts.has(JSON.stringify(step))).length / steps.length
    const shares = first(20, withPrograms([known], 0)).map(share)
    expect(Math.min(...shares.filter((_, n) => n % 2 === 1))).toBeGreaterThan(0.3)
    expect(Math.max(...shares.slice(2).filter((_, n) => n % 2 === 0))).toBeLessThan(0.3)
  })
})
