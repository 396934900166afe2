// A gateway before the target answers in its place. Nothing is learnt about the target, not even whether the call reached it.

import type { Environment } from '../../models/language/environment.js'
import { errorsIn } from '../../models/language/error-envelope.js'
import type { Reply } from '../step.js'
import { type Explanation, isAllowed } from './explanation.js'

export const gateway: Explanation = {
  name: 'gateway',
  refutes: 'nothing does: its reply says nothing of the target',
  bound:
    'statuses with which only gateways and the servers of a connection answer; pages that forbid; tokens that are forgotten for less than ten seconds or for one call; bodies that end in the middle and pages in place of results, where not all of an operation are such; replies to a POST that repeat those to an equal one, where what it did shows once 2 s lie between them; replies in no envelope for about a minute, or once; one reply to every call for about a minute, also to lists that were answered rightly before; and what a cache had kept since before the latest write, where it shows something else when it is asked anew',
}

/** Statuses that come from a gateway, never from the target itself. */
export const isOfGateway = (status: number): boolean =>
  [429, 502, 503, 504, 511].includes(status) || (status >= 520 && status <= 530) || status === 598 || status === 599

/** Statuses that come from the HTTP server itself, or from a proxy before it, unless the reply has the error envelope. */
export const isOfConnection = (status: number): boolean =>
  [407, 408, 413, 414, 421, 425, 431, 460, 463, 494, 495, 496, 497, 499].includes(status)

/** Whether a proxy answered that wants credentials, and passed nothing on (RFC 9110, 15.5.8). */
export const isOfProxy = (reply: Pick<Reply, 'status' | 'body'>): boolean => reply.status === 407 && !hasEnvelope(reply)

/** Those of them that say that the connection failed this time, whatever was asked over it. */
const ofMoment = [408, 421, 425, 460, 463, 499]

const hasEnvelope = ({ body }: Pick<Reply, 'body'>): boolean => errorsIn(body) !== undefined

/** Whether the server of a connection answered for a reason that may be none the next time. */
export const isOfMoment = (reply: Pick<Reply, 'status' | 'body'>): boolean =>
  ofMoment.includes(reply.status) && !hasEnvelope(reply)

/** Statuses that come from a filter of requests, with a page of its own. */
const ofFilter = [403, 406]

/**
 * Whether a gateway may have answered instead of the target.
 * @param isForbidden whether the target itself may have to turn the caller away
 */
export const isFromGateway = (reply: Reply, environment: Environment, isForbidden: boolean): boolean => {
  const { status } = reply
  const isOfOthers =
    isOfGateway(status) ||
    (isOfConnection(status) && !hasEnvelope(reply)) ||
    (!isForbidden && pageOf(reply) !== undefined)
  return isOfOthers && isAllowed(environment, gateway)
}

/** The page of a filter, without what differs from one to the next; undefined for any other reply. */
export const pageOf = (reply: Reply): string | undefined =>
  ofFilter.includes(reply.status) && isPage(reply)
    ? `${reply.status} ${reply.text?.slice(0, longestPage).replaceAll(/[0-9a-f]{8,}|\d+/gi, '')}`
    : undefined

const longestPage = 2000

const isPage = ({ text = '', contentType = '' }: Reply): boolean =>
  /^\s*text\/html\b/i.test(contentType) && /^\s*</.test(text)
