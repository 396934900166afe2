// `touchstone/oracle`: calls and replies of any client in, judgements, findings, causes and the believed world out; nothing is sent.

import { loadFixtures, type TargetFile } from '../config/target-file.js'
import type { Finding, Outcome } from '../history/record.js'
import type { Deviation, Judgement } from '../oracle/judgement.js'
import { openHistoryOf } from './settling.js'

export type { Finding } from '../history/record.js'
export type { Deviation } from '../oracle/judgement.js'

export interface HistoryOptions {
  /**
   * What is known of the target, as a target file says it: accounts, users, tokens with their secrets, fixtures, pins,
   * vocabulary. Without it everything is learnt from the calls, and less can be held against the target.
   */
  readonly target?: string | Partial<TargetFile>
  /** What stands before the paths of the interface; `/v4` when left out, and nothing as well. */
  readonly prefix?: string
}

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
   */
  readonly add: (exchange: Exchange) => number | undefined
  /** How many exchanges were taken in. */
  readonly size: () => number
  /** Judges all that was taken in so far; the judgement of a call may be refined by calls that come later. */
  readonly judge: () => Judged
  /** What is believed after the last call of a caller: a token of the target, or by default whoever called last. */
  readonly world: (as?: string) => BelievedWorld
}

/**
 * Opens a history. Several clients may be recorded in one, calls may overlap, and clients that are not recorded may be
 * at the target as well: what they could have done is not held against it.
 * @throws TargetError naming every problem of the target file
 * @example
 * const history = await openHistory({ target: { tokens: [{ name: 'owner', scopes: '*', secret }] } })
 * history.add({ request: { method: 'GET', url: '/volumes', as: 'owner' }, reply: { status: 200, body }, startedAt: 0, endedAt: 12 })
 * expect(history.judge().findings).toEqual([])
 */
export const openHistory = async ({ target: file, prefix = '/v4' }: HistoryOptions = {}): Promise<History> => {
  const target = file === undefined ? undefined : await loadFixtures(file, process.cwd())
  const { settled: _, close: __, ...history } = openHistoryOf(target, prefix)
  return history
}
