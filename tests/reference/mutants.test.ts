// The suite on broken targets: a sample of the mutants here, all of them by `npm run mutants`.
import { describe, expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { explanationOf } from '../../reference/mutants/equivalent.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { secondOrderOf } from '../../reference/mutants/second-order.js'
import { tryMutant } from '../../reference/mutants/trial.js'
import { partOf } from '../parts.js'

const sample = partOf(operations.flatMap(mutantsOf), 123)

describe('a mutant is caught by a finding', () => {
  test.each(sample.map((mutant) => [mutant.id, mutant] as const))('%s', async (id, mutant) => {
    const { verdict, findings } = await tryMutant(mutant)
    if (explanationOf(id) === undefined)
      expect({ verdict, findings }).toMatchObject({ verdict: expect.stringMatching(/^caught/) })
  })
})

/** Of the second order, without those whose survival is explained. */
const sampleOfSecond = partOf(
  operations.flatMap(secondOrderOf).filter(({ id }) => explanationOf(id) === undefined),
  111,
)

test.each(sampleOfSecond.map((mutant) => [mutant.id, mutant] as const))(
  'one of the second order is caught: %s',
  async (_, mutant) => {
    const { verdict, findings } = await tryMutant(mutant, { order: 2 })
    expect({ verdict, findings }).toMatchObject({ verdict: expect.stringMatching(/^caught/) })
  },
)

describe('a rule that is heeded every other time alone is caught', () => {
  test.each(['tickets.create.managed-enabled', 'volumes.attach.one-per-gigabyte'])('%s', async (rule) => {
    const mutant = operations
      .flatMap(secondOrderOf)
      .find(({ id, clause }) => clause === rule && id.includes('drops every second time'))
    const { findings } = await tryMutant(mutant as NonNullable<typeof mutant>, { order: 2 })
    expect(findings).toContain(`${rule}:accepted`)
  })
})

describe('a finding has a minimal program', () => {
  const short: readonly (readonly [mutant: string, clause: string, steps: number])[] = [
    ['volumes.resize: drops volumes.resize.only-up', 'volumes.resize.only-up', 3],
    ['volumes.create: lowers volumes.create.body.label.maxLength', 'volumes.create.body.label.maxLength', 1],
    ['volumes.resize: drops volumes.resize.active-only', 'volumes.resize.active-only', 4],
    ['volumes.clone: drops volumes.clone.active-only', 'volumes.clone.active-only', 4],
    ['volumes.delete: loses its effect', 'volumes.delete.takes-effect', 3],
  ]
  test.each(short)('%s is shown by %s within so many steps: %d', async (id, clause, steps) => {
    const mutant = operations.flatMap(mutantsOf).find((one) => one.id === id)
    expect(mutant).toBeDefined()
    const { reports } = await tryMutant(mutant as NonNullable<typeof mutant>, { programs: 0 })
    const finding = reports.find((one) => one.clause === clause)
    expect(finding?.steps.length).toBeLessThanOrEqual(steps)
    expect(finding?.confirmed).toBe(true)
  })
})

test('random programs go on where a tag was made whose label is no text', async () => {
  const id = 'tags.create: drops tags.create.body.label.type'
  const mutant = operations.flatMap(mutantsOf).find((one) => one.id === id)
  const { findings } = await tryMutant(mutant as NonNullable<typeof mutant>)
  expect(findings).toContain('tags.create.body.label.type:accepted')
})

test('a finding shows no password, whether it was sent or received', async () => {
  const id = 'managed-credentials.create: raises managed-credentials.create.body.label.maxLength'
  const mutant = operations.flatMap(mutantsOf).find((one) => one.id === id)
  const { fault } = mutant?.arm() ?? {}
  const echoing = { ...fault, body: (body: unknown) => ({ ...(body as object), password: 'Aa1-echo' }) }
  const armed = { ...(mutant as NonNullable<typeof mutant>), arm: () => ({ fault: echoing, activations: () => 1 }) }
  const { reports } = await tryMutant(armed, { programs: 0 })
  expect(reports.map((finding) => finding.clause)).toContain(mutant?.clause)
  const text = JSON.stringify(reports)
  expect(text).toContain('«redacted»')
  expect(text).not.toContain('Aa1-')
})
