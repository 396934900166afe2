// Takes in calls on which the suite itself may fail: such a call counts as lost, and the failure as a defect of the suite.

import { type Belief, type Observe, worldOf } from './belief.js'
import type { Judgement } from './judgement.js'

export const guarded =
  (look: Observe): Observe =>
  (belief, observation, lookup) => {
    try {
      return look(belief, observation, lookup)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const text = `suite defect: ${observation.op.id} cannot be judged at step ${observation.n} (${why})`
      // What it did is not known, so nothing that follows can be held against it.
      return { belief: { ...belief, overflow: true }, judgement: { ...undecided(belief), defects: [text] } }
    }
  }

/** Of a call that could not be judged. */
export const undecided = (belief: Belief): Judgement => ({
  expects: 'either',
  verdict: 'inconclusive',
  deviations: [],
  accepted: undefined,
  world: worldOf(belief),
  possible: [],
  held: [],
  choices: [],
})
