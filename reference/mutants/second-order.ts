// Broken targets of the second order, derived from the registry: right when used once and alone, wrong in what follows from it.
import { allTables, makerOf, operations } from '../../models/index.js'
import { drop, put } from '../../models/language/changes.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { lastTableOf } from '../../models/language/references.js'
import type { AnyEntity, TableState, WireRecord, World } from '../../models/language/world.js'
import { type Make, type Mutant, mutant } from './mutants.js'

/** Every mutant of the second order of an operation. */
export const secondOrderOf = (op: Operation): readonly Mutant[] => [
  ...repetitions(op),
  ...restorations(op),
  ...clearings(op),
  ...spreads(op),
  ...miscounts(op),
  ...revivals(op),
  ...laterPages(op),
  ...loudness(op),
  ...halves(op),
]

interface Change {
  readonly table: AnyTable
  readonly was: AnyEntity | undefined
  readonly is: AnyEntity
}

/** Tables by name, each with every field that is remembered under that name. */
const tablesByName = new Map<string, AnyTable>()
for (const table of allTables()) {
  const fields = [...(tablesByName.get(table.name)?.fields ?? []), ...table.fields]
  tablesByName.set(table.name, { ...table, fields: [...new Set(fields)] })
}

/** What a call has made or changed. */
const changesBetween = (before: World, after: World): readonly Change[] =>
  [...after.tables].flatMap(([name, { live }]) => {
    const table = tablesByName.get(name)
    const old = before.tables.get(name)?.live
    if (!table || old === live) return []
    return [...live.values()].flatMap((is) => {
      const was = old?.get(is.key)
      return was === is ? [] : [{ table, was, is }]
    })
  })

const changedFields = ({ table, was, is }: Change): readonly string[] =>
  table.fields.filter((field) => JSON.stringify(was?.[field]) !== JSON.stringify(is[field]))

const set = (world: World, table: AnyTable, entity: AnyEntity, fields: WireRecord): World =>
  put(world, table, { ...entity, ...fields })

type Alter = (after: World, changes: readonly Change[], before: World, at: Operation) => World

/** An accepted change, altered. */
const altering = (op: Operation, kind: string, what: string, change: () => Alter): Mutant => {
  const make: Make = (activate) => {
    const alter = change()
    return {
      world: (after, before, at) => {
        const altered = alter(after, changesBetween(before, after), before, at)
        if (altered !== after) activate()
        return altered
      },
    }
  }
  return mutant(op, kind, what, make)
}

const isChange = (op: Operation): boolean =>
  op.method !== 'GET' && op.apply !== undefined && op.makes === undefined && op.removes === undefined

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

const tableOf = (op: Operation): AnyTable | undefined => tablesByName.get(lastTableOf(op)?.name ?? '')

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

type Live = TableState['live']

/** What a rule that counts wrongly takes for there, in place of what is there. */
const miscounted: Readonly<Record<string, (state: TableState, account: string | undefined) => Live>> = {
  'with what is deleted': ({ live, gone }) =>
    new Map([...gone.map(({ entity }) => [entity.key, entity] as const), ...live]),
  'with what is of other accounts': ({ live }, account) =>
    new Map([...live].map(([key, entity]) => [key, { ...entity, account }])),
  'but for the newest': ({ live }) => new Map([...live].slice(0, -1)),
}

const withLive = (world: World, change: (state: TableState) => Live): World => ({
  ...world,
  tables: new Map([...world.tables].map(([name, state]) => [name, { ...state, live: change(state) }])),
})

/** Rules that ask what there is beyond what the call names; the others have nothing to count. */
const counting =
  /\.(?:eight-per-node|eight-below-16|one-per-gigabyte|sixty-four|one-private|public-left|one-range|one-per-region|one-per-node|shared-swap|own-target|unique-label|label-unique|live-migration|one-active|one-nodebalancer)$/

/** Asks a rule of a world that is not the one it is about. */
const miscounts = (op: Operation): readonly Mutant[] =>
  (op.refusals ?? [])
    .filter(({ id }) => counting.test(id))
    .flatMap((rule) =>
      Object.entries(miscounted).map(([what, other]) => {
        const make: Make = (activate) => {
          const when: typeof rule.when = (facts) => {
            const right = rule.when(facts)
            try {
              const world = withLive(facts.world, (state) => other(state, facts.account))
              const wrong = rule.when({ ...facts, world })
              if ((wrong === true) !== (right === true)) activate()
              return wrong
            } catch {
              return right
            }
          }
          const refusals = (op.refusals ?? []).map((one) => (one === rule ? { ...one, when } : one))
          return { operation: (at) => (at.id === op.id ? { ...op, refusals } : at) }
        }
        return mutant(op, 'counts', `${what} for ${rule.id}`, make)
      }),
    )

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

interface Page {
  readonly data: readonly unknown[]
  readonly page: number
}

/** Right on the first page, wrong on those that follow. */
const laterPages = (op: Operation): readonly Mutant[] => {
  if (op.reply.kind !== 'page') return []
  const edit = (what: string, change: (body: Page, last: unknown) => object): Mutant =>
    mutant(op, 'later pages', what, (activate) => {
      let last: unknown
      return {
        body: (body, at) => {
          const page = body as Page
          if (at.id !== op.id || !Array.isArray(page?.data)) return body
          if (page.page === 1) last = page.data.at(-1)
          if (page.page < 2 || last === undefined || page.data.length === 0) return body
          activate()
          return change(page, last)
        },
      }
    })
  return [
    edit('begin with the last record of the first', (body, last) => ({ ...body, data: [last, ...body.data.slice(1)] })),
    edit('lack their first record', (body) => ({ ...body, data: body.data.slice(1) })),
    edit('show other values', (body) => ({
      ...body,
      data: body.data.map((one) => ({ ...(one as object), label: 'x', summary: 'x', name: 'x' })),
    })),
  ]
}

/** Events that should not come. */
const loudness = (op: Operation): readonly Mutant[] =>
  (op.emits ?? []).flatMap(({ event, when, alone }) => {
    const emitting = (kind: string, isWrong: (accepted: boolean, isDue: boolean) => boolean): Mutant =>
      mutant(op, kind, event, (activate) => ({
        events: (events, at, accepted) => {
          if (at.id !== op.id || !isWrong(accepted, events.includes(event))) return events
          activate()
          return [...events, event]
        },
      }))
    return [
      emitting('emits twice', (accepted, isDue) => accepted && isDue),
      emitting('emits though refused', (accepted) => !accepted),
      ...(when && alone === undefined
        ? [emitting('emits though nothing changes', (accepted, isDue) => accepted && !isDue)]
        : []),
    ]
  })

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
