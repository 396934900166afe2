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
  const ends = ['start', durationText(slices.length * sliceMs)] as const
  const place = placing(slices.length)
  const requests = slices.map((slice, index) => {
    const title = html`<title>from ${durationText(index * sliceMs)}: ${count(slice.requests, 'request')}, ${slice.lost} without a reply</title>`
    return html`<g>${title}${column(place(index), slice.requests / most, 'observed')}${column(place(index), slice.lost / most, 'finding')}</g>`
  })
  const replies = slices.map(({ slowestMs }, index) => {
    const title = html`<title>from ${durationText(index * sliceMs)}: ${latencyText(slowestMs)}</title>`
    return html`<g>${title}${column(place(index), slowestMs / Math.max(1, slowest), 'untestable')}</g>`
  })
  return html`${columnsHtml(`Requests in ${durationText(sliceMs)} (those without a reply in red), at most ${figure(most)}`, requests, ends)}
${columnsHtml(`Slowest reply, at most ${latencyText(slowest)}`, replies, ends)}`
}

/** What a run adds to a trend. */
export interface Night {
  readonly name: string
  readonly passed: number
  readonly findings: number
  /** Findings that none of the runs before had. */
  readonly fresh: number
}

/** Findings and clauses that passed from run to run, one above the other. */
export function trendChart(nights: readonly Night[]): Html {
  const most = Math.max(...nights.map(({ findings }) => findings))
  const passed = Math.max(...nights.map((one) => one.passed))
  const ends = ['run 1', `run ${nights.length}`] as const
  const place = placing(nights.length)
  const findings = nights.map((night, index) => {
    const title = html`<title>${index + 1}. ${night.name}: ${count(night.findings, 'finding')}, ${night.fresh} new</title>`
    return html`<g>${title}${column(place(index), night.findings / Math.max(1, most), 'untestable')}${column(place(index), night.fresh / Math.max(1, most), 'finding')}</g>`
  })
  const passes = nights.map((night, index) => {
    const title = html`<title>${index + 1}. ${night.name}: ${count(night.passed, 'clause')} passed</title>`
    return html`<g>${title}${column(place(index), night.passed / Math.max(1, passed), 'pass')}</g>`
  })
  const told = nights.map((night, index) => `run ${index + 1} ${night.findings}, ${night.fresh} new`)
  return html`${columnsHtml(`Findings (new ones in red), at most ${figure(most)}`, findings, ends, `Findings from run to run: ${told.join('; ')}`)}
${columnsHtml(`Clauses that passed, at most ${figure(passed)}`, passes, ends)}`
}

const TALL = 84

/** Columns over a line, with what they show above them and where they begin and end below: text that no narrow page makes smaller. */
const columnsHtml = (
  caption: string,
  columns: readonly Html[],
  [first, last]: readonly [string, string],
  told = caption,
): Html =>
  html`<div class="columns"><p>${caption}</p><svg viewBox="0 0 ${WIDTH} ${TALL}" preserveAspectRatio="none" role="img" aria-label="${told}">${columns}<line x1="0" x2="${WIDTH}" y1="${TALL}" y2="${TALL}" class="axis"/></svg><p class="ends"><span>${first}</span><span>${last}</span></p></div>`

interface Place {
  readonly x: string
  readonly width: string
}

/** Where each of so many columns stands, the first and the last above what names them. */
const placing = (many: number): ((index: number) => Place) => {
  const width = Math.max(1, Math.min(WIDTH / many - 1, 60))
  const step = (WIDTH - width) / Math.max(1, many - 1)
  return (index) => ({ x: (index * step).toFixed(1), width: width.toFixed(1) })
}

function column({ x, width }: Place, share: number, colour: CountedVerdict): Html {
  if (share <= 0) return NOTHING
  const tall = Math.max(1, share * TALL)
  return html`<rect x="${x}" width="${width}" y="${(TALL - tall).toFixed(1)}" height="${tall.toFixed(1)}" class="bar-${colour}"/>`
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
  untested: 'nothing decided it',
  untestable: 'cannot be decided here, for the reason given',
  observed: 'the document leaves it open',
}
