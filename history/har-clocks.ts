// Puts files of several recorders on one clock: that of the target, which tells its time with every reply.

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
  const behind = new Map(
    [...new Set(clocks)].map((clock) => [clock, behindOf(files.filter((_, i) => clocks[i] === clock).flat())]),
  )
  const first = behind.get(0)
  if (behind.size < 2) return files
  if (!first || [...behind.values()].includes(undefined)) return files.map((entries) => entries.map(asEarlyAsMayBe))
  return files.map((entries, i) => {
    const clock = clocks[i] as number
    const { least, most } = behind.get(clock) as Behind
    // The first file keeps the hour that it shows.
    const by = (least + most - first.least - first.most) / 2
    return entries.map((entry) => moved(entry, clock, by, (most - least) / 2))
  })
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

/** What all replies of a recorder agree with: each was dated between its beginning and its end, down to the second. */
const behindOf = (entries: readonly HarEntry[]): Behind | undefined => {
  const told = entries.flatMap(({ response, startedAt, endedAt }) => {
    const date = Date.parse(headerOf(response, 'date') ?? '')
    return Number.isNaN(date) || endedAt === undefined
      ? []
      : [{ least: date - endedAt - leewayMs, most: date + secondMs - startedAt + leewayMs }]
  })
  const least = Math.max(...told.map((one) => one.least))
  const most = Math.min(...told.map((one) => one.most))
  // Replies of several hosts, or out of a cache, may be dated by other clocks.
  return told.length > 0 && least <= most ? { least, most } : undefined
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
