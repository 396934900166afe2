// Which clauses a run is about, and so which suites: globs over areas, operations and clauses, and shards.

import { actsOnLent, allClauses } from '../models/index.js'
import { type Clause, slugOf } from '../models/language/derive.js'
import { matchesGlob } from '../models/language/glob.js'
import { hashOf } from '../models/language/hash.js'
import type { Filters } from './options.js'

const matches = (patterns: readonly string[], text: string): boolean =>
  patterns.length === 0 || patterns.some((glob) => matchesGlob(glob, text))

/** What acts on lent things is the first shard's, so that no two change them at a time. A clause of the rest is always in the same one. */
const shardOf = (operation: string, id: string, count: number): number => {
  if (count === 1 || actsOnLent(operation)) return 1
  return 2 + (hashOf(id) % (count - 1))
}

export const isSelected = (
  filters: Filters,
  { area, operation, id }: Pick<Clause, 'area' | 'operation' | 'id'>,
): boolean => {
  const [index, count] = filters.shard
  return (
    matches(filters.areas, area) &&
    matches(filters.operations, operation) &&
    matches(filters.clauses, id) &&
    shardOf(operation, id, count) === index
  )
}

/** Whether a clause is judged in passing, wherever its operation is called, and has no program of its own. */
export const isPassive = (clause: Clause): boolean =>
  ['shape', 'shows', 'choice', 'emits'].includes(clause.kind) ||
  (clause.kind === 'general' && slugOf(clause) !== 'accepts')

/** Whether the program of a clause shows what is judged in passing: a call without a token any refusal, a plain use all else. */
export const showsToo = (clause: Clause, passive: Clause): boolean =>
  passive.operation === clause.operation &&
  isPassive(passive) &&
  (slugOf(passive).startsWith('refusal.') ? clause.kind === 'token' : slugOf(clause) === 'accepts')

/** Whether a program is a run's: for its clause, or for one that it shows in passing. */
export const isProgramSelected = (filters: Filters, clause: Clause): boolean =>
  isSelected(filters, clause) ||
  (filters.clauses.length > 0 && allClauses().some((one) => showsToo(clause, one) && isSelected(filters, one)))

/** Whether an operation is among those that a run is about; the shards that have the rest share it. */
export const isOperationSelected = (
  filters: Filters,
  { id, area }: { readonly id: string; readonly area: string },
): boolean => {
  const [index, count] = filters.shard
  return (
    matches(filters.areas, area) && matches(filters.operations, id) && (count === 1 || actsOnLent(id) === (index === 1))
  )
}

/** Whether programs may act on what the target file lends. */
export const isLentTo = ({ shard: [index] }: Filters): boolean => index === 1

/** Whether a program across resources is asked for, whichever shard has it: one of the operations that it calls is, where it matters. */
export const isCrossed = (
  { areas, operations, clauses }: Filters,
  called: readonly { readonly id: string; readonly area: string }[],
): boolean =>
  clauses.length === 0 &&
  (areas.length + operations.length === 0 ||
    called.some(({ id, area }) => matches(areas, area) && matches(operations, id)))

/** Suites that are about no single resource. */
const crossing = ['journeys', 'node-deletion', 'pagination', 'races', 'random', 'sequences']

/** Names of the suites that have something to do: those of resources with a clause that a run is about, and those across resources. */
export const suitesFor = (filters: Filters): readonly string[] => [
  ...new Set([
    ...allClauses()
      .filter((clause) => isSelected(filters, clause))
      .map(({ operation }) => operation.slice(0, operation.lastIndexOf('.'))),
    ...crossing,
  ]),
]

/** Whether a run is about nothing that its shard has. */
export const isIdle = (filters: Filters): boolean => suitesFor(filters).length === crossing.length
