// HTML, or XML, from tagged templates: every value put in is escaped, unless it is markup made the same way.
import escapeHtml from 'escape-html'
import { visible } from '../visible.js'

// An object read from a record can't pass for HTML, whatever its members: none of them is a symbol.
const MADE = Symbol('made')

// Most texts of a page are of these alone, of which nothing has to be escaped: ASCII but controls and " & ' < >.
const PLAIN = /^[\t\n !#-%(-;=?-~]*$/

/** HTML that is safe to put into a page; made by `html` alone. */
export interface Html {
  readonly html: string
  readonly [MADE]: true
}

type Value = Html | string | number | undefined | readonly Value[]

/** A fragment of a page. Values are escaped for text and for quoted attributes, and deceptive characters made visible. */
export function html(texts: TemplateStringsArray, ...values: readonly Value[]): Html {
  let joined = texts[0] ?? ''
  for (let i = 0; i < values.length; i += 1) joined += render(values[i]) + (texts[i + 1] ?? '')
  return made(joined)
}

/** A style sheet or script of our own, put in as it is. Throws when it could end its element. */
export function ownText(text: string): Html {
  if (/<\/(style|script)|<!--/i.test(text))
    throw new Error('suite defect: an inline style or script ends its own element')
  return made(text)
}

export const NOTHING: Html = html``

function render(value: Value): string {
  if (value === undefined) return ''
  if (typeof value === 'string') return PLAIN.test(value) ? value : escapeHtml(visible(value))
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return value.reduce<string>((all, one) => all + render(one), '')
  if (MADE in value) return value.html
  throw new Error('suite defect: a value that is neither text nor HTML was put into a page')
}

function made(text: string): Html {
  return { html: text, [MADE]: true }
}
