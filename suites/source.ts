// Where the programs of a night come from: those that showed a finding before, then by turns new ones and mutations of what reached something.

import fc from 'fast-check'
import { dealing, gathering, livening, openDecks } from '../arbitraries/dealing.js'
import { mutationOf } from '../arbitraries/mutations.js'
import { programSeed, type StepSeed, stepSeed } from '../arbitraries/programs.js'
import type { Operation } from '../models/language/operation.js'
import type { Corpus } from './corpus.js'

const longest = 25

/** The n-th program of a night, counted from 1. */
export const createSource = (operations: readonly Operation[], seed: number, corpus?: Corpus) => {
  const allowed = new Set(operations.map(({ id }) => id))
  const isOurs = (steps: readonly StepSeed[]): boolean => steps.every(({ operation }) => allowed.has(operation))
  const scattered = programSeed(operations, longest)
  const dice = fc.array(stepSeed(operations), { minLength: 2, maxLength: longest, size: 'max' })
  const next = openDecks(Math.abs(seed) % deckSize)
  const deal = dealing(next)
  const liven = livening(next)
  const gather = gathering(operations, next)
  const finders = (corpus?.programs() ?? []).slice(0, corpus?.finders).filter(isOurs)
  let isGathered = false
  return (n: number): readonly StepSeed[] => {
    const again = finders[n - 1]
    if (again) return again
    const sample = (source: fc.Arbitrary<readonly StepSeed[]>): readonly StepSeed[] =>
      fc.sample(source, { seed: seed + n, numRuns: 1, unbiased: true })[0] ?? []
    const known = (corpus?.programs() ?? []).filter(isOurs)
    if (n % 2 === 0 && known.length > 0) return sample(mutationOf(known, operations, longest))
    isGathered = !isGathered && gather !== undefined
    return isGathered && gather ? gather(sample(dice)) : deal(liven(sample(scattered)))
  }
}

/** Nights with other seeds begin elsewhere in the decks. */
const deckSize = 9_973
