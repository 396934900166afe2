// Compares the records of an accepted reply with the world, learns what the target was free to choose, and checks lists.
import { isRestricted } from '../models/access.js'
import type { Ternary } from '../models/clause.js'
import type { Clause } from '../models/derive.js'
import type { AnyTable, Operation } from '../models/operation.js'
import { agrees } from '../models/same.js'
import {
  type AnyEntity,
  confirm,
  find,
  firmed,
  forget,
  gone,
  isClosed,
  live,
  loosen,
  put,
  rekey,
  type WireRecord,
  type World,
} from '../models/world.js'
import { clauseOf } from './due.js'
import type { Read } from './facts.js'
import { brief, type Deviation, deviation } from './judgement.js'
import { breachesOf } from './validate.js'

export interface Compared {
  readonly world: World
  readonly deviations: readonly Deviation[]
  readonly held: readonly string[]
}

export const isRecord = (value: unknown): value is WireRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const must = (op: Operation, slug: string): Clause => {
  const clause = clauseOf(op, slug)
  if (!clause) throw new Error(`suite defect: ${op.id} has no clause ${slug}`)
  return clause
}

/** Keywords of the record's schema that it breaks; one deviation a clause. */
const shapeOf = (
  op: Operation,
  table: AnyTable,
  record: unknown,
): { readonly deviations: readonly Deviation[]; readonly held: readonly string[] } => {
  if (!table.record) return { deviations: [], held: [] }
  const deviations = breachesOf(table.record, record).flatMap(({ place, keyword, pointer }) => {
    const clause = clauseOf(op, `reply.${place}.${keyword}`)
    return clause ? [deviation(clause, 'shape', clause.text, `${pointer || 'the record'} in ${brief(record)}`)] : []
  })
  return { deviations, held: deviations.length === 0 ? [`${op.id}.reply`] : [] }
}

const agreement = (table: AnyTable, entity: AnyEntity, field: string, known: unknown, seen: unknown): Ternary => {
  const same = (
    table.same as Record<string, (known: unknown, seen: unknown, entity: AnyEntity) => Ternary> | undefined
  )?.[field]
  return same && known !== null ? same(known, seen, entity) : agrees(known, seen)
}

/** Values that may stand in for one that is not known yet. */
const isPlausible = (value: unknown): boolean => value !== undefined

/** A sentence for each of the entity's values that a step of the run established. */
export const provenance = (
  table: { readonly name: string },
  entity: AnyEntity,
  fields?: readonly string[],
): readonly string[] =>
  Object.entries(entity.since ?? {})
    .filter(
      ([field, { step }]) =>
        step > 0 && (fields === undefined || fields.includes(field)) && entity[field] !== undefined,
    )
    .slice(0, 8)
    .map(
      ([field, { step, by }]) =>
        `${table.name} ${entity.key} has ${field} ${brief(entity[field])} since step ${step} (${by})`,
    )

/**
 * Blames a field that does not agree: the operation that should have changed it, where the value is the one before and no
 * other operation has shown the new one; otherwise the operation that shows it.
 */
const blame = (
  op: Operation,
  table: AnyTable,
  entity: AnyEntity,
  field: string,
  seen: unknown,
  lookup: (id: string) => Operation | undefined,
): Clause => {
  const mark = entity.since?.[field]
  const writer = mark && mark.by !== op.id ? effectOf(mark.by, table, field, lookup) : undefined
  const isLost =
    mark !== undefined &&
    !mark.confirmed &&
    mark.before !== undefined &&
    agreement(table, entity, field, mark.before, seen) === true
  return (isLost && writer) || must(op, `shows.${field}`)
}

/** The clause that has an operation change a field of a table: one of its own, or that the call takes effect at all. */
const effectOf = (
  by: string,
  table: AnyTable,
  field: string,
  lookup: (id: string) => Operation | undefined,
): Clause | undefined => {
  const op = lookup(by)
  const own = op?.effects?.find((effect) => effect.table === table && effect.field === field)
  return op && clauseOf(op, own ? own.id.slice(op.id.length + 1) : 'takes-effect')
}

