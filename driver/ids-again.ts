// Delays judging a reply with an id that may have been given again, until the calls under way that decide whether it was are judged; sends nothing.

import type { Outcome, WireCall } from '../history/wire.js'
import { accountOf } from '../models/language/access.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { find, keyIn, type World } from '../models/language/world.js'
import { readCall } from '../oracle/facts.js'

interface Answered {
  readonly op: Operation
  readonly wire: WireCall
  readonly outcome: Outcome
}

export interface IdsAgain {
  /** Runs `what`, which sends these operations and judges them; while it runs, removals and creations among them count as under way. */
  readonly during: <T>(ops: readonly Operation[], what: () => Promise<T>) => Promise<T>
  /**
   * Where a reply tells an id of something made that is still taken, waits until the removals under way are judged. Where a read shows
   * something by an id that is free, waits until the creations under way that may have made it are.
   */
  readonly before: (answered: readonly Answered[], world: World) => Promise<void>
}

export const createIdsAgain = (): IdsAgain => {
  const alone = new Set<Promise<unknown>>()
  const together = new Set<Promise<unknown>>()
  /** By the table in which something is made. */
  const creations = new Map<AnyTable, Set<Promise<unknown>>>()
  const creatingIn = (table: AnyTable): Set<Promise<unknown>> => getOrInsert(creations, table, () => new Set())
  return {
    during: async (ops, what) => {
      const begun = [
        ...(ops.some((op) => removes({ op })) ? [ops.length === 1 ? alone : together] : []),
        ...new Set(ops.flatMap(({ makes, besides = [] }) => [...(makes ? [makes] : []), ...besides].map(creatingIn))),
      ]
      const running = what()
      for (const underWay of begun) underWay.add(running)
      try {
        return await running
      } finally {
        for (const underWay of begun) underWay.delete(running)
      }
    },
    before: async (answered, world) => {
      // Creations wait for removals, so only what is neither waits for creations.
      const gone = answered.every(reads) ? answered.flatMap((one) => goneIn(one, world)) : []
      const makers = gone.flatMap((table) => [...creatingIn(table)])
      if (makers.length > 0) await Promise.allSettled(makers)
      if (!answered.some((one) => isTaken(one, world))) return
      // A group that removes something waits for single removals only, and those wait for nothing: no two wait for each other.
      await Promise.allSettled(answered.some(removes) ? alone : [...alone, ...together])
    },
  }
}

const removes = ({ op }: Pick<Answered, 'op'>): boolean => op.removes !== undefined

const reads = ({ op }: Answered): boolean => op.method === 'GET'

/** Whether a reply shows something as made that is there already, as far as is known. */
const isTaken = ({ op: { makes }, wire, outcome }: Answered, world: World): boolean => {
  if (!makes || !('status' in outcome) || !isObject(outcome.body)) return false
  const account = accountOf(world.environment, wire.as)
  const id = makes.identify(outcome.body, wire.path, account)
  return id !== undefined && find(world, makes, keyIn(world, makes, id, account)) !== undefined
}

/** The tables of what the path names and a reply shows, though it is gone as far as is known. */
const goneIn = ({ op, wire, outcome }: Answered, world: World): readonly AnyTable[] =>
  'status' in outcome && outcome.status < 300
    ? readCall(world, op, wire).named.flatMap(({ reference, resolution }) =>
        resolution.kind === 'gone' ? [reference.table] : [],
      )
    : []
