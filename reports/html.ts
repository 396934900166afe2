// report.html: one self-contained page about one run, for somebody who did not run it; a function of results.json.

import { grouped } from '../models/language/grouped.js'
import { durationText, latencyText, momentText } from './duration.js'
import { staleText } from './expected.js'
import { accessHtml } from './page/access.js'
import { areaAnchor } from './page/anchors.js'
import { bar, meter, timelineChart } from './page/charts.js'
import { clausesHtml, operationsHtml, reasonsHtml } from './page/clauses.js'
import { causesHtml, causesIndexHtml } from './page/findings.js'
import { untestedHtml } from './page/needs.js'
import { ARROW, picturesHtml } from './page/pictures.js'
import { page, type Section, tableHtml } from './page/shell.js'
import { type Html, html, NOTHING } from './page/template.js'
import type { Results } from './results-schema.js'
import { verdictSentence } from './summary.js'
import { countVerdicts, type LeftGroup, leftGroups, seenChoices, selectedIn } from './tally.js'
import { gates } from './verdicts.js'
import { clip, count, figure } from './visible.js'

/** Of what is left of a kind for one reason, how many are named at once. */
const NAMED_LEFT = 12

/** The page as text. */
export function htmlReport(results: Results): string {
  const title = `${results.verdict}: ${results.target.name} against interface ${results.interface}`
  const foot = html`<p>Written by touchstone ${results.suite.version}. Each clause is one statement of the interface document: it passes only where it was decisive, and what could not be tested is never counted as passed.</p>`
  return page(title, headHtml(results), sections(results), foot)
}

function sections(results: Results): Section[] {
  const counts = countVerdicts(results.clauses)
  const choices = seenChoices(results)
  return [
    { id: 'findings', title: `Causes (${results.causes.length})`, body: causesHtml(results) },
    { id: 'model', title: 'The model', body: html`${ARROW}${picturesHtml(results)}` },
    { id: 'operations', title: 'Areas and operations', body: operationsHtml(results) },
    { id: 'access', title: 'Callers', body: accessHtml(results) },
    {
      id: 'untestable',
      title: `Untestable (${figure(counts.untestable)})`,
      body: untestableHtml(results),
    },
    {
      id: 'untested',
      title: `Untested (${figure(counts.untested)})`,
      body: reasonsHtml(results, 'untested'),
    },
    { id: 'choices', title: `Choices (${choices.length})`, body: choicesHtml(choices) },
    { id: 'defects', title: `Document defects (${results.defects.length})`, body: defectsHtml(results) },
    {
      id: 'clauses',
      title: `Clauses (${figure(selectedIn(results).length)})`,
      body: clausesHtml(results),
    },
    { id: 'requests', title: `Requests (${figure(results.requests)})`, body: requestsHtml(results) },
    ...(results.assumed.length === 0
      ? []
      : [{ id: 'assumed', title: `Assumed (${results.assumed.length})`, body: assumedHtml(results) }]),
    { id: 'configuration', title: 'Configuration', body: configurationHtml(results) },
    ...(results.left.length === 0
      ? []
      : [{ id: 'left', title: `Left on the target (${figure(results.left.length)})`, body: leftHtml(results) }]),
  ]
}

function headHtml(results: Results): Html {
  const stale = results.stale ?? []
  const troubles = [
    ...results.troubles.map(({ kind, text }) => html`<li><b>${kind}</b> ${text}</li>`),
    ...stale.map((id) => html`<li><b>stale</b> ${staleText(results, id)}</li>`),
  ]
  return html`<h1>Does <span class="foreign">${results.target.name}</span> conform to interface ${results.interface}?</h1>
<p class="quiet">${momentText(results.startedAt)} · ${durationText(results.durationMs)} · ${count(results.requests, 'request')} · <span class="foreign">${results.target.baseUrl}</span></p>
<div class="banner ${results.verdict}"><strong>${answerOf(results)}</strong> ${outcomeText(results)}.${causesIndexHtml(results)}${
    troubles.length === 0 ? NOTHING : html`<ul class="foreign">${troubles}</ul>`
  }</div>
<p class="lead">The replies of this implementation were compared with the interface document, version ${results.interface}. A requirement of the document is called a <i>clause</i>${results.findings.length === 0 ? '' : '; for each that was broken this page shows what was sent, what came back, and how to see it again'}.</p>
<p>What became of the ${count(selectedIn(results).length, 'clause')} ${narrowing(results)}:</p>
${meter(countVerdicts(results.clauses))}
${areasHtml(results)}
${untestedHtml(results)}`
}

