// Detects a secret that expired during a run, and a gateway that turns calls away, as opposed to a target that refuses; judges nothing.

import { setTimeout } from 'node:timers/promises'
import { buildCall, type SendableCall } from '../history/calls.js'
import type { Outcome } from '../history/wire.js'
import { operationById } from '../models/index.js'
import { errorsIn } from '../models/language/error-envelope.js'
import type { Operation } from '../models/language/operation.js'
import { isOfConnection, isOfGateway } from '../oracle/explanations/gateway.js'
import { mayBeSentAgain } from './repeatable.js'
import type { Transport } from './session.js'

/** How to tell that a token which was good is known no more. */
export interface Credentials {
  /** The status by which the target turns away a secret that it does not know, and whether it does so in the envelope of the interface. */
  readonly refusedWith: number
  readonly inEnvelope: boolean
  /** For each token a list that it could read. */
  readonly reads: Readonly<Record<string, string>>
}

export interface WatchedTransport extends Transport {
  /** Why calls cannot go on: the first secret that expired, or a target that is gone. */
  readonly expired: () => string | undefined
}

interface Watching {
  readonly sleep?: (ms: number) => Promise<unknown>
  /** Whether a gateway may answer in place of the target; true when left out. */
  readonly isShielded?: boolean
  /** Told the step and the status of each reply that counts as a gateway's, before the call is sent again. */
  readonly assume?: (step: number, status: number) => void
}

/** How often what is refused in the envelope of the interface is sent again. Other statuses than 401 are those of any refusal. */
const mostOwn = async (transport: Transport, call: SendableCall, step: number, refused: Reply): Promise<number> =>
  refused.status === 401 && (await mayBeSentAgain(transport, call, step)) ? mostAgain.own : 0

type Reply = Extract<Outcome, { readonly status: number }>

/** How long a token may fail on the list that it could read before it counts as expired: a gateway may forget it for a moment. */
const pausesMs = [0, 250, 500, 1000, 2000, 4000]
/** The same where it is not turned away as an unknown token is: a maintenance may take a while, and limits are often per minute. */
export const longerMs = [...pausesMs, 8000, 8000, 8000, 8000, 8000, 8000, 8000]
/**
 * How often a call that alone is refused is sent again: chance would seldom meet it every time. In the envelope of the interface it
 * may well be what the target says of a token that lacks a scope.
 */
const mostAgain = { foreign: 3, own: 1 }
/** Where a token was forgotten for a moment, calls wait so long before they are sent again, until as many of them were in vain. */
const flappingMs = [0, 250, 500, 1000, 2000, 4000]
const mostFlapping = 8
/** After so many vain repetitions for an operation, a token and a status, none is tried any more. */
const mostInVain = 3

/** Whether a reply may come from a gateway: a refusal without the error envelope, or a redirect. */
export const isForeign = ({ status, body }: Reply): boolean =>
  status >= 300 && status < 500 && !isOfGateway(status) && !isOfConnection(status) && errorsIn(body) === undefined

const isAlike = (outcome: Outcome, refused: Reply): boolean =>
  'status' in outcome && outcome.status === refused.status && isForeign(outcome) === isForeign(refused)

/** Whether a reply is what an unknown token is told. */
const isOfToken = (reply: Reply, credentials: Credentials | undefined): boolean =>
  reply.status === credentials?.refusedWith && isForeign(reply) !== credentials.inEnvelope

/**
 * Asks again for what a token was seen to read, when it is refused as an unknown one would be, or in another form than that of the
 * interface. Where that is refused as well, and some time later is not, the call is sent again. One that was refused alone is too: a
 * target says the same twice.
 */
