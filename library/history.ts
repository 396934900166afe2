// What the library's histories take in and hand out: exchanges, judgements, causes, the believed world; types alone.

import type { Finding } from '../history/record.js'
import type { Outcome } from '../history/wire.js'
import type { Deviation, Judgement } from '../oracle/judgement.js'

/** A request as it was sent. */
export interface SentRequest {
  readonly method: string
  /** A URL, or its path and query. */
  readonly url: string
  /** The header `Authorization`; undefined where none was sent. It is compared and forgotten. */
  readonly authorization?: string
  /** Name of a token of the target file in its place; null for nobody. */
  readonly as?: string | null
  /** Parsed JSON; absent where there was no body. */
  readonly body?: unknown
  /** A file that was sent as multipart/form-data. */
  readonly file?: { readonly field: string; readonly name: string; readonly bytes: number }
}

/** A request with its reply, or with the reason why there was none. Times are milliseconds from any moment on. */
export interface Exchange {
  readonly request: SentRequest
  readonly reply: Outcome
  readonly startedAt: number
  readonly endedAt: number
}

/** What one call is judged to be. */
export interface JudgedCall {
  /** The number that `add` gave. */
  readonly n: number
  readonly operation: string
  /** Whether a refusal was due, an acceptance, or either was legal. */
  readonly expects: Judgement['expects']
  readonly verdict: Judgement['verdict']
  readonly deviations: readonly Deviation[]
  /** Ids of the clauses that were decided by this reply, and held. */
  readonly held: readonly string[]
  /** What the target decided by itself, by the id of the choice. */
  readonly choices: readonly { readonly id: string; readonly value: string }[]
}

/** What explains one or more findings, with the shortest program that shows it. */
export interface Cause {
  readonly id: string
  readonly summary: string
  /** Ids. */
  readonly findings: readonly string[]
  readonly operations: readonly string[]
  readonly program: readonly string[]
}

export interface Judged {
  /** In the order in which they were sent. */
  readonly calls: readonly JudgedCall[]
  readonly findings: readonly Finding[]
  readonly causes: readonly Cause[]
  /** Numbers of calls that overlap too much to be put in order; only what is wrong in itself is told of them. */
  readonly undecided: readonly number[]
}

/** What is believed to exist, by table: `volumes`, `firewalls`, … An absent member is not known. */
export type BelievedWorld = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

export interface History {
  /**
   * Takes in an exchange, in the order in which they ended or any other.
   * @returns its number from 1, or undefined where no operation of the interface has its method and path
   * @throws TypeError naming each member that is missing or ill-typed
   */
  readonly add: (exchange: Exchange) => number | undefined
  /** How many exchanges were taken in. */
  readonly size: () => number
  /** Judges all that was taken in so far; the judgement of a call may be refined by calls that come later. */
  readonly judge: () => Judged
  /** What is believed after the last call of a caller: a token of the target, or by default whoever called last. */
  readonly world: (as?: string) => BelievedWorld
}
