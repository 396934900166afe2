// Lets what is remembered go on in two ways: a guard judges calls that later ones may still join, and then goes back.

/** The state once more, so that either may be changed by itself. Its maps, sets and lists are copied; what they hold is shared. */
export const forked = <T extends object>(state: T): T =>
  Object.fromEntries(Object.entries(state).map(([name, value]) => [name, copied(value)])) as T

const copied = (value: unknown): unknown => {
  if (value instanceof Map) return new Map(value)
  if (value instanceof Set) return new Set(value)
  return Array.isArray(value) ? [...value] : value
}
