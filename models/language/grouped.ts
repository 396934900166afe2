// Sorts things into groups; no rule of any resource.

/** The things by their key, in the order in which they and their keys first come. What has no key is left out. */
export const grouped = <T, K>(all: Iterable<T>, keyOf: (one: T) => K | undefined): Map<K, T[]> => {
  const groups = new Map<K, T[]>()
  for (const one of all) {
    const key = keyOf(one)
    if (key === undefined) continue
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return groups
}
