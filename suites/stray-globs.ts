// Globs of a selection that match nothing, from which nothing would be judged: what is said of them; nothing is selected.

import { nearest } from '../config/target-file.js'
import { allClauses, operations } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import { isSelected } from './filter.js'

export type FilterKind = 'area' | 'operation' | 'clause'

const members: Readonly<Record<FilterKind, (clause: Clause) => string>> = {
  area: ({ area }) => area,
  operation: ({ operation }) => operation,
  clause: ({ id }) => id,
}

/** What to do about a glob that matches nothing; undefined where it matches something. */
export const strayText = (kind: FilterKind, glob: string): string | undefined => {
  const filters = { areas: [], operations: [], clauses: [], shard: [1, 1] as const, [`${kind}s`]: [glob] }
  if (allClauses().some((clause) => isSelected(filters, clause))) return undefined
  const known = kind === 'operation' ? operations.map(({ id }) => id) : allClauses().map(members[kind])
  const groups = kind === 'area' ? [] : known.flatMap(groupsOf)
  const see =
    kind === 'area' ? `The areas are ${[...new Set(known)].join(', ')}.` : `touchstone list ${kind}s shows them.`
  return `No ${kind} matches it.${suggestion(glob, [...new Set([...groups, ...known])])} ${see}`
}

/** `a.*` and `a.b.*` of `a.b.c`. */
const groupsOf = (id: string): readonly string[] => {
  const words = id.split('.')
  return words.slice(1).map((_, i) => `${words.slice(0, i + 1).join('.')}.*`)
}

/** ` Did you mean "…"?`, or nothing. */
export const suggestion = (word: string, known: readonly string[]): string => {
  const meant = nearest(word, known)
  return meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`
}
