// Counts what a run has made and could not remove, so that there is never more of a kind than the target file allows; sends nothing.

import { removerOf } from '../models/index.js'
import { type Environment, mostLive } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Operation } from '../models/language/operation.js'
import { isLatent } from '../models/language/world.js'
import type { LedgerLine } from './session.js'

export interface Alive {
  /** Takes in a line of the ledger. */
  readonly hear: (line: Pick<LedgerLine, 'event' | 'kind' | 'key'>) => void
  /** Why nothing more of what an operation makes is to be made; undefined where it may be. */
  readonly bars: (op: Operation) => string | undefined
}

/** Programs are planned to stay below the limit as long as each removes what it has made. Only where one could not, it is counted. */
export const createAlive = (environment: Pick<Environment, 'safety'>): Alive => {
  const alive = new Map<string, Set<string>>()
  const left = new Set<string>()
  const of = (kind: string): Set<string> => getOrInsert(alive, kind, () => new Set())
  /** What was made under an unknown id is removed under its own. */
  const remove = (keys: Set<string>, key: string): void => {
    const unknown = [...keys].find(isLatent)
    if (!keys.delete(key) && unknown !== undefined) keys.delete(unknown)
  }
  return {
    hear: ({ event, kind, key = '' }) => {
      if (event === 'created') of(kind).add(key)
      else if (event === 'removed') remove(of(kind), key)
      else if (event === 'left') left.add(kind)
    },
    bars: ({ makes }) => {
      if (!makes || !left.has(makes.name) || !removerOf(makes)) return undefined
      const most = mostLive(environment, makes.name)
      const { size } = of(makes.name)
      return size < most
        ? undefined
        : `${size} ${makes.name} of the run may be alive, some of which could not be removed, and safety.maxLive allows ${most}`
    },
  }
}
