// How a world changes: entities stored, changed, put in doubt, removed and named by their ids; no rule of any resource.

import { withEntry, withoutEntry } from './entries.js'
import { omit } from './objects.js'
import {
  type AnyEntity,
  type Entity,
  entityIn,
  type Gone,
  type Mark,
  stateOf,
  type Table,
  type WireRecord,
  type World,
  withState,
} from './world.js'

/** So many that what a removal without effect left is known for a whole run. */
const rememberedDeletions = 1000

/** Stores an entity, in place of the one with its key, and notes the step for every field that is new. */
export const put = <F>(world: World, table: Table<F>, entity: Entity<F>): World => {
  const { live: before, gone } = stateOf(world, table)
  const old = before.get(entity.key) as Readonly<Record<string, unknown>> | undefined
  const next = entity as unknown as Readonly<Record<string, unknown>>
  const since: Record<string, Mark> = { ...entity.since }
  const changed = Object.keys(next).filter(
    (field) => !bookkeeping.has(field) && (old === undefined || old[field] !== next[field]),
  )
  for (const field of changed) {
    const before = isTrailing(entity, field) ? undefined : old?.[field]
    since[field] = { step: world.step, by: world.operation, before, confirmed: false }
  }
  const after = withEntry(before, entity.key, { ...firmed(entity, changed), since } as unknown as AnyEntity)
  return withState(world, table, { live: after, gone })
}

/** Members of an entity that are no fields of its table. */
export const bookkeeping: ReadonlySet<string> = new Set(['key', 'account', 'since', 'stub', 'maker', 'loose', 'filled'])

/** The entity with these fields no longer in doubt. */
export const firmed = <F>(entity: Entity<F>, fields: readonly string[]): Entity<F> => {
  if (!entity.loose) return entity
  const { loose, ...rest } = entity
  const left = loose.filter((field) => !fields.includes(field))
  return (left.length > 0 ? { ...rest, loose: left } : rest) as unknown as Entity<F>
}

/** Changes fields of an entity; nothing when it is not there. */
export const patch = <F>(world: World, table: Table<F>, key: string | number, fields: Readonly<Partial<F>>): World => {
  const entity = entityIn(world, table, key)
  return entity ? put(world, table, { ...firmed(entity, Object.keys(fields)), ...fields }) : world
}

/** Puts fields in doubt that a call may have changed: they keep their value until a read shows another one. */
export const loosen = <F>(
  world: World,
  table: Table<F>,
  key: string | number,
  fields: readonly (keyof F & string)[],
): World => {
  const entity = entityIn(world, table, key)
  const known = fields.filter((field) => entity?.[field] !== undefined)
  if (!entity || known.length === 0) return world
  return put(world, table, { ...entity, loose: [...new Set([...(entity.loose ?? []), ...known])] })
}

/** Puts fields in doubt that the latest call has shown otherwise than was known. */
export const dispute = <F>(
  world: World,
  table: Table<F>,
  key: string | number,
  fields: readonly (keyof F & string)[],
): World => {
  const loose = loosen(world, table, key, fields)
  const entity = entityIn(loose, table, key)
  if (!entity) return loose
  const marks = fields.flatMap((field) => {
    const mark = entity.since?.[field]
    return mark ? [[field, { ...mark, disputed: true as const }] as const] : []
  })
  return put(loose, table, { ...entity, since: { ...entity.since, ...Object.fromEntries(marks) } })
}

/** Puts everything known about an entity in doubt, whichever of its tables shows it: it may be unchanged, changed, or gone. */
export const doubt = <F>(world: World, table: Table<F>, key: string): World => {
  const entity = entityIn(world, table, key)
  if (!entity) return world
  const known = Object.keys(entity).filter((name) => !bookkeeping.has(name))
  return put(world, table, { ...entity, stub: true, loose: [...new Set([...table.fields, ...known])] })
}

/** Makes fields of an entity unknown. */
export const forget = <F>(
  world: World,
  table: Table<F>,
  key: string | number,
  fields: readonly (keyof F & string)[],
): World => {
  const entity = entityIn(world, table, key)
  return entity ? put(world, table, omit(entity as WireRecord, fields) as unknown as Entity<F>) : world
}

/** Forgets an entity: it may exist, and it may be gone. */
export const lose = <F>(world: World, table: Table<F>, key: string | number): World => {
  const { live: before, gone } = stateOf(world, table)
  const after = withoutEntry(before, String(key))
  return after === before ? world : withState(world, table, { live: after, gone })
}

/** Forgets that entities were removed: new ones with their keys may have been made. */
export const unbury = <F>(world: World, table: Table<F>, isMeant: (entity: Entity<F>) => boolean): World => {
  const { live: before, gone: buried } = stateOf(world, table)
  const left = buried.filter(({ entity }) => !isMeant(entity as unknown as Entity<F>))
  return left.length === buried.length ? world : withState(world, table, { live: before, gone: left })
}

