import { expect, test } from 'vitest'
import { allClauses, operations } from '../models/index.js'
import { allChoices } from '../suites/choices.js'

const ids = allClauses().map(({ id }) => id)

test('no two clauses have the same id', () => {
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
})

test('no two choices have the same id', () => {
  const choices = allChoices().map(({ id }) => id)
  expect(choices.filter((id, i) => choices.indexOf(id) !== i)).toEqual([])
})

test('every id begins with that of its operation', () => {
  expect(allClauses().filter(({ id, operation }) => !id.startsWith(`${operation}.`))).toEqual([])
})

test('every id of an operation is a resource and a verb', () => {
  expect(operations.map(({ id }) => id).filter((id) => !/^[a-z][a-z0-9-]*\.[a-z][a-z-]*$/.test(id))).toEqual([])
})

test('every id is readable: words, and names of members as the interface spells them', () => {
  expect(ids.filter((id) => !/^[a-z][a-zA-Z0-9_-]*(?:\.[a-zA-Z][a-zA-Z0-9_-]*(?:\[\])*)+$/.test(id))).toEqual([])
})

// An id stands in reports, target files and lists of expected findings of others: none is renamed or used for something else.
test('every id that clause-ids.txt records is there, and every other one is recorded', async () => {
  await expect(`${[...ids].sort().join('\n')}\n`).toMatchFileSnapshot('clause-ids.txt')
})
