// Guards the judge against its own errors: a call on which it throws counts as lost, and the error is a defect of the suite.

import { type Observe, worldOf } from './belief.js'
import { undecided } from './judgement.js'

export const guarded =
  (look: Observe): Observe =>
  (belief, observation) => {
    try {
      return look(belief, observation)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const text = `suite defect: ${observation.op.id} cannot be judged at step ${observation.n} (${why})`
      // Its effect is unknown, so nothing that follows can contradict it.
      return { belief: { ...belief, overflow: true }, judgement: { ...undecided(worldOf(belief)), defects: [text] } }
    }
  }
