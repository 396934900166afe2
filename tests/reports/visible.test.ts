import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clip, visible, visibleJson, visibleLine } from '../../reports/visible.js'
import { seed } from '../seed.js'
import { HOSTILE } from './sample.js'

const anyText = fc.string({ unit: 'binary' })

describe('text made visible', () => {
  it.each([
    ['a terminal command', '\u001b[2J', '\\u001b[2J'],
    ['an 8-bit terminal command', '\u009b31m', '\\u009b31m'],
    ['a right-to-left override', 'a\u202eb', 'a\\u202eb'],
    ['an isolate', '\u2066x\u2069', '\\u2066x\\u2069'],
    ['a zero-width space', 'a\u200bb', 'a\\u200bb'],
    ['a lone surrogate', '\ud800', '\\ud800'],
    ['a tag character', '\u{e0041}', '\\udb40\\udc41'],
    ['a carriage return', 'a\rb', 'a\\u000db'],
    ['a code point that XML can not hold', '\ufffe', '\\ufffe'],
  ])('shows %s as an escape', (_, text, shown) => {
    expect(visible(text)).toBe(shown)
  })

  it('leaves letters of any script, line feeds and tabs as they are', () => {
    const text = 'naïve 日本語 עברית 👍\n\tx'
    expect(visible(text)).toBe(text)
  })

  it('is well formed, and stays as it is when made visible again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = visible(text + HOSTILE)
        expect(shown).not.toMatch(/[^\P{C}\t\n\p{Cn}\p{Co}]/u)
        expect(visible(shown)).toBe(shown)
      }),
      { seed },
    )
  })

  it('has no line feed where one line is wanted', () => {
    expect(visibleLine('a\nb\t\tc')).toBe('a b c')
  })

  it('parses as the same JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
        expect(JSON.parse(visibleJson(value))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
      { seed },
    )
  })

  it('says how much was cut off, and never cuts a character in two', () => {
    expect(clip('abcdef', 3)).toBe('abc… (3 more characters)')
    expect(clip('abc', 3)).toBe('abc')
    expect(clip('a👍b', 2)).toBe('a… (3 more characters)')
  })
})
