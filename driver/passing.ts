// Sends a call once more that was forbidden although nothing forbids it: what stands before a target may have forbidden it; judges nothing.

import { buildCall, type SendableCall } from '../history/calls.js'
import { openWalk, recordsIn } from '../history/pages.js'
import type { Outcome } from '../history/wire.js'
import { listerOf, operationById } from '../models/index.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import type { WireRecord, World } from '../models/language/world.js'
import { isOfPassing } from '../oracle/explanations/gateway.js'
import { expectationOf } from '../oracle/judge.js'
import type { Transport } from './session.js'

/**
 * Whether a call that was refused may be sent again, though it may have been done: one that comes to the same twice, or a creation
 * whose name its list does not show.
 */
export const mayBeSentAgain = async (transport: Transport, call: SendableCall, step: number): Promise<boolean> => {
  if (call.method !== 'POST') return true
  const table = operationById(call.operation)?.makes
  const lister = table && listerOf(table)
  const { label, name, summary } = (isObject(call.body) ? call.body : {}) as WireRecord
  const given = [label, name, summary].find((one) => typeof one === 'string')
  if (!lister || given === undefined || Object.keys(lister.params).length > 0) return false
  const goesOn = openWalk()
  let page: number | undefined
  do {
    const query = page === undefined ? {} : { query: { page } }
    const outcome = await transport.send(buildCall(lister, { as: call.as, ...query }), step)
    if (!('status' in outcome) || outcome.status >= 300) return false
    if (recordsIn(outcome.body).some((record) => Object.values(record).includes(given))) return false
    page = goesOn(outcome.body)
  } while (page !== undefined)
  return true
}

/** After so many vain repetitions for an operation and a token none is tried any more: a target says the same twice. */
const mostInVain = 3

interface Passing {
  readonly transport: Transport
  readonly world: () => World
  /** Whether a gateway may be supposed. */
  readonly isShielded: boolean
  /** Told the step and the status of each refusal that did not come again. */
  readonly assume: (step: number, status: number) => void
}

/** What a call comes to: where it was forbidden, and the model knows of no reason, what it comes to when it is sent once more. */
export const createPassing = ({ transport, world, isShielded, assume }: Passing) => {
  const inVain = new Map<string, number>()
  return async (op: Operation, call: SendableCall, outcome: Outcome, step: number): Promise<Outcome> => {
    const name = `${op.id} ${call.as}`
    const times = inVain.get(name) ?? 0
    if (!isShielded || !('status' in outcome) || !isOfPassing(outcome.status) || times >= mostInVain) return outcome
    if (expectationOf(world(), op, call).kind !== 'accept' || !(await mayBeSentAgain(transport, call, step)))
      return outcome
    const again = await transport.send(call, step)
    if ('status' in again && again.status < 300) {
      assume(step, outcome.status)
      return again
    }
    inVain.set(name, times + 1)
    return outcome
  }
}
