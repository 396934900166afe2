// The record of a run, judged again, shows what the run showed; over all mutants by `npm run rejudge`.
import { describe, expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { tryMutant } from '../../reference/mutants/trial.js'
import { variations } from '../../reference/variations.js'
import { partOf } from '../parts.js'
import { shownAgain, shownIn } from './shown.js'
import { firstLine, linesOf } from './traffic.js'

const all = operations.flatMap(mutantsOf)
const sample = partOf(all, 600)
/** Two that take effect though refused, or are refused once something else is there; a quota; a state that passes. */
const always = [
  'volumes.clone: takes effect though refused',
  'volumes.resize: drops volumes.resize.active-only',
  'tickets.create: demands volume_id',
  'volumes.delete: loses its effect',
]

describe('the record of a run, judged again, has the findings, evidence and choices of the run', () => {
  test.each([...always, ...sample.map(({ id }) => id)])('against a target of which %s', async (id) => {
    const mutant = all.find((one) => one.id === id)
    if (!mutant) throw new Error(`no mutant ${id}`)
    const { lines } = await tryMutant(mutant, { programs: 2 })
    const record = [firstLine(), ...lines]
    expect(shownAgain(record, 'ts-t')).toEqual(shownIn(record))
  })

  test.each(['everything', 'slow-rest'] as const)('whatever the target is free to do: %s', async (name) => {
    const record = await linesOf({ programs: 5, races: 3, seed: 3, ...variations[name] })
    expect(shownAgain(record, 'ts-t')).toEqual(shownIn(record))
  })
})
