// Calls sent at the same time may collide: the document says nothing about them, so a write among them may be refused.

import { suppositions } from '../../models/language/environment.js'
import type { Observe } from '../belief.js'
import { assuming, type Deviation, type Judgement } from '../judgement.js'
import { type Explanation, isAllowed } from './explanation.js'

export const overlap: Explanation = {
  name: 'overlap',
  supposes: suppositions.overlap,
  cost: 1,
  refutes: 'nothing does: nobody else sees what was under way',
  bound: 'writes beside which another call was sent, and what only follows by inference',
}

/** Whether a reply shows it by itself, whatever was sent beside it. */
const isOfReply = ({ clause, kind }: Deviation): boolean => kind === 'content-type' || clause.endsWith('.object')

/**
 * How calls are taken in that are sent at the same time: the document says nothing of them, so a write among them may be
 * refused for that, and what only follows by inference is not asked.
 */
export const overlapping =
  (look: Observe): Observe =>
  (before, observation) => {
    const observed = look(before, observation)
    const { judgement } = observed
    const isRefusedWrite = observation.op.method !== 'GET' && judgement.accepted === false
    // An inference is about a call by itself. What a target does wrong in one it also does outside of races, where it is told.
    const deviations = judgement.deviations.filter(
      (one) => (one.level !== 'should' || isOfReply(one)) && !(isRefusedWrite && one.kind === 'refused'),
    )
    if (deviations.length === judgement.deviations.length || !isAllowed(judgement.world.environment, overlap))
      return observed
    const left: Judgement['verdict'] = judgement.verdict === 'inconclusive' ? 'inconclusive' : 'pass'
    const verdict = deviations.length > 0 ? 'finding' : left
    const excused = assuming({ ...judgement, deviations, verdict }, `${overlap.name} ${observation.op.id}`)
    return { ...observed, judgement: excused }
  }
