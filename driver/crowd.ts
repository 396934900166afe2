// Limits the requests under way to a target, or a gateway, that drops connections or sheds load beyond some number, or beyond some rate.

import type { HttpReply } from './exchange.js'
import type { Lost } from './loss.js'

export interface Crowd {
  /** Runs a task, the request of a method, once few enough others are under way. */
  readonly admit: (method: string, what: () => Promise<HttpReply | Lost>) => Promise<HttpReply | Lost>
}

/** So many have to be dropped or shed, of so many, before fewer are sent. A single one may have opened a second connection. */
const fewest = 5
const latest = { dropped: 20, shed: 20, 'shed alone': 40 }
/** So many in a row have to be answered before the limit is raised again, if any call waits. */
const rowToGrow = 150

/** So often has one to be taken right after one that was shed: a target that is down for a while takes none until it is up. */
const fewestTurns = 2

const isDropped = (result: HttpReply | Lost): boolean => 'lost' in result && result.lost === 'reset'

const isShed = (result: HttpReply | Lost): boolean => 'status' in result && result.status === 503

type Fate = 'taken' | keyof typeof latest

/** What became of a request. One that is alone is one too many for nobody, but it may come too soon. */
const fateOf = (result: HttpReply | Lost, isBeside: boolean): Fate => {
  if (isDropped(result)) return 'dropped'
  return isShed(result) ? (isBeside ? 'shed' : 'shed alone') : 'taken'
}

interface Met {
  readonly method: string
  readonly fate: Fate
}

/** Whether too many of the latest met a fate; if they were shed, by turns with others, and not just because of their method. */
const isMetTooOften = (recent: readonly Met[], fate: keyof typeof latest): boolean => {
  const last = recent.slice(-latest[fate])
  if (fate === 'dropped') return last.filter((one) => one.fate === fate).length >= fewest
  const taken = new Set(last.flatMap((one) => (one.fate === 'taken' ? [one.method] : [])))
  const times = last.filter((one) => one.fate === fate && taken.has(one.method)).length
  const turns = last.filter((one, i) => one.fate !== fate && last[i - 1]?.fate === fate).length
  return times >= fewest && turns >= fewestTurns
}

interface Told {
  /** Told the new limit. */
  readonly resize?: (most: number) => void
  /** Called where requests are shed that are alone: not their number is too high then, but their rate. */
  readonly slow?: () => void
}

export const createCrowd = ({ resize = () => undefined, slow = () => undefined }: Told = {}): Crowd => {
  const waiting: (() => void)[] = []
  let underWay = 0
  let most = Number.POSITIVE_INFINITY
  let row = 0
  let recent: readonly Met[] = []

  const admitAtMost = (count: number): void => {
    if (count === most) return
    most = count
    resize(most)
  }

  const note = (method: string, result: HttpReply | Lost, isBeside: boolean): void => {
    row = 'lost' in result || isShed(result) ? 0 : row + 1
    if (row >= rowToGrow && waiting.length > 0) {
      row = 0
      admitAtMost(2 * most)
    }
    recent = [...recent.slice(1 - latest['shed alone']), { method, fate: fateOf(result, isBeside) }]
    if (isMetTooOften(recent, 'shed alone')) slow()
    else if (most === 1 || !(isMetTooOften(recent, 'dropped') || isMetTooOften(recent, 'shed'))) return
    else admitAtMost(Math.max(1, Math.floor(underWay / 2)))
    recent = []
  }

  return {
    admit: async (method, what) => {
      while (underWay >= most) await new Promise<void>((go) => waiting.push(go))
      underWay += 1
      try {
        const result = await what()
        note(method, result, underWay > 1)
        return result
      } finally {
        underWay -= 1
        for (const go of waiting.splice(0, most - underWay)) go()
      }
    },
  }
}
