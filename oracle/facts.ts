// From a wire call to typed facts: who calls, which resources the path names, what the values are; no rule is applied.

import { repeatedIn } from '../history/calls.js'
import type { WireCall } from '../history/wire.js'
import { accountOf, type Principal, principal } from '../models/language/access.js'
import { isObject, omit } from '../models/language/objects.js'
import type { AnyTable, Facts, Operation } from '../models/language/operation.js'
import { type Reference, referencesOf } from '../models/language/references.js'
import { agrees } from '../models/language/same.js'
import type { TObject, TSchema } from '../models/language/schema.js'
import { sureOf } from '../models/language/sure.js'
import {
  type AnyEntity,
  find,
  type Gone,
  gone,
  idIn,
  isClosed,
  isCountedAnew,
  isLatent,
  keyIn,
  live,
  type Path,
  type World,
} from '../models/language/world.js'

/** What a parameter of the path names: an entity, one that is gone, one that surely never was, one that may exist, or nothing well formed. */
export type Resolution =
  | { readonly kind: 'found'; readonly entity: AnyEntity }
  | { readonly kind: 'gone'; readonly gone: Gone }
  /** `foreign`: it is there, and surely another account's. */
  | { readonly kind: 'never'; readonly foreign?: boolean }
  | { readonly kind: 'unknown'; readonly entity: AnyEntity }
  | { readonly kind: 'malformed' }

/** A parameter of the path that names a resource, and what it names. */
export interface Named {
  readonly param: string
  readonly reference: Reference
  readonly resolution: Resolution
}

export interface Read {
  readonly facts: Facts
  readonly caller: Principal
  /** In the order of the path. */
  readonly named: readonly Named[]
  /** Every reference is found or may exist, so that rules may look at it. */
  readonly resolved: boolean
  /** Query parameters that are given several times; the facts leave them out. */
  readonly repeated: readonly string[]
}

const integerPattern = /^(?:0|-?[1-9]\d{0,15})$/

export const isMalformed = (reference: Operation['params'][string], value: string): boolean =>
  (reference === 'integer' || (typeof reference === 'object' && reference.type === 'integer')) &&
  !integerPattern.test(value)

/** The key of the entity that a parameter of a path names; undefined where the parameter is ill-formed. */
export const keyNamed = (
  world: World,
  account: string | undefined,
  reference: Reference,
  param: string,
  path: Path,
): string | undefined => {
  const id = reference.key ? reference.key(path, account) : (path[param] ?? '')
  return id === undefined ? undefined : keyIn(world, reference.table, id, account)
}

/** A name in the path of a call. */
interface Name {
  readonly world: World
  readonly account: string | undefined
  readonly reference: Reference
  readonly param: string
  readonly path: Path
}

const resolve = (name: Name): Resolution => {
  const { world, account, reference, param, path } = name
  if (isMalformed(reference, path[param] ?? '')) return { kind: 'malformed' }
  const key = keyNamed(world, account, reference, param, path)
  if (key === undefined) return { kind: 'malformed' }
  const entity = find(world, reference.table, key)
  return entity ? resolveKnown(name, entity) : resolveUnknown(name, key)
}

const resolveKnown = ({ account, reference, path }: Name, entity: AnyEntity): Resolution => {
  const within = reference.within ? reference.within(entity, path) : true
  const foreign = account !== undefined && entity.account !== undefined && entity.account !== account
  if (within === false || foreign) return { kind: 'never', foreign: foreign && within !== false }
  return entity.stub || within === undefined ? { kind: 'unknown', entity } : { kind: 'found', entity }
}

/** Resolves a key that no known entity has: it may exist all the same, unless the table is closed. */
const resolveUnknown = (name: Name, key: string): Resolution => {
  const { world, account, reference, path } = name
  const latent = latentNamed(name)
  if (latent) return { kind: 'unknown', entity: latent }
  const stub: Resolution = { kind: 'unknown', entity: { key, account, stub: true } }
  const isFree = latentsNamed(name).length === 0
  const buried = gone(world, reference.table, key)
  if (buried) return isFree ? { kind: 'gone', gone: buried } : stub
  const isOthers = key !== idIn(key) && !isCountedAnew(world, reference.table)
  const isWhole = isClosed(world, reference.table, account)
  return isOthers || (isFree && (isWhole || reference.whole?.(world, path)))
    ? { kind: 'never', foreign: key !== idIn(key) && isOthers && isWhole }
    : stub
}

/** An entity whose id the target has not told may have any id, even that of a deleted one. Names that the caller gave are known. */
const latentsNamed = ({ world, account, reference, path }: Omit<Name, 'param'>): readonly AnyEntity[] =>
  live(world, reference.table, account).filter(
    (other) =>
      isLatent(other.key) &&
      (reference.field === undefined || other[reference.field] === undefined) &&
      reference.within?.(other, path) !== false,
  )

/** Entities whose ids the target has not told, and which a path may name: they were made where the path looks. */
export const latentsMeant = (world: World, read: Read) =>
  read.named.flatMap(({ reference, resolution }) => {
    const { account, path } = read.facts
    const { table } = reference
    const known = 'entity' in resolution ? find(world, table, resolution.entity.key) : undefined
    if (!('entity' in resolution) || (known && !isOnlySeen(known))) return []
    return latentsNamed({ world, account, reference, path })
      .filter((latent) => !known || mayBeOne(table, known, latent))
      .map(({ key }) => ({ table, key }))
  })

