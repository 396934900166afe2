// The order in which programs tell of most faults with the fewest requests; it runs nothing.

/** What a program, or several that run as one, costs and is there to show. */
export interface Telling {
  /** Requests that are sent in any case. */
  readonly least: number
  /** 1 for a clause that gates, and what else there is measured by that. */
  readonly tells: number
  /** The operation of the clause that is shown; left out where none is. */
  readonly about?: string
}

/** What a clause counts for: one that does not gate by itself less, and that which says what is accepted as much as many. */
export const tellsOf = ({ id, level }: { readonly id: string; readonly level: string }): number => {
  if (id.endsWith('.accepts')) return 10
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

/** What is accepted and what is refused take two calls. */
const leastOfTwo = 2
const none = { price: Number.POSITIVE_INFINITY }
