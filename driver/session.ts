// What a session is: one run against one target, with its belief, its record, and the ways to send calls.

import type { PlanContext } from '../arbitraries/plan-fixtures.js'
import type { SendableCall } from '../history/calls.js'
import type { EndedEntry, Origin, Role, WalkedEntry } from '../history/entry.js'
import type { RecordLine } from '../history/record.js'
import type { Outcome, WireCall } from '../history/wire.js'
import type { Environment } from '../models/language/environment.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args, HookName } from '../models/language/plan.js'
import type { World } from '../models/language/world.js'
import type { Conclusion } from '../oracle/conclusion.js'
import type { Fold } from '../oracle/fold.js'
import type { Judged } from '../oracle/judgement.js'
import type { Creation, LostCreation } from './made.js'
import type { Memory } from './memory.js'
import type { OwnThings } from './standing.js'

/** What a session reaches the target through. */
export interface Transport {
  readonly send: (call: SendableCall, step: number) => Promise<Outcome>
}

/** How long a run sends calls. */
export interface RunTime {
  /** Whether nothing more may begin: what is under way ends, and what was made is removed. */
  readonly isOver: () => boolean
  /** Whether the time for removing things is over too. */
  readonly isSpent: () => boolean
}

export interface SessionOptions {
  readonly environment: Environment
  readonly transport: Transport
  readonly emit: (line: RecordLine) => void
  /** Notes a creation before it is sent, and what became of it. */
  readonly ledger: (line: LedgerLine) => void
  readonly hooks: Partial<Record<HookName, (...args: never[]) => Promise<unknown>>> & {
    readonly readEvents?: (since: Date) => Promise<readonly { readonly action: string }[]>
    readonly reset?: () => Promise<void>
  }
  readonly nonce: string
  readonly settleMs: number
  /** How long a change may take to show in lists. */
  readonly listLagMs: number
  /** Waits, but not much longer than the run lasts. */
  readonly sleep: (ms: number) => Promise<void>
  /** Shows a message about what takes long. */
  readonly say?: (text: string) => void
  /** How long calls are sent; as long as the session is used when left out. */
  readonly time?: RunTime
  /** Milliseconds since the start of the run. */
  readonly clock: () => number
  readonly certificate: PlanContext['certificate']
  /** Free text of people; names are used when left out. */
  readonly prose?: PlanContext['prose']
  readonly attachmentField: string
  /** The command that replays a finding. */
  readonly replayLine: (findingId: string) => string
}

export interface LedgerLine {
  /**
   * - `run` begins the lines of a run.
   * - `creating`: a creation is about to be sent. `created`, `refused`, `untold`: it made this, it made nothing, nothing tells what it made.
   * - `proven`: the target has shown that this is of the run's making.
   * - `lent`: what a lent thing was like before it was changed, or where it was before it was moved, in `body`.
   * - `changing`: a call is about to be sent that asks of a lent thing what `body` tells. `unanswered`: it had no reply.
   * - `shown`: what a lent thing was seen to be like after that.
   * - `removed`: it is gone; of what can only be closed, that it is closed; of what was lent, that it is as it was.
   * - `left`: it could not be removed.
   */
  readonly event:
    | 'run'
    | 'creating'
    | 'untold'
    | 'created'
    | 'refused'
    | 'proven'
    | 'removed'
    | 'left'
    | 'lent'
    | 'changing'
    | 'unanswered'
    | 'shown'
  readonly step: number
  readonly kind: string
  readonly operation: string
  readonly key?: string
  readonly url?: string
  /** The account that holds the thing; ledgers of earlier versions do not tell it. */
  readonly account?: string
  /** Of a run, the address of its target. */
  readonly baseUrl?: string
  /** The sent body, by which an item is recognised whose key was never told. */
  readonly body?: unknown
  /** Of what is left, that its removal was asked for and should have been done. */
  readonly isStuck?: true
  /** Of a creation that told nothing, all that there was of its kind before. */
  readonly known?: readonly string[]
}

/** A call that was sent, with its outcome and its judgement. */
export interface Sent extends Judged {
  /** The read that was sent right after it, before it was judged. */
  readonly begun?: Promise<Exchanged>
}

/** An operation and the values to call it with. */
export interface Planned {
  readonly op: Operation
  readonly args: Args
}

