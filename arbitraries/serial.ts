// The names that a run gives: its nonce, a number, and a check by which they differ from what people name after a run.

import { hashOf } from '../models/language/hash.js'

const checkLength = 2
const checks = 36 ** checkLength

/** The n-th name of a run. */
export const nameOfRun = (nonce: string, n: number): string => {
  const number = n.toString(36)
  return `${nonce}-${number}${checkOf(nonce, number)}`
}

/** The prefix of the tags of a run, which several resources share; a name belongs to one resource. */
export const tagsOf = (nonce: string): string => `${nonce}-tag-`

/** Whether the run of that nonce gave this name, or one that begins with a name that it gave. */
export const isNameOfRun = (nonce: string, name: string): boolean => {
  if (name.startsWith(tagsOf(nonce))) return true
  const [rest = ''] = name.startsWith(`${nonce}-`) ? (/^[0-9a-z]+/.exec(name.slice(nonce.length + 1)) ?? []) : []
  return numbersIn(rest).some((number) => rest.startsWith(`${number}${checkOf(nonce, number)}`))
}

/** No run sends as many calls as a number of more digits would count. */
const longestNumber = 5

/** What a name may begin with. */
const numbersIn = (text: string): readonly string[] =>
  Array.from({ length: Math.max(0, Math.min(longestNumber, text.length - checkLength)) }, (_, i) =>
    text.slice(0, i + 1),
  )

const checkOf = (nonce: string, number: string): string =>
  (hashOf(`${nonce}-${number}`) % checks).toString(36).padStart(checkLength, '0')
