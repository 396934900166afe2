// Compares the record of an accepted reply with the world, and learns what the target has chosen; lists are judged elsewhere.

import isEqual from 'fast-deep-equal'
import { operationById } from '../models/index.js'
import { confirm, dispute, firmed, isTrailing, patch, put, trail } from '../models/language/changes.js'
import type { Ternary } from '../models/language/clause.js'
import { type Clause, slugIn } from '../models/language/derive.js'
import { memoised } from '../models/language/memoised.js'
import { isObject, omit, pick } from '../models/language/objects.js'
import { type AnyTable, isListed, type Operation } from '../models/language/operation.js'
import { agrees, isNothing, isStemOf } from '../models/language/same.js'
import { type AnyEntity, find, type WireRecord, type World } from '../models/language/world.js'
import { clauseOf, shapesOf, surelyClauseOf } from './clauses.js'
import type { Read } from './facts.js'
import { brief, type Deviation, deviation } from './judgement.js'
import { provenance } from './provenance.js'
import { type Breach, breachesOf } from './validate.js'

export interface Compared {
  readonly world: World
  readonly deviations: readonly Deviation[]
  readonly held: readonly string[]
  /** What had to be assumed for that. */
  readonly assumed?: readonly string[]
}

/** Deviations from the schema of the record, one a clause. A value that was wrongly accepted is not reported again. */
export const shapeOf = (
  op: Operation,
  table: AnyTable,
  entity: AnyEntity | undefined,
  record: WireRecord,
): { readonly deviations: readonly Deviation[]; readonly held: readonly string[] } => {
  if (!table.record) return { deviations: [], held: [] }
  const breaches = breachesOf(table.record, record)
  const isBelieved = (member: string): boolean => member in record && isEqual(entity?.[member], record[member])
  const deviations = breaches.flatMap((one) => {
    const { place, keyword, pointer } = one
    const clause = clauseOf(op, `reply.${place}.${keyword}`)
    if (!clause || isBelieved(pointer.split('/')[1] ?? '')) return []
    return [deviation(clause, 'shape', clause.text, `${seenAt(one, record)} in ${brief(record)}`)]
  })
  return { deviations, held: breaches.length === 0 ? [shapesOf(op.id)] : [] }
}

/** `no tags`, `size "20"`: what stands where a keyword is broken. */
const seenAt = ({ place, keyword, pointer }: Breach, record: WireRecord): string => {
  if (keyword === 'required') return `no ${place}`
  const steps = pointer.split('/').slice(1)
  const value = steps.reduce((within: unknown, step) => (within as Readonly<Record<string, unknown>>)[step], record)
  return `${place} ${brief(value)}`
}

/** The record without the members that break its schema: nothing follows from them. */
export const sound = (op: Operation, table: AnyTable, entity: AnyEntity | undefined, record: WireRecord): WireRecord =>
  omit(record, breachedFields(shapeOf(op, table, entity, record).deviations, op))

/** Whether a shown value agrees with the believed one, by the comparison of the table if it has one. */
export const agreement = (
  world: World,
  table: AnyTable,
  entity: AnyEntity,
  field: string,
  known: unknown,
  seen: unknown,
  by?: Operation,
): Ternary => {
  if (isEqual(known, seen)) return true
  if (by && isCut(by, table, known, seen)) return undefined
  // Where the document does not show the record, it does not say how an empty value is written.
  if (!table.record && isNothing(known) && isNothing(seen)) return undefined
  if (known === null && mayFill(table, entity, field, seen)) return undefined
  // Nor does it say that a member of such a record is not an object with an id of its own, or holds no such.
  if (!table.record && known !== null && seen !== null && isObject(known) !== isObject(seen)) return undefined
  if (!table.record && holdsObjects(seen) && Array.isArray(known) && known.length > 0 && !holdsObjects(known)) {
    const ids = seen.map(idOf)
    return ids.includes(undefined) ? undefined : agreement(world, table, entity, field, known, ids, by)
  }
  const same = table.same?.[field]
  return same && known !== null ? same(known, seen, entity, world) : agrees(known, seen)
}

const holdsObjects = (value: unknown): value is readonly unknown[] => Array.isArray(value) && value.some(isObject)

