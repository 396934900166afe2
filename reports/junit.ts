// JUnit XML: a testsuite per operation, a testcase per clause, and one suite for what concerns the run as a whole.

import { grouped } from '../models/language/grouped.js'
import { causeText, symptomOf, type ToldCause, toldCauses } from './causes.js'
import { staleText } from './expected.js'
import { findingText } from './finding-text.js'
import { NOTHING, type Html as Xml, html as xml } from './page/template.js'
import type { Results } from './results-schema.js'
import { byOperation } from './tally.js'
import { gates, type ReportedClause } from './verdicts.js'
import { visibleLine } from './visible.js'

type ReportedFinding = Results['findings'][number]

interface Case {
  readonly name: string
  /** Time of what was sent to show it. */
  readonly ms?: number
  readonly kind: 'passed' | 'failure' | 'error' | 'skipped'
  /** One line. */
  readonly message?: string
  readonly text?: string
  /** What a passed case has to say. */
  readonly note?: string
}

interface Suite {
  readonly name: string
  readonly timeMs: number
  readonly cases: readonly Case[]
}

/**
 * The results as JUnit XML. A cause fails one case, that of the clause that tells it best; the clauses of its other findings are
 * skipped and name it. Findings that do not gate are noted in cases that pass.
 */
export function junit(results: Results): string {
  const suites = [runSuite(results), ...operationSuites(results)].filter(({ cases }) => cases.length > 0)
  const all = totals(suites.flatMap(({ cases }) => cases))
  return xml`<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="touchstone" ${all} time="${seconds(results.durationMs)}">
${suites.map((suite, i) => suiteXml(suite, results, i === 0 ? propertiesXml(results) : NOTHING))}</testsuites>
`.html
}

function suiteXml({ name, timeMs, cases }: Suite, { startedAt }: Results, properties: Xml): Xml {
  const timestamp = visibleLine(startedAt.slice(0, 19))
  return xml`  <testsuite name="${visibleLine(name)}" ${totals(cases)} time="${seconds(timeMs)}" timestamp="${timestamp}">
${properties}${cases.map((item) => caseXml(visibleLine(name), item))}  </testsuite>
`
}

const propertiesXml = (results: Results): Xml => {
  const properties = {
    verdict: results.verdict,
    interface: results.interface,
    suite: results.suite.version,
    target: results.target.name,
    baseUrl: results.target.baseUrl,
    ...(results.seed !== undefined && { seed: String(results.seed) }),
    command: results.configuration.command,
  }
  return xml`    <properties>
${Object.entries(properties).map(
  ([name, value]) => xml`      <property name="${name}" value="${visibleLine(value)}"/>
`,
)}    </properties>
`
}

function caseXml(suite: string, item: Case): Xml {
  const open = xml`    <testcase name="${visibleLine(item.name)}" classname="${suite}" time="${seconds(item.ms ?? 0)}"`
  const inner = outcomeXml(item)
  if (inner === NOTHING && item.note === undefined)
    return xml`${open}/>
`
  const note = item.note === undefined ? NOTHING : xml`<system-out>${item.note}</system-out>`
  return xml`${open}>${inner}${note}</testcase>
`
}

function outcomeXml({ kind, message = '', text = '' }: Case): Xml {
  if (kind === 'passed') return NOTHING
  if (kind === 'skipped') return xml`<skipped message="${visibleLine(message)}"/>`
  const element = xml`message="${visibleLine(message)}" type="${kind}">${text}`
  return kind === 'failure' ? xml`<failure ${element}</failure>` : xml`<error ${element}</error>`
}

function operationSuites(results: Results): Suite[] {
  const findings = grouped(results.findings, ({ clause }) => clause)
  const causes = toldCauses(results)
  const observed = new Map(results.choices.map((choice) => [choice.id, choice.observed.join(', ')]))
  return byOperation(results).map((group) => ({
    name: group.id,
    timeMs: group.operation?.totalMs ?? 0,
    cases: group.clauses.map((clause) => ({
      ...clauseCase(results, clause, findings.get(clause.id) ?? [], causes, observed),
      ...(clause.ms !== undefined && { ms: clause.ms }),
    })),
  }))
}

function clauseCase(
  results: Results,
  clause: ReportedClause,
  findings: readonly ReportedFinding[],
  causes: readonly ToldCause[],
  observed: ReadonlyMap<string, string>,
): Case {
  const name = clause.id
  const gating = findings.filter((finding) => gates(finding, results.configuration.level))
  const note = findings
    .filter((finding) => !gating.includes(finding))
    .map((finding) => `${whyNotGating(finding)}\n${findingText(finding)}`)
    .join('\n\n')
  const noted = note === '' ? {} : { note }
  const told = causes.filter(({ lead }) => gating.includes(lead))
  if (told.length > 0) return { name, kind: 'failure', ...failure(told), ...noted }
  const [symptom] = gating
  if (symptom)
    return {
      name,
      kind: 'skipped',
      message: symptomOf(symptom, causes),
      note: gating.map((one) => findingText(one)).join('\n\n'),
    }
  if (clause.verdict === 'finding' || clause.verdict === 'pass') return { name, kind: 'passed', ...noted }
  if (clause.verdict === 'observed')
    return { name, kind: 'skipped', message: `observed, not judged: ${observed.get(clause.id) ?? 'see the choices'}` }
  const remedy = clause.remedy === undefined ? '' : `; to test it: ${clause.remedy}`
  return { name, kind: 'skipped', message: `${clause.verdict}: ${clause.reason ?? 'no reason given'}${remedy}` }
}

/** The run itself, its troubles, stale expected findings, and findings whose clause the record does not list. */
function runSuite(results: Results): Suite {
  const listed = new Set(results.clauses.map(({ id }) => id))
  const strays = results.findings.filter((finding) => !listed.has(finding.clause))
  const troubles = results.troubles.map(
    ({ kind, text }): Case => ({ name: `run: ${kind}`, kind: 'error', message: text, text }),
  )
  const stale = (results.stale ?? []).map((id): Case => {
    const message = staleText(results, id)
    return { name: `expected finding ${id}`, kind: 'failure', message, text: message }
  })
  return {
    name: 'touchstone.run',
    timeMs: results.durationMs,
    cases: [
      ...(troubles.length > 0 ? troubles : [{ name: 'run: completed', kind: 'passed' } as const]),
      ...toldCauses(results)
        .filter(({ lead }) => strays.includes(lead))
        .map((told): Case => ({ name: told.lead.clause, kind: 'failure', ...failure([told]) })),
      ...stale,
    ],
  }
}

function failure(causes: readonly ToldCause[]): { message: string; text: string } {
  const more = causes.length > 1 ? ` (and ${causes.length - 1} more)` : ''
  return {
    message: `${causes[0]?.cause.summary ?? ''}${more}`,
    text: causes.map((told) => causeText(told)).join('\n\n'),
  }
}

function whyNotGating(finding: ReportedFinding): string {
  if (finding.expectedFinding !== true) return `A finding of level ${finding.level}, which does not gate this run:`
  return `An expected finding${finding.expectedReason === undefined ? '' : ` (${finding.expectedReason})`}:`
}

function totals(cases: readonly Case[]): Xml {
  const count = (kind: Case['kind']): number => cases.filter((item) => item.kind === kind).length
  return xml`tests="${cases.length}" failures="${count('failure')}" errors="${count('error')}" skipped="${count('skipped')}"`
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3)
