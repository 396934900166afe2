// The cause that lies in no operation: all that a target held was gone at once, as where it is restarted with another state, or another takes its place.

import { isAbsent } from '../../history/outcomes.js'
import { directly, makesNothing } from './reach.js'
import type { Symptom } from './symptom.js'

/** So many areas show it: what one of them has lost may be its own fault. */
const fewestAreas = 2

/**
 * The symptoms of it, with their weights; undefined where it is not shown. Things of several areas were gone, and were not gone again where
 * a program made them anew, or their ids were given again.
 */
export const forgetting = (symptoms: readonly Symptom[]): ReadonlyMap<Symptom, number> | undefined => {
  const losses = symptoms.filter(isLoss)
  const isOnce = ({ finding }: Symptom): boolean => finding.confirmed === false
  const gone = losses.filter(({ kind }) => kind !== 'not-new')
  const areOfOnce = losses.every((one) => isOnce(one) || one.kind === 'not-new' || makesNothing(one))
  const areas = new Set(gone.map(({ op }) => op.area))
  const isShown = areas.size >= fewestAreas && areOfOnce && gone.some(isOnce)
  return isShown ? new Map(losses.map((one) => [one, directly])) : undefined
}

/** Whether something that was there before is not there any more. */
const isLoss = ({ kind, last, finding: { facts = [], shownAs } }: Symptom): boolean => {
  if (!facts.some(({ field, step }) => field !== undefined && step > 0)) return false
  if (kind === 'missing' || kind === 'not-new') return true
  if (kind === 'changed' && shownAs === 'missing') return true
  return last !== undefined && isAbsent(last.outcome)
}