const idOf = (item: unknown): unknown => (isObject(item) ? (item.id ?? item.label) : item)

/**
 * Whether a text may be what a target writes where null was sent. The text that was there before is left over, unless the target wrote it
 * by itself; and where nothing has been shown as such it is not shown otherwise later.
 */
const mayFill = ({ fillable }: AnyTable, { since, filled }: AnyEntity, field: string, seen: unknown): boolean => {
  const mark = since?.[field]
  if (!fillable?.includes(field) || typeof seen !== 'string' || !mark) return false
  const isLeftOver = agrees(mark.before, seen) && filled?.[field] !== seen
  return operationById(mark.by)?.method !== 'GET' && !mark.confirmed && !isLeftOver
}

/** The world with the texts noted that a record shows for members which no call has given. */
const withFilled = (world: World, table: AnyTable, entity: AnyEntity, record: WireRecord): World => {
  const isOwn = (field: string): boolean =>
    typeof record[field] === 'string' &&
    (entity[field] === undefined || (entity.loose?.includes(field) === true && entity[field] !== record[field]))
  const texts = entity.stub ? [] : (table.fillable ?? []).filter(isOwn)
  const now = texts.length > 0 ? find(world, table, entity.key) : undefined
  return now ? put(world, table, { ...now, filled: { ...entity.filled, ...pick(record, texts) } } as never) : world
}

/** Whether a list may show a text in this way: where the record is not shown, long texts may be cut in lists. */
const isCut = (op: Operation, table: AnyTable, known: unknown, seen: unknown): boolean =>
  !table.record && isListed(op.reply) && isStemOf(known, seen)

/**
 * The clause to blame for a field that does not agree. If a part of the value is as before and no other operation has shown the new
 * one, it is a clause of the operation that should have changed the field; otherwise one of the operation that shows it.
 */
const blame = ({ world, op, table, entity }: Comparison, field: string, seen: unknown): Clause => {
  const mark = entity.since?.[field]
  const writer = mark && mark.by !== op.id ? effectOf(mark.by, table, field, entity[field]) : undefined
  const isLost =
    mark !== undefined &&
    !mark.confirmed &&
    mark.before !== undefined &&
    between(mark.before, entity[field]).some((one) => agreement(world, table, entity, field, one, seen) === true)
  return (isLost && writer) || surelyClauseOf(op, `shows.${field}`)
}

const mostMembers = 6

/** The value before the change; for an object also all mixtures of members from before and from after it. */
const between = (before: unknown, now: unknown): readonly unknown[] => {
  if (!isObject(before) || !isObject(now)) return [before]
  const changed = Object.keys(now).filter((name) => !isEqual(before[name], now[name]))
  if (changed.length > mostMembers) return [before]
  let all: readonly WireRecord[] = [now]
  for (const name of changed) all = all.flatMap((one) => [one, { ...one, [name]: before[name] }])
  return all.slice(1)
}

/** The clause by which an operation changes a field of a table: one for that field, or that the call takes effect at all. */
const effectOf = (by: string, table: AnyTable, field: string, value: unknown): Clause | undefined => {
  const op = operationById(by)
  const own = op?.effects?.find((effect) => effect.table === table && effect.field === field)
  const stated =
    op?.makes === table ? op.statements?.find(({ sets }) => sets?.field === field && sets.to(value)) : undefined
  return op && clauseOf(op, slugIn(op, (own ?? stated)?.id ?? `${by}.takes-effect`))
}

/** Members in which a reply may differ from what is believed. */
export const openMembers = (op: Operation, read: Read, entity: { readonly key: string }): readonly string[] =>
  Object.keys(op.shownAs?.(read.facts, entity) ?? {})

/** What an operation may show of a table's records, field by field. */
interface ShownField {
  readonly field: string
  /** Id of the clause that it agrees. */
  readonly clause: string
  readonly isRemembered: boolean
  readonly isDrifting: boolean
}

const shownFieldsOf = memoised((op: Operation): readonly ShownField[] => {
  if (!('table' in op.reply)) return []
  const { fields, derived = {}, drifting = [] } = op.reply.table
  return [...new Set<string>([...fields, ...Object.keys(derived)])].map((field) => ({
    field,
    clause: `${op.id}.shows.${field}`,
    isRemembered: fields.includes(field),
    isDrifting: drifting.includes(field),
  }))
})

