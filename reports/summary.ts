// The results as text for a terminal: findings first, the verdict last, where the eye is when a run ends.

import picocolors from 'picocolors'
import type { RunVerdict } from '../history/record.js'
import { grouped } from '../models/language/grouped.js'
import { symptomLines, type ToldCause, toldCauses } from './causes.js'
import { durationText } from './duration.js'
import { staleText } from './expected.js'
import { findingHead, findingRows, rowText } from './finding-text.js'
import { needsOf } from './needs.js'
import type { Results } from './results-schema.js'
import {
  byReason,
  type CountedVerdict,
  type Counts,
  countVerdicts,
  leftGroups,
  seenChoices,
  selectedIn,
  VERDICTS,
} from './tally.js'
import { gates } from './verdicts.js'
import { clip, count, figure, visibleLine } from './visible.js'

type Colors = ReturnType<typeof picocolors.createColors>

const FIELD_LIMIT = 600
const NAMED_CLAUSES = 4
const SHOWN_NEEDS = 5
const SHOWN_REASONS = 5
/** Operations whose symptoms are named below a cause. */
const NAMED_OPERATIONS = 8

/** The summary; `color` switches terminal colours on, `findings` limits how many causes are shown in full. */
export function summary(results: Results, options: { readonly color: boolean; readonly findings?: number }): string {
  const colors = picocolors.createColors(options.color)
  const sections = [
    headline(results, colors),
    causesSection(results, colors, options.findings ?? 50),
    areasSection(results, colors),
    untestableSection(results, colors),
    untestedSection(results, colors),
    choicesSection(results, colors),
    assumedSection(results, colors),
    leftSection(results, colors),
    verdictSection(results, colors),
  ]
  return `${sections.filter((section) => section !== '').join('\n\n')}\n`
}

/** The verdict in one sentence: `nonconforming: 2 findings at must or pinned`. */
export function verdictSentence(results: Results): string {
  const level = results.configuration.level
  const gating = results.findings.filter((finding) => gates(finding, level)).length
  const causes = toldCauses(results).filter((told) => told.gating).length
  const passes = countVerdicts(results.clauses).pass
  const passed = count(passes, 'clause')
  if (results.verdict === 'nonconforming')
    return gating === 0
      ? `${count(results.stale?.length ?? 0, 'expected finding')} not shown`
      : `${count(gating, 'finding')} at ${level === 'should' ? 'must, pinned or should' : 'must or pinned'}, from ${count(causes, 'cause')}`
  if (results.verdict === 'conforms')
    return results.findings.length === 0
      ? `${passed} passed and none was broken`
      : `${passed} passed; ${count(results.findings.length, 'finding')} below the level that decides, or expected`
  const proven =
    passes === 0 ? 'nothing is proven either way' : `${passed} passed, which is not enough to say that it conforms`
  return `${count(results.troubles.length, 'trouble')} with the run itself; ${proven}`
}

function headline(results: Results, colors: Colors): string {
  const { suite, target, seed } = results
  const commit = suite.commit === undefined ? '' : ` (${suite.commit.slice(0, 12)})`
  const run = `${count(results.requests, 'request')} in ${durationText(results.durationMs)}`
  return [
    `${colors.bold(visibleLine(`touchstone ${suite.version}${commit}`))} · interface ${visibleLine(results.interface)}`,
    visibleLine([target.name, target.baseUrl, ...(seed === undefined ? [] : [`seed ${seed}`]), run].join(' · ')),
  ].join('\n')
}

function causesSection(results: Results, colors: Colors, limit: number): string {
  const causes = toldCauses(results)
  const shown = causes.slice(0, limit).map((told) => causeText(told, colors))
  const more = causes.length - shown.length
  if (more > 0) shown.push(`… and ${count(more, 'more cause', 'more causes')} in results.json`)
  return shown.join('\n\n')
}

/** The cause in a line, the finding that tells it best in full, and the others by operation. */
function causeText({ cause, lead, symptoms, gating }: ToldCause, colors: Colors): string {
  const tint = gating ? colors.red : colors.yellow
  const note = gating ? '' : `  ${colors.dim(notGating(lead))}`
  const rows = findingRows(lead, FIELD_LIMIT).map((row) => {
    const text = rowText(row)
    return row[0] === 'received' ? tint(text) : colors.dim(text.slice(0, 13)) + text.slice(13)
  })
  const also = symptomLines(symptoms, NAMED_OPERATIONS).map((line) => clip(line, FIELD_LIMIT))
  return [
    colors.bold(tint(visibleLine(cause.summary))),
    `${colors.bold(findingHead(lead))}${note}`,
    ...rows,
    ...(also.length === 0 ? [] : [rowText(['also', also.join('\n')])]),
    rowText(['cause', visibleLine(cause.id)]),
  ].join('\n')
}

const notGating = (finding: Results['findings'][number]): string =>
  finding.expectedFinding === true
    ? `expected${finding.expectedReason === undefined ? '' : `: ${visibleLine(finding.expectedReason)}`}`
    : 'does not gate this run'

function areasSection(results: Results, colors: Colors): string {
  const areas = [...grouped(selectedIn(results), ({ area }) => area)]
  const rows = areas.map(([area, clauses]) => ({ name: visibleLine(area), counts: countVerdicts(clauses) }))
  const all = [...rows, { name: 'all', counts: countVerdicts(results.clauses) }]
  const width = Math.max('clauses'.length, ...all.map(({ name }) => name.length))
  const head = `${'clauses'.padEnd(width)}${VERDICTS.map((verdict) => verdict.padStart(12)).join('')}`
  const cells = (counts: Counts): string =>
    VERDICTS.map((verdict) => tintCount(verdict, counts[verdict], colors)).join('')
  return [colors.dim(head), ...all.map(({ name, counts }) => `${name.padEnd(width)}${cells(counts)}`)].join('\n')
}

