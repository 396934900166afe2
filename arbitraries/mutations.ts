// Random programs made from earlier ones that reached something: extended, cut, spliced and changed in a step; plain data.

import fc from 'fast-check'
import type { Operation } from '../models/language/operation.js'
import { type StepSeed, stepSeed } from './programs.js'

type Steps = readonly StepSeed[]

/** Programs that begin as one of these did, or hold a part of it; no longer than `longest` steps. */
export const mutationOf = (
  programs: readonly Steps[],
  operations: readonly Operation[],
  longest: number,
): fc.Arbitrary<Steps> => {
  const some = fc.constantFrom(...programs)
  const step = stepSeed(operations)
  const extended = fc
    .tuple(some, fc.array(step, { minLength: 1, maxLength: 6 }))
    .map(([steps, more]) => [...steps, ...more])
  const spliced = fc
    .tuple(some, some, fc.nat(longest), fc.nat(longest))
    .map(([head, tail, at, from]) => [...head.slice(0, 1 + at), ...tail.slice(from % Math.max(1, tail.length))])
  const changed = fc
    .tuple(some, step, fc.nat(longest))
    .map(([steps, other, at]) => steps.map((one, i) => (i === at % steps.length ? other : one)))
  const thinned = fc
    .tuple(some, fc.nat(longest))
    .map(([steps, at]) => (steps.length < 2 ? steps : steps.filter((_, i) => i !== at % steps.length)))
  return fc
    .oneof({ weight: 4, arbitrary: extended }, { weight: 3, arbitrary: spliced }, changed, thinned)
    .map((steps) => steps.slice(-longest))
}