/** Removes an entity and remembers that it is gone. */
export const drop = <F>(world: World, table: Table<F>, key: string | number): World => {
  const { live: before, gone: buried } = stateOf(world, table)
  const entity = before.get(String(key))
  if (!entity) return world
  const after = withoutEntry(before, String(key))
  const kept = buried.length < rememberedDeletions ? buried : buried.slice(1)
  return withState(world, table, { live: after, gone: [...kept, { entity, step: world.step, by: world.operation }] })
}

/** The world in which what the present call removed was removed against a clause. */
export const removedAgainst = (world: World, clause: string): World => ({
  ...world,
  tables: new Map(
    [...world.tables].map(([name, state]) => {
      const isNow = ({ step }: Gone): boolean => step === world.step
      if (!state.gone.some(isNow)) return [name, state]
      return [name, { ...state, gone: state.gone.map((one) => (isNow(one) ? { ...one, against: clause } : one)) }]
    }),
  ),
})

/** Notes that what was removed has been shown since: it may be there still, and so may what went with it. */
export const remaining = (world: World, table: { readonly name: string }, { entity, step, by }: Gone): World => {
  const tables = [...world.tables].map(([name, state]) => {
    const isAtOnce = (one: Gone): boolean => one.step === step && one.by === by
    if (!state.gone.some(isAtOnce)) return [name, state] as const
    const isIt = (one: Gone): boolean => name === table.name && one.entity.key === entity.key
    const besides = state.gone.filter((one) => isAtOnce(one) && !isIt(one) && !state.live.has(one.entity.key))
    const live = new Map([
      ...state.live,
      ...besides.map((one) => [one.entity.key, { ...one.entity, stub: true as const }] as const),
    ])
    const gone = state.gone
      .filter((one) => !besides.includes(one))
      .map((one) => (isAtOnce(one) && isIt(one) ? { ...one, remains: true as const } : one))
    return [name, { live, gone }] as const
  })
  return { ...world, tables: new Map(tables) }
}

/** Gives an entity the id that the target has now told. */
export const rekey = <F>(
  world: World,
  table: Table<F>,
  from: string,
  to: string,
  fields: Readonly<Partial<F>>,
): World => {
  const { live: before, gone } = stateOf(world, table)
  const entity = before.get(from)
  if (!entity) return world
  const entries = [...before].map(([key, value]) =>
    key === from ? ([to, { ...value, ...fields, key: to } as unknown as AnyEntity] as const) : ([key, value] as const),
  )
  return withState(world, table, { live: new Map(entries), gone })
}

/** Lets whatever names an entity by the key that it had until the target told its id name it by that id, in all tables. */
export const rename = (world: World, from: string, to: string): World => {
  const renamed = (entity: AnyEntity): AnyEntity =>
    Object.values(entity).includes(from)
      ? (Object.fromEntries(
          Object.entries(entity).map(([name, value]) => [name, value === from ? to : value]),
        ) as AnyEntity)
      : entity
  const tables = [...world.tables].map(([name, { live: before, gone }]) => {
    const isNamed = [...before.values(), ...gone.map(({ entity }) => entity)].some((one) => renamed(one) !== one)
    const after = new Map([...before].map(([key, entity]) => [key, renamed(entity)]))
    return [
      name,
      isNamed
        ? { live: after, gone: gone.map((one) => ({ ...one, entity: renamed(one.entity) })) }
        : { live: before, gone },
    ] as const
  })
  return { ...world, tables: new Map(tables) }
}

/** Notes that another operation has shown these fields than the one that set them. */
export const confirm = <F>(world: World, table: Table<F>, key: string, fields: readonly string[]): World => {
  const entity = entityIn(world, table, key)
  const fresh = fields.filter((field) => {
    const mark = entity?.since?.[field]
    return mark !== undefined && !mark.confirmed && mark.by !== world.operation
  })
  if (!entity || fresh.length === 0) return world
  const since = {
    ...entity.since,
    ...Object.fromEntries(fresh.map((field) => [field, { ...(entity.since?.[field] as Mark), confirmed: true }])),
  }
  return put(world, table, { ...entity, since })
}

/**
 * Notes that the reply of the operation that set these fields showed them as they were before. That may be the first to tell what
 * they were.
 */
export const trail = <F>(
  world: World,
  table: Table<F>,
  key: string,
  shown: Readonly<Record<string, unknown>>,
): World => {
  const entity = entityIn(world, table, key)
  const fields = Object.entries(shown)
  if (!entity || fields.length === 0) return world
  const marks = fields.map(([field, value]) => {
    const mark = entity.since?.[field] as Mark
    return [field, { ...mark, before: mark.before ?? value, trailed: true as const }]
  })
  return put(world, table, { ...entity, since: { ...entity.since, ...Object.fromEntries(marks) } })
}

/** Whether a field may still have the value before, since nothing has shown the new one yet. */
export const isTrailing = ({ since }: Pick<Entity<unknown>, 'since'>, field: string): boolean =>
  since?.[field]?.trailed === true && since[field].confirmed === false
