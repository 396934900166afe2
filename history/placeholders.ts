// What exporters and sanitisers put in place of what they keep back; nothing is judged here.
import { isSecretName } from './masking.js'

const words = 'redacted|masked|censored|saniti[sz]ed|anonymi[sz]ed|scrubbed'
const inBrackets = `[^\\]>}»)]*(?:${words}|removed|hidden|filtered|omitted|stripped)[^\\]>}»)]*`
const placeholder = new RegExp(
  `^(?:\\W*(?:${words})\\W*|[[<{(«]+${inBrackets}[\\]>})»]+|\\{\\{.*\\}\\}|[*•█]{3,})$`,
  'i',
)

const longest = 100

/**
 * The name of a member in its place, or signs under an X: `<id>`, `[ID]`, `{volumeId}`, `:id`, `+X XXX XXX XXXX`. A text of X alone is none:
 * tests send it where a text is to be too long.
 */
const named = /^(?:\[[a-z][\w.-]*\]|<[a-z][\w.-]*>|\{[a-z][\w.-]*\}|:[a-z][\w-]*|(?!X+$)[\W\d]*(?:X[\W\d]*){3,})$/i

/** What loggers put in place of what is too deep or too long: `[Object]`, `... 3 more items`, and the end of a text. */
const abridged = /^\[(?:Object|Array|object Object|Circular)\]$|^(?:\.{3}|…) ?\d+ more\b|^.{12,}(?:\.{3}|…)$/s

const hiddenAddress = /^(?=.*[x*])(?:(?:\d{1,3}|x+|\*+)(?:\.|$|(?=\/))){4}(?:\/\d+)?$/i

/**
 * Whether a text stands in place of one that was kept back, or not kept whole: `[REDACTED]`, `<email removed>`, `{{id}}`, `***`, `<id>`,
 * `10.1.x.x`, `/dev/disk/by-id…`.
 */
export const isPlaceholder = (text: string): boolean =>
  (text.length <= longest && [placeholder, named, hiddenAddress].some((one) => one.test(text))) || abridged.test(text)

/** In place of an id, which is a number, a name in capitals or a row of x: `ID`, `VOLUME_ID`, `xxxx`. */
const isInPlaceOfId = (name: string, member: unknown): boolean =>
  /(?:^|_)id$/.test(name) && typeof member === 'string' && /^(?:[A-Z_]{2,}|x{2,})$/.test(member)

/** Whether anything in a JSON value was kept back, but for secrets, which targets keep back themselves. */
export const hasPlaceholder = (value: unknown): boolean => {
  if (typeof value === 'string') return isPlaceholder(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(
    ([name, member]) => (!isSecretName(name) && hasPlaceholder(member)) || isInPlaceOfId(name, member),
  )
}
