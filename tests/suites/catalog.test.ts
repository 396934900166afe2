import { expect, test } from 'vitest'
import { inOrder, stagesOf } from '../../suites/catalog.js'
import { crossingTasks } from '../../suites/crossing.js'
import { suitesFor } from '../../suites/filter.js'

const all = suitesFor({ areas: [], operations: [], clauses: [], shard: [1, 1] })

test('every suite has a stage, and one only', () => {
  expect(all).toEqual(expect.arrayContaining(Object.keys(crossingTasks)))
  expect(inOrder(stagesOf(all).flat())).toEqual(inOrder(all))
})

test('what cannot be brought back comes last, each by itself', () => {
  expect(stagesOf(all).slice(1)).toEqual([['object-storage'], ['node-deletion']])
})

test('a narrowed run has no other suites', () => {
  expect(stagesOf(['volumes', 'races']).flat()).toEqual(['volumes', 'races'])
})
