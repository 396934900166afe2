// The frame of a page: head, navigation, main, foot; and the policy that forbids it to load or run anything else.
import { createHash } from 'node:crypto'
import { permalink } from './anchors.js'
import { SCRIPT } from './script.js'
import { STYLE } from './style.js'
import { type Html, html, NOTHING, ownText } from './template.js'

export interface Section {
  readonly id: string
  readonly title: string
  readonly body: Html
}

// Browsers refuse whatever is not listed here, even if something slipped through the escaping.
const POLICY = [
  "default-src 'none'",
  `style-src '${digest(STYLE)}'`,
  `script-src '${digest(SCRIPT)}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ')

/** A whole page as text. Sections get a heading each, and an entry in the navigation. */
export function page(title: string, head: Html, sections: readonly Section[], foot: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<title>${title}</title>
<style>${ownText(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the results</a>
<header>
${head}
</header>
<nav aria-label="Sections"><ul>${sections.map(({ id, title: name }) => html`<li><a href="#${id}">${name}</a></li>`)}</ul></nav>
<main id="main">
${sections.map(sectionHtml)}
</main>
<footer>
${foot}
</footer>
<script>${ownText(SCRIPT)}</script>
</body>
</html>
`.html
}

/** A table that scrolls by itself where the page is too narrow for it; `label` says what it lists. */
export const tableHtml = (label: string, rows: Html, attributes: Html = NOTHING): Html =>
  html`<div class="scroll" role="region" aria-label="${label}" tabindex="0"><table${attributes}>
${rows}</table></div>`

/** A form that narrows the rows with a `data-kind` inside the element `scope`; shown where scripts run. */
export function filterForm(options: {
  readonly scope: string
  readonly label: string
  readonly kinds: readonly { readonly value: string; readonly text: string; readonly off?: boolean }[]
  /** What rows, or what they are in, are told apart by as well: `data-area`, `data-level`. */
  readonly facets?: readonly { readonly name: string; readonly values: readonly string[] }[]
}): Html {
  const now = options.kinds.some(({ off }) => off === true) ? 'yes' : 'no'
  return html`<form class="filter" data-for="${options.scope}" data-now="${now}" role="search" aria-label="${options.label}" hidden>
<label>Filter <input type="search" name="words" placeholder="every word must occur" autocomplete="off"></label>
${(options.facets ?? []).map(
  ({ name, values }) =>
    html`<label>${name} <select name="${name}"><option value="">all</option>${values.map((value) => html`<option>${value}</option>`)}</select></label>\n`,
)}${options.kinds.map(
  ({ value, text, off }) =>
    html`<label><input type="checkbox" value="${value}"${off === true ? NOTHING : html` checked`}> ${text}</label>\n`,
)}<output class="quiet"></output>
</form>`
}

const sectionHtml = ({ id, title, body }: Section): Html => html`<section aria-labelledby="${id}">
<h2 id="${id}">${title} ${permalink(id, `the section ${title}`)}</h2>
${body}
</section>
`

function digest(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
