// The program of a finding as it stands in report.html: its steps in words, its calls as a diagram, and two records side by side.
import type { RecordedStep } from '../../history/record.js'
import { outcomeLine, sentLine, tokenName } from '../finding-text.js'
import { clip, visibleJson } from '../visible.js'
import { tableHtml } from './shell.js'
import { type Html, html, NOTHING } from './template.js'

type Steps = readonly RecordedStep[]

const REPLY_LIMIT = 1_200
const LINE_LIMIT = 300
const VALUE_LIMIT = 160
const MOST_CALLS = 16
/** Characters of a path or of a caller's name in the diagram. */
const TEXT_LIMIT = 58

/** The shortest program as a numbered list; the bytes of each step are behind it. */
export const stepsHtml = (steps: Steps): Html =>
  html`<ol class="program">${steps.map(
    (
      step,
      index,
    ) => html`<li${index === steps.length - 1 ? html` class="deviates"` : NOTHING}><code>${clip(step.line, LINE_LIMIT)}</code>
<details><summary>${statusOf(step)} <span class="quiet">step ${step.n} of the run${step.unsettled === true ? ', without waiting for what it names to come to rest' : ''}</span></summary>
<pre>${sentLine(step.call, REPLY_LIMIT)}
→ ${outcomeLine(step.outcome, REPLY_LIMIT)}</pre></details></li>
`,
  )}</ol>`

export const statusOf = ({ outcome }: RecordedStep): string =>
  'lost' in outcome ? `no reply (${outcome.lost})` : String(outcome.status)

const WIDTH = 720
const LANES = { caller: 70, target: 650 } as const
const ROW = 48
const TOP = 40

/** Caller and target, each call an arrow to the right and its reply one to the left; the last reply is the one that deviates. */
export function sequenceHtml(steps: Steps, of: string): Html {
  const shown = steps.slice(-MOST_CALLS)
  const left = steps.length - shown.length
  if (shown.length === 0) return NOTHING
  const height = TOP + shown.length * ROW + 12
  const rows = shown.map((step, index) =>
    rowHtml(step, left + index + 1, TOP + index * ROW, index === shown.length - 1),
  )
  const callers = [...new Set(shown.map(({ call }) => tokenName(call)))]
  const said = shown.map(
    (step) => `${step.call.method} ${clip(step.call.url, TEXT_LIMIT)} is answered ${statusOf(step)}`,
  )
  return html`<div class="scroll diagram" role="region" aria-label="The calls of ${of} as a diagram" tabindex="0"><svg class="sequence" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${said.join('; then ')}">
<line class="lane" x1="${LANES.caller}" x2="${LANES.caller}" y1="26" y2="${height}"/><line class="lane" x1="${LANES.target}" x2="${LANES.target}" y1="26" y2="${height}"/>
<text class="lane-name caller" x="8" y="16">${callers.length === 1 ? shortened(callers[0] ?? '') : 'callers'}</text><text class="lane-name" x="${LANES.target}" y="16">target</text>
${rows}</svg></div>${left === 0 ? NOTHING : html`<p class="quiet">The last ${shown.length} of ${steps.length} calls.</p>`}`
}

function rowHtml(step: RecordedStep, n: number, y: number, deviates: boolean): Html {
  const { caller, target } = LANES
  const middle = (caller + target) / 2
  const lost = 'lost' in step.outcome
  const style = deviates ? 'reply wrong' : 'reply'
  return html`<text class="call" x="${middle}" y="${y + 8}">${n}  ${step.call.method} ${shortened(step.call.url)}</text>
<line class="arrow" x1="${caller}" x2="${target - 2}" y1="${y + 14}" y2="${y + 14}" marker-end="url(#arrow)"/>
<line class="${style}" x1="${lost ? (caller + target) / 2 : target}" x2="${lost ? target : caller + 2}" y1="${y + 32}" y2="${y + 32}"${lost ? NOTHING : html` marker-end="url(#arrow)"`}/>
<text class="${style}" x="${middle}" y="${y + 28}">${statusOf(step)}${deviates ? ' ✗ deviates' : ''}</text>
`
}

export const shortened = (text: string, limit: number = TEXT_LIMIT): string =>
  text.length > limit ? `${text.slice(0, limit - 1)}…` : text

type Fields = Readonly<Record<string, unknown>>

interface Shown {
  readonly step: number
  readonly record: Fields
}

/** The record of the last reply beside the latest earlier reply that shows the same one, the members that differ marked. */
export function recordsHtml(steps: Steps, of: string): Html {
  const pair = pairOf(steps)
  if (pair === undefined) return NOTHING
  const [before, now] = pair
  const members = [...new Set([...Object.keys(before.record), ...Object.keys(now.record)])]
  const differing = members.filter((name) => !isSame(before.record[name], now.record[name]))
  if (differing.length === 0) return NOTHING
  const rest = members.length - differing.length
  return html`${tableHtml(
    `The record in two replies of ${of}`,
    html`<thead><tr><th scope="col">member</th><th scope="col">in the reply to step ${before.step}</th><th scope="col">in the reply to step ${now.step}</th></tr></thead>
<tbody>${members.map((name) => {
      const marked = differing.includes(name)
      return html`<tr${marked ? html` class="differs"` : NOTHING}><th scope="row"><code>${clip(name, 60)}</code>${marked ? html` <span class="tag">differs</span>` : NOTHING}</th><td>${valueHtml(before.record, name, marked)}</td><td>${valueHtml(now.record, name, marked)}</td></tr>
`
    })}</tbody>`,
    html` class="stack records"`,
  )}<p class="quiet">${rest === 0 ? 'All members differ' : `${differing.length} of ${members.length} members differ`}; not each of them need be wrong: what was written in between may change some.</p>`
}

const valueHtml = (record: Fields, name: string, marked: boolean): Html => {
  if (!Object.hasOwn(record, name)) return html`<span class="quiet">not there</span>`
  const text = clip(visibleJson(record[name]), VALUE_LIMIT)
  return marked ? html`<mark><code>${text}</code></mark>` : html`<code>${text}</code>`
}

/** Records by value: the order of members does not matter. */
const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isFields(value)) return value
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  )
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Records that a reply shows, of the resource that its operation is named after. */
function recordsIn({ call, outcome }: RecordedStep): { readonly key: string; readonly record: Fields }[] {
  if ('lost' in outcome || outcome.status >= 300 || !isFields(outcome.body)) return []
  const { data } = outcome.body
  const list = Array.isArray(data) ? data : [outcome.body]
  const resource = call.operation.slice(0, call.operation.lastIndexOf('.'))
  return list.filter(isFields).flatMap((record) => {
    const id = record.id ?? record.address ?? record.label
    return typeof id === 'number' || typeof id === 'string' ? [{ key: `${resource} ${id}`, record }] : []
  })
}

function pairOf(steps: Steps): readonly [Shown, Shown] | undefined {
  const last = steps.at(-1)
  if (last === undefined) return undefined
  const shown = recordsIn(last)
  for (const [index, step] of [...steps.slice(0, -1).entries()].reverse())
    for (const { key, record } of recordsIn(step)) {
      const now = shown.find((one) => one.key === key)
      if (now)
        return [
          { step: index + 1, record },
          { step: steps.length, record: now.record },
        ]
    }
  return undefined
}
