// What would make untestable clauses testable: each need once, those that open the most clauses first, with a piece of target file.
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Need, Piece } from '../models/language/needs.js'
import type { Results } from './results-schema.js'
import { byReason } from './tally.js'

/** Clauses that lack the same. */
export interface Lacking {
  readonly reason: string
  readonly remedy?: string | undefined
  /** Not in records of earlier versions, whose reason is all that is known. */
  readonly needs?: readonly Need[] | undefined
  readonly clauses: readonly string[]
}

export interface RankedNeed {
  /** What is lacking, completing "needs …"; of several wordings that which most clauses have, of several bounds the highest. */
  readonly what: string
  /** Other wordings that the same piece of target file meets. */
  readonly alike: readonly string[]
  /** Clauses that lack it. */
  readonly clauses: readonly string[]
  /** How many of them lack nothing else, as far as is told. */
  readonly opens: number
  /** What to put into a target file, values to be filled in: JSON, and code for hooks. Undefined where nothing would do. */
  readonly snippet?: string
}

/** Needs that a target file could meet, ranked by how many clauses each opens; needs that the same piece of it meets are one. */
export function rankNeeds(lacking: readonly Lacking[]): RankedNeed[] {
  const wordings = new Map<string, Wording>()
  for (const { reason, remedy, needs, clauses } of lacking)
    for (const need of needs ?? (remedy === undefined ? [] : [{ what: reason.replace(/^needs /, '') }])) {
      const known = getOrInsert(wordings, need.what, () => ({ need, clauses: new Set() }))
      for (const clause of clauses) known.clauses.add(clause)
    }
  const merged = new Map<string, Wording[]>()
  for (const wording of wordings.values()) getOrInsert(merged, sameness(wording.need), () => []).push(wording)
  const wide = [...merged.values()].map(asOne)
  const times = new Map<string, number>()
  for (const clause of wide.flatMap(({ clauses }) => clauses)) times.set(clause, (times.get(clause) ?? 0) + 1)
  return wide
    .map((need): RankedNeed => ({ ...need, opens: need.clauses.filter((clause) => times.get(clause) === 1).length }))
    .sort((a, b) => b.opens - a.opens || b.clauses.length - a.clauses.length)
}

interface Wording {
  readonly need: Need
  readonly clauses: Set<string>
}

/** Equal for needs that one piece of target file meets: of several bounds the highest meets all. Two of a kind are two needs. */
const sameness = ({ what, add, bound, nth = 1 }: Need): string =>
  add === undefined ? what : bound ? `bound ${bound.of}` : `${nth} ${JSON.stringify(add)}`

const asOne = (wordings: readonly Wording[]): Omit<RankedNeed, 'opens'> => {
  const [first, ...others] = wordings.toSorted(
    (a, b) => (b.need.bound?.least ?? 0) - (a.need.bound?.least ?? 0) || b.clauses.size - a.clauses.size,
  )
  const { what, add } = (first as Wording).need
  return {
    what,
    alike: others.map(({ need }) => need.what),
    clauses: [...new Set(wordings.flatMap(({ clauses }) => [...clauses]))],
    ...(add && { snippet: snippetOf(add) }),
  }
}

/** What would make clauses of a run testable. */
export const needsOf = (results: Results): RankedNeed[] =>
  rankNeeds(
    byReason(results, 'untestable').map(({ reason, remedies, needs, clauses }) => ({
      reason,
      remedy: remedies[0],
      needs,
      clauses: clauses.map(({ id }) => id),
    })),
  )

/** A piece of target file as it is pasted: JSON, and code for hooks. */
export const snippetOf = ({ hooks = [], ...piece }: Piece): string =>
  [
    ...Object.entries(piece).map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value, null, 2)}`),
    ...hooks.map(
      (hook) => `hooks: {\n  ${hook}: async (...args) => {\n    /* what makes it so on your side */\n  },\n}`,
    ),
  ].join(',\n')
