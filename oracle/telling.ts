// Finds the part of an accepted reply that shows the entity asked for, where the document does not show the record.
import { operations } from '../models/index.js'
import { memoised } from '../models/language/memoised.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable } from '../models/language/operation.js'
import type { WireRecord } from '../models/language/world.js'
import type { Reply, Step } from './step.js'

/**
 * The reply reduced to the record that it shows. A record may stand alone in a list, or inside another object, which may have a status
 * of its own.
 * Nothing is taken from a write that answers in such a way, since it may show something else, such as a job. Nor is anything taken
 * from an object that has only an id, since that may be of an entity that the record refers to.
 */
export const toldBy = ({ op, reply }: Step): Reply => {
  const body = aloneIn(reply.body)
  if (op.reply.kind !== 'record' || op.reply.table.record || !isObject(body)) return reply
  const inner = innermost(op.reply.table, body)
  if (inner === reply.body) return reply
  const { body: _, ...rest } = reply
  const isReference = 'id' in inner && fieldsIn(op.reply.table, inner) === 1
  return op.method === 'GET' && !isReference ? { ...rest, body: inner } : rest
}

/** The only item of a list of one; any other value as it is. */
export const aloneIn = (body: unknown): unknown => (Array.isArray(body) && body.length === 1 ? body[0] : body)

/** The reply, or the object in it, that has the most fields of the record. */
const innermost = (table: AnyTable, body: WireRecord): WireRecord => {
  const inner = within(table, body)
  const all = [...inner, ...inner.flatMap((one) => within(table, one))]
  return all.reduce((best, one) => (fieldsIn(table, one) > fieldsIn(table, best) ? one : best), body)
}

/** Objects in a reply that are no fields of the record themselves. */
const within = (table: AnyTable, body: WireRecord): readonly WireRecord[] =>
  Object.entries(body).flatMap(([name, value]) => (isObject(value) && !isField(table, name, value) ? [value] : []))

/** Whether a member is a field of the record. An object that has a field of the same name may be named after it (a range has a range). */
const isField = (table: AnyTable, name: string, value: unknown): boolean =>
  [...(table.fields as readonly string[]), ...(table.derived ?? [])].includes(name) &&
  !(isObject(value) && name in value) &&
  !(typeof value === 'string' && listsOf(table).has(name))

/** What requests give as lists: a text of such a name is of something else, as a policy is that is told under the name of its direction. */
const listsOf = memoised(
  (table: AnyTable): ReadonlySet<string> =>
    new Set(
      operations
        .filter(({ reply }) => 'table' in reply && reply.table === table)
        .flatMap(({ body }) => Object.entries(body?.properties ?? {}))
        .flatMap(([name, { type }]) => (type === 'array' ? [name] : [])),
    ),
)

const fieldsIn = (table: AnyTable, body: WireRecord): number =>
  Object.entries(body).filter(([name, value]) => isField(table, name, value)).length
