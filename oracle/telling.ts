// Which part of an accepted reply tells of what was asked for, where the document does not show the record; nothing is judged here.
import { isObject } from '../models/language/objects.js'
import type { AnyTable } from '../models/language/operation.js'
import type { WireRecord } from '../models/language/world.js'
import type { Reply, Step } from './step.js'

/**
 * The reply with no more than the record that it shows. A record may stand alone in a list, or within another object, which may have a
 * status of its own.
 * What a write tells in such a way may be about something else, such as a job, so that nothing of it is taken; nor is anything
 * of an object with an id alone, which may be that of something that the record refers to.
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

/** The one item of a list; anything else as it is. */
export const aloneIn = (body: unknown): unknown => (Array.isArray(body) && body.length === 1 ? body[0] : body)

/** Of a reply and the objects in it, the one with the most fields of the record. */
const innermost = (table: AnyTable, body: WireRecord): WireRecord => {
  const inner = within(table, body)
  const all = [...inner, ...inner.flatMap((one) => within(table, one))]
  return all.reduce((best, one) => (fieldsIn(table, one) > fieldsIn(table, best) ? one : best), body)
}

/** Objects in a reply that are no fields of the record themselves. */
const within = (table: AnyTable, body: WireRecord): readonly WireRecord[] =>
  Object.entries(body).flatMap(([name, value]) => (isObject(value) && !isField(table, name, value) ? [value] : []))

/** Whether a member is one of the record; an object that has one of the same name itself may be called after it (a range has a range). */
const isField = ({ fields, derived = [] }: AnyTable, name: string, value: unknown): boolean =>
  [...(fields as readonly string[]), ...derived].includes(name) && !(isObject(value) && name in value)

const fieldsIn = (table: AnyTable, body: WireRecord): number =>
  Object.entries(body).filter(([name, value]) => isField(table, name, value)).length
