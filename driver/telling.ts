// Orders programs so that most faults show with the fewest requests; runs nothing.

import { isOneOf } from '../oracle/clauses.js'

/** The cost of a program, or of several that run as one, and the clauses that it is there to show. */
export interface Telling {
  /** Requests that are sent in any case. */
  readonly least: number
  /** Its worth, in clauses that gate. */
  readonly tells: number
  /** The operation of the clause that is shown; left out where none is. */
  readonly about?: string
}

/** The worth of a clause: less than 1 if it does not gate, and as much as many for the one that says which calls are accepted. */
export const tellsOf = ({ id, level }: { readonly id: string; readonly level: string }): number => {
  if (isOneOf(id, 'accepts')) return 10
  return level === 'must' ? 1 : 0.25
}

/**
 * Of each operation one first that shows what it accepts and what it refuses, in which most faults of it show; then those that show most
 * for their requests.
 */
export const tellingFirst = <T>(all: readonly T[], read: (one: T) => Telling): readonly T[] => {
  const firsts = new Map<string, { readonly one: T; readonly price: number }>()
  const prices = new Map<T, number>()
  for (const one of all) {
    const { least, tells, about } = read(one)
    const price = least / tells
    prices.set(one, price)
    const known = about === undefined || least < leastOfTwo ? undefined : (firsts.get(about) ?? none)
    if (about !== undefined && known && price < known.price) firsts.set(about, { one, price })
  }
  for (const { one } of firsts.values()) prices.set(one, 0)
  return all.toSorted((one, other) => (prices.get(one) ?? 0) - (prices.get(other) ?? 0))
}

/** An acceptance and a refusal take two calls. */
const leastOfTwo = 2
const none = { price: Number.POSITIVE_INFINITY }
