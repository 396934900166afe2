// The causes and their findings as they stand in report.html: each in the form that terminal and JUnit have, with its steps and script.

import { grouped } from '../../models/language/grouped.js'
import { type ToldCause, toldCauses } from '../causes.js'
import { curlScript } from '../curl.js'
import { findingRows, sentLine, tokenName } from '../finding-text.js'
import { worstFirst } from '../harm.js'
import { curlFile, findingFile, replayCommand } from '../names.js'
import type { Results } from '../results-schema.js'
import { gates } from '../verdicts.js'
import { clip, count } from '../visible.js'
import { causeAnchor, clauseAnchor, copyButton, findingAnchor, operationAnchor, permalink } from './anchors.js'
import { recordsHtml, sequenceHtml, shortened, statusOf, stepsHtml } from './program.js'
import { type Html, html, NOTHING } from './template.js'

type ReportedFinding = Results['findings'][number]

/** Bytes of the page that findings in full may take; the rest are listed by a line each. */
const BUDGET = 700_000
const FIELD_LIMIT = 2_500
const QUOTE_LIMIT = 600
const SCRIPT_LIMIT = 4 * FIELD_LIMIT
/** Causes that the first screen names, and those that it shows a call of. */
const NAMED_CAUSES = 8
const EVIDENT_CAUSES = 3
const EVIDENCE_LIMIT = 140

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
  const clauses = new Map(results.clauses.map((clause) => [clause.id, clause]))
  const full = leads.map(({ told, lead }) =>
    causeHtml(
      told,
      clauses.get(clauseOf(told.cause.id)) ?? clauses.get(told.lead.clause),
      lead,
      articles(told.symptoms),
    ),
  )
  return html`${full}${left.length === 0 ? NOTHING : briefHtml(left)}`
}

/** The clause that a cause is named after: `volumes.resize: drops volumes.resize.only-up`. */
const clauseOf = (cause: string): string => cause.slice(cause.lastIndexOf(' ') + 1)

/** The causes by their names alone, for the first screen. */
export function causesIndexHtml(results: Results): Html {
  const causes = toldCauses(results)
  if (causes.length === 0) return NOTHING
  const further = causes.length - NAMED_CAUSES
  return html`${causes.length > 1 ? html`<p class="quiet">${worstFirst}</p>` : NOTHING}<ol class="index">${causes
    .slice(0, NAMED_CAUSES)
    .map(
      ({ cause, lead, gating, symptoms }, index) =>
        html`<li><a href="#${causeAnchor(cause.id)}">${clip(cause.summary, 200)}</a>${symptoms.length === 0 ? NOTHING : html` <span class="quiet">${count(symptoms.length + 1, 'finding')}</span>`}${standing(lead, gating)}${index < EVIDENT_CAUSES ? evidenceHtml(lead) : NOTHING}</li>\n`,
    )}</ol>${further > 0 ? html`<p><a href="#findings">${count(further, 'further cause')}</a></p>` : NOTHING}`
}

/** The call in which a finding shows, in a line. */
function evidenceHtml({ steps, expected, received }: ReportedFinding): Html {
  const last = steps.at(-1)
  if (last === undefined) return NOTHING
  const reply = received.length <= EVIDENCE_LIMIT ? received : statusOf(last)
  return html`<p class="evidence"><code>${shortened(sentLine(last.call), EVIDENCE_LIMIT)}</code> as ${tokenName(last.call)}<br>expected: ${shortened(expected, EVIDENCE_LIMIT)}; received: <code>${reply}</code></p>`
}

type ReportedClause = Results['clauses'][number]

function causeHtml(
  told: ToldCause,
  clause: ReportedClause | undefined,
  lead: readonly Html[],
  articles: readonly Html[],
): Html {
  const { cause, gating } = told
  const anchor = causeAnchor(cause.id)
  return html`<section class="cause${gating ? '' : ' quietly'}" id="${anchor}" aria-labelledby="${anchor}-name"><h3 id="${anchor}-name">${clip(cause.summary, FIELD_LIMIT)} ${permalink(anchor, 'this cause')}</h3>
${clause?.quote === undefined ? NOTHING : html`<blockquote><p>${clip(clause.quote, QUOTE_LIMIT)}</p><footer>the document, ${clause.source}</footer></blockquote>`}
${lead}${symptomsHtml(told, articles)}
<p class="replay"><span class="quiet">cause</span> <code id="${anchor}-id">${cause.id}</code> ${copyButton(`${anchor}-id`, 'the id of the cause')}</p></section>
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
        ({ id }, index) =>
          html`${index === 0 ? '' : ', '}<a href="#${findingAnchor(id)}">${shortName(operation, id)}</a>`,
      )}</dd>\n`,
  )}</dl>
<details><summary>each in full</summary>
${articles}</details></details>`
}

/** The id of a finding below its operation. A clause may be broken in several ways, so the kind of deviation stays. */
const shortName = (operation: string, id: string): string =>
  clip(id.startsWith(`${operation}.`) ? id.slice(operation.length + 1) : id, 120)

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
<h5>The calls that show it <span class="quiet">${count(finding.steps.length, 'step')}${shrunk}${again}</span></h5>
${stepsHtml(finding.steps)}
${finding.steps.length > 1 ? sequenceHtml(finding.steps, finding.id) : NOTHING}
${recordsHtml(finding.steps, finding.id)}
${toolsHtml(results, finding, anchor)}
</article>
`
}

/** Says to a replay where the target is, which a reader who did not run it fills in; the embedded one is started for it. */
const targetPlaceholder = ({ target }: Results): string => (target.name === 'embedded' ? '' : ' --target <file or URL>')

/** What to do next with a finding: send it by hand, or replay it. */
const toolsHtml = (results: Results, finding: ReportedFinding, anchor: string): Html =>
  html`<h5>To see it again</h5>
${scriptHtml(results, finding, anchor)}
<p class="replay"><span class="quiet">in the folder of this report</span> <code id="${anchor}-replay">${replayCommand(finding.id)} --out .${targetPlaceholder(results)}</code> ${copyButton(`${anchor}-replay`, 'the replay command')}</p>
<p class="replay"><span class="quiet">id of the finding</span> <code id="${anchor}-id">${finding.id}</code> ${copyButton(`${anchor}-id`, 'the id of the finding')}</p>`

/** The script is copied whole or not at all. */
function scriptHtml(results: Results, finding: ReportedFinding, anchor: string): Html {
  const script = curlScript(finding, results.target, results.operations)
  const isWhole = script.length <= SCRIPT_LIMIT
  const button = isWhole ? copyButton(`${anchor}-curl`, 'the curl script') : NOTHING
  return html`<p class="replay"><span class="quiet">without this suite</span> a shell script with curl ${button} <span class="quiet">also in <code>${curlFile(finding.id)}</code></span></p>
<details><summary>show the script</summary><pre id="${anchor}-curl">${clip(script, SCRIPT_LIMIT)}</pre></details>`
}

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
