// The spellings of a secret, and the texts that a text spells: escapes of JSON, URLs and HTML are decoded, and what may part a text is taken out.

/** What stands for one character. */
const unit =
  /\\u\{[\dA-Fa-f]{1,6}\}|\\u[\dA-Fa-f]{4}|\\x[\dA-Fa-f]{2}|\\\S|%[\dA-Fa-f]{2}|&#\d{1,7};?|&#[xX][\dA-Fa-f]{1,6};?|&(?:amp|lt|gt|quot|apos);?/g

const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }
const controls = 'bfnrtv'

const characterOf = (code: number): string => (code <= 0x10ffff ? String.fromCodePoint(code) : '')

const decoded = (text: string): string => {
  const rest = text.slice(1).replace(/;$/, '')
  if (text.startsWith('%')) return characterOf(Number.parseInt(rest, 16))
  if (text.startsWith('&'))
    return named[rest.toLowerCase()] ?? characterOf(Number(rest.replace('#', '').replace(/^x/i, '0x')))
  if (text.length > 2) return characterOf(Number.parseInt(text.slice(text.charAt(2) === '{' ? 3 : 2), 16))
  return controls.includes(text.charAt(1)) ? '' : text.slice(1)
}

/** What an escape stands for; nothing where that is white space, which wrapping may have put in. */
const meant = (text: string): string => {
  const one = decoded(text)
  return /\s/.test(one) ? '' : one
}

/** An escaped text may hold another: so many are decoded at most. One that was escaped once less is decoded to its end. */
const mostPasses = 5

/** White space, and what stands in JSON between two texts that are neighbours, its quotes escaped up to three times. */
const gap = /\s+|(\\{0,7})"\s*,\s*(?:\1"[^"\\]*\1"\s*:\s*)?\1"/g

/** A text without gaps, what that spells, and what that spells in turn. */
export const readingsOf = (text: string): readonly string[] => {
  const all = [text.replace(gap, '')]
  while (all.length <= mostPasses) {
    const last = all.at(-1) as string
    const next = last.replace(unit, meant)
    if (next === last) break
    all.push(next)
  }
  return all
}

/** Where the characters of a reading begin and end in the text. */
export interface Extents {
  readonly begins: Uint32Array
  readonly ends: Uint32Array
}

/** The extents in a text of the characters of its readings. */
export const extentsIn = (text: string, readings: readonly string[]): readonly Extents[] => {
  const all: Extents[] = []
  for (const [i, { length }] of readings.entries()) {
    const source = readings[i - 1] ?? text
    all.push(extentsOf(source, source.matchAll(i === 0 ? gap : unit), length, all[i - 1]))
  }
  return all
}

const extentsOf = (
  source: string,
  units: Iterable<RegExpExecArray>,
  length: number,
  before: Extents | undefined,
): Extents => {
  const begins = new Uint32Array(length)
  const ends = new Uint32Array(length)
  let to = 0
  const put = (begin: number, end: number): void => {
    begins[to] = before?.begins[begin] ?? begin
    ends[to] = before?.ends[end - 1] ?? end
    to += 1
  }
  let from = 0
  for (const { 0: found, index } of units) {
    for (let at = from; at < index; at += 1) put(at, at + 1)
    from = index + found.length
    for (const _ of meant(found).split('')) put(index, from)
  }
  for (let at = from; at < source.length; at += 1) put(at, at + 1)
  return { begins, ends }
}

/**
 * A value as it may stand in a text or in one of its readings: as it is, in other letters, backwards, as a list of its bytes, in
 * hexadecimal, in base64 at every offset, and in base64 of base64.
 */
export const spellingsOf = (value: string): readonly string[] => {
  const bytes = Buffer.from(value)
  const plain = [value, value.replaceAll(' ', '+')].flatMap((one) => [one, Buffer.from(one).toString('latin1')])
  const others = plain.flatMap((one) => [[...one].reverse().join(''), one.toLowerCase(), one.toUpperCase()])
  const hex = ['', ':', '-'].map((between) => [...bytes].map(inHex).join(between))
  return [
    ...new Set([
      // Escaped as well, so that no half of an escape is left of one that begins or ends in a backslash.
      ...[...plain, ...others].flatMap((one) => [one, JSON.stringify(one).slice(1, -1), ...readingsOf(one)]),
      bytes.join(','),
      ...hex.flatMap((one) => [one, one.toUpperCase()]),
      ...[0, 1, 2].flatMap((shift) => [...base64At(value, shift), ...base64At(bytes.toString('base64'), shift)]),
    ]),
  ]
}

const inHex = (byte: number): string => byte.toString(16).padStart(2, '0')

/** What base64 makes of a text that begins so many bytes after a group of three, without what its neighbours decide. */
const base64At = (value: string, shift: number): readonly string[] => {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)])
  const spelled = bytes.toString('base64').replace(/=+$/, '')
  const inner = spelled.slice(Math.ceil((shift * 4) / 3), Math.floor((bytes.length * 8) / 6))
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
}
