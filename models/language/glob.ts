// Globs over ids and names, in which `*` stands for any text; not over paths.

import { getOrInsert } from './get-or-insert.js'

const made = new Map<string, RegExp>()

const patternOf = (glob: string): RegExp =>
  new RegExp(`^${glob.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`)

/** Whether a text is one that the glob stands for, as a whole. */
export const matchesGlob = (glob: string, text: string): boolean =>
  getOrInsert(made, glob, () => patternOf(glob)).test(text)
