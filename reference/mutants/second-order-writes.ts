// Mutants whose writes are wrong in what stands beside, came before or follows; no reply is.
import { makerOf, operations } from '../../models/index.js'
import { drop } from '../../models/language/changes.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { referencesOf, removedBy } from '../../models/language/references.js'
import { type AnyEntity, find, type WireRecord, type World } from '../../models/language/world.js'
import { type Alter, altering, type Change, changedFields, changesBetween, isChange, set, tableOf } from './altering.js'
import { type Mutant, mutant, otherThan } from './mutants.js'

export const wrongWritesOf = (op: Operation): readonly Mutant[] => [
  ...repetitions(op),
  ...restorations(op),
  ...clearings(op),
  ...spreads(op),
  ...revivals(op),
  ...halves(op),
  ...lapses(op),
  ...origins(op),
  ...parents(op),
  ...remnants(op),
]

/** The second time on the same resource, or every other time, nothing happens. */
const repetitions = (op: Operation): readonly Mutant[] => {
  if (!isChange(op)) return []
  const losing = (what: string, isLost: (count: number) => boolean): Mutant =>
    altering(op, 'loses its effect', what, () => {
      const counts = new Map<string, number>()
      return (after, changes, before, at) => {
        const [first] = changes
        if (at.id !== op.id || !first) return after
        const key = `${first.table.name} ${first.is.key}`
        const count = (counts.get(key) ?? 0) + 1
        counts.set(key, count)
        return isLost(count) ? before : after
      }
    })
  return [losing('the second time', (count) => count === 2), losing('from the third time on', (count) => count > 2)]
}

/** After another write on the same resource, this one puts back what that one had changed: a stale copy written back. */
const restorations = (op: Operation): readonly Mutant[] =>
  isChange(op)
    ? operations
        .filter((other) => isChange(other) && tableOf(other) !== undefined && tableOf(other) === tableOf(op))
        .map((other) => altering(op, 'puts back what was before', other.id, () => writeBack(op, other)))
    : []

/** Keeps copies of what the other operation changes, and writes them back with what this one does not change. */
const writeBack = (op: Operation, other: Operation): Alter => {
  const copies = new Map<string, WireRecord>()
  const keyOf = ({ table, is }: Change): string => `${table.name} ${is.key}`
  const keep = (change: Change): void => {
    const { was } = change
    if (was)
      copies.set(keyOf(change), Object.fromEntries(changedFields(change).map((field) => [field, was[field] ?? null])))
  }
  const putBack = (world: World, change: Change): World => {
    const own = changedFields(change)
    const copy = Object.entries(copies.get(keyOf(change)) ?? {})
    const isStale = ([field, value]: readonly [string, unknown]): boolean =>
      !own.includes(field) && JSON.stringify(value) !== JSON.stringify(change.is[field] ?? null)
    const stale = Object.fromEntries(copy.filter(isStale))
    copies.delete(keyOf(change))
    return Object.keys(stale).length > 0 ? set(world, change.table, change.is, stale) : world
  }
  return (after, changes, _, at) => {
    const world = at.id === op.id ? changes.reduce(putBack, after) : after
    if (at.id === other.id) changes.forEach(keep)
    return world
  }
}

const emptied = (value: unknown): unknown =>
  Array.isArray(value) ? [] : typeof value === 'boolean' ? false : typeof value === 'object' ? undefined : null

/** Clears a member that the call does not change. */
const clearings = (op: Operation): readonly Mutant[] => {
  const table = tableOf(op)
  if (!isChange(op) || !table) return []
  const own = new Set(['id', 'created', 'updated', ...(table.drifting ?? [])])
  return table.fields
    .filter((field) => !own.has(field))
    .map((field) =>
      altering(op, 'clears', field, () => (after, changes, _, at) => {
        const change = changes.find((one) => one.table.name === table.name)
        if (at.id !== op.id || !change || changedFields(change).includes(field)) return after
        const value = emptied(change.is[field])
        return change.is[field] === undefined ||
          value === undefined ||
          JSON.stringify(value) === JSON.stringify(change.is[field])
          ? after
          : set(after, table, change.is, { [field]: value })
      }),
    )
}

type Which = 'the oldest other' | 'the newest other' | "another account's"

const sibling = (world: World, { table, is }: Change, which: Which): AnyEntity | undefined => {
  const all = [...(world.tables.get(table.name)?.live.values() ?? [])].filter(({ key }) => key !== is.key)
  if (which === "another account's") return all.findLast(({ account }) => account !== is.account)
  const own = all.filter(({ account }) => account === is.account)
  return which === 'the oldest other' ? own[0] : own.at(-1)
}

/** Changes or removes one beside the one that the call names. */
const spreads = (op: Operation): readonly Mutant[] => {
  const table = tableOf(op)
  if (op.method === 'GET' || !op.apply || !table || (op.makes && !op.removes)) return []
  const whiches: readonly Which[] = ['the oldest other', 'the newest other', "another account's"]
  return whiches.map((which) =>
    altering(op, 'reaches', which, () => (after, changes, before, at) => {
      if (at.id !== op.id) return after
      return op.removes === undefined
        ? changeSibling(after, table, changes, which)
        : removeSibling(after, table, before, which)
    }),
  )
}

const removeSibling = (after: World, table: AnyTable, before: World, which: Which): World => {
  const gone = [...(before.tables.get(table.name)?.live.values() ?? [])].find(
    ({ key }) => !after.tables.get(table.name)?.live.has(key),
  )
  const other = gone && sibling(after, { table, was: gone, is: gone }, which)
  return other ? drop(after, table, other.key) : after
}

