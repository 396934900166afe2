// The findings as they stand in report.html: each in the form that terminal and JUnit have, with its steps and script.
import type { Results } from '../../history/record.js'
import { curlScript } from '../curl.js'
import { findingRows, outcomeLine, sentLine, tokenName } from '../finding-text.js'
import { fileSlug, findingFile } from '../names.js'
import { gates } from '../verdicts.js'
import { clip, count } from '../visible.js'
import { type Html, html, NOTHING } from './template.js'

type ReportedFinding = Results['findings'][number]

/** Bytes of the page that findings in full may take; the rest are listed by a line each. */
const BUDGET = 500_000
const FIELD_LIMIT = 2_500
const REPLY_LIMIT = 1_200
/** From so many findings on, a list of them comes first. */
const INDEX_FROM = 4

/** The findings, those that gate first. */
export function findingsHtml(results: Results): Html {
  if (results.findings.length === 0) return html`<p>None.</p>`
  const full: Html[] = []
  let size = 0
  for (const finding of results.findings) {
    const article = findingHtml(results, finding)
    size += Buffer.byteLength(article.html)
    if (size > BUDGET) break
    full.push(article)
  }
  const rest = results.findings.slice(full.length)
  return html`${indexHtml(results.findings.slice(0, full.length))}${full}${rest.length === 0 ? NOTHING : briefHtml(rest)}`
}

export const findingAnchor = (id: string): string => `finding-${fileSlug(id)}`

function indexHtml(findings: readonly ReportedFinding[]): Html {
  if (findings.length < INDEX_FROM) return NOTHING
  return html`<ol class="index">${findings.map(
    ({ id, clause, level, summary }) =>
      html`<li><a href="#${findingAnchor(id)}"><code>${clip(clause, 120)}</code></a> <span class="tag">${level}</span> <span class="foreign">${clip(summary, 160)}</span></li>\n`,
  )}</ol>`
}

function findingHtml(results: Results, finding: ReportedFinding): Html {
  const gating = gates(finding, results.configuration.level)
  const rows = findingRows(finding, FIELD_LIMIT)
  const anchor = findingAnchor(finding.id)
  return html`<article id="${anchor}"${gating ? NOTHING : html` class="quietly"`} aria-labelledby="${anchor}-name">
<h3 id="${anchor}-name"><code>${finding.clause}</code> <span class="tag">${finding.level}</span> <span class="tag">${finding.source}</span>${standing(finding, gating)}</h3>
<p class="foreign">${finding.summary}</p>
<dl class="facts">
${rows.map(([label, text]) => html`<dt>${label}</dt><dd class="${label}">${text}</dd>\n`)}</dl>
<details><summary>${count(finding.steps.length, 'step')} with ${finding.steps.length === 1 ? 'its reply' : 'their replies'}</summary>
<ol>${finding.steps.map(stepHtml)}</ol></details>
<details><summary>As curl commands</summary>
<pre>${clip(curlScript(finding, results.target), FIELD_LIMIT * 3)}</pre></details>
<p class="quiet">Beside this report: <code>${findingFile(finding.id)}</code></p>
</article>
`
}

/** Whether it gates, where that is not plain from its level. */
function standing(finding: ReportedFinding, gating: boolean): Html {
  if (gating) return NOTHING
  if (finding.expectedFinding !== true) return html` <span class="tag">does not gate this run</span>`
  const reason = finding.expectedReason === undefined ? '' : `: ${finding.expectedReason}`
  return html` <span class="tag foreign">expected${reason}</span>`
}

function stepHtml(step: ReportedFinding['steps'][number]): Html {
  return html`<li><code>${clip(step.line, REPLY_LIMIT)}</code> <span class="quiet">step ${step.n} of the run, as ${tokenName(step.call)}${step.unsettled === true ? ', without waiting for what it names to come to rest' : ''}</span>
<pre>${sentLine(step.call, REPLY_LIMIT)}
→ ${outcomeLine(step.outcome, REPLY_LIMIT)}</pre></li>
`
}

function briefHtml(findings: readonly ReportedFinding[]): Html {
  return html`<h3>${count(findings.length, 'further finding')}</h3>
<p>Too many to show in full; the files beside this report have them.</p>
<ul>${findings.map(
    (finding) =>
      html`<li id="${findingAnchor(finding.id)}"><code>${clip(finding.clause, 120)}</code> <code>${findingFile(finding.id)}</code></li>\n`,
  )}</ul>`
}
