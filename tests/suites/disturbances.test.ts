// A run does not conform where too much of it had no reply of the target's own.
import { expect, test } from 'vitest'
import { createDisturbances } from '../../suites/disturbances.js'

const told = (counts: Readonly<Record<string, readonly [all: number, disturbed: number]>>): string | undefined => {
  const { note, tell } = createDisturbances()
  for (const [operation, [all, disturbed]] of Object.entries(counts))
    for (let i = 0; i < all; i += 1) note(operation, i < disturbed ? 'disturbed' : 'nothing')
  return tell()
}

test.each([
  ['none of its programs is disturbed', { 'tags.list': [20, 0] }],
  ['it has no programs', {}],
  ['one program in ten is', { 'tags.list': [10, 1], 'tags.create': [10, 1] }],
] as const)('a run may conform where %s', (_, counts) => {
  expect(told(counts)).toBeUndefined()
})

test('more than one program in ten is too many', () => {
  expect(told({ 'tags.list': [10, 1], 'tags.create': [10, 2] })).toMatch(/^3 of 20 programs showed nothing: no reply/)
})

test('all programs of an operation are too many, however few they are', () => {
  expect(told({ 'tags.list': [90, 0], 'tags.create': [2, 2] })).toContain('2 of 92')
  expect(told({ 'tags.list': [90, 0], 'tags.create': [2, 2] })).toContain('among them all of tags.create')
})

test('some programs of an operation may be barred each time, but not all of them', () => {
  const { note, tell } = createDisturbances()
  for (let i = 0; i < 9; i += 1) note('bucket-certificates.upload', 'barred')
  note('bucket-certificates.upload', 'nothing')
  expect(tell()).toBeUndefined()
  note('bucket-certificates.delete', 'barred')
  expect(tell()).toMatch(/^10 of 11 programs showed nothing, among them all of bucket-certificates\.delete:/)
})
