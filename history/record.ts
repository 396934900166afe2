// The run record: the types of the lines in run.ndjson, and of what they tell, as their schemas have them; no behaviour.
import type { TObject } from '@sinclair/typebox'
import type { clause, lines, operation } from './lines.js'
import type { Of } from './schema-words.js'
import type {
  cause,
  expectationMembers,
  findingMembers,
  level,
  operationMembers,
  pinPlaces,
  recordedStep,
} from './shapes.js'

export type Level = Of<typeof level>

export type ClauseEntry = Omit<Of<typeof clause>, 'selected'>

export type OperationEntry = Of<typeof operation>

/** The operation that removes what another has made. */
export type Undo = Of<(typeof operationMembers)['undo']>

/** Where what an operation made is looked at until it has come to rest. */
export type Rests = Of<(typeof operationMembers)['rests']>

/** One step of a finding's program, as it is replayed and printed. */
export type RecordedStep = Of<typeof recordedStep>

export type Finding = Of<TObject<typeof findingMembers>>

/** One way in which the target is wrong, told once for all the findings that follow from it. */
export type Cause = Of<typeof cause>

export type RunVerdict = Of<(typeof lines)['end']>['verdict']

/** The evidence without which a run is inconclusive. */
export type Expectation = Of<TObject<typeof expectationMembers>>

/** Where the target file pins choices: its path from the folder of the run, and the line of each choice by its id, from 1. */
export type PinPlaces = Of<typeof pinPlaces>

/** A line of run.ndjson. `at` is milliseconds since the start of the run. */
export type RecordLine = { [T in keyof typeof lines]: Of<(typeof lines)[T]> }[keyof typeof lines]
