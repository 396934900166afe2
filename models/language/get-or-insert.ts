// What a map has under a key, made where there is nothing yet; no rule of any resource.

/** The value of the key; where there is none, one is made and put in. */
export const getOrInsert = <K, V>(map: Map<K, V>, key: K, make: () => V): V => {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
