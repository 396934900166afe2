// The causes and their findings as they stand in report.html: each in the form that terminal and JUnit have, with its steps and script.
import type { Results } from '../../history/record.js'
import { symptomLines, type ToldCause, toldCauses } from '../causes.js'
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
/** From so many causes on, a list of them comes first. */
const INDEX_FROM = 4

/** The causes, those that gate first: each with the finding that tells it best, and its other findings below. */
export function causesHtml(results: Results): Html {
  const causes = toldCauses(results)
  if (causes.length === 0) return html`<p>None.</p>`
  const left: ReportedFinding[] = []
  let size = 0
  const articles = (findings: readonly ReportedFinding[]): Html[] =>
    findings.flatMap((finding) => {
      const article = findingHtml(results, finding)
      size += Buffer.byteLength(article.html)
      if (size <= BUDGET) return [article]
      left.push(finding)
      return []
    })
  // Every cause before any symptom, so that what is left out for want of room are symptoms.
  const leads = causes.map((told) => ({ told, lead: articles([told.lead]) }))
  const full = leads.map(({ told, lead }) => causeHtml(told, lead, articles(told.symptoms)))
  return html`${indexHtml(causes)}${full}${left.length === 0 ? NOTHING : briefHtml(left)}`
}

export const findingAnchor = (id: string): string => `finding-${fileSlug(id)}`

function indexHtml(causes: readonly ToldCause[]): Html {
  if (causes.length < INDEX_FROM) return NOTHING
  return html`<ol class="index">${causes.map(
    ({ cause, lead }) =>
      html`<li><a href="#${findingAnchor(lead.id)}">${clip(cause.summary, 200)}</a> <span class="tag">${lead.level}</span></li>\n`,
  )}</ol>`
}

function causeHtml({ cause, symptoms }: ToldCause, lead: readonly Html[], articles: readonly Html[]): Html {
  const below =
    symptoms.length === 0
      ? NOTHING
      : html`<details><summary>${count(symptoms.length, 'further symptom')}</summary>
<ul>${symptomLines(symptoms).map((line) => html`<li>${clip(line, FIELD_LIMIT)}</li>`)}</ul>
${articles}</details>`
  return html`<div class="cause"><h3>${clip(cause.summary, FIELD_LIMIT)}</h3>
<p class="quiet">Cause <code>${cause.id}</code></p>
${lead}${below}</div>
`
}

function findingHtml(results: Results, finding: ReportedFinding): Html {
  const gating = gates(finding, results.configuration.level)
  const rows = findingRows(finding, FIELD_LIMIT)
  const anchor = findingAnchor(finding.id)
  return html`<article id="${anchor}"${gating ? NOTHING : html` class="quietly"`} aria-labelledby="${anchor}-name">
<h4 id="${anchor}-name"><code>${finding.clause}</code> <span class="tag">${finding.level}</span> <span class="tag">${finding.source}</span>${standing(finding, gating)}</h4>
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
