// Puts files of several recorders on one clock: that of the target, which tells its time with every reply.

import { grouped } from '../models/language/grouped.js'
import { asEarlyAsMayBe, type HarEntry, keyOfEntry } from './har-entries.js'
import { headerOf } from './har-headers.js'

/** By how much a recorder's clock is behind that of the target, at least and at most, in milliseconds. */
interface Behind {
  readonly least: number
  readonly most: number
}

/**
 * The entries of each file as the target's clock times them, as exactly as that can be told; those of one recorder keep its own
 * times beside that. Where some file does not tell the target's time, the clocks are taken to agree.
 */
export const onOneClock = (files: readonly (readonly HarEntry[])[]): readonly (readonly HarEntry[])[] => {
  const clocks = clocksOf(files)
  if (new Set(clocks).size < 2) return files.map(inOneGo)
  const behind = new Map(
    [...new Set(clocks)].map((clock) => [clock, behindOf(files.filter((_, i) => clocks[i] === clock).flat())]),
  )
  const first = behind.get(0)
  if (!first || [...behind.values()].includes(undefined)) return files.map((entries) => entries.map(asEarlyAsMayBe))
  return files.map((entries, i) => {
    const clock = clocks[i] as number
    const { least, most } = behind.get(clock) as Behind
    // The first file keeps the hour that it shows.
    const by = (least + most - first.least - first.most) / 2
    return entries.map((entry) => moved(entry, clock, by, (most - least) / 2))
  })
}

/** Whether recorders called one host at the same time, and nothing tells by how much their clocks differ. */
export const areClocksUnknown = (files: readonly (readonly HarEntry[])[]): boolean => {
  const clocks = clocksOf(files)
  const own = [...new Set(clocks)].map((clock) => files.filter((_, i) => clocks[i] === clock).flat())
  return areAtOnce(own) && own.some((entries) => behindOf(entries) === undefined)
}

const areAtOnce = (recorders: readonly (readonly HarEntry[])[]): boolean => {
  const spans = recorders.flatMap((entries) =>
    [...grouped(entries, ({ url }) => url?.host ?? '')].map(([host, some]) => ({
      host,
      from: firstOf(some.map(({ startedAt }) => startedAt)),
      to: lastOf(some.map(({ startedAt, endedAt }) => endedAt ?? startedAt)),
    })),
  )
  return spans.some(({ host, from, to }, i) =>
    spans.slice(0, i).some((one) => one.host === host && one.from < to && from < one.to),
  )
}

/** The number of the recorder of each file: those that hold the same entry have one. */
const clocksOf = (files: readonly (readonly HarEntry[])[]): readonly number[] => {
  const owners = new Map<string, number>()
  const clocks: number[] = []
  for (const [i, entries] of files.entries()) {
    const keys = entries.filter(({ isTimed }) => isTimed).map(keyOfEntry)
    const owner = keys.map((key) => owners.get(key)).find((one) => one !== undefined) ?? i
    for (const key of keys) owners.set(key, owner)
    clocks.push(owner)
  }
  return clocks
}

const secondMs = 1000
/** Servers may look at the clock a little before they send, or keep what it showed for a while. */
const leewayMs = 50

interface Dated extends Behind {
  readonly entry: HarEntry
  readonly date: number
}

/** Each reply was dated between its beginning and its end, down to the second. */
const datedOf = (entries: readonly HarEntry[]): readonly Dated[] =>
  entries.flatMap((entry) => {
    const date = Date.parse(headerOf(entry.response, 'date') ?? '')
    const { startedAt, endedAt } = entry
    return Number.isNaN(date) || endedAt === undefined
      ? []
      : [{ entry, date, least: date - endedAt - leewayMs, most: date + secondMs - startedAt + leewayMs }]
  })

const both = (one: Behind, other: Behind): Behind => ({
  least: Math.max(one.least, other.least),
  most: Math.min(one.most, other.most),
})

const anything: Behind = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }

