// Judges what a guard tells it, on a timer and a window at a time, and writes the record, the HAR and the reports; sends nothing.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TrafficSecrets } from '../driver/traffic-secrets.js'
import type { Entry } from '../history/entry.js'
import type { Finding, RecordLine } from '../history/record.js'
import { blankLine, trafficLine } from '../history/traffic-lines.js'
import { isWrite } from '../oracle/writes.js'
import {
  type ExpectedFinding,
  exitCode,
  foldStream,
  type ReportKind,
  readRecordFile,
  writeReports,
} from '../reports/index.js'
import { outputNames } from '../reports/names.js'
import type { Results } from '../reports/results-schema.js'
import { makeFolder } from '../suites/folder.js'
import { startLine } from '../suites/start-line.js'
import { openWriter } from '../suites/writer.js'
import { maskedEntry, openHarLog } from './har-log.js'
import type { RecordedTarget } from './har-options.js'
import { evidenceOf, seenLineOf, tell } from './lines.js'
import { createLiveJudge, type LiveBounds, mayLackCalls, type Seen, unanswered } from './live.js'
import { createReader, type Reader } from './reader.js'
import type { Passing, UnderWay } from './traffic.js'

export interface JudgingOptions {
  readonly target: RecordedTarget
  /** The file or URL by which a flag names it. */
  readonly targetFlag?: string | undefined
  /** Folder of the record and the reports. */
  readonly out: string
  /** File for a HAR; none is written where it is left out. */
  readonly har?: string
  readonly level: 'must' | 'should'
  readonly reports: readonly ReportKind[]
  readonly expected?: readonly (string | ExpectedFinding)[]
  readonly command: string
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

/** What a guard has come to. */
export interface Outcome {
  readonly exitCode: number
  readonly results: Results
  /** What was not judged and why, a line each. */
  readonly notes: readonly string[]
}

export interface Judging {
  readonly take: (passing: readonly Passing[]) => void
  /** Judges what is left, and writes the reports. @param endedAt milliseconds since the guard began */
  readonly close: (endedAt: number) => Promise<Outcome>
}

/** At least so long between two looks at traffic that does not fill a window, and so many times what one takes. */
const leastPauseMs = 500
const pauses = 4

/** @param say told each finding once, as soon as it is seen */
export const createJudging = (
  options: JudgingOptions,
  say: (finding: Finding) => void,
  bounds?: LiveBounds,
): Judging => {
  const { target, out, har, startedAt } = options
  const { secrets, hear, read } = createReader(target, startedAt)
  const live = createLiveJudge(target, bounds)
  const underWay = new Map<number, UnderWay>()
  const record = openRecord(options, secrets)
  const log = har === undefined ? undefined : openHarLog(har)
  const tally: Tally = { judged: 0, isDecided: false, unordered: 0, cut: 0, missed: 0, ignored: new Map() }
  let now = 0
  let timer: NodeJS.Timeout | undefined

  const openEntries = (): readonly Entry[] => [...underWay.values()].flatMap((one) => openEntry(one, now, read))
  const look = (isLast: boolean): void => {
    clearTimeout(timer)
    timer = undefined
    const from = performance.now()
    keep(live.look(openEntries(), isLast))
    lastMs = performance.now() - from
  }
  const keep = (seen: Seen): void => {
    record.tell(seen.steps)
    for (const one of seen.found) {
      const finding = secrets.value(tell(one, { folder: out, target: options.targetFlag }))
      record.write({ type: 'finding', finding })
      say(finding)
    }
    tally.unordered += seen.unordered
    tally.cut += seen.cut
    tally.judged += seen.steps.length
    tally.isDecided ||= seen.steps.some(({ verdict }) => verdict !== 'inconclusive')
  }
  let lastMs = 0
  const lookSoon = (): void => {
    timer ??= setTimeout(() => look(false), Math.max(leastPauseMs, pauses * lastMs))
  }

  const takeOne = (one: Passing): void => {
    if (one.kind !== 'missed') hear(one)
    if (one.kind === 'under way') {
      underWay.set(one.n, one)
      return
    }
    if (one.kind === 'missed') {
      look(true)
      record.breakOff(openEntries(), live.forget(one.until))
      tally.missed += one.count
      return
    }
    underWay.delete(one.n)
    now = Math.max(now, one.endedAt)
    const { har: entry, as, entry: event } = read(one)
    log?.add(maskedEntry(entry, as, secrets))
    if (typeof event === 'string') tally.ignored.set(event, (tally.ignored.get(event) ?? 0) + 1)
    else for (const keeper of [record, live]) keeper.take(event)
  }

  const close = async (endedAt: number): Promise<Outcome> => {
    now = Math.max(now, endedAt)
    look(true)
    record.breakOff(openEntries())
    log?.close()
    for (const text of troublesOf(tally)) record.write({ type: 'trouble', kind: 'inconclusive', text })
    await record.end(endedAt)
    const results = await writeReports(out, readRecordFile(record.path), options.reports, options.expected)
    return { exitCode: exitCode(results), results, notes: notesOf(target.baseUrl, tally, underWay.size) }
  }

  return {
    take: (passing) => {
      for (const one of passing) takeOne(one)
      if (live.isFull()) keep(live.settle(openEntries()))
      lookSoon()
    },
    close,
  }
}

/** A call under way as one of which no reply is known. */
const openEntry = (one: UnderWay, now: number, read: Reader['read']): readonly Entry[] => {
  const broken = 'it is still under way'
  const { entry } = read({ ...one, kind: 'ended', endedAt: Math.max(now, one.startedAt), reply: undefined, broken })
  if (typeof entry === 'string') return []
  return [entry.kind === 'call' ? unanswered(entry, broken) : entry]
}

async function* followedBy(lines: AsyncIterable<RecordLine>, last: RecordLine): AsyncGenerator<RecordLine> {
  yield* lines
  yield last
}

/** How many calls were judged, how many were not, and why. */
interface Tally {
  judged: number
  /** Whether any of them was judged for certain. */
  isDecided: boolean
  unordered: number
  /** Calls that took too long for their replies to be judged. */
  cut: number
  missed: number
  readonly ignored: Map<string, number>
}

const troublesOf = ({ missed, judged, isDecided }: Tally): readonly string[] => [
  ...(missed > 0 ? [`${missed} requests were not judged, for judging was behind`] : []),
  ...(judged > 0 && !isDecided ? ['none of the calls could be judged'] : []),
]

const notesOf = (baseUrl: string, { judged, unordered, cut, missed, ignored }: Tally, underWay: number): string[] => [
  `${judged} ${judged === 1 ? 'call' : 'calls'} of ${baseUrl} judged`,
  ...[...ignored].map(([reason, times]) => `${times} not judged: ${reason}`),
  ...(unordered > 0 ? [`${unordered} calls overlap too much to be put in order`] : []),
  ...(cut > 0 ? [`${cut} replies not judged: they took too long`] : []),
  ...(underWay > 0 ? [`${underWay} not judged: still under way at the end`] : []),
  ...(missed > 0 ? [`${missed} not judged: judging was behind`] : []),
]

const openRecord = ({ out, target, level, command, startedAt }: JudgingOptions, secrets: TrafficSecrets) => {
  makeFolder(out)
  for (const name of outputNames) rmSync(join(out, name), { recursive: true, force: true })
  const path = join(out, 'run.ndjson')
  const { write: append, flush, close } = openWriter(path)
  const write = (line: RecordLine): void => append(secrets.value(line))
  const environment = { ...target.environment, exclusive: false }
  const judging = { options: { level, command }, startedAt, isJudged: true }
  const { baseUrl, listLagMs } = target
  write(startLine(judging, { environment, baseUrl }))
  const begin = (late: readonly Entry[]): void => {
    const mayLack = mayLackCalls(environment)
    write(trafficLine({ environment, baseUrl, listLagMs, mayLack, late, ignored: {} }, [], environment))
  }
  begin([])
  /** Where a history has ended, the writes before it that may take effect in the next one. */
  let broken: readonly Entry[] | undefined
  const writeEntry = (line: RecordLine): void => {
    if (broken) begin(broken)
    broken = undefined
    write(line)
  }
  return {
    path,
    write,
    /** Steps that were judged for good, and the evidence that they are. */
    tell: (steps: Seen['steps']): void => {
      for (const step of steps) writeEntry(seenLineOf(step))
      for (const line of evidenceOf({ steps, held: [] })) write(line)
    },
    /** Says where the record does not tell a write that was taken in. */
    take: (event: Entry): void => {
      if (event.kind === 'blank') writeEntry(blankLine(event))
    },
    /** Ends a history: what comes after knows nothing of it, and what is under way may have had its effect. */
    breakOff: (underWay: readonly Entry[], late: readonly Entry[] = []): void => {
      for (const one of broken ? [] : underWay.filter(isWrite))
        writeEntry(blankLine(one.kind === 'call' ? { ...one, kind: 'blank', as: one.call.as } : one))
      broken = late
    },
    /** Ends the record with its verdict. */
    end: async (endedAt: number): Promise<void> => {
      flush()
      const end: RecordLine = { type: 'end', durationMs: Math.ceil(endedAt), verdict: 'conforms' }
      const { verdict } = await foldStream(followedBy(readRecordFile(path), end))
      write({ ...end, verdict })
      close()
    },
  }
}
