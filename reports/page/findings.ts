// The causes and their findings as they stand in report.html: each in the form that terminal and JUnit have, with its steps and script.

import { grouped } from '../../models/language/grouped.js'
import { type ToldCause, toldCauses } from '../causes.js'
import { curlScript } from '../curl.js'
import { findingRows } from '../finding-text.js'
import { findingFile } from '../names.js'
import type { Results } from '../results-schema.js'

import { gates } from '../verdicts.js'
import { clip, count } from '../visible.js'
import { causeAnchor, clauseAnchor, copyButton, findingAnchor, operationAnchor, permalink } from './anchors.js'
import { recordsHtml, sequenceHtml, stepsHtml } from './program.js'
import { type Html, html, NOTHING } from './template.js'

type ReportedFinding = Results['findings'][number]

/** Bytes of the page that findings in full may take; the rest are listed by a line each. */
const BUDGET = 700_000
const FIELD_LIMIT = 2_500
const QUOTE_LIMIT = 600
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
      const article = size > BUDGET ? NOTHING : findingHtml(results, finding)
      size += Buffer.byteLength(article.html)
      if (size <= BUDGET) return [article]
      left.push(finding)
      return []
    })
  // Every cause before any symptom, so that what is left out for want of room are symptoms.
  const leads = causes.map((told) => ({ told, lead: articles([told.lead]) }))
  const quotes = new Map(results.clauses.map(({ id, quote }) => [id, quote]))
  const full = leads.map(({ told, lead }) =>
    causeHtml(told, quotes.get(told.lead.clause), lead, articles(told.symptoms)),
  )
  return html`${indexHtml(causes)}${full}${left.length === 0 ? NOTHING : briefHtml(left)}`
}

function indexHtml(causes: readonly ToldCause[]): Html {
  if (causes.length < INDEX_FROM) return NOTHING
  return html`<ol class="index">${causes.map(
    ({ cause, lead, symptoms }) =>
      html`<li><a href="#${causeAnchor(cause.id)}">${clip(cause.summary, 200)}</a> <span class="tag">${lead.level}</span>${symptoms.length === 0 ? NOTHING : html` <span class="quiet">${count(symptoms.length + 1, 'finding')}</span>`}</li>\n`,
  )}</ol>`
}

function causeHtml(told: ToldCause, quote: string | undefined, lead: readonly Html[], articles: readonly Html[]): Html {
  const { cause, lead: shown, gating } = told
  const anchor = causeAnchor(cause.id)
  return html`<section class="cause${gating ? '' : ' quietly'}" id="${anchor}" aria-labelledby="${anchor}-name"><h3 id="${anchor}-name">${clip(cause.summary, FIELD_LIMIT)} ${permalink(anchor, 'this cause')}</h3>
<p class="quiet">Cause <code id="${anchor}-id">${cause.id}</code> ${copyButton(`${anchor}-id`, 'the id of the cause')}</p>
${quote === undefined ? NOTHING : html`<blockquote><p>${clip(quote, QUOTE_LIMIT)}</p><footer>the document, ${shown.source}</footer></blockquote>`}
${lead}${symptomsHtml(told, articles)}</section>
`
}

/** The further findings by operation, and each in full behind it. */
function symptomsHtml({ symptoms }: ToldCause, articles: readonly Html[]): Html {
  if (symptoms.length === 0) return NOTHING
  const operations = grouped(symptoms, ({ operation }) => operation)
  return html`<details class="symptoms"><summary>${count(symptoms.length, 'further symptom')} in ${count(operations.size, 'operation')}</summary>
<dl class="facts">${[...operations].map(
    ([operation, findings]) =>
      html`<dt><a href="#${operationAnchor(operation)}"><code>${operation}</code></a></dt><dd>${findings.map(
        ({ id, clause }, index) =>
          html`${index === 0 ? '' : ', '}<a href="#${findingAnchor(id)}">${shortName(operation, clause)}</a>`,
      )}</dd>\n`,
  )}</dl>
${articles}</details>`
}

const shortName = (operation: string, clause: string): string =>
  clip(clause.startsWith(`${operation}.`) ? clause.slice(operation.length + 1) : clause, 120)

function findingHtml(results: Results, finding: ReportedFinding): Html {
  const gating = gates(finding, results.configuration.level)
  // The program is told as a list below.
  const rows = findingRows(finding, FIELD_LIMIT).filter(([label]) => label !== 'program' && label !== 'replay')
  const anchor = findingAnchor(finding.id)
  const shrunk = finding.shrunkFrom > finding.steps.length ? `, of ${finding.shrunkFrom} before shrinking` : ''
  const again = finding.confirmed === false ? '; not shown again when tried once more' : ''
  return html`<article id="${anchor}"${gating ? NOTHING : html` class="quietly"`} aria-labelledby="${anchor}-name">
<h4 id="${anchor}-name"><a href="#${clauseAnchor(finding.clause)}"><code>${finding.clause}</code></a> <span class="tag">${finding.level}</span> <span class="tag">${finding.source}</span>${standing(finding, gating)} ${permalink(anchor, 'this finding')}</h4>
<dl class="facts">
${rows.map(([label, text]) => html`<dt>${label}</dt><dd class="${label}">${text}</dd>\n`)}</dl>
<h5>The shortest program <span class="quiet">${count(finding.steps.length, 'step')}${shrunk}${again}</span></h5>
${stepsHtml(finding.steps)}
${sequenceHtml(finding.steps, finding.id)}
${recordsHtml(finding.steps, finding.id)}
${toolsHtml(results, finding, anchor)}
</article>
`
}

/** What to do next with a finding: replay it, or send it by hand. */
const toolsHtml = (results: Results, finding: ReportedFinding, anchor: string): Html =>
  html`<p class="replay"><span class="quiet">replay</span> <code id="${anchor}-replay">${finding.replay}</code> ${copyButton(`${anchor}-replay`, 'the replay command')}</p>
<p class="replay"><span class="quiet">finding</span> <code id="${anchor}-id">${finding.id}</code> ${copyButton(`${anchor}-id`, 'the id of the finding')}</p>
<details><summary>As curl commands</summary>
<div class="copied"><pre id="${anchor}-curl">${clip(curlScript(finding, results.target, results.operations), FIELD_LIMIT * 4)}</pre>${copyButton(`${anchor}-curl`, 'the curl commands')}</div></details>
<p class="quiet">Beside this report: <code>${findingFile(finding.id)}</code></p>`

/** Whether it gates, where that is not plain from its level. */
function standing(finding: ReportedFinding, gating: boolean): Html {
  if (gating) return NOTHING
  if (finding.expectedFinding !== true) return html` <span class="tag">does not decide the verdict</span>`
  const reason = finding.expectedReason === undefined ? '' : `: ${finding.expectedReason}`
  return html` <span class="tag foreign">expected${reason}</span>`
}

function briefHtml(findings: readonly ReportedFinding[]): Html {
  return html`<h3>${count(findings.length, 'further finding')}</h3>
<p>Too many to show in full; the files beside this report have them.</p>
<ul>${findings.map(
    (finding) =>
      html`<li id="${findingAnchor(finding.id)}"><code>${clip(finding.clause, 120)}</code> <code>${findingFile(finding.id)}</code></li>\n`,
  )}</ul>`
}
