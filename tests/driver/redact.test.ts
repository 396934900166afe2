// Tests of what is taken out of replies before they are recorded.

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createRedaction } from '../../driver/redact.js'
import { seed } from '../seed.js'

const { text, value } = createRedaction(
  new Map([
    ['owner', 'sk-live-1'],
    ['longer', 'sk-live-1-and-more'],
    ['odd', 'a+/(b"c\\d$&'],
    ['short', 'dev'],
    ['least', 'eight-88'],
  ]),
)

describe('text', () => {
  test.each([
    ['x sk-live-1 y sk-live-1', 'x «token owner» y «token owner»'],
    ['sk-live-1-and-more', '«token longer»'],
    ['(a+/(b"c\\d$&)', '(«token odd»)'],
    ['sk-live-2', 'sk-live-2'],
    ['xeight-88x', 'x«token least»x'],
  ])('%j is recorded as %j', (given, told) => {
    expect(text(given)).toBe(told)
  })

  test.each([
    ['dev', '«token short»'],
    ['Authorization: Bearer dev.', 'Authorization: Bearer «token short».'],
    ['Authorization: Basic dev.', 'Authorization: Basic «token short».'],
    ['/dev/disk', '/dev/disk'],
    ['device', 'device'],
    ['Bearer device', 'Bearer device'],
  ])('a secret that may be part of a word is looked for by itself alone: %j is recorded as %j', (given, told) => {
    expect(text(given)).toBe(told)
  })
})

test('a value keeps its very identity where no secret is in it', () => {
  const given = { data: [{ id: 7, label: 'a' }] }
  expect(value(given, JSON.stringify(given))).toBe(given)
})

test('a secret goes wherever it stands in a value, however the JSON was written', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('sk-live-1', 'a+/(b"c\\d$&'),
      fc.boolean(),
      (rest, secret, isEscaped) => {
        const written = JSON.stringify([rest, { [secret]: `<${secret}>` }])
        const source = isEscaped ? written.replaceAll('k', '\\u006b').replaceAll('/', '\\/') : written
        const told = JSON.stringify(value(JSON.parse(source), source))
        expect(told).not.toContain(JSON.stringify(secret).slice(1, -1))
        expect(told).toMatch(/\{"«token \w+»":"<«token \w+»>"\}\]$/)
      },
    ),
    { seed },
  )
})

test('without secrets nothing changes', () => {
  expect(createRedaction(new Map()).text('sk-live-1')).toBe('sk-live-1')
})
