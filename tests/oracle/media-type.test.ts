// Bodies that are no JSON, and JSON under the type of something else: each is told once.
import { expect, test } from 'vitest'
import { buildCall, recorded } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { startWorld } from '../../models/start.js'
import { judge } from '../../oracle/judge.js'
import { embeddedEnvironment } from '../../reference/environment.js'

/** What is told of a reply under such a type, and whether the clause about JSON holds. */
const toldOf = (contentType: string, as: string | null, status: number, body: unknown) => {
  const op = operationById('tags.create') as Operation
  const world = startWorld(embeddedEnvironment(), { nonce: 'ts-t' })
  const call = recorded(buildCall(op, { as, body: { label: 'ts-t-1' } }))
  const { deviations, held } = judge(world, op, call, { status, body, contentType }, 1)
  return { told: deviations.map(({ clause, kind, level }) => `${level} ${clause}:${kind}`), held }
}

const refusal = { errors: [{ field: '', reason: 'no' }] }

test.each(['text/html', 'Text/HTML; charset=utf-8', 'application/xml', 'image/png', 'multipart/mixed; boundary=x'])(
  'JSON as %s is told of what is accepted and of what is refused',
  (type) => {
    const accepted = toldOf(type, 'owner', 200, { label: 'ts-t-1' })
    expect(accepted.told).toEqual(['should tags.create.json:content-type'])
    expect(accepted.held).not.toContain('tags.create.json')
    expect(toldOf(type, null, 401, refusal).told).toEqual(['should tags.create.json:content-type'])
  },
)

test.each([
  'application/json',
  'application/problem+json',
  'text/json; charset=utf-8',
  'text/plain',
  'application/octet-stream',
  '',
  'x-unknown',
])('JSON as %j is not', (type) => {
  const accepted = toldOf(type, 'owner', 200, { label: 'ts-t-1' })
  expect(accepted.told).toEqual([])
  expect(accepted.held).toContain('tags.create.json')
  expect(toldOf(type, null, 401, refusal).told).toEqual([])
})

test.each(['tags.list', 'tags.create', 'tags.delete', 'volumes.view'])(
  'a body that is no JSON is told once: %s',
  (id) => {
    const op = operationById(id) as Operation
    const world = startWorld(embeddedEnvironment(), { nonce: 'ts-t' })
    const path = { tagLabel: 'ts-t-1', volumeId: 601 }
    const call = recorded(buildCall(op, { as: 'owner', path, ...(op.body && { body: { label: 'ts-t-1' } }) }))
    const { deviations } = judge(world, op, call, { status: 200, text: '{}{}' }, 1)
    expect(deviations.map(({ clause, kind }) => `${clause}:${kind}`)).toEqual([`${id}.json:not-json`])
  },
)
