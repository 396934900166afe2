import fc from 'fast-check'
import { expect, test } from 'vitest'
import { factorsOf, inStates, pairwise } from '../../arbitraries/pairs.js'
import { probeFor } from '../../arbitraries/probes.js'
import { allClauses, operationById } from '../../models/index.js'
import type { Clause } from '../../models/language/derive.js'
import type { Operation } from '../../models/language/operation.js'
import { breachesOf } from '../../oracle/validate.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { seed } from '../seed.js'

const counts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 2, maxLength: 8 })

test('every two columns hold every two of their values, in no more rows than there are combinations', () => {
  fc.assert(
    fc.property(counts, (all) => {
      const rows = pairwise(all)
      for (const [i, count] of all.entries())
        for (const [j, other] of all.entries()) {
          const seen = new Set(rows.map((row) => `${row[i]} ${row[j]}`))
          if (i < j) expect(seen.size).toBe(count * other)
        }
      const [most = 1, next = 1] = [...all].sort((a, b) => b - a)
      expect(rows.length).toBeGreaterThanOrEqual(most * next)
      expect(rows.length).toBeLessThanOrEqual(all.reduce((product, count) => product * count, 1))
    }),
    { seed },
  )
})

test('few rows stand for many members', () => {
  expect(pairwise([2, 2, 2, 2, 2, 2, 2, 2, 2, 2]).length).toBeLessThanOrEqual(12)
})

const op = operationById('managed-services.create') as Operation
const args = {
  body: {
    label: 'ts-1-a',
    service_type: 'url',
    address: 'https://example.org/a',
    timeout: 30,
    body: 'up',
    notes: 'none',
    consultation_group: 'ts-1-b',
  },
}
const factors = factorsOf(op, args.body)

test('members take what the document lets them have', () => {
  const states = Object.fromEntries(factors.map((one) => [one.path.join('.'), one.states]))
  expect(states).toMatchObject({
    label: ['given', 'most'],
    timeout: ['given', 'least', 'most'],
    body: ['given', 'absent', 'null'],
    notes: ['given', 'absent', 'null'],
  })
  expect(states).not.toHaveProperty('service_type')
})

test('every combination is valid by the schema, and the first is the call itself', () => {
  const rows = pairwise(factors.map((one) => one.states.length))
  for (const row of rows) expect(breachesOf(op.body as never, inStates(args, op, factors, row, 7).body)).toEqual([])
  const first = factors.map(() => 0)
  expect(inStates(args, op, factors, first, 7)).toEqual(args)
  const last = factors.map((one) => one.states.length - 1)
  expect(inStates(args, op, factors, last, 7).body).toMatchObject({ timeout: 255 })
})

test('where there is room for few, some of the combinations are left out', () => {
  const most = 20
  const environment = embeddedEnvironment()
  const { session } = inProcess(
    { environment: { ...environment, safety: { ...environment.safety, maxLive: { default: most } } } },
    'ts-t',
  )
  const clause = allClauses().find(({ id }) => id === 'firewalls.create.accepts') as Clause
  const probe = probeFor(clause, session.context)
  const { missing, steps } = probe.kind === 'program' ? probe.program : { missing: [probe.kind], steps: [] }
  expect(missing).toEqual([])
  expect(steps).toHaveLength(most)
})
