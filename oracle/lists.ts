// Judges the reply of a list: its records against what exists; the arithmetic of its pages stands in page.ts.

import isEqual from 'fast-deep-equal'
import { tagsOf } from '../arbitraries/serial.js'
import { isRestricted } from '../models/language/access.js'
import { forget, rekey, remaining, rename } from '../models/language/changes.js'
import type { Ternary } from '../models/language/clause.js'
import { grouped } from '../models/language/grouped.js'
import { isObject, omit } from '../models/language/objects.js'
import { type AnyTable, isListed, type Operation } from '../models/language/operation.js'
import { agrees } from '../models/language/same.js'
import {
  type AnyEntity,
  find,
  gone,
  isClosed,
  isLatent,
  keyIn,
  live,
  type WireRecord,
  type World,
} from '../models/language/world.js'
import { surelyClauseOf } from './clauses.js'
import { traceOf } from './explanations/explanation.js'
import { mayRemain, remains } from './explanations/remains.js'
import type { Read } from './facts.js'
import { brief, type Deviation, deviation } from './judgement.js'
import { blanksIn, type Listing, listingOf } from './listing.js'
import { judgePage } from './page.js'
import { provenance, removalOf } from './provenance.js'
import { agreement, type Compared, compareRecord, followRecord, openMembers, shapeOf, sound } from './reply.js'
import { strangerIn } from './strangers.js'

/**
 * Entities whose ids the target has not told and that the record may show. If some agree with it in everything that is known of
 * them, only those count, as where what was deleted under its id does; if some of these surely belong to the list, only those do.
 */
const latentsFor = (reading: Reading, record: WireRecord, buried: AnyEntity | undefined): readonly AnyEntity[] => {
  const { world, op, table, read } = reading
  // Where others may have made things, or the list has more than was made, a record counts as ours only if it shows something of ours.
  const isBeside = standsBeside(reading, record)
  const isOurs =
    !isBeside && (buried !== undefined || op.lists !== undefined || isClosed(world, table, read.facts.account))
  const like = reading.unnumbered.flatMap((key) => {
    const entity = find(world, table, key)
    return entity && membership(reading, key) !== false ? latentLike(reading, entity, record, isOurs) : []
  })
  // An id may be given again, so that by itself it does not tell the old from the new.
  const isOld = buried !== undefined && isSurely(reading, buried, omit(record, ['id']))
  const sure = like.filter(({ isSure }) => isSure)
  const all = (isOld || sure.length > 0 ? sure : like).map(({ entity }) => entity)
  return preferring(all, ({ key }) => membership(reading, key) === true)
}

/** The items for which the predicate holds; all of them if it holds for none. */
const preferring = <T>(all: readonly T[], holds: (one: T) => boolean): readonly T[] => {
  const some = all.filter(holds)
  return some.length > 0 ? some : all
}

interface Latent {
  readonly entity: AnyEntity
  /** Whether something is known of it and the record agrees with all of that. */
  readonly isSure: boolean
}

/** Whether a record agrees with all that is known of an entity, which is something. */
export const isSurely = (place: Place, entity: AnyEntity, record: WireRecord): boolean =>
  latentLike(place, entity, record, true).some(({ isSure }) => isSure)

const latentLike = (
  { world, op, table }: Place,
  entity: AnyEntity,
  record: WireRecord,
  isOurs: boolean,
): readonly Latent[] => {
  const derived = table.view?.(world, entity) ?? {}
  const told = [...table.fields, ...Object.keys(derived)].flatMap((field) => {
    const known = field in derived ? derived[field] : entity[field]
    const isFree = table.drifting?.includes(field) || entity.loose?.includes(field)
    return known === undefined || record[field] === undefined || isFree
      ? []
      : [agreement(world, table, entity, field, known, record[field], op)]
  })
  return (isOurs || told.includes(true) || sharesName(world, table, entity, record)) && !told.includes(false)
    ? [{ entity, isSure: told.includes(true) && !told.includes(undefined) }]
    : []
}

