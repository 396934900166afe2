// Tells a secret that was revoked or expired in the middle of a run from a target that refuses: nothing is judged by it any more.

import { buildCall } from '../history/calls.js'
import { operationById } from '../models/index.js'
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

/** Asks once more for what a token was seen to read, when it is refused as an unknown one would be. */
export const watchSecrets = (transport: Transport, credentials: Credentials | undefined): WatchedTransport => {
  let expired: string | undefined
  const send: Transport['send'] = async (call, step) => {
    if (expired !== undefined) return { lost: 'refused', detail: expired }
    const outcome = await transport.send(call, step)
    const read = call.as === null ? undefined : operationById(credentials?.reads[call.as] ?? '')
    if (!read || !('status' in outcome) || outcome.status !== credentials?.refusedWith) return outcome
    const again = await transport.send(buildCall(read, { as: call.as }), step)
    if (!('status' in again) || again.status !== credentials.refusedWith) return outcome
    expired = `token ${call.as} was accepted before, and is answered ${again.status} by GET ${read.path} since step ${step}: its secret has expired or was revoked`
    return { lost: 'refused', detail: expired }
  }
  return { send, expired: () => expired }
}
