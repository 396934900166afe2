// What is seen after a refused write is laid to it, unless another write may as well have done it and this one would have done something else.
import { expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import type { Episode, Laid } from '../../oracle/episode.js'
import { layToWrite } from '../../oracle/episode.js'
import { mayLeave } from '../../oracle/explanations/settable.js'
import { asJudged } from '../../oracle/found.js'
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
  member: { name: 'label', shown: label },
})

/** To which clause it is laid that the label is seen to be that one after the last of these calls, which is a refused update. */
const laidTo = (seen: string, ...calls: readonly Sent[]): string | undefined =>
  lookAfter(calls, labelled(seen))[0]?.clause

/** How a look deviates after these calls, as it was laid. */
const lookAfter = (calls: readonly Sent[], ...seen: readonly Deviation[]): readonly Deviation[] => {
  const all: readonly Sent[] = [...calls, { id: view, of: 1 }]
  const steps = all.map(({ id, of, label, accepted = true }, n) => {
    const op = operationById(id) as Operation
    const path = { credentialId: of }
    const isLast = n === all.length - 1
    const deviations = isLast ? seen : []
    const call = buildCall(op, { as: 'owner', path, ...(label !== undefined && { body: { label } }) })
    const judgement = { accepted, deviations, held: [] }
    return { n, op, call, judgement, deviations, held: [], ...(isLast && { phase: 'look', after: n - 1 }) }
  }) as unknown as readonly Laid[]
  layToWrite({ steps } as unknown as Episode, steps.at(-1) as Laid)
  return steps.at(-1)?.deviations ?? []
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

test('what is laid to a write is known as what the look said, though two parts of it read alike', () => {
  const one = labelled('first')
  const other = { ...one, clause: `${view}.shows.username` }
  const laid = lookAfter([viewed, refused], one, other)
  expect(laid.map(({ clause }) => clause)).toEqual(Array(2).fill(`${update}.refusal.unchanged`))
  expect(laid.map(asJudged)).toEqual([one, other])
})

test('a kind of deviation that has the name of a member is about a member only where it says so', () => {
  const changes = operationById('managed-credentials.update-password') as Operation
  expect(mayLeave(changes, { kind: 'label' })).toBe(true)
  expect(mayLeave(changes, { kind: 'label', member: { name: 'label', shown: 'first' } })).toBe(false)
})
