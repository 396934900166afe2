// A refused call that is sent with further members too: what is sent of it where none can be added.
import { expect, test } from 'vitest'
import { outcomeOf } from '../models/faulty.js'

test.each([
  ['a bound once', 'managed-services.create.body.label.type', 0],
  ['a rule once more', 'tickets.create.managed-enabled', 1],
] as const)('where no member can be added, the probe of %s is sent', async (_, id, repeats) => {
  const { sent } = await outcomeOf(id, {})
  const bodies = sent
    .filter(({ op, judgement }) => id.startsWith(`${op.id}.`) && judgement.accepted === false)
    .map(({ call }) => JSON.stringify(call.body))
  expect(bodies.length).toBeGreaterThan(0)
  expect(bodies.length - new Set(bodies).size).toBe(repeats)
})
