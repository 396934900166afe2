// Plans probes without a run: to show them, and to find out what they would need.

import type { PlanContext } from '../arbitraries/plan-fixtures.js'
import type { Environment } from '../models/language/environment.js'

/** What plans get where nothing is sent: names that begin with the prefix, and a stand-in for a certificate. */
export const planningFor = (environment: Environment): PlanContext => {
  let names = 0
  return {
    environment,
    nonce: `${environment.safety.prefix}-0`,
    next: () => names++,
    certificate: () => ({ certificate: 'a certificate in PEM', private_key: 'its private key in PEM' }),
  }
}
