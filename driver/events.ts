// Checks that a success emits its event, where the target file's hook can read events; not how events are read.

import type { EventsEntry } from '../history/entry.js'
import type { Operation } from '../models/language/operation.js'
import { clauseOf } from '../oracle/due.js'
import { HookError } from './hooks.js'

type ReadEvents = (since: Date) => Promise<readonly { readonly action: string }[]>

export interface EventWatch {
  /** Which of the events that a successful call should have emitted have come; undefined where none can be read. */
  readonly after: (op: Operation, expected: readonly string[]) => Promise<Omit<EventsEntry, 'kind' | 'n'> | undefined>
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

/** Counts events by kind from now on: each success must bring one more of its kind. */
export const createEventWatch = ({ readEvents: hook, onFailure, sleep, patienceMs }: Options): EventWatch => {
  let readEvents = hook
  const since = new Date(Date.now())
  const counts = new Map<string, number>()
  /** Kinds that did not come once: waiting for them again would tell nothing new. */
  const missed = new Set<string>()
  const count = async (read: ReadEvents, event: string): Promise<number> =>
    (await read(since)).filter(({ action }) => action === event).length

  /** Waits for one event more than there were; other callers may have brought further ones. */
  const arrives = async (read: ReadEvents, event: string): Promise<boolean> => {
    const before = counts.get(event) ?? 0
    for (let pause = firstPauseMs, waited = 0; ; waited += pause, pause *= 2) {
      const now = await count(read, event)
      if (now > before) {
        counts.set(event, now)
        return true
      }
      if (waited >= patienceMs || missed.has(event)) {
        missed.add(event)
        return false
      }
      await sleep(pause)
    }
  }

  return {
    after: async (op, expected) => {
      const known = expected.filter((event) => clauseOf(op, `emits.${event}`))
      if (!readEvents || known.length === 0) return undefined
      const heard: string[] = []
      for (const event of known) {
        const hasArrived = await arrives(readEvents, event).catch((error: unknown) => {
          if (!(error instanceof HookError)) throw error
          onFailure(error)
          readEvents = undefined
        })
        // What the hook cannot tell is held against nobody.
        if (hasArrived === undefined || !readEvents) return undefined
        if (hasArrived) heard.push(event)
      }
      return { heard, missing: known.filter((event) => !heard.includes(event)), withinMs: patienceMs }
    },
  }
}
