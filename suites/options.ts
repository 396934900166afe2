// What a run is asked for, and what its worker needs to know of it; plain values, since vitest runs suites in a thread of its own.

import type { Target } from '../config/target-file.js'
import type { Credentials } from '../driver/expiry.js'
import type { Reached } from '../reference/target.js'
import type { ExpectedFinding, ReportKind } from '../reports/index.js'
import type { Absent } from './absent.js'

export interface Filters {
  /** Globs; all when empty. */
  readonly areas: readonly string[]
  readonly operations: readonly string[]
  readonly clauses: readonly string[]
  /** This shard, from 1, of that many. */
  readonly shard: readonly [number, number]
}

export interface RunOptions {
  /** File or URL of the target; the target file upward from `cwd`, else the embedded target, when left out. */
  readonly target?: string | undefined
  /** The target as a value, in place of a file; such a run stays in one thread. */
  readonly given?: Target
  readonly cwd: string
  readonly out: string
  readonly seed: number
  readonly level: 'must' | 'should'
  readonly filters: Filters
  /** How long a target is waited for that does not answer yet. */
  readonly waitMs?: number | undefined
  readonly maxTimeMs?: number | undefined
  /** The most requests that are sent, with those that remove what was made. */
  readonly maxRequests?: number | undefined
  readonly maxFindings?: number | undefined
  readonly expected?: readonly ExpectedFinding[] | undefined
  readonly reports: readonly ReportKind[]
  /** Programs at a time; when left out, as many as the target file allows where that saves waiting. */
  readonly workers?: number | undefined
  /** Requests a second, in place of the target file's. */
  readonly perSecond?: number | undefined
  /** Random programs for each area; in all, and in place of the probes, where `fuzz` is set. */
  readonly programs: number
  readonly fuzz: boolean
  /** Folder in which `fuzz` keeps programs that reached something. */
  readonly corpus?: string | undefined
  /** As typed, for the record. */
  readonly command: string
}

/** What the worker that runs the suites needs; survives structured cloning. */
export interface RunContext {
  readonly options: RunOptions
  readonly nonce: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  /** The embedded target, where that is the one under test; the worker starts it, since changing threads costs more than a call. */
  readonly embedded?: Reached & { readonly port: number }
  /** How a secret that expires in the middle of the run is told. */
  readonly credentials?: Credentials
  /** How long the quickest call took before the run; left out where none was sent. */
  readonly quickestMs?: number
  /** How many requests were sent before the run. */
  readonly requests?: number
  /** Why nothing is to be sent, where that was clear before the run. */
  readonly unreachable?: string
  /** Fixtures that are not on the target. */
  readonly absent?: readonly Absent[]
  /** Its existence asks the worker to come to an end. */
  readonly stopFile: string
}
