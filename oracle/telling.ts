// Finds the part of an accepted reply that shows the entity asked for, where the document does not show the record.
import { operations } from '../models/index.js'
import { memoised } from '../models/language/memoised.js'
import { isObject, leavesOf, textsIn } from '../models/language/objects.js'
import type { AnyTable } from '../models/language/operation.js'
import type { WireRecord } from '../models/language/world.js'
import type { Reply, Step } from './step.js'

/**
 * The reply reduced to the record that it shows. A record may stand alone in a list, or inside another object, which may have a status
 * of its own.
 * Nothing is taken from a write that answers in such a way, or that tells nothing of what was asked for, since it may show something
 * else, such as a job. Nor is anything taken from an object that has only an id, since that may be of an entity that the record refers to.
 */
export const toldBy = (step: Step): Reply => {
  const { op, reply } = step
  const body = aloneIn(reply.body)
  if (op.reply.kind !== 'record' || op.reply.table.record || !isObject(body)) return reply
  const asked = op.makes === op.reply.table ? undefined : Object.values(step.call.path).at(-1)
  const inner = innermost(op.reply.table, body, asked)
  const { body: _, ...rest } = reply
  if (inner === reply.body) return speaksOf(step, op.reply.table, inner) ? reply : rest
  const isReference = 'id' in inner && fieldsIn(op.reply.table, inner) === 1
  return op.method === 'GET' && !isReference ? { ...rest, body: inner } : rest
}

/** Whether an object in a reply is about the entity that was asked for: it tells a field of the record, or a value that was sent. */
const speaksOf = ({ op, call, read }: Step, table: AnyTable, body: WireRecord): boolean => {
  if (op.answersElse?.(read.facts, body) === true) return false
  const names = Object.keys(body)
  const isAlone = names.length === 1 && 'id' in body
  if (op.method === 'GET' || isAlone || names.some((name) => name !== 'id' && isField(table, name, body[name])))
    return true
  // The path of a creation names the parent, which the record of a job may hold as well. Numbers say little: a job has some, too.
  const named = op.makes === table ? [] : leavesOf(call.path)
  const sent = [...named, ...textsIn(call.body)]
  const told = new Set(leavesOf(body))
  return sent.some((value) => value !== '' && told.has(value))
}

/** The only item of a list of one; any other value as it is. */
export const aloneIn = (body: unknown): unknown => (Array.isArray(body) && body.length === 1 ? body[0] : body)

/** The reply, or the object in it, that has the most fields of the record. Where one has the id that was asked for, none with another is. */
const innermost = (table: AnyTable, body: WireRecord, asked: string | undefined): WireRecord => {
  const inner = within(table, body)
  const all = [body, ...inner, ...inner.flatMap((one) => within(table, one))]
  const isAsked = ({ id }: WireRecord): boolean => String(id) === asked
  const own = all.some(isAsked) ? all.filter((one) => !('id' in one) || isAsked(one)) : all
  return own.reduce((best, one) => (fieldsIn(table, one) > fieldsIn(table, best) ? one : best))
}

/** Objects in a reply that are no fields of the record themselves. */
const within = (table: AnyTable, body: WireRecord): readonly WireRecord[] =>
  Object.entries(body).flatMap(([name, value]) => (isObject(value) && !isField(table, name, value) ? [value] : []))

/** Whether a member is a field of the record. An object that has a field of the same name may be named after it (a range has a range). */
const isField = (table: AnyTable, name: string, value: unknown): boolean =>
  [...(table.fields as readonly string[]), ...Object.keys(table.derived ?? {})].includes(name) &&
  !(isObject(value) && name in value) &&
  !(typeof value === 'string' && textsOf(table).get(name)?.includes(value) === false)

/**
 * The texts that a field may have, where requests give it as a list or as one of several values. Any other is of something else: a policy
 * that is told under the name of its direction, or the status of a job.
 */
const textsOf = memoised(
  (table: AnyTable): ReadonlyMap<string, readonly unknown[]> =>
    new Map(
      operations
        .filter(({ reply }) => 'table' in reply && reply.table === table)
        .flatMap(({ body }) => Object.entries(body?.properties ?? {}))
        .flatMap(([name, { type, enum: listed }]) => (listed || type === 'array' ? [[name, listed ?? []]] : [])),
    ),
)

const fieldsIn = (table: AnyTable, body: WireRecord): number =>
  Object.entries(body).filter(([name, value]) => isField(table, name, value)).length
