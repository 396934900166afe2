// What is seen after a refused write is laid to it, unless another write may as well have done it and this one would have done something else.
import { expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Episode, Laid } from '../../oracle/episode.js'
import { layToWrite } from '../../oracle/episode.js'
import type { Deviation } from '../../oracle/judgement.js'

const update = 'managed-credentials.update'
const view = 'managed-credentials.view'

interface Sent {
  readonly id: string
  readonly of: number
  readonly label?: string
  readonly accepted?: boolean
}

const labelled = (label: string): Deviation => ({
  clause: `${view}.shows.label`,
  operation: view,
  level: 'must',
  source: '',
  requires: '',
  kind: 'label',
  expected: 'label "second"',
  received: `label "${label}"`,
  because: [],
})

/** To which clause it is laid that the label is seen to be that one after the last of these calls, which is a refused update. */
const laidTo = (seen: string, ...calls: readonly Sent[]): string | undefined => {
  const all: readonly Sent[] = [...calls, { id: view, of: 1 }]
  const steps = all.map(({ id, of, label, accepted = true }, n) => {
    const op = operationById(id) as Operation
    const path = { credentialId: of }
    const isLast = n === all.length - 1
    const deviations = isLast ? [labelled(seen)] : []
    const call = buildCall(op, { as: 'owner', path, ...(label !== undefined && { body: { label } }) })
    const judgement = { accepted, deviations, held: [] }
    return { n, op, call, judgement, deviations, held: [], ...(isLast && { phase: 'look', after: n - 1 }) }
  }) as unknown as readonly Laid[]
  layToWrite({ steps } as unknown as Episode, steps.at(-1) as Laid)
  return steps.at(-1)?.deviations[0]?.clause
}

const viewed: Sent = { id: view, of: 1 }
const refused: Sent = { id: update, of: 1, label: 'taken', accepted: false }
const another: Sent = { id: update, of: 2, label: 'other' }

test('a change is laid to the refused write where nothing else was written since the last look', () => {
  expect(laidTo('first', another, viewed, refused)).toBe(`${update}.refusal.unchanged`)
})

test('a change that the refused write would have made is laid to it, whatever was written before', () => {
  expect(laidTo('Taken', viewed, another, refused)).toBe(`${update}.refusal.unchanged`)
})

test('a change that it would not have made is not laid to it where another write came since the last look', () => {
  expect(laidTo('first', viewed, another, refused)).toBe(`${view}.shows.label`)
})
