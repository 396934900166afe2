// The history that is judged: calls with their outcomes, and other events; from a live run, a record or a HAR.
import type { TObject } from '@sinclair/typebox'
import type { Operation } from '../models/language/operation.js'
import type { HookName, Role as StepRole } from '../models/language/plan.js'
import type { lines, origin } from './lines.js'
import type { Of } from './schema-words.js'
import type { Outcome, WireCall } from './wire.js'

/** The role of a call in its program: `read` looks, `clean` removes what was made. */
export type Role = StepRole | 'read' | 'clean'

/** Where a call comes from. */
export type Origin = Of<TObject<typeof origin>>

/** A call and its outcome. Times are milliseconds since the start of the history. */
export interface CallEntry extends Origin {
  readonly kind: 'call'
  /** Number of the step; the place in the recording where it told none of its own. */
  readonly n: number
  readonly op: Operation
  readonly call: WireCall
  readonly outcome: Outcome
  readonly role?: Role
  /** Sent without waiting for what it names to come to rest. */
  readonly unsettled?: true
  readonly startedAt: number
  readonly endedAt: number
  /** How long it took; `startedAt` and `endedAt` may lie further apart if they are inexact. */
  readonly ms: number
  /** When it was certainly under way; left out if the times do not tell. */
  readonly surely?: Surely
  /** Left out where nothing is known of it beyond the times. */
  readonly turn?: Turn
  /** By the clock of its recorder, where there are several that may differ. */
  readonly own?: OwnTime
  /** Left out where it neither made nor used anything of which the maker is known. */
  readonly known?: Known
}

/** What tells the order of calls beyond their times: one took effect after that which made what it uses. */
export interface Known {
  readonly made?: string
  readonly uses: ReadonlySet<string>
}

/** From the beginning to the end by the clock of one recorder: the order of calls that have the same clock. */
export interface OwnTime {
  readonly clock: number
  readonly from: number
  readonly to: number
}

/** It may end before it begins: then it surely overlaps only what was under way in between. */
export interface Surely {
  readonly from: number
  readonly to: number
}

/** Calls of one lane are sent in turn: each when those of a lower number had been answered, whatever the times say. */
export interface Turn {
  readonly lane: number
  readonly at: number
}

/** A change brought about outside of the interface. */
export interface HookEntry extends Origin {
  readonly kind: 'hook'
  readonly n: number
  readonly hook: HookName
  readonly args: readonly unknown[]
  readonly startedAt: number
  readonly endedAt: number
}

/** A write that was not recorded well enough to follow it: what was known before may be wrong now. */
export interface BlankEntry {
  readonly kind: 'blank'
  readonly n: number
  readonly as: string | null
  readonly startedAt: number
  readonly endedAt: number
  readonly turn?: Turn
  readonly own?: OwnTime
  readonly program: string
}

/** What is recorded between the calls, as its line tells it. */
type Noted<T extends 'surveyed' | 'events' | 'walked' | 'ended'> = { readonly kind: T } & Omit<
  Of<(typeof lines)[T]>,
  'type'
>

/** All lists of an account were walked, so that everything the target file lists completely is known. */
export type SurveyedEntry = Noted<'surveyed'>

/** How many events the target's log showed after a call, beyond those that it had shown before. */
export type EventsEntry = Noted<'events'>

/** Calls that walked one list over its pages, each walk by the numbers of its calls. */
export type WalkedEntry = Noted<'walked'>

/** A program has come to its end: all its calls are there. */
export type EndedEntry = Noted<'ended'>

/** Entries of traffic. */
export type Entry = CallEntry | HookEntry | BlankEntry

/** Entries of a run other than calls. */
export type Remark = SurveyedEntry | EventsEntry | WalkedEntry | EndedEntry

/** What is numbered or timed by itself. */
export const isTimed = (entry: Entry | Remark): entry is Entry =>
  entry.kind === 'call' || entry.kind === 'hook' || entry.kind === 'blank'

/** An entry of a history that begins only after so many steps of another one. */
export const shifted = (entry: Entry | Remark, by: number): Entry | Remark => {
  switch (entry.kind) {
    case 'call': {
      const { after, group } = entry
      return {
        ...entry,
        n: entry.n + by,
        ...(after !== undefined && { after: after + by }),
        ...(group !== undefined && { group: group + by }),
      }
    }
    case 'hook':
    case 'blank':
    case 'events':
      return { ...entry, n: entry.n + by }
    case 'walked':
      return { ...entry, walks: entry.walks.map((numbers) => numbers.map((n) => n + by)) }
    default:
      return entry
  }
}
