// Knows the secrets of a run by value (tokens, and passwords and keys that are sent or minted) and removes them from texts, however encoded.

import type { SendableCall } from '../history/calls.js'
import { isSecretName, spelledSecrets } from '../history/masking.js'
import type { Outcome } from '../history/wire.js'
import { mask, maskOf } from '../models/language/secrets.js'
import { type Extents, extentsIn, readingsOf, spellingsOf } from './spellings.js'

export interface Vault {
  /** Learns the secrets of a call before it is sent, and those of its outcome. */
  readonly hearCall: (call: Pick<SendableCall, 'body' | 'raw'>) => void
  readonly hearOutcome: (outcome: Outcome) => void
  /** Learns a token by its name. */
  readonly hearToken: (secret: string, name: string) => void
  /** How many secrets are known. */
  readonly size: () => number
  /** The text without any secret that is known by now. */
  readonly text: (text: string) => string
}

/** Shorter values are parts of ordinary words. */
const least = 8
/** Any line of a key is a secret, except the lines that all keys have. */
const leastLine = 16

/** @param isWord whether a value is an ordinary word, which is not masked: it would be taken out of other texts as well */
export const createVault = (
  tokens: ReadonlyMap<string, string>,
  isWord: (value: string) => boolean = () => false,
): Vault => {
  const known = new Set<string>()
  /** Encoded secrets by their first characters, and the pairs of characters with which any of them begins. */
  const spellings = new Map<string, Spelling[]>()
  const spelt = new Set<string>()
  const begins = new Uint8Array(1 << 16)

  const keep = (spelling: string, label: string): void => {
    if (spelling.length < least || spelt.has(spelling)) return
    spelt.add(spelling)
    const head = spelling.slice(0, least)
    const others = spellings.get(head) ?? []
    spellings.set(head, others)
    // The longest first. Many secrets begin alike, and most of these are of one length.
    let at = others.length
    while (at > 0 && (others[at - 1] as Spelling).spelling.length < spelling.length) at -= 1
    others.splice(at, 0, { spelling, label })
    begins[pairAt(spelling, 0)] = 1
  }
  const learn = (value: string, label: string): void => {
    if (value.length < least || maskOf(value) === value || known.has(value) || isWord(value)) return
    known.add(value)
    for (const part of [value, ...linesOf(value)].map(inner)) {
      const words = [part.toLowerCase(), part.toUpperCase()].filter(isWord)
      for (const spelling of spellingsOf(part)) if (!words.includes(spelling)) keep(spelling, label)
    }
  }
  const learnAll = (value: unknown): void => {
    for (const secret of secretsIn(value)) learn(secret, mask)
  }
  const hearToken = (secret: string, name: string): void => learn(secret, `«token ${name}»`)
  for (const [name, secret] of tokens) hearToken(secret, name)

  /** The spellings that stand in a text, in order. */
  const foundIn = (text: string): readonly Found[] => {
    const all: Found[] = []
    for (let at = 0; at + least <= text.length; at += 1) {
      if (begins[pairAt(text, at)] === 0) continue
      for (const { spelling, label } of spellings.get(text.slice(at, at + least)) ?? []) {
        const end = endOf(spelling, text, at)
        if (end === undefined) continue
        all.push({ begin: at, end, label })
        at = end - 1
        break
      }
    }
    return all
  }

  return {
    hearCall: ({ body, raw }) => learnAll(raw ?? body),
    hearToken,
    hearOutcome: (outcome) => learnAll('lost' in outcome ? outcome.detail : (outcome.body ?? outcome.text)),
    size: () => known.size,
    text: (given) => {
      if (spelt.size === 0) return given
      const text = without(given, foundIn(given))
      const readings = readingsOf(text)
      const found = readings.map(foundIn)
      if (found.every(({ length }) => length === 0)) return text
      const extents = extentsIn(text, readings)
      return without(
        text,
        found.flatMap((all, i) => all.map((one) => placed(one, extents[i] as Extents))),
      )
    },
  }
}

interface Spelling {
  readonly spelling: string
  readonly label: string
}

/** A text that was cut within an escape ends in so many of its characters at most. */
const longestRest = 8

/** Where a spelling that begins at this place of a text ends: where it is whole, or where the text was cut short in it. */
const endOf = (spelling: string, text: string, at: number): number | undefined => {
  let same = 0
  while (same < spelling.length && spelling.charCodeAt(same) === text.charCodeAt(at + same)) same += 1
  if (same === spelling.length) return at + same
  const cut = same < least ? -1 : text.slice(at + same, at + same + longestRest).indexOf('…')
  return cut < 0 ? undefined : at + same + cut
}

/** A secret in a text. */
interface Found {
  readonly begin: number
  readonly end: number
  readonly label: string
}

const placed = ({ begin, end, label }: Found, { begins, ends }: Extents): Found => ({
  begin: begins[begin] as number,
  end: ends[end - 1] as number,
  label,
})

const without = (text: string, found: readonly Found[]): string => {
  let taken = ''
  let from = 0
  for (const { begin, end, label } of found.toSorted((a, b) => a.begin - b.begin)) {
    if (end <= from) continue
    taken += begin < from ? '' : text.slice(from, begin) + label
    from = end
  }
  return from === 0 ? text : taken + text.slice(from)
}

/** Values of members with such names, and what texts spell. */
const secretsIn = (value: unknown, name = ''): readonly string[] => {
  if (typeof value === 'string') return isSecretName(name) ? [value] : spelledSecrets(value)
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([member, inner]) => secretsIn(inner, isList ? name : member))
}

const pairAt = (text: string, at: number): number => ((text.charCodeAt(at) << 8) ^ text.charCodeAt(at + 1)) & 0xffff

/** A text without quotes and backslashes at its ends: there they may as well be those that JSON puts round a text. */
const inner = (text: string): string => {
  const bare = text.replace(/^["\\]+/, '').replace(/(?<!["\\])["\\]+$/, '')
  return bare.length < least ? text : bare
}

/** The lines of a key, whether its line breaks are such or are spelled. */
const linesOf = (value: string): readonly string[] =>
  value.split(/\\n|\r?\n/).filter((line) => line.length >= leastLine && !line.startsWith('-----') && line !== value)
