// A token of recorded traffic had expired: how long tokens last is not shown.

import { impatiently, type Observe, worldOf } from '../belief.js'
import { isOneOf } from '../clauses.js'
import type { Deviation } from '../judgement.js'
import { type Explanation, excusing, isAllowed, traceOf } from './explanation.js'

export const token: Explanation = {
  name: 'token',
  refutes: 'nothing does: nobody else knows how long a token lasts',
  bound: 'refusals with the status 401 of calls that carry a token, in recorded traffic',
}

/** The document does not say how long tokens last, so one may be refused at any time. Only the form of such a refusal is judged. */
export const expiring =
  (look: Observe): Observe =>
  (belief, observation) => {
    const { outcome, call } = observation
    const isExpired = 'status' in outcome && outcome.status === 401 && call.as !== null
    if (!isExpired || !isAllowed(worldOf(belief).environment, token)) return look(belief, observation)
    // It tells nothing of what there is, so that no later call can show it to have been late.
    const { judgement } = look(impatiently(belief), observation)
    const isExcused = ({ clause, kind }: Deviation): boolean => kind === 'refused' || isOneOf(clause, 'refusal.field')
    const left = excusing(judgement, isExcused, traceOf(token, call.as), 'inconclusive')
    const verdict = left.deviations.length > 0 ? 'finding' : 'inconclusive'
    return { belief, judgement: { ...left, held: [], verdict } }
  }
