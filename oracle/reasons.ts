// The facts that a rule reads when it says that a call has to be refused: the reasons that a finding gives. Nothing is judged here.
import { allTables } from '../models/index.js'
import { factTables } from '../models/language/facts.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { AnyTable } from '../models/language/operation.js'
import { type AnyEntity, live, type TableState, type World } from '../models/language/world.js'
import type { Due } from './clauses.js'
import { readCall } from './facts.js'
import type { Fact } from './judgement.js'
import { factsOf, latest } from './provenance.js'
import { circumstances, type Step } from './step.js'

/** The fields that were read of entities. */
type Reads = Map<AnyEntity, Set<string>>

/** What the rule of a clause reads of the entities that it finds by their keys or counts; without such a rule, what the call names. */
export const reasonsFor = (step: Step, { clause, fields }: Due): readonly Fact[] => {
  const { world, op, call } = step
  const reads: Reads = new Map()
  const rule = op.refusals?.find(({ id }) => id === clause.id)
  rule?.when(readCall(watched(world, reads), op, call).facts)
  const facts = [...factTables, ...allTables()].flatMap((table: AnyTable) => {
    const told = new Set([...table.fields, ...(table.reasons ?? [])])
    return live(world, table).flatMap((entity) => {
      const read = reads.get(entity)
      return read
        ? factsOf(table, entity).filter(
            ({ field }) => field !== undefined && read.has(field) && told.has(field) && field !== 'id',
          )
        : []
    })
  })
  return rule ? latest(facts) : circumstances(step, fields)
}

/** The same world, which notes what is read of the entities that are found in it by their keys, or counted. */
const watched = (world: World, reads: Reads): World => {
  const counted = new WeakMap<object, () => void>()
  const watch = (entity: AnyEntity, into: Reads): AnyEntity =>
    new Proxy(entity, {
      get: (_, field) => {
        getOrInsert(into, entity, () => new Set()).add(String(field))
        return entity[field as string]
      },
    })
  const watchCounted = (entity: AnyEntity): AnyEntity => {
    const own: Reads = new Map()
    const proxy = watch(entity, own)
    counted.set(proxy, () => reads.set(entity, own.get(entity) ?? new Set()))
    return proxy
  }
  const watchAll = (all: TableState['live']): TableState['live'] =>
    new Proxy(all, {
      get: (_, name) => {
        if (name === 'get') return (key: string) => (all.has(key) ? watch(all.get(key) as AnyEntity, reads) : undefined)
        if (name === 'values') return () => [...all.values()].map(watchCounted).values()
        const member: unknown = Reflect.get(all, name)
        return typeof member === 'function' ? member.bind(all) : member
      },
    })
  const tables = [...world.tables].map(([name, state]) => [name, { ...state, live: watchAll(state.live) }] as const)
  return { ...world, tables: new Map(tables), onMatch: (entity) => counted.get(entity)?.() }
}
