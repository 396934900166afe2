// OpenAPI 3.1 of the interface, derived from the registry; what OpenAPI cannot say is told by clause.

import type { Vocabulary } from '../config/vocabulary.js'
import { recordsIn } from '../history/pages.js'
import { interfaceVersion, operations } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable, Operation, ReplyShape } from '../models/language/operation.js'
import type { TSchema } from '../models/language/schema.js'
import { keywords } from '../models/language/schema.js'
import type { Examples } from './openapi-examples.js'
import { linksOf } from './openapi-links.js'

type Json = Readonly<Record<string, unknown>>

export interface OpenapiOptions {
  readonly operations?: readonly Operation[]
  /** URL of the server, with the version segment and without a slash at its end; a variable when left out. */
  readonly server?: string
  /** Calls and replies to show, and to take the members of records from that the document does not show. */
  readonly examples?: Examples
  /** The words in which the document is written, where they are not those of the interface document. */
  readonly words?: Vocabulary
}

/**
 * The document, as plain JSON values. `x-touchstone-clauses` names what the suite judges of each operation,
 * `x-touchstone-unsaid` tells what of it OpenAPI cannot say.
 */
export const openapi = ({ operations: all = operations, server, examples, words }: OpenapiOptions = {}): Json => {
  const context: Context = { all, names: schemaNames(all), examples: examples ?? new Map(), words }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Cloud account interface',
      version: interfaceVersion,
      description:
        'Volumes, Object Storage, Managed, Networking, Support and Tags. Derived from the registry of touchstone, which holds more rules than OpenAPI can express: each operation names its clauses under x-touchstone-clauses, and tells those that a schema cannot hold under x-touchstone-unsaid. Links lead from what a call makes to the calls that take it, with a body that can be sent where one is required.',
    },
    servers: [
      server === undefined
        ? { url: '{base_url}', variables: { base_url: { default: 'https://api.example.com/v4' } } }
        : { url: server },
    ],
    tags: [...new Set(all.map(({ area }) => area))].map((name) => ({ name })),
    paths: pathsOf(context),
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'The roles of a security requirement are OAuth scopes; all are needed.',
        },
      },
      schemas: { ...recordSchemas(context), ...listSchemas(context), refusal: refusalSchema },
      responses: {
        refusal: {
          description: 'Refused. The document gives no status codes for errors.',
          content: jsonOf(refOf('schemas', 'refusal')),
        },
      },
    },
  }
}

interface Context {
  readonly all: readonly Operation[]
  /** What the schema of a record is called. */
  readonly names: ReadonlyMap<AnyTable, string>
  readonly examples: Examples
  readonly words: Vocabulary | undefined
}

/** The name of the table; where another has it, and neither record is shown, that of the resource. */
const schemaNames = (all: readonly Operation[]): ReadonlyMap<AnyTable, string> => {
  const names = new Map<AnyTable, string>()
  for (const { id, reply } of all) {
    if (!('table' in reply) || names.has(reply.table)) continue
    const { table } = reply
    const isTaken = [...names.keys()].some((one) => one.name === table.name && !one.record && !table.record)
    names.set(table, isTaken ? id.slice(0, id.lastIndexOf('.')) : table.name)
  }
  return names
}

const nameOf = ({ names }: Context, table: AnyTable): string => names.get(table) ?? table.name

const wordOf = ({ words }: Context, word: string): string => words?.word(word) ?? word

