// The journal of the embedded target: the latest requests and what was answered, for tests of clients to assert on.

import type { TrafficSecrets } from '../driver/traffic-secrets.js'
import { redactCall, redactOutcome } from '../history/masking.js'
import type { Outcome, WireCall } from '../history/wire.js'

export interface JournalEntry {
  /** Number of the request since the journal was opened or emptied, from 1. */
  readonly n: number
  /** ISO 8601. */
  readonly at: string
  /** The world that it was answered in. */
  readonly world: string
  /** Passwords and keys are masked; where other texts repeat them or a token, those of eight characters or more. */
  readonly call: WireCall
  /** What was answered, or why nothing was. */
  readonly outcome: Outcome
  /** Kind of the disturbance that it met. */
  readonly disturbed?: string
}

export type Journal = ReturnType<typeof createJournal>

/** Older entries give way. */
const mostEntries = 10_000

export const createJournal = (clock: () => number, secrets: TrafficSecrets) => {
  let entries: JournalEntry[] = []
  let count = 0
  return {
    add: ({ call, outcome, ...entry }: Omit<JournalEntry, 'n' | 'at'>): void => {
      count += 1
      if (entries.length >= mostEntries) entries = entries.slice(mostEntries / 10)
      secrets.hear([call.body, 'body' in outcome ? outcome.body : undefined])
      entries.push({
        n: count,
        at: new Date(clock()).toISOString(),
        ...entry,
        call: secrets.value(redactCall(call)),
        outcome: secrets.value(redactOutcome(outcome)),
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
