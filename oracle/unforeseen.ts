// Calls of a program that have nothing to do with its finding by the document, though the target may need them to show it; nothing is sent.

import { type Belief, believe, worldOf } from './belief.js'
import type { Judged } from './judgement.js'
import { shows, shrink } from './shrink.js'

/** Numbers of the steps that the judge does not need to find the deviation of the last one. */
export const unforeseenIn = (start: Belief, steps: readonly Judged[], findingId: string): readonly number[] => {
  // It has shown again, so that no reply of it was late.
  const alone = believe(worldOf(start))
  if (!shows(alone, steps, findingId)) return []
  const foreseen = new Set(shrink(alone, steps, findingId))
  return steps.flatMap((one) => (foreseen.has(one) ? [] : [one.n]))
}
