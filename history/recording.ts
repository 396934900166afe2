// What recorded traffic is, wherever it was recorded, and how the record of a run is read as such; HAR files are read in har.ts.
import { operationById } from '../models/index.js'
import type { Environment } from '../models/language/environment.js'
import type { Operation } from '../models/language/operation.js'
import type { HookName } from '../models/language/plan.js'
import { startWorld } from '../models/start.js'
import type { Outcome, RecordLine, WireCall } from './record.js'

/** A call that was recorded, with what came of it. Times are milliseconds since the start of the recording. */
export interface RecordedCall {
  readonly kind: 'call'
  /** Number of the step; the place in the recording where it told none of its own. */
  readonly n: number
  readonly op: Operation
  readonly call: WireCall
  readonly outcome: Outcome
  readonly startedAt: number
  readonly endedAt: number
  /** How long it took; the times may lie further apart, where they are not exact. */
  readonly ms: number
  /** When it was surely under way; left out where the times do not tell. */
  readonly surely?: Surely
  /** Left out where nothing is known of it beyond the times. */
  readonly turn?: Turn
  /** Name of the program it belongs to; empty where there are no programs. */
  readonly program: string
}

/** It may end before it begins: then it surely overlaps only what was under way in between. */
export interface Surely {
  readonly from: number
  readonly to: number
}

/** Calls of one lane are sent in turn: each when those of a lower number had been answered, whatever the times say. */
export interface Turn {
  readonly lane: number
  readonly at: number
}

export interface RecordedHook {
  readonly kind: 'hook'
  readonly n: number
  readonly hook: HookName
  readonly args: readonly unknown[]
  readonly startedAt: number
  readonly endedAt: number
  readonly program: string
}

/** A write of which too little was recorded to follow it: what was known before may hold no longer. */
export interface RecordedBlank {
  readonly kind: 'blank'
  readonly n: number
  readonly as: string | null
  readonly startedAt: number
  readonly endedAt: number
  readonly turn?: Turn
  readonly program: string
}

export type RecordedEvent = RecordedCall | RecordedHook | RecordedBlank

export interface Recording {
  /** A run of this suite, of which all is known; or traffic, beside which others may have acted. */
  readonly kind: 'run' | 'traffic'
  readonly environment: Environment
  readonly baseUrl: string
  /** Text that only names made in the run contain; empty for traffic. */
  readonly nonce: string
  /** In the order in which they were judged, or sent where that is not known. */
  readonly events: readonly RecordedEvent[]
  /** Whether the calls are those of one worker, which tells in which order it has judged them. */
  readonly sequential: boolean
  /** How long a change may take to show in lists. */
  readonly listLagMs: number
  /** Entries that were not judged, by the reason. */
  readonly ignored: Readonly<Record<string, number>>
}

/** A recording that can't be read: where, what was expected and what was received. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError'
}

type Start = Extract<RecordLine, { readonly type: 'start' }>
type Step = Extract<RecordLine, { readonly type: 'step' }>

const hookNames = new Set<string>(['deleteNode', 'setLiveMigration', 'setVolumeMigrating', 'putObjects'])

/** Collects the lines of a run one by one. @throws RecordingError where a line can't be read; `where` names it. */
export const createRunReader = (nonceOf: (start: Start) => string) => {
  let start: Start | undefined
  const events: RecordedEvent[] = []
  const ignored: Record<string, number> = {}
  const numbers = new Set<number>()
  // Each worker numbers its own steps, so a number that comes twice tells that there were several.
  let sequential = true
  const advance = (n: number): void => {
    if (numbers.has(n)) sequential = false
    numbers.add(n)
  }
  const add = (line: RecordLine, where: string): void => {
    if (line.type === 'start') {
      if (start) throw new RecordingError(`${where}: expected one line of type "start", received a second one`)
      start = checkStart(line, where)
    } else if (!start) {
      throw new RecordingError(`${where}: expected the first line to be of type "start", received "${line.type}"`)
    } else if (line.type === 'step') {
      checkStep(line, where)
      advance(line.n)
      const op = operationById(line.call.operation)
      if (op) events.push(callOf(op, line))
      else count(ignored, `operation ${line.call.operation.slice(0, 80)} is not known to this version`)
    } else if (line.type === 'hook') {
      advance(line.n)
      if (hookNames.has(line.hook) && Array.isArray(line.args)) events.push(hookOf(line, events.at(-1)?.endedAt ?? 0))
    }
  }
  const recording = (where: string): Recording => {
    if (!start) throw new RecordingError(`${where}: expected a first line of type "start", received an empty file`)
    return {
      kind: 'run',
      environment: start.setting,
      baseUrl: start.target.baseUrl,
      nonce: nonceOf(start),
      events: sequential ? [...events] : renumbered(events),
      sequential,
      listLagMs: 0,
      ignored,
    }
  }
  return { add, recording }
}