/** Members that this reply need not show as believed. */
export const openMembers = (op: Operation, read: Read, entity: { readonly key: string }): readonly string[] =>
  Object.keys(op.shownAs?.(read.facts as never, entity) ?? {})

const without = (record: WireRecord, members: readonly string[]): WireRecord =>
  members.length === 0 ? record : Object.fromEntries(Object.entries(record).filter(([name]) => !members.includes(name)))

/** Compares a record with the entity of that key and learns from it. */
export const compareRecord = (
  world: World,
  op: Operation,
  table: AnyTable,
  key: string,
  record: WireRecord,
  lookup: (id: string) => Operation | undefined,
  open: readonly string[] = [],
): Compared => {
  const shape = shapeOf(op, table, record)
  const entity = find(world, table, key) as AnyEntity | undefined
  if (!entity) return { world, ...shape }
  // What follows from a field in doubt follows from what is shown of it.
  const derived = table.view?.(world, { ...entity, ...pick(record, entity.loose ?? []) } as never) ?? {}
  const now = { ...entity, ...pick(record, table.drifting ?? []) } as AnyEntity
  const deviations: Deviation[] = [...shape.deviations]
  const held: string[] = [...shape.held]
  const learned: Record<string, unknown> = {}
  const doubted: string[] = []
  const shown: string[] = []
  const brokenShape = new Set(breachedFields(shape.deviations, op))
  for (const field of [...table.fields, ...(table.derived ?? [])]) {
    const isDerived = field in derived
    const known = isDerived ? derived[field] : entity[field]
    const seen = record[field]
    if (seen === undefined || brokenShape.has(field) || open.includes(field)) continue
    if (known === undefined) {
      if (!isDerived && table.fields.includes(field as never) && isPlausible(seen)) learned[field] = seen
      continue
    }
    if (entity.loose?.includes(field)) {
      learned[field] = seen
      continue
    }
    if (table.drifting?.includes(field as never)) {
      if (!agrees(known, seen)) learned[field] = seen
      held.push(`${op.id}.shows.${field}`)
      continue
    }
    const same = agreement(table, now, field, known, seen)
    if (same === false) {
      const source = isDerived ? Object.keys(entity) : [field]
      deviations.push(
        deviation(
          blame(op, table, entity, field, seen, lookup),
          `${field}`,
          `${field} ${brief(known)}`,
          `${field} ${brief(seen)}`,
          provenance(table, entity, source),
        ),
      )
      // Which of the two replies was wrong is not known, so the next one is held against neither. A wrong id is not followed.
      if (!isDerived && field !== 'id') {
        learned[field] = seen
        doubted.push(field)
      }
    } else if (same === true) {
      held.push(`${op.id}.shows.${field}`)
      shown.push(field)
      const writer = entity.since?.[field]
      if (writer && writer.by !== op.id && !writer.confirmed)
        held.push(...shownEffects(writer.by, table, field, lookup))
    }
  }
  const confirmed = confirm(world, table, key, shown)
  const after = find(confirmed, table, key) as AnyEntity
  const { stub: _, ...known } = firmed(after, Object.keys(learned))
  const changed = Object.keys(learned).length > 0 || after.stub
  const next = changed ? put(confirmed, table, { ...known, ...learned } as never) : confirmed
  return { world: doubted.length > 0 ? loosen(next, table, key, doubted as never) : next, deviations, held }
}

/** Clauses of the operation that set a field, now that another one shows it. */
const shownEffects = (
  by: string,
  table: AnyTable,
  field: string,
  lookup: (id: string) => Operation | undefined,
): readonly string[] => {
  const op = lookup(by)
  const clauses = [op && clauseOf(op, 'takes-effect'), effectOf(by, table, field, lookup)]
  return [...new Set(clauses.flatMap((clause) => (clause ? [clause.id] : [])))]
}

const pick = (record: WireRecord, names: readonly string[]): WireRecord =>
  Object.fromEntries(names.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]))

