// The matrix of operations and callers in report.html: which tokens were accepted and which refused, wrong cells marked.

import { grouped } from '../../models/language/grouped.js'
import { tokenName } from '../finding-text.js'
import type { Results } from '../results-schema.js'
import { byOperation } from '../tally.js'
import { figure } from '../visible.js'
import { operationAnchor } from './anchors.js'
import { tableHtml } from './shell.js'
import { type Html, html, NOTHING } from './template.js'

type Cell = Results['access'][number]

/** Columns beyond it would be unreadable; those called most often stay. */
const MOST_CALLERS = 14

export function accessHtml(results: Results): Html {
  if (results.access.length === 0) return html`<p>No call was answered with 2xx or 4xx.</p>`
  const byCaller = grouped(results.access, ({ as }) => JSON.stringify(as))
  const callers = [...byCaller].sort(([, a], [, b]) => calls(b) - calls(a))
  const shown = callers.slice(0, MOST_CALLERS).map(([key, cells]) => ({ key, as: cells[0]?.as ?? null }))
  const cells = new Map(results.access.map((cell) => [`${cell.operation} ${JSON.stringify(cell.as)}`, cell]))
  const called = new Set(results.access.map(({ operation }) => operation))
  const areas = grouped(
    byOperation(results).filter(({ id }) => called.has(id)),
    ({ area }) => area,
  )
  return html`<p class="quiet">How many calls with each token were accepted (✓) and refused (–); a cell where a finding shows by it is marked with ✗. A token that may call an operation is refused as well where a call is bad on purpose.</p>
${tableHtml(
  'Operations and callers',
  html`<thead><tr><th scope="col">operation</th>${shown.map(({ as }) => html`<th scope="col" class="caller"><span>${tokenName({ as })}</span></th>`)}</tr></thead>
${[...areas].map(
  ([
    area,
    operations,
  ]) => html`<tbody><tr><th class="area" scope="rowgroup">${area}</th>${shown.map(() => html`<td class="area"></td>`)}</tr>
${operations.map(
  ({
    id,
  }) => html`<tr><th scope="row"><a href="#${operationAnchor(id)}"><code>${id}</code></a></th>${shown.map(({ key, as }) => cellHtml(as, cells.get(`${id} ${key}`)))}</tr>
`,
)}</tbody>
`,
)}`,
  html` class="stack access"`,
)}${callers.length > shown.length ? html`<p class="quiet">${callers.length - shown.length} further callers are in results.json.</p>` : NOTHING}`
}

/** A cell names its caller for pages that are too narrow for columns. */
function cellHtml(as: Cell['as'], cell: Cell | undefined): Html {
  if (cell === undefined) return html`<td></td>`
  const { accepted, refused, wrong } = cell
  const style = wrong > 0 ? 'wrong' : accepted > 0 ? 'took' : 'denied'
  const parts = [
    ...(wrong > 0 ? [`✗${figure(wrong)}`] : []),
    ...(accepted > 0 ? [`✓${figure(accepted)}`] : []),
    ...(refused > 0 ? [`–${figure(refused)}`] : []),
  ]
  return html`<td class="${style}" data-caller="${tokenName({ as })}">${parts.join(' ')}</td>`
}

const calls = (cells: readonly Cell[]): number =>
  cells.reduce((sum, { accepted, refused }) => sum + accepted + refused, 0)
