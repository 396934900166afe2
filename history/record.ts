// The run record: the types of the lines in run.ndjson, and of what is folded from them; no behaviour.
import type { Environment } from '../models/language/environment.js'
import type { EndedEntry, EventsEntry, Origin, Role, SurveyedEntry, WalkedEntry } from './entry.js'
import type { Outcome, WireCall } from './wire.js'

export type Level = 'must' | 'should' | 'choice' | 'pinned'

export interface ClauseEntry {
  readonly id: string
  readonly area: string
  readonly operation: string
  readonly level: Level
  readonly source: string
  readonly text: string
  /** What the document says that it rests on, word for word. */
  readonly quote?: string
}

export interface OperationEntry {
  readonly id: string
  readonly area: string
  readonly method: string
  readonly path: string
  readonly scopes: readonly string[]
  readonly undo?: Undo
}

/** The operation that removes what another has made. */
export interface Undo {
  readonly method: string
  readonly path: string
  /** What each parameter of the path takes: `id` of the reply, else a member of the request. */
  readonly takes: Readonly<Record<string, string>>
}

/** One step of a finding's program, as it is replayed and printed. */
export interface RecordedStep {
  /** Number of the step in the run. */
  readonly n: number
  readonly call: WireCall
  readonly outcome: Outcome
  /** How the call was made, in one line: `volumes.resize(step 1, {"size":10})`. */
  readonly line: string
  /** Key of what the call made, as the reply told it. */
  readonly made?: string
  /** Sent without waiting for what it names to come to rest. */
  readonly unsettled?: true
}

export interface Finding {
  /** Clause, operation and kind of deviation; stable across runs. */
  readonly id: string
  readonly clause: string
  readonly operation: string
  readonly level: Level
  readonly source: string
  /** One line. */
  readonly summary: string
  /** What the clause requires. */
  readonly requires: string
  readonly expected: string
  readonly received: string
  /** Facts that make the clause due, each with the step that established it. */
  readonly because: readonly string[]
  /** The minimal program; its last step shows the deviation. */
  readonly steps: readonly RecordedStep[]
  /** How many steps the program had before shrinking. */
  readonly shrunkFrom: number
  /** Whether the minimal program showed it again on the target; absent when it was not tried (recorded traffic). */
  readonly confirmed?: boolean
  /** Command line that replays it. */
  readonly replay: string
  /** Text that every name made in the run contains; a replay makes new ones. */
  readonly nonce?: string
}

/** One way in which the target is wrong, told once for all the findings that follow from it. */
export interface Cause {
  /** Stable across runs: the name of a fault, as `touchstone serve --fault` takes it where it is one of the mutants. */
  readonly id: string
  /** What the target behaves as if. */
  readonly summary: string
  /** Ids of the findings that it explains, first the one that tells it best. */
  readonly findings: readonly string[]
  /** Operations in which it shows. */
  readonly operations: readonly string[]
  /** The program of the first of them. */
  readonly program: readonly RecordedStep[]
}

/** `not-selected`: the run was not about it. */
export type ClauseVerdict = 'pass' | 'finding' | 'untested' | 'untestable' | 'observed' | 'not-selected'
export type RunVerdict = 'conforms' | 'nonconforming' | 'inconclusive'

/** An entry of the history as a line. */
type Line<T extends { readonly kind: string }> = { readonly type: T['kind'] } & Omit<T, 'kind'>
/** The evidence without which a run is inconclusive. */
export interface Expectation {
  /** Areas of the selection: a clause of each. */
  readonly areas: readonly string[]
  /** So many clauses in all. */
  readonly passed?: number
  /** Of a shard, which has to show something, and only together with the others all of it. */
  readonly shard?: true
}

/** Where the target file pins choices: its path from the folder of the run, and the line of each choice by its id, from 1. */
export interface PinPlaces {
  readonly file: string
  readonly lines: Readonly<Record<string, number>>
}

