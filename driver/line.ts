// Which programs side by side are under way, and which of those in line may begin; sends nothing.

import type { Lock } from './locks.js'
import { createShares, type LateLocks } from './shares.js'

/** Jobs that are run as one. */
interface Unit<Job> {
  readonly jobs: readonly Job[]
  readonly locks: readonly Lock[]
}

/** A unit that is under way. */
export interface Active<Job> {
  /** The jobs of all units that were under way at the same time. The set grows as others begin. */
  readonly meets: ReadonlySet<Job>
  /** Its locks that are not taken from the start. */
  readonly late: LateLocks
  /** Waits while others may begin. */
  readonly nap: (waited: Promise<void>) => Promise<void>
}

interface Known<Job> extends Active<Job> {
  readonly meets: Set<Job>
  readonly isAsleep: () => boolean
}

/** The most units that may take what a waiting one needs alone before they leave it to that. Without any, much would stay unused. */
const mostOvertaking = 12

/**
 * @param waiting units in their order; those that begin are taken out
 * @param most how many are under way at a time, without those that wait
 * @param wake called when further ones may begin
 */
export const createLine = <Job, U extends Unit<Job>>(waiting: U[], most: number, wake: () => void) => {
  const underWay = new Map<U, Known<Job>>()
  const shares = createShares()

  const heldBy = (unit: U): readonly Lock[] => (underWay.get(unit)?.late.areTaken() ? unit.locks : soonOf(unit))

  /** Whether a unit can begin, unless one before it in line needs one of its locks alone. */
  const isReady = (locks: readonly Lock[], kept: ReadonlySet<string>): boolean =>
    shares.areFree(locks) && !locks.some(({ key }) => kept.has(key))

  /** The keys of what is had by those that are asleep. */
  const keysOf = (asleep: readonly U[]): ReadonlySet<string> =>
    new Set(asleep.flatMap((unit) => heldBy(unit).map(({ key }) => key)))

  /** Keys that those after a unit do not take before it, as it needs them alone; none where one that is asleep has one of them. */
  const keptFor = (locks: readonly Lock[], idle: ReadonlySet<string>): readonly string[] => {
    const awaited = shares.awaited(locks)
    return awaited.some((key) => idle.has(key)) ? [] : awaited
  }

  /** How many units have begun that took what a waiting one needs alone; one that is under way waits for its late locks. */
  const overtaken = new Map<U, number>()
  /** Those that are passed over, with what they need alone; it is kept for them once enough have overtaken them. */
  const passing = (idle: ReadonlySet<string>) => {
    const passed = new Map<U, readonly string[]>()
    const kept = new Set<string>()
    const note = (unit: U, awaited: readonly string[], more: 0 | 1): void => {
      const times = (overtaken.get(unit) ?? 0) + more
      overtaken.set(unit, times)
      if (times >= mostOvertaking) for (const key of awaited) kept.add(key)
    }
    const pass = (unit: U, locks: readonly Lock[]): void => {
      const awaited = keptFor(locks, idle)
      if (awaited.length > 0) passed.set(unit, awaited)
      note(unit, awaited, 0)
    }
    const overtake = (by: U): void => {
      const keys = new Set(soonOf(by).map(({ key }) => key))
      for (const [unit, awaited] of passed) if (awaited.some((key) => keys.has(key))) note(unit, awaited, 1)
    }
    return { kept, pass, overtake }
  }

  /** Those that may begin now; each has begun when the next is asked for. */
  function* ready(): Generator<U> {
    const asleep = [...underWay.keys()].filter((unit) => underWay.get(unit)?.isAsleep())
    const { kept, pass, overtake } = passing(keysOf(asleep))
    for (const [unit, { late }] of underWay) if (late.areAwaited()) pass(unit, lateOf(unit))
    for (const unit of [...waiting]) {
      if (underWay.size - asleep.length >= most) return
      const locks = soonOf(unit)
      if (!isReady(locks, kept)) {
        pass(unit, locks)
        continue
      }
      overtake(unit)
      waiting.splice(waiting.indexOf(unit), 1)
      yield unit
    }
  }

  const begin = (unit: U, rank: number): Active<Job> => {
    const meets = new Set([...underWay.keys()].flatMap(({ jobs }) => jobs))
    for (const other of underWay.values()) for (const job of unit.jobs) other.meets.add(job)
    const active = { meets, late: shares.late(lateOf(unit), rank), ...createNap(wake) }
    underWay.set(unit, active)
    overtaken.delete(unit)
    shares.take(soonOf(unit))
    return active
  }

  const end = (unit: U): void => {
    underWay.get(unit)?.late.give()
    underWay.delete(unit)
    shares.give(soonOf(unit))
  }

  return { count: () => underWay.size, ready, begin, end }
}

/** What a unit needs from its start, and what from its first use of a fixture on. */
const soonOf = ({ locks }: Unit<unknown>): readonly Lock[] => locks.filter(({ isLate }) => !isLate)
const lateOf = ({ locks }: Unit<unknown>): readonly Lock[] => locks.filter(({ isLate }) => isLate)

const createNap = (wake: () => void) => {
  let count = 0
  return {
    isAsleep: () => count > 0,
    nap: async (waited: Promise<void>): Promise<void> => {
      count += 1
      wake()
      await waited
      count -= 1
    },
  }
}
