// How far the text of a HAR and of the bodies in it is read: long ones, and where it was cut.
import { describe, expect, test } from 'vitest'
import { endsWithin, textOf, upToCut } from '../../history/har-text.js'

/** Longer than what an engine keeps ways back for. */
const long = 'x'.repeat(20_000_000)
const har = (...entries: readonly unknown[]): string => JSON.stringify({ log: { version: '1.2', entries } })

describe('a text with a body of 20 MB', () => {
  test('is read up to where it was cut, within the body or after it', () => {
    const whole = har({ a: 1 }, { text: long })
    expect(upToCut(whole.slice(0, -100))).toEqual({
      json: { log: { version: '1.2', entries: [{ a: 1 }] } },
      isCut: true,
    })
    expect(upToCut(whole.slice(0, -2))).toEqual({ json: JSON.parse(whole) })
  })

  test('tells whether it ends within a value', () => {
    const text = JSON.stringify({ text: long })
    expect([text, text.slice(0, -1), text.slice(0, -100)].map(endsWithin)).toEqual([false, true, true])
  })
})

describe('a HAR whose text ends early', () => {
  const whole = har({ a: ['}'] }, { b: '\\"]' })
  const upTo = (sign: string): string => whole.slice(0, whole.lastIndexOf(sign) + sign.length)

  test.each([
    ['within a string', upTo('\\"'), [{ a: ['}'] }]],
    ['within an escape', upTo('\\"').slice(0, -1), [{ a: ['}'] }]],
    ['between two entries', upTo(','), [{ a: ['}'] }]],
    ['after an entry', upTo('"}'), [{ a: ['}'] }, { b: '\\"]' }]],
    ['before the first entry', upTo('"entries":['), []],
  ])('has the entries that are whole, and says that it was cut: %s', (_, text, entries) => {
    expect(upToCut(text)).toEqual({ json: { log: { version: '1.2', entries } }, isCut: true })
  })

  test.each([
    ['after their list', whole.slice(0, -2)],
    ['after the log', whole.slice(0, -1)],
    ['within what follows them', `${whole.slice(0, -2)},"comment":"[}`],
  ])('has every entry: %s', (_, text) => {
    expect(upToCut(text)).toEqual({ json: JSON.parse(whole) })
  })

  test.each([
    ['with more after its end', `${whole}x`],
    ['without a comma between two entries', whole.replace('},{', '}{').slice(0, -2)],
    ['without entries', '{"log":{"version":"1.2"'],
  ])('is none: %s', (_, text) => {
    expect(upToCut(text)).toBeUndefined()
  })
})

test.each([
  ['as text', { text: '\uFEFF{}' }],
  ['in base64', { text: Buffer.from('\uFEFF{}').toString('base64'), encoding: 'base64' }],
])('a byte order mark is kept %s, for JSON has none', (_, part) => {
  expect(textOf(part)).toBe('\uFEFF{}')
})
