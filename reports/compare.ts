// Two or more results side by side: nights of one target, or implementations; it ranks none of them.

import type { Cause, ClauseEntry, Finding } from '../history/record.js'
import { grouped } from '../models/language/grouped.js'
import { durationText, momentText } from './duration.js'
import { bar, type Night, trendChart } from './page/charts.js'
import { filterForm, page, tableHtml } from './page/shell.js'
import { type Html, html } from './page/template.js'
import type { ClauseVerdict, Results } from './results-schema.js'
import { countVerdicts, VERDICTS } from './tally.js'
import { count, figure, visibleLine } from './visible.js'

export interface NamedResults {
  /** What the run is called in the comparison, such as its file. */
  readonly name: string
  readonly results: Results
}

/** What became of a finding from the first run to the last; not told where the runs are of different targets. */
export type Change = 'new' | 'flaky' | 'fixed' | 'persisting' | 'not retested'

export interface Comparison {
  readonly runs: readonly NamedResults[]
  readonly sameTarget: boolean
  /** Every clause of any run with its verdict in each; undefined where a run does not know it. */
  readonly clauses: readonly {
    readonly clause: ClauseEntry
    readonly verdicts: readonly (ClauseVerdict | undefined)[]
    readonly differs: boolean
  }[]
  readonly findings: readonly {
    readonly finding: Finding
    readonly shown: readonly boolean[]
    readonly change?: Change
  }[]
  readonly causes: readonly {
    readonly cause: Cause
    readonly shown: readonly boolean[]
    readonly change?: Change
  }[]
}

/** Compares the runs in the order given: the first is the base line, the last is now. */
export function compare(runs: readonly NamedResults[]): Comparison {
  if (runs.length < 2) throw new Error(`compare: expected two results or more, received ${runs.length}`)
  const targets = new Set(runs.map(({ results }) => `${results.target.name}\n${results.target.baseUrl}`))
  const tables = runs.map(({ results }) => new Map(results.clauses.map((clause) => [clause.id, clause.verdict])))
  // The latest run's wording and order; what only older runs knew comes after.
  const clauses = grouped(
    runs.toReversed().flatMap(({ results }) => results.clauses),
    ({ id }) => id,
  )
  return {
    runs,
    sameTarget: targets.size === 1,
    clauses: [...clauses.values()].flatMap(([clause]) => {
      if (clause === undefined) return []
      const verdicts = tables.map((table) => table.get(clause.id))
      // What a run was not about says nothing of the target.
      const told = verdicts.filter((verdict) => verdict !== 'not-selected')
      return told.every((verdict) => verdict === undefined)
        ? []
        : [{ clause, verdicts, differs: new Set(told).size > 1 }]
    }),
    findings: compareFindings(runs, tables, targets.size === 1),
    causes: compareCauses(runs, tables, targets.size === 1),
  }
}