const refOf = (kind: 'schemas' | 'responses', name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

const jsonOf = (schema: Json): Json => ({ 'application/json': { schema } })

const pathsOf = (context: Context): Json => {
  const paths: Record<string, Record<string, Json>> = {}
  for (const op of context.all) {
    const path = context.words?.path(op.path) ?? op.path
    paths[path] = { ...paths[path], [op.method.toLowerCase()]: operationOf(context, op) }
  }
  return paths
}

const operationOf = (context: Context, op: Operation): Json => {
  const unsaid = unsaidOf(op)
  return {
    operationId: op.id,
    summary: op.summary,
    tags: [op.area],
    parameters: [...pathParameters(context, op), ...queryParameters(context, op)],
    ...bodyOf(context, op),
    responses: {
      '200': acceptedOf(context, op),
      '4XX': refOf('responses', 'refusal'),
    },
    // Where no scope is listed, whether a token is needed is not said.
    security:
      op.scopes === undefined
        ? [{}, { token: [] }]
        : [{ token: op.scopes.map((scope) => context.words?.scope(scope) ?? scope) }],
    'x-touchstone-source': op.source,
    'x-touchstone-clauses': clausesOf(op).map(({ id }) => id),
    ...(unsaid.length > 0 && { 'x-touchstone-unsaid': unsaid }),
  }
}

/** Kinds of clauses that no keyword of OpenAPI holds. */
const beyond = new Set([
  'unrestricted',
  'exists',
  'owned',
  'json',
  'names',
  'refusal',
  'silence',
  'some',
  'characters',
  'statement',
  'effect',
  'emits',
])

const unsaidOf = (op: Operation): readonly Json[] =>
  clausesOf(op)
    .filter(({ kind }) => beyond.has(kind))
    .map(({ id, level, text }) => ({ clause: id, level, text }))

/** An accepted reply, with the calls that go on from what it shows. */
const acceptedOf = (context: Context, op: Operation): Json => {
  const { reply } = op
  const example = context.examples.get(op.id)?.reply.body
  const schema = replySchema(context, reply, example)
  const links = linksOf(
    context.all,
    op,
    (word) => wordOf(context, word),
    (next) => spelled(context, exampleBodyOf(context, next)),
  )
  return {
    description: 'Accepted. A 2XX of another kind is as good where the document shows none.',
    ...(schema && {
      content: { 'application/json': { schema, ...(example !== undefined && { example: spelled(context, example) }) } },
    }),
    ...(Object.keys(links).length > 0 && { links }),
  }
}

const exampleBodyOf = ({ examples }: Context, { id, method }: Operation): unknown =>
  method === 'GET' ? undefined : examples.get(id)?.call.body

const spelled = ({ words }: Context, value: unknown): unknown => words?.serving.reply(value) ?? value

const replySchema = (context: Context, reply: ReplyShape, example: unknown): Json | undefined => {
  switch (reply.kind) {
    case 'record':
      return refOf('schemas', nameOf(context, reply.table))
    case 'page':
      return refOf('schemas', `${nameOf(context, reply.table)}-page`)
    case 'records':
      return {
        type: 'object',
        description: 'The envelope is not shown; here it is like that of other lists.',
        properties: { data: { type: 'array', items: refOf('schemas', nameOf(context, reply.table)) } },
      }
    case 'empty':
      return { type: 'object', maxProperties: 0 }
    case 'any':
      return isObject(example)
        ? {
            ...membersOf(context, [example]),
            description: 'The reply is not shown; these are members of one that is legal.',
          }
        : undefined
  }
}

const pathParameters = (context: Context, { id, params }: Operation): readonly Json[] =>
  Object.entries(params).map(([name, reference]) => {
    const type = typeof reference === 'object' ? reference.type : reference
    const example = context.examples.get(id)?.call.path[name]
    return {
      name: wordOf(context, name),
      in: 'path',
      required: true,
      // The document does not say of which type some are.
      schema: { type: type === 'any' ? ['integer', 'string'] : type },
      ...(example !== undefined && { example: type === 'integer' ? Number(example) : example }),
    }
  })

const queryParameters = (context: Context, { id, query }: Operation): readonly Json[] =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) => {
    const example = context.examples.get(id)?.call.query[name]
    return {
      name: wordOf(context, name),
      in: 'query',
      required: (query?.required ?? []).includes(name),
      schema: cleaned(context, schema, name),
      ...(example !== undefined && { example: schema.type === 'integer' ? Number(example) : example }),
    }
  })

const bodyOf = (context: Context, { id, method, body, multipart }: Operation): Json => {
  if (multipart) return { requestBody: { required: true, content: { 'multipart/form-data': { schema: fileSchema } } } }
  if (!body) return {}
  const example = context.examples.get(id)?.call.body
  const content = {
    schema: cleaned(context, body, ''),
    ...(example !== undefined && { example: spelled(context, example) }),
  }
  // A body of a GET has no defined meaning, and many tools refuse it.
  return {
    [method === 'GET' ? 'x-touchstone-request-body' : 'requestBody']: {
      required: (body.required ?? []).length > 0,
      content: { 'application/json': content },
    },
  }
}

const fileSchema: Json = {
  type: 'object',
  description:
    'The name of the form field is not shown. Tools that name a file after its field send one that is accepted.',
  properties: { 'file.txt': { type: 'string', contentMediaType: 'application/octet-stream' } },
  minProperties: 1,
  additionalProperties: { type: 'string', contentMediaType: 'application/octet-stream' },
}

