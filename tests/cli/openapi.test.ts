// The OpenAPI document, held against a validator and against the registry that it is derived from.
import { compileErrors, validate } from '@readme/openapi-parser'
import { expect, test } from 'vitest'
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
