// Plans probes without a run: to show them, and to find out what they would need.

import type { PlanContext } from '../arbitraries/plan.js'
import type { Setting } from '../models/setting.js'

/** What plans get where nothing is sent: names that begin with the prefix, and a stand-in for a certificate. */
export const planningFor = (setting: Setting): PlanContext => {
  let names = 0
  return {
    setting,
    nonce: `${setting.safety.prefix}-0`,
    next: () => names++,
    certificate: () => ({ certificate: 'a certificate in PEM', private_key: 'its private key in PEM' }),
  }
}
