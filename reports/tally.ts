// Counts and groups of folded results that several reports show; no wording and no layout.
import { grouped } from '../models/language/grouped.js'
import type { ClauseVerdict, Results } from './results-schema.js'
import { compareText, type ReportedClause } from './verdicts.js'

/** Verdicts of clauses that a run is about. */
export type CountedVerdict = Exclude<ClauseVerdict, 'not-selected'>
export type Counts = Readonly<Record<CountedVerdict, number>>

/** Verdicts of a clause in the order in which they are shown. */
export const VERDICTS: readonly CountedVerdict[] = ['pass', 'finding', 'untested', 'untestable', 'observed']

export interface OperationGroup {
  readonly id: string
  readonly area: string
  /** Absent where clauses name something that is no operation, such as the whole interface. */
  readonly operation?: Results['operations'][number]
  readonly clauses: readonly ReportedClause[]
  readonly counts: Counts
}

export interface ReasonGroup {
  readonly reason: string
  readonly remedies: readonly string[]
  readonly needs: ReportedClause['needs']
  readonly clauses: readonly ReportedClause[]
}

export interface LeftGroup {
  readonly kind: string
  readonly reason: string
  readonly keys: readonly string[]
}

/** What is left on the target, together where it is of one kind and left for one reason. */
export const leftGroups = ({ left }: Pick<Results, 'left'>): readonly LeftGroup[] =>
  [...grouped(left, ({ kind, reason }) => `${kind}: ${reason}`).values()].flatMap((group) => {
    const [first] = group
    return first ? [{ kind: first.kind, reason: first.reason, keys: group.map(({ key }) => key) }] : []
  })

/** How many clauses have each verdict. */
export function countVerdicts(clauses: readonly ReportedClause[]): Counts {
  const counts = { pass: 0, finding: 0, untested: 0, untestable: 0, observed: 0 }
  for (const { verdict } of clauses) if (verdict !== 'not-selected') counts[verdict] += 1
  return counts
}

/** The clauses that a run is about. */
export const selectedIn = (results: Results): ReportedClause[] =>
  results.clauses.filter(({ verdict }) => verdict !== 'not-selected')

/** Operations with the clauses that the run is about, in the order of the registry; clauses of no operation come last in their area. */
export function byOperation(results: Results): OperationGroup[] {
  const clauses = grouped(selectedIn(results), ({ operation }) => operation)
  const unselected = new Set(results.clauses.map(({ operation }) => operation).filter((id) => !clauses.has(id)))
  const told = results.operations.filter(({ id }) => !unselected.has(id))
  const known = told.map((operation) => group(operation.id, operation.area, clauses.get(operation.id), operation))
  const ids = new Set(known.map(({ id }) => id))
  const others = [...clauses]
    .filter(([id]) => !ids.has(id))
    .map(([id, list]) => group(id, list[0]?.area ?? 'other', list))
  return [...grouped([...known, ...others], ({ area }) => area).values()].flat()
}

function group(
  id: string,
  area: string,
  clauses: readonly ReportedClause[] = [],
  operation?: Results['operations'][number],
): OperationGroup {
  const counts = countVerdicts(clauses)
  return operation === undefined ? { id, area, clauses, counts } : { id, area, operation, clauses, counts }
}

/** Clauses with this verdict by their reason, the largest group first. */
export function byReason(results: Results, verdict: 'untestable' | 'untested'): ReasonGroup[] {
  const clauses = results.clauses.filter((clause) => clause.verdict === verdict)
  return [...grouped(clauses, ({ reason }) => reason ?? 'no reason given')]
    .map(([reason, list]) => ({
      reason,
      remedies: [...new Set(list.map(({ remedy }) => remedy).filter((remedy) => remedy !== undefined))],
      needs: list.find(({ needs }) => needs)?.needs,
      clauses: list,
    }))
    .sort((a, b) => b.clauses.length - a.clauses.length || compareText(a.reason, b.reason))
}

/** Choices of which the run saw something, or that are pinned. */
export const seenChoices = (results: Results): Results['choices'] =>
  results.choices.filter(({ observed, pinned }) => observed.length > 0 || pinned !== null)
