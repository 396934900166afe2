// Tells a secret that was revoked or expired in the middle of a run from a target that refuses: nothing is judged by it any more.

import { setTimeout } from 'node:timers/promises'
import { buildCall, type SendableCall } from '../history/calls.js'
import type { Outcome } from '../history/record.js'
import { operationById } from '../models/index.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import type { Transport } from './session.js'

/** How to tell that a token which was good is known no more. */
export interface Credentials {
  /** The status by which the target turns away a secret that it does not know. */
  readonly refusedWith: number
  /** By token, the list that it was seen to read. */
  readonly reads: Readonly<Record<string, string>>
}

export interface WatchedTransport extends Transport {
  /** What became of the first secret that expired. */
  readonly expired: () => string | undefined
}

interface Watching {
  readonly sleep?: (ms: number) => Promise<unknown>
  /** Hears of the step and the status of each reply that is taken for a gateway's, before the call is sent again. */
  readonly assume?: (step: number, status: number) => void
}

/** How long what was seen to be read is asked for again before its token counts as known no more: gateways forget it for a moment. */
const pausesMs = [0, 250, 500, 1000, 2000, 4000]

/** Whether a reply may come from what stands before the target and does not know a token: it is in no envelope of the interface. */
const isForeign = ({ status, body }: Extract<Outcome, { readonly status: number }>): boolean =>
  (status === 401 || status === 403) && !(isObject(body) && Array.isArray(body.errors))

/**
 * Asks again for what a token was seen to read, when it is refused as an unknown one would be. Where that is refused as well, and
 * some time later is not, the call is sent again; a write is not where that was read at once, since the target may have refused it.
 */
export const watchSecrets = (
  transport: Transport,
  credentials: Credentials | undefined,
  { sleep = setTimeout, assume = () => undefined }: Watching = {},
): WatchedTransport => {
  let expired: string | undefined
  const isTurnedAway = (outcome: Outcome): outcome is Extract<Outcome, { readonly status: number }> =>
    'status' in outcome && (outcome.status === credentials?.refusedWith || isForeign(outcome))

  /** What a token was seen to read, asked for until it is read; how many times that took, and what came of it. */
  const ask = async (as: string | null, read: Operation, step: number): Promise<readonly [number, Outcome]> => {
    let again: Outcome = { lost: 'refused' }
    for (const [times, pauseMs] of pausesMs.entries()) {
      await sleep(pauseMs)
      again = await transport.send(buildCall(read, { as }), step)
      if (!isTurnedAway(again)) return [times, again]
    }
    return [pausesMs.length, again]
  }

  const sendAgain = (call: SendableCall, step: number, status: number): Promise<Outcome> => {
    assume(step, status)
    return transport.send(call, step)
  }

  const send: Transport['send'] = async (call, step) => {
    if (expired !== undefined) return { lost: 'refused', detail: expired }
    const outcome = await transport.send(call, step)
    const read = call.as === null ? undefined : operationById(credentials?.reads[call.as] ?? '')
    if (!read || !isTurnedAway(outcome)) return outcome
    const [times, again] = await ask(call.as, read, step)
    if (!isTurnedAway(again)) {
      const isOver = times > 0 || (call.method === 'GET' && isForeign(outcome))
      return isOver ? sendAgain(call, step, outcome.status) : outcome
    }
    expired = `token ${call.as} was accepted before, and is answered ${again.status} by GET ${read.path} since step ${step}: its secret has expired or was revoked`
    return { lost: 'refused', detail: expired }
  }
  return { send, expired: () => expired }
}