export const watchSecrets = (
  transport: Transport,
  credentials: Credentials | undefined,
  { sleep = setTimeout, isShielded = true, assume = () => undefined }: Watching = {},
): WatchedTransport => {
  let expired: string | undefined
  /** How many refusals stayed the same, by operation, token and status. */
  const inVain = new Map<string, number>()
  /** How many more calls may be waited for, since a token was forgotten and known again. */
  let flapping = 0
  const isTurnedAway = (outcome: Outcome): outcome is Reply =>
    'status' in outcome && (outcome.status === credentials?.refusedWith || isForeign(outcome))

  /** What a token was seen to read, asked for until it is read; how many times that took, and what came of it. */
  const ask = async (as: string, read: Operation, step: number, away: Reply): Promise<readonly [number, Outcome]> => {
    let again: Outcome = { lost: 'refused' }
    const all = isOfToken(away, credentials) ? pausesMs : longerMs
    const patience = isShielded ? all : [0]
    for (const [times, pauseMs] of patience.entries()) {
      await sleep(pauseMs)
      again = await transport.send(buildCall(read, { as }), step)
      if (!isTurnedAway(again)) return [times, again]
    }
    return [patience.length, again]
  }

  /** The token of a call and what it was seen to read; another one, where not the token itself may have been turned away. */
  const readFor = (as: string | null, away: Reply): readonly [string, Operation] | undefined => {
    const reads = Object.entries(credentials?.reads ?? {})
    const [token, id] = reads.find(([name]) => name === as) ?? (isForeign(away) ? reads[0] : undefined) ?? []
    const read = operationById(id ?? '')
    return token === undefined || !read ? undefined : [token, read]
  }

  /** Sends a call again after each of the pauses until it comes to something else; undefined where it does not. */
  const sendAgain = async (call: SendableCall, step: number, refused: Reply, pauses: readonly number[]) => {
    for (const pauseMs of pauses) {
      if (pauseMs > 0) await sleep(pauseMs)
      const again = await transport.send(call, step)
      if (isAlike(again, refused)) continue
      assume(step, refused.status)
      if (!isForeign(refused)) flapping = mostFlapping
      return again
    }
    return undefined
  }

  /** How long to wait before each repetition of a call that was refused alone. */
  const pausesFor = async (call: SendableCall, step: number, refused: Reply): Promise<readonly number[]> => {
    if (isForeign(refused)) return Array<number>(mostAgain.foreign).fill(0)
    const most = await mostOwn(transport, call, step, refused)
    return most > 0 && flapping > 0 ? flappingMs : Array<number>(most).fill(0)
  }

  /**
   * Sends again what was refused alone, in another form than the interface's or as an unknown token is: where it comes to the same,
   * it is the target's.
   */
  const sendRefusedAgain = async (call: SendableCall, step: number, refused: Reply): Promise<Outcome> => {
    const name = `${call.operation} ${isForeign(refused) ? '' : call.as} ${refused.status}`
    const times = inVain.get(name) ?? 0
    if (!isShielded || times >= mostInVain) return refused
    const pauses = await pausesFor(call, step, refused)
    const again = await sendAgain(call, step, refused, pauses)
    if (again) return again
    if (pauses.length > 0) inVain.set(name, times + 1)
    if (pauses === flappingMs) flapping -= 1
    return refused
  }

  /** Sends a call again whose token was read again after a while. */
  const goOn = async (call: SendableCall, step: number, refused: Reply): Promise<Outcome> => {
    assume(step, refused.status)
    if (!isForeign(refused)) flapping = mostFlapping
    const next = await transport.send(call, step)
    return isTurnedAway(next) && isAlike(next, refused) ? sendRefusedAgain(call, step, next) : next
  }

  const send: Transport['send'] = async (call, step) => {
    if (expired !== undefined) return { lost: 'refused', detail: expired }
    const outcome = await transport.send(call, step)
    const read = isTurnedAway(outcome) ? readFor(call.as, outcome) : undefined
    if (!read || !isTurnedAway(outcome)) return outcome
    const [times, again] = await ask(...read, step, outcome)
    if (isTurnedAway(again)) {
      expired = reasonOf(...read, step, again, credentials)
      return { lost: 'refused', detail: expired }
    }
    return times === 0 ? sendRefusedAgain(call, step, outcome) : goOn(call, step, outcome)
  }
  return { send, expired: () => expired }
}

/** Why calls cannot go on, since what a token could read is answered like this. */
const reasonOf = (
  token: string,
  { path }: Operation,
  step: number,
  away: Reply,
  credentials: Credentials | undefined,
): string =>
  isOfToken(away, credentials)
    ? `token ${token} was accepted before, and is answered ${away.status} by GET ${path} since step ${step}: its secret has expired or was revoked; give it another, and run again`
    : `GET ${path} was accepted before, and is answered ${away.status} since step ${step}, but not as an unknown token is: see what stands at its address now, whether it allows fewer requests (then lower pace.rate), and whether the secret of ${token} is still good`
