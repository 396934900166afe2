// What the values of a call name: the kind of resource whose key stands there, where the path or the schema tells it; which exist is no question of it.

import { isObject } from './objects.js'
import type { Operation } from './operation.js'
import { referencesOf } from './references.js'
import type { TSchema } from './schema.js'

/** Puts a value in the place of a text or number; `table` is the name of the table whose key stands there, undefined where that is not told. */
type InPlace = (value: string | number, table: string | undefined) => unknown

interface Values {
  readonly path: Readonly<Record<string, string>>
  readonly body?: unknown
}

type Naming = Pick<Operation, 'params' | 'body'>

/** The values of a path, each with another in its place. */
export const pathWith = (
  { params }: Naming,
  path: Values['path'],
  inPlace: InPlace,
): Readonly<Record<string, string>> => {
  const tables = new Map(referencesOf({ params }).map(([param, { table }]) => [param, table.name]))
  return Object.fromEntries(
    Object.entries(path).map(([param, value]) => [param, String(inPlace(value, tables.get(param)))]),
  )
}

/** A value with another in the place of each text and number in it. */
export const valueWith = (schema: TSchema | undefined, value: unknown, inPlace: InPlace): unknown => {
  if (typeof value === 'string' || typeof value === 'number') return inPlace(value, schema?.ref)
  if (Array.isArray(value)) return value.map((item) => valueWith(schema?.items, item, inPlace))
  if (!isObject(value)) return value
  const memberOf = (name: string): TSchema | undefined => schema?.properties?.[name]
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, valueWith(memberOf(name), item, inPlace)]),
  )
}

/** Whether a call names what bears an id in a table. A text of which no kind is told may hold the id, unless that is a number. */
export const isNamedIn = (op: Naming, { path, body }: Values, table: string, id: string): boolean => {
  let isFound = false
  const isWhole = /^\d+$/.test(id)
  const look: InPlace = (value, kind) => {
    const text = String(value)
    isFound ||=
      (kind === undefined || kind === table) && (text === id || (!isWhole && kind === undefined && text.includes(id)))
    return value
  }
  pathWith(op, path, look)
  valueWith(op.body, body, look)
  return isFound
}
