// The journal of the embedded target: the latest requests and what was answered, for tests of clients to assert on.

import { redactCall, redactOutcome } from '../history/masking.js'
import type { Outcome, WireCall } from '../history/wire.js'

export interface JournalEntry {
  /** Number of the request since the journal was opened or emptied, from 1. */
  readonly n: number
  /** ISO 8601. */
  readonly at: string
  /** The world that it was answered in. */
  readonly world: string
  /** Passwords and keys in it are masked. */
  readonly call: WireCall
  /** What was answered, or why nothing was. */
  readonly outcome: Outcome
  /** Kind of the disturbance that it met. */
  readonly disturbed?: string
}

export type Journal = ReturnType<typeof createJournal>

/** Older entries give way. */
const mostEntries = 10_000

export const createJournal = (clock: () => number) => {
  let entries: JournalEntry[] = []
  let count = 0
  return {
    add: ({ call, outcome, ...entry }: Omit<JournalEntry, 'n' | 'at'>): void => {
      count += 1
      if (entries.length >= mostEntries) entries = entries.slice(mostEntries / 10)
      entries.push({
        n: count,
        at: new Date(clock()).toISOString(),
        ...entry,
        call: redactCall(call),
        outcome: redactOutcome(outcome),
      })
    },
    /** Oldest first. */
    all: (): readonly JournalEntry[] => entries,
    clear: (): void => {
      entries = []
      count = 0
    },
  }
}
