// Limits the requests under way to a target, or a gateway, that drops connections beyond some number.

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

const isDropped = (result: HttpReply | Lost): boolean => 'lost' in result && result.lost === 'reset'

/** @param resize told the new limit */
export const createCrowd = (resize: (most: number) => void = () => undefined): Crowd => {
  const waiting: (() => void)[] = []
  let underWay = 0
  let most = Number.POSITIVE_INFINITY
  let row = 0
  let recent: boolean[] = []

  const admitAtMost = (count: number): void => {
    if (count === most) return
    most = count
    resize(most)
  }

  const shrink = (): void => {
    admitAtMost(Math.max(1, Math.floor(underWay / 2)))
    recent = []
  }

  const note = (result: HttpReply | Lost): void => {
    row = 'lost' in result ? 0 : row + 1
    if (row >= rowToGrow && waiting.length > 0) {
      row = 0
      admitAtMost(2 * most)
    }
    if (most === 1) return
    recent = [...recent.slice(1 - dropped.of), isDropped(result)]
    if (recent.filter(Boolean).length >= dropped.most) shrink()
  }

  return {
    admit: async (what) => {
      while (underWay >= most) await new Promise<void>((go) => waiting.push(go))
      underWay += 1
      try {
        const result = await what()
        note(result)
        return result
      } finally {
        underWay -= 1
        for (const go of waiting.splice(0, most - underWay)) go()
      }
    },
  }
}