function tintCount(verdict: CountedVerdict, n: number, colors: Colors): string {
  const text = figure(n).padStart(12)
  if (n === 0) return colors.dim(text)
  if (verdict === 'pass') return colors.green(text)
  return verdict === 'finding' ? colors.red(text) : text
}

/** What would make clauses testable, which is worth reading; of the rest, how many there are. */
function untestableSection(results: Results, colors: Colors): string {
  const total = countVerdicts(results.clauses).untestable
  if (total === 0) return ''
  const needs = needsOf(results)
  const open = new Set(needs.flatMap(({ clauses }) => clauses)).size
  const parts = [
    ...(open > 0 ? [`${figure(open)} for what the target file lacks`] : []),
    ...(total > open ? [`${figure(total - open)} on any target`] : []),
  ]
  const lines = needs
    .slice(0, SHOWN_NEEDS)
    .map(({ what, clauses }) => `  ${colors.cyan(String(clauses.length).padStart(4))}  ${clip(visibleLine(what), 200)}`)
  const more =
    needs.length > SHOWN_NEEDS
      ? [colors.dim(`        and ${count(needs.length - SHOWN_NEEDS, 'further need')}: touchstone doctor`)]
      : []
  return [`${colors.bold(`untestable (${figure(total)})`)}: ${parts.join(', ')}`, ...lines, ...more].join('\n')
}

function untestedSection(results: Results, colors: Colors): string {
  const groups = byReason(results, 'untested')
  if (groups.length === 0) return ''
  const total = groups.reduce((sum, { clauses }) => sum + clauses.length, 0)
  const lines = groups
    .slice(0, SHOWN_REASONS)
    .map(
      ({ reason, clauses }) =>
        `  ${clip(visibleLine(reason), 200)}  ${colors.dim(`(${count(clauses.length, 'clause')}: ${someNames(clauses)})`)}`,
    )
  const more = groups.length > SHOWN_REASONS ? [`  … and ${count(groups.length - SHOWN_REASONS, 'more reason')}`] : []
  return [colors.bold(`untested (${figure(total)})`), ...lines, ...more].join('\n')
}

function someNames(clauses: readonly { readonly id: string }[]): string {
  const names = clauses.slice(0, NAMED_CLAUSES).map(({ id }) => visibleLine(id))
  return clauses.length > names.length ? `${names.join(', ')}, …` : names.join(', ')
}

/** How many there are, and those that the target file fixes. */
function choicesSection(results: Results, colors: Colors): string {
  const choices = seenChoices(results)
  if (choices.length === 0) return ''
  const lines = choices
    .filter(({ pinned }) => pinned !== null)
    .map(({ id, observed, pinned }) => {
      const values = observed.length === 0 ? 'not observed' : observed.map((value) => visibleLine(value)).join(' | ')
      return `  ${visibleLine(id)}: ${clip(values, 200)}${colors.dim(`  (pinned: ${visibleLine(String(pinned))})`)}`
    })
  return [
    `${colors.bold(`choices (${choices.length})`)}: what the document leaves open; touchstone list choices shows them`,
    ...lines,
  ].join('\n')
}

function assumedSection({ assumed }: Results, colors: Colors): string {
  if (assumed.length === 0) return ''
  const lines = assumed.map(
    ({ explanation, times, text }) =>
      `  ${visibleLine(explanation)}: ${count(times, 'time')}${text === '' ? '' : colors.dim(`  (${clip(visibleLine(text), 200)})`)}`,
  )
  return [colors.bold(`assumed in the target's favour (${assumed.length})`), ...lines].join('\n')
}

function leftSection(results: Results, colors: Colors): string {
  if (results.left.length === 0) return ''
  const lines = leftGroups(results).map(({ kind, reason, keys }) => {
    const named = keys.slice(0, NAMED_CLAUSES).map(visibleLine)
    const more = keys.length > named.length ? `, and ${figure(keys.length - named.length)} more` : ''
    return `  ${visibleLine(kind)} ${named.join(', ')}${more}: ${visibleLine(reason)}`
  })
  const isPermanent = results.left.every(({ reason }) => reason.includes('no operation that removes'))
  const advice = isPermanent || results.configuration.leaves === false ? '' : '; remove with: touchstone sweep'
  return [colors.bold(`left on the target (${figure(results.left.length)})${advice}`), ...lines].join('\n')
}

function verdictSection(results: Results, colors: Colors): string {
  const tints: Record<RunVerdict, (text: string) => string> = {
    conforms: colors.green,
    nonconforming: colors.red,
    inconclusive: colors.yellow,
  }
  const troubles = results.troubles.map(
    ({ kind, text }) => `  ${colors.yellow(visibleLine(kind))}  ${visibleLine(text)}`,
  )
  const stale = (results.stale ?? []).map((id) => `  ${colors.red('stale')}  ${visibleLine(staleText(results, id))}`)
  const verdict = colors.bold(tints[results.verdict](results.verdict))
  return [`${verdict}: ${verdictSentence(results)}`, ...troubles, ...stale].join('\n')
}
