// Reads the record of a run, or of traffic that was judged, line by line.

import { operationById } from '../models/index.js'
import type { Environment } from '../models/language/environment.js'
import type { Operation } from '../models/language/operation.js'
import { type HookName, hookNames } from '../models/language/plan.js'
import { startWorld } from '../models/start.js'
import { type CallEntry, type Entry, type HookEntry, isTimed, type Remark } from './entry.js'
import { faultOfLine } from './lines.js'
import { completed } from './old-lines.js'
import { bodyOf } from './outcomes.js'
import type { RecordLine } from './record.js'
import { count, deepest, isTooDeep, type Reading, type Recording, RecordingError, type Undecided } from './recording.js'
import { createTrafficReader, timedAs } from './traffic-lines.js'

type Start = Extract<RecordLine, { readonly type: 'start' }>
type Step = Extract<RecordLine, { readonly type: 'step' }>

/** Collects the lines of a run one by one. @throws RecordingError where a line can't be read; `where` names it. */
export const createRunReader = (nonceOf: (start: Start) => string) => {
  let start: Start | undefined
  const events: (Entry | Remark)[] = []
  const ignored: Record<string, number> = {}
  const undecided: Undecided[] = []
  const withdrawn: string[] = []
  let isEnded = false
  const traffic = createTrafficReader()
  const numbers = new Set<number>()
  // Each worker numbers its own steps, so a number that comes twice tells that there were several.
  let sequential = true
  const advance = (n: number): void => {
    if (numbers.has(n)) sequential = false
    numbers.add(n)
  }
  const addCall = (call: CallEntry): void => {
    if (!traffic.add(call)) events.push(call)
  }
  const addEntry = (line: RecordLine, where: string): void => {
    if (line.type === 'step') {
      checkStep(line, where)
      advance(line.n)
      const op = operationById(line.call.operation)
      if (op) addCall(timedAs(callOf(op, line), line))
      else count(ignored, `operation ${line.call.operation.slice(0, 80)} is not known to this version`)
    } else if (line.type === 'hook') {
      advance(line.n)
      if (isHook(line)) events.push(hookOf(line, events.findLast(isTimed)?.endedAt ?? 0))
    } else if (line.type === 'traffic') traffic.begin(line)
    else if (line.type === 'blank') traffic.blank(line)
    else if (isUndecided(line)) undecided.push(line)
    else if (line.type === 'withdrawn') withdrawn.push(line.finding)
    else if (isRemark(line)) events.push(remarkOf(line))
  }
  const add = (line: RecordLine, where: string): void => {
    checkLine(line, where)
    if (line.type !== 'start') {
      if (!start)
        throw new RecordingError(`${where}: expected the first line to be of type "start", received "${line.type}"`)
      addEntry(line, where)
      isEnded ||= line.type === 'end'
      return
    }
    if (start) throw new RecordingError(`${where}: expected one line of type "start", received a second one`)
    checkStart(line, where)
    start = line
  }
  const recording = (where: string): Recording => {
    if (!start) throw new RecordingError(`${where}: expected a first line of type "start", received an empty file`)
    return {
      kind: 'run',
      environment: start.setting,
      baseUrl: start.target.baseUrl,
      nonce: nonceOf(start),
      events: inOrder(events, sequential, start.setting),
      sequential,
      listLagMs: 0,
      asked: start,
      level: start.level,
      undecided: isEnded ? undecided : [...undecided, cutOff],
      withdrawn,
      ignored,
    }
  }
  /** All that the record holds: the run itself, and each history of traffic that was judged. */
  const readings = (where: string): readonly Reading[] => {
    const own = recording(where)
    const histories = traffic.readings(own.environment).map((reading) => judgedBy(own, reading))
    return own.events.length > 0 || histories.length === 0
      ? [{ recordings: [own], supposes: [] }, ...histories]
      : histories
  }
  return { add, readings }
}

/** Histories in a record were judged by the level of that record. */
const judgedBy = ({ level }: Recording, { supposes, recordings }: Reading): Reading => ({
  supposes,
  recordings: recordings.map((one) => ({ ...one, ...(level && { level }) })),
})

