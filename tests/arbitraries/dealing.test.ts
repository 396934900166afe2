// What is dealt to random programs: nothing comes again before all else has come, and writes on one resource follow each other in every order.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { dealing, gathering, livening, openDecks } from '../../arbitraries/dealing.js'
import { type StepSeed, stepSeed } from '../../arbitraries/programs.js'
import { operationById, operations } from '../../models/index.js'

const contacts = operations.filter(({ id }) => id.startsWith('managed-contacts.'))
const dice = (count: number, some = operations): readonly StepSeed[] =>
  fc.sample(stepSeed(some), { seed: 3, numRuns: count })

describe('dice that are dealt', () => {
  const drawn = dice(2000, contacts)
  const dealt = dealing(openDecks(7))(drawn)
  const updates = dealt.filter(({ operation }) => operation === 'managed-contacts.update')

  test('bring each edge of an operation once, on both of its sides', () => {
    const edges = updates.flatMap(({ edge, beyond }) => (edge === null ? [] : [2 * edge + Number(beyond)]))
    expect(edges.length).toBeGreaterThan(50)
    expect(edges).toEqual(edges.map((_, n) => 7 + n))
  })

  test('bring each caller once, and the main one beyond an edge', () => {
    const callers = updates.flatMap(({ edge, caller }) => (edge === null && caller !== null ? [caller] : []))
    expect(callers.length).toBeGreaterThan(10)
    expect(callers).toEqual(callers.map((_, n) => 7 + n))
    expect(dealt.filter(({ edge, beyond, caller }) => edge !== null && beyond && caller !== null)).toEqual([])
  })

  test('leave as it was which steps have one', () => {
    expect(dealt.map(({ edge }) => edge === null)).toEqual(drawn.map(({ edge }) => edge === null))
  })
})

test('of the steps of an operation that have neither, every fourth comes to an edge and every fourth to another caller', () => {
  const drawn = dice(2000, contacts).filter(({ operation }) => operation === 'managed-contacts.update')
  const isPlain = ({ edge, caller }: StepSeed): boolean => edge === null && caller === null
  const plain = drawn.filter(isPlain)
  const livened = livening(openDecks(0))(plain)
  expect(livened.slice(0, 5).map(({ edge, caller }) => [edge, caller])).toEqual([
    [null, null],
    [0, null],
    [null, null],
    [null, 0],
    [null, null],
  ])
  const others = drawn.filter((step) => !isPlain(step))
  expect(livening(openDecks(0))(others)).toEqual(others)
})

describe('programs about one resource', () => {
  const gather = gathering(operations, openDecks(0))
  const programs = Array.from({ length: 150 }, (_, n) => gather?.(dice(20).slice(n % 10)) ?? [])

  test('have each write that changes something after each other one on the same, and after itself', () => {
    const followed = new Set(
      programs.flatMap((steps) => steps.map(({ operation }, i) => `${steps[i - 1]?.operation} ${operation}`)),
    )
    const writes = ['volumes.update', 'volumes.attach', 'volumes.detach', 'volumes.resize', 'volumes.clone']
    const pairs = writes.flatMap((one) => writes.map((other) => `${one} ${other}`))
    expect(pairs.filter((pair) => !followed.has(pair))).toEqual([])
    expect(followed).toContain('managed-contacts.update managed-contacts.update')
  })

  test('begin with two of the kind that have everything, and stay with one of them', () => {
    const [steps = []] = programs.filter((one) => one.some(({ operation }) => operation === 'managed-contacts.update'))
    expect(steps.slice(0, 2).map(({ operation, full }) => [operation, full])).toEqual([
      ['managed-contacts.create', true],
      ['managed-contacts.create', true],
    ])
    const updates = steps.filter(({ operation }) => operation === 'managed-contacts.update')
    expect(new Set(updates.map(({ positions, reuses }) => `${reuses} ${positions}`)).size).toBe(1)
  })

  test('have one of another account beside it by turns, at which its owner looks in the end, as all look at both', () => {
    const about = programs.filter((one) => one.some(({ operation }) => operation === 'managed-contacts.update'))
    const strangers = about.map((steps) =>
      steps.flatMap(({ operation, caller }) =>
        operation !== 'managed-contacts.update' && caller === 1 ? operation : [],
      ),
    )
    expect(new Set(strangers.map(String))).toEqual(new Set(['', 'managed-contacts.create,managed-contacts.list']))
    const views = about.map((steps) => steps.filter(({ operation }) => operation === 'managed-contacts.view'))
    expect(new Set(views.map((some) => String(some.map(({ positions }) => positions))))).toEqual(new Set(['0,1']))
  })

  test('are made of the operations that are asked for alone', () => {
    const only = [operationById('managed-contacts.update')].flatMap((op) => op ?? [])
    const steps = gathering(only, openDecks(0))?.(dice(5)) ?? []
    expect([...new Set(steps.map(({ operation }) => operation))]).toEqual(['managed-contacts.update'])
    expect(
      gathering(
        operations.filter(({ method }) => method === 'GET'),
        openDecks(0),
      ),
    ).toBeUndefined()
  })
})
