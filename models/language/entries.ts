// Immutable maps that share their entries: adding one does not copy the others; no rule of any resource.

/** The differences of a map from another one. */
interface Layer<V> {
  readonly base: ReadonlyMap<string, V>
  /** Entries that replace those of the base, and new ones. */
  readonly over: ReadonlyMap<string, V>
  /** Keys of the base that are removed. */
  readonly dropped: ReadonlySet<string>
}

const layers = new WeakMap<ReadonlyMap<string, unknown>, Layer<never>>()

const layerOf = <V>(map: ReadonlyMap<string, V>): Layer<V> =>
  (layers.get(map) as Layer<V> | undefined) ?? { base: map, over: new Map(), dropped: new Set() }

/** Below this a copy costs no more than a layer. */
const leastLayered = 64

/** The map with that entry, which replaces the one of the same key, or else comes last. */
export const withEntry = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> => {
  if (map.size < leastLayered) return new Map(map).set(key, value)
  const { base, over, dropped } = layerOf(map)
  return layered({ base, over: new Map(over).set(key, value), dropped })
}

/** The map without the entry of that key; itself where it has none. */
export const withoutEntry = <V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> => {
  if (!map.has(key)) return map
  if (map.size < leastLayered) {
    const rest = new Map(map)
    rest.delete(key)
    return rest
  }
  const { base, over, dropped } = layerOf(map)
  const left = new Map(over)
  left.delete(key)
  return layered({ base, over: left, dropped: base.has(key) ? new Set(dropped).add(key) : dropped })
}

/** A layer as a map. A thick one is copied into a map of its own, so that a change costs about the square root of the size. */
const layered = <V>(layer: Layer<V>): ReadonlyMap<string, V> => {
  const { base, over, dropped } = layer
  const isThick = (over.size + dropped.size) ** 2 > base.size
  if (isThick) return new Map(listed(layer))
  let size = base.size - dropped.size
  for (const key of over.keys()) if (isNew(layer, key)) size += 1
  const map: ReadonlyMap<string, V> = {
    size,
    get: (key) => over.get(key) ?? (dropped.has(key) ? undefined : base.get(key)),
    has: (key) => over.has(key) || (base.has(key) && !dropped.has(key)),
    entries: () => listed(layer).values() as MapIterator<[string, V]>,
    keys: () =>
      listed(layer)
        .map(([key]) => key)
        .values() as MapIterator<string>,
    values: () =>
      listed(layer)
        .map(([, value]) => value)
        .values() as MapIterator<V>,
    forEach: (each) => {
      for (const [key, value] of listed(layer)) each(value, key, map)
    },
    [Symbol.iterator]: () => listed(layer).values() as MapIterator<[string, V]>,
  }
  layers.set(map, layer as Layer<never>)
  return map
}

const isNew = <V>({ base, dropped }: Layer<V>, key: string): boolean => !base.has(key) || dropped.has(key)

/** The list of entries, made once for each map. */
let latest: { readonly layer: object; readonly entries: readonly [string, unknown][] } | undefined

const listed = <V>(layer: Layer<V>): readonly [string, V][] => {
  if (latest?.layer === layer) return latest.entries as readonly [string, V][]
  const { base, over, dropped } = layer
  const entries: [string, V][] = []
  base.forEach((value, key) => {
    if (!dropped.has(key)) entries.push([key, over.get(key) ?? value])
  })
  over.forEach((value, key) => {
    if (isNew(layer, key)) entries.push([key, value])
  })
  latest = { layer, entries }
  return entries
}

/** Keys whose values may differ between two maps: all keys of both, unless the maps have a common base. */
export const keysThatDiffer = <V>(one: ReadonlyMap<string, V>, other: ReadonlyMap<string, V>): ReadonlySet<string> => {
  if (one === other) return new Set()
  const [a, b] = [layerOf(one), layerOf(other)]
  const isShared = a.base === b.base
  return new Set(
    isShared ? [...a.over.keys(), ...a.dropped, ...b.over.keys(), ...b.dropped] : [...one.keys(), ...other.keys()],
  )
}
