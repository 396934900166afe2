import { expect, test } from 'vitest'
import { defects } from '../../models/defects.js'

test('every defect of the document has an id of its own', () =>
  expect(new Set(defects.map(({ id }) => id)).size).toBe(defects.length))

test('every defect says where it is, what is odd and how it is read, in whole sentences', () => {
  for (const { id, source, text, reading } of defects) {
    expect(id).toMatch(/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/)
    expect(source.length).toBeGreaterThan(5)
    expect([text, reading].filter((one) => !/^\S.*\.$/s.test(one))).toEqual([])
  }
})
