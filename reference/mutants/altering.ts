// What a mutant of the second order alters: what a call has made or changed; no mutant.
import { allTables } from '../../models/index.js'
import { put } from '../../models/language/changes.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { lastTableOf } from '../../models/language/references.js'
import type { AnyEntity, WireRecord, World } from '../../models/language/world.js'
import type { Read } from '../../oracle/facts.js'
import { type Make, type Mutant, mutant } from './mutants.js'

export interface Change {
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
export const changesBetween = (before: World, after: World): readonly Change[] =>
  [...after.tables].flatMap(([name, { live }]) => {
    const table = tablesByName.get(name)
    const old = before.tables.get(name)?.live
    if (!table || old === live) return []
    return [...live.values()].flatMap((is) => {
      const was = old?.get(is.key)
      return was === is ? [] : [{ table, was, is }]
    })
  })

export const changedFields = ({ table, was, is }: Change): readonly string[] =>
  table.fields.filter((field) => JSON.stringify(was?.[field]) !== JSON.stringify(is[field]))

export const set = (world: World, table: AnyTable, entity: AnyEntity, fields: WireRecord): World =>
  put(world, table, { ...entity, ...fields })

export type Alter = (after: World, changes: readonly Change[], before: World, at: Operation, read: Read) => World

/** An accepted change, altered. */
export const altering = (op: Operation, kind: string, what: string, change: () => Alter): Mutant => {
  const make: Make = (activate) => {
    const alter = change()
    return {
      world: (after, before, at, _, read) => {
        const altered = alter(after, changesBetween(before, after), before, at, read)
        if (altered !== after) activate()
        return altered
      },
    }
  }
  return mutant(op, kind, what, make)
}

export const isChange = (op: Operation): boolean =>
  op.method !== 'GET' && op.apply !== undefined && op.makes === undefined && op.removes === undefined

export const tableOf = (op: Operation): AnyTable | undefined => tablesByName.get(lastTableOf(op)?.name ?? '')
