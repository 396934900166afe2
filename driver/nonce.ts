// The text by which names of runs differ from all other names, and names of one run from those of another.

import { hashOf } from '../models/language/hash.js'

const day = 36 ** 5
const marks = 36 ** 2

/** The text in all names of a run: the prefix, the time, and a checksum of both. */
export const createNonce = (prefix: string, at: number): string => {
  const time = (at % day).toString(36).padStart(5, '0')
  return `${prefix}-${time}${checkOf(prefix, time)}`
}

/** Whether a run made a name. Other names may begin with the same letters, but not with a checksum that fits. */
export const isMadeName = (prefix: string, name: string): boolean => {
  if (!name.startsWith(`${prefix}-`)) return false
  const [, time, check] = /^([0-9a-z]{5})([0-9a-z]{2})(?:-|$)/.exec(name.slice(prefix.length + 1)) ?? []
  return time !== undefined && check === checkOf(prefix, time)
}

/** Two characters that depend on all of the text. */
const checkOf = (prefix: string, time: string): string =>
  (hashOf(`${prefix}-${time}`) % marks).toString(36).padStart(2, '0')
