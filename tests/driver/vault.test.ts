// A secret is known in every spelling, wherever it stands, and what stands beside it is kept.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createVault } from '../../driver/vault.js'
import { seed } from '../seed.js'

const hexOf = (text: string): readonly string[] =>
  [...Buffer.from(text)].map((byte) => byte.toString(16).padStart(2, '0'))
const codesOf = (text: string): readonly number[] => text.split('').map((_, i) => text.charCodeAt(i))
const escaped = (text: string): string => JSON.stringify(text).slice(1, -1)
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const wrapped = (text: string, width: number, by: string): string =>
  text.replaceAll(new RegExp(`.{${width}}`, 'g'), (line) => line + by)
const page = '-'.repeat(60)

/** How a target may write a secret. */
const spellings: Readonly<Record<string, (secret: string) => string>> = {
  'as it is': (one) => one,
  backwards: (one) => [...one].reverse().join(''),
  'lower-case hex': (one) => hexOf(one).join(''),
  'upper-case hex': (one) => hexOf(one).join('').toUpperCase(),
  'escapes \\u': (one) =>
    codesOf(one)
      .map((code) => `\\u${code.toString(16).padStart(4, '0')}`)
      .join(''),
  'escapes \\u in capitals': (one) =>
    codesOf(one)
      .map((code) => `\\u${code.toString(16).toUpperCase().padStart(4, '0')}`)
      .join(''),
  'decimal entities': (one) =>
    codesOf(one)
      .map((code) => `&#${code};`)
      .join(''),
  'hexadecimal entities': (one) =>
    codesOf(one)
      .map((code) => `&#x${code.toString(16)};`)
      .join(''),
  'entities in capitals': (one) =>
    codesOf(one)
      .map((code) => `&#X${code.toString(16).toUpperCase()};`)
      .join(''),
  'named entities': (one) => one.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;'),
  'a URL': encodeURIComponent,
  'a form': (one) => new URLSearchParams({ one }).toString().slice('one='.length),
  'a URL, all of it': (one) =>
    hexOf(one)
      .map((byte) => `%${byte}`)
      .join(''),
  'a URL, all of it in capitals': (one) =>
    hexOf(one)
      .map((byte) => `%${byte.toUpperCase()}`)
      .join(''),
  'JSON, twice': (one) => escaped(escaped(one)),
  'JSON, three times': (one) => escaped(escaped(escaped(one))),
  'escapes \\u{}': (one) =>
    codesOf(one)
      .map((code) => `\\u{${code.toString(16)}}`)
      .join(''),
  'hex with colons': (one) => hexOf(one).join(':'),
  'upper-case hex with hyphens': (one) => hexOf(one).join('-').toUpperCase(),
  'the bytes of a buffer': (one) => JSON.stringify([...Buffer.from(one)]).slice(1, -1),
  'lower case': (one) => one.toLowerCase(),
  'upper case': (one) => one.toUpperCase(),
  'base64, twice': (one) => base64(base64(one)).replace(/=+$/, ''),
  'base64 in a URL': (one) => encodeURIComponent(base64(one)),
  'base64url without padding': (one) => Buffer.from(one).toString('base64url'),
  ...Object.fromEntries(
    [0, 1, 2].flatMap((shift) => [
      [`base64 at offset ${shift}`, (one: string) => base64(`${page}${'x'.repeat(shift)}${one}${page}`)],
      ...[64, 76].flatMap((width) => [
        [
          `base64 at offset ${shift} in lines of ${width}`,
          (one: string) => wrapped(base64(`${page}${'x'.repeat(shift)}${one}${page}`), width, '\r\n'),
        ],
        [
          `base64 at offset ${shift} in escaped lines of ${width}`,
          (one: string) => escaped(wrapped(base64(`${page}${'x'.repeat(shift)}${one}${page}`), width, '\n')),
        ],
      ]),
    ]),
  ),
  'a folded header': (one) => wrapped(one, 5, '\r\n\t'),
  'wrapped hex': (one) => wrapped(hexOf(one).join(''), 8, '\n'),
}

/** Printable characters, with a space and others than those of ASCII; as target files and tickets have them. */
const secret = fc.string({
  unit: fc.constantFrom(...'abcxyzABCXYZ0123456789+/=-_.~!"\\&<>%;# üß€'),
  minLength: 16,
  maxLength: 40,
})

