// The tables of report.html that list clauses: all of them by operation, and those not tested by reason.
import { grouped } from '../../models/language/grouped.js'
import type { Results } from '../results-schema.js'
import { byOperation, byReason, type Counts, type OperationGroup, type ReasonGroup, VERDICTS } from '../tally.js'
import { LEVELS, type ReportedClause } from '../verdicts.js'
import { clip, count, figure } from '../visible.js'
import { areaAnchor, clauseAnchor, findingAnchor, operationAnchor } from './anchors.js'
import { bar } from './charts.js'
import { filterForm, tableHtml } from './shell.js'
import { type Html, html, NOTHING } from './template.js'

/** Clauses named under one reason; the clause list has the others. */
const NAMED = 12

/** Every clause, by operation and by its place in the document, with a filter. */
export function clausesHtml(results: Results): Html {
  const findings = grouped(results.findings, ({ clause }) => clause)
  const observed = new Map(results.choices.map((choice) => [choice.id, choice.observed.join(' | ')]))
  const groups = byOperation(results).filter(({ clauses }) => clauses.length > 0)
  return html`${filterForm({
    scope: 'clause-list',
    label: 'Filter the clauses',
    kinds: VERDICTS.map((verdict) => ({ value: verdict, text: verdict })),
    facets: [
      { name: 'area', values: [...new Set(groups.map(({ area }) => area))] },
      { name: 'level', values: LEVELS.filter((level) => results.clauses.some((clause) => clause.level === level)) },
    ],
  })}
<div id="clause-list">${groups.map(
    (
      group,
    ) => html`<details class="operation" id="${operationAnchor(group.id)}" data-group="" data-area="${group.area}">
<summary><code>${group.id}</code> ${group.operation === undefined ? NOTHING : html`<span class="quiet">${group.operation.method} ${group.operation.path}</span>`}${countsHtml(group.counts)}</summary>
${clauseTable(group, findings, observed)}</details>
`,
  )}</div>`
}

function clauseTable(
  { id, clauses }: OperationGroup,
  findings: ReadonlyMap<string, Results['findings']>,
  observed: ReadonlyMap<string, string>,
): Html {
  const bodies = [...grouped(clauses, ({ source }) => source)].map(
    ([source, list]) => html`<tbody data-group="">
<tr><th class="source" colspan="5" scope="rowgroup">${source}</th></tr>
${list.map((clause) => clauseRow(clause, findings.get(clause.id) ?? [], observed.get(clause.id)))}</tbody>
`,
  )
  return tableHtml(
    `Clauses of ${id}`,
    html`<thead><tr><th scope="col">clause</th><th scope="col">level</th><th scope="col">verdict</th><th scope="col" class="number">exercised</th><th scope="col">what it says</th></tr></thead>
${bodies}`,
    html` class="stack clauses"`,
  )
}

/** Operations by area, with how many of their clauses have each verdict. */
export function operationsHtml(results: Results): Html {
  const areas = grouped(byOperation(results), ({ area }) => area)
  return tableHtml(
    'Clauses by area and operation',
    html`<thead><tr><th scope="col">operation</th>${VERDICTS.map(
      (verdict) => html`<th scope="col" class="number">${verdict}</th>`,
    )}<th scope="col">share</th></tr></thead>
${[...areas].map(
  ([area, groups]) => html`<tbody id="${areaAnchor(area)}">
<tr><th class="area" scope="rowgroup">${area}</th>${countCells(sum(groups.map(({ counts }) => counts)), 'area')}</tr>
${groups.map(operationRow)}</tbody>
`,
)}`,
    html` class="stack shares"`,
  )
}

/** Untestable or untested clauses by reason, with what would change that. */
export function reasonsHtml(results: Results, verdict: 'untestable' | 'untested'): Html {
  const groups = byReason(results, verdict)
  if (groups.length === 0) return html`<p>None.</p>`
  return html`<ul class="reasons">${groups.map(reasonHtml)}</ul>`
}

function clauseRow(clause: ReportedClause, findings: Results['findings'], observed: string | undefined): Html {
  const { verdict, reason, remedy } = clause
  const anchor = clauseAnchor(clause.id)
  const remarks = [
    ...(verdict === 'untested' || verdict === 'untestable' ? [reason ?? 'no reason given'] : []),
    ...(remedy === undefined ? [] : [`to test it: ${remedy}`]),
    ...(observed === undefined || observed === '' ? [] : [`observed: ${clip(observed, 200)}`]),
  ]
  const links = findings.map(({ id }) => html` <a href="#${findingAnchor(id)}">finding</a>`)
  const step = clause.lastStep === undefined ? NOTHING : html` <span class="quiet">(step ${clause.lastStep})</span>`
  return html`<tr id="${anchor}" data-kind="${verdict}" data-level="${clause.level}"><td><a href="#${anchor}"><code>${clause.id}</code></a></td><td>${clause.level}</td><td class="verdict v-${verdict}">${verdict}</td><td class="number">${clause.exercised}${step}</td><td>${clip(clause.text, 600)}${links}${remarks.map(
    (remark) => html`<br><span class="quiet">${remark}</span>`,
  )}</td></tr>
`
}

function operationRow({ id, operation, counts }: OperationGroup): Html {
  return html`<tr><th scope="row"><a href="#${operationAnchor(id)}"><code>${id}</code></a> <span class="quiet">${operation?.method} ${operation?.path}</span></th>${countCells(counts, '')}</tr>
`
}

function countCells(counts: Counts, style: string): Html {
  const cells = VERDICTS.map((verdict) => {
    const n = counts[verdict]
    return html`<td class="number ${n === 0 ? 'zero' : `v-${verdict}`} ${style}">${figure(n)}</td>`
  })
  return html`${cells}<td class="meter ${style}">${bar(counts, 60)}</td>`
}

function countsHtml(counts: Counts): Html {
  const used = VERDICTS.filter((verdict) => counts[verdict] > 0)
  return html` <span class="counts">${used.map(
    (verdict) => html`<span class="v-${verdict}">${counts[verdict]} ${verdict}</span>`,
  )}</span>`
}

function reasonHtml({ reason, remedies, clauses }: ReasonGroup): Html {
  const named = clauses.slice(0, NAMED)
  const more = clauses.length - named.length
  return html`<li><strong>${reason}</strong> <span class="tag">${count(clauses.length, 'clause')}</span>
${remedies.map((remedy) => html`<br>→ ${remedy}`)}
<br><span class="quiet">${named.map(({ id }, index) => html`${index === 0 ? '' : ', '}<code>${id}</code>`)}${more > 0 ? `, and ${count(more, 'other')}` : ''}</span></li>
`
}

function sum(all: readonly Counts[]): Counts {
  const counts = { pass: 0, finding: 0, untested: 0, untestable: 0, observed: 0 }
  for (const one of all) for (const verdict of VERDICTS) counts[verdict] += one[verdict]
  return counts
}
