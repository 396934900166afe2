// Follows the tags by which runs see each other: no program made them, and whoever tidies an account may remove them, so that none is relied upon.

import type { CallEntry } from '../history/entry.js'
import { doubt } from '../models/language/changes.js'
import { find, type World } from '../models/language/world.js'
import { tags } from '../models/tags/record.js'
import type { Judgement } from './judgement.js'

export const createMarks = () => {
  const keys = new Set<string>()
  return {
    note: ({ op, phase }: Pick<CallEntry, 'op' | 'phase'>, { made }: Pick<Judgement, 'made'>): void => {
      if (phase === 'mark' && op.makes === tags && made !== undefined) keys.add(made)
    },
    /** The world in which each of them may be gone. */
    doubted: (world: World): World =>
      [...keys].reduce((before, key) => {
        const known = find(before, tags, key)
        return known && !known.stub ? doubt(before, tags, key) : before
      }, world),
  }
}
