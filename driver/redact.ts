// Takes secrets out of what a target replied, before it is recorded; it knows the tokens' secrets, not those that a reply mints.

/** Text and JSON values with every secret replaced by `«token NAME»`. */
export interface Redaction {
  readonly text: (text: string) => string
  /** @param source the text that the value was parsed from, or any that holds all its strings */
  readonly value: (value: unknown, source: string) => unknown
}

/** A shorter secret may be part of an ordinary word, so it counts only where it stands alone or after a scheme such as `Bearer`. */
const surelySecretLength = 8

export const createRedaction = (secrets: ReadonlyMap<string, string>): Redaction => {
  if (secrets.size === 0) return { text: (text) => text, value: (value) => value }
  const names = new Map([...secrets].map(([name, secret]) => [secret, name]))
  // The longest first: one secret may begin with another.
  const all = [...names.keys()].sort((a, b) => b.length - a.length)
  const anywhere = new RegExp(all.map(escaped).join('|'))
  const exactly = new RegExp(all.map(pattern).join('|'), 'g')
  const text = (given: string): string => given.replace(exactly, (secret) => `«token ${names.get(secret)}»`)
  return {
    text,
    // A backslash may hide a secret from a search of the source.
    value: (value, source) => (anywhere.test(source) || source.includes('\\') ? inTexts(value, text) : value),
  }
}

/** The value with every text and every name in it changed so; each is changed once, since most stand there many times. */
export const inTexts = (value: unknown, text: (text: string) => string): unknown => {
  const changed = new Map<string, string>()
  const once = (given: string): string => {
    const known = changed.get(given)
    if (known !== undefined) return known
    const made = text(given)
    changed.set(given, made)
    return made
  }
  return within(value, once)
}

const within = (value: unknown, text: (text: string) => string): unknown => {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((one) => within(one, text))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [text(name), within(member, text)]))
}

const escaped = (secret: string): string => secret.replace(/[^\w]/g, (character) => `\\x${hex(character)}`)

const hex = (character: string): string => character.charCodeAt(0).toString(16).padStart(2, '0')

const pattern = (secret: string): string =>
  secret.length >= surelySecretLength
    ? escaped(secret)
    : `^${escaped(secret)}$|(?<=\\b(?:Bearer|Basic|Token) )${escaped(secret)}(?!\\w)`
