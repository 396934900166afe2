// The shape of results.json as a schema that is published, and its type.
import { Type } from '@sinclair/typebox'
import { duration, type Of, object, oneOf, strings, text, whole } from '../history/schema-words.js'
import {
  cause,
  clauseMembers,
  defect,
  expectationMembers,
  findingMembers,
  leaves,
  need,
  operationMembers,
  pinned,
  pinPlaces,
  runMembers,
} from '../history/shapes.js'

const clause = object({
  ...clauseMembers,
  verdict: oneOf(
    ['pass', 'finding', 'untested', 'untestable', 'observed', 'not-selected'],
    'What this run shows of it.',
  ),
  exercised: whole('How many times it was decisive.'),
  lastStep: Type.Optional(whole('Number of the last step that was evidence.')),
  reason: Type.Optional(text('Why it is untested or untestable.')),
  remedy: Type.Optional(text('What would make an untestable clause testable.')),
  needs: Type.Optional(Type.Array(need, { description: 'What would make it testable: each need by itself, as data.' })),
  ms: Type.Optional(duration('Time of the requests that were sent to show it')),
})

const operation = object({
  ...operationMembers,
  requests: whole('Requests sent to it.'),
  replies: Type.Record(Type.String(), Type.Integer(), { description: 'Replies by status code; "lost" for none.' }),
  totalMs: duration('Time of all its requests together'),
  slowestMs: duration('Time of the slowest request'),
})

const access = object({
  operation: text('Operation id.'),
  as: Type.Union([Type.String(), Type.Null()], { description: 'Name of the token; null when none was sent.' }),
  accepted: whole('Calls that were answered with 2xx.'),
  refused: whole('Calls that were answered with 4xx.'),
  wrong: whole('Replies among them that show a finding by being accepted or refused.'),
})

const finding = object({
  ...findingMembers,
  expectedFinding: Type.Optional(Type.Boolean({ description: 'Named as expected, so it does not gate.' })),
  expectedReason: Type.Optional(Type.String()),
  cause: text('Id of the cause that it belongs to.'),
})

const assumed = object({
  explanation: text('Name of the explanation.'),
  times: whole('How many steps it was assumed in.'),
  text: text('What was assumed the first time.'),
})

const choice = object({
  id: Type.String(),
  text: Type.String(),
  observed: strings('Distinct values, most frequent first.'),
  pinned,
})

const slice = object({
  requests: whole('Requests sent in it.'),
  lost: whole('Requests without a reply.'),
  totalMs: duration('Time of all its requests together'),
  slowestMs: duration('Time of the slowest request'),
})

const configuration = object(
  {
    command: Type.String(),
    level: oneOf(['must', 'should'], 'The level that gates.'),
    exclusive: Type.Boolean(),
    tokens: strings('Names of the tokens.'),
    fixtures: Type.Record(Type.String(), Type.Integer(), { description: 'Number of fixtures of each kind.' }),
    shard: Type.Optional(
      Type.Array(Type.Integer({ minimum: 1 }), {
        minItems: 2,
        maxItems: 2,
        description: 'Which part of a run this is, and of how many; left out where it is whole.',
      }),
    ),
    leaves,
    expects: Type.Optional(object(expectationMembers, 'The evidence without which the run is inconclusive.')),
    pinnedIn: Type.Optional(pinPlaces),
  },
  'What the run was told.',
)

/** Schema of results.json. Changes are additive: a reader ignores members that it does not know. */
export const resultsSchema = Type.Object(
  {
    ...runMembers,
    durationMs: duration('Duration of the run'),
    requests: whole('Requests sent.'),
    verdict: oneOf(['conforms', 'nonconforming', 'inconclusive'], 'What the run amounts to.'),
    configuration,
    clauses: Type.Array(clause),
    operations: Type.Array(operation),
    access: Type.Array(access, { description: 'Which token each operation was called with, and what came of it.' }),
    findings: Type.Array(finding, { description: 'Every broken clause.' }),
    causes: Type.Array(cause, { description: 'The fewest faults that explain the findings.' }),
    assumed: Type.Array(assumed, { description: 'What the target was given the benefit of the doubt for.' }),
    choices: Type.Array(choice),
    troubles: Type.Array(object({ kind: Type.String(), text: Type.String() }), {
      description: 'What the run itself got wrong or could not do.',
    }),
    defects: Type.Array(defect, { description: 'Known defects of the document, and how they were read.' }),
    left: Type.Array(object({ kind: Type.String(), key: Type.String(), reason: Type.String() }), {
      description: 'What was created and could not be deleted.',
    }),
    timeline: object({ sliceMs: duration('Width of a slice'), slices: Type.Array(slice) }),
    stale: Type.Optional(strings('Expected findings whose clause was judged without showing them.')),
  },
  {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'touchstone results.json, format 1',
    description: 'The results of one conformance run. Changes are additive: ignore members that you do not know.',
  },
)

/** What is folded from the run record, and every report is made of. */
export type Results = Of<typeof resultsSchema>
export type ClauseVerdict = Results['clauses'][number]['verdict']
