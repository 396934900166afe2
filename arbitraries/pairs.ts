// Bodies in which any two members meet in any two of their states: given, left out, null, the least and the most; nothing is judged.
import type { Operation } from '../models/language/operation.js'
import type { Args, Body } from '../models/language/plan.js'
import { constraintsOf, keywords, type TObject, type TSchema } from '../models/language/schema.js'
import { absent, deviationsFrom, hasContainer, valueAt, withValueAt } from './deviations.js'

/** A member of a body with the values that it is given; the first is its present one. */
interface Factor {
  readonly path: readonly string[]
  readonly states: readonly State[]
}

type State = 'given' | 'absent' | 'null' | 'least' | 'most'

/** A pairwise covering array: rows of indexes below these counts in which every two columns hold every pair of indexes. Built greedily. */
export const pairwise = (counts: readonly number[]): readonly (readonly number[])[] => {
  const open = new Set(pairsOf(counts.map(below)))
  const rows: (readonly number[])[] = []
  for (const pair of open) {
    const row = rowWith(pair, counts, open)
    for (const held of pairsOf(row.map((at) => [at]))) open.delete(held)
    rows.push(row)
  }
  return rows
}

const below = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at)

/** An index in one column and an index in another, as a text that does not depend on which of them is named first. */
const pairOf = (i: number, a: number, j: number, b: number): string =>
  i < j ? `${i} ${a} ${j} ${b}` : `${j} ${b} ${i} ${a}`

/** Every index of every column beside every index of every later one. */
const pairsOf = (columns: readonly (readonly number[])[]): readonly string[] =>
  columns.flatMap((column, i) =>
    columns.slice(i + 1).flatMap((other, k) => column.flatMap((a) => other.map((b) => pairOf(i, a, i + 1 + k, b)))),
  )

/** A row that holds the pair, and in each other column the index by which it holds the most open pairs. */
const rowWith = (pair: string, counts: readonly number[], open: ReadonlySet<string>): readonly number[] => {
  const [i, a, j, b] = pair.split(' ').map(Number)
  const row = counts.map((_, k) => (k === i ? a : k === j ? b : undefined))
  const news = (k: number, at: number): number =>
    row.filter((beside, other) => beside !== undefined && other !== k && open.has(pairOf(k, at, other, beside))).length
  for (const [k, count] of counts.entries())
    row[k] ??= below(count).reduce((best, at) => (news(k, at) > news(k, best) ? at : best), 0)
  return row.map((at) => at ?? 0)
}

/** The members of a body, with nested ones and those of a first item, that can have another value. */
export const factorsOf = (op: Operation, body: unknown): readonly Factor[] =>
  op.body
    ? membersBelow(op.body, [])
        .filter(({ path }) => hasContainer(body, path) && valueAt(body, path) !== undefined)
        .map(({ path, schema, isRequired }) => ({ path, states: statesOf(schema, valueAt(body, path), isRequired) }))
        .filter(({ states }) => states.length > 1)
    : []

interface Member {
  readonly path: readonly string[]
  readonly schema: TSchema
  readonly isRequired: boolean
}

const membersBelow = (schema: TSchema, path: readonly string[]): readonly Member[] => {
  const { properties = {}, required = [] } = schema as Partial<TObject>
  return [
    ...Object.entries(properties).flatMap(([name, member]) => [
      { path: [...path, name], schema: member, isRequired: required.includes(name) },
      ...membersBelow(member, [...path, name]),
    ]),
    ...(schema.items ? membersBelow(schema.items as TSchema, [...path, '[]']) : []),
  ]
}

export const mayBeNull = ({ type, enum: values }: TSchema): boolean =>
  [type].flat().includes('null') || (values as readonly unknown[] | undefined)?.includes(null) === true

/** The values of a member, at most three to save calls. A name of the run is not cut, since the run knows its things by it. */
const statesOf = (schema: TSchema, value: unknown, isRequired: boolean): readonly State[] => [
  'given',
  ...(isRequired ? [] : (['absent'] as const)),
  ...(mayBeNull(schema) ? (['null'] as const) : []),
  ...(typeof value === 'number' && 'minimum' in schema ? (['least'] as const) : []),
  ...(isBounded(schema, value) && !mayBeNull(schema) ? (['most'] as const) : []),
]

const isBounded = (schema: TSchema, value: unknown): boolean =>
  (typeof value === 'string' || typeof value === 'number') && edges.some((edge) => edge in schema)

const edges = ['maxLength', 'maximum'] as const

/** The call with its members in these states; `n` makes texts distinct. */
export const inStates = (
  args: Args,
  op: Operation,
  factors: readonly Factor[],
  row: readonly number[],
  n: number,
): Args => {
  let { body } = args
  for (const [i, { path, states }] of factors.entries()) {
    const value = valueIn(op, path, states[row[i] ?? 0] ?? 'given', valueAt(body, path), n)
    if (hasContainer(body, path)) body = withValueAt(body, path, value) as Body
  }
  return { ...args, ...(body && { body }) }
}

const valueIn = (op: Operation, path: readonly string[], state: State, given: unknown, n: number): unknown => {
  if (state === 'absent') return absent
  if (state === 'null') return null
  if (state === 'given') return given
  const names: readonly string[] = state === 'least' ? ['minimum'] : edges
  const edge = constraintsOf(op.body as TObject).find(
    (one) =>
      one.path.join() === path.join() && names.includes(one.keyword) && keywords.some((word) => word === one.keyword),
  )
  return edge ? (deviationsFrom(edge, given, n).right[0] ?? given) : given
}
