// Shapes that the run record and results.json share, as schemas: calls, outcomes, and what both tell of a finding.
import { Type } from '@sinclair/typebox'
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
}

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
      status: Type.Integer(),
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
      detail: Type.Optional(Type.String()),
    }),
  ],
  { title: 'a status, or "lost"', description: 'What came back, or why nothing did.' },
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
  steps: Type.Array(recordedStep, { description: 'The minimal program; its last step shows the deviation.' }),
  shrunkFrom: whole('Steps of the program before shrinking.'),
  confirmed: Type.Optional(Type.Boolean({ description: 'Whether the minimal program showed it again.' })),
  replay: text('Command line that replays it.'),
  nonce: Type.Optional(text('Text that every name made in the run contains.')),
}