/** Keys of entities whose ids the target has not told. */
const unnumberedIn = (world: World, table: AnyTable): readonly string[] =>
  [...(world.tables.get(table.name)?.live.keys() ?? [])].filter((key) => isLatent(key))

/** If a record may be any of several such entities, the values in which they differ become unknown for all of them. */
const blurred = ({ world, table }: Reading, latents: readonly AnyEntity[], record: WireRecord): World => {
  const [first, ...others] = latents
  const open = table.fields.filter(
    (field) => record[field] === undefined && others.some((other) => !agrees(first?.[field], other[field])),
  )
  return open.length === 0 ? world : latents.reduce((before, { key }) => forget(before, table, key, open), world)
}

/** Judges the reply of a list. */
export const compareList = (world: World, op: Operation, read: Read, body: unknown): Compared => {
  const { reply } = op
  if (!isListed(reply)) return { world, deviations: [], held: [] }
  const listing = listingOf(op, body, read.facts.query)
  const page = reply.kind === 'page' ? judgePage(op, read, body) : { deviations: [], held: [], isPage: true }
  const { deviations, held, isPage } = page
  if (!isPage || !listing || reply.table.nameless) return { world, deviations, held }
  const items = compareItems(world, op, reply.table, read, listing)
  return { ...items, deviations: [...deviations, ...items.deviations], held: [...held, ...items.held] }
}

/** What shows records, and of what. */
interface Place {
  readonly op: Operation
  readonly table: AnyTable
  readonly world: World
}

/** A list while its records are compared one after another. */
interface Reading extends Place {
  readonly read: Read
  /** Keys of what the target had not told the ids of. */
  readonly unnumbered: readonly string[]
  world: World
  readonly deviations: Deviation[]
  readonly held: Set<string>
  /** Keys of the records so far. */
  readonly keys: Set<string>
  readonly records: readonly WireRecord[]
  /** Records that do not tell which entity they show. */
  readonly unnamed: WireRecord[]
  /** Whether some records may show deleted entities. */
  hasRemnants: boolean
}

const compareItems = (
  world: World,
  op: Operation,
  table: AnyTable,
  read: Read,
  { records, whole }: Listing,
): Compared => {
  const found = { deviations: [], held: new Set<string>(), keys: new Set<string>(), unnamed: [], hasRemnants: false }
  const all = { records: records.filter(isObject), unnumbered: unnumberedIn(world, table) }
  const reading: Reading = { op, table, read, world, ...all, ...found }
  for (const record of eachOnce(reading, all.records)) readItem(reading, record)
  noteOrder(reading)
  // Where pages may be counted from 0, page 1 need not be the first.
  const isFirst = (op.reply.kind === 'page' && op.reply.bounds === 'standard') || !('page' in read.facts.query)
  if (whole && isFirst && isRestricted(read.caller) === false) judgeCompleteness(reading)
  const { deviations, held, hasRemnants } = reading
  return {
    world: reading.world,
    deviations,
    held: [...held],
    ...(hasRemnants && { assumed: [traceOf(remains, op.id)] }),
  }
}

/** Of several different records of one entity, the one that is as believed, or else the first; if they are equal, all of them. */
const eachOnce = (reading: Reading, records: readonly WireRecord[]) => {
  const { op, table, world } = reading
  const { apart } = op
  if (apart === undefined) return records
  const byKey = grouped(records, (record) => keyOfItem(reading, record))
  const silent = [...byKey].flatMap(([key, alike]) => {
    const speaker = speakerOf(alike, apart, find(world, table, key))
    return speaker ? alike.filter((record) => record !== speaker) : []
  })
  return records.filter((record) => !silent.includes(record))
}

/** Of several records of one entity, the one that counts; undefined where each counts for itself. */
const speakerOf = (
  alike: readonly WireRecord[],
  apart: string,
  believed: AnyEntity | undefined,
): WireRecord | undefined => {
  const parts = alike.map((one) => one[apart])
  // Records of parts that they do not tell may be of different ones.
  const isTwice = !parts.includes(undefined) && new Set(parts).size < parts.length
  if (alike.length < 2 || isTwice) return undefined
  return alike.find((one) => isEqual(one[apart], believed?.[apart])) ?? alike[0]
}

