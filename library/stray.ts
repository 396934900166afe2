// Refuses globs of a selection that match nothing, as the command line does: what they were meant for would not be tested.

import { type FilterKind, strayText } from '../suites/stray-globs.js'

/**
 * @param what the option, as messages name it
 * @throws Error that names the first such glob, and what was meant
 */
export const refuseStray = (what: string, kind: FilterKind, globs: readonly string[]): void => {
  for (const glob of globs) {
    const stray = strayText(kind, glob)
    if (stray !== undefined) throw new Error(`${what}: received ${JSON.stringify(glob)}. ${stray}`)
  }
}
