// What a folded run amounts to: which findings gate, the verdict, the exit code; derived from results.json alone.
import type { Finding, Level, RunVerdict } from '../history/record.js'
import type { Results } from './results-schema.js'

type ReportedFinding = Results['findings'][number]
export type ReportedClause = Results['clauses'][number]

/** Reason of a clause of which the record says nothing. */
export const NOT_REACHED = 'nothing decided it'

/** Severity of levels, most severe first. */
export const LEVELS: readonly Level[] = ['must', 'pinned', 'should', 'choice']

/** Whether a finding at this level fails a run that gates on `gate`. */
export const gatesAt = (level: Level, gate: 'must' | 'should'): boolean =>
  level === 'must' || level === 'pinned' || (level === 'should' && gate === 'should')

/** Whether this finding makes the run nonconforming. */
export const gates = (finding: ReportedFinding, gate: 'must' | 'should'): boolean =>
  finding.expectedFinding !== true && gatesAt(finding.level, gate)

/** The run's verdict; a finding outweighs trouble, since what was shown stays shown. */
export function verdictOf(results: Pick<Results, 'findings' | 'troubles' | 'configuration'>): RunVerdict {
  if (results.findings.some((finding) => gates(finding, results.configuration.level))) return 'nonconforming'
  return results.troubles.length > 0 ? 'inconclusive' : 'conforms'
}

/** Exit code of a command: 0 conforms, 1 nonconforming or a stale expected finding, 3 inconclusive. */
export function exitCode(results: Pick<Results, 'verdict' | 'stale'>): 0 | 1 | 3 {
  if (results.verdict === 'nonconforming' || (results.stale ?? []).length > 0) return 1
  return results.verdict === 'inconclusive' ? 3 : 0
}

/** Orders findings: those that gate first, then by level, then as the clauses are listed, then by id. */
export function sortFindings<F extends Finding & { readonly expectedFinding?: boolean }>(
  findings: readonly F[],
  clauses: readonly { readonly id: string }[],
): F[] {
  const position = new Map(clauses.map((clause, index) => [clause.id, index]))
  const rank = (finding: F): readonly number[] => [
    finding.expectedFinding === true ? 1 : 0,
    LEVELS.indexOf(finding.level),
    position.get(finding.clause) ?? clauses.length,
  ]
  return [...findings].sort((a, b) => {
    const [left, right] = [rank(a), rank(b)]
    const differing = left.findIndex((value, index) => value !== right[index])
    return differing < 0 ? compareText(a.id, b.id) : (left[differing] ?? 0) - (right[differing] ?? 0)
  })
}

/** The better of two reports of the same finding: confirmed on the target, then the shorter program, then the first. */
export function betterFinding<F extends Finding>(first: F, second: F): F {
  if ((first.confirmed === true) !== (second.confirmed === true)) return first.confirmed === true ? first : second
  return second.steps.length < first.steps.length ? second : first
}

/** Compares by code unit, so that an order does not depend on the reader's language. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
