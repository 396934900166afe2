// Text that came from a target, made safe to show: controls that could forge or hide what is read become escapes.

// Control characters but tab and line feed (terminal commands, most of them not allowed in XML); format characters such
// as bidirectional overrides; whatever is invisible by default; line separators; lone surrogates; U+FFFE and U+FFFF.
const DECEPTIVE = /[^\P{Cc}\t\n]|\p{Cf}|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp}|\p{Cs}|[\ufffe\uffff]/gu

// Most texts are of these alone, and are told far sooner by them.
const PLAIN = /^[\t\n -~]*$/

/** The text with every deceptive character as a JSON-style escape (`\u202e`); line feeds and tabs stay. */
export const visible = (text: string): string => (PLAIN.test(text) ? text : text.replace(DECEPTIVE, escapeOf))

/** The same on one line, for headings, attributes and shell comments. */
export const visibleLine = (text: string): string => visible(text).replace(/[\n\t]+/g, ' ')

/** A value as one line of JSON that is safe to show and still parses to the same value. */
export const visibleJson = (value: unknown): string => visible(JSON.stringify(value) ?? 'null')

/** At most `limit` characters, saying how many are missing. */
export function clip(text: string, limit: number): string {
  if (text.length <= limit) return text
  // A cut between the halves of a surrogate pair would leave a lone one.
  const end = /[\ud800-\udbff]/.test(text.charAt(limit - 1)) ? limit - 1 : limit
  return `${text.slice(0, end)}… (${figure(text.length - end)} more characters)`
}

/** `1,200`. Without Intl, whose first use takes longer than all else of a small report. */
export const figure = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',')

/** `1 clause`, `1,200 clauses`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${figure(n)} ${n === 1 ? one : many}`

function escapeOf(character: string): string {
  let escaped = ''
  for (let i = 0; i < character.length; i += 1) escaped += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`
  return escaped
}
