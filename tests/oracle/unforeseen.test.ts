// Causes in writes that change what they should leave alone, in a run and when its record is judged again.
import { expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { secondOrderOf } from '../../reference/mutants/second-order.js'
import { tryMutant } from '../../reference/mutants/trial.js'
import { shownAgain, shownIn } from './shown.js'
import { firstLine } from './traffic.js'

const all = operations.flatMap(secondOrderOf)

test.each([
  ['volumes.detach: clears tags', 'volumes.detach'],
  ['volumes.detach: reaches the newest other', 'volumes.detach'],
  ['managed-services.disable: clears notes', 'managed-services.disable'],
])('a write without which the target does not show it is told as its cause: %s', async (id, operation) => {
  const mutant = all.find((one) => one.id === id)
  if (!mutant) throw new Error(`no mutant ${id}`)
  const { lines, reports } = await tryMutant(mutant, { order: 2 })
  expect(reports.every(({ unforeseen = [], steps }) => unforeseen.every((n) => steps.some((one) => one.n === n)))).toBe(
    true,
  )
  const record = [firstLine(), ...lines]
  expect(shownIn(record).causes).toEqual([`${operation}: changes something else`])
  expect(shownAgain(record, 'ts-t')).toEqual(shownIn(record))
})
