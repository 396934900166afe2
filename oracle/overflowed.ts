// The belief after more than can be followed was possible. Judges nothing.

import { isRefusal } from '../history/outcomes.js'
import type { World } from '../models/language/world.js'
import type { Belief } from './belief.js'
import type { Judgement, Observation } from './judgement.js'
import { mayHaveLanded } from './surplus.js'

/** The belief after calls whose order is not known: each that was not refused may have taken effect before or after any other. */
export const afterAnyOf = (belief: Belief, calls: readonly Observation[]): Belief => {
  const writes = calls.filter(({ op, outcome }) => op.method !== 'GET' && !isRefusal(outcome))
  const after = (world: World): World =>
    writes.reduce((known, { op, call, n }) => mayHaveLanded(known, { op, call, n, sentIn: world }), world)
  return { ...belief, hypotheses: belief.hypotheses.map((one) => ({ ...one, world: after(one.world) })) }
}

/**
 * The belief with which a run goes on. Where too much was possible, what is left of it holds in all cases, so that it can be judged by;
 * but nothing is known any more after a call that could not be judged at all.
 */
export const goingOn = (before: Belief, after: Belief, judgements: readonly Judgement[]): Belief =>
  after.overflow && !before.overflow && judgements.every(({ defects }) => defects === undefined)
    ? { ...after, overflow: false }
    : after