/** A record in a reply, and the entity that it shows. */
export interface Shown {
  readonly op: Operation
  readonly table: AnyTable
  readonly key: string
  readonly record: WireRecord
  /** Members in which the reply may differ from what is believed. */
  readonly open: readonly string[]
}

type Told = Pick<Comparison, 'record' | 'derived' | 'open'>

/** Comparisons without a deviation: an equal record need not be compared with the same entity again. */
const agreed = new WeakMap<AnyEntity, Map<Operation, { readonly told: Told; readonly held: readonly string[] }>>()

/** Compares a record with the entity of that key and learns from it. */
export const compareRecord = (world: World, shown: Shown): Compared => {
  const { op, table, key, record } = shown
  const entity = find(world, table, key)
  if (!entity) return { world, ...shapeOf(op, table, entity, record) }
  const trailing = trailingIn(world, shown, entity)
  // What follows from a field in doubt or unknown is computed from its shown value, unless that value breaks the schema.
  const shownOnly = table.fields.filter(
    (field) => entity[field] === undefined || entity.loose?.includes(field) || trailing.includes(field),
  )
  const believed =
    shownOnly.length > 0 && table.record
      ? ({ ...omit(entity, shownOnly), ...pick(sound(op, table, entity, record), shownOnly) } as AnyEntity)
      : entity
  const derived = table.view?.(world, believed) ?? {}
  const told = { record, derived, open: [...shown.open, ...trailing] }
  const before = agreed.get(entity)?.get(op)
  if (before && isEqual(before.told, told)) return { world, deviations: [], held: before.held }
  const now = (table.drifting ? { ...entity, ...pick(record, table.drifting) } : entity) as AnyEntity
  const trailed = trail(world, table, key, pick(record, trailing))
  const compared = withNoted(compareFields({ ...shown, ...told, world: trailed, entity, now }), shown, entity)
  if (compared.world === world && compared.deviations.length === 0) {
    const known = agreed.get(entity) ?? new Map()
    agreed.set(entity, known.set(op, { told, held: compared.held }))
  }
  return compared
}

/** Keeps what only the model needs of a record. */
const withNoted = (compared: Compared, { table, record }: Shown, entity: AnyEntity): Compared => {
  const noted = table.noted?.(entity, record)
  const world = withFilled(compared.world, table, entity, record)
  return { ...compared, world: noted ? patch(world, table, entity.key, noted) : world }
}

/**
 * Fields that the reply to a write shows as before its change, or as before the last change, whose reply showed them so too; or as nothing,
 * until the new value has taken the place of the old one.
 */
const trailingIn = ({ step }: World, { op, table, record }: Shown, entity: AnyEntity): readonly string[] => {
  const { id, method, makes, trails = [] } = op
  if (method === 'GET') return []
  return table.fields.filter((field) => {
    const mark = entity.since?.[field]
    const isOwn = !makes && mark?.by === id && mark.step === step && trails.includes(field)
    const isAsBefore = mark?.before === undefined || agrees(mark.before, record[field])
    const isUnset = trails.includes(field) && record[field] === null && entity[field] !== null
    return isUnset || ((isOwn || isTrailing(entity, field)) && isAsBefore)
  })
}

/** A record beside the entity that it shows. */
interface Comparison extends Shown {
  readonly world: World
  readonly entity: AnyEntity
  /** The entity, with the fields that change by themselves as the record shows them. */
  readonly now: AnyEntity
  /** Members that follow from others, with the values that they must have. */
  readonly derived: WireRecord
}

/** The result of comparing the fields of a record so far. */
interface Collected {
  readonly deviations: Deviation[]
  readonly held: string[]
  /** Shown values that were unknown, or differed from the belief. */
  readonly learned: Record<string, unknown>
  readonly doubted: string[]
  readonly shown: string[]
}

