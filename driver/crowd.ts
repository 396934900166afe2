// Limits the requests under way to a target, or a gateway, that drops connections or sheds load beyond some number.

import type { HttpReply } from './exchange.js'
import type { Lost } from './loss.js'

export interface Crowd {
  /** Runs a task once few enough others are under way. */
  readonly admit: (what: () => Promise<HttpReply | Lost>) => Promise<HttpReply | Lost>
}

/** So many of so many have to be dropped before the limit is lowered. A single one may have opened a second connection. */
const dropped = { most: 5, of: 20 }
/** So many in a row have to be answered before the limit is raised again, if any call waits. */
const rowToGrow = 150

/** So often has one to be taken right after one that was shed: a target that is down for a while takes none until it is up. */
const fewestTurns = 2

const isDropped = (result: HttpReply | Lost): boolean => 'lost' in result && result.lost === 'reset'

const isShed = (result: HttpReply | Lost): boolean => 'status' in result && result.status === 503

type Fate = 'taken' | 'dropped' | 'shed'

/** What became of a request. One that is alone is one too many for nobody. */
const fateOf = (result: HttpReply | Lost, isBeside: boolean): Fate => {
  if (isDropped(result)) return 'dropped'
  return isBeside && isShed(result) ? 'shed' : 'taken'
}

const isTooMany = (recent: readonly Fate[]): boolean => {
  const times = (fate: Fate): number => recent.filter((one) => one === fate).length
  const turns = recent.filter((one, i) => one === 'taken' && recent[i - 1] === 'shed').length
  return times('dropped') >= dropped.most || (times('shed') >= dropped.most && turns >= fewestTurns)
}

/** @param resize told the new limit */
export const createCrowd = (resize: (most: number) => void = () => undefined): Crowd => {
  const waiting: (() => void)[] = []
  let underWay = 0
  let most = Number.POSITIVE_INFINITY
  let row = 0
  let recent: readonly Fate[] = []

  const admitAtMost = (count: number): void => {
    if (count === most) return
    most = count
    resize(most)
  }

  const shrink = (): void => {
    admitAtMost(Math.max(1, Math.floor(underWay / 2)))
    recent = []
  }

  const note = (result: HttpReply | Lost, isBeside: boolean): void => {
    row = 'lost' in result || isShed(result) ? 0 : row + 1
    if (row >= rowToGrow && waiting.length > 0) {
      row = 0
      admitAtMost(2 * most)
    }
    if (most === 1) return
    recent = [...recent.slice(1 - dropped.of), fateOf(result, isBeside)]
    if (isTooMany(recent)) shrink()
  }

  return {
    admit: async (what) => {
      while (underWay >= most) await new Promise<void>((go) => waiting.push(go))
      underWay += 1
      try {
        const result = await what()
        note(result, underWay > 1)
        return result
      } finally {
        underWay -= 1
        for (const go of waiting.splice(0, most - underWay)) go()
      }
    },
  }
}