/** A line of run.ndjson. `at` is milliseconds since the start of the run. */
export type RecordLine =
  | {
      readonly type: 'start'
      readonly format: 1
      readonly suite: { readonly version: string; readonly commit?: string }
      readonly interface: string
      readonly target: { readonly name: string; readonly baseUrl: string }
      readonly seed: number
      readonly startedAt: string
      readonly command: string
      /** The level that gates. */
      readonly level: 'must' | 'should'
      /** Which part of a run this is, from 1, and of how many; left out where it is whole. */
      readonly shard?: readonly [number, number]
      readonly setting: Environment
      /** What has to pass for the target to conform; absent where the record is of traffic that no run sent. */
      readonly expects?: Expectation
      readonly pinnedIn?: PinPlaces
      /** Those that a narrowed run or a shard is not about are marked. */
      readonly clauses: readonly (ClauseEntry & { readonly selected?: false })[]
      readonly operations: readonly OperationEntry[]
      readonly choices: readonly {
        readonly id: string
        readonly text: string
        readonly pinned: string | number | boolean | null
      }[]
      /** What may be assumed of the target to excuse a deviation, by name. */
      readonly explanations?: readonly { readonly name: string; readonly text: string }[]
      /** Known defects of the document, printed by reports. */
      readonly defects: readonly {
        readonly id: string
        readonly source: string
        readonly text: string
        readonly reading: string
      }[]
    }
  | ({
      readonly type: 'step'
      readonly n: number
      readonly role?: Role
      /** Sent without waiting for what it names to come to rest. */
      readonly unsettled?: true
      readonly at: number
      readonly ms: number
      readonly call: WireCall
      readonly outcome: Outcome
      readonly expects: 'accept' | 'refuse' | 'either'
      readonly verdict: 'pass' | 'finding' | 'inconclusive'
      /** Ids of findings that this step shows. */
      readonly findings?: readonly string[]
      /** What had to be assumed for the reply to be legal, the name of the explanation first: `drift volumes 7 status`. */
      readonly assumed?: readonly string[]
    } & Origin)
  /** A clause was decisive: probe refused and twin accepted, or its statement about a reply held. */
  | { readonly type: 'exercised'; readonly clause: string; readonly step: number; readonly times?: number }
  | {
      readonly type: 'untestable'
      readonly clause: string
      /** What this target lacks: `no fixture "domains"`. Clauses with the same reason are reported together. */
      readonly reason: string
      /** What would make it testable, as an instruction: `list a domain under fixtures.domains`. */
      readonly remedy?: string
    }
  | { readonly type: 'untested'; readonly clause: string; readonly reason: string }
  | { readonly type: 'choice'; readonly id: string; readonly value: string; readonly step: number }
  | { readonly type: 'finding'; readonly finding: Finding }
  /** What the run itself got wrong or could not do; never counted against the target. */
  | {
      readonly type: 'trouble'
      readonly kind: 'suite-defect' | 'unreachable' | 'cut-short' | 'inconclusive'
      readonly text: string
    }
  /** A change brought about by a hook of the target file. */
  | ({ readonly type: 'hook'; readonly n: number; readonly hook: string; readonly args: readonly unknown[] } & Origin)
  /** What tells of the steps before: judged again, they come to the same. */
  | Line<SurveyedEntry>
  | Line<EventsEntry>
  | Line<WalkedEntry>
  | Line<EndedEntry>
  | {
      /** Assumed when a program was over, of the step with that number: nothing is told of it. */
      readonly type: 'assumed'
      readonly n: number
      readonly assumed: string
    }
  | {
      readonly type: 'left'
      readonly kind: string
      readonly key: string
      readonly reason: string
      /** It was removed in the end. */
      readonly gone?: true
    }
  | { readonly type: 'end'; readonly durationMs: number; readonly verdict: RunVerdict }

/** results.json. Its published schema is reports/results.schema.json. */
export interface Results {
  readonly format: 1
  readonly suite: { readonly version: string; readonly commit?: string }
  readonly interface: string
  readonly target: { readonly name: string; readonly baseUrl: string }
  readonly seed: number
  readonly startedAt: string
  readonly durationMs: number
  readonly requests: number
  readonly verdict: RunVerdict
  /** What the run was told, for a reader who did not start it. */
  readonly configuration: {
    readonly command: string
    /** The level that gates. */
    readonly level: 'must' | 'should'
    readonly exclusive: boolean
    /** Names of the tokens. */
    readonly tokens: readonly string[]
    /** Number of fixtures of each kind, without the kinds that have none. */
    readonly fixtures: Readonly<Record<string, number>>
    /** Which part of a run this is, from 1, and of how many; left out where it is whole. */
    readonly shard?: readonly number[]
    /** What has to pass for the target to conform. */
    readonly expects?: Expectation
    readonly pinnedIn?: PinPlaces
  }
  readonly clauses: readonly (ClauseEntry & {
    readonly verdict: ClauseVerdict
    readonly exercised: number
    /** Number of the last step that was evidence. */
    readonly lastStep?: number
    readonly reason?: string
    /** What would make an untestable clause testable. */
    readonly remedy?: string
    /** Time of the requests that were sent to show it; left out where there were none. */
    readonly ms?: number
  })[]
  readonly operations: readonly {
    readonly id: string
    readonly area: string
    readonly method: string
    readonly path: string
    readonly undo?: Undo
    readonly requests: number
    /** Replies by status code; `lost` for none. */
    readonly replies: Readonly<Record<string, number>>
    /** Time of all its requests together, and of the slowest. */
    readonly totalMs: number
    readonly slowestMs: number
  }[]
  /** Which token each operation was called with, and what came of it; `null` is no token. */
  readonly access: readonly {
    readonly operation: string
    readonly as: string | null
    readonly accepted: number
    readonly refused: number
    /** Replies among them that show a finding by being accepted or refused. */
    readonly wrong: number
  }[]
  readonly findings: readonly (Finding & {
    /** Named in the file of expected findings, so it does not gate. */
    readonly expectedFinding?: boolean
    readonly expectedReason?: string
    /** Id of the cause that it belongs to. */
    readonly cause: string
  })[]
  /** The fewest faults that explain the findings, the one with the most findings first. */
  readonly causes: readonly Cause[]
  /** What the target was given the benefit of the doubt for: each explanation, how often, and one instance of it. */
  readonly assumed: readonly { readonly explanation: string; readonly times: number; readonly text: string }[]
  readonly choices: readonly {
    readonly id: string
    readonly text: string
    /** Distinct values, most frequent first. */
    readonly observed: readonly string[]
    readonly pinned: string | number | boolean | null
  }[]
  readonly troubles: readonly { readonly kind: string; readonly text: string }[]
  /** Known defects of the document. */
  readonly defects: readonly {
    readonly id: string
    readonly source: string
    readonly text: string
    readonly reading: string
  }[]
  /** What was created and could not be deleted. */
  readonly left: readonly { readonly kind: string; readonly key: string; readonly reason: string }[]
  /** The run cut into equal slices of time. */
  readonly timeline: {
    readonly sliceMs: number
    readonly slices: readonly {
      readonly requests: number
      readonly lost: number
      readonly totalMs: number
      readonly slowestMs: number
    }[]
  }
  /** Named expected findings whose clause was judged in this run without showing them. */
  readonly stale?: readonly string[]
}
