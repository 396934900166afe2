// What recorded traffic is, wherever it was recorded; HAR files are read in har.ts, the records of runs in run-reader.ts.

import type { Environment } from '../models/language/environment.js'
import type { Entry, Remark } from './entry.js'
import type { RecordLine } from './record.js'

export interface Recording {
  /** A run of this suite, of which all is known; or traffic, beside which others may have acted. */
  readonly kind: 'run' | 'traffic'
  readonly environment: Environment
  readonly baseUrl: string
  /** Text that only names made in the run contain; empty for traffic. */
  readonly nonce: string
  /** Calls in the order in which they were sent, or, in a run, judged. */
  readonly events: readonly (Entry | Remark)[]
  /** Writes of a history before this one that may take effect in it; their numbers are below those of its own. */
  readonly late?: readonly Entry[]
  /** Whether the calls are those of one worker, which sends one after another but where it races some. */
  readonly sequential: boolean
  /** Whether calls of the clients that were recorded may be missing. */
  readonly mayLack?: boolean
  /** How long a change may take to show in lists. */
  readonly listLagMs: number
  /** What a run was asked for; left out for traffic. */
  readonly asked?: Asked
  /** The level that decided the verdict where this was judged before; left out for what was only recorded. */
  readonly level?: GatingLevel
  /** What a run said of clauses that it could not decide; left out for traffic. */
  readonly undecided?: readonly Undecided[]
  /** Ids of findings that a run withdrew; left out for traffic. */
  readonly withdrawn?: readonly string[]
  /** Entries that were not judged, by the reason. */
  readonly ignored: Readonly<Record<string, number>>
}

/** One way to read files. */
export interface Reading {
  readonly recordings: readonly Recording[]
  /** What nothing in the files tells for certain, by the name of the explanation, with what it is supposed of. */
  readonly supposes: readonly { readonly name: 'clock' | 'clocks' | 'origins'; readonly of: string }[]
}

/** Of the first line of a run, what it was asked for. */
export type Asked = Pick<
  Extract<RecordLine, { readonly type: 'start' }>,
  'startedAt' | 'seed' | 'clauses' | 'shard' | 'expects' | 'pinnedIn'
>

/** The level of findings that decide a verdict. */
export type GatingLevel = Extract<RecordLine, { readonly type: 'start' }>['level']

/** Why clauses are not decided: what the target lacks, what kept a program from it, or an end before its time. */
export type Undecided = Extract<RecordLine, { readonly type: 'untestable' | 'untested' | 'trouble' }>

/** A recording that can't be read: where, what was expected and what was received. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'
}

export const deepest = 100

/** Whether a value is nested deeper than anything that the interface has, so that walking it could go wrong. */
export const isTooDeep = (value: unknown): boolean => {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth < deepest; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return true
}

export const count = (counts: Record<string, number>, reason: string): void => {
  counts[reason] = (counts[reason] ?? 0) + 1
}
