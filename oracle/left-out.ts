// A member that a view has shown of one resource is shown of others that have one. Members that no view ever shows do not matter here.

import { loosen, put } from '../models/language/changes.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable } from '../models/language/operation.js'
import { type AnyEntity, find, type Table, type WireRecord } from '../models/language/world.js'
import { surelyClauseOf } from './clauses.js'
import { brief, type Deviation, deviation } from './judgement.js'
import { provenance } from './provenance.js'
import type { Compared, Shown } from './reply.js'

/** Model only: the members that a view has shown with a value so far. */
interface Showing {
  readonly members: readonly string[]
}

const showings: Table<Showing> = {
  name: 'shown-members',
  fields: [],
  identify: () => undefined,
  change: { lasting: [], outside: [], renewable: false },
  closable: false,
}

/** Whether a value is more than nothing. A record may show nothing by leaving the member out. */
const isSomething = (value: unknown): boolean =>
  isObject(value) || Array.isArray(value)
    ? Object.values(value).some(isSomething)
    : value !== undefined && value !== null && value !== '' && value !== false

/** Members in doubt, and those that follow from one in doubt. */
const loose = ({ loose: fields = [] }: AnyEntity, { derived = {} }: AnyTable): readonly string[] => [
  ...fields,
  ...Object.keys(derived).filter((name) => derived[name]?.some((field) => fields.includes(field))),
]

/** Adds to what a comparison found the members that the record of a view leaves out, and remembers those that it has. */
export const judgeLeftOut = (compared: Compared, { op, table, key, record, open }: Shown): Compared => {
  // Where the document shows the record, its table says which members it has.
  if (op.method !== 'GET' || table.record) return compared
  const showing = `${op.id} ${table.sort?.(key) ?? ''}`
  const { members = [] } = find(compared.world, showings, showing) ?? {}
  const names = [...new Set([...table.fields, ...Object.keys(table.derived ?? {})])]
  const fresh = names.filter((name) => isSomething(record[name]) && !members.includes(name))
  const world =
    fresh.length === 0
      ? compared.world
      : put(compared.world, showings, { key: showing, account: undefined, members: [...members, ...fresh] })
  const entity = find(world, table, key)
  if (!entity) return { ...compared, world }
  const had = { ...entity, ...table.view?.(world, entity) } as WireRecord
  const free = [...open, ...loose(entity, table), ...(table.drifting ?? []), 'id']
  const missing = members.filter((name) => record[name] === undefined && isSomething(had[name]) && !free.includes(name))
  if (missing.length === 0) return { ...compared, world }
  const deviations = missing.map((name): Deviation => {
    const wanted = `${name} ${brief(had[name])}`
    const seen = `no ${name}, which this shows of others`
    const why = provenance(table, entity, [name])
    // The document does not show this record. That it has the same members for all resources is an inference.
    return { ...deviation(surelyClauseOf(op, `shows.${name}`), 'left-out', wanted, seen, why), level: 'should' }
  })
  return {
    ...compared,
    world: loosen(world, table, key, missing),
    deviations: [...compared.deviations, ...deviations],
  }
}