/** What one worker has recorded stands in the order in which it was judged; what it left unsaid once is completed. */
const inOrder = (
  events: readonly (Entry | Remark)[],
  sequential: boolean,
  environment: Environment,
): readonly (Entry | Remark)[] => {
  const timed = events.filter(isTimed)
  if (!sequential) return renumbered(timed)
  const isOld = timed.every((event) => event.kind === 'blank' || event.instance === undefined)
  return isOld
    ? completed(
        [...timed].sort((a, b) => a.n - b.n),
        environment,
      )
    : events
}

/** Numbers of several runs are the same, so calls are numbered anew, by time. */
const renumbered = (events: readonly Entry[]): readonly Entry[] =>
  [...events].sort((a, b) => a.startedAt - b.startedAt).map((event, i) => ({ ...event, n: i + 1 }))

/** Before runs of programs were told apart, times were rounded, so that what overlaps is known only beyond that. */
const roundingMs = 0.5

const callOf = (op: Operation, line: Step): CallEntry => {
  const {
    type: _,
    n,
    call,
    outcome,
    at,
    ms,
    times: _t,
    expects: _e,
    verdict: _v,
    findings: _f,
    assumed: _a,
    ...rest
  } = line
  const slackMs = line.instance === undefined ? roundingMs : 0
  return {
    kind: 'call',
    n,
    op,
    call: { ...call, method: op.method },
    outcome,
    startedAt: at - slackMs,
    endedAt: at + Math.max(0, ms) + slackMs,
    ms: Math.max(0, ms),
    ...rest,
  }
}

type Hook = Extract<RecordLine, { readonly type: 'hook' }>

/** Whether this version knows the hook. */
const isHook = (line: Hook): line is Hook & { readonly hook: HookName } => hookNames.some((name) => name === line.hook)

/** A hook's line tells no time; it was called after what the same worker did before. */
const hookOf = ({ type: _, ...rest }: Hook & { readonly hook: HookName }, at: number): HookEntry => ({
  kind: 'hook',
  startedAt: at,
  endedAt: at,
  ...rest,
})

/** Other troubles of a run are those of its own judging. */
const isUndecided = (line: RecordLine): line is Undecided =>
  line.type === 'untestable' ||
  line.type === 'untested' ||
  (line.type === 'trouble' && (line.kind === 'cut-short' || line.kind === 'unreachable'))

const cutOff: Undecided = {
  type: 'trouble',
  kind: 'cut-short',
  text: 'the record has no end line, as when a run was killed',
}

const remarks = new Set<RecordLine['type']>(['surveyed', 'events', 'walked', 'ended'])

type RemarkLine = Extract<RecordLine, { readonly type: Remark['kind'] }>

const isRemark = (line: RecordLine): line is RemarkLine => remarks.has(line.type)

const remarkOf = ({ type: kind, ...rest }: RemarkLine): Remark => ({ kind, ...rest }) as Remark

/** @throws RecordingError where a line is none of a record's */
const checkLine = (line: RecordLine, where: string): void => {
  const fault = faultOfLine(line)
  if (fault !== undefined) throw new RecordingError(`${where}: ${fault}`)
}

/** @throws RecordingError where no world can be made of what the target file said */
const checkStart = (start: Start, where: string): void => {
  try {
    startWorld(start.setting)
  } catch {
    const received = JSON.stringify(start.setting.fixtures).slice(0, 80)
    throw new RecordingError(
      `${where}: /setting/fixtures: expected fixtures as a target file lists them, received ${received}`,
    )
  }
}

/** @throws RecordingError where bodies are nested so deeply that walking them could go wrong */
const checkStep = ({ call, outcome }: Step, where: string): void => {
  const bodies = [call.body, bodyOf(outcome)]
  if (bodies.some(isTooDeep))
    throw new RecordingError(
      `${where}: /call/body and /outcome/body: expected at most ${deepest} levels, received more`,
    )
}