/** Numbers of several workers are the same, so calls are numbered anew, by time. */
const renumbered = (events: readonly RecordedEvent[]): readonly RecordedEvent[] =>
  [...events].sort((a, b) => a.startedAt - b.startedAt).map((event, i) => ({ ...event, n: i + 1 }))

const deepest = 100

/** Whether a value is nested deeper than anything that the interface has, so that walking it could go wrong. */
export const isTooDeep = (value: unknown): boolean => {
  let level: readonly unknown[] = [value]
  for (let depth = 0; depth < deepest; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []))
    if (level.length === 0) return false
  }
  return true
}

export const count = (counts: Record<string, number>, reason: string): void => {
  counts[reason] = (counts[reason] ?? 0) + 1
}

/** The time at which a call was sent is rounded, so that what overlaps is known only beyond that. */
const roundingMs = 0.5

const callOf = (op: Operation, { n, call, outcome, at, ms, program }: Step): RecordedCall => ({
  kind: 'call',
  n,
  op,
  call: { ...call, method: op.method },
  outcome,
  startedAt: at - roundingMs,
  endedAt: at + Math.max(0, ms) + roundingMs,
  ms: Math.max(0, ms),
  program: typeof program === 'string' ? program : '',
})

/** A hook's line tells no time; it was called after what the same worker did before. */
const hookOf = (
  { n, hook, args, program }: Extract<RecordLine, { readonly type: 'hook' }>,
  at: number,
): RecordedHook => ({
  kind: 'hook',
  n,
  hook: hook as HookName,
  args,
  startedAt: at,
  endedAt: at,
  program,
})

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((text) => typeof text === 'string')

const expectAt = (holds: boolean, where: string, pointer: string, expected: string, received: unknown): void => {
  if (!holds)
    throw new RecordingError(
      `${where}: ${pointer}: expected ${expected}, received ${(JSON.stringify(received) ?? 'nothing').slice(0, 80)}`,
    )
}

const listsOfSetting = ['accounts', 'users', 'tokens'] as const

const checkStart = (start: Start, where: string): Start => {
  const { setting, target } = start as unknown as {
    readonly setting: Record<string, unknown>
    readonly target: Start['target']
  }
  expectAt(typeof target.baseUrl === 'string', where, '/target/baseUrl', 'a text', target.baseUrl)
  expectAt(typeof target.name === 'string', where, '/target/name', 'a text', target.name)
  for (const name of listsOfSetting)
    expectAt(
      Array.isArray(setting[name]) &&
        setting[name].every(
          (one: unknown) =>
            isObject(one) &&
            typeof one.name === 'string' &&
            (name !== 'tokens' || one.scopes === '*' || Array.isArray(one.scopes)),
        ),
      where,
      `/setting/${name}`,
      `an array of ${name}`,
      setting[name],
    )
  for (const name of ['fixtures', 'pins', 'safety'])
    expectAt(isObject(setting[name]), where, `/setting/${name}`, 'an object', setting[name])
  for (const [name, list] of Object.entries(setting.fixtures as object))
    expectAt(
      Array.isArray(list) && list.every(isObject),
      where,
      `/setting/fixtures/${name}`,
      'an array of objects',
      list,
    )
  expectAt(
    isUsable(start.setting),
    where,
    '/setting/fixtures',
    'fixtures as a target file lists them',
    setting.fixtures,
  )
  return start
}

const isUsable = (environment: Environment): boolean => {
  try {
    startWorld(environment)
    return true
  } catch {
    return false
  }
}

const longestMs = 1e12

const checkStep = ({ call, outcome, at, ms }: Step, where: string): void => {
  expectAt(Math.abs(at) <= longestMs, where, '/at', `milliseconds up to ${longestMs}`, at)
  expectAt(Math.abs(ms) <= longestMs, where, '/ms', `milliseconds up to ${longestMs}`, ms)
  expectAt(typeof call.operation === 'string', where, '/call/operation', 'the id of an operation', call.operation)
  expectAt(typeof call.url === 'string', where, '/call/url', 'a text', call.url)
  expectAt(isTexts(call.path), where, '/call/path', 'an object of texts', call.path)
  expectAt(isTexts(call.query), where, '/call/query', 'an object of texts', call.query)
  expectAt(call.as === null || typeof call.as === 'string', where, '/call/as', 'the name of a token, or null', call.as)
  const file = call.file as unknown
  expectAt(
    file === undefined || (isObject(file) && typeof file.name === 'string' && typeof file.field === 'string'),
    where,
    '/call/file',
    'an object with name and field',
    file,
  )
  const bodies = [call.body, (outcome as { readonly body?: unknown }).body]
  expectAt(!bodies.some(isTooDeep), where, '/call/body and /outcome/body', `at most ${deepest} levels`, 'more')
  const { status, lost } = outcome as { readonly status?: unknown; readonly lost?: unknown }
  expectAt(
    typeof lost === 'string' || (Number.isInteger(status) && Number(status) >= 100 && Number(status) <= 999),
    where,
    '/outcome',
    'a status from 100 to 999, or "lost"',
    outcome,
  )
}
