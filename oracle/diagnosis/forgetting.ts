// The cause that lies in no operation: a target that is restarted with another state, empty or earlier, or has another take its place.

import { isAbsent } from '../../history/outcomes.js'
import type { Symptom } from './symptom.js'
import { directly, makesNothing } from './weights.js'

/** So many areas show it: what one of them has lost may be its own fault. */
const fewestAreas = 2

/**
 * The symptoms of it, with their weights; undefined where it is not shown. Things of several areas were gone, and were not gone again where
 * a program made them anew, or their ids were given again. Or some are gone and others are back, and that can be seen without making any.
 */
export const forgetting = (symptoms: readonly Symptom[]): ReadonlyMap<Symptom, number> | undefined => {
  const losses = symptoms.filter(isLoss)
  const returns = symptoms.filter(isReturn)
  if (hasGoneBack(losses, returns)) return new Map([...losses, ...returns].map((one) => [one, directly]))
  const isOnce = ({ finding }: Symptom): boolean => finding.confirmed === false
  const gone = losses.filter(({ kind }) => kind !== 'not-new')
  const areOfOnce = losses.every((one) => isOnce(one) || one.kind === 'not-new' || makesNothing(one))
  const isShown = areasOf(gone).size >= fewestAreas && areOfOnce && gone.some(isOnce)
  return isShown ? new Map(losses.map((one) => [one, directly])) : undefined
}

/** Whether the state is an earlier one: what a fault of a single operation loses or brings back shows where a program makes some. */
const hasGoneBack = (losses: readonly Symptom[], returns: readonly Symptom[]): boolean => {
  const [gone, back] = [losses.filter(isStanding), returns.filter(isStanding)]
  return gone.length > 0 && back.length > 0 && areasOf([...gone, ...back]).size >= fewestAreas
}

const areasOf = (symptoms: readonly Symptom[]): ReadonlySet<string> => new Set(symptoms.map(({ op }) => op.area))

/** Whether what is there shows it, and nothing that was made for it. */
const isStanding = (symptom: Symptom): boolean => makesNothing(symptom) && symptom.finding.steps.length === 1

/** Whether something that was there before is not there any more. */
const isLoss = ({ kind, last, finding: { facts = [], shownAs } }: Symptom): boolean => {
  if (!facts.some(({ field, step }) => field !== undefined && step > 0)) return false
  if (kind === 'missing' || kind === 'not-new') return true
  if (kind === 'changed' && shownAs === 'missing') return true
  return last !== undefined && isAbsent(last.outcome)
}

/** Whether something is there that was removed before, or that nothing made. */
const isReturn = ({ kind, finding: { shownAs } }: Symptom): boolean =>
  [kind, kind === 'changed' && shownAs].some((one) => one === 'deleted' || one === 'unknown')
