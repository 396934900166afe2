// Which programs side by side go first: those that hold up most; sends nothing.

import { heldBy, type Lock } from './locks.js'

interface Unit {
  readonly locks: readonly Lock[]
  readonly cost: number
  /** Whether it begins before all others. */
  readonly isFirst: boolean
}

/**
 * For each unit how much work it holds up, in requests: its own, and that of all shorter ones as far as they need what it has. What needs
 * several fixtures holds up those of each, so that knots of such programs begin before chains on a single one.
 */
export const ranksOf = <U extends Unit>(given: readonly U[]): ReadonlyMap<U, number> => {
  const units = given.toSorted((one, other) => other.cost - one.cost)
  const ranks = new Map<U, number>()
  for (const [at, unit] of units.entries()) {
    const keys = new Set(unit.locks.map(({ key }) => key))
    const held = units.slice(at + 1).reduce((sum, { locks, cost }) => sum + cost * heldBy(locks, keys), unit.cost)
    ranks.set(unit, unit.isFirst ? Number.POSITIVE_INFINITY : held)
  }
  return ranks
}
