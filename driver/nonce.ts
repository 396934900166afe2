// The text that tells the names that runs make from all others, and those of one run from those of another.

const day = 36 ** 5
const marks = 36 ** 2

/** A text that names made from now on contain: the prefix, the time, and a check of both, by which a name is known to be a run's. */
export const createNonce = (prefix: string, at: number): string => {
  const time = (at % day).toString(36).padStart(5, '0')
  return `${prefix}-${time}${checkOf(prefix, time)}`
}

/** Whether a name was made by a run: others may begin with the same letters, but not with a check that fits. */
export const isMadeName = (prefix: string, name: string): boolean => {
  if (!name.startsWith(`${prefix}-`)) return false
  const [, time, check] = /^([0-9a-z]{5})([0-9a-z]{2})(?:-|$)/.exec(name.slice(prefix.length + 1)) ?? []
  return time !== undefined && check === checkOf(prefix, time)
}

/** Two characters that depend on all of the text (FNV-1a). */
const checkOf = (prefix: string, time: string): string => {
  let value = 0x811c9dc5
  for (const character of `${prefix}-${time}`)
    value = Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0
  return (value % marks).toString(36).padStart(2, '0')
}
