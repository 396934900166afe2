// A token of recorded traffic had expired: how long tokens last is not shown.

import { impatiently, type Observe, worldOf } from '../belief.js'
import { isOneOf } from '../clauses.js'
import type { Deviation } from '../judgement.js'
import { type Explanation, excusing, isAllowed, traceOf } from './explanation.js'
import type { IsAlone } from './token-watch.js'

export const token: Explanation = {
  name: 'token',
  refutes:
    'the token is taken again and again by all that is asked, but for one operation or one address, which always refuses it',
  bound:
    'refusals with the status 401 of calls that carry a token, in recorded traffic; not of one operation or address where it is no chance that so many in a row are its own, each after the token was taken elsewhere, and at no even pace',
}

/**
 * The document does not say how long tokens last, so one may be refused at any time. Only the form of such a refusal is judged, unless
 * the token is good and is refused for what is asked.
 */
export const expiring =
  (isAlone: IsAlone, look: Observe): Observe =>
  (belief, observation) => {
    const { outcome, call, n } = observation
    const isUnknown = 'status' in outcome && outcome.status === 401 && call.as !== null
    if (!isUnknown || !isAllowed(worldOf(belief).environment, token)) return look(belief, observation)
    // It tells nothing of what there is, so that no later call can show it to have been late.
    const { judgement } = look(impatiently(belief), observation)
    if (isAlone(n)) return { belief, judgement }
    const isExcused = ({ clause, kind }: Deviation): boolean => kind === 'refused' || isOneOf(clause, 'refusal.field')
    const left = excusing(judgement, isExcused, traceOf(token, call.as), 'inconclusive')
    const verdict = left.deviations.length > 0 ? 'finding' : 'inconclusive'
    return { belief, judgement: { ...left, held: [], verdict } }
  }
