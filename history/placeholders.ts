// What exporters and sanitisers put in place of what they keep back; nothing is judged here.
import { isSecretName } from './masking.js'

const words = 'redacted|masked|censored|saniti[sz]ed|anonymi[sz]ed|scrubbed'
const inBrackets = `[^\\]>}»)]*(?:${words}|removed|hidden|filtered|omitted|stripped)[^\\]>}»)]*`
const placeholder = new RegExp(
  `^(?:\\W*(?:${words})\\W*|[[<{(«]+${inBrackets}[\\]>})»]+|\\{\\{.*\\}\\}|[*•█]{3,})$`,
  'i',
)

const longest = 100

/** What loggers put in place of what is too deep or too long: `[Object]`, `... 3 more items`, and the end of a text. */
const abridged = /^\[(?:Object|Array|object Object|Circular)\]$|^(?:\.{3}|…) ?\d+ more\b|^.{12,}(?:\.{3}|…)$/s

const hiddenAddress = /^(?=.*[x*])(?:(?:\d{1,3}|x+|\*+)(?:\.|$|(?=\/))){4}(?:\/\d+)?$/i

/**
 * Whether a text stands in place of one that was kept back, or not kept whole: `[REDACTED]`, `<email removed>`, `{{id}}`, `***`, `10.1.x.x`,
 * `/dev/disk/by-id…`.
 */
export const isPlaceholder = (text: string): boolean =>
  (text.length <= longest && (placeholder.test(text) || hiddenAddress.test(text))) || abridged.test(text)

/** Whether anything in a JSON value was kept back, but for secrets, which targets keep back themselves. */
export const hasPlaceholder = (value: unknown): boolean => {
  if (typeof value === 'string') return isPlaceholder(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([name, member]) => !isSecretName(name) && hasPlaceholder(member))
}
