// The lines of run.ndjson as a schema that is published, and the check of a line against it; what the lines mean stands in record.ts.

import { type TSchema, Type } from '@sinclair/typebox'
import { Ajv, type ErrorObject } from 'ajv'
import type { Environment } from '../models/language/environment.js'
import { lazy, memoised } from '../models/language/memoised.js'
import { aboutPhases, phases } from './phases.js'
import { duration, object, oneOf, strings, text, whole } from './schema-words.js'
import {
  call,
  clauseMembers,
  defect,
  expectationMembers,
  findingMembers,
  leaves,
  need,
  operationMembers,
  outcome,
  pinned,
  pinPlaces,
  runMembers,
} from './shapes.js'

const longestMs = 1e12

const time = (description: string) =>
  Type.Number({ minimum: -longestMs, maximum: longestMs, title: `milliseconds up to ${longestMs}`, description })

const on = (description: string) => Type.Optional(Type.Literal(true, { description }))

/** When a recorded call was under way, from its beginning to its end at the widest. Times begin with the history. */
const times = object({
  from: time('When it was sent, at the earliest.'),
  to: time('When it was answered, at the latest.'),
  surely: Type.Optional(
    object({ from: time('From when on.'), to: time('Until when.') }, 'When it was certainly under way.'),
  ),
  turn: Type.Optional(
    object(
      { lane: whole('Number of the lane.'), at: whole('Place in the lane.') },
      'Calls of one lane were sent in turn, each when those of a lower number had been answered.',
    ),
  ),
  own: Type.Optional(
    object(
      {
        clock: whole('Number of the recorder.'),
        from: Type.Number({ description: 'When it was sent.' }),
        to: Type.Optional(Type.Number({ description: 'When it was answered.' })),
      },
      'By the clock of its recorder, where there are several that may differ.',
    ),
  ),
})

const phase = oneOf(phases, `What it is sent for, where that is not the program itself. ${aboutPhases}.`)

export const origin = {
  program: text('Name of the program that it belongs to.'),
  instance: Type.Optional(whole('Tells one run of a program from the others.')),
  beside: on('Other programs ran at the same time.'),
  singly: on('No other call was under way that may emit an event which this one may emit.'),
  clause: Type.Optional(text('The clause that the program is there to show.')),
  phase: Type.Optional(phase),
  after: Type.Optional(whole('Number of the write that is looked at, or of the refused creation that is compared.')),
  trial: Type.Optional(
    whole('Which of the trials for one refused creation, or of the repetitions of a program, it is part of.'),
  ),
  confirms: Type.Optional(text('The finding that it is to show again.')),
  group: Type.Optional(whole('Calls of one number were sent at the same time.')),
  lane: Type.Optional(whole('Calls of one lane were sent in turn.')),
  overdue: on('Sent when all that could be late had had its time.'),
}

const open = { additionalProperties: true }
const named = Type.Object({ name: Type.String() }, open)

/** What a target file says, without its secrets: only what no reader can do without is checked. */
const setting = Type.Unsafe<Environment>(
  Type.Object(
    {
      accounts: Type.Array(named, { title: 'an array of accounts' }),
      users: Type.Array(named, { title: 'an array of users' }),
      tokens: Type.Array(
        Type.Object(
          {
            name: Type.String(),
            scopes: Type.Union([Type.Literal('*'), Type.Array(Type.String())], { title: '"*" or an array of scopes' }),
          },
          open,
        ),
        { title: 'an array of tokens' },
      ),
      fixtures: Type.Record(Type.String(), Type.Array(Type.Record(Type.String(), Type.Unknown()))),
      pins: Type.Record(Type.String(), Type.Unknown()),
      safety: Type.Record(Type.String(), Type.Unknown()),
    },
    { ...open, description: 'What the target file says, without its secrets.' },
  ),
)

export const clause = object({
  ...clauseMembers,
  selected: Type.Optional(Type.Literal(false, { description: 'A narrowed run or a shard is not about it.' })),
})

export const operation = object({
  ...operationMembers,
  scopes: Type.Array(Type.String()),
})

/** A line of one type. */
const line = <const N extends string, P extends Parameters<typeof Type.Object>[0]>(
  type: N,
  members: P,
  about: string,
) => Type.Object({ type: Type.Literal(type), ...members }, { description: about })

