// Calls sent at the same time may collide: the document says nothing about them, so a write among them may be refused.

import type { Observe } from '../belief.js'
import { isOneOf } from '../clauses.js'
import { judgeUnknowing } from '../explaining.js'
import type { Deviation, Judgement, Observation } from '../judgement.js'
import { type Explanation, excusing, isAllowed, traceOf } from './explanation.js'

export const overlap: Explanation = {
  name: 'overlap',
  refutes: 'nothing does: nobody else sees what was under way',
  bound:
    'writes beside which another call was sent: their refusal, what only follows by inference of them, and a reply that a view of then may give',
}

/**
 * How calls are taken in that are sent at the same time. Reads are judged as ever: no moment at which one may have been answered
 * excuses what it shows.
 */
export const overlapping =
  (look: Observe): Observe =>
  (before, observation) => {
    const observed = look(before, observation)
    const { judgement } = observed
    if (observation.op.method === 'GET' || !isAllowed(judgement.world.environment, overlap)) return observed
    const isExcused = (one: Deviation): boolean => mayCollide(one, judgement)
    const left = excusing(judgement, isExcused, traceOf(overlap, observation.op.id), 'pass')
    const isTaken = judgement.deviations.some((one) => one.kind === 'accepted' && isExcused(one))
    return { ...observed, judgement: isTaken ? withForm(left, observation) : left }
  }

/** A call that may have been taken is not compared with what is there, but its reply has the form of one that was. */
const withForm = (judgement: Judgement, observation: Observation): Judgement => {
  if (!('status' in observation.outcome)) return judgement
  const { deviations } = judgeUnknowing(judgement.world, observation, observation.outcome)
  const wrong = deviations.filter(({ kind }) => kind === 'shape')
  return wrong.length === 0
    ? judgement
    : { ...judgement, deviations: [...judgement.deviations, ...wrong], verdict: 'finding' }
}

/** The document does not say whether a write beside another call is taken, and an inference is about a call by itself. */
const mayCollide = (one: Deviation, { accepted }: Judgement): boolean =>
  (one.kind === 'refused' && accepted === false) || (one.level === 'should' && !isOfReply(one))

/** Whether a reply shows it by itself, whatever was sent beside it. */
const isOfReply = ({ clause, kind }: Deviation): boolean =>
  kind === 'content-type' || kind === 'server-error' || isOneOf(clause, 'object')
