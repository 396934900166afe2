// The registry: the one explicit list of operations, and questions about it.
import { type Clause, clausesOf } from './derive.js'
import { ipv6PoolOperations } from './ipv6-pools.js'
import { ipv6RangeOperations } from './ipv6-ranges.js'
import type { AnyTable, Operation } from './operation.js'
import { tagOperations } from './tags.js'
import { vlanOperations } from './vlans.js'
import { volumeOperations } from './volumes.js'

/** Version of the interface that the operations describe. */
export const interfaceVersion = '4.175.0'

export const operations: readonly Operation[] = [
  ...volumeOperations,
  ...ipv6PoolOperations,
  ...ipv6RangeOperations,
  ...vlanOperations,
  ...tagOperations,
]

const byId = new Map(operations.map((op) => [op.id, op]))

export const operationById = (id: string): Operation | undefined => byId.get(id)

export const allClauses = (): readonly Clause[] => operations.flatMap(clausesOf)

/** Every table that an operation shows, makes or names. */
export const allTables = (): readonly AnyTable[] => tables

const tables: readonly AnyTable[] = [
  ...new Set(
    operations.flatMap((op) => [
      ...('table' in op.reply ? [op.reply.table] : []),
      ...(op.makes ? [op.makes] : []),
      ...Object.values(op.params).flatMap((reference) => (typeof reference === 'object' ? [reference.table] : [])),
    ]),
  ),
]

/** The operation that makes entities of a table, and those that show one, list all and remove one. */
export const makerOf = (table: AnyTable): Operation | undefined => operations.find((op) => op.makes === table)
export const viewerOf = (table: AnyTable): Operation | undefined =>
  operations.find(
    (op) => op.method === 'GET' && op.reply.kind === 'record' && op.reply.table === table && op.shows !== undefined,
  )
export const listerOf = (table: AnyTable): Operation | undefined => {
  const listers = operations.filter(
    (op) => (op.reply.kind === 'page' || op.reply.kind === 'records') && op.reply.table === table,
  )
  return listers.find((op) => op.lists === undefined) ?? listers[0]
}
export const removerOf = (table: AnyTable): Operation | undefined =>
  operations.find((op) => {
    const reference = op.removes === undefined ? undefined : op.params[op.removes]
    return typeof reference === 'object' && reference.table === table
  })