/** Gives a sibling what the call has changed, but for names and times. */
const changeSibling = (after: World, table: AnyTable, changes: readonly Change[], which: Which): World => {
  const change = changes.find((one) => one.table.name === table.name)
  const other = change && sibling(after, change, which)
  if (!change || !other) return after
  const { is } = change
  const copied = changedFields(change)
    .filter((field) => !['id', 'updated', 'label', 'name'].includes(field))
    .filter((field) => JSON.stringify(other[field]) !== JSON.stringify(is[field]))
  return copied.length > 0
    ? set(after, table, other, Object.fromEntries(copied.map((field) => [field, is[field]])))
    : after
}

/** What is made takes up what a deleted one of its name had. */
const revivals = (op: Operation): readonly Mutant[] => {
  const table = op.makes
  if (!table || makerOf(table) !== op) return []
  return [
    altering(op, 'takes up what was deleted', '', () => (after, changes, before, at) => {
      const change = changes.find((one) => one.table.name === table.name && !one.was)
      if (at.id !== op.id || !change) return after
      const names = table.fields.filter((field) => typeof change.is[field] === 'string')
      const gone = before.tables
        .get(table.name)
        ?.gone.findLast(({ entity }) =>
          names.some((field) => entity[field] === change.is[field] && `${entity[field]}`.length > 5),
        )
      if (!gone) return after
      const old = Object.entries(gone.entity).filter(
        ([field, value]) =>
          !['id', 'key', 'account', 'since', 'created', 'updated', 'maker', 'loose'].includes(field) &&
          JSON.stringify(value) !== JSON.stringify(change.is[field]),
      )
      return old.length > 0 ? set(after, table, change.is, Object.fromEntries(old)) : after
    }),
  ]
}

/** A refused call does the first half of its work. */
const halves = (op: Operation): readonly Mutant[] =>
  isChange(op)
    ? [
        mutant(op, 'does half though refused', '', (activate) => ({
          leaks: (at) => at.id === op.id,
          world: (after, before, at, accepted) => {
            if (at.id !== op.id || accepted !== false) return after
            const [change] = changesBetween(before, after)
            const [field] = change ? changedFields(change) : []
            if (!change?.was || field === undefined) return before
            activate()
            return set(before, change.table, change.was, { [field]: change.is[field] })
          },
        })),
      ]
    : []

const isWrite = (op: Operation): boolean => op.method !== 'GET' && op.apply !== undefined

/** Of what is made or removed, every third is not. */
const lapses = (op: Operation): readonly Mutant[] =>
  isWrite(op) && !isChange(op) && op.guarded === undefined
    ? [
        altering(op, 'loses its effect', 'every third time', () => {
          let count = 0
          return (after, _, before, at) => {
            if (at.id !== op.id || after === before) return after
            count += 1
            return count % 3 === 0 ? before : after
          }
        }),
      ]
    : []

/** Puts back what the resource was made with, but for what this call changes. */
const origins = (op: Operation): readonly Mutant[] =>
  isChange(op)
    ? [
        altering(op, 'puts back what it was made with', '', () => {
          const first = new Map<string, AnyEntity>()
          return (after, changes, _, at) => {
            for (const { table, was, is } of changes) if (!was) first.set(`${table.name} ${is.key}`, is)
            return at.id === op.id
              ? changes.reduce((world, change) => putBackFirst(world, change, first), after)
              : after
          }
        }),
      ]
    : []

const putBackFirst = (world: World, change: Change, first: ReadonlyMap<string, AnyEntity>): World => {
  const { table, is } = change
  const made = first.get(`${table.name} ${is.key}`)
  const own = changedFields(change)
  const old = table.fields.filter(
    (field) =>
      made?.[field] !== undefined &&
      !['id', 'created', 'updated', ...own].includes(field) &&
      !(table.drifting ?? []).includes(field) &&
      JSON.stringify(made[field]) !== JSON.stringify(is[field]),
  )
  return old.length > 0 ? set(world, table, is, Object.fromEntries(old.map((field) => [field, made?.[field]]))) : world
}

/** Changes a member of what it makes or removes a part of. */
const parents = (op: Operation): readonly Mutant[] =>
  (isWrite(op) && (op.makes || op.removes) ? referencesOf(op) : [])
    .filter(([param]) => param !== op.removes)
    .flatMap(([param, { table }]) =>
      table.fields
        .filter((field) => !['id', 'created', 'updated', ...(table.drifting ?? [])].includes(field))
        .map((field) =>
          altering(op, 'changes of what it names', field, () => (after, _, before, at, read) => {
            const key = read.named.find((one) => one.param === param)?.resolution
            const is = key?.kind === 'found' ? find(after, table, key.entity.key) : undefined
            if (at.id !== op.id || after === before || is?.[field] === undefined || is[field] === null) return after
            return set(after, table, is, { [field]: otherThan(is[field]) })
          }),
        ),
    )

/** Leaves as it was whatever it changes beside the kind that it is about, such as what hangs on what it removes. */
const remnants = (op: Operation): readonly Mutant[] => {
  const own = removedBy(op)?.table ?? op.makes ?? tableOf(op)
  if (!isWrite(op) || !own) return []
  return [
    altering(op, 'leaves the rest as it was', '', () => (after, _, before, at) => {
      const others = [...after.tables].filter(
        ([name, state]) => name !== own.name && state.live !== before.tables.get(name)?.live,
      )
      if (at.id !== op.id || others.length === 0) return after
      const old = others.flatMap(([name]) => {
        const state = before.tables.get(name)
        return state ? [[name, state] as const] : []
      })
      return { ...after, tables: new Map([...after.tables, ...old]) }
    }),
  ]
}
