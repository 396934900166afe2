// The drawings of the pages as inline SVG: the meter of verdicts, the run over time, and runs from night to night.

import { durationText, latencyText } from '../duration.js'
import type { Results } from '../results-schema.js'
import { type CountedVerdict, type Counts, VERDICTS } from '../tally.js'
import { count, figure } from '../visible.js'
import { type Html, html, NOTHING } from './template.js'

const WIDTH = 1_000
/** A segment narrower than this could not be seen: one finding among 1,500 clauses must be. */
const LEAST = 4

/** A stacked bar with its legend. */
export function meter(counts: Counts): Html {
  const used = VERDICTS.filter((verdict) => counts[verdict] > 0)
  return html`${bar(counts, 26)}
<ul class="legend">${used.map(
    (verdict) =>
      html`<li><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" class="bar-${verdict}"/></svg><b>${figure(counts[verdict])}</b> ${verdict} <span class="quiet">${MEANING[verdict]}</span></li>`,
  )}</ul>`
}

/** The stacked bar alone, `height` of a thousand units wide. */
export function bar(counts: Counts, height: number): Html {
  const total = VERDICTS.reduce((sum, verdict) => sum + counts[verdict], 0)
  if (total === 0) return NOTHING
  const said = VERDICTS.filter((verdict) => counts[verdict] > 0).map((verdict) => `${counts[verdict]} ${verdict}`)
  let x = 0
  const segments = widths(counts, total).map(([verdict, width]) => {
    const segment = html`<rect x="${x.toFixed(1)}" width="${width.toFixed(1)}" height="${height}" class="bar-${verdict}"/>`
    x += width
    return segment
  })
  return html`<svg viewBox="0 0 ${WIDTH} ${height}" preserveAspectRatio="none" role="img" aria-label="${said.join(', ')}">${segments}</svg>`
}

/** Requests and the slowest reply of each slice of the run, one above the other. */
export function timelineChart(timeline: Results['timeline']): Html {
  const { slices, sliceMs } = timeline
  if (slices.length === 0) return html`<p>No request was sent.</p>`
  const most = Math.max(...slices.map(({ requests }) => requests))
  const slowest = Math.max(...slices.map(({ slowestMs }) => slowestMs))
  const step = (WIDTH - 60) / slices.length
  const bars = slices.map((slice, index) => {
    if (slice.requests === 0) return NOTHING
    const x = (60 + index * step).toFixed(1)
    const width = Math.max(1, Math.min(step - 1, 40)).toFixed(1)
    const title = html`<title>from ${durationText(index * sliceMs)}: ${count(slice.requests, 'request')}, ${slice.lost} without a reply; slowest ${latencyText(slice.slowestMs)}</title>`
    return html`<g>${title}${column(x, width, 100, 84, slice.requests / most, 'observed')}${column(x, width, 100, 84, slice.lost / most, 'finding')}${column(x, width, 214, 84, slice.slowestMs / Math.max(1, slowest), 'untestable')}</g>`
  })
  const end = durationText(slices.length * sliceMs)
  return html`<svg viewBox="0 0 ${WIDTH} 236" role="img" aria-label="Requests and slowest reply over time: at most ${most} requests in ${durationText(sliceMs)}, slowest ${latencyText(slowest)}, ${end} in all">
<text x="60" y="11">requests in ${durationText(sliceMs)} (those without a reply in red), at most ${most}</text>
<text x="60" y="125">slowest reply, at most ${latencyText(slowest)}</text>
<line x1="60" x2="${WIDTH}" y1="100" y2="100" class="axis"/><line x1="60" x2="${WIDTH}" y1="214" y2="214" class="axis"/>
<text x="52" y="24" text-anchor="end">${most}</text><text x="52" y="100" text-anchor="end">0</text>
<text x="52" y="138" text-anchor="end">${latencyText(slowest)}</text><text x="52" y="214" text-anchor="end">0</text>
${bars}
<text x="60" y="230">start</text><text x="${WIDTH}" y="230" text-anchor="end">${end}</text>
</svg>`
}

/** What a run adds to a trend. */
export interface Night {
  readonly name: string
  readonly passed: number
  readonly findings: number
  /** Findings that the run before did not have. */
  readonly fresh: number
}

/** Findings and clauses that passed from run to run, one above the other. */
export function trendChart(nights: readonly Night[]): Html {
  const most = Math.max(...nights.map(({ findings }) => findings))
  const passed = Math.max(...nights.map((one) => one.passed))
  const step = (WIDTH - 60) / nights.length
  const bars = nights.map((night, index) => {
    const x = (60 + index * step).toFixed(1)
    const width = Math.max(1, Math.min(step - 2, 60)).toFixed(1)
    const title = html`<title>${index + 1}. ${night.name}: ${count(night.findings, 'finding')}, ${night.fresh} new; ${count(night.passed, 'clause')} passed</title>`
    return html`<g>${title}${column(x, width, 100, 84, night.findings / Math.max(1, most), 'untestable')}${column(x, width, 100, 84, night.fresh / Math.max(1, most), 'finding')}${column(x, width, 214, 84, night.passed / Math.max(1, passed), 'pass')}<text x="${x}" y="230">${index + 1}</text></g>`
  })
  const told = nights.map(({ findings, fresh }, index) => `run ${index + 1} ${findings}, ${fresh} new`)
  return html`<svg viewBox="0 0 ${WIDTH} 236" role="img" aria-label="Findings from run to run: ${told.join('; ')}">
<text x="60" y="11">findings (new ones in red), at most ${most}</text>
<text x="60" y="125">clauses that passed, at most ${figure(passed)}</text>
<line x1="60" x2="${WIDTH}" y1="100" y2="100" class="axis"/><line x1="60" x2="${WIDTH}" y1="214" y2="214" class="axis"/>
<text x="52" y="24" text-anchor="end">${most}</text><text x="52" y="100" text-anchor="end">0</text>
<text x="52" y="138" text-anchor="end">${figure(passed)}</text><text x="52" y="214" text-anchor="end">0</text>
${bars}
</svg>`
}

function column(x: string, width: string, base: number, height: number, share: number, colour: CountedVerdict): Html {
  if (share <= 0) return NOTHING
  const tall = Math.max(1, share * height)
  return html`<rect x="${x}" width="${width}" y="${(base - tall).toFixed(1)}" height="${tall.toFixed(1)}" class="bar-${colour}"/>`
}

/** Widths of the segments: proportional, but none too narrow to be seen; the widest gives what the narrow ones take. */
function widths(counts: Counts, total: number): (readonly [CountedVerdict, number])[] {
  const used = VERDICTS.filter((verdict) => counts[verdict] > 0)
  const floored = used.map((verdict) => Math.max(LEAST, (counts[verdict] / total) * WIDTH))
  const excess = floored.reduce((sum, width) => sum + width, 0) - WIDTH
  const widest = floored.indexOf(Math.max(...floored))
  return used.map((verdict, index) => [verdict, (floored[index] ?? 0) - (index === widest ? excess : 0)])
}

const MEANING: Readonly<Record<CountedVerdict, string>> = {
  pass: 'tested and kept',
  finding: 'broken',
  untested: 'not reached',
  untestable: 'cannot be decided here, for the reason given',
  observed: 'the document leaves it open',
}