export const lines = {
  start: line(
    'start',
    {
      ...runMembers,
      command: Type.String(),
      level: oneOf(['must', 'should'], 'The level that gates.'),
      shard: Type.Optional(
        Type.Tuple([Type.Integer(), Type.Integer()], { description: 'Which part of a run this is, and of how many.' }),
      ),
      leaves,
      setting,
      expects: Type.Optional(object(expectationMembers)),
      pinnedIn: Type.Optional(pinPlaces),
      clauses: Type.Array(clause),
      operations: Type.Array(operation),
      choices: Type.Array(
        object({
          id: Type.String(),
          text: Type.String(),
          pinned,
        }),
      ),
      explanations: Type.Optional(Type.Array(object({ name: Type.String(), text: Type.String() }))),
      defects: Type.Array(defect),
    },
    'The first line: what is run against what.',
  ),
  step: line(
    'step',
    {
      ...origin,
      n: whole('Number of the step.'),
      role: Type.Optional(oneOf(['arrange', 'probe', 'twin', 'check', 'read', 'clean'], 'What the call is there for.')),
      unsettled: on('Sent without waiting for what it names to come to rest.'),
      at: time('Since the start of the run.'),
      ms: time('How long it took.'),
      times: Type.Optional(times),
      call,
      outcome,
      expects: oneOf(['accept', 'refuse', 'either'], 'What the document requires.'),
      verdict: oneOf(
        ['pass', 'finding', 'inconclusive'],
        'What came of it: in a run by itself, in recorded traffic after what later calls tell of it.',
      ),
      findings: Type.Optional(strings('Ids of findings that this step shows.')),
      assumed: Type.Optional(strings('What had to be assumed for the reply to be legal.')),
    },
    'A call and what came of it.',
  ),
  traffic: line(
    'traffic',
    {
      baseUrl: text('Where the calls went.'),
      setting: Type.Optional(setting),
      listLagMs: duration('How long a change may take to show in lists'),
      mayLack: on('Calls of the clients that were recorded may be missing.'),
      late: Type.Optional(
        Type.Array(Type.Integer(), {
          description:
            'Numbers of the steps before it whose effect may show in it, since they had no reply, or one that does not tell whether they took effect.',
        }),
      ),
      supposes: Type.Optional(
        Type.Array(
          object({
            name: oneOf(['clock', 'clocks', 'origins'], 'The explanation.'),
            of: text('What it is supposed of: a number of entries or files, or the addresses.'),
          }),
          {
            description: 'What was supposed in reading it, since nothing tells it for certain.',
          },
        ),
      ),
      ignored: Type.Optional(
        Type.Record(Type.String(), Type.Integer(), {
          description: 'How many entries of the recording were not judged as they stand, by the reason.',
        }),
      ),
    },
    'Here begins a history that others made and that was recorded; it knows nothing of what came before in this record.',
  ),
  blank: line(
    'blank',
    { n: whole('Number of the step.'), as: Type.Union([Type.String(), Type.Null()]), times },
    'A recorded write of which too little is known to follow it.',
  ),
  exercised: line(
    'exercised',
    { clause: Type.String(), step: whole('Number of the step.'), times: Type.Optional(whole('How often.')) },
    'A clause was decisive.',
  ),
  untestable: line(
    'untestable',
    {
      clause: Type.String(),
      reason: Type.String(),
      remedy: Type.Optional(text('What would make it testable.')),
      needs: Type.Optional(Type.Array(need, { description: 'What is lacking, one by one, as data.' })),
    },
    'What this target lacks for a clause.',
  ),
  untested: line('untested', { clause: Type.String(), reason: Type.String() }, 'Why nothing decided a clause.'),
  choice: line(
    'choice',
    { id: Type.String(), value: Type.String(), step: whole('Number of the step.') },
    'What the target did where the document is silent.',
  ),
  finding: line('finding', { finding: Type.Object(findingMembers) }, 'A broken clause.'),
  withdrawn: line(
    'withdrawn',
    { finding: text('Its id.') },
    'What was found is a finding no more: several targets, of which none is wrong, replies given to other calls, or a target that takes no writes may be the reason.',
  ),
  trouble: line(
    'trouble',
    {
      kind: oneOf(['suite-defect', 'unreachable', 'cut-short', 'inconclusive'], 'Of what kind.'),
      text: Type.String(),
      advice: Type.Optional(text('What to do about it, once for the run.')),
    },
    'What the run itself got wrong or could not do.',
  ),
  hook: line(
    'hook',
    { ...origin, n: whole('Number of the step.'), hook: Type.String(), args: Type.Array(Type.Unknown()) },
    'A change brought about by a hook of the target file.',
  ),
  assumed: line(
    'assumed',
    { n: whole('Number of the step.'), assumed: text('What explains it.') },
    'Assumed when a program was over: nothing is told of the step.',
  ),
  surveyed: line('surveyed', { account: Type.String() }, 'The lists of an account have been walked.'),
  events: line(
    'events',
    {
      n: whole('Number of the call.'),
      further: Type.Record(Type.String(), Type.Number()),
      withinMs: duration('How long they may take'),
      waitedMs: Type.Optional(duration('How long was waited until they were there')),
    },
    'Events that the log of the target showed after a call.',
  ),
  walked: line(
    'walked',
    { instance: whole('The run of a program.'), walks: Type.Array(Type.Array(Type.Integer())) },
    'Calls that walked a list over its pages.',
  ),
  ended: line(
    'ended',
    {
      program: Type.String(),
      instance: whole('The run of a program.'),
      beside: on('Other programs ran at the same time.'),
      clause: Type.Optional(Type.String()),
      phase: Type.Optional(phase),
      stopped: Type.Optional(text('Why it stopped before its last step.')),
      shows: Type.Optional(
        Type.Array(object({ clause: Type.String(), calls: Type.Array(Type.Integer()) }), {
          description: 'Of programs that were run as one, which of its calls show which clause.',
        }),
      ),
      tells: Type.Optional(
        strings('Said after its end: findings that it has shown, and that did not show again by themselves.'),
      ),
    },
    'A program has come to its end.',
  ),
  left: line(
    'left',
    { kind: Type.String(), key: Type.String(), reason: Type.String(), gone: on('It was removed in the end.') },
    'Something that was created and not deleted.',
  ),
  end: line(
    'end',
    {
      durationMs: duration('Duration of the run'),
      verdict: oneOf(['conforms', 'nonconforming', 'inconclusive'], 'What the run amounts to.'),
    },
    'The last line.',
  ),
}