/** Takes in one record of a list. */
const readItem = (reading: Reading, record: WireRecord): void => {
  const { op, table, read, keys, deviations, held } = reading
  const key = keyOfItem(reading, record)
  if (key === undefined) {
    reading.unnamed.push(record)
    deviations.push(...shapeOf(op, table, undefined, record).deviations)
    return
  }
  if (keys.has(key))
    deviations.push(
      deviation(surelyClauseOf(op, 'no-duplicates'), 'duplicate', `${table.name} ${key} once`, 'listed twice'),
    )
  keys.add(key)
  const open = openMembers(op, read, find(reading.world, table, key) ?? { key })
  if (!find(reading.world, table, key)) {
    meet(reading, key, omit(record, open))
  } else if (membership(reading, key) === false) {
    const [kind, wanted] = isForeign(reading, key)
      ? ['foreign', `no ${table.name} of another account`]
      : ['stranger', `no ${table.name} that do not belong in this list`]
    deviations.push(deviation(surelyClauseOf(op, 'only-live'), kind, wanted, brief(record)))
  }
  const compared = compareRecord(reading.world, { op, table, key, record, open })
  reading.world = compared.world
  deviations.push(...compared.deviations)
  for (const id of compared.held) held.add(id)
}

/** The key of the entity that a listed record shows; undefined where the record does not tell. */
const keyOfItem = ({ world, table, read }: Reading, record: WireRecord): string | undefined => {
  const { account, path } = read.facts
  if (table.isNamed?.(world, record) === false) return undefined
  const id = table.identify(record, path, account)
  if (id === undefined) return undefined
  const own = keyIn(world, table, id, account)
  return own !== id && isTheirs(world, table, id, record) ? id : own
}

/** If every record tells which entity it shows, the list is evidence that it holds none twice and none too many. */
const noteOrder = ({ op, unnamed, deviations, held }: Reading): void => {
  if (unnamed.length > 0) return
  for (const slug of ['no-duplicates', 'only-live'])
    if (deviations.every(({ clause }) => clause !== `${op.id}.${slug}`)) held.add(`${op.id}.${slug}`)
}

const judgeCompleteness = (reading: Reading): void => {
  const { op, table, keys, unnamed, deviations, held } = reading
  const missing = expected(reading).filter(({ key }) => !isLatent(key) && !keys.has(key))
  const [first] = missing
  // A record that does not tell which entity it shows may be the one that seems to be missing.
  if (first && missing.length > unnamed.length - blanksIn(reading)) {
    const wanted = `${table.name} ${missing.map(({ key }) => key).join(', ')} in the list`
    const facts = provenance(table, first)
    const lacking = deviation(
      surelyClauseOf(op, 'complete'),
      'missing',
      wanted,
      `${keys.size} records without it`,
      facts,
    )
    deviations.push({ ...lacking, missing: missing.map(({ key }) => key) })
  } else if (unnamed.length === 0) held.add(`${op.id}.complete`)
}

/** Whether a known entity belongs in the list. */
const membership = (reading: Reading, key: string): Ternary => {
  if (isForeign(reading, key)) return false
  const { world, op, table, read } = reading
  const entity = find(world, table, key) as AnyEntity
  return op.lists ? op.lists({ ...read.facts, world }, entity) : true
}

/** Whether a listed entity is known to belong to another account than the caller's. */
const isForeign = ({ world, table, read }: Reading, key: string): boolean => {
  const owner = find(world, table, key)?.account
  return owner !== undefined && read.facts.account !== undefined && owner !== read.facts.account
}

/** What the list has to hold. */
const expected = (reading: Reading): readonly AnyEntity[] => {
  const { world, table, read } = reading
  const { account } = read.facts
  if (account === undefined) return []
  return live(world, table, account).filter(
    (entity) => !entity.stub && entity.account !== undefined && membership(reading, entity.key) === true,
  )
}

/** The world in which the record shows the first of them. */
const bound = (reading: Reading, latents: readonly AnyEntity[], record: WireRecord, key: string): World => {
  const [{ key: from } = { key }, ...others] = latents
  const after = rekey(blurred(reading, latents, record), reading.table, from, key, {})
  return others.length > 0 ? after : rename(after, from, key)
}

