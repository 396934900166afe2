// What the tests of a suite have to do, and what came of it: one after another, or side by side where the pace of the target allows.

import { probeFor } from '../arbitraries/probes.js'
import type { ProgramOutcome } from '../driver/conduct.js'
import { locksOf } from '../driver/locks.js'
import { runProgram } from '../driver/programs.js'
import { type Job, runJobs } from '../driver/schedule.js'
import type { Finding } from '../history/record.js'
import type { Clause } from '../models/language/derive.js'
import type { Program, Step } from '../models/language/plan.js'
import { isSelected } from './filter.js'
import type { Worker } from './worker.js'

/** Why a test runs nothing; undefined where that goes without saying. */
interface Skip {
  readonly skip: string | undefined
}

/** What one test stands for. */
export interface Task {
  /** The clause that it is there to show. */
  readonly clause?: Clause
  /** Planned when the suite begins; nothing is sent. */
  readonly plan: (worker: Worker) => readonly Job[] | Skip
}

export type ClauseTask = Task & { readonly clause: Clause }

type Ended = Skip | { readonly findings: readonly Finding[]; readonly untested: string | undefined }

/** Performs tasks of one suite: as soon as they may go side by side, all begin that are left. */
export const openAgenda = (tasks: readonly Task[]): ((worker: Worker, task: Task) => Promise<Ended>) => {
  let begun: ReadonlyMap<Task, Promise<Ended>> | undefined
  const left = new Set(tasks)
  return (worker, task) => {
    if (!begun && worker.width === 1) {
      left.delete(task)
      return performAlone(worker, task)
    }
    begun ??= performBeside(worker, [...left])
    return begun.get(task) ?? Promise.resolve({ skip: undefined })
  }
}

interface Tally {
  readonly findings: Finding[]
  untested: string | undefined
}

const note = (
  { emit, flush }: Worker,
  { clause }: Task,
  tally: Tally,
  { findings, untested }: ProgramOutcome,
): void => {
  tally.findings.push(...findings)
  tally.untested ??= untested
  if (untested !== undefined && clause) emit({ type: 'untested', clause: clause.id, reason: untested })
  flush()
}

const performAlone = async (worker: Worker, task: Task): Promise<Ended> => {
  const over = worker.over()
  if (over !== undefined) return { skip: over }
  const jobs = task.plan(worker)
  if ('skip' in jobs) return jobs
  const tally: Tally = { findings: [], untested: undefined }
  for (const [i, job] of jobs.entries()) {
    if (i > 0 && worker.over() !== undefined) break
    note(worker, task, tally, await job.run(worker.session))
  }
  return tally
}

const performBeside = (worker: Worker, tasks: readonly Task[]): ReadonlyMap<Task, Promise<Ended>> => {
  const owners = new Map<Job, Task>()
  const tallies = new Map<Task, Tally & { left: number }>()
  const ends = new Map<Task, (ended: Ended) => void>()
  const planned = new Map<Task, readonly Job[] | Skip>()
  for (const task of tasks) {
    const over = worker.over()
    const jobs = over === undefined ? task.plan(worker) : { skip: over }
    planned.set(task, jobs)
    if ('skip' in jobs || jobs.length === 0) continue
    tallies.set(task, { findings: [], untested: undefined, left: jobs.length })
    for (const job of jobs) owners.set(job, task)
  }
  const onEnd = (job: Job, outcome: ProgramOutcome): void => {
    const task = owners.get(job) as Task
    const tally = tallies.get(task) as Tally & { left: number }
    note(worker, task, tally, outcome)
    tally.left -= 1
    if (tally.left === 0) ends.get(task)?.(tally)
  }
  const done = Promise.resolve().then(() =>
    runJobs(worker.session, [...owners.keys()], {
      width: worker.width,
      isOver: () => worker.over() !== undefined,
      onEnd,
    }),
  )
  const endOf = (task: Task, jobs: readonly Job[] | Skip): Promise<Ended> => {
    if ('skip' in jobs) return Promise.resolve(jobs)
    const tally = tallies.get(task)
    if (!tally) return Promise.resolve({ findings: [], untested: undefined })
    const ended = new Promise<Ended>((resolve) => ends.set(task, resolve))
    // What was not run any more tells what was found until then.
    const cut = done.then((): Ended => (tally.findings.length > 0 ? tally : { skip: worker.over() }))
    return Promise.race([ended, cut])
  }
  // Nobody may be waiting yet when it fails.
  done.catch(() => undefined)
  return new Map([...planned].map(([task, jobs]) => [task, endOf(task, jobs)]))
}

/** How many requests a step of a program leads to, by and large. */
const requestsPerStep = 3

/** A job that runs a program; one that runs again is planned anew, so that it gives new names. */
export const jobOf = ({ session }: Worker, program: Program, plan: () => Program, clause?: Clause): Job => {
  const { name, steps, restore = [], pause } = program
  const all: readonly Step[] = [...steps, ...restore]
  let next: Program | undefined = program
  const take = (): Program => {
    const one = next ?? plan()
    next = undefined
    return one
  }
  return {
    name,
    locks: locksOf(all, session.context.environment),
    cost: all.length * requestsPerStep,
    ...(pause && { isSlow: true }),
    run: (own) => runProgram(own, take(), clause),
  }
}

/** The program of a clause, or why there is none to run here. */
export const programOf = (worker: Worker, clause: Clause, rotation = 0): Program | Skip | 'passive' => {
  const { session, context, emit } = worker
  const { filters, fuzz } = context.options
  if (fuzz || !isSelected(filters, clause)) return { skip: undefined }
  const probe = probeFor(clause, { ...session.context, rotation })
  if (probe.kind === 'passive') return 'passive'
  const untestable = (reason: string, remedy?: string): Skip => {
    emit({ type: 'untestable', clause: clause.id, reason, ...(remedy !== undefined && { remedy }) })
    return { skip: reason }
  }
  if (probe.kind === 'none') return untestable(probe.reason)
  const needs = probe.program.missing.join('; ')
  if (needs !== '') return untestable(`needs ${needs}`, `Add to the target file: ${needs}.`)
  const hook = probe.program.steps.flatMap((step) =>
    'hook' in step && !session.options.hooks[step.hook] ? [step.hook] : [],
  )[0]
  if (hook !== undefined) return untestable(`needs the hook ${hook}`, `Add hooks.${hook} to the target file.`)
  return probe.program
}

/** Shows a clause by its program. Side by side, programs for which any node will do take different ones. */
export const clauseTask = (clause: Clause, at: number): ClauseTask => ({
  clause,
  plan: (worker) => {
    const rotation = worker.width > 1 ? at : 0
    const program = programOf(worker, clause, rotation)
    if (program === 'passive') return []
    if ('skip' in program) return program
    const again = (): Program => {
      const probe = probeFor(clause, { ...worker.session.context, rotation })
      return probe.kind === 'program' ? probe.program : program
    }
    return [jobOf(worker, program, again, clause)]
  },
})
