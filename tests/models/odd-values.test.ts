// Bodies and replies of every JSON type: judging them stumbles over none, whatever the target makes of them.
import { expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import type { Operation } from '../../models/operation.js'
import { conversation } from './conversation.js'

const values = [null, true, 0, -1.5, '', 'x', [], [null], [[]], [{}], ['x'], {}, { id: null }, { data: [null] }]

const pathOf = (op: Operation) =>
  Object.fromEntries(
    Object.entries(op.params).map(([name, kind]) => [
      name,
      kind === 'integer' || (typeof kind === 'object' && kind.type === 'integer') ? 101 : 'c1',
    ]),
  )

/** A value that fits none of a schema's constraints but its type. */
const valueOf = (schema: Operation['body']): unknown => {
  const { type, enum: allowed, properties, items } = (schema ?? {}) as Readonly<Record<string, never>>
  if (allowed) return (allowed as readonly unknown[])[0]
  switch ([type].flat()[0] as unknown) {
    case 'object':
      return Object.fromEntries(Object.entries(properties ?? {}).map(([name, member]) => [name, valueOf(member)]))
    case 'array':
      return [valueOf(items)]
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

for (const op of operations)
  test(`${op.id} is judged whatever is sent and answered`, () => {
    const path = pathOf(op)
    const plain = op.body && { body: valueOf(op.body) as object }
    for (const reply of values)
      for (const status of [200, 400])
        expect(conversation().hear(op.id, { path, ...plain } as never, reply, status).defects).toBeUndefined()
    if (!op.body) return
    for (const body of variants(valueOf(op.body)))
      for (const status of [200, 400])
        expect(conversation().hear(op.id, { path, body } as never, {}, status).defects).toBeUndefined()
  })
