// Bodies and replies of every JSON type: judging them stumbles over none, whatever the target makes of them.
import { expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import { operations } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { startWorld } from '../../models/start.js'
import { judge } from '../../oracle/judge.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const values = [null, true, 0, -1.5, '', 'x', [], [null], [[]], [{}], ['x'], {}, { id: null }, { data: [null] }]

const pathOf = (op: Operation) =>
  Object.fromEntries(
    Object.entries(op.params).map(([name, kind]) => [
      name,
      kind === 'integer' || (typeof kind === 'object' && kind.type === 'integer') ? 101 : 'c1',
    ]),
  )

/** A value that fits none of a schema's constraints but its type. */
const sampleOf = (schema: unknown): unknown => {
  const { type, enum: allowed, properties, items } = (schema ?? {}) as Readonly<Record<string, never>>
  if (allowed) return (allowed as readonly unknown[])[0]
  switch ([type].flat()[0] as unknown) {
    case 'object':
      return Object.fromEntries(Object.entries(properties ?? {}).map(([name, member]) => [name, sampleOf(member)]))
    case 'array':
      return [sampleOf(items)]
    case 'integer':
      return 101
    case 'boolean':
      return true
    default:
      return 'ts-t-1'
  }
}

/** The value with one of its members, at any depth, replaced by another value, for each member and value. */
const variants = (value: unknown): readonly unknown[] => [
  ...values,
  ...(Array.isArray(value)
    ? value.flatMap((item) => variants(item).map((one) => [one]))
    : typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([name, inner]) => variants(inner).map((one) => ({ ...value, [name]: one })))
      : []),
]

const world = startWorld(embeddedEnvironment(), { nonce: 'ts-t' })

for (const op of operations)
  test(`${op.id} is judged whatever is sent and answered`, () => {
    const call = { ...buildCall(op, { path: pathOf(op), as: 'owner' }), ...(op.body && { body: sampleOf(op.body) }) }
    const sent = op.body ? variants(call.body).map((body) => ({ call: { ...call, body }, reply: {} })) : []
    for (const one of [...values.map((reply) => ({ call, reply: reply as unknown })), ...sent])
      for (const status of [200, 400])
        expect(judge(world, op, one.call, { status, body: one.reply }, 1).defects).toBeUndefined()
  })
