import { describe, expect, test } from 'vitest'
import { edgesOf } from '../../arbitraries/edges.js'
import { planProgram } from '../../arbitraries/plan.js'
import { mainToken, strangerToken } from '../../arbitraries/plan-tokens.js'
import { arrange, type StepSeed } from '../../arbitraries/programs.js'
import { operationById, operations } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { type Args, type CallStep, isRef } from '../../models/language/plan.js'
import { constraintsOf } from '../../models/language/schema.js'
import { embeddedEnvironment } from '../../reference/environment.js'

const environment = embeddedEnvironment()

const context = () => {
  let n = 0
  return { environment, nonce: 'ts-e', certificate: () => ({ certificate: '', private_key: '' }), next: () => n++ }
}

const draftOf = (op: Operation): Args => {
  let draft: Args = {}
  planProgram(op.id, context(), (plan) => {
    draft = op.full?.(plan) ?? op.draft(plan)
  })
  return draft
}

const seed: StepSeed = {
  operation: 'any',
  positions: [0, 0, 0, 0],
  reuses: false,
  full: false,
  edge: null,
  beyond: false,
  caller: null,
  stale: false,
}

/** The last call of a program of one step. */
const callOf = (op: Operation, given: Partial<StepSeed>): CallStep =>
  arrange(op, { ...seed, ...given }, context()).steps.at(-1) as CallStep

const withEdges = operations.filter((op) => edgesOf(op, draftOf(op), 1).length > 0)

describe.each(withEdges)('$id', (op) => {
  const args = draftOf(op)
  const edges = edgesOf(op, args, 1).map((edge) => edge())

  test('every parameter of the query and every integer of the path has an edge', () => {
    const changed = (place: 'query' | 'path'): ReadonlySet<string> =>
      new Set(
        edges.flatMap(({ beyond }) =>
          beyond.flatMap((call) =>
            Object.keys(call[place] ?? {}).filter((name) => call[place]?.[name] !== args[place]?.[name]),
          ),
        ),
      )
    const limited = op.query ? constraintsOf(op.query).map(({ path }) => String(path[0])) : []
    expect([...changed('query')].sort()).toEqual([...new Set(limited)].sort())
    const integers = Object.entries(op.params)
      .filter(([, param]) => param === 'integer')
      .map(([name]) => name)
    expect([...changed('path')]).toEqual(expect.arrayContaining(integers))
  })

  test('a call beyond an edge is another one, and only one of its places differs', () => {
    for (const call of edges.flatMap(({ beyond }) => beyond)) {
      const places = (['path', 'query', 'body'] as const).filter(
        (place) => JSON.stringify(call[place] ?? {}) !== JSON.stringify(args[place] ?? {}),
      )
      expect(places).toHaveLength(1)
    }
  })
})

test.each(['volumes.create', 'volumes.list', 'volumes.view'])(
  'random calls of %s reach every value beyond an edge',
  (id) => {
    const op = operationById(id) as Operation
    const spell = ({ path, query, body }: Args): string =>
      JSON.stringify([path, query, body]).replaceAll(/ts-e-\w+/g, 'name')
    const args = callOf(op, {})
    const wanted = new Set(edgesOf(op, args, 1).flatMap((edge) => edge().beyond.map(spell)))
    const reached = new Set(Array.from({ length: 1_000 }, (_, edge) => spell(callOf(op, { edge, beyond: true }))))
    // A label that is only longer is spelled as the one that is not.
    for (const some of [wanted, reached]) some.delete(spell(args))
    expect(wanted.size).toBeGreaterThan(1)
    // Texts of a body have the number of their name in them, which differs from program to program.
    if (op.body) expect(reached.size).toBeGreaterThanOrEqual(wanted.size)
    else expect([...wanted].filter((one) => !reached.has(one))).toEqual([])
  },
)

test('random calls are sent by nobody, by strangers and by every token', () => {
  const op = operationById('volumes.list') as Operation
  const callers = new Set(Array.from({ length: 200 }, (_, caller) => callOf(op, { caller }).as))
  const tokens = environment.tokens.map(({ name }) => name)
  for (const one of [null, '!wrong', strangerToken(environment)?.name, ...tokens]) expect(callers).toContain(one)
  expect([...callers].filter((one) => one === null || one?.startsWith('!')).length).toBeGreaterThanOrEqual(7)
  expect(callOf(op, {}).as).toBe(mainToken(environment)?.name)
})

test('an id of what the program makes is followed by a letter', () => {
  const op = operationById('volumes.view') as Operation
  const ids = Array.from({ length: 40 }, (_, edge) => callOf(op, { edge, beyond: true }).path?.volumeId)
  expect(ids.filter((id) => isRef(id) && id.suffix === 'x').length).toBeGreaterThan(0)
})
