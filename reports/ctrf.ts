// CTRF JSON (ctrf.io): the results as a list of tests, for dashboards that read that format.

import type { CTRFReport, Test } from 'ctrf'
import { grouped } from '../models/language/grouped.js'
import { causeText, symptomOf, type ToldCause, toldCauses } from './causes.js'
import { staleText } from './expected.js'
import type { Results } from './results-schema.js'
import { selectedIn } from './tally.js'
import type { ReportedClause } from './verdicts.js'
import { visible, visibleLine } from './visible.js'

type ReportedFinding = Results['findings'][number]

const SPEC_VERSION = '0.0.0'

/** The results as CTRF: a test per clause, and one for the run as a whole. */
export function ctrf(results: Results): string {
  const findings = grouped(results.findings, ({ clause }) => clause)
  const causes = toldCauses(results)
  const tests = [
    runTest(results),
    ...selectedIn(results).map((clause) => clauseTest(clause, findings.get(clause.id) ?? [], causes)),
  ]
  const count = (status: Test['status']): number => tests.filter((test) => test.status === status).length
  const start = Date.parse(results.startedAt) || 0
  const report: CTRFReport = {
    reportFormat: 'CTRF',
    specVersion: SPEC_VERSION,
    generatedBy: 'touchstone',
    results: {
      tool: { name: 'touchstone', version: results.suite.version },
      summary: {
        tests: tests.length,
        passed: count('passed'),
        failed: count('failed'),
        skipped: count('skipped'),
        pending: count('pending'),
        other: count('other'),
        start,
        stop: start + Math.round(results.durationMs),
        extra: { verdict: results.verdict, requests: results.requests },
      },
      tests,
      environment: {
        testEnvironment: visibleLine(results.target.name),
        extra: {
          interface: results.interface,
          baseUrl: results.target.baseUrl,
          seed: results.seed,
          command: results.configuration.command,
        },
      },
    },
  }
  return `${JSON.stringify(report, null, 2)}\n`
}

/** Fails where the run has trouble or stale expected findings, so that an inconclusive run is never all green. */
function runTest(results: Results): Test {
  const texts = [
    ...results.troubles.map(({ kind, text }) => `${kind}: ${text}`),
    ...(results.stale ?? []).map((id) => `stale: ${staleText(results, id)}`),
  ]
  const test: Test = {
    name: 'touchstone.run',
    status: texts.length > 0 ? 'failed' : 'passed',
    duration: results.durationMs,
  }
  return texts.length > 0 ? { ...test, message: visible(texts.join('\n')) } : test
}

/** A cause fails one test, that of the clause that tells it best; the tests of its other findings name it. */
function clauseTest(clause: ReportedClause, findings: readonly ReportedFinding[], causes: readonly ToldCause[]): Test {
  const told = causes.filter(({ lead }) => findings.includes(lead))
  const gating = told.filter((one) => one.gating)
  const shown = gating.length > 0 ? gating : told
  const others = findings.filter((finding) => shown.every(({ lead }) => lead !== finding))
  const lines = [...shown.map(({ cause }) => cause.summary), ...others.map((finding) => symptomOf(finding, causes))]
  const message = lines.join('; ') || clause.reason
  return {
    name: clause.id,
    status: statusOf(clause, gating.length > 0),
    rawStatus: clause.verdict,
    // That of what was sent to show it; of what is judged in passing no time is its own.
    duration: clause.ms ?? 0,
    suite: [clause.area, clause.operation],
    tags: [clause.level],
    ...(message === undefined ? {} : { message: visible(message) }),
    ...(shown.length > 0 ? { trace: shown.map((one) => causeText(one)).join('\n\n') } : {}),
    extra: { source: clause.source, text: clause.text, exercised: clause.exercised },
  }
}

function statusOf({ verdict }: ReportedClause, isFailed: boolean): Test['status'] {
  if (isFailed) return 'failed'
  if (verdict === 'pass') return 'passed'
  return verdict === 'untested' || verdict === 'untestable' ? 'skipped' : 'other'
}
