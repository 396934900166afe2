// Makes unknown what a lost call may have changed once it is not followed any more; nothing is judged here.
import isEqual from 'fast-deep-equal'
import { lose } from '../models/language/changes.js'
import type { Operation } from '../models/language/operation.js'
import { type AnyEntity, type Gone, isLatent, type TableState, type World } from '../models/language/world.js'
import type { Read } from './facts.js'

/** The world of which everything holds in both worlds, such as with and without the effect of a call. */
export const eitherWay = (world: World, landed: World): World => {
  const changed = [...landed.tables].filter(([name, state]) => world.tables.get(name) !== state)
  const merged = changed.map(([name, after]) => {
    const before: TableState = world.tables.get(name) ?? { live: new Map(), gone: [] }
    return { name, before, after, state: merge(before, after) }
  })
  // Entities without a key cannot be kept, so there may be more than is known.
  const isOnlyIn = ({ live }: TableState, { live: other }: TableState) =>
    [...live.keys()].some((key) => !other.has(key))
  const hasMade = merged.filter(({ before, after }) => isOnlyIn(after, before) || hasLatentOnlyIn(before, after))
  const opened = new Set(hasMade.map(({ name }) => name))
  return {
    ...world,
    tables: new Map([...world.tables, ...merged.map(({ name, state }) => [name, state] as const)]),
    closed: new Set([...world.closed].filter((place) => !opened.has(place.slice(place.indexOf('/') + 1)))),
    unfollowed: new Set([...(world.unfollowed ?? []), ...opened]),
  }
}

/** The world in which everything that a call names and makes is unknown. */
export const unknowing = (world: World, { makes }: Operation, { named }: Read): World => {
  const lost = named.reduce(
    (before, { reference, resolution }) =>
      resolution.kind === 'found' ? lose(before, reference.table, resolution.entity.key) : before,
    world,
  )
  const isOpened = (place: string): boolean => place.slice(place.indexOf('/') + 1) === makes?.name
  return { ...lost, closed: new Set([...lost.closed].filter((place) => !isOpened(place))) }
}

const merge = (before: TableState, after: TableState): TableState => ({
  live: new Map(
    [...new Set([...before.live.keys(), ...after.live.keys()])].flatMap((key) => {
      const [one, other] = [before.live.get(key), after.live.get(key)]
      const entity = isLatent(key) && !(one && other) ? undefined : either(one, other)
      return entity ? [[key, entity] as const] : []
    }),
  ),
  // An entity that has no key yet may be given that of a deleted one.
  gone: hasLatentOnlyIn(after, before) || hasLatentOnlyIn(before, after) ? [] : goneBothWays(before.gone, after.gone),
})

const hasLatentOnlyIn = ({ live }: TableState, { live: other }: TableState): boolean =>
  [...live.keys()].some((key) => isLatent(key) && !other.has(key))

const goneBothWays = (one: readonly Gone[], other: readonly Gone[]): readonly Gone[] => {
  if (one === other) return one
  const byKey = new Map(other.map((each) => [each.entity.key, each]))
  return one.flatMap((each) => {
    const alike = byKey.get(each.entity.key)
    return alike ? [alike.remains ? { ...each, remains: true } : each] : []
  })
}

/** Entities of both worlds with the values in which they agree. It is unknown whether an entity exists that only one world has. */
const either = (one: AnyEntity | undefined, other: AnyEntity | undefined): AnyEntity | undefined => {
  if (!one || !other) return one || other ? ({ ...(one ?? other), stub: true } as AnyEntity) : undefined
  if (one === other) return one
  const names = Object.keys(one).filter((name) => name !== 'since' && isEqual(one[name], other[name]))
  const marks = names.flatMap((name) => (one.since?.[name] ? [[name, one.since[name]] as const] : []))
  const loose = [...new Set([...(one.loose ?? []), ...(other.loose ?? [])])]
  const agreed = Object.fromEntries(names.map((name) => [name, one[name]])) as AnyEntity
  return {
    ...agreed,
    since: Object.fromEntries(marks),
    // An entity that is uncertain in one of the worlds is uncertain.
    ...((one.stub || other.stub) && { stub: true }),
    ...(loose.length > 0 && { loose }),
  }
}
