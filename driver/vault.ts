// Knows the secrets of a run by value (tokens, and passwords and keys that are sent or minted) and removes them from texts, however encoded.

import type { SendableCall } from '../history/calls.js'
import { isSecretName, spelledSecrets } from '../history/masking.js'
import { percentEncoded } from '../history/uri.js'
import type { Outcome } from '../history/wire.js'
import { mask, maskOf } from '../models/language/secrets.js'

export interface Vault {
  /** Learns the secrets of a call before it is sent, and those of its outcome. */
  readonly hearCall: (call: Pick<SendableCall, 'body' | 'raw'>) => void
  readonly hearOutcome: (outcome: Outcome) => void
  /** The text without any secret that is known by now. */
  readonly text: (text: string) => string
}

/** Shorter values are parts of ordinary words. */
const least = 8
/** Any line of a key is a secret, except the lines that all keys have. */
const leastLine = 16

export const createVault = (tokens: ReadonlyMap<string, string>): Vault => {
  const known = new Set<string>()
  /** Encoded secrets by their first characters, and the pairs of characters with which any of them begins. */
  const spellings = new Map<string, { readonly spelling: string; readonly label: string }[]>()
  const begins = new Uint8Array(1 << 16)

  const keep = (spelling: string, label: string): void => {
    if (spelling.length < least) return
    const head = spelling.slice(0, least)
    const others = spellings.get(head) ?? []
    if (others.some((one) => one.spelling === spelling)) return
    spellings.set(
      head,
      [...others, { spelling, label }].sort((a, b) => b.spelling.length - a.spelling.length),
    )
    begins[pairAt(spelling, 0)] = 1
  }
  const learn = (value: string, label: string): void => {
    if (value.length < least || maskOf(value) === value || known.has(value)) return
    known.add(value)
    for (const part of [value, ...linesOf(value)]) for (const spelling of spellingsOf(part)) keep(spelling, label)
  }
  const learnAll = (value: unknown): void => {
    for (const secret of secretsIn(value)) learn(secret, mask)
  }
  for (const [name, secret] of tokens) learn(secret, `«token ${name}»`)

  return {
    hearCall: ({ body, raw }) => learnAll(raw ?? body),
    hearOutcome: (outcome) => learnAll('lost' in outcome ? outcome.detail : (outcome.body ?? outcome.text)),
    text: (text) => {
      let taken = ''
      let from = 0
      for (let at = 0; at + least <= text.length; at += 1) {
        if (begins[pairAt(text, at)] === 0) continue
        const found = spellings.get(text.slice(at, at + least))?.find(({ spelling }) => text.startsWith(spelling, at))
        if (!found) continue
        taken += text.slice(from, at) + found.label
        from = at + found.spelling.length
        at = from - 1
      }
      return from === 0 ? text : taken + text.slice(from)
    },
  }
}

/** Values of members with such names, and what texts spell. */
const secretsIn = (value: unknown, name = ''): readonly string[] => {
  if (typeof value === 'string') return isSecretName(name) ? [value] : spelledSecrets(value)
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([member, inner]) => secretsIn(inner, isList ? name : member))
}

const pairAt = (text: string, at: number): number => ((text.charCodeAt(at) << 8) ^ text.charCodeAt(at + 1)) & 0xffff

/** The lines of a key, whether its line breaks are such or are spelled. */
const linesOf = (value: string): readonly string[] =>
  value.split(/\\n|\r?\n/).filter((line) => line.length >= leastLine && !line.startsWith('-----') && line !== value)

/** The encodings of a text: plain, escaped once and twice, in a URL, and in base64 at every offset. */
const spellingsOf = (value: string): readonly string[] => {
  const escaped = JSON.stringify(value).slice(1, -1)
  const inUrl = percentEncoded(value)
  const all = [
    value,
    escaped,
    JSON.stringify(escaped).slice(1, -1),
    inUrl,
    inUrl.replaceAll('%20', '+'),
    inUrl.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    Buffer.from(value).toString('hex'),
    ...[0, 1, 2].flatMap((shift) => base64At(value, shift)),
  ]
  return [...new Set(all)]
}

/** What base64 makes of a text that begins so many bytes after a group of three, without what its neighbours decide. */
const base64At = (value: string, shift: number): readonly string[] => {
  const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(value)])
  const spelled = bytes.toString('base64').replace(/=+$/, '')
  const inner = spelled.slice(Math.ceil((shift * 4) / 3), Math.floor((bytes.length * 8) / 6))
  return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
}