/** The collection envelope around records of a kind, as a schema of its own: generators make a type of it. */
const listSchemas = (context: Context): Json =>
  Object.fromEntries(
    context.all.flatMap(({ reply }) => {
      const name = reply.kind === 'page' ? nameOf(context, reply.table) : undefined
      return name === undefined ? [] : [[`${name}-page`, pageSchemaOf(name)]]
    }),
  )

const pageSchemaOf = (name: string): Json => ({
  type: 'object',
  required: ['data', 'page', 'pages', 'results'],
  properties: {
    data: { type: 'array', items: refOf('schemas', name) },
    page: { type: 'integer' },
    pages: { type: 'integer' },
    results: { type: 'integer' },
  },
})

const refusalSchema: Json = {
  type: 'object',
  required: ['errors'],
  properties: {
    errors: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['reason'],
        properties: {
          field: { type: 'string', description: 'The name of the offending field.' },
          reason: { type: 'string' },
        },
      },
    },
  },
}

/** A schema for every kind of record that a reply shows. */
const recordSchemas = (context: Context): Json => {
  const tables = context.all.flatMap(({ reply }): readonly AnyTable[] => ('table' in reply ? [reply.table] : []))
  // Where two share a name, the one whose record is shown speaks for both.
  const shown = [...tables.filter(({ record }) => !record), ...tables.filter(({ record }) => record)]
  return Object.fromEntries(shown.map((table) => [nameOf(context, table), recordSchema(context, table)]))
}

const recordSchema = (context: Context, table: AnyTable): Json =>
  table.record
    ? cleaned(context, table.record, '')
    : {
        ...membersOf(context, samplesOf(context, table)),
        description:
          'The document does not show this record whole. None of these members is certain but what names it.',
      }

/** The records of that kind in the examples. */
const samplesOf = ({ all, examples }: Context, table: AnyTable): readonly Json[] =>
  all
    .filter(({ reply }) => 'table' in reply && reply.table === table)
    .flatMap(({ id }) => recordsIn(examples.get(id)?.reply.body))

const membersOf = (context: Context, samples: readonly Json[]): Json => {
  const names = [...new Set(samples.flatMap(Object.keys))]
  const valuesOf = (name: string): readonly unknown[] => samples.flatMap((one) => (name in one ? [one[name]] : []))
  return {
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [wordOf(context, name), inferred(context, valuesOf(name))])),
  }
}

/** The schema of some values by their types alone; null by itself tells nothing. */
const inferred = (context: Context, values: readonly unknown[]): Json => {
  const known = values.filter((value) => value !== null)
  const schema = ofOneType(context, known)
  return known.length < values.length && 'type' in schema ? { ...schema, type: [schema.type, 'null'] } : schema
}

const ofOneType = (context: Context, values: readonly unknown[]): Json => {
  const [first] = values
  if (first === undefined) return {}
  if (Array.isArray(first)) {
    const items = values.flat()
    return { type: 'array', ...(items.length > 0 && { items: inferred(context, items) }) }
  }
  if (isObject(first)) return membersOf(context, values.filter(isObject))
  return { type: typeof first === 'number' ? (Number.isInteger(first) ? 'integer' : 'number') : typeof first }
}

const kept = new Set<string>([...keywords, 'examples', 'required'])

/** A schema of the registry as plain JSON Schema: without the keywords that only probes read, in the words asked for. */
const cleaned = (context: Context, schema: TSchema, member: string): Json => ({
  ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => kept.has(keyword))),
  ...(context.words &&
    Array.isArray(schema.enum) && {
      enum: schema.enum.map((value: unknown) =>
        typeof value === 'string' ? spellValue(context, member, value) : value,
      ),
    }),
  ...(context.words &&
    Array.isArray(schema.required) && { required: schema.required.map((name: string) => wordOf(context, name)) }),
  ...(schema.properties && {
    properties: Object.fromEntries(
      Object.entries(schema.properties as Readonly<Record<string, TSchema>>).map(([name, inner]) => [
        wordOf(context, name),
        cleaned(context, inner, name),
      ]),
    ),
  }),
  ...(schema.items && { items: cleaned(context, schema.items as TSchema, member) }),
})

const spellValue = (context: Context, member: string, value: string): string =>
  member === 'type' || member.endsWith('_type')
    ? wordOf(context, value)
    : (context.words?.value(member, value) ?? value)
