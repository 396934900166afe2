// Waits for a target that is still starting, until it answers anything at all; what it answers is left to the preflight.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../config/target-file.js'
import { isUnanswered } from '../driver/answers.js'
import { reachTarget } from '../driver/reach.js'
import { operationById } from '../models/index.js'
import { wrongToken } from '../models/language/access.js'
import type { Operation } from '../models/language/operation.js'

const list = operationById('volumes.list') as Operation
const pauseMs = 500

/** Returns when the target answers, or after that time at the latest. */
export const awaitTarget = async (target: Target, waitMs = 0): Promise<void> => {
  const until = performance.now() + waitMs
  const as = target.environment.tokens[0]?.name ?? wrongToken
  for (let leftMs = waitMs; leftMs > 0; leftMs = until - performance.now()) {
    const reach = reachTarget(target, `${target.environment.safety.prefix}-wait`, { withinMs: leftMs })
    const outcome = await reach.call(list, { as })
    await reach.close()
    const isForGood = 'lost' in outcome && (outcome.lost === 'tls' || outcome.lost === 'foreign')
    if (!isUnanswered(outcome) || isForGood) return
    await sleep(Math.min(pauseMs, leftMs))
  }
}
