// SARIF 2.1.0: the findings as results of an analysis, for code scanning views.
import type { Invocation, Location, Log, ReportingDescriptor, Result } from 'sarif'
import type { Finding, Level } from '../history/record.js'
import { causeText, type ToldCause, toldCauses } from './causes.js'
import { findingFile } from './names.js'
import type { Results } from './results-schema.js'
import { gatesAt } from './verdicts.js'
import { visible } from './visible.js'

/** The results as SARIF: a rule per clause that tells a cause, a result per cause, located in the replayable file of its finding. */
export function sarif(results: Results): string {
  const causes = toldCauses(results)
  const rules = rulesOf(results, causes)
  const indexes = new Map(rules.map((rule, index) => [rule.id, index]))
  const log: Log = {
    version: '2.1.0',
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    runs: [
      {
        tool: { driver: { name: 'touchstone', version: results.suite.version, rules } },
        automationDetails: { id: `touchstone/${results.interface}/${results.target.name}/` },
        columnKind: 'utf16CodeUnits',
        invocations: [invocation(results)],
        results: causes.map((told) => resultOf(results, told, indexes.get(told.lead.clause) ?? -1)),
        properties: { verdict: results.verdict, seed: results.seed, requests: results.requests },
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function rulesOf(results: Results, causes: readonly ToldCause[]): ReportingDescriptor[] {
  const texts = new Map(results.clauses.map((clause) => [clause.id, clause.text]))
  const first = new Map<string, Finding>()
  for (const { lead } of causes) if (!first.has(lead.clause)) first.set(lead.clause, lead)
  return [...first].map(([id, { level, source, requires }]) => ({
    id,
    shortDescription: { text: visible(texts.get(id) ?? requires) },
    help: { text: visible(`${texts.get(id) ?? requires}\nLevel: ${level}. Source in the document: ${source}.`) },
    defaultConfiguration: { level: severity(level, results) },
    properties: { level, source },
  }))
}

function resultOf(results: Results, told: ToldCause, ruleIndex: number): Result {
  const finding = told.lead
  const related = [
    ...pinOf(finding, results),
    ...told.symptoms.map((symptom) => ({ message: { text: visible(symptom.summary) }, ...locationOf(symptom) })),
  ]
  return {
    ruleId: finding.clause,
    ruleIndex,
    level: severity(finding.level, results),
    message: { text: causeText(told) },
    partialFingerprints: { 'causeId/v1': told.cause.id, 'findingId/v1': finding.id },
    locations: [locationOf(finding)],
    ...(related.length === 0 ? {} : { relatedLocations: related.map((location, id) => ({ id, ...location })) }),
    ...(finding.expectedFinding === true
      ? { suppressions: [{ kind: 'external', justification: finding.expectedReason ?? 'an expected finding' }] }
      : {}),
  }
}

/** The file from which it can be replayed. */
const locationOf = ({ id, operation }: Finding): Location => ({
  physicalLocation: { artifactLocation: { uri: findingFile(id) }, region: { startLine: 1 } },
  logicalLocations: [{ fullyQualifiedName: operation, kind: 'function' }],
})

/** The line of the target file that it breaks. */
const pinOf = ({ level, clause }: Finding, { configuration: { pinnedIn } }: Results): readonly Location[] => {
  const startLine = pinnedIn?.lines[clause]
  if (level !== 'pinned' || !pinnedIn || startLine === undefined) return []
  const artifactLocation = { uri: encodeURI(pinnedIn.file), uriBaseId: '%SRCROOT%' }
  return [
    {
      message: { text: 'The target file pins it here.' },
      physicalLocation: { artifactLocation, region: { startLine } },
    },
  ]
}

function invocation(results: Results): Invocation {
  const start = Date.parse(results.startedAt)
  return {
    commandLine: results.configuration.command,
    executionSuccessful: results.troubles.length === 0,
    toolExecutionNotifications: results.troubles.map(({ kind, text }) => ({
      level: 'error',
      descriptor: { id: kind },
      message: { text: visible(text) },
    })),
    ...(Number.isNaN(start)
      ? {}
      : {
          startTimeUtc: new Date(start).toISOString(),
          endTimeUtc: new Date(start + results.durationMs).toISOString(),
        }),
  }
}

function severity(level: Level, results: Results): 'error' | 'warning' | 'note' {
  if (gatesAt(level, results.configuration.level)) return 'error'
  return level === 'should' ? 'warning' : 'note'
}