export interface Session {
  readonly options: SessionOptions
  readonly context: PlanContext
  /** The judge, the same that judges the record again. */
  readonly fold: Fold
  readonly world: () => World
  /** Where the calls of one more run of a program come from. */
  readonly originOf: (program: string) => ProgramOrigin
  /** Sends a call, judges it and records it. A read that follows in any case is sent before the call is judged. */
  readonly send: (
    origin: Origin,
    op: Operation,
    args: Args,
    role: Role,
    follow?: (call: WireCall, outcome: Outcome) => Planned | undefined,
  ) => Promise<Sent>
  /** Sends reads one after another, each judged while the next is under way; one that has begun comes first. */
  readonly sendReads: (origin: Origin, reads: readonly Planned[], begun?: Sent['begun']) => Promise<readonly Sent[]>
  /** Sends lanes of calls at the same time, and judges them together: some order of them must explain every reply. */
  readonly sendTogether: (origin: Origin, lanes: readonly (readonly Planned[])[]) => Promise<readonly Sent[]>
  /** Runs a function on independent things: in turn, or at once where programs run side by side. */
  readonly each: <T, R>(things: readonly T[], what: (thing: T) => Promise<R>) => Promise<readonly R[]>
  /** Runs several reads while nothing changes that the given one would show. */
  readonly hold: <T>(read: Planned, what: () => Promise<T>) => Promise<T>
  readonly callHook: (origin: Origin, name: HookName, args: readonly unknown[]) => Promise<void>
  /** Records that all of an account has been looked at. */
  readonly surveyed: (account: string) => void
  /** Records which calls walked a list. */
  readonly walked: (entry: Omit<WalkedEntry, 'kind'>) => void
  /**
   * A session with the same run, belief and record that keeps its own creations. Calls are not sent again where they may have come too
   * early; `patient` makes them so.
   */
  readonly hasty: () => Session
  readonly patient: (session: Session) => Session
  /** Repeats several calls until none deviates, or until nothing may be late any more. */
  readonly untilShown: <T>(first: T, isAmiss: (one: T) => boolean, again: () => Promise<T>) => Promise<T>
  /** What is done between the steps of a program, however many it has. */
  readonly tend: () => Promise<void>
  /** Whether other programs run beside those of this session. */
  readonly isBeside: boolean
  /** Records that a program is over. */
  readonly end: (entry: Omit<EndedEntry, 'kind'>) => Conclusion
  readonly creations: Creation[]
  /** Takes in what the session has made. What had the same id before is gone. */
  readonly keep: OwnThings['keep']
  /** Whether what has that key now was made by another session: the id of what was removed may be given again. */
  readonly isOthers: OwnThings['isOthers']
  /** The kind of each thing that the sessions of the run have made, or may have, and are still to remove. */
  readonly standing: () => readonly AnyTable[]
  /** The kinds that the ledger of the run tells of. */
  readonly kinds: ReadonlySet<string>
  /** Creations whose reply was lost, and that may have made something. */
  readonly lost: LostCreation[]
  /** Ids of findings that have been reported. */
  readonly found: Set<string>
  /** What else is told once: texts, or the names of what they are about. */
  readonly said: Set<string>
  /** What is remembered from one program to the next. */
  readonly memory: Memory
  /** By name of the table, how long the last entity took to come to rest. */
  readonly rests: Map<string, number>
  /** Milliseconds spent waiting for the target. */
  readonly waitedMs: () => number
  readonly mainToken: string | null
  /** Whether a clause has been exercised. */
  readonly isHeld: (clause: string) => boolean
  /** Whether nothing more may begin. */
  readonly isOver: () => boolean
  /** What is wrong with the target, where it is not asked any more. */
  readonly gone: () => string | undefined
  /** Why its refusals tell nothing of the target: it takes no write at all. */
  readonly barred: () => string | undefined
  /** Whether something of a kind, by the name of its table, was removed. */
  readonly wasRemoved: (kind: string) => boolean
  /** Leaves room for what is to show a finding again, where much could not be removed. */
  readonly spare: () => void
}

/** Where the calls of a program come from. */
export type ProgramOrigin = Origin & { readonly instance: number }

/** A call with its outcome, before it is judged. */
export interface Exchanged {
  readonly op: Operation
  readonly call: SendableCall
  readonly wire: WireCall
  readonly outcome: Outcome
  readonly step: number
  readonly at: number
  readonly ms: number
  readonly unsettled: boolean
}
