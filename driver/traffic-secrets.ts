// Knows the secrets of traffic by value, as they go by, and removes them from what is written of it; what is judged stays as it was.

import { mayShowSecret } from '../history/header-secrets.js'
import { lineSchema } from '../history/lines.js'
import { allClauses } from '../models/index.js'
import { inTexts } from './redact.js'
import { createVault, type Vault } from './vault.js'

export interface TrafficSecrets {
  readonly hearToken: (secret: string, name: string) => void
  /** Learns what the headers of a message show that lets others in. */
  readonly hearHeaders: (headers: Iterable<readonly [name: string, value: string]>, caller: string) => void
  /** The same of the query and the fragment of a URL. */
  readonly hearUrl: (url: string, caller: string) => void
  /** Learns the values of members that are secrets. */
  readonly hearBody: (text: string) => void
  /** The same of a body that was read. */
  readonly hear: (body: unknown) => void
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
  const hear = (body: unknown): void => current().hearCall({ body })
  const hearUrl = (url: string, caller: string): void => {
    for (const part of url.split(/[?#]/).slice(1))
      for (const [name, shown] of new URLSearchParams(part)) if (mayShowSecret(name)) hearToken(shown, caller)
  }
  const text = (given: string): string => vaults.reduce((left, vault) => vault.text(left), given)
  return {
    hearToken,
    hearHeaders: (headers, caller) => {
      for (const [name, shown] of headers) {
        if (mayShowSecret(name)) for (const secret of shownIn(name, shown)) hearToken(secret, caller)
        // Some headers hold an address.
        hearUrl(shown, caller)
      }
    },
    hearUrl,
    hearBody: (text) => hear([text, parsed(text)]),
    hear,
    text,
    value: (given) => inTexts(given, text) as typeof given,
  }
}

const shownIn = (header: string, value: string): readonly string[] =>
  /^(set-)?cookie$/i.test(header) ? cookiesIn(header, value) : credentialsIn(value)

/** The values of cookies; what a reply says of one beside its value is no secret. */
const cookiesIn = (header: string, value: string): readonly string[] => {
  const pairs = value.split(';')
  return (/^set-/i.test(header) ? pairs.slice(0, 1) : pairs).map((pair) =>
    pair
      .slice(pair.indexOf('=') + 1)
      .trim()
      .replaceAll(/^"|"$/g, ''),
  )
}

/** Credentials without their scheme; of the basic one the password as well, and of parameters those that are secrets. */
const credentialsIn = (value: string): readonly string[] => {
  const [scheme = '', ...words] = value.trim().split(/ +/)
  const rest = words.join(' ') || scheme
  const pair = /^basic$/i.test(scheme) ? Buffer.from(rest, 'base64').toString() : ''
  const parameters = [...rest.matchAll(/([\w-]+)="?([^",\s]+)/g)].flatMap(([, name = '', shown = '']) =>
    mayShowSecret(name) ? [shown] : [],
  )
  return [rest, pair.slice(pair.indexOf(':') + 1), ...parameters]
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
