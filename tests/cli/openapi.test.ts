// The OpenAPI document, held against a validator and against the registry that it is derived from.
import { compileErrors, validate } from '@readme/openapi-parser'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect, test } from 'vitest'
import { createVocabulary } from '../../config/vocabulary.js'
import { allClauses, operations } from '../../models/index.js'
import { openapi } from '../../reference/openapi.js'
import { examples } from '../../reference/openapi-examples.js'

type Paths = Record<
  string,
  Record<string, { operationId: string; security: unknown; 'x-touchstone-clauses': string[] }>
>

const document = JSON.parse(JSON.stringify(openapi({ examples: await examples() })))
const members = Object.values(document.paths as Paths).flatMap((path) => Object.values(path))

test('the document is valid OpenAPI 3.1', async () => {
  const result = await validate(structuredClone(document))
  expect(result.valid, result.valid ? '' : compileErrors(result)).toBe(true)
})

test('a document with a broken reference is found invalid, so the validator does look', async () => {
  const broken = structuredClone(document)
  broken.paths['/volumes'].get.responses['4XX'] = { $ref: '#/components/responses/nowhere' }
  const valid = await validate(broken).then(
    (result) => result.valid,
    () => false,
  )
  expect(valid).toBe(false)
})

test('schemas name types of JSON alone, and every example is valid by its schema', () => {
  const ajv = addFormats.default(new Ajv2020({ strict: false, formats: { phone: true, 'ip-or-any': true } }))
  ajv.addSchema(document, 'openapi')
  const wrong: string[] = []
  const walk = (value: unknown, at: string): void => {
    if (typeof value !== 'object' || value === null) return
    if ('schema' in value && 'example' in value && !ajv.validate({ $ref: `openapi#${at}/schema` }, value.example))
      wrong.push(`${at}: ${ajv.errorsText()}`)
    for (const [key, member] of Object.entries(value))
      walk(member, `${at}/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`)
  }
  walk(document, '')
  expect(wrong).toEqual([])
})

test('every operation of the registry is in it once', () => {
  expect(members.map(({ operationId }) => operationId).sort()).toEqual(operations.map(({ id }) => id).sort())
})

test('every clause of the registry is named by one operation', () => {
  expect(members.flatMap((one) => one['x-touchstone-clauses']).sort()).toEqual(
    allClauses()
      .map(({ id }) => id)
      .sort(),
  )
})

test('no keyword that only probes read is left in a schema', () => {
  const own = new Set(['ref', 'atMin', 'belowMin', 'atMax', 'aboveMax', 'tried'])
  const found: string[] = []
  const walk = (value: unknown, at: string, isSchema: boolean): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, member] of Object.entries(value)) {
      if (isSchema && own.has(key)) found.push(`${at}/${key}`)
      walk(member, `${at}/${key}`, !['properties', 'schemas', 'parameters'].includes(key))
    }
  }
  walk(document, '', true)
  expect(found).toEqual([])
})

test('a scope that an operation needs is in its security requirement', () => {
  const create = document.paths['/volumes'].post
  expect(create.security).toEqual([{ token: ['volumes:read_write'] }])
  expect(create.requestBody.content['application/json'].schema.properties.label).toEqual({
    type: 'string',
    minLength: 1,
    maxLength: 32,
  })
})

test('links lead to every operation, for fuzzers call little else', () => {
  const operationsOf = (member: { readonly responses?: Record<string, { readonly links?: object }> }) =>
    Object.keys(member.responses?.['200']?.links ?? {})
  const reached = new Set(members.flatMap((member) => operationsOf(member as never)))
  expect(operations.map(({ id }) => id).filter((id) => !reached.has(id))).toEqual([])
})

test('links have the parameters that a path needs, and the body where one is required', () => {
  const { links } = document.paths['/networking/ips'].post.responses['200']
  expect(links['ips.list']).toEqual({ operationId: 'ips.list' })
  expect(links['ips.update']).toMatchObject({ parameters: { address: '$response.body#/address' }, requestBody: {} })
  expect(links['ips.share'].requestBody).toEqual(
    document.paths['/networking/ips/share'].post.requestBody.content['application/json'].example,
  )
})

test('records that the document does not show have members with types, and every body an example', () => {
  const { schemas } = document.components
  const bare = Object.entries(schemas as Record<string, { readonly properties?: object }>).filter(
    ([, schema]) => Object.keys(schema.properties ?? {}).length === 0,
  )
  expect(bare.map(([name]) => name)).toEqual([])
  const bodies = members as readonly {
    readonly operationId: string
    readonly requestBody?: { readonly content: Readonly<Record<string, object>> }
  }[]
  const without = bodies.filter(({ requestBody }) => {
    const content = requestBody?.content['application/json']
    return content !== undefined && !('example' in content)
  })
  expect(without.map(({ operationId }) => operationId)).toEqual([])
})

test('a firewall and its rules are types of their own', () => {
  const { firewalls, 'firewall-rules': rules } = document.components.schemas
  expect(Object.keys(firewalls.properties)).toEqual(expect.arrayContaining(['id', 'status', 'rules']))
  expect(Object.keys(rules.properties)).toEqual(['inbound', 'inbound_policy', 'outbound', 'outbound_policy'])
})

test('a creation is shown by a body that can be sent as it stands: it names nothing made before, and no mask', () => {
  const { post } = document.paths['/tags']
  expect(post.requestBody.content['application/json'].example).not.toHaveProperty('volumes')
  expect(JSON.stringify(members).match(/«redacted/)).toBeNull()
})

test('it is written in the words of a target, where they are given', () => {
  const words = createVocabulary({
    node_id: 'instance_id',
    segments: { volumes: 'disks' },
    scopes: { 'volumes:read_only': 'disks:read' },
    values: { status: { active: 'ready' } },
  })
  const spelled = JSON.stringify(openapi(words && { words }))
  expect(spelled).toContain('"/disks/{volumeId}"')
  expect(spelled).toContain('["disks:read"]')
  expect(spelled).toContain('["creating","ready","resizing"]')
  expect(spelled).not.toContain('"node_id"')
})