/** The verdict for somebody who knows neither levels nor findings. */
const outcomeText = (results: Results): string => {
  const { findings, causes, clauses, configuration } = results
  const deciding = new Set(findings.flatMap((one) => (gates(one, configuration.level) ? [one.clause] : []))).size
  const broken = countVerdicts(clauses).finding
  if (results.verdict !== 'nonconforming' || deciding === 0) return verdictSentence(results)
  const share = deciding < broken ? `; ${count(deciding, 'of them decides', 'of them decide')} the verdict` : ''
  return `${count(causes.length, 'cause breaks', 'causes break')} ${count(broken, 'requirement')} of the document${share}`
}

/** What of each area was shown, on the first screen. */
const areasHtml = (results: Results): Html => {
  const areas = [...grouped(selectedIn(results), ({ area }) => area)]
  if (areas.length < 2) return NOTHING
  return html`<ul class="areas">${areas.map(([area, clauses]) => {
    const counts = countVerdicts(clauses)
    const { pass, finding } = counts
    return html`<li><a href="#${areaAnchor(area)}">${area}</a> ${bar(counts, 26)} <span><b>${figure(pass)}</b> of ${figure(clauses.length)} passed${finding === 0 ? NOTHING : html`, <b class="v-finding">${figure(finding)} broken</b>`}</span></li>`
  })}</ul>`
}

const narrowing = (results: Results): string => {
  const others = results.clauses.length - selectedIn(results).length
  return others === 0 ? 'of the interface' : `that this run was about; ${figure(others)} were not selected`
}

function configurationHtml(results: Results): Html {
  const { suite, configuration, target } = results
  const fixtures = Object.entries(configuration.fixtures).map(([kind, n]) => `${kind} (${n})`)
  const facts: readonly (readonly [string, string])[] = [
    ['target', target.name],
    ['base URL', target.baseUrl],
    ['interface', results.interface],
    ['suite', `touchstone ${suite.version}${suite.commit === undefined ? '' : `, commit ${suite.commit}`}`],
    ...(results.seed === undefined ? [] : [['seed', String(results.seed)] as const]),
    ['command', configuration.command],
    [
      'level that decides the verdict',
      configuration.level === 'should' ? 'should (and must, pinned)' : 'must (and pinned)',
    ],
    ['accounts', configuration.exclusive ? 'changed by this run alone' : 'may be changed by others during the run'],
    ['tokens', configuration.tokens.join(', ') || 'none'],
    ['fixtures', fixtures.join(', ') || 'none'],
  ]
  return html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>\n`)}</dl>`
}

function untestableHtml(results: Results): Html {
  return html`<p class="quiet">Why each of these could not be decided. An arrow says what would make it testable (<code>touchstone doctor</code> checks it); where there is none, it cannot be decided on any target.</p>
${reasonsHtml(results, 'untestable')}`
}

function choicesHtml(choices: Results['choices']): Html {
  if (choices.length === 0) return html`<p>None.</p>`
  return html`<p class="quiet">Where the document leaves an implementation free, this is what was seen. More than one value means that it is not consistent. A choice pinned in the target file is required from then on.</p>
${tableHtml(
  'Choices',
  html`<thead><tr><th scope="col">choice</th><th scope="col">question</th><th scope="col">observed</th><th scope="col">pinned</th></tr></thead>
<tbody>${choices.map(
    ({ id, text, observed, pinned }) =>
      html`<tr><th scope="row"><code>${id}</code></th><td>${text}</td><td>${
        observed.length === 0
          ? html`<span class="quiet">nothing</span>`
          : observed.map((value, index) => html`${index === 0 ? '' : ' | '}<code>${value}</code>`)
      }</td><td>${pinned === null ? html`<span class="quiet">no</span>` : html`<code>${String(pinned)}</code>`}</td></tr>\n`,
  )}</tbody>`,
  html` class="stack choices"`,
)}`
}

