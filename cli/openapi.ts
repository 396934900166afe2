// `touchstone openapi`: OpenAPI 3.1 of the interface, derived from the registry; what OpenAPI can't say stays in the clauses.

import { interfaceVersion, operations } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'
import type { AnyTable, Operation, ReplyShape } from '../models/language/operation.js'
import type { TSchema } from '../models/language/schema.js'

type Json = Readonly<Record<string, unknown>>

/** Prints the document. */
export const printOpenapi = (): number => {
  process.stdout.write(`${JSON.stringify(openapi(), null, 2)}\n`)
  return 0
}

/** The document, as plain JSON values. `x-touchstone-clauses` names what the suite judges of each operation. */
export const openapi = (all: readonly Operation[] = operations): Json => ({
  openapi: '3.1.0',
  info: {
    title: 'Cloud account interface',
    version: interfaceVersion,
    description:
      'Volumes, Object Storage, Managed, Networking, Support and Tags. Derived from the registry of touchstone, which holds more rules than OpenAPI can express: each operation names its clauses under x-touchstone-clauses.',
  },
  servers: [{ url: '{base_url}', variables: { base_url: { default: 'https://api.example.com/v4' } } }],
  tags: [...new Set(all.map(({ area }) => area))].map((name) => ({ name })),
  paths: pathsOf(all),
  components: {
    securitySchemes: {
      token: {
        type: 'http',
        scheme: 'bearer',
        description: 'The roles of a security requirement are OAuth scopes; all are needed.',
      },
    },
    schemas: { ...recordSchemas(all), envelope: envelopeSchema, refusal: refusalSchema },
    responses: {
      refusal: {
        description: 'Refused. The document gives no status codes for errors.',
        content: jsonOf(refOf('schemas', 'refusal')),
      },
    },
  },
})

const refOf = (kind: 'schemas' | 'responses', name: string): Json => ({ $ref: `#/components/${kind}/${name}` })

const jsonOf = (schema: Json): Json => ({ 'application/json': { schema } })

const pathsOf = (all: readonly Operation[]): Json => {
  const paths: Record<string, Record<string, Json>> = {}
  for (const op of all) paths[op.path] = { ...paths[op.path], [op.method.toLowerCase()]: operationOf(op) }
  return paths
}

const operationOf = (op: Operation): Json => ({
  operationId: op.id,
  summary: op.summary,
  tags: [op.area],
  parameters: [...pathParameters(op), ...queryParameters(op)],
  ...bodyOf(op),
  responses: {
    '200': {
      description: 'Accepted. A 2XX of another kind is as good where the document shows none.',
      ...contentOf(op.reply),
    },
    '4XX': refOf('responses', 'refusal'),
  },
  // Where no scope is listed, whether a token is needed is not said.
  security: op.scopes === undefined ? [{}, { token: [] }] : [{ token: op.scopes }],
  'x-touchstone-source': op.source,
  'x-touchstone-clauses': clausesOf(op).map(({ id }) => id),
})

const pathParameters = ({ params }: Operation): readonly Json[] =>
  Object.entries(params).map(([name, reference]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: typeof reference === 'object' ? reference.type : reference },
  }))

const queryParameters = ({ query }: Operation): readonly Json[] =>
  Object.entries(query?.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: (query?.required ?? []).includes(name),
    schema: cleaned(schema),
  }))

const bodyOf = ({ body, multipart }: Operation): Json => {
  if (multipart) return { requestBody: { required: true, content: { 'multipart/form-data': { schema: fileSchema } } } }
  if (!body) return {}
  return { requestBody: { required: (body.required ?? []).length > 0, content: jsonOf(cleaned(body)) } }
}

const fileSchema: Json = {
  type: 'object',
  description: 'The name of the form field is not shown.',
  additionalProperties: { type: 'string', contentMediaType: 'application/octet-stream' },
}

const contentOf = (reply: ReplyShape): Json => {
  switch (reply.kind) {
    case 'record':
      return { content: jsonOf(refOf('schemas', reply.table.name)) }
    case 'page':
      return {
        content: jsonOf({
          allOf: [
            refOf('schemas', 'envelope'),
            { type: 'object', properties: { data: { type: 'array', items: refOf('schemas', reply.table.name) } } },
          ],
        }),
      }
    case 'records':
      return {
        content: jsonOf({
          description: `Records like #/components/schemas/${reply.table.name}; their envelope is not shown.`,
        }),
      }
    case 'empty':
      return { content: jsonOf({ type: 'object', maxProperties: 0 }) }
    case 'any':
      return {}
  }
}

const envelopeSchema: Json = {
  type: 'object',
  required: ['data', 'page', 'pages', 'results'],
  properties: {
    data: { type: 'array', items: { type: 'object' } },
    page: { type: 'integer' },
    pages: { type: 'integer' },
    results: { type: 'integer' },
  },
}

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
const recordSchemas = (all: readonly Operation[]): Json => {
  const tables = all.flatMap(({ reply }): readonly AnyTable[] => ('table' in reply ? [reply.table] : []))
  // Two tables may share a name; the one whose record is shown speaks for both.
  const shown = [...tables.filter(({ record }) => !record), ...tables.filter(({ record }) => record)]
  return Object.fromEntries(shown.map((table) => [table.name, recordSchema(table)]))
}

const recordSchema = ({ record }: AnyTable): Json =>
  record ? cleaned(record) : { type: 'object', description: 'The document does not show this record whole.' }

const kept = new Set([
  'type',
  'enum',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'format',
  'examples',
  'required',
])

/** A schema of the registry as plain JSON Schema: without the keywords that only probes read. */
const cleaned = (schema: TSchema): Json => ({
  ...Object.fromEntries(Object.entries(schema).filter(([keyword]) => kept.has(keyword))),
  ...(schema.properties && {
    properties: Object.fromEntries(
      Object.entries(schema.properties as Readonly<Record<string, TSchema>>).map(([name, member]) => [
        name,
        cleaned(member),
      ]),
    ),
  }),
  ...(schema.items && { items: cleaned(schema.items as TSchema) }),
})
