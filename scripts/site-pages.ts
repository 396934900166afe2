// The static site: the pages of the project, and one for each operation with its clauses; nothing is written here.

import { readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import escapeHtml from 'escape-html'
import { Marked } from 'marked'
import { gfmHeadingId } from 'marked-gfm-heading-id'
import { readingsFor } from '../cli/readings.js'
import { defects } from '../models/defects.js'
import { passagesFor } from '../models/document/quotes.js'
import { operations } from '../models/index.js'
import { type Clause, clausesOf } from '../models/language/derive.js'
import type { Operation } from '../models/language/operation.js'

/** Pages by their path within the site; each is whole, without scripts. */
export type Site = ReadonlyMap<string, string>

/** The project's Markdown by its path; the licence is text that reads as such. */
export const pageSources = (root: string): ReadonlyMap<string, string> => {
  const within = (folder: string): readonly string[] =>
    (readdirSync(join(root, folder), { recursive: true }) as string[]).map(
      (name) => `${folder}/${name.replaceAll('\\', '/')}`,
    )
  const paths = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...within('docs'), 'examples/README.md']
  const read = (path: string): readonly [string, string] => [path, readFileSync(join(root, path), 'utf8')]
  return new Map([...paths.filter((path) => path.endsWith('.md')).map(read), ['LICENSE.md', read('LICENSE')[1]]])
}

/** @param sources Markdown by its path within the project */
export const renderSite = (sources: ReadonlyMap<string, string>): Site => {
  const site = new Map<string, string>()
  for (const [path, text] of sources) {
    const page = pageOf(path)
    site.set(page, layout(page, titleOf(text), rendered(text)))
  }
  site.set('clauses/index.html', layout('clauses/index.html', 'Clauses', operationList()))
  for (const op of operations) {
    const page = `clauses/${op.id}.html`
    site.set(page, layout(page, op.id, operationPage(op)))
  }
  site.set('defects.html', layout('defects.html', 'Defects of the document', defectList()))
  return site
}

/** Links of the site that lead nowhere, each with its page. */
export const brokenLinks = (site: Site): readonly string[] => {
  const anchors = new Map([...site].map(([page, html]) => [page, anchorsIn(html)]))
  return [...site].flatMap(([page, html]) =>
    [...html.matchAll(/ href="(?![a-z]+:)([^"]*)"/g)].flatMap(([, href = '']) => {
      const [path = '', anchor = ''] = href.split('#')
      const to = path === '' ? page : posix.join(posix.dirname(page), path)
      const known = anchors.get(to)
      return known && (anchor === '' || known.has(decodeURIComponent(anchor))) ? [] : [`${page}: ${href}`]
    }),
  )
}

const anchorsIn = (html: string): ReadonlySet<string> =>
  new Set([...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id as string))

/** Where a Markdown file of the project stands in the site. */
const pageOf = (path: string): string =>
  path === 'README.md' ? 'index.html' : path.replace(/README\.md$/, 'index.html').replace(/\.md$/, '.html')

const titleOf = (text: string): string => /^# (.+)$/m.exec(text)?.[1] ?? 'Touchstone'

const rendered = (text: string): string => {
  const marked = new Marked({ gfm: true }, gfmHeadingId())
  const html = marked.parse(text.replaceAll(/<!--[\s\S]*?-->\n*/g, ''), { async: false })
  return html.replaceAll(/ href="(?![a-z]+:)([^"#]*)(#[^"]*)?"/g, (_, path: string, anchor: string = '') =>
    path === 'LICENSE' ? ' href="LICENSE.html"' : ` href="${path === '' ? '' : pageOf(path)}${anchor}"`,
  )
}

const operationList = (): string => {
  const areas = [...new Set(operations.map(({ area }) => area))]
  return `<h1>Clauses</h1>\n<p>Each clause has an address of its own: <code>clauses/&lt;operation&gt;.html#&lt;clause&gt;</code>.</p>\n${areas
    .map(
      (area) =>
        `<h2 id="${area}">${area}</h2>\n<ul>\n${operations
          .filter((op) => op.area === area)
          .map(entry)
          .join('')}</ul>`,
    )
    .join('\n')}`
}

const entry = ({ id, summary }: Operation): string =>
  `<li><a href="${id}.html">${id}</a>: ${escapeHtml(summary)}</li>\n`

const operationPage = (op: Operation): string =>
  [
    `<h1>${op.id}</h1>`,
    `<p><code>${op.method} ${escapeHtml(op.path)}</code>: ${escapeHtml(op.summary)}</p>`,
    ...clausesOf(op).map((clause) => clauseSection(op, clause)),
  ].join('\n')

const clauseSection = (op: Operation, clause: Clause): string => {
  const { id, level, text, source } = clause
  const quotes = passagesFor(op, clause).map((passage) => `<blockquote>${escapeHtml(passage.text)}</blockquote>`)
  const readings = readingsFor(id).map(
    ({ says, possible, taken }) =>
      `<p>${escapeHtml(says)} It can be read so: ${escapeHtml(possible)}. It is read so: ${escapeHtml(taken)}</p>`,
  )
  const head = `<h2 id="${escapeHtml(id)}"><a href="#${escapeHtml(id)}">${escapeHtml(id)}</a></h2>`
  return [head, `<p>${escapeHtml(text)} <em>${level}; ${escapeHtml(source)}</em></p>`, ...quotes, ...readings].join(
    '\n',
  )
}

const defectList = (): string =>
  `<h1>Defects of the document</h1>\n${defects
    .map(
      ({ id, source, text, reading }) =>
        `<h2 id="${id}">${id}</h2>\n<p>${escapeHtml(text)} <em>${escapeHtml(source)}</em></p>\n<p>Read as: ${escapeHtml(reading)}</p>`,
    )
    .join('\n')}`

const links: readonly (readonly [string, string])[] = [
  ['index.html', 'Touchstone'],
  ['clauses/index.html', 'Clauses'],
  ['docs/readings.html', 'Readings'],
  ['defects.html', 'Defects'],
  ['docs/concordance.html', 'Concordance'],
  ['docs/cli.html', 'Commands'],
  ['docs/glossary.html', 'Glossary'],
]

const style = `:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:0 auto;padding:0 1rem 4rem}
nav{display:flex;flex-wrap:wrap;gap:1rem;padding:1rem 0;border-bottom:1px solid}pre{overflow:auto;padding:.75rem;border:1px solid}
table{display:block;overflow-x:auto;border-collapse:collapse}th,td{border:1px solid;padding:.25rem .5rem;text-align:left;vertical-align:top}
blockquote{margin:.5rem 0;padding-left:1rem;border-left:4px solid}h1,h2,h3,code{overflow-wrap:anywhere}`

const layout = (page: string, title: string, body: string): string => {
  const up = '../'.repeat(page.split('/').length - 1)
  const nav = links.map(([to, name]) => `<a href="${up}${to}">${name}</a>`).join('\n')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<nav>
${nav}
</nav>
<main>
${body}
</main>
</body>
</html>
`
}