const compareFields = (comparison: Comparison): Compared => {
  const { op, table, entity, record, open } = comparison
  const shape = shapeOf(op, table, entity, record)
  const told: Collected = {
    deviations: [...shape.deviations],
    held: [...shape.held],
    learned: {},
    doubted: [],
    shown: [],
  }
  const broken = breachedFields(shape.deviations, op)
  for (const field of shownFieldsOf(op)) {
    const isCompared = record[field.field] !== undefined && !broken.includes(field.field) && !open.includes(field.field)
    if (isCompared) compareField(comparison, field, told)
  }
  return { world: learn(comparison, told), deviations: told.deviations, held: told.held }
}

/** Compares a field with what is believed of it. If nothing is that it must agree with, its shown value is learned. */
const compareField = (
  comparison: Comparison,
  { field, clause, isRemembered, isDrifting }: ShownField,
  told: Collected,
): void => {
  const { world, op, table, entity, now, record, derived } = comparison
  const isDerived = field in derived
  const known = isDerived ? derived[field] : entity[field]
  const seen = record[field]
  if (known === undefined || entity.loose?.includes(field)) {
    // Where the document does not show the record, null may stand for a value that is still to come.
    const isTelling = seen !== null || table.record !== undefined
    if (!isDerived && isRemembered && isTelling && !isToldAgain(comparison, field)) told.learned[field] = seen
    return
  }
  if (isDrifting) {
    if (!agrees(known, seen)) told.learned[field] = seen
    return
  }
  const same = agreement(world, table, now, field, known, seen, op)
  if (same === true) {
    told.held.push(clause, ...effectsShown(op, table, entity, field))
    told.shown.push(field)
  }
  if (same !== false) return
  const blamed = blame(comparison, field, seen)
  const facts = provenance(table, entity, isDerived ? undefined : [field])
  const differs = deviation(blamed, field, `${field} ${brief(known)}`, `${field} ${brief(seen)}`, facts)
  told.deviations.push({ ...differs, member: { name: field, shown: seen } })
  // It is unknown which of the two replies was wrong, so the value is now in doubt. A wrong id is not followed.
  if (isDerived || field === 'id') return
  told.learned[field] = seen
  told.doubted.push(field)
}

/** Whether the operation that put a value in doubt shows it again, which does not settle it: its replies may be wrong each time. */
const isToldAgain = ({ op, entity, record }: Comparison, field: string): boolean => {
  const mark = entity.since?.[field]
  return mark?.disputed === true && mark.by === op.id && agrees(entity[field], record[field])
}

/** The world with the fields marked as shown, the learned values set, and the doubtful ones in doubt. */
const learn = ({ world, table, key }: Comparison, { shown, learned, doubted }: Collected): World => {
  const confirmed = confirm(world, table, key, shown)
  const after = find(confirmed, table, key) as AnyEntity
  const { stub: _, ...known } = firmed(after, Object.keys(learned))
  const isChanged = Object.keys(learned).length > 0 || after.stub
  const next = isChanged ? put(confirmed, table, { ...known, ...learned }) : confirmed
  return doubted.length > 0 ? dispute(next, table, key, doubted) : next
}

/** Clauses of the operation that set a field to its value, where another one shows it for the first time. */
const effectsShown = (shower: Operation, table: AnyTable, entity: AnyEntity, field: string): readonly string[] => {
  const writer = entity.since?.[field]
  if (!writer || writer.by === shower.id || writer.confirmed) return []
  const op = operationById(writer.by)
  const clauses = [op && clauseOf(op, 'takes-effect'), effectOf(writer.by, table, field, entity[field])]
  const stated = (op?.statements ?? []).filter(({ sets }) => sets?.field === field && sets.to(entity[field]))
  return [...new Set([...clauses, ...stated].flatMap((clause) => (clause ? [clause.id] : [])))]
}

const breachedFields = (deviations: readonly Deviation[], op: Operation): readonly string[] =>
  deviations.map(({ clause }) => clause.slice(`${op.id}.reply.`.length).split(/[.[]/)[0] as string)

/** Takes what a record shows for true: after a deviation the world follows the target, so that one cause gives one finding. */
export const followRecord = (
  world: World,
  table: AnyTable,
  key: string,
  account: string | undefined,
  record: WireRecord,
): World => {
  const { stub: _, ...entity } = find(world, table, key) ?? { key, account }
  const fields = pick(record, table.fields)
  return put(world, table, { ...firmed(entity, Object.keys(fields)), ...fields })
}
