// Finds writes that a gateway may have answered by repeating its reply to an equal one, so that the target never saw them; decides nothing.

import { isAccepted } from '../../history/outcomes.js'
import type { Outcome, WireCall } from '../../history/wire.js'

/** For so long what stands before a target may take an equal write for the same one, sent twice by mistake. */
export const repeatedForMs = 2000

interface Answered {
  readonly call: WireCall
  readonly outcome?: Outcome
}

/** Whether a POST equals an earlier one, and both were accepted with the same reply. */
export const mayRepeat = ({ call, outcome }: Answered, earlier: readonly Answered[]): boolean =>
  call.method === 'POST' &&
  outcome !== undefined &&
  isAccepted(outcome) &&
  earlier.some((one) => spelled(one) === spelled({ call, outcome }))

const spelled = ({ call: { method, url, as, body }, outcome }: Answered): string =>
  JSON.stringify([method, url, as, body, outcome])
