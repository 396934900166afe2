// What a run has to do, suite by suite, and what came of it: programs go side by side, and each test waits for its own.

import type { TestContext } from 'vitest'
import type { ProgramOutcome } from '../driver/conduct.js'
import { type Job, runJobs } from '../driver/schedule.js'
import type { Session } from '../driver/session.js'
import type { Finding } from '../history/record.js'
import { findingText } from '../reports/index.js'
import type { RunContext } from './options.js'

/** What a run's tasks are planned and judged with. */
export interface Setting {
  readonly session: Session
  readonly context: RunContext
  /** Why nothing more is to be sent, where that is so. */
  readonly over: () => string | undefined
  readonly emit: Session['options']['emit']
  readonly flush: () => void
}

/** Why a test runs nothing; undefined where that goes without saying. */
interface Skip {
  readonly skip: string | undefined
}

/** What one test stands for. */
export interface Task {
  /** Told from all others of a run. */
  readonly name: string
  /** The clause that its program is there to show. */
  readonly clause?: string
  /** Planned when the run begins; nothing is sent. */
  readonly plan: (setting: Setting) => readonly Job[] | Skip
}

/** Tasks by the suite that tells what came of them. */
export type Suites = ReadonlyMap<string, readonly Task[]>

type Ended = Skip | { readonly findings: readonly Finding[]; readonly untested: string | undefined }

export interface Agenda {
  /** Begins what has not begun of these suites, one stage after another. */
  readonly begin: (stages: readonly (readonly string[])[]) => void
  readonly ended: (task: string) => Promise<Ended>
  /** Resolves when all that has begun has ended. */
  readonly done: () => Promise<void>
}

/** A task under way, and who waits for it. */
interface Entry {
  readonly task: Task
  left: number
  readonly findings: Finding[]
  untested: string | undefined
  readonly end: (ended: Ended) => void
}

export const openAgenda = (setting: Setting, suites: Suites): Agenda => {
  const { session, over, emit, flush } = setting
  const results = new Map<string, Promise<Ended>>()
  const begun = new Set<string>()
  let last: Promise<void> = Promise.resolve()

  const enlist = (task: Task, entries: Map<Job, Entry>, reject: ((error: unknown) => void)[]): readonly Job[] => {
    const planned = task.plan(setting)
    if ('skip' in planned) {
      results.set(task.name, Promise.resolve(planned))
      return []
    }
    results.set(
      task.name,
      new Promise((resolve, fail) => {
        reject.push(fail)
        const entry: Entry = { task, left: planned.length, findings: [], untested: undefined, end: resolve }
        for (const job of planned) entries.set(job, entry)
        if (planned.length === 0) resolve({ findings: [], untested: undefined })
      }),
    )
    return planned
  }

  const onEnd = (entry: Entry, { findings, untested }: ProgramOutcome): void => {
    entry.findings.push(...findings)
    entry.untested ??= untested
    entry.left -= 1
    if (untested !== undefined && entry.task.clause !== undefined)
      emit({ type: 'untested', clause: entry.task.clause, reason: untested })
    flush()
    if (entry.left === 0) entry.end({ findings: entry.findings, untested: entry.untested })
  }

  const run = (names: readonly string[]): void => {
    const entries = new Map<Job, Entry>()
    const reject: ((error: unknown) => void)[] = []
    const jobs = names.flatMap((name) => (suites.get(name) ?? []).flatMap((task) => enlist(task, entries, reject)))
    const before = last
    last = before
      .then(() =>
        runJobs(session, jobs, {
          isOver: () => over() !== undefined,
          onEnd: (job, outcome) => onEnd(entries.get(job) as Entry, outcome),
        }),
      )
      // What was not run any more tells what was found until then.
      .then(() => {
        for (const { end, findings, left } of entries.values())
          end(
            findings.length > 0 ? { findings, untested: undefined } : left > 0 ? { skip: over() } : { skip: undefined },
          )
      })
    last.catch((error: unknown) => {
      for (const fail of reject) fail(error)
    })
  }

  return {
    begin: (stages) => {
      for (const stage of stages) {
        const names = stage.filter((name) => !begun.has(name))
        for (const name of names) begun.add(name)
        if (names.length > 0) run(names)
      }
    },
    done: () => last,
    ended: (task) => results.get(task) ?? Promise.resolve({ skip: undefined }),
  }
}

/** A finding as a test failure: its text alone, for the stack would point into the suite. */
class Nonconforming extends Error {
  constructor(findings: readonly Finding[]) {
    super(findings.map((finding) => findingText(finding)).join('\n\n'))
    this.name = 'Nonconforming'
    this.stack = ''
  }
}

/** @throws Nonconforming where a finding gates at the level of the run. */
export const assertClean = ({ context }: Pick<Setting, 'context'>, findings: readonly Finding[]): void => {
  const levels = context.options.level === 'should' ? ['must', 'pinned', 'should'] : ['must', 'pinned']
  const gating = findings.filter(({ level }) => levels.includes(level))
  if (gating.length > 0) throw new Nonconforming(gating)
}

/** Waits for a task, and fails or skips its test as it came out. */
export const conclude = async (
  { agenda, context }: { readonly agenda: Agenda; readonly context: RunContext },
  task: string,
  test: TestContext,
): Promise<void> => {
  const ended = await agenda.ended(task)
  if ('skip' in ended) return test.skip(ended.skip)
  assertClean({ context }, ended.findings)
}
