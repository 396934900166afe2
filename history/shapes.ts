// Shapes that the run record and results.json share, as schemas: calls, outcomes, findings and their causes.

import { Type } from '@sinclair/typebox'
import type { Piece } from '../models/language/needs.js'
import { object, oneOf, strings, text, whole } from './schema-words.js'

export const level = oneOf(['must', 'should', 'choice', 'pinned'], 'How binding it is.')

/** What every clause has, wherever it is told. */
export const clauseMembers = {
  id: text('Permanent.'),
  area: Type.String(),
  operation: Type.String(),
  level,
  source: text('Where the document says it.'),
  text: Type.String(),
  quote: Type.Optional(text('What the document says that it rests on, word for word.')),
}

/** What every operation has. */
export const operationMembers = {
  id: Type.String(),
  area: Type.String(),
  method: Type.String(),
  path: Type.String(),
  undo: Type.Optional(
    object(
      {
        method: Type.String(),
        path: Type.String(),
        takes: Type.Record(Type.String(), Type.String(), {
          description: 'What each parameter of the path takes: "id" of the reply, else a member of the request.',
        }),
      },
      'The operation that removes what this one has made.',
    ),
  ),
  rests: Type.Optional(
    object(
      { path: Type.String(), status: Type.String() },
      'Where what this one has made is looked at, and the status that it comes to by itself.',
    ),
  ),
}

/** What a clause lacks on a target. */
export const need = object({
  what: text('Completes "needs …".'),
  add: Type.Optional(
    Type.Unsafe<Piece>(
      Type.Object({}, { description: 'Part of a target file that gives it, to put your own ids and names into.' }),
    ),
  ),
  bound: Type.Optional(
    object({ of: Type.String(), least: whole('The least that will do.') }, 'A number that is too low.'),
  ),
  nth: Type.Optional(whole('Which one it is of several that are needed together.')),
})

/** What both begin with: what is run against what. */
export const runMembers = {
  format: Type.Literal(1),
  suite: object({ version: Type.String(), commit: Type.Optional(Type.String()) }),
  interface: text('Version of the interface.'),
  target: object({ name: Type.String(), baseUrl: Type.String() }),
  seed: Type.Optional(
    Type.Integer({ description: 'What was drawn at random began with it; who only judges draws nothing.' }),
  ),
  startedAt: text('RFC 3339 date-time.'),
}

/** The evidence without which a run is inconclusive. */
export const expectationMembers = {
  areas: strings('Areas of the selection: a clause of each has to pass.'),
  passed: Type.Optional(whole('So many clauses have to pass in all.')),
  shard: Type.Optional(
    Type.Literal(true, { description: 'Of a shard, which is held to it together with the others.' }),
  ),
}

/** A known defect of the document. */
export const defect = object({
  id: Type.String(),
  source: Type.String(),
  text: Type.String(),
  reading: Type.String(),
})

/** The value that the target file pins for a choice. */
export const pinned = Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()])

export const pinPlaces = object(
  {
    file: text('Path of the target file from the folder of the run.'),
    lines: Type.Record(Type.String(), Type.Integer(), { description: 'Line of each pinned choice by its id, from 1.' }),
  },
  'Where the target file pins choices.',
)

export const call = object(
  {
    operation: text('Operation id.'),
    method: Type.String(),
    url: text('Path and query, relative to the base URL.'),
    as: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of the token; null when no credential is sent, "?" when unknown.',
    }),
    path: Type.Record(Type.String(), Type.String()),
    query: Type.Record(Type.String(), Type.String()),
    body: Type.Optional(Type.Unknown({ description: 'JSON value; absent when no body is sent.' })),
    file: Type.Optional(
      object(
        { field: Type.String(), name: Type.String(), bytes: whole('Size.') },
        'A file sent as multipart/form-data.',
      ),
    ),
  },
  'A call in wire values, without the secret.',
)

export const outcome = Type.Union(
  [
    object({
      status: Type.Integer({ minimum: 100, maximum: 999 }),
      body: Type.Optional(Type.Unknown({ description: 'Parsed JSON; absent when it was empty or not JSON.' })),
      text: Type.Optional(text('The body where it was not JSON.')),
      contentType: Type.Optional(Type.String()),
    }),
    object({
      lost: oneOf(
        ['timeout', 'reset', 'refused', 'tls', 'too-large', 'malformed', 'foreign'],
        'Why no reply of the target came.',
      ),
      replied: Type.Optional(
        Type.Integer({ description: 'Status of the reply where that is known, and its body is not.' }),
      ),
      bytes: Type.Optional(
        whole('Bytes of the body that had come as they were sent, where a reply ended in its middle.'),
      ),
      longestWhole: Type.Optional(whole('Bytes of the longest body that had come whole until then.')),
      detail: Type.Optional(Type.String()),
    }),
  ],
  {
    title: 'a reply, as a status with body or text, or "lost" with the reason',
    description: 'What came back, or why nothing did.',
  },
)

/** A step of a finding's program. */
export const recordedStep = object({
  n: whole('Number of the step in the run.'),
  call,
  outcome,
  line: text('How the call was made, in one line.'),
  made: Type.Optional(text('Key of what the call made, as the reply told it.')),
  unsettled: Type.Optional(
    Type.Literal(true, { description: 'Sent without waiting for what it names to come to rest.' }),
  ),
})

/** What the record and results.json both tell of a finding. */
export const findingMembers = {
  id: text('Stable across runs: clause, operation and kind of deviation.'),
  clause: Type.String(),
  operation: Type.String(),
  level,
  source: Type.String(),
  summary: text('One line.'),
  requires: text('What the clause requires.'),
  expected: Type.String(),
  received: Type.String(),
  because: strings('Facts that make the clause due.'),
  facts: Type.Optional(
    Type.Array(
      object({
        step: whole(
          'Number of the step in the run, which need not be among the steps of the finding; 0 for the target file.',
        ),
        by: text('The operation that it called, or what else brought it about.'),
        field: Type.Optional(text('The member that has had its value since then.')),
      }),
      { description: 'The reasons in "because" that a step or the target file established, as data.' },
    ),
  ),
  member: Type.Optional(text('The member of a record that is not as it should be.')),
  shownAs: Type.Optional(
    text('Of what is blamed on another call or clause, the kind of deviation that the last step shows.'),
  ),
  steps: Type.Array(recordedStep, { description: 'The minimal program; its last step shows the deviation.' }),
  shrunkFrom: whole('Steps of the program before shrinking.'),
  confirmed: Type.Optional(Type.Boolean({ description: 'Whether the minimal program showed it again.' })),
  unforeseen: Type.Optional(
    Type.Array(whole('Number of a step.'), {
      description:
        'The steps without which the target did not show it again, though by the document they have nothing to do with it.',
    }),
  ),
  replay: text('Command line that replays it.'),
  nonce: Type.Optional(text('Text that every name made in the run contains.')),
}

/** One way in which the target is wrong, told once for all the findings that follow from it. */
export const cause = object({
  id: text('Stable across runs: the name of a fault.'),
  summary: text('What the target behaves as if.'),
  findings: strings('Ids of the findings that it explains, first the one that tells it best.'),
  operations: strings('Operations in which it shows.'),
  program: Type.Array(recordedStep, { description: 'The minimal program of the first finding.' }),
})

export const leaves = Type.Optional(
  Type.Literal(false, {
    description:
      'Nothing that could be swept stays: the embedded target ends with its run, and who only judges makes nothing.',
  }),
)
