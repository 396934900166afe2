// The list of all explanations. Every deviation is reported unless one of these is assumed, and the record says which.

import { clock } from './clock.js'
import { drift } from './drift.js'
import type { Explanation } from './explanation.js'
import { gap } from './gap.js'
import { gateway } from './gateway.js'
import { interference } from './interference.js'
import { lag } from './lag.js'
import { landing } from './landing.js'
import { origins } from './origins.js'
import { overlap } from './overlap.js'
import { quota } from './quota.js'
import { remains } from './remains.js'
import { resent } from './resent.js'
import { token } from './token.js'

export const explanations: readonly Explanation[] = [
  drift,
  landing,
  interference,
  gap,
  lag,
  overlap,
  resent,
  gateway,
  token,
  quota,
  remains,
  clock,
  origins,
]
