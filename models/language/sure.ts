// What is sure of a world: all but the values that replies contradict, on which nothing is to rest; no rule of any resource.

import { memoised } from './memoised.js'
import { omit } from './objects.js'
import type { AnyEntity, TableState, World } from './world.js'

/** The fields of which two replies have told different values: it is unknown which of them was wrong. */
export const disputedIn = ({ loose = [], since = {} }: AnyEntity): readonly string[] =>
  loose.filter((field) => since[field]?.disputed === true)

const sureEntity = (entity: AnyEntity): AnyEntity => omit(entity, disputedIn(entity)) as AnyEntity

const sureState = memoised((state: TableState): TableState => {
  if (![...state.live.values()].some((entity) => disputedIn(entity).length > 0)) return state
  return { ...state, live: new Map([...state.live].map(([key, entity]) => [key, sureEntity(entity)] as const)) }
})

const sureTables = memoised((tables: World['tables']): World['tables'] => {
  const sure = new Map([...tables].map(([name, state]) => [name, sureState(state)] as const))
  return [...sure].every(([name, state]) => tables.get(name) === state) ? tables : sure
})

/** The world as rules see it; the same one where nothing is in doubt. */
export const sureOf = (world: World): World => {
  const tables = sureTables(world.tables)
  return tables === world.tables ? world : { ...world, tables }
}
