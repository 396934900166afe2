// Remembers what a function made of an object or a text; no rule of any resource.

/** The function, called once for each object, for as long as that is there. */
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

/** What the function makes, made when it is first asked for: a command that does not need it starts sooner. */
export const lazy = <T>(make: () => T): (() => T) => {
  let known: { readonly made: T } | undefined
  return () => {
    known ??= { made: make() }
    return known.made
  }
}

/** The function, called once for each text, with a memory that is emptied when it grows too large. */
export const memoisedByText = <T>(make: (text: string) => T, mostTexts = 4096): ((text: string) => T) => {
  const known = new Map<string, { readonly made: T }>()
  return (text) => {
    const hit = known.get(text)
    if (hit) return hit.made
    const made = make(text)
    if (known.size >= mostTexts) known.clear()
    known.set(text, { made })
    return made
  }
}
