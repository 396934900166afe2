// Which clauses a run is about: globs over areas, operations and clauses, and shards; nothing else.
import type { Clause } from '../models/derive.js'
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