/** The comparison as plain text. */
export function comparisonText(comparison: Comparison): string {
  const { runs, clauses, findings, causes } = comparison
  const heads = runs.map(({ name, results }, index) => `  [${index + 1}] ${visibleLine(name)}: ${runLine(results)}`)
  const lineOf = (id: string, summary: string, { shown, change }: Shown): string => {
    const where = shown.flatMap((seen, index) => (seen ? [`[${index + 1}]`] : [])).join(' ')
    return `  ${(change ?? 'shown by').padEnd(13)}${visibleLine(id)}  ${where}\n    ${visibleLine(summary)}`
  }
  const behind = causes.map(({ cause, ...one }) => lineOf(cause.id, cause.summary, one))
  const changes = findings.map(({ finding, ...one }) => lineOf(finding.id, finding.summary, one))
  const differing = clauses
    .filter(({ differs }) => differs)
    .map(
      ({ clause, verdicts }) =>
        `  ${visibleLine(clause.id)}: ${verdicts.map((verdict, index) => `[${index + 1}] ${verdict ?? 'unknown to it'}`).join('  ')}`,
    )
  const blocks = [
    ['runs', ...heads],
    [`causes (${causes.length})`, ...behind],
    [`findings (${findings.length})`, ...changes],
    [`clauses that differ (${differing.length} of ${clauses.length})`, ...differing],
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

/** The comparison as a self-contained page. */
export function comparisonHtml(comparison: Comparison): string {
  const { runs, clauses, findings, causes } = comparison
  const differing = clauses.filter(({ differs }) => differs).length
  const head = html`<h1>${comparison.sameTarget ? 'Runs' : 'Implementations'} side by side</h1>
<p class="quiet">${count(runs.length, 'run')}; ${count(differing, 'clause')} of ${figure(clauses.length)} differ. Verdicts stand next to each other and are not ranked: an untested clause is neither good nor bad.</p>`
  return page(
    'Comparison of conformance runs',
    head,
    [
      { id: 'runs', title: 'Runs', body: runsHtml(runs) },
      ...(comparison.sameTarget && runs.length > 2
        ? [{ id: 'trend', title: 'From run to run', body: trendChart(nightsOf(comparison)) }]
        : []),
      { id: 'causes', title: `Causes (${causes.length})`, body: causesHtml(comparison) },
      { id: 'findings', title: `Findings (${findings.length})`, body: findingsHtml(comparison) },
      { id: 'clauses', title: `Clauses (${figure(clauses.length)})`, body: clausesHtml(comparison) },
    ],
    html`<p>Written by touchstone.</p>`,
  )
}

function compareFindings(
  runs: readonly NamedResults[],
  tables: readonly ReadonlyMap<string, ClauseVerdict>[],
  sameTarget: boolean,
): Comparison['findings'] {
  const groups = grouped(
    runs.toReversed().flatMap(({ results }) => results.findings),
    ({ id }) => id,
  )
  const compared = [...groups].flatMap(([id, [finding]]): Comparison['findings'][number][] => {
    if (finding === undefined) return []
    const shown = runs.map(({ results }) => results.findings.some((candidate) => candidate.id === id))
    if (!sameTarget) return [{ finding, shown }]
    const told = tables.map((table) => isJudged(table.get(finding.clause)))
    return [{ finding, shown, change: changeOf(shown, told) }]
  })
  return compared.sort((a, b) => rankOf(a) - rankOf(b))
}

function compareCauses(
  runs: readonly NamedResults[],
  tables: readonly ReadonlyMap<string, ClauseVerdict>[],
  sameTarget: boolean,
): Comparison['causes'] {
  const groups = grouped(
    runs.toReversed().flatMap(({ results }) => results.causes.map((cause) => ({ cause, results }))),
    ({ cause }) => cause.id,
  )
  const compared = [...groups].flatMap(([id, [latest]]): Comparison['causes'][number][] => {
    if (latest === undefined) return []
    const { cause, results } = latest
    const shown = runs.map((run) => run.results.causes.some((candidate) => candidate.id === id))
    if (!sameTarget) return [{ cause, shown }]
    const judged = results.findings.filter((finding) => finding.cause === id)
    const told = tables.map((table) => judged.every(({ clause }) => isJudged(table.get(clause))))
    return [{ cause, shown, change: changeOf(shown, told) }]
  })
  return compared.sort((a, b) => rankOf(a) - rankOf(b))
}

const CHANGES: readonly (Change | undefined)[] = ['new', 'flaky', 'persisting', 'not retested', 'fixed', undefined]

interface Shown {
  readonly shown: readonly boolean[]
  readonly change?: Change
}

const rankOf = ({ change }: Shown): number => CHANGES.indexOf(change)

const isJudged = (verdict: ClauseVerdict | undefined): boolean => verdict === 'pass' || verdict === 'finding'

/**
 * A finding that is gone is fixed only where the last run judged its clause again, and one that comes or goes more than once
 * is flaky; a run that did not judge the clause says nothing of either.
 */
function changeOf(shown: readonly boolean[], judged: readonly boolean[]): Change {
  const told = shown.filter((seen, index) => seen || judged[index] === true)
  const turns = told.filter((seen, index) => index > 0 && seen !== told[index - 1]).length
  if (turns > 1) return 'flaky'
  if (shown.at(-1) === true) return shown[0] === true ? 'persisting' : 'new'
  return judged.at(-1) === true ? 'fixed' : 'not retested'
}

function runsHtml(runs: readonly NamedResults[]): Html {
  const rows = runs.map(({ name, results }, index) => {
    const counts = countVerdicts(results.clauses)
    const said = VERDICTS.filter((verdict) => counts[verdict] > 0).map(
      (verdict) => `${figure(counts[verdict])} ${verdict}`,
    )
    return html`<tr><th scope="row">${index + 1}. ${name}</th><td>${results.target.name}</td><td>${results.interface}</td><td class="moment">${momentText(results.startedAt)}</td><td class="verdict">${results.verdict}</td><td class="wide">${bar(counts, 40)}<span class="quiet">${said.join(', ')}</span></td><td class="number">${figure(results.requests)}</td></tr>
`
  })
  return tableHtml(
    'Runs',
    html`<thead><tr><th scope="col">run</th><th scope="col">target</th><th scope="col">interface</th><th scope="col">started</th><th scope="col">verdict</th><th scope="col">clauses</th><th scope="col" class="number">requests</th></tr></thead>
<tbody>${rows}</tbody>`,
  )
}

const nightsOf = ({ runs, findings }: Comparison): readonly Night[] =>
  runs.map(({ name, results }, index) => ({
    name,
    passed: countVerdicts(results.clauses).pass,
    findings: findings.filter(({ shown }) => shown[index]).length,
    fresh: findings.filter(({ shown }) => index > 0 && shown[index] && !shown[index - 1]).length,
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
  runs: readonly NamedResults[],
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
          (seen) => html`<td class="cell${seen ? ' v-finding' : ' zero'}">${seen ? 'shown' : '–'}</td>`,
        )}</tr>\n`,
    )}</tbody>`,
    html` class="grid"`,
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
      (verdict) => html`<td class="cell v-${verdict ?? 'untested'}">${verdict ?? '–'}</td>`,
    )}</tr>\n`,
)}</tbody>
`,
)}`,
    html` class="grid" id="grid"`,
  )}
<p class="quiet">– a run that does not know the clause.</p>`
}

const runHeads = (runs: readonly NamedResults[]): Html[] =>
  runs.map(({ name }, index) => html`<th scope="col" class="cell">${index + 1}. ${name}</th>`)

const runLine = (results: Results): string =>
  visibleLine(
    `${results.verdict}, ${results.target.name}, ${momentText(results.startedAt)}, ${count(results.requests, 'request')} in ${durationText(results.durationMs)}`,
  )