const breachedFields = (deviations: readonly Deviation[], op: Operation): readonly string[] =>
  deviations.map(({ clause }) => clause.slice(`${op.id}.reply.`.length).split(/[.[]/)[0] as string)

/** Takes a record at its word: after a deviation the world follows the target, so that one cause gives one finding. */
export const believe = (
  world: World,
  table: AnyTable,
  key: string,
  account: string | undefined,
  record: WireRecord,
): World => {
  const { stub: _, ...entity } = (find(world, table, key) as AnyEntity | undefined) ?? { key, account }
  const fields = Object.fromEntries(
    table.fields.filter((field) => record[field] !== undefined).map((field) => [field, record[field]]),
  )
  return put(world, table, { ...firmed(entity, Object.keys(fields)), ...fields } as never)
}

/** Entities whose ids the target has not told, and which the record may be: where some surely belong to the list, one of them. */
const latentsFor = (
  world: World,
  op: Operation,
  table: AnyTable,
  read: Read,
  record: WireRecord,
): readonly AnyEntity[] => {
  const all = latentsLike(world, op, table, read, record)
  const sure = all.filter(({ key }) => membership(world, op, table, read, key) === true)
  return sure.length > 0 ? sure : all
}

const latentsLike = (
  world: World,
  op: Operation,
  table: AnyTable,
  read: Read,
  record: WireRecord,
): readonly AnyEntity[] =>
  (live(world, table, read.facts.account) as readonly AnyEntity[]).filter((entity) => {
    if (!entity.key.startsWith('?') || membership(world, op, table, read, entity.key) === false) return false
    const derived = table.view?.(world, entity as never) ?? {}
    const told = [...table.fields, ...Object.keys(derived)].flatMap((field) => {
      const known = field in derived ? derived[field] : entity[field]
      const isFree = table.drifting?.includes(field) || entity.loose?.includes(field)
      return known === undefined || record[field] === undefined || isFree
        ? []
        : [agreement(table, entity, field, known, record[field])]
    })
    // Among what others may have made, only a record that shows something of ours is taken for ours.
    const isOurs = told.includes(true) || op.lists !== undefined || isClosed(world, table, read.facts.account)
    return isOurs && !told.includes(false)
  })

/** Where a record may be any of several such entities, what tells them apart is known of none of them any more. */
const blurred = (world: World, table: AnyTable, latents: readonly AnyEntity[], record: WireRecord): World => {
  const [first, ...others] = latents
  const open = table.fields.filter(
    (field) => record[field] === undefined && others.some((other) => !agrees(first?.[field], other[field])),
  )
  return open.length === 0 ? world : latents.reduce((before, { key }) => forget(before, table, key, open), world)
}

interface Listing {
  readonly records: readonly unknown[]
  /** All there is, as far as the envelope tells. */
  readonly whole: boolean
}

const listingOf = (op: Operation, body: unknown): Listing | undefined => {
  if (Array.isArray(body)) return op.reply.kind === 'records' ? { records: body, whole: true } : undefined
  if (!isRecord(body) || !Array.isArray(body.data)) return undefined
  const pages = body.pages
  return {
    records: body.data,
    whole: (pages === undefined || pages === 0 || pages === 1) && (body.page === undefined || body.page === 1),
  }
}

/** Judges the reply of a list. */
export const compareList = (
  world: World,
  op: Operation,
  read: Read,
  body: unknown,
  lookup: (id: string) => Operation | undefined,
): Compared => {
  const { reply } = op
  if (reply.kind !== 'page' && reply.kind !== 'records') return { world, deviations: [], held: [] }
  const listing = listingOf(op, body)
  const deviations: Deviation[] = []
  const held: string[] = []
  if (reply.kind === 'page') {
    const broken = envelopeFault(body)
    if (broken)
      return {
        world,
        deviations: [deviation(must(op, 'envelope'), 'envelope', must(op, 'envelope').text, broken)],
        held,
      }
    held.push(`${op.id}.envelope`)
    const arithmetic = arithmeticOf(op, read, body as Envelope)
    deviations.push(...arithmetic.deviations)
    held.push(...arithmetic.held)
  }
  if (!listing || reply.table.nameless) return { world, deviations, held }
  const items = compareItems(world, op, reply.table, read, listing, lookup)
  return { world: items.world, deviations: [...deviations, ...items.deviations], held: [...held, ...items.held] }
}

interface Envelope {
  readonly data: readonly unknown[]
  readonly page: number
  readonly pages: number
  readonly results: number
}

const envelopeFault = (body: unknown): string | undefined => {
  if (!isRecord(body)) return brief(body)
  if (!Array.isArray(body.data)) return `data is ${brief(body.data)}`
  if (!body.data.every(isRecord)) return 'data holds something that is no object'
  const name = ['page', 'pages', 'results'].find((member) => !Number.isInteger(body[member]))
  return name && `${name} is ${brief(body[name])}`
}

/** What page, pages, results and the number of records say of each other. */
const arithmeticOf = (
  op: Operation,
  read: Read,
  { data, page, pages, results }: Envelope,
): { deviations: Deviation[]; held: string[] } => {
  const query = read.facts.query as { readonly page?: unknown; readonly page_size?: number }
  const isStandard = op.reply.kind === 'page' && op.reply.bounds === 'standard'
  const size = isStandard ? (query.page_size ?? 100) : undefined
  // Text is what a parameter stays that the document does not list for this operation: the target may heed it or not.
  const asked = typeof query.page === 'number' ? query.page : query.page === undefined ? 1 : page
  // Nothing is said of a page outside of those there are: another one may be answered in its place.
  const wanted = query.page !== undefined && (asked < 1 || asked > Math.max(1, pages)) ? page : asked
  const checks: [string, boolean, string, string][] = [['page', page === wanted, `page ${wanted}`, `page ${page}`]]
  if (size !== undefined) {
    const needed = Math.ceil(results / size)
    checks.push([
      'pages',
      pages === needed || (results === 0 && pages === 1),
      `pages ${needed} for ${results} results at ${size} a page`,
      `pages ${pages}`,
    ])
    const length = Math.max(0, Math.min(size, results - (wanted - 1) * size))
    checks.push([
      'page-size',
      data.length === length,
      `${length} records on page ${wanted} of ${results} results at ${size} a page`,
      `${data.length} records`,
    ])
  } else if (page === 1) {
    // The page size is not shown, but the first of several pages is a full one.
    const needed = results === 0 ? pages <= 1 : data.length > 0 && pages === Math.ceil(results / data.length)
    checks.push([
      'pages',
      needed,
      `as many pages as ${results} results need at ${data.length} a page`,
      `pages ${pages}`,
    ])
    checks.push(['page-size', data.length <= results, `at most ${results} records`, `${data.length} records`])
  } else checks.push(['page-size', data.length <= results, `at most ${results} records`, `${data.length} records`])
  return {
    deviations: checks
      .filter(([, holds]) => !holds)
      .map(([slug, , expected, received]) => deviation(must(op, slug), slug, expected, received)),
    held: [
      ...checks.filter(([, holds]) => holds).map(([slug]) => `${op.id}.${slug}`),
      ...(page === 1 && data.length === results && clauseOf(op, 'results') ? [`${op.id}.results`] : []),
    ],
  }
}

const compareItems = (
  before: World,
  op: Operation,
  table: AnyTable,
  read: Read,
  { records, whole }: Listing,
  lookup: (id: string) => Operation | undefined,
): Compared => {
  const { account } = read.facts
  const deviations: Deviation[] = []
  const held: string[] = []
  const keys = new Set<string>()
  let world = before
  let strangers = 0
  let unnamed = 0
  for (const record of records) {
    if (!isRecord(record)) continue
    const key = table.identify(record, read.facts.path, account)
    if (key === undefined) {
      strangers += 1
      unnamed += 1
      continue
    }
    if (keys.has(key))
      deviations.push(deviation(must(op, 'no-duplicates'), 'duplicate', `${table.name} ${key} once`, 'listed twice'))
    keys.add(key)
    const open = openMembers(op, read, find(world, table, key) ?? { key })
    if (!find(world, table, key)) {
      const met = meet(world, op, table, read, key, without(record, open))
      world = met.world
      deviations.push(...met.deviations)
      if (met.stranger) strangers += 1
    } else if (membership(world, op, table, read, key) === false)
      deviations.push(
        deviation(
          must(op, 'only-live'),
          'stranger',
          `no ${table.name} that does not belong in this list`,
          brief(record),
        ),
      )
    const compared = compareRecord(world, op, table, key, record, lookup, open)
    world = compared.world
    deviations.push(...compared.deviations)
    held.push(...compared.held)
  }
  if (unnamed === 0)
    for (const slug of ['no-duplicates', 'only-live'])
      if (deviations.every(({ clause }) => clause !== `${op.id}.${slug}`)) held.push(`${op.id}.${slug}`)
  if (whole && isRestricted(read.caller) === false) {
    const missing = expected(world, op, table, read).filter(({ key }) => !key.startsWith('?') && !keys.has(key))
    const first = missing[0]
    // A record that does not tell what it shows may be one that seems to be missing.
    if (first && missing.length > unnamed)
      deviations.push(
        deviation(
          must(op, 'complete'),
          'missing',
          `${table.name} ${missing.map(({ key }) => key).join(', ')} in the list`,
          `${keys.size} records without it`,
          provenance(table, first),
        ),
      )
    else if (unnamed === 0) held.push(`${op.id}.complete`)
  }
  return { world, deviations, held: [...new Set(held)] }
}

const membership = (world: World, op: Operation, table: AnyTable, read: Read, key: string): Ternary => {
  const entity = find(world, table, key) as AnyEntity
  const { account } = read.facts
  if (account !== undefined && entity.account !== undefined && entity.account !== account) return false
  return op.lists ? op.lists({ ...read.facts, world } as never, entity) : true
}

const expected = (world: World, op: Operation, table: AnyTable, read: Read): readonly AnyEntity[] =>
  (live(world, table, read.facts.account) as readonly AnyEntity[]).filter(
    (entity) =>
      !entity.stub &&
      entity.account !== undefined &&
      read.facts.account !== undefined &&
      membership(world, op, table, read, entity.key) === true,
  )

/** A listed record whose key is not known: one whose id was to come, one that was deleted, or a stranger. */
const meet = (world: World, op: Operation, table: AnyTable, read: Read, key: string, record: WireRecord) => {
  const { account } = read.facts
  const latents = latentsFor(world, op, table, read, record)
  const [latent] = latents
  if (latent)
    return {
      world: rekey(blurred(world, table, latents, record), table, latent.key, key, {}),
      deviations: [],
      stranger: false,
    }
  const buried = gone(world, table, key)
  if (buried) {
    const isTombstone = table.tombstone?.(record) === true
    const because = [`${table.name} ${key} was removed by step ${buried.step} (${buried.by})`]
    return {
      world,
      deviations: isTombstone
        ? []
        : [deviation(must(op, 'only-live'), 'deleted', `no ${table.name} ${key} in the list`, brief(record), because)],
      stranger: true,
    }
  }
  if (world.adopting) return { world: believe(world, table, key, account, record), deviations: [], stranger: false }
  const isUnexpected = isClosed(world, table, account) && op.lists === undefined && table.tombstone?.(record) !== true
  const isStrange = isUnexpected || (table.permanent === true && bearsOurName(world, table, record))
  return {
    world,
    deviations: isStrange
      ? [
          deviation(
            must(op, 'only-live'),
            'unknown',
            `only the ${table.name} that exist`,
            `${table.name} ${key}, which nothing created`,
          ),
        ]
      : [],
    stranger: true,
  }
}

/** Whether a value of the record is a name that this run has made up: then a refused call of ours has made it. */
const bearsOurName = ({ nonce }: World, table: AnyTable, record: WireRecord): boolean =>
  nonce !== '' &&
  table.fields.some((field) => {
    const value = record[field]
    return typeof value === 'string' && value.startsWith(`${nonce}-`) && /^[\w-]+$/.test(value)
  })
