// Runs the programs of all tests of a run, in turn or side by side, and gives each test the results of its own; the first test that asks starts them.

import { setImmediate as underWay } from 'node:timers/promises'
import type { ProgramOutcome } from '../driver/conduct.js'
import { isBarred, isDisturbed } from '../driver/disturbed.js'
import { reportRest } from '../driver/findings.js'
import { runInTurn, runJobs } from '../driver/schedule.js'
import { type Job, leastRequests } from '../driver/units.js'
import type { Finding } from '../history/record.js'
import { memoised } from '../models/language/memoised.js'
import { isSelectedTask } from './advance.js'
import { stagesOf, tasksOf } from './catalog.js'
import { createDisturbances } from './disturbances.js'
import { suitesFor } from './filter.js'
import { type Setting, type Skip, type Task, withoutExclusive } from './tasks.js'
import type { Worker } from './worker.js'

export type Ended = Skip | { readonly findings: readonly Finding[]; readonly untested: string | undefined }

/** The results of tasks that have begun, by suite and name. */
type Ends = Map<string, Promise<Ended>>

const endsIn = memoised((_: Worker): Ends => new Map())

/** The result of a task. Asking for it starts the task and all that run together with it. */
export const perform = (worker: Worker, task: Task): Promise<Ended> => {
  const ends = endsIn(worker)
  if (!ends.has(idOf(task))) for (const [one, end] of beginAll(worker, stagesFor(worker, task))) ends.set(one, end)
  return ends.get(idOf(task)) ?? Promise.resolve({ skip: undefined })
}

const idOf = ({ suite, name }: Task): string => `${suite} ${name}`

/** All of a run goes together; in a test run of its user's own, each test is by itself. */
const stagesFor = ({ context: { options } }: Worker, task: Task): readonly (readonly Task[])[] => {
  if (options.given) return [[task]]
  return stagesOf(suitesFor(options.filters)).map((suites) => suites.flatMap(tasksOf))
}

type TellEnd = (task: Task, ended: Ended) => void

/** Begins stage after stage. The task that ends last is told only when all has been reported: then the run may be closed. */
const beginAll = (worker: Worker, stages: readonly (readonly Task[])[]): Ends => {
  const tellers = new Map<Task, (ended: Ended) => void>()
  const told = stages.flat().map((task) => [task, new Promise<Ended>((resolve) => tellers.set(task, resolve))] as const)
  let tellLast = (_: readonly Finding[]): void => undefined
  const tell: TellEnd = (task, ended) => {
    const teller = tellers.get(task)
    tellers.delete(task)
    if (tellers.size > 0) teller?.(ended)
    else tellLast = (rest) => teller?.('skip' in ended ? ended : { ...ended, findings: [...ended.findings, ...rest] })
  }
  const all = (async (): Promise<Ended> => {
    for (const stage of stages) await performStage(worker, stage, tell)
    const rest = await reportRest(worker.session)
    worker.flush()
    tellLast(rest)
    return { skip: undefined }
  })()
  // Nobody may be waiting yet when it fails.
  all.catch(() => undefined)
  return new Map(told.map(([task, end]) => [idOf(task), Promise.race([end, all])]))
}

/** Why a clause is not to be shown where others may have changed what decides it. */
const besideOthers = withoutExclusive('what others do to this one may be another reason for what it answered')

const amissIn = (outcome: ProgramOutcome): 'nothing' | 'disturbed' | 'barred' => {
  if (isDisturbed(outcome)) return 'disturbed'
  return isBarred(outcome) ? 'barred' : 'nothing'
}

/** The results of the programs of a task so far. */
interface Tally {
  readonly task: Task
  readonly findings: Finding[]
  untested: string | undefined
  left: number
}