/** What all replies of a recorder agree with. */
const behindOf = (entries: readonly HarEntry[]): Behind | undefined => {
  const told = datedOf(entries)
  const all = told.reduce<Behind>(both, anything)
  // Replies of several hosts, or out of a cache, may be dated by other clocks.
  return told.length > 0 && all.least <= all.most ? all : undefined
}

/** The entries of one recorder, with times that go on where its clock was set back. */
const inOneGo = (entries: readonly HarEntry[]): readonly HarEntry[] =>
  asDatedWhere(entries, (parts) => parts.some((part, i) => i > 0 && isSetBack(parts[i - 1] as Steady, part))) ?? entries

/**
 * The entries of a file as they would be timed if it was put together of those of several recorders, whose clocks differ as the dates of the
 * replies tell. Servers whose clocks differ tell the same, so it is one of two readings.
 * @returns undefined where the dates tell of one clock, or of one that was set back
 */
export const asOfSeveral = (entries: readonly HarEntry[]): readonly HarEntry[] | undefined =>
  inOneGo(entries) === entries ? asDatedWhere(entries, (parts) => parts.length > 1) : undefined

/** The entries, those of each host whose parts pass the test timed by the dates of its replies; undefined where none does. */
const asDatedWhere = (
  entries: readonly HarEntry[],
  areSuch: (parts: readonly Steady[]) => boolean,
): readonly HarEntry[] | undefined => {
  const hosts = grouped(entries, ({ url }) => url?.host ?? '')
  const set = new Map([...hosts.values()].flatMap((own, host) => [...asDated(own, host, areSuch)]))
  return set.size === 0 ? undefined : entries.map((one) => set.get(one) ?? one)
}

/** What replies between two settings of a clock agree with, and those that fit no other part of the time. */
interface Steady {
  readonly behind: Behind
  readonly own: readonly Dated[]
}

const isFit = (behind: Behind, one: Behind): boolean => behind.least <= one.most && one.least <= behind.most

const steadyOf = (entries: readonly HarEntry[]): readonly Steady[] => {
  const dated = [...datedOf(entries)].sort((a, b) => a.date - b.date)
  const parts: Behind[] = []
  for (const one of dated) {
    const fit = parts.filter((behind) => isFit(behind, one))
    const [only] = fit
    if (!only) parts.push({ least: one.least, most: one.most })
    else if (fit.length === 1) parts[parts.indexOf(only)] = both(only, one)
  }
  return parts.map((behind) => ({
    behind,
    own: dated.filter((one) => isFit(behind, one) && parts.filter((other) => isFit(other, one)).length === 1),
  }))
}

const mostSettings = 4
const leastReplies = 5
/** No two servers of a target differ by more. */
const farMs = 60_000

const firstOf = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
const lastOf = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)

/**
 * Whether a clock was set back between two parts of the time: the one is dated before the other, though times say otherwise. Servers whose
 * clocks differ answer by turns, or in so short a time that they seem not to.
 */
const isSetBack = (one: Steady, other: Steady): boolean => {
  const ms = other.behind.least - one.behind.most
  const dates = [one, other].map(({ own }) => own.map(({ date }) => date))
  const told = [one, other].map(({ own }) => own.map(({ entry }) => entry.toldAt))
  const spans = dates.map((own) => lastOf(own) - firstOf(own))
  const [before = [], after = []] = dates
  const [toldBefore = [], toldAfter = []] = told
  return (
    ms > 0 &&
    firstOf(after) >= lastOf(before) &&
    firstOf(toldAfter) < lastOf(toldBefore) &&
    (ms > farMs || firstOf(spans) > ms + secondMs)
  )
}

