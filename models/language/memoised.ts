// Remembers what a function made of an object for as long as that object is there; no rule of any resource.

/** The function, called once for each object. */
export const memoised = <K extends WeakKey, V>(make: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, { readonly made: V }>()
  return (key) => {
    const hit = known.get(key)
    if (hit) return hit.made
    const made = make(key)
    known.set(key, { made })
    return made
  }
}
