// Delays judging a creation that tells the id of something being removed until that removal is judged, as the id may be given again; sends nothing.

import type { Outcome, WireCall } from '../history/wire.js'
import { accountOf } from '../models/language/access.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { find, keyIn, type World } from '../models/language/world.js'

interface Answered {
  readonly op: Operation
  readonly wire: WireCall
  readonly outcome: Outcome
}

export interface Removals {
  /** Runs `what`, which sends these operations and judges them; while it runs, the removals among them count as under way. */
  readonly during: <T>(ops: readonly Operation[], what: () => Promise<T>) => Promise<T>
  /** Where a reply tells an id that is still taken, waits until the removals under way are judged. */
  readonly before: (answered: readonly Answered[], world: World) => Promise<void>
}

export const createRemovals = (): Removals => {
  const alone = new Set<Promise<unknown>>()
  const together = new Set<Promise<unknown>>()
  return {
    during: async (ops, what) => {
      if (!ops.some((op) => removes({ op }))) return what()
      const underWay = ops.length === 1 ? alone : together
      const removal = what()
      underWay.add(removal)
      try {
        return await removal
      } finally {
        underWay.delete(removal)
      }
    },
    before: async (answered, world) => {
      if (!answered.some((one) => isTaken(one, world))) return
      // A group that removes something waits for single removals only, and those wait for nothing: no two wait for each other.
      await Promise.allSettled(answered.some(removes) ? alone : [...alone, ...together])
    },
  }
}

const removes = ({ op }: Pick<Answered, 'op'>): boolean => op.removes !== undefined

/** Whether a reply shows something as made that is there already, as far as is known. */
const isTaken = ({ op: { makes }, wire, outcome }: Answered, world: World): boolean => {
  if (!makes || !('status' in outcome) || !isObject(outcome.body)) return false
  const account = accountOf(world.environment, wire.as)
  const id = makes.identify(outcome.body, wire.path, account)
  return id !== undefined && find(world, makes, keyIn(world, makes, id, account)) !== undefined
}