/** The new times of a host's entries, where the parts that its replies tell of pass the test; none otherwise. */
const asDated = (
  entries: readonly HarEntry[],
  host: number,
  areSuch: (parts: readonly Steady[]) => boolean,
): ReadonlyMap<HarEntry, HarEntry> => {
  const parts = steadyOf(entries)
  const [first] = parts
  const isTold = parts.length <= mostSettings && parts.every(({ own }) => own.length >= leastReplies)
  if (!first || !isTold || !areSuch(parts)) return new Map()
  const shifts = parts.map(({ behind: { least, most } }, i) => ({
    clock: host * mostSettings + i,
    by: (least + most - first.behind.least - first.behind.most) / 2,
    slack: (most - least) / 2,
  }))
  const shiftOf = new Map(parts.flatMap(({ own }, i) => own.map(({ entry }) => [entry, shifts[i]] as const)))
  const by = shifts.map((shift) => shift.by)
  return new Map(
    entries.map((one) => {
      const shift = shiftOf.get(one)
      return [one, shift ? moved(one, shift.clock, shift.by, shift.slack) : widened(one, by)]
    }),
  )
}

/**
 * The entries of a file in which times go back now and then though no reply is dated, as they would be timed if the clock of the recorder
 * was set back there: one part after the other. That may also be a file which was put together of others, so it is one of two readings.
 * @returns undefined where no time goes back, too many do, or one goes back too far
 */
export const asSetBack = (entries: readonly HarEntry[]): readonly HarEntry[] | undefined => {
  if (datedOf(entries).length >= leastReplies) return undefined
  // Recorders write entries as calls begin or as they end.
  const [parts = []] = [({ toldAt }: HarEntry) => toldAt, ({ toldAt, ms }: HarEntry) => toldAt + ms]
    .map((timeOf) => goingOn(entries, timeOf))
    .sort((a, b) => a.length - b.length)
  if (parts.length < 2 || parts.length > mostSettings || !parts.every((part, i) => isNear(parts[i - 1], part)))
    return undefined
  let now = Number.NEGATIVE_INFINITY
  return parts.flatMap((part, clock) => {
    const by = clock === 0 ? 0 : now + 1 - firstOf(part.map(({ startedAt }) => startedAt))
    now = by + lastOf(part.map(({ startedAt, endedAt }) => endedAt ?? startedAt))
    return part.map((entry) => moved(entry, clock, by, 0))
  })
}

/** The most that a clock is set back by itself, in small corrections. What lies further back was written elsewhere in the file. */
const mostSetBackMs = 5000

const isNear = (before: readonly HarEntry[] | undefined, after: readonly HarEntry[]): boolean =>
  before === undefined || (before.at(-1)?.toldAt ?? 0) - (after[0]?.toldAt ?? 0) <= mostSetBackMs

/** The entries in parts within which no time is before the one that precedes it. */
const goingOn = (
  entries: readonly HarEntry[],
  timeOf: (entry: HarEntry) => number,
): readonly (readonly HarEntry[])[] => {
  const parts: HarEntry[][] = []
  for (const entry of entries) {
    const part = parts.at(-1)
    const before = part?.at(-1)
    if (part && before && timeOf(before) <= timeOf(entry) + entry.unitMs) part.push(entry)
    else parts.push([entry])
  }
  return parts
}

/** An entry of which no date tells by which setting of the clock it was timed. */
const widened = (entry: HarEntry, shifts: readonly number[]): HarEntry => {
  const { startedAt, endedAt } = entry
  return {
    ...entry,
    startedAt: startedAt + Math.min(...shifts),
    endedAt: endedAt === undefined ? undefined : endedAt + Math.max(...shifts),
    surely: undefined,
  }
}

const moved = (entry: HarEntry, clock: number, by: number, slack: number): HarEntry => {
  const startedAt = entry.startedAt + by
  const endedAt = entry.endedAt === undefined ? undefined : entry.endedAt + by
  return {
    ...entry,
    toldAt: entry.toldAt + by,
    startedAt: startedAt - slack,
    endedAt: endedAt === undefined ? undefined : endedAt + slack,
    surely: entry.surely && { from: entry.surely.from + by + slack, to: entry.surely.to + by - slack },
    own: { clock, from: startedAt, to: endedAt ?? Number.POSITIVE_INFINITY },
  }
}