/** Takes in a listed record whose key is not known: one whose id was to come, one that was deleted, or a stranger. */
const meet = (reading: Reading, key: string, record: WireRecord): void => {
  const { world, op, table, read, deviations } = reading
  const { account } = read.facts
  const buried = gone(world, table, key)
  // A record that says it is deleted is not the entity made since under the same name.
  const isLeft = buried !== undefined && table.tombstone?.(record) === true
  const latents = isLeft ? [] : latentsFor(reading, record, buried?.entity)
  if (latents.length > 0) {
    reading.world = bound(reading, latents, record, key)
    return
  }
  const isRemnant = mayRemain(world, table, record)
  if (buried && isRemnant) reading.hasRemnants = true
  else if (buried) {
    const because = [removalOf(table, key, buried)]
    const wanted = `no ${table.name} ${key} in the list`
    deviations.push(deviation(surelyClauseOf(op, 'only-live'), 'deleted', wanted, brief(record), because))
    reading.world = remaining(world, table, buried)
  } else if (world.adopting) {
    // What breaks the schema is told when the record is compared.
    reading.world = followRecord(world, table, key, account, sound(op, table, undefined, record))
  } else meetStranger(reading, key, record, isRemnant)
}

/** Whether the record may stand in the list though no call made it. */
const standsBeside = ({ world, table, read: { facts } }: Reading, record: WireRecord): boolean =>
  table.besides?.(world, record, facts.path, facts.account) === true

/** A record of what nothing is known to have made. */
const meetStranger = (reading: Reading, key: string, record: WireRecord, isRemnant: boolean): void => {
  const { world, op, table, read, deviations } = reading
  const mayBeUnexpected = isClosed(world, table, read.facts.account) && op.lists === undefined
  const isOurs =
    table.permanent === true && !world.unfollowed?.has(table.name) && namesIn(world, table, record).length > 0
  const isOdd = (mayBeUnexpected && !isRemnant) || isOurs
  if (isOdd && !standsBeside(reading, record)) {
    deviations.push(strangerIn(reading, key, record))
  } else if (mayBeUnexpected) reading.hasRemnants = true
}

/** Fields of the record whose value is a name that this run made up, or begins with one: a call of the run, be it refused, has made it. */
const namesIn = (world: World, table: AnyTable, record: WireRecord): readonly string[] =>
  world.nonce === ''
    ? []
    : table.fields.filter((field) => {
        const value = record[field]
        if (typeof value !== 'string' || value.startsWith(tagsOf(world.nonce))) return false
        const { name, text } = partsOf(value)
        // A text that begins with the name of an entity may be about that entity.
        return name?.startsWith(`${world.nonce}-`) === true && (text === undefined || !isBorne(world, name))
      })

/** A text that begins with a name, in two. */
const partsOf = (value: string): { readonly name?: string | undefined; readonly text?: string | undefined } => {
  const [, name, text] = /^([\w-]+)(: .*)?$/s.exec(value) ?? []
  return { name, text }
}

/** Whether a record bears a name that this run gave the entity, be the text that it begins cut. */
const sharesName = (world: World, table: AnyTable, entity: AnyEntity, record: WireRecord): boolean =>
  namesIn(world, table, record).some((field) => {
    const known = entity[field]
    return typeof known === 'string' && partsOf(known).name === partsOf(String(record[field])).name
  })

/** Whether a known entity has this name. */
const isBorne = ({ tables }: World, name: string): boolean =>
  [...tables.values()].some(({ live, gone }) =>
    [...live.values(), ...gone.map(({ entity }) => entity)].some((entity) => Object.values(entity).includes(name)),
  )

/** Whether the record shows the entity that is known by that id, of whatever account: it has the name that this run gave that entity. */
const isTheirs = (world: World, table: AnyTable, id: string, record: WireRecord): boolean => {
  const known = find(world, table, id)
  return known !== undefined && namesIn(world, table, record).some((field) => known[field] === record[field])
}
