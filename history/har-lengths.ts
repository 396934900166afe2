// Which bodies of a recording are not as long as they were when they were sent: what was replaced after the recording; nothing is judged.

import { isObject } from '../models/language/objects.js'
import type { CallEntry, Entry } from './entry.js'
import { parsed, toldSizes } from './har-content.js'
import type { HarEntry } from './har-entries.js'
import { headerOf, type Json } from './har-headers.js'
import type { Replaced } from './har-replaced.js'
import { isPackedBody, textOf } from './har-text.js'
import { isSecretName } from './masking.js'
import { isAccepted } from './outcomes.js'

/** An entry, and the event that was read from it. */
export interface Told {
  readonly entry: HarEntry
  readonly event: Entry
}

/** Where so many bodies were replaced, another of the same kind may have been by something of its length. */
const fewest = 3

/** Neither side takes a body of another length than was announced, so that one that has another was replaced. */
export const replacedByLength = (told: readonly Told[]): Replaced => {
  const calls = told.flatMap(({ entry, event }) => (event.kind === 'call' ? [{ entry, event }] : []))
  const find = (partOf: (entry: HarEntry) => readonly [unknown, Json]): readonly CallEntry[] =>
    calls.flatMap(({ entry, event }) => (isOfOtherLength(...partOf(entry)) ? [event] : []))
  const requests = find(({ request }) => [request.postData, request])
  const replies = find(({ response }) => [response.content, response])
  const isOften = requests.length + replies.length >= fewest
  const among = (found: readonly CallEntry[]): ((one: CallEntry) => boolean) => {
    const [own, kinds] = [new Set(found), new Set(found.map(kindOf))]
    return (one) => (isOften ? kinds.has(kindOf(one)) : own.has(one))
  }
  const [isRequest, isReply] = [among(requests), among(replies)]
  return {
    inRequest: (one) => one.call.body !== undefined && isRequest(one),
    inReply: (one) => 'body' in one.outcome && isReply(one),
  }
}

/** Bodies of one operation that were answered alike were replaced in one way. */
const kindOf = ({ op, outcome }: CallEntry): string => `${op.id} ${isAccepted(outcome)}`

/**
 * Whether a JSON text has none of the lengths that are told. A packed body has another, and so may one whose secrets were masked. Some
 * recorders count characters, and some lay JSON out anew.
 */
const isOfOtherLength = (part: unknown, message: Json): boolean => {
  const text = isObject(part) ? textOf(part) : undefined
  if (!isObject(part) || !text || isPackedBody(part) || headerOf(message, 'content-encoding') !== undefined)
    return false
  const told = toldSizes(part, message).filter((one) => one > 0)
  const bytes = Buffer.byteLength(text)
  const saved = typeof part.compression === 'number' ? part.compression : 0
  const isTold = (length: number): boolean => told.includes(length)
  if (told.length === 0 || [bytes, text.length, bytes - saved].some(isTold)) return false
  const json = parsed(text)?.json
  return json !== undefined && !holdsSecret(json) && !isTold(Buffer.byteLength(JSON.stringify(json)))
}

const holdsSecret = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  Object.entries(value).some(([name, inner]) => isSecretName(name) || holdsSecret(inner))
