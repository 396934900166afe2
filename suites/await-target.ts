// Waits for a target that is still starting, until it answers anything at all; what it answers is left to the preflight.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../config/target-file.js'
import { isUnanswered } from '../driver/answers.js'
import { openAccess, outcomeText } from '../driver/target-access.js'
import type { Outcome } from '../history/wire.js'
import { operationById } from '../models/index.js'
import { wrongToken } from '../models/language/access.js'
import type { Operation } from '../models/language/operation.js'

const list = operationById('volumes.list') as Operation
const pauseMs = 500
/** How often it says what it waits for. */
const sayEveryMs = 5000

interface Waiting {
  /** How long at the most; not at all where it is left out. */
  readonly waitMs?: number | undefined
  readonly say: (text: string) => void
}

/** Returns when the target answers, or after that time at the latest; says now and then what it waits for. */
export const awaitTarget = async (target: Target, { waitMs = 0, say }: Waiting): Promise<void> => {
  const until = performance.now() + waitMs
  const leftMs = (): number => until - performance.now()
  const as = target.environment.tokens[0]?.name ?? wrongToken
  let last = 'no reply so far'
  const saying = setInterval(() => say(waitingFor(target, last, leftMs())), sayEveryMs)
  try {
    while (leftMs() > 0) {
      const outcome = await ask(target, as, leftMs())
      if (!isUnanswered(outcome) || isForGood(outcome)) return
      last = `the last try: ${outcomeText(outcome)}`
      await sleep(Math.max(0, Math.min(pauseMs, leftMs())))
    }
  } finally {
    clearInterval(saying)
  }
}

const waitingFor = ({ baseUrl }: Target, last: string, leftMs: number): string =>
  `waiting for ${baseUrl} to answer (${last}); giving up in ${Math.max(0, Math.ceil(leftMs / 1000))} s`

const ask = async (target: Target, as: string, withinMs: number): Promise<Outcome> => {
  const access = openAccess(target, `${target.environment.safety.prefix}-wait`, { withinMs })
  try {
    return await access.call(list, { as })
  } finally {
    await access.close()
  }
}

const isForGood = (outcome: Outcome): boolean =>
  'lost' in outcome && (outcome.lost === 'tls' || outcome.lost === 'foreign')
