// SARIF 2.1.0: the findings as results of an analysis, for code scanning views.
import type { Invocation, Log, ReportingDescriptor, Result } from 'sarif'
import type { Finding, Level, Results } from '../history/record.js'
import { findingText } from './finding-text.js'
import { findingFile } from './names.js'
import { gatesAt } from './verdicts.js'
import { visible } from './visible.js'

type ReportedFinding = Results['findings'][number]

/** The results as SARIF: a rule per clause with findings, a result per finding, located in its replayable file. */
export function sarif(results: Results): string {
  const rules = clausesWithFindings(results)
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
        results: results.findings.map((finding) => resultOf(results, finding, indexes.get(finding.clause) ?? -1)),
        properties: { verdict: results.verdict, seed: results.seed, requests: results.requests },
      },
    ],
  }
  return `${JSON.stringify(log, null, 2)}\n`
}

function clausesWithFindings(results: Results): ReportingDescriptor[] {
  const texts = new Map(results.clauses.map((clause) => [clause.id, clause.text]))
  const first = new Map<string, Finding>()
  for (const finding of results.findings) if (!first.has(finding.clause)) first.set(finding.clause, finding)
  return [...first].map(([id, { level, source, requires }]) => ({
    id,
    shortDescription: { text: visible(texts.get(id) ?? requires) },
    help: { text: visible(`${texts.get(id) ?? requires}\nLevel: ${level}. Source in the document: ${source}.`) },
    defaultConfiguration: { level: severity(level, results) },
    properties: { level, source },
  }))
}

function resultOf(results: Results, finding: ReportedFinding, ruleIndex: number): Result {
  return {
    ruleId: finding.clause,
    ruleIndex,
    level: severity(finding.level, results),
    message: { text: `${visible(finding.summary)}\n\n${findingText(finding)}` },
    partialFingerprints: { 'findingId/v1': finding.id },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: findingFile(finding.id) }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: finding.operation, kind: 'function' }],
      },
    ],
    ...(finding.expectedFinding === true
      ? { suppressions: [{ kind: 'external', justification: finding.expectedReason ?? 'an expected finding' }] }
      : {}),
  }
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
