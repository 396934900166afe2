// What was not tested, and what would make it testable, as the first screen of report.html tells it.

import { needsOf, type RankedNeed } from '../needs.js'
import type { Results } from '../results-schema.js'
import { countVerdicts } from '../tally.js'
import { clip, count } from '../visible.js'
import { copyButton } from './anchors.js'
import { type Html, html, NOTHING } from './template.js'

const SHOWN_FIRST = 5

/** A summary of what the verdict does not speak of; nothing where all was tested. */
export function untestedHtml(results: Results): Html {
  const { untestable, untested } = countVerdicts(results.clauses)
  const unselected = results.clauses.filter(({ verdict }) => verdict === 'not-selected').length
  if (untestable + untested + unselected === 0) return NOTHING
  const needs = needsOf(results)
  const open = new Set(needs.flatMap(({ clauses }) => clauses)).size
  const facts = [
    ...(open > 0
      ? [html`<a href="#untestable">${count(open, 'clause')}</a> can be tested once the target file says more`]
      : []),
    ...(untestable > open
      ? [
          html`<a href="#untestable">${count(untestable - open, 'clause')}</a> cannot be tested on any target, for the reasons given`,
        ]
      : []),
    ...(untested > 0 ? [html`nothing in this run decided <a href="#untested">${count(untested, 'clause')}</a>`] : []),
    ...(unselected > 0 ? [html`${count(unselected, 'clause')} ${unselected === 1 ? 'was' : 'were'} not selected`] : []),
  ]
  return html`<section class="untested" aria-labelledby="not-tested"><h2 id="not-tested">Not tested</h2>
<p>${facts.map((fact, index) => html`${index === 0 ? '' : ' · '}${fact}`)}</p>
${
  needs.length === 0
    ? NOTHING
    : html`<details><summary>What to add to the target file, first what opens the most clauses</summary>
<ol class="needs">${needs.slice(0, SHOWN_FIRST).map((need, index) => needHtml(need, index))}</ol>
${needs.length > SHOWN_FIRST ? html`<details><summary>${count(needs.length - SHOWN_FIRST, 'further need')}</summary><ol class="needs" start="${SHOWN_FIRST + 1}">${needs.slice(SHOWN_FIRST).map((need, index) => needHtml(need, SHOWN_FIRST + index))}</ol></details>` : NOTHING}</details>`
}</section>`
}

function needHtml({ what, clauses, opens, snippet }: RankedNeed, index: number): Html {
  const id = `need-${index + 1}`
  const share =
    opens === clauses.length
      ? `opens ${count(opens, 'clause')}`
      : `opens ${opens} of ${count(clauses.length, 'clause')}`
  const name = html`<strong class="foreign">${clip(what, 300)}</strong> <span class="tag">${share}</span>`
  if (snippet === undefined) return html`<li>${name}</li>\n`
  return html`<li><details><summary>${name}</summary>
<p class="quiet">For the target file; put the values of your own in:</p>
<div class="copied"><pre id="${id}">${snippet}</pre>${copyButton(id, 'the snippet')}</div></details></li>
`
}