function defectsHtml(results: Results): Html {
  if (results.defects.length === 0) return html`<p>None are known.</p>`
  return html`<p class="quiet">Where the interface document contradicts itself or can be read in two ways, and how this suite reads it. It is the same for every implementation.</p>
<details><summary>${count(results.defects.length, 'place')} of the document</summary>
${tableHtml(
  'Defects of the document',
  html`<thead><tr><th scope="col">defect</th><th scope="col">where</th><th scope="col">what it says</th><th scope="col">how it is read</th></tr></thead>
<tbody>${results.defects.map(
    ({ id, source, text, reading }) =>
      html`<tr><th scope="row"><code>${id}</code></th><td>${source}</td><td>${text}</td><td>${reading}</td></tr>\n`,
  )}</tbody>`,
  html` class="stack defects"`,
)}</details>`
}

function requestsHtml(results: Results): Html {
  const sent = results.operations.filter(({ requests }) => requests > 0)
  const silent = results.operations.length - sent.length
  return html`${timelineChart(results.timeline)}
${tableHtml(
  'Requests by operation',
  html`<thead><tr><th scope="col">operation</th><th scope="col" class="number">requests</th><th scope="col">replies</th><th scope="col" class="number">mean</th><th scope="col" class="number">slowest</th></tr></thead>
<tbody>${sent.map(
    ({ id, requests, replies, totalMs, slowestMs }) =>
      html`<tr><th scope="row"><code>${id}</code></th><td class="number">${figure(requests)}</td><td>${Object.entries(
        replies,
      )
        .map(([status, times]) => `${status} × ${figure(times)}`)
        .join(
          ', ',
        )}</td><td class="number">${latencyText(totalMs / requests)}</td><td class="number">${latencyText(slowestMs)}</td></tr>\n`,
  )}</tbody>`,
  html` class="stack requests"`,
)}
${silent === 0 ? NOTHING : html`<p class="quiet">${count(silent, 'operation')} got no request.</p>`}`
}

function assumedHtml({ assumed }: Results): Html {
  return html`<p class="quiet">What had to be assumed in the target's favour for its replies to be legal.</p>
<ul>${assumed.map(
    ({ explanation, times, text }) =>
      html`<li><b>${explanation}</b> <span class="tag">${count(times, 'time')}</span> <span class="foreign">${clip(text, 300)}</span></li>`,
  )}</ul>`
}

function leftHtml(results: Results): Html {
  const next =
    results.configuration.leaves === false
      ? html`; gone with the embedded target`
      : html`; <code>touchstone sweep</code> tries again where the interface allows it`
  return html`<p class="quiet">Made or changed by this run, and not removed or put back${next}.</p>
<ul>${leftGroups(results).map(leftItem)}</ul>`
}

/** What is left of one kind for one reason: the first few at once, the others one step away. */
function leftItem({ kind, reason, keys }: LeftGroup): Html {
  const codes = (some: readonly string[]): Html[] =>
    some.map((key, i) => html`${i === 0 ? '' : ', '}<code>${key}</code>`)
  const [first, others] = [keys.slice(0, NAMED_LEFT), keys.slice(NAMED_LEFT)]
  const more = html`<details><summary>${count(others.length, 'other')}</summary>${codes(others)}</details>`
  return html`<li>${kind} ${codes(first)}: ${reason}${others.length === 0 ? NOTHING : more}</li>`
}

/** A few calls that broke nothing do not speak for the whole interface. */
const answerOf = (results: Results): string => {
  const { pass, untested } = countVerdicts(results.clauses)
  return results.verdict === 'conforms' && untested > pass
    ? 'It conforms as far as it was tested.'
    : ANSWER[results.verdict]
}

const ANSWER: Readonly<Record<Results['verdict'], string>> = {
  conforms: 'It conforms.',
  nonconforming: 'It does not conform.',
  inconclusive: 'Inconclusive.',
}
