// Reads the events that the target file's hook returns, and counts the new ones; the oracle decides what they mean.

import type { EventsEntry } from '../history/entry.js'
import type { Awaited } from '../oracle/events.js'
import { HookError } from './hooks.js'

type ReadEvents = (since: Date) => Promise<readonly { readonly action: string }[]>

export interface EventWatch {
  /** Counts what was emitted before the first call that may emit something: the clock of the target may be ahead of this one. */
  readonly begin: () => Promise<void>
  /** How many more events there are of the awaited kinds, as calls beside it may change them; undefined if none can be read. */
  readonly after: (awaited: () => readonly Awaited[]) => Promise<Omit<EventsEntry, 'kind' | 'n'> | undefined>
}

interface Options {
  readonly readEvents: ReadEvents | undefined
  /** Told of the error of the hook, which is not called again. */
  readonly onFailure: (error: unknown) => void
  readonly sleep: (ms: number) => Promise<void>
  /** How long an event may take to appear. */
  readonly patienceMs: number
}

const firstPauseMs = 20
const longestPauseMs = 320
/** So long after one reading of the events of before comes the next. */
const calmMs = 500
/** By how much the clock of the target may be behind this one. */
const behindMs = 10 * 60_000

/** Counts events by kind from now on. */
export const createEventWatch = ({ readEvents: hook, onFailure, sleep, patienceMs }: Options): EventWatch => {
  let readEvents = hook
  const since = new Date(Date.now() - behindMs)
  const counts = new Map<string, number>()

  /** Waits until there are enough, and returns how many more there are of each kind than were counted, whoever caused them. */
  const further = async (
    read: ReadEvents,
    awaited: () => readonly Awaited[],
  ): Promise<Pick<EventsEntry, 'further' | 'waitedMs'>> => {
    const kinds = awaited().map(({ event }) => event)
    for (let pause = firstPauseMs, waited = 0; ; waited += pause, pause = Math.min(2 * pause, longestPauseMs)) {
      const all = await read(since)
      // Since this was asked for, other calls may have counted some of the events.
      const moreOf = (event: string): number => Math.max(0, countOf(all, event) - (counts.get(event) ?? 0))
      if (waited < patienceMs && awaited().some(({ event, atLeast }) => moreOf(event) < atLeast)) {
        await sleep(pause)
        continue
      }
      const found = kinds.map((event) => [event, moreOf(event)] as const)
      for (const [event, n] of found) counts.set(event, (counts.get(event) ?? 0) + n)
      return { further: Object.fromEntries(found), ...(waited > 0 && { waitedMs: waited }) }
    }
  }

  /** If the hook fails, it is not called again, and no event is missed. */
  const using = async <T>(what: (read: ReadEvents) => Promise<T>): Promise<T | undefined> => {
    if (!readEvents) return undefined
    try {
      return await what(readEvents)
    } catch (error) {
      if (!(error instanceof HookError)) throw error
      onFailure(error)
      readEvents = undefined
      return undefined
    }
  }

  /** Events of before may still be coming in: they have when two readings in a row hold as many. */
  const countBefore = async (read: ReadEvents): Promise<void> => {
    let all = await read(since)
    for (let waited = 0; waited < patienceMs; waited += calmMs) {
      await sleep(calmMs)
      const before = all.length
      all = await read(since)
      if (all.length === before) break
    }
    for (const { action } of all) counts.set(action, (counts.get(action) ?? 0) + 1)
  }
  let begun: Promise<void> | undefined

  return {
    begin: async () => {
      begun ??= using(countBefore)
      await begun
    },
    after: async (awaited) =>
      awaited().length === 0
        ? undefined
        : using(async (read) => ({ ...(await further(read, awaited)), withinMs: patienceMs })),
  }
}

const countOf = (all: readonly { readonly action: string }[], event: string): number => {
  let count = 0
  for (const { action } of all) if (action === event) count += 1
  return count
}
