// The names that a run gives: its nonce, a word that counts, and a check by which they differ from what people name after a run.

import { hashOf } from '../models/language/hash.js'

const alphabet = 26
const checkLength = 3
/** So few that every check begins with a digit. */
const checks = 10 * 36 ** (checkLength - 1)

/** The n-th name of a run. */
export const nameOfRun = (nonce: string, n: number): string => checked(`${nonce}-${wordOf(n)}`)

/** A tag of a run, which several resources share; a name belongs to one resource. `word`: lower-case letters. */
export const tagOfRun = (nonce: string, word: string): string => checked(`${tagsOf(nonce)}${word}`)

/** The prefix of the tags of a run. */
export const tagsOf = (nonce: string): string => `${nonce}-tag-`

/**
 * Whether the run of that nonce gave this name, or one that begins with a name that it gave. A word has no digit and a check begins
 * with one, so a name can have its check in one place only, whatever follows.
 */
export const isNameOfRun = (nonce: string, name: string): boolean => {
  if (!name.startsWith(`${nonce}-`)) return false
  const [word] = /^(?:tag-)?[a-z]+(?=[0-9])/.exec(name.slice(nonce.length + 1)) ?? []
  return word !== undefined && name.startsWith(checked(`${nonce}-${word}`))
}

/** Words in the order of their length: a to z, aa to zz and so on. */
const wordOf = (n: number): string =>
  (n < alphabet ? '' : wordOf(Math.floor(n / alphabet) - 1)) + String.fromCharCode('a'.charCodeAt(0) + (n % alphabet))

const checked = (text: string): string => `${text}${(hashOf(text) % checks).toString(36).padStart(checkLength, '0')}`