type LineType = keyof typeof lines

/** Schema of a line of run.ndjson, as it is published. */
export const lineSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'touchstone run.ndjson, format 1',
  description: 'A line of a run record. Changes are additive: ignore members that you do not know.',
  oneOf: Object.values(lines),
}

const isLineType = (type: unknown): type is LineType => typeof type === 'string' && Object.hasOwn(lines, type)

const compiling = lazy(() => new Ajv({ strict: false, verbose: true }))
const validatorOf = memoised((schema: TSchema) => compiling().compile(schema))

/** What is wrong with a line: where in it, what was expected and what was received; undefined where it is one. */
export const faultOfLine = (json: unknown): string | undefined => {
  const { type, format } = (json ?? {}) as { readonly type?: unknown; readonly format?: unknown }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    return `expected an object with a "type", received ${briefly(json)}`
  if (!isLineType(type))
    return `expected "type" to be one of ${Object.keys(lines).join(', ')}, received ${briefly(type)}; was this written by a newer version?`
  if (type === 'start' && typeof format === 'number' && format !== 1)
    return `/format: expected 1, received ${format}; use a newer version`
  const validate = validatorOf(lines[type])
  // Where one of several shapes is expected, the last error is about all of them.
  const error = validate(json) ? undefined : validate.errors?.at(-1)
  return error && told(error, type)
}

const told = ({ instancePath, keyword, params, parentSchema, data }: ErrorObject, type: LineType): string => {
  const missing = keyword === 'required' ? String(params.missingProperty) : undefined
  const schema = missing === undefined ? parentSchema : parentSchema?.properties?.[missing]
  const where = missing === undefined ? instancePath : `${instancePath}/${missing}`
  const received = briefly(missing === undefined ? data : undefined)
  return `${where || '/'} of a "${type}" line: expected ${wordsFor(schema ?? {})}, received ${received}`
}

interface Node {
  readonly title?: string
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Node[]
  readonly items?: Node
  readonly patternProperties?: Readonly<Record<string, Node>>
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
}

const wordsFor = (node: Node): string => {
  if (node.title !== undefined) return node.title
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.enum) return `one of ${node.enum.join(', ')}`
  if (node.anyOf) return node.anyOf.map(wordsFor).join(' or ')
  const [values] = Object.values(node.patternProperties ?? {})
  if (values?.type === 'string') return 'an object of texts'
  return kinds[node.type ?? ''] ?? 'another value'
}

const briefly = (value: unknown): string => (JSON.stringify(value) ?? 'nothing').slice(0, 80)
