// A comparison of runs as one self-contained page: what has changed first, then every cause, finding and clause by run.

import { grouped } from '../models/language/grouped.js'
import { CHANGES, type Change, type Comparison, type Shown } from './compare.js'
import { momentText } from './duration.js'
import { bar, type Night, trendChart } from './page/charts.js'
import { filterForm, page, tableHtml } from './page/shell.js'
import { type Html, html, NOTHING } from './page/template.js'
import type { Results } from './results-schema.js'
import { countVerdicts, VERDICTS } from './tally.js'
import { count, figure } from './visible.js'

/** The comparison as a self-contained page. */
export function comparisonHtml(comparison: Comparison): string {
  const { runs, clauses, findings, causes, sameTarget } = comparison
  const differing = clauses.filter(({ differs }) => differs).length
  const latest = runs.at(-1)?.results
  const title = sameTarget
    ? html`<span class="foreign">${latest?.target.name}</span> from run to run`
    : 'Implementations side by side'
  const head = html`<h1>${title}</h1>
<p class="quiet">${count(runs.length, 'run')} against interface ${latest?.interface}${sameTarget ? `, ${spanOf(runs)}` : ''}; ${count(differing, 'clause')} of ${figure(clauses.length)} differ</p>
${sameTarget && latest !== undefined ? changesBanner(comparison, latest) : sidesBanner(comparison)}
<p class="lead">A <i>cause</i> is one fault that explains what was found; a <i>clause</i> is one requirement of the document. Verdicts stand next to each other and are not ranked: an untested clause is neither good nor bad.</p>`
  const trend = { id: 'trend', title: 'From run to run', body: trendChart(nightsOf(comparison)) }
  return page(
    'Comparison of conformance runs',
    head,
    [
      { id: 'causes', title: `Causes (${causes.length})`, body: causesHtml(comparison) },
      ...(sameTarget && runs.length > 2 ? [trend] : []),
      { id: 'runs', title: 'Runs', body: runsHtml(runs) },
      { id: 'findings', title: `Findings (${findings.length})`, body: findingsHtml(comparison) },
      { id: 'clauses', title: `Clauses (${figure(clauses.length)})`, body: clausesHtml(comparison) },
    ],
    html`<p>Written by touchstone.</p>`,
  )
}

/** Causes that the first screen names. */
const NAMED_CAUSES = 8

/** What has changed, for somebody who reads no further. */
function changesBanner({ causes, runs }: Comparison, latest: Results): Html {
  const told = CHANGES.flatMap((change) => {
    const times = causes.filter((one) => one.change === change).length
    return times === 0 ? [] : [`${figure(times)} ${change}`]
  })
  const recent = causes.filter(({ change }) => change === 'new' || change === 'flaky')
  const further = recent.length - NAMED_CAUSES
  const list = html`<ul class="index">${recent
    .slice(0, NAMED_CAUSES)
    .map(({ cause, change }) => html`<li><b>${change}</b> ${cause.summary}</li>\n`)}</ul>`
  return html`<div class="banner ${latest.verdict}"><strong>The last run: ${latest.verdict}.</strong> ${
    told.length === 0 ? `No cause in any of the ${count(runs.length, 'run')}` : `Causes: ${told.join(', ')}`
  }.${recent.length === 0 ? NOTHING : list}${further > 0 ? html`<p>${count(further, 'further cause')} below</p>` : NOTHING}</div>`
}

/** How each implementation stands, and what it has alone, for somebody who reads no further. */
const sidesBanner = ({ causes, runs }: Comparison): Html =>
  html`<div class="banner"><ul class="index">${runs.map(({ name, results }, index) => {
    const own = causes.filter(({ shown }) => shown[index])
    const alone = own.filter(({ shown }) => shown.filter(Boolean).length === 1).length
    const further = own.length === 0 ? '' : `, ${figure(alone)} in no other run`
    return html`<li><b class="foreign">${results.target.name}</b> (${name}): ${results.verdict}, ${count(own.length, 'cause')}${further}</li>\n`
  })}</ul></div>`

const spanOf = (runs: Comparison['runs']): string => {
  const days = runs.map(({ results }) => momentText(results.startedAt).slice(0, 'yyyy-mm-dd'.length)).sort()
  return [...new Set([days[0], days.at(-1)])].join(' to ')
}

