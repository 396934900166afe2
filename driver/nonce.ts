// The text by which names of runs differ from all other names, and names of one run from those of another.

import { isNameOfRun } from '../arbitraries/serial.js'
import { hashOf } from '../models/language/hash.js'

const day = 36 ** 5
const marks = 36 ** 2

/** The text in all names of a run: the prefix, the time, and a checksum of both. */
export const createNonce = (prefix: string, at: number): string => {
  const time = (at % day).toString(36).padStart(5, '0')
  return `${prefix}-${time}${checkOf(prefix, time)}`
}

/** The nonce that a name begins with. Other names may begin with the same letters, but not with a checksum that fits. */
export const nonceIn = (prefix: string, name: string): string | undefined => {
  const [, time, check] = /^([0-9a-z]{5})([0-9a-z]{2})(?:-|$)/.exec(name.slice(prefix.length + 1)) ?? []
  const isNonce = name.startsWith(`${prefix}-`) && time !== undefined && check === checkOf(prefix, time)
  return isNonce ? `${prefix}-${time}${check}` : undefined
}

/** Whether a run made a name; people may name things after a run, but hardly as it does. */
export const isMadeName = (prefix: string, name: string): boolean => {
  const nonce = nonceIn(prefix, name)
  return nonce !== undefined && isGivenBy(nonce, name)
}

/** Whether the run of that nonce gave the name, or left it as its mark. */
export const isGivenBy = (nonce: string, name: string): boolean =>
  isNameOfRun(nonce, name) || (isMark(name) && runOf(name) === nonce)

/** Stands between the nonce and the expiry in the mark of a run. */
const markWord = '-run-'

/** The mark of a run: a tag by which others see that it is at an account. */
export const markOf = (nonce: string, endsAt: number): string =>
  `${nonce}${markWord}${Math.ceil(endsAt / 1000).toString(36)}`

/** Whether a name is that of a mark. */
export const isMark = (name: string): boolean => /-run-[0-9a-z]{6,7}$/.test(name)

/** The run that has left a mark. */
export const runOf = (label: string): string => label.slice(0, label.lastIndexOf(markWord))

/** When a mark ends, in milliseconds since the epoch. */
export const endOf = (label: string): number =>
  Number.parseInt(label.slice(label.lastIndexOf(markWord) + markWord.length), 36) * 1000

/** Two characters that depend on all of the text. */
const checkOf = (prefix: string, time: string): string =>
  (hashOf(`${prefix}-${time}`) % marks).toString(36).padStart(2, '0')
