// When a value that a reply shows agrees with the one believed; nothing of where the values come from.
import type { Ternary } from './clause.js'

/** JSON equality; an object may carry members more than `known` has, and a missing member is the same as null. */
export const agrees = (known: unknown, seen: unknown): boolean => {
  if (Object.is(known, seen)) return true
  if (known === null || known === undefined) return seen === null || seen === undefined
  if (Array.isArray(known))
    return Array.isArray(seen) && known.length === seen.length && known.every((item, i) => agrees(item, seen[i]))
  if (typeof known === 'object')
    return (
      typeof seen === 'object' &&
      seen !== null &&
      !Array.isArray(seen) &&
      Object.entries(known).every(([name, value]) => agrees(value, (seen as Record<string, unknown>)[name]))
    )
  return false
}

/** What a record that the document does not show may have in place of a value that is not there. */
export const isNothing = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Arrays of strings whose order and repetition carry no meaning. */
export const asSet = (known: readonly string[], seen: unknown): boolean => {
  if (!Array.isArray(known) || !Array.isArray(seen)) return agrees(known, seen)
  const wanted = new Set(known)
  const found = new Set(seen)
  return wanted.size === found.size && [...wanted].every((item) => found.has(item))
}

/** Free text: an implementation may trim or escape it, so only plain words must come back as given, and of any others one at least. */
export const asText = (known: unknown, seen: unknown): Ternary => {
  if (typeof known !== 'string' || seen === known) return agrees(known, seen)
  if (/^[\w.,:-]+(?: [\w.,:-]+)*$/.test(known)) return false
  return typeof seen === 'string' && sharesNoWord(known, seen) ? false : undefined
}

/** Whether a text has words that no escaping changes, and the other one has none of them. What stands in angle brackets may be taken out. */
const sharesNoWord = (known: string, seen: string): boolean => {
  const words = known.replace(/<[^>]*>?/g, ' ').match(/[a-z0-9]{4,}/gi) ?? []
  const other = seen.toLowerCase()
  return words.length > 0 && words.every((word) => !other.includes(word.toLowerCase()))
}

/** Text of several lines, which an implementation may end with a line break, as files do, or show within markup. */
export const asProse = (known: unknown, seen: unknown): Ternary =>
  asText(known, typeof known === 'string' && typeof seen === 'string' && isWrapped(known, seen) ? known : seen)

/** Whether a text is another one with a line break or blanks at its end, or with markup around it. */
const isWrapped = (known: string, seen: string): boolean =>
  seen.trimEnd() === known || (/^\s*<|>\s*$/.test(seen) && seen.replace(/<[^<>]*>/g, '').trim() === known)

const leastStem = 20

/** Whether a text is the beginning of another one, as lists show long texts: with dots or without. */
export const isStemOf = (known: unknown, seen: unknown): boolean => {
  if (typeof known !== 'string' || typeof seen !== 'string') return false
  const stem = seen.replace(/\s*(?:…|\.\.\.)$/, '')
  return stem.length >= leastStem && stem.length < known.length && known.startsWith(stem)
}
