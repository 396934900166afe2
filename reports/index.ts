// Writes the reports of a run into its output folder, and reads records and results back; the only file access here.
import { createReadStream } from 'node:fs'
import { mkdir, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Ajv } from 'ajv'
import type { Finding, RecordLine } from '../history/record.js'
import { withCauses } from './causes.js'
import { applyExpected, type ExpectedFinding } from './expected.js'
import { foldStream } from './fold.js'
import { curlFile, findingFile, type ReportKind, reportNames } from './names.js'
import { readRecord } from './read.js'
import type { Results } from './results-schema.js'
import { resultsSchema } from './results-schema.js'

export { attest, faultOf } from './attest.js'
export { badge } from './badge.js'
export { type Comparison, compare } from './compare.js'
export { comparisonHtml } from './comparison-html.js'
export { comparisonText } from './comparison-text.js'
export { durationText } from './duration.js'
export { applyExpected, type ExpectedFinding, parseExpected } from './expected.js'
export { findingText } from './finding-text.js'
export { fold, foldStream } from './fold.js'
export { merge } from './merge.js'
export { findingFile, type ReportKind, replayCommand, shellWord, targetFlag } from './names.js'
export { type RankedNeed, rankNeeds } from './needs.js'
export { summary } from './summary.js'
export { exitCode } from './verdicts.js'
export { clip, count, figure, visible, visibleLine } from './visible.js'

export const REPORT_KINDS = Object.keys(reportNames) as readonly ReportKind[]

/** findings/<id>.json: what `touchstone replay` reads. */
export interface FindingFile {
  readonly format: 1
  readonly interface: string
  readonly target: { readonly name: string; readonly baseUrl: string }
  readonly finding: Finding
}

/** Each writer is loaded when it is asked for: that takes longer than judging a few calls. */
const renderers: Readonly<Record<ReportKind, (results: Results) => Promise<string>>> = {
  html: async (results) => (await import('./html.js')).htmlReport(results),
  junit: async (results) => (await import('./junit.js')).junit(results),
  json: async (results) => `${JSON.stringify(results, null, 1)}\n`,
  ctrf: async (results) => (await import('./ctrf.js')).ctrf(results),
  sarif: async (results) => (await import('./sarif.js')).sarif(results),
}

/** Folds the lines of a run and writes its reports into `dir`; returns the results. */
export async function writeReports(
  dir: string,
  lines: Iterable<RecordLine> | AsyncIterable<RecordLine>,
  kinds: readonly ReportKind[],
  expected?: readonly (string | ExpectedFinding)[],
): Promise<Results> {
  const folded = await foldStream(lines)
  const results = expected === undefined ? folded : applyExpected(folded, expected)
  await writeResults(dir, results, kinds)
  return results
}

/** Writes the reports of these kinds, and always the replayable file and the shell script of each finding. */
export async function writeResults(dir: string, results: Results, kinds: readonly ReportKind[]): Promise<void> {
  const write = async (kind: ReportKind) => writeWhole(join(dir, reportNames[kind]), await renderers[kind](results))
  await Promise.all([...new Set(kinds)].map(write))
  if (results.findings.length === 0) return
  const { curlScript } = await import('./curl.js')
  for (const { expectedFinding: _, expectedReason: __, cause: ___, ...finding } of results.findings) {
    const file: FindingFile = { format: 1, interface: results.interface, target: results.target, finding }
    await writeWhole(join(dir, findingFile(finding.id)), `${JSON.stringify(file, null, 2)}\n`)
    await writeWhole(join(dir, curlFile(finding.id)), curlScript(finding, results.target, results.operations), 0o700)
  }
}

/** The lines of a run.ndjson; see readRecord. */
export const readRecordFile = (path: string): AsyncGenerator<RecordLine, void, undefined> =>
  readRecord(createReadStream(path), path)

/** The JSON of a results.json; throws with the file and the JSON path where it is none. */
export function resultsFrom(json: unknown, path: string): Results {
  const validate = new Ajv({ strict: false }).compile<Results>(resultsSchema)
  const results = completed(json)
  if (validate(results)) return results
  const [fault] = validate.errors ?? []
  const where = fault?.instancePath ? ` at ${fault.instancePath}` : ''
  throw new Error(
    `${path}: expected a results.json of format 1, received JSON that is none: it ${fault?.message ?? 'is unlike it'}${where}; name a results.json or run.ndjson that a run wrote`,
  )
}

/** Results of a version that knew no causes get them; whatever else is not as it should be stays so. */
function completed(json: unknown): unknown {
  const { findings, clauses, causes, access } = (json ?? {}) as Partial<Results>
  if (!Array.isArray(findings) || !Array.isArray(clauses)) return json
  try {
    const told = causes === undefined ? withCauses(findings, clauses) : {}
    return { assumed: [], ...(json as object), access: access ?? [], ...told }
  } catch {
    return json
  }
}

/** Writes beside the file and renames, so that a reader or a crash never meets half of it. */
async function writeWhole(path: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.part`
  try {
    await writeFile(draft, text, { mode })
    await rename(draft, path)
  } catch (error) {
    // What the system says of a full disk names no file.
    const { code, syscall, message } = error as NodeJS.ErrnoException
    throw Object.assign(new Error(`cannot write ${path}: ${message}`), { code, syscall, path })
  }
}
