// Which clauses a run is about, and so which suites: globs over areas, operations and clauses, and shards; nothing else.
import type { Clause } from '../models/derive.js'
import { allClauses } from '../models/index.js'
import type { Filters } from './options.js'

const globs = new Map<string, RegExp>()

const matcher = (glob: string): RegExp => {
  const known = globs.get(glob)
  if (known) return known
  const made = new RegExp(
    `^${glob
      .split('*')
      .map((part) => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  )
  globs.set(glob, made)
  return made
}

const matches = (patterns: readonly string[], text: string): boolean =>
  patterns.length === 0 || patterns.some((glob) => matcher(glob).test(text))

/** A number that depends on the text alone (FNV-1a), so that a clause is always in the same shard. */
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (const character of text) value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return value
}

export const isSelected = ({ areas, operations, clauses, shard: [index, count] }: Filters, clause: Clause): boolean =>
  matches(areas, clause.area) &&
  matches(operations, clause.operation) &&
  matches(clauses, clause.id) &&
  hash(clause.id) % count === index - 1

/** Whether an operation is among those that a run is about. */
export const isOperationSelected = (
  { areas, operations }: Filters,
  op: { readonly id: string; readonly area: string },
): boolean => matches(areas, op.area) && matches(operations, op.id)

/** Suites that are about no single resource. */
const crossing = ['journeys', 'node-deletion', 'pagination', 'races', 'random']

/** Names of the suites that have something to do: those of resources with a clause that a run is about, and those across resources. */
export const suitesFor = (filters: Filters): readonly string[] => [
  ...new Set([
    ...allClauses()
      .filter((clause) => isSelected(filters, clause))
      .map(({ operation }) => operation.slice(0, operation.lastIndexOf('.'))),
    ...crossing,
  ]),
]
