// Counts what a run has made and could not remove, so that never more of a kind is there than the target file allows, and little is left; sends nothing.

import { removerOf } from '../models/index.js'
import { type Environment, mostLive } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Operation } from '../models/language/operation.js'
import { isLatent } from '../models/language/world.js'
import type { LedgerLine } from './session.js'

export interface Alive {
  /** Takes in a line of the ledger. */
  readonly hear: (line: Pick<LedgerLine, 'event' | 'kind' | 'key' | 'isStuck'>) => void
  /** Why nothing more of what an operation makes is to be made; undefined where it may be. */
  readonly bars: (op: Operation) => string | undefined
  /** The same until something is removed. */
  readonly stops: (op: Operation) => string | undefined
  /** Leaves room for a few more, for what is to show a finding again: it may be why nothing is removed. */
  readonly spare: () => void
  /** The kinds that the ledger tells of. */
  readonly kinds: ReadonlySet<string>
  /** Whether something of a kind was removed. */
  readonly wasRemoved: (kind: string) => boolean
}

/** After so many in a row that could not be removed, of one kind or of all, no more of it is made until one is. */
const mostInARow = { ofOne: 3, ofAll: 5 }

/** So many more for each finding that is to be shown again, and for so many findings at most, until something is removed. */
const spareForOne = 2
const mostSpared = 6

/** Programs are planned to stay below the limit as long as each removes what it has made. Only where one could not, it is counted. */
export const createAlive = (environment: Pick<Environment, 'safety'>): Alive => {
  const alive = new Map<string, Set<string>>()
  /** What could not be removed since one of its kind was, or since one of any kind was. */
  const stuck = new Map<string, Set<string>>()
  const stuckOfAll = new Set<string>()
  const left = new Set<string>()
  const removed = new Set<string>()
  const kinds = new Set<string>()
  const of = (kind: string, among = alive): Set<string> => getOrInsert(among, kind, () => new Set())
  /** What was made under an unknown id is removed under its own. */
  const remove = (keys: Set<string>, key: string): void => {
    const unknown = [...keys].find(isLatent)
    if (!keys.delete(key) && unknown !== undefined) keys.delete(unknown)
  }
  const stick = (kind: string, key: string): void => {
    of(kind, stuck).add(key)
    stuckOfAll.add(`${kind} ${key}`)
  }
  let spared = 0
  const whyStuck = (kind: string): string | undefined => {
    const [ofOne, ofAll] = [mostInARow.ofOne + spared, mostInARow.ofAll + spared]
    if (of(kind, stuck).size >= ofOne) return `the latest ${ofOne} ${kind} of the run could not be removed`
    return stuckOfAll.size >= ofAll ? `the latest ${ofAll} things of the run could not be removed` : undefined
  }
  const whyFull = (kind: string): string | undefined => {
    const { size } = of(kind)
    const most = mostLive(environment, kind)
    return left.has(kind) && size >= most
      ? `${size} ${kind} of the run may be alive, some of which could not be removed, and safety.maxLive allows ${most}`
      : undefined
  }
  return {
    kinds,
    hear: ({ event, kind, key = '', isStuck }) => {
      kinds.add(kind)
      if (event === 'created') of(kind).add(key)
      else if (event === 'left') {
        left.add(kind)
        if (isStuck) stick(kind, key)
      } else if (event === 'removed') {
        remove(of(kind), key)
        removed.add(kind)
        stuck.delete(kind)
        stuckOfAll.clear()
        spared = 0
      }
    },
    bars: ({ makes }) => (makes && removerOf(makes) ? whyFull(makes.name) : undefined),
    stops: ({ makes }) => (makes && removerOf(makes) ? whyStuck(makes.name) : undefined),
    spare: () => {
      if (stuckOfAll.size > 0) spared = Math.min(spared + spareForOne, spareForOne * mostSpared)
    },
    wasRemoved: (kind) => removed.has(kind),
  }
}
