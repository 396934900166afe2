// A comparison of runs as plain text; the page beside it has everything.

import type { Comparison, Shown } from './compare.js'
import { durationText, momentText } from './duration.js'
import type { Results } from './results-schema.js'
import { count, visibleLine } from './visible.js'

/** Lines of a kind that the text has at most; the page has all. */
const MOST_LINES = 20

/** The comparison as plain text: causes, and what is not told by them already. */
export function comparisonText(comparison: Comparison): string {
  const { runs, clauses, findings, causes } = comparison
  const heads = runs.map(({ name, results }, index) => `  [${index + 1}] ${visibleLine(name)}: ${runLine(results)}`)
  const lineOf = (id: string, summary: string, { shown, change }: Shown): string => {
    const where = shown.flatMap((seen, index) => (seen ? [`[${index + 1}]`] : [])).join(' ')
    return `  ${(change ?? 'shown by').padEnd(13)}${visibleLine(id)}  ${where}\n    ${visibleLine(summary)}`
  }
  const behind = causes.map(({ cause, ...one }) => lineOf(cause.id, cause.summary, one))
  const apart = findings
    .filter((one) => !goesWithItsCause(one, causes))
    .map(({ finding, ...one }) => lineOf(finding.id, finding.summary, one))
  const broken = new Set(findings.map(({ finding }) => finding.clause))
  const differing = clauses
    .filter(({ clause, differs }) => differs && !broken.has(clause.id))
    .map(
      ({ clause, verdicts }) =>
        `  ${visibleLine(clause.id)}: ${verdicts.map((verdict, index) => `[${index + 1}] ${verdict ?? 'unknown to it'}`).join('  ')}`,
    )
  const blocks = [
    ['runs', ...heads],
    [
      `causes (${causes.length})${findings.length === 0 ? '' : `, with ${count(findings.length, 'finding')}`}`,
      ...behind,
    ],
    ...(apart.length === 0 ? [] : [[`findings that differ from their cause (${apart.length})`, ...clipped(apart)]]),
    [`clauses that differ otherwise (${differing.length} of ${clauses.length})`, ...clipped(differing)],
  ]
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`
}

const goesWithItsCause = ({ finding, shown }: Comparison['findings'][number], causes: Comparison['causes']): boolean =>
  causes.some(({ cause, shown: own }) => cause.id === finding.cause && own.join() === shown.join())

const clipped = (lines: readonly string[]): readonly string[] =>
  lines.length <= MOST_LINES ? lines : [...lines.slice(0, MOST_LINES), `  and ${lines.length - MOST_LINES} more`]

const runLine = (results: Results): string =>
  visibleLine(
    `${results.verdict}, ${results.target.name}, ${momentText(results.startedAt)}, ${count(results.requests, 'request')} in ${durationText(results.durationMs)}`,
  )
