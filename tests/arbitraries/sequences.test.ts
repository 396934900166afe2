// What programs of writes on one resource arrange before they change anything.
import { expect, test } from 'vitest'
import { restsOf } from '../../arbitraries/arranged.js'
import { planProgram } from '../../arbitraries/plan.js'
import { sequences } from '../../arbitraries/sequences.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

test('Volumes that stand beside the one that is written to come to rest together with it', () => {
  const { session } = inProcess({ environment: embeddedEnvironment() })
  const writes = sequences().find(({ name }) => name === 'writes on volumes')
  if (!writes) throw new Error('no such sequence')
  const { steps } = planProgram(writes.name, session.context, writes.write)
  const calls = steps.map((step) => ('operation' in step ? step.operation : step.hook))
  const first = calls.findIndex((id) => id !== 'volumes.create')
  expect(calls.slice(0, first)).toHaveLength(4)
  expect(restsOf(steps.slice(0, calls.indexOf('volumes.delete') + 1))).toBe(1)
})
