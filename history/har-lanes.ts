// Which entries of a HAR one client sent in turn, each when those before had been answered; how their times are read stands in har-entries.ts.
import { grouped } from '../models/language/grouped.js'
import type { Turn } from './entry.js'
import { type HarEntry, isAloneOnConnection } from './har-entries.js'
import { headerOf } from './har-headers.js'

/** The smallest step that times may be told in, so that calls which were under way together show it. */
const coarsestMs = 1

/**
 * The turn of each entry where it is known although times are rounded: the calls of a client, or of a connection that carries
 * one at a time, are sent in turn where their times agree with that throughout.
 * @param entries in the order in which they were sent
 * @param callerOf who sent an entry
 */
export const turnsOf = (
  entries: readonly HarEntry[],
  callerOf: (entry: HarEntry) => string | null,
): ReadonlyMap<HarEntry, Turn> => {
  const clients = grouped(
    entries,
    (entry) => `${entry.own?.clock} ${callerOf(entry)} ${headerOf(entry.request, 'user-agent')}`,
  )
  const lanes = [...clients.values()].flatMap((client) => {
    const turns = inTurn(client)
    return turns ? [turns] : connectionsOf(client)
  })
  return new Map(
    lanes.flatMap((turns, lane) => turns.flatMap((turn, at) => turn.map((entry) => [entry, { lane, at }] as const))),
  )
}

type Turns = readonly (readonly HarEntry[])[]

const connectionsOf = (entries: readonly HarEntry[]): readonly Turns[] => {
  const lanes = grouped(entries.filter(isAloneOnConnection), ({ entry }) => String(entry.connection))
  return [...lanes.values()].flatMap((lane) => {
    if (isOneByOne(lane)) return [[...grouped(lane, ({ place }) => place).values()]]
    const turns = inTurn(lane)
    return turns?.every(areTied) ? [turns] : []
  })
}

/**
 * Whether calls of a connection that carries one at a time stand in the file as they were sent, so that times need not tell it:
 * they are spread enough to show which way the file goes, and nowhere against it, or against their being one by one. Those of one place
 * may have been sent in any order.
 */
const isOneByOne = (lane: readonly HarEntry[]): boolean => {
  const [first] = lane
  const last = lane.at(-1)
  if (!first || !last || isPort(first) || last.toldAt - first.toldAt <= 2 * first.unitMs) return false
  let earliest = Number.NEGATIVE_INFINITY
  return lane.every((entry, i) => {
    const { toldAt, unitMs } = entry
    const fits = (i === 0 || isAfter(lane[i - 1] as HarEntry, entry)) && earliest <= toldAt + unitMs
    earliest = Math.max(earliest, toldAt - unitMs / 2) + leastMs(entry)
    return fits
  })
}

/** Some exporters tell the port of the target, which all connections have. */
const isPort = ({ entry, url }: HarEntry): boolean =>
  ['80', '443', url?.port].some((port) => port !== '' && port === entry.connection)

/** Fewer calls than this may be under way together without its showing, and so may shorter ones, in units of time. */
const leastCalls = 6
const leastUnits = 4

const isTelling = (entry: HarEntry): boolean => leastMs(entry) >= leastUnits * precisionOf(entry)

const precisionOf = ({ unitMs, msUnit }: HarEntry): number => Math.max(unitMs, msUnit)

/**
 * Calls that were sent in this order, some together and each of the others when all before had been answered; undefined where
 * even the shortest durations that agree with what is told speak against it.
 */
const inTurn = (lane: readonly HarEntry[]): Turns | undefined => {
  if (lane.filter(isTelling).length < leastCalls) return undefined
  const turns: HarEntry[][] = []
  let earliest = Number.NEGATIVE_INFINITY
  let before: HarEntry | undefined
  for (const entry of lane) {
    const { toldAt, unitMs, endedAt } = entry
    if (endedAt === undefined || unitMs > coarsestMs || (before && !isAfter(before, entry))) return undefined
    const turn = turns.at(-1)
    if (turn && (mayComeFirst(turn, entry) || (earliest > toldAt + unitMs && areSentTogether(turn, entry))))
      turn.push(entry)
    else if (earliest <= toldAt + unitMs) turns.push([entry])
    else return undefined
    const from = turns.at(-1)?.length === 1 ? Math.max(earliest, toldAt - unitMs / 2) : toldAt - unitMs / 2
    earliest = Math.max(earliest, from + leastMs(entry))
    before = entry
  }
  return turns
}

const leastMs = ({ ms, msUnit }: HarEntry): number => Math.max(0, ms - msUnit)

const isAfter = (before: HarEntry, { toldAt, unitMs, place }: HarEntry): boolean =>
  toldAt - before.toldAt > 2 * unitMs || place >= before.place

const areTied = ([first, ...others]: readonly HarEntry[]): boolean =>
  others.every(({ toldAt }) => toldAt === first?.toldAt)

/**
 * Whether a call is told to have begun when one of a turn did and may as well have been over before it: a file that was sorted by
 * time has such calls in any order.
 */
const mayComeFirst = (turn: readonly HarEntry[], entry: HarEntry): boolean =>
  leastMs(entry) <= entry.unitMs && turn.some(({ toldAt }) => toldAt === entry.toldAt)

/** Whether a call begins when those of a turn do, as far as their durations let that be told from chance. */
const areSentTogether = (turn: readonly HarEntry[], entry: HarEntry): boolean => {
  const all = [...turn, entry]
  const shortest = Math.min(...all.map(leastMs))
  return all.every(isTelling) && entry.toldAt - (turn[0] as HarEntry).toldAt <= shortest / 4
}
