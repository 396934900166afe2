// The causes of a run's findings, and how each is told: one finding in full, the others as its symptoms by operation.

import type { Cause, Finding } from '../history/record.js'
import { grouped } from '../models/language/grouped.js'
import { diagnose } from '../oracle/diagnosis/diagnose.js'
import { findingText } from './finding-text.js'
import { harmOf } from './harm.js'
import type { Results } from './results-schema.js'
import { gates } from './verdicts.js'
import { count, visibleLine } from './visible.js'

type ReportedFinding = Results['findings'][number]

/** A cause with its findings. */
export interface ToldCause {
  readonly cause: Cause
  /** The one that tells it best, of those that gate where any does. */
  readonly lead: ReportedFinding
  readonly symptoms: readonly ReportedFinding[]
  readonly gating: boolean
}

/** Diagnoses findings: the causes, and each finding with the cause that it belongs to. */
export function withCauses<F extends Finding>(
  findings: readonly F[],
  clauses: Results['clauses'],
): { readonly causes: readonly Cause[]; readonly findings: readonly (F & { readonly cause: string })[] } {
  const passed = new Set(clauses.filter(({ verdict }) => verdict === 'pass').map(({ id }) => id))
  const causes = diagnose(findings, passed)
  const causeOf = new Map(causes.flatMap(({ id, findings: ids }) => ids.map((finding) => [finding, id] as const)))
  return { causes, findings: findings.map((finding) => ({ ...finding, cause: causeOf.get(finding.id) ?? finding.id })) }
}

/** The causes with their findings: those that gate first, of these the most harmful, and of equal harm those that explain the most. */
export function toldCauses(results: Results): ToldCause[] {
  const byId = new Map(results.findings.map((finding) => [finding.id, finding]))
  const told = results.causes.flatMap((cause): ToldCause[] => {
    const findings = cause.findings.flatMap((id) => byId.get(id) ?? [])
    const lead = findings.find((finding) => gates(finding, results.configuration.level)) ?? findings[0]
    if (lead === undefined) return []
    const symptoms = findings.filter((finding) => finding !== lead)
    return [{ cause, lead, symptoms, gating: gates(lead, results.configuration.level) }]
  })
  return told.sort((a, b) => rankOfCause(a) - rankOfCause(b))
}

/** The smaller, the earlier it is told. */
export const rankOfCause = ({ cause, lead, gating }: ToldCause): number =>
  (gating ? 0 : 100) + harmOf(cause.id, lead.id)

/** Symptoms by operation: `volumes.list  complete:missing, only-live:deleted`; the last line counts those left out. */
export function symptomLines(symptoms: readonly ReportedFinding[], most = Number.POSITIVE_INFINITY): string[] {
  const groups = [...grouped(symptoms, ({ operation }) => operation)]
  const lines = groups.slice(0, most).map(([operation, findings]) => {
    const names = findings.map(({ id }) => (id.startsWith(`${operation}.`) ? id.slice(operation.length + 1) : id))
    return visibleLine(`${operation}  ${names.join(', ')}`)
  })
  return groups.length > most ? [...lines, `and ${count(groups.length - most, 'other operation')}`] : lines
}

/** The cause in a line, the finding that tells it best in full, and its other symptoms by operation. */
export const causeText = ({ cause, lead, symptoms }: ToldCause): string =>
  [
    visibleLine(cause.summary),
    findingText(lead),
    ...(symptoms.length === 0
      ? []
      : [`  also symptoms of it:`, ...symptomLines(symptoms).map((line) => `    ${line}`)]),
    `  cause      ${visibleLine(cause.id)}`,
  ].join('\n')

/** What stands in place of a finding that does not tell its cause best. */
export const symptomOf = (finding: ReportedFinding, causes: readonly ToldCause[]): string => {
  const told = causes.find(({ cause }) => cause.id === finding.cause)
  return told ? `a symptom, told with ${told.lead.clause}: ${told.cause.summary}` : finding.summary
}
