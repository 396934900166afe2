// `touchstone judge FILE…`: judges recorded traffic with the current model and reports like a run; nothing is sent.
import { rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { createTrafficSecrets, type TrafficSecrets } from '../driver/traffic-secrets.js'
import { evidenceOf, lineOfRemark, runLineOf, seenLineOf, tell } from '../guard/lines.js'
import { isTimed, shifted } from '../history/entry.js'
import type { RecordLine } from '../history/record.js'
import type { Asked, GatingLevel, Reading, Recording } from '../history/recording.js'
import { blankLine, trafficLine } from '../history/traffic-lines.js'
import type { JudgedHistory } from '../oracle/found.js'
import { judgeRun } from '../oracle/judge-run.js'
import { judgeTraffic } from '../oracle/judge-traffic.js'
import { assumedIn, likeliest } from '../oracle/readings.js'
import {
  applyExpected,
  type ExpectedFinding,
  exitCode,
  fold,
  type ReportKind,
  visibleLine,
  writeResults,
} from '../reports/index.js'
import { outputNames } from '../reports/names.js'
import type { Results } from '../reports/results-schema.js'
import { makeFolder } from '../suites/folder.js'
import { startLine } from '../suites/start-line.js'
import { openWriter } from '../suites/writer.js'
import { UsageError } from './errors.js'
import { printResults, reportsLine } from './print.js'
import { readRecordings } from './recordings.js'

export interface JudgeOptions {
  readonly target?: string | undefined
  readonly cwd: string
  readonly out: string
  readonly json: boolean
  /** By default that by which the records were judged before. */
  readonly level?: GatingLevel | undefined
  readonly reports: readonly ReportKind[]
  readonly expected?: readonly ExpectedFinding[] | undefined
}

/**
 * Judges recordings one after another, each in a world of its own, and writes one record and its reports into `out`.
 * @returns the exit code: 0 conforms, 1 nonconforming, 3 inconclusive, or nothing was judged
 * @throws UsageError where a file can't be read as a recording, TargetError where the target file is no good
 */
export const judgeFiles = async (files: readonly string[], options: JudgeOptions): Promise<number> => {
  const { out, cwd, expected } = options
  const folder = resolve(cwd, out)
  for (const file of files) assertKept(resolve(cwd, file), file, folder, out)
  const secrets = createTrafficSecrets(new Map(), Number.POSITIVE_INFINITY)
  const parts: Part[] = []
  const assumed: JudgedHistory['assumed'][number][] = []
  for (const { files: read, readings } of await readRecordings(files, { ...options, secrets })) {
    const [first, ...others] = readings
    const judgedAll = (reading: Reading) => ({
      supposes: reading.supposes,
      parts: partsOf(read.join(' and '), reading, parts.at(-1)),
    })
    const best = likeliest([judgedAll(first), ...others.map(judgedAll)])
    parts.push(...best.parts)
    assumed.push(...assumedIn(best))
  }
  const { lines, folded } = linesOf(parts, assumed, files, options, secrets)
  writeRecord(folder, lines)
  const results = expected === undefined ? folded : applyExpected(folded, expected)
  await writeResults(folder, results, options.reports)
  for (const { note } of parts) process.stderr.write(`${visibleLine(note)}\n`)
  printResults(results, options.json, reportsLine(out, options.reports))
  return exitCode(results)
}

/** What is judged must not be overwritten by its own judgement. */
const assertKept = (path: string, file: string, folder: string, out: string): void => {
  const isInside = outputNames.includes(basename(path)) && dirname(path) === folder
  if (isInside || dirname(path) === join(folder, 'findings'))
    throw new UsageError(
      `${file}: expected a file that this command does not write, received one in the folder of --out (${out}). Name another folder with --out.`,
    )
}

type Start = Extract<RecordLine, { readonly type: 'start' }>

interface Part {
  readonly recording: Recording
  readonly judged: JudgedHistory
  /** What the reading supposes that begins with this part. */
  readonly supposes: Reading['supposes']
  /** Where the numbers and times of the next part begin. */
  readonly nextStep: number
  readonly nextMs: number
  /** Where the times of this part begin. */
  readonly fromMs: number
  /** What was read and left out, in one line. */
  readonly note: string
}

const partsOf = (file: string, { recordings, supposes }: Reading, before: Part | undefined): readonly Part[] => {
  const parts: Part[] = []
  for (const [i, one] of recordings.entries())
    parts.push({ ...judged(file, one, parts.at(-1) ?? before), supposes: i === 0 ? supposes : [] })
  return parts
}

const judged = (file: string, recorded: Recording, before: Part | undefined): Omit<Part, 'supposes'> => {
  const fromStep = before?.nextStep ?? 0
  const fromMs = before?.nextMs ?? 0
  const events = recorded.events.map((event) => shifted(event, fromStep))
  const late = (recorded.late ?? []).map((event) => shifted(event, fromStep)).filter(isTimed)
  const recording = { ...recorded, events, late }
  const result = recording.kind === 'run' && recording.sequential ? judgeRun(recording) : judgeTraffic(recording)
  return {
    recording,
    judged: result,
    fromMs,
    nextStep: events.reduce((most, event) => (isTimed(event) ? Math.max(most, event.n) : most), fromStep),
    nextMs: result.steps.reduce((most, { endedAt }) => Math.max(most, fromMs + Math.ceil(endedAt)), fromMs),
    note: noteOf(file, recording, result),
  }
}

const noteOf = (file: string, { ignored, baseUrl }: Recording, { steps, unordered }: JudgedHistory): string => {
  const left = Object.entries(ignored).map(
    ([reason, times]) => `${times} ${times === 1 ? 'entry' : 'entries'}: ${reason}`,
  )
  const open = unordered.length === 0 ? [] : [`${unordered.length} calls overlap too much to be put in order`]
  const calls =
    steps.length === 0
      ? 'no call of the interface found (where its paths do not begin with /v4, name the target with --target)'
      : `${steps.length} ${steps.length === 1 ? 'call' : 'calls'} of ${baseUrl} judged`
  return [`${file}: ${calls}`, ...left, ...open].join('; ')
}

/** The record, and what it amounts to: its last line says the verdict, so that it is folded by then. */
const linesOf = (
  parts: readonly Part[],
  supposed: JudgedHistory['assumed'],
  files: readonly string[],
  options: JudgeOptions,
  secrets: TrafficSecrets,
): { readonly lines: readonly RecordLine[]; readonly folded: Results } => {
  const [first] = parts
  if (!first) throw new UsageError('judge: expected one file or more, received none. Name a run.ndjson or a HAR.')
  const command = ['touchstone judge', ...files].join(' ')
  const judging = {
    options: { level: options.level ?? levelOf(parts), command },
    startedAt: Date.now(),
    isJudged: true,
  }
  const start = askedOf(startLine(judging, first.recording), parts)
  const isDecided = parts.some(({ judged: { steps } }) => steps.some(({ verdict }) => verdict !== 'inconclusive'))
  const undecided: RecordLine = {
    type: 'trouble',
    kind: 'inconclusive',
    text: 'none of the recorded calls could be judged',
  }
  const lines: readonly RecordLine[] = secrets.value([
    start,
    ...parts.flatMap((part) => historyOf(part, first)),
    ...[...supposed, ...parts.flatMap(({ judged }) => judged.assumed)].map(
      (one): RecordLine => ({ type: 'assumed', ...one }),
    ),
    ...parts.flatMap(({ judged }) => evidenceOf(judged)),
    ...parts.flatMap(({ recording: { undecided = [] } }) => undecided),
    // Before what is found, which it would take back as well.
    ...parts.flatMap(({ recording: { withdrawn = [] } }) =>
      withdrawn.map((finding): RecordLine => ({ type: 'withdrawn', finding })),
    ),
    ...parts.flatMap((part) => findingLines(part, options)),
    ...(isDecided || parts.every(({ judged: { steps } }) => steps.length === 0) ? [] : [undecided]),
  ])
  const durationMs = parts.at(-1)?.nextMs ?? 0
  const folded = fold([...lines, { type: 'end', durationMs, verdict: 'conforms' }])
  return { lines: [...lines, { type: 'end', durationMs, verdict: folded.verdict }], folded }
}

/** The strictest level by which any of it was judged before. */
const levelOf = (parts: readonly Part[]): GatingLevel =>
  parts.some(({ recording: { level } }) => level === 'should') ? 'should' : 'must'

/** The judgement leaves out what every run left out. One run alone is held to what it was asked for. */
const askedOf = (start: Start, parts: readonly Part[]): Start => {
  const runs = parts.flatMap(({ recording }) => recording.asked ?? [])
  if (runs.length < parts.length) return start
  const left = runs.map(({ clauses }) => clauses.flatMap(({ id, selected }) => (selected === false ? [id] : [])))
  const unselected = left.reduce((one, other) => {
    const ids = new Set(other)
    return one.filter((id) => ids.has(id))
  })
  const clauses = withoutThose(start.clauses, new Set(unselected))
  const [alone, ...others] = runs
  return alone && others.length === 0 ? { ...start, ...ownOf(alone), clauses } : { ...start, clauses }
}

const withoutThose = (clauses: Start['clauses'], unselected: ReadonlySet<string>): Start['clauses'] =>
  clauses.map((clause) => (unselected.has(clause.id) ? { ...clause, selected: false as const } : clause))

/** When the run began is kept, since the names that it gave hold it. */
const ownOf = ({ startedAt, seed, shard, expects, pinnedIn }: Asked): Partial<Start> => ({
  startedAt,
  ...(seed !== undefined && { seed }),
  ...(shard && { shard }),
  ...(expects && { expects }),
  ...(pinnedIn && { pinnedIn }),
})

/** The calls of a part; of traffic also what else it takes to judge it again. */
const historyOf = ({ recording, judged, supposes, fromMs }: Part, first: Part): readonly RecordLine[] => {
  if (recording.kind === 'run' && recording.sequential) return runLines(recording, judged, fromMs)
  const blanks = recording.events.flatMap((event) => (event.kind === 'blank' ? [event] : []))
  const entries = [
    ...judged.steps.map((step) => ({ n: step.n, line: seenLineOf(step, fromMs) })),
    ...blanks.map((blank) => ({ n: blank.n, line: blankLine(blank) })),
  ]
  return [
    trafficLine(recording, supposes, first.recording.environment),
    ...entries.sort((a, b) => a.n - b.n).map(({ line }) => line),
  ]
}

/** Where its calls stand in the order of the run, what was noted between them stands there too. */
const runLines = ({ events }: Recording, { steps }: JudgedHistory, fromMs: number): readonly RecordLine[] => {
  const judged = new Map(steps.map((step) => [step.n, step]))
  return events.flatMap((event): readonly RecordLine[] => {
    if (event.kind === 'blank') return []
    if (event.kind !== 'call') return [lineOfRemark(event)]
    const step = judged.get(event.n)
    return step ? [runLineOf(step, fromMs)] : []
  })
}

/** What the run withdrew is no finding in its record either, nor does it count as right. */
const findingLines = (
  { judged: { found }, recording }: Part,
  { out: folder, target }: JudgeOptions,
): readonly RecordLine[] => {
  const { nonce, withdrawn = [] } = recording
  const findings = found.map((one) => tell(one, { folder, target, nonce }))
  const left = findings.filter(({ id }) => withdrawn.includes(id)).map(({ id }) => id)
  const text = `the run withdrew ${left.join(', ')}, as what stands behind its address may be the reason`
  return [
    ...findings.filter(({ id }) => !left.includes(id)).map((finding): RecordLine => ({ type: 'finding', finding })),
    ...(left.length === 0 ? [] : [{ type: 'trouble', kind: 'inconclusive', text } as const]),
  ]
}

const writeRecord = (folder: string, lines: readonly RecordLine[]): void => {
  makeFolder(folder)
  for (const name of outputNames) rmSync(join(folder, name), { recursive: true, force: true })
  const record = openWriter(join(folder, 'run.ndjson'))
  for (const line of lines) record.write(line)
  record.close()
}