const performStage = async (worker: Worker, stage: readonly Task[], tell: TellEnd): Promise<void> => {
  const { session, context, emit, flush } = worker
  const tallies = await planStage(worker, stage, tell)
  const jobs = [...tallies.keys()]
  tellPlan(worker, stage, jobs)
  const disturbances = createDisturbances()
  const onEnd = (job: Job, outcome: ProgramOutcome): void => {
    const { findings, untested, mayBeOthers } = outcome
    const tally = tallies.get(job) as Tally
    const { task } = tally
    tally.findings.push(...findings)
    tally.untested ??= untested
    if (task.clause) disturbances.note(task.clause.operation, amissIn(outcome))
    if (untested !== undefined && task.clause)
      emit(
        mayBeOthers
          ? { type: 'untestable', clause: task.clause.id, ...besideOthers }
          : { type: 'untested', clause: task.clause.id, reason: untested },
      )
    flush()
    worker.tell({ type: 'ended', findings: findings.map(({ id }) => id) })
    tally.left -= 1
    if (tally.left === 0) tell(task, tally)
  }
  const options = { isOver: () => worker.over() !== undefined, upkeep: worker.keep, onEnd }
  // What is alone in its stage has nothing to run beside. If it cannot be brought back, it would show nothing when run again alone.
  const isBetterBeside = (): boolean => worker.width > 1 && jobs.length > 1
  const left = isBetterBeside() ? jobs : await runInTurn(session, jobs, { ...options, isBetterBeside })
  if (left.length > 0)
    await runJobs(session, left.length < jobs.length ? await planAgain(worker, tallies, left) : left, {
      ...options,
      width: worker.width,
      onDoubt: (ids) => worker.tell({ type: 'doubted', ids }),
      isScarce: context.options.maxRequests !== undefined,
    })
  const disturbed = worker.over() === undefined ? disturbances.tell() : undefined
  if (disturbed !== undefined) emit({ type: 'trouble', kind: 'inconclusive', text: disturbed })
  // A task that was not finished reports what was found until then.
  for (const tally of new Set(tallies.values()))
    if (tally.left > 0) tell(tally.task, tally.findings.length > 0 ? tally : { skip: worker.over() })
}

/** Jobs that were planned to go in turn, anew: side by side, those for which any fixture will do take different ones. */
const planAgain = async (worker: Worker, tallies: Map<Job, Tally>, left: readonly Job[]): Promise<readonly Job[]> => {
  const setting = settingOf(worker)
  const pause = createPause()
  const planned: Job[] = []
  for (const tally of new Set(left.map((job) => tallies.get(job) as Tally))) {
    await pause()
    const own = left.filter((job) => tallies.get(job) === tally)
    const jobs = worker.over() === undefined ? tally.task.plan(setting) : own
    // If some of them have run, the others stay as they were planned.
    const isAnew = !('skip' in jobs) && jobs !== own && jobs.length === own.length
    if (isAnew) {
      for (const job of own) tallies.delete(job)
      for (const job of jobs) tallies.set(job, tally)
    }
    planned.push(...(isAnew ? jobs : own))
  }
  return planned
}

const settingOf = ({ session, context, width, emit }: Worker): Setting => ({
  session,
  options: context.options,
  isEmbedded: context.embedded !== undefined,
  width,
  emit,
})

/** For so long at a time tasks are planned: in between, signals are heeded and connections that the target has closed are seen to be. */
const planningMs = 50

/** Lets other work go on where enough time has gone by since it last did. */
const createPause = (): (() => Promise<void>) => {
  let since = performance.now()
  return async () => {
    if (performance.now() - since <= planningMs) return
    await underWay()
    since = performance.now()
  }
}

/** The jobs of a stage, each with the tally of its task; of tasks without any it tells at once. */
const planStage = async (worker: Worker, stage: readonly Task[], tell: TellEnd): Promise<Map<Job, Tally>> => {
  const setting = settingOf(worker)
  const tallies = new Map<Job, Tally>()
  const pause = createPause()
  for (const task of stage) {
    await pause()
    const over = worker.over()
    const jobs = over === undefined ? task.plan(setting) : { skip: over }
    if ('skip' in jobs) tell(task, jobs)
    else if (jobs.length === 0) tell(task, { findings: [], untested: undefined })
    else {
      const tally: Tally = { task, findings: [], untested: undefined, left: jobs.length }
      for (const job of jobs) tallies.set(job, tally)
    }
  }
  return tallies
}

/** Says how far there is to go; where requests are held to a rate, how long that takes at the least. */
const tellPlan = (
  { context, perSecond, session, tell }: Worker,
  stage: readonly Task[],
  jobs: readonly Job[],
): void => {
  const tasks = stage.filter((task) => isSelectedTask(context.options.filters, task)).length
  tell({ type: 'planned', tasks, programs: jobs.length })
  if (perSecond === undefined) return
  const requests = leastRequests(jobs)
  const minutes = Math.floor(requests / perSecond / 60)
  if (minutes > 0)
    session.options.say?.(`at least ${requests} requests are to be sent; at the rate given that takes ${minutes} min`)
}