function runsHtml(runs: Comparison['runs']): Html {
  const rows = runs.map(({ name, results }, index) => {
    const counts = countVerdicts(results.clauses)
    const said = VERDICTS.filter((verdict) => counts[verdict] > 0).map(
      (verdict) => `${figure(counts[verdict])} ${verdict}`,
    )
    return html`<tr><th scope="row">${index + 1}. ${name}</th><td>${results.target.name}</td><td>${results.interface}</td><td class="moment">${momentText(results.startedAt)}</td><td class="verdict">${results.verdict}</td><td class="wide">${bar(counts, 40)}<span class="quiet">${said.join(', ')}</span></td><td class="number">${figure(results.requests)}</td></tr>
`
  })
  return tableHtml(
    'The runs compared',
    html`<thead><tr><th scope="col">run</th><th scope="col">target</th><th scope="col">interface</th><th scope="col">started</th><th scope="col">verdict</th><th scope="col">clauses</th><th scope="col" class="number">requests</th></tr></thead>
<tbody>${rows}</tbody>`,
    html` class="stack runs"`,
  )
}

const nightsOf = ({ runs, findings }: Comparison): readonly Night[] =>
  runs.map(({ name, results }, index) => ({
    name,
    passed: countVerdicts(results.clauses).pass,
    findings: findings.filter(({ shown }) => shown[index]).length,
    fresh: findings.filter(({ shown }) => index > 0 && shown.indexOf(true) === index).length,
  }))

const causesHtml = ({ runs, causes, sameTarget }: Comparison): Html =>
  changesHtml(
    'Causes by run',
    'cause',
    runs,
    sameTarget,
    causes.map(({ cause, ...one }) => ({ ...one, name: html`<code>${cause.id}</code><br>${cause.summary}` })),
  )

const findingsHtml = ({ runs, findings, sameTarget }: Comparison): Html =>
  changesHtml(
    'Findings by run',
    'finding',
    runs,
    sameTarget,
    findings.map(({ finding, ...one }) => ({
      ...one,
      name: html`<code>${finding.id}</code> <span class="tag">${finding.level}</span><br>${finding.summary}`,
    })),
  )

function changesHtml(
  title: string,
  kind: string,
  runs: Comparison['runs'],
  sameTarget: boolean,
  rows: readonly (Shown & { readonly name: Html })[],
): Html {
  if (rows.length === 0) return html`<p>None in any run.</p>`
  const tint = (change: Change | undefined): string =>
    change === 'fixed' ? 'v-pass' : change === 'not retested' ? 'v-untested' : 'v-finding'
  return tableHtml(
    title,
    html`<thead><tr>${sameTarget ? html`<th scope="col">change</th>` : ''}<th scope="col">${kind}</th>${runHeads(runs)}</tr></thead>
<tbody>${rows.map(
      ({ name, shown, change }) =>
        html`<tr>${sameTarget ? html`<td class="verdict ${tint(change)}">${change}</td>` : ''}<th scope="row">${name}</th>${shown.map(
          (seen, index) =>
            html`<td class="cell${seen ? ' v-finding' : ' zero'}" data-run="${index + 1}">${seen ? 'shown' : '–'}</td>`,
        )}</tr>\n`,
    )}</tbody>`,
    html` class="stack grid"`,
  )
}

function clausesHtml({ runs, clauses }: Comparison): Html {
  const areas = grouped(clauses, ({ clause }) => clause.area)
  const form = filterForm({
    scope: 'grid',
    label: 'Filter the clauses',
    kinds: [
      { value: 'differs', text: 'that differ' },
      { value: 'same', text: 'with one verdict in all runs', off: true },
    ],
  })
  return html`${form}${tableHtml(
    'Clauses by run',
    html`<thead><tr><th scope="col">clause</th>${runHeads(runs)}</tr></thead>
${[...areas].map(
  ([
    area,
    rows,
  ]) => html`<tbody data-group=""><tr><th class="area" colspan="${runs.length + 1}" scope="rowgroup">${area}</th></tr>
${rows.map(
  ({ clause, verdicts, differs }) =>
    html`<tr data-kind="${differs ? 'differs' : 'same'}"><th scope="row"><code>${clause.id}</code> <span class="tag">${clause.level}</span></th>${verdicts.map(
      (verdict, index) =>
        html`<td class="cell v-${verdict ?? 'untested'}" data-run="${index + 1}">${verdict ?? '–'}</td>`,
    )}</tr>\n`,
)}</tbody>
`,
)}`,
    html` class="stack grid" id="grid"`,
  )}
<p class="quiet">– a run that does not know the clause.</p>`
}

const runHeads = (runs: Comparison['runs']): Html[] =>
  runs.map(({ name }, index) => html`<th scope="col" class="cell">${index + 1}. ${name}</th>`)