/** No secret of people is little else than signs, or holds escapes of several kinds, which can be decoded in several orders. */
const isPlain = (password: string): boolean =>
  password.replaceAll(/[\s%&#;\\]/g, '').length >= 12 &&
  [/%[\da-f]{2}/i, /&#x?[\da-f]/i, /\\/].filter((kind) => kind.test(password)).length <= 1

/** What is left of a spelling is at most what its neighbours decide: the outermost characters of base64. */
const readable = (spelled: string, left: string): readonly string[] => {
  const parts = left.split('«redacted»')
  return parts.length > 1 ? parts.filter((part) => !spelled.startsWith(part) && !spelled.endsWith(part)) : parts
}

test.each(Object.entries(spellings))('a secret written as %s is known', (name, write) => {
  fc.assert(
    fc.property(secret, (drawn) => {
      const password = `Q${drawn}Z`
      fc.pre(isPlain(password))
      const vault = createVault(new Map())
      vault.hearCall({ body: { password } })
      const spelled = write(password)
      const left = vault.text(`{"reason":"before ${spelled} after"}`)
      expect(left.startsWith('{"reason":"before ') && left.endsWith(' after"}'), left).toBe(true)
      const inner = left.slice('{"reason":"before '.length, -' after"}'.length)
      if (name.startsWith('base64')) expect(readable(spelled, inner)).toEqual([])
      else expect(inner.trim()).toBe('«redacted»')
    }),
    { seed, numRuns: 100 },
  )
})

test.each([
  'as it is',
  'lower-case hex',
  'escapes \\u',
  'decimal entities',
  'a URL',
  'JSON, twice',
  'base64url without padding',
])('a secret written as %s is known where the text was cut short in it', (name) => {
  const share = fc.integer({ min: 70, max: 99 })
  fc.assert(
    fc.property(secret, share, (drawn, percent) => {
      const password = `Q${drawn}Z`
      fc.pre(isPlain(password))
      const vault = createVault(new Map())
      vault.hearCall({ body: { password } })
      const spelled = spellings[name]?.(password) ?? ''
      const cut = spelled.slice(0, Math.floor((spelled.length * percent) / 100))
      // The half of an escape may be left, and white space before it.
      const left = vault.text(`<${cut}…>`).replaceAll(/&#32;|%20|\\u0020|\s/g, '')
      expect(left).toMatch(/^<«redacted»(?:|[\\&%][\\#\w]{0,6})…?>$/)
    }),
    { seed, numRuns: 100 },
  )
})

test('a secret is known where two members, or two items, share it', () => {
  const at = fc.integer({ min: 1, max: 15 })
  const between = fc.constantFrom('","', '", "second": "', '","second":"')
  fc.assert(
    fc.property(secret, at, between, fc.integer({ min: 0, max: 3 }), (drawn, cut, gap, times) => {
      const password = `Q${drawn}Z`
      fc.pre(isPlain(password) && !password.includes('"'))
      const vault = createVault(new Map())
      vault.hearCall({ body: { password } })
      const halves = [password.slice(0, cut), password.slice(cut)].map(escaped)
      let text = `{"first":["${halves.join(gap)}"],"more":1}`
      for (let i = 0; i < times; i += 1) text = escaped(text)
      const quote = `${'\\'.repeat(2 ** times - 1)}"`
      expect(vault.text(text)).toBe(`{"first":["«redacted»"],"more":1}`.replaceAll('"', quote))
    }),
    { seed, numRuns: 100 },
  )
})

test('a line stays JSON, whatever parts of a secret its texts are', () => {
  const parts = secret.chain((drawn) => {
    const ends = fc.tuple(fc.nat(drawn.length), fc.nat(drawn.length))
    const part = ends.map(([one, other]) => drawn.slice(Math.min(one, other), Math.max(one, other)))
    const text = fc.oneof(part, part.map(escaped), part.map(encodeURIComponent), fc.constantFrom('\\', '"', '\\"', ','))
    const texts = fc.array(text, { minLength: 1, maxLength: 6 })
    return fc.tuple(fc.constant(drawn), texts, fc.integer({ min: 0, max: 3 }))
  })
  fc.assert(
    fc.property(parts, ([password, texts, times]) => {
      const vault = createVault(new Map())
      vault.hearCall({ body: { password } })
      let value: unknown = { texts, ...Object.fromEntries(texts.map((text, i) => [`${i}`, text])) }
      for (let i = 0; i < times; i += 1) value = { text: JSON.stringify(value) }
      expect(() => JSON.parse(vault.text(JSON.stringify(value)))).not.toThrow()
    }),
    { seed, numRuns: 1000 },
  )
})

test('what is escaped in the neighbourhood of a secret stays as it was', () => {
  const vault = createVault(new Map([['owner', 'canary-token-0123456789']]))
  const text = '{"a":"x\\n\\u00fc %20 &amp; <b>","b":"c\\u0061nary-token%2D0123456789\\\\"}'
  const left = vault.text(text)
  expect(left).toBe('{"a":"x\\n\\u00fc %20 &amp; <b>","b":"«token owner»\\\\"}')
  expect(JSON.parse(left)).toEqual({ a: 'x\nü %20 &amp; <b>', b: '«token owner»\\' })
})

test('a text that is nothing but escapes takes no longer for each level of them', () => {
  const vault = createVault(new Map([['owner', 'canary-token-0123456789']]))
  const text = `&${'amp;'.repeat(100_000)}%${'25'.repeat(100_000)}${'\\'.repeat(100_000)}`
  expect(vault.text(text)).toBe(text)
})

test.each(['\\begins-with-it', 'ends-with-it\\', '\\ti-htiw-sdne\\'])(
  'leaves the lines of a record whole: %s',
  (password) => {
    const vault = createVault(new Map())
    vault.hearCall({ body: { password } })
    for (const text of [password, [...password].reverse().join(''), JSON.stringify({ password })]) {
      const line = vault.text(JSON.stringify({ type: 'note', text }))
      expect(JSON.parse(line).type).toBe('note')
      expect(line).not.toContain(password.replaceAll('\\', ''))
    }
  },
)

test('a word that a password is in other letters is told', () => {
  const vault = createVault(new Map(), (value) => value === 'accepted')
  vault.hearCall({ body: { password: 'Accepted' } })
  expect(vault.text('accepted, Accepted, ACCEPTED')).toBe('accepted, «redacted», «redacted»')
})

test.each([
  ['a list of passwords', { password: ['first-of-two', 'second-of-two'] }],
  ['a list of things with passwords', { all: [{ password: 'first-of-two' }, { password: 'second-of-two' }] }],
])('secrets are known in %s', (_, body) => {
  const vault = createVault(new Map())
  vault.hearCall({ body })
  expect(vault.text('first-of-two, second-of-two')).toBe('«redacted», «redacted»')
})
