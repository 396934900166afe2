// JSON objects: what tells them from the other values that a body may hold, and parts of them; nothing of what they mean.

/** Whether a value is a JSON object: neither null nor an array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members of these names that have a value. */
export const pick = (
  from: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Readonly<Record<string, unknown>> =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]))

/** All members but those of these names; the object itself where none of them is given. */
export const omit = <V>(from: Readonly<Record<string, V>>, names: readonly string[]): Readonly<Record<string, V>> =>
  names.length === 0 ? from : Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)))

/** Every text in a value, at whatever depth. */
export const textsIn = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? [value]
    : typeof value === 'object' && value !== null
      ? Object.values(value).flatMap(textsIn)
      : []

/** Every text and number in a value, and what a path among them is made of. */
export const leavesOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.values(value).flatMap(leavesOf)
    : value === undefined || value === null
      ? []
      : [String(value), ...String(value).split('/')]