/** Whether an entity is known from replies alone: neither the target file has it nor a call that made it. */
const isOnlySeen = ({ maker, since }: AnyEntity): boolean =>
  maker === undefined && Object.values(since ?? {}).every(({ step }) => step > 0)

/** Whether nothing that is known of two entities tells them apart. */
const mayBeOne = ({ fields }: AnyTable, one: AnyEntity, other: AnyEntity): boolean =>
  fields.every(
    (field) => one[field] === undefined || other[field] === undefined || agrees(one[field], other[field]) !== false,
  )

/** The entity that was made under that name, where the target has told no name of it, or another one. */
const latentNamed = ({
  world,
  account,
  reference: { table, field, within },
  param,
  path,
}: Name): AnyEntity | undefined =>
  field === undefined
    ? undefined
    : live(world, table, account).find(
        (entity) =>
          entity[field] === (path[param] ?? '') &&
          table.identify(entity, path, account) !== entity.key &&
          within?.(entity, path) !== false,
      )

/** Query values as the schema types them; a value that does not fit stays text. */
const typed = (
  schema: TObject | undefined,
  query: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const type = schema?.properties[name]?.type
      if (type === 'integer' && /^-?\d{1,15}$/.test(value)) return [name, Number(value)]
      if (type === 'boolean' && (value === 'true' || value === 'false')) return [name, value === 'true']
      return [name, value]
    }),
  )

const mayBeNull = ({ type, enum: values }: TSchema): boolean =>
  [type].flat().includes('null') || (values as readonly unknown[] | undefined)?.includes(null) === true

const hasNull = (value: unknown): boolean => {
  if (typeof value !== 'object') return false
  if (value === null) return true
  for (const name in value) if (hasNull((value as Readonly<Record<string, unknown>>)[name])) return true
  return false
}

/** A body without the members that are null where null is not foreseen, at any depth: they count as left out. */
const withoutNulls = (schema: TSchema | undefined, value: unknown): unknown => {
  if (!hasNull(value)) return value
  if (Array.isArray(value)) return value.map((item) => withoutNulls(schema?.items as TSchema | undefined, item))
  if (!isObject(value)) return value
  const members = (schema as Partial<TObject> | undefined)?.properties ?? {}
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const member = Object.hasOwn(members, name) ? members[name] : undefined
      return inner === null && !(member && mayBeNull(member)) ? [] : [[name, withoutNulls(member, inner)]]
    }),
  )
}

/** The resource whose record an accepted reply shows, where the operation says which; `made` is the key of what it made. */
export const subjectOf = (
  op: Operation,
  { named }: Read,
  made: string | undefined,
): { readonly table: AnyTable; readonly key: string } | undefined => {
  if (op.reply.kind !== 'record') return undefined
  const { table } = op.reply
  if (op.shows === 'made') return made === undefined ? undefined : { table, key: made }
  const resolution = named.find(({ param }) => param === op.shows)?.resolution
  return resolution && 'entity' in resolution ? { table, key: resolution.entity.key } : undefined
}

/** Reads a call. A body that is no object yields empty facts; validation says so separately. */
export const readCall = (world: World, op: Operation, call: WireCall): Read => {
  const caller = principal(world.environment, call.as)
  const account = caller.account?.name
  const named = referencesOf(op).map(
    ([param, reference]): Named => ({
      param,
      reference,
      resolution: resolve({ world, account, reference, param, path: call.path }),
    }),
  )
  const refs = Object.fromEntries(
    named.flatMap(({ param, resolution }) => ('entity' in resolution ? [[param, resolution.entity]] : [])),
  )
  const resolved = named.every(({ resolution }) => 'entity' in resolution)
  const body = isObject(call.body) ? withoutNulls(op.body, call.body) : {}
  const repeated = Object.keys(repeatedIn(call))
  const facts = {
    world,
    caller,
    account,
    path: call.path,
    query: typed(op.query, omit(call.query, repeated)),
    body,
    file: call.file && { name: call.file.name, field: call.file.field, bytes: call.file.bytes },
    refs,
  } as unknown as Facts
  return { facts, caller, named, resolved, repeated }
}

/** A call as rules, effects and statements see it, which rest on no value that replies contradict. */
export const readSurely = (op: Operation, call: WireCall, read: Read): Read => {
  const sure = sureOf(read.facts.world)
  return sure === read.facts.world ? read : readCall(sure, op, call)
}

/** A call on what belongs to another account, read as a call of that account; as it stands where that tells nothing. */
export const readAsOwner = (world: World, op: Operation, call: WireCall): Read => {
  const read = readCall(world, op, call)
  if (read.resolved || op.method === 'GET') return read
  const { accounts, tokens } = world.environment
  const others = accounts.filter(({ name }) => name !== read.caller.account?.name)
  for (const { name } of others) {
    const token = tokens.find((one) => accountOf(world.environment, one.name) === name)
    const theirs = token && readCall(world, op, { ...call, as: token.name })
    if (theirs?.named.every(({ resolution }) => resolution.kind === 'found')) return theirs
  }
  return read
}

/** What is read of a body; nothing where it is too ill-formed for that. */
export const wellFormed = <T>(read: () => readonly T[] | undefined): readonly T[] => {
  try {
    return read() ?? []
  } catch {
    return []
  }
}
