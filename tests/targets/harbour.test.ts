import { describe, expect, test } from 'vitest'
import { partOf } from '../parts.js'
import { AREAS, examine, gating, type Shape } from './harbour/examine.js'
import { FAULTS } from './harbour/faults.js'
import { MANY } from './harbour/fixtures.js'
import { drawn, hash, type Options, PLAIN } from './harbour/options.js'
import { newId, newState } from './harbour/state.js'
import { tryFault } from './harbour/trial.js'
import { UNMET, undisputed } from './harbour/unmet.js'

const many: Shape = { exclusive: true, fixtures: 'many', hooks: true }
const variants: readonly (readonly [name: string, options: Options, shape: Shape])[] = [
  ['accepts all on which the document is silent', PLAIN, many],
  [
    'refuses all on which the document is silent, beside others',
    { ...undisputed(drawn(2)), silence: 'refuse', quota: 0 },
    { ...many, exclusive: false },
  ],
  [
    'decides anew each time, with few fixtures',
    { ...undisputed(drawn(3)), silence: 'whim', quota: 0 },
    { exclusive: true, fixtures: 'few', hooks: false },
  ],
]

describe('a target that follows the document in its own ways', () => {
  test.each(variants)('conforms where it %s', async (_, options, shape) => {
    const without = ['journeys', 'node-deletion', 'pagination', 'races', 'sequences']
    const selection = { areas: AREAS, oneIn: 12, programs: 1, without, until: 'done' } as const
    const { findings, troubles } = await examine(options, shape, selection)
    expect(gating(findings).map(({ id, steps, received }) => [id, steps.map(({ line }) => line), received])).toEqual([])
    expect(troubles.filter((text) => text.includes('suite defect'))).toEqual([])
  })
})

test('what is made after a ticket whose id is a text has an id of its own', () => {
  const state = newState(MANY)
  const options: Options = { ...PLAIN, ids: 'reused', ticketIds: 'texts' }
  const first = newId(state, options, 'tickets')
  state.tickets.set(`HBR-${first}`, {} as never)
  expect(newId(state, options, 'tickets')).not.toBe(first)
})

describe('the faults', () => {
  test('have names of their own, and those that are not met are among them', () => {
    const names = FAULTS.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(UNMET.filter((name) => !names.includes(name))).toEqual([])
  })

  test('are each in the words of some operation', () => {
    expect(FAULTS.filter(({ breaks, areas }) => breaks === '' || areas.length === 0)).toEqual([])
  })
})

/** Their lists have to be filled first, which takes too long here. */
const LONG = ['repeats', 'skips', 'reorders', 'short-at-25', 'size-ignored', 'default-25']

/** One fault in so many is tried here; which, its name decides, and whether now or next time, the seed. */
const sample = partOf(
  FAULTS.filter(({ name, operator }) => hash(name) % 60 === 7 && !LONG.includes(operator) && !UNMET.includes(name)),
  2,
)

describe('a target that breaks one sentence', () => {
  test.each(sample)('is caught by a clause about it: $name', async (fault) => {
    const { verdict, told, steps } = await tryFault(fault, 1)
    expect([verdict, told]).toEqual(['expected', expect.anything()])
    expect(steps).toBeLessThan(40)
  })
})
