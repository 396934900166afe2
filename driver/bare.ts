// Tells replies that lost their body on the way, now and then and whatever was asked, from an operation that answers so; finds nothing.

import { isAccepted } from '../history/outcomes.js'
import type { Outcome } from '../history/wire.js'
import { operationById } from '../models/index.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { isAllowed, traceOf } from '../oracle/explanations/explanation.js'
import { gateway } from '../oracle/explanations/gateway.js'
import type { SessionOptions, Transport } from './session.js'

interface Options extends Pick<SessionOptions, 'environment' | 'transport' | 'emit'> {
  /** Told once that what stands before the target loses bodies. */
  readonly onKnown: () => void
}

/** So many operations have to answer so at times and rightly at others: one alone may do so by itself. */
const fewestOperations = 2
/** So often a read of one operation is asked again before that is known. */
const mostAgain = 2
const noContent = 204

/** Whether an accepted reply has no body, or an empty object where the operation may reply more. */
export const isBare = (op: Operation, outcome: Outcome): boolean => {
  if (!('status' in outcome) || !isAccepted(outcome) || outcome.status === noContent) return false
  const { kind } = op.reply
  const { body } = outcome
  if (!isObject(body)) return kind !== 'any' || body === undefined
  return kind !== 'empty' && Object.keys(body).length === 0
}

/**
 * Asks again for what was read and came without its body. Once that has helped, and several operations answer so at times and rightly at
 * others, no such reply counts as the target's, nor do those to writes, which cannot be sent again.
 */
export const pastLosses = ({ environment, transport, emit, onKnown }: Options): Transport => {
  const { isKnown, isLoss, note, helped } = createLosses(onKnown)
  const asked = new Map<string, number>()
  const lossOr = (op: Operation, outcome: Outcome): Outcome =>
    isLoss(op) && 'status' in outcome ? lossOf(outcome.status) : outcome
  const mayAsk = ({ id, method }: Operation): boolean => {
    const times = asked.get(id) ?? 0
    if (method !== 'GET' || (times >= mostAgain && !isKnown())) return false
    asked.set(id, times + 1)
    return true
  }
  const send: Transport['send'] = async (call, step) => {
    const outcome = await transport.send(call, step)
    const op = operationById(call.operation)
    if (!op || !('status' in outcome) || !note(op, outcome)) return outcome
    if (!mayAsk(op)) return lossOr(op, outcome)
    const again = await transport.send(call, step)
    if (!isAccepted(again)) return again
    if (note(op, again)) return lossOr(op, again)
    emit({ type: 'assumed', n: step, assumed: traceOf(gateway, outcome.status) })
    helped()
    return again
  }
  return isAllowed(environment, gateway) ? { send } : transport
}

/** Which operations were answered without a body, and which with one. */
const createLosses = (onKnown: () => void) => {
  const bare = new Set<string>()
  const whole = new Set<string>()
  let hasHelped = false
  let isTold = false
  const isKnown = (): boolean => hasHelped && [...bare].filter((id) => whole.has(id)).length >= fewestOperations
  const tell = (): void => {
    if (isTold || !isKnown()) return
    isTold = true
    onKnown()
  }
  return {
    isKnown: () => isTold,
    /** Whether a bare reply of an operation is a loss: it has been answered with a body as well. */
    isLoss: ({ id }: Operation): boolean => isTold && whole.has(id),
    helped: (): void => {
      hasHelped = true
      tell()
    },
    /** Whether a reply is bare. */
    note: (op: Operation, outcome: Outcome): boolean => {
      if (!isAccepted(outcome)) return false
      const isOne = isBare(op, outcome)
      const seen = isOne ? bare : whole
      if (!seen.has(op.id)) {
        seen.add(op.id)
        tell()
      }
      return isOne
    },
  }
}

const lossOf = (status: number): Outcome => ({
  lost: 'foreign',
  detail: `status ${status} without the body that the operation replies, as others lost theirs and had them when they were asked again`,
})
