// Calls to a target outside of a run, for the commands that look after it; no belief, no record, no judgement.

import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from '../config/target-file.js'
import { buildCall } from '../history/calls.js'
import { bodyOf, isAccepted } from '../history/outcomes.js'
import { listedIn, pagesOf } from '../history/pages.js'
import type { Outcome } from '../history/wire.js'
import { reportedErrors } from '../models/language/error-envelope.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import type { WireRecord } from '../models/language/world.js'
import { isOfMoment } from '../oracle/explanations/gateway.js'
import { isUnanswered } from './answers.js'
import { createClient } from './client.js'
import { isForeign } from './expiry.js'

/** Concrete values alone, and a token's name. */
export type Calling = Pick<Args, 'path' | 'query' | 'body'> & { readonly as: string }

export interface TargetAccess {
  /** A read that has no reply is sent again, unless it is to be sent `once`. */
  readonly call: (op: Operation, args: Calling, times?: 'once') => Promise<Outcome>
  readonly sleep: (ms: number) => Promise<void>
  /** Milliseconds. */
  readonly clock: () => number
  readonly requests: () => number
  readonly close: () => Promise<void>
}

/** After so many calls in a row without a reply no more are sent. */
const mostUnanswered = 3
/** A read without a reply, or with one that is not the target's, is sent again after pauses of so long, at first and in the end, for as long as that. */
const firstPauseMs = 100
const longestPauseMs = 400
const longestMs = 5000

interface AccessOptions {
  /** How long calls are sent; without end when left out. */
  readonly withinMs?: number
  /** Whether a call that is under way by then is given up. */
  readonly isCutOff?: boolean
  /** Whether what can be read of a body counts, whatever its head says of it. */
  readonly isLenient?: boolean
}

/** @param correlation names the command in a header of every request */
export const openAccess = (
  target: Target,
  correlation: string,
  { withinMs = Number.POSITIVE_INFINITY, isCutOff = false, isLenient = false }: AccessOptions = {},
): TargetAccess => {
  const until = performance.now() + withinMs
  const leftMs = (): number => until - performance.now()
  const client = createClient({
    ...target,
    correlation,
    isLenient,
    isSpent: () => leftMs() < 0,
    ...(isCutOff && { leftMs }),
  })
  let step = 0
  let unanswered = 0
  /** Why nothing is sent any more. That the time is over tells nothing of the target. */
  const endedBy = (): string | undefined => {
    if (leftMs() < 0) return 'the time for it is over; nothing was sent'
    if (unanswered < mostUnanswered) return undefined
    return `${target.baseUrl} gave no reply to ${unanswered} calls in a row`
  }
  const send = async (op: Operation, args: Calling, isRepeated: boolean): Promise<Outcome> => {
    const untilMs = Math.min(until, performance.now() + longestMs)
    for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
      const outcome = await client.send(buildCall(op, args), step)
      const most = isRepeated ? patienceWith(outcome) : 0
      if (pauseMs > most || performance.now() + pauseMs > untilMs) return outcome
      await sleep(pauseMs)
    }
  }
  return {
    call: async (op, args, times) => {
      const detail = endedBy()
      if (detail !== undefined) return { lost: 'refused', detail }
      step += 1
      const outcome = await send(op, args, op.method === 'GET' && times !== 'once')
      unanswered = 'lost' in outcome ? unanswered + 1 : 0
      return outcome
    },
    // Nothing is waited for where no call is sent any more.
    sleep: async (ms) => void (endedBy() !== undefined || (await sleep(ms))),
    clock: () => performance.now(),
    requests: client.requests,
    close: client.close,
  }
}

/** The longest pause after which a read is sent again: what forbids in the envelope of the interface may forbid a single call. */
const patienceWith = (outcome: Outcome): number => {
  const mayPass = isUnanswered(outcome)
    ? !isSure(outcome)
    : 'status' in outcome && (isForeign(outcome) || isOfMoment(outcome))
  return mayPass ? longestPauseMs : 'status' in outcome && [401, 403].includes(outcome.status) ? firstPauseMs : 0
}

/** What would come to the same again. */
const isSure = (outcome: Outcome): boolean =>
  'lost' in outcome && (outcome.lost === 'tls' || outcome.lost === 'too-large')

/** What came of a call, in a few words. */
export const outcomeText = (outcome: Outcome): string => {
  if ('lost' in outcome) return outcome.detail ?? outcome.lost
  const [first] = reportedErrors(outcome.body) ?? []
  return first ? `${outcome.status}: ${first.reason.slice(0, 200)}` : String(outcome.status)
}

export const recordOf = (outcome: Outcome): WireRecord | undefined => {
  const body = isAccepted(outcome) ? bodyOf(outcome) : undefined
  return isObject(body) ? body : undefined
}

export interface Walked {
  readonly records: readonly WireRecord[]
  /** The outcome that ended the walk too early. */
  readonly broken?: Outcome
}

/** All records of a list, page by page; `path` names what it is of. */
export const readWhole = async (
  access: TargetAccess,
  op: Operation,
  as: string,
  path?: Calling['path'],
): Promise<Walked> => {
  const records: WireRecord[] = []
  const ask = (query: { readonly page?: number }) => access.call(op, { as, ...(path && { path }), query })
  for await (const outcome of pagesOf(ask, bodyOf)) {
    if (!isAccepted(outcome)) return { records, broken: outcome }
    for (const record of listedIn(bodyOf(outcome))) records.push(record)
  }
  return { records }
}
