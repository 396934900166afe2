// Knows the secrets of traffic by value, as they go by, and removes them from what is written of it; what is judged stays as it was.

import { createVault, type Vault } from '../driver/vault.js'
import { lineSchema } from '../history/lines.js'
import { allClauses } from '../models/index.js'

export interface TrafficSecrets {
  readonly hearToken: (secret: string, name: string) => void
  /** Learns what an Authorization header shows. */
  readonly hearCredentials: (authorization: string, name: string) => void
  /** Learns the values of members that are secrets. */
  readonly hearBody: (text: string) => void
  /** The text without any secret that is known by now. */
  readonly text: (text: string) => string
  /** The value with every text and every name in it so. */
  readonly value: <T>(value: T) => T
}

/** So many are remembered, the latest, and up to as many from before these. */
const mostKnown = 1000

/**
 * @param tokens secrets by token name
 * @param most how many are remembered
 */
export const createTrafficSecrets = (tokens: ReadonlyMap<string, string>, most = mostKnown): TrafficSecrets => {
  // People choose words for passwords: without those of records and of the document there would be no reading what is written.
  const words = JSON.stringify([lineSchema, allClauses()])
  const open = (): Vault => createVault(tokens, (value) => words.includes(value))
  let vaults: readonly [Vault, ...Vault[]] = [open()]
  const current = (): Vault => {
    if (vaults[0].size() >= most) vaults = [open(), vaults[0]]
    return vaults[0]
  }
  const hearToken = (secret: string, name: string): void => current().hearToken(secret, name)
  const text = (given: string): string => vaults.reduce((left, vault) => vault.text(left), given)
  const value = (given: unknown): unknown => {
    if (typeof given === 'string') return text(given)
    if (typeof given !== 'object' || given === null) return given
    if (Array.isArray(given)) return given.map(value)
    return Object.fromEntries(Object.entries(given).map(([name, member]) => [text(name), value(member)]))
  }
  return {
    hearToken,
    hearCredentials: (authorization, name) => {
      for (const secret of shownIn(authorization)) hearToken(secret, name)
    },
    hearBody: (text) => {
      current().hearCall({ body: [text, parsed(text)] })
    },
    text,
    value: (given) => value(given) as typeof given,
  }
}

/** The credentials without their scheme; of the basic one the password as well. */
const shownIn = (authorization: string): readonly string[] => {
  const [scheme = '', ...words] = authorization.trim().split(/ +/)
  const rest = words.join(' ') || scheme
  const pair = /^basic$/i.test(scheme) ? Buffer.from(rest, 'base64').toString() : ''
  return [rest, pair.slice(pair.indexOf(':') + 1)]
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
