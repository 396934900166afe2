// Runs programs one after another, or side by side over one belief, and has run again alone what was unclear beside others.

import { createAdmission } from './admission.js'
import {
  type AloneOptions,
  countOf,
  doubtsIn,
  doubtsOf,
  isClear,
  runUnit,
  settle,
  tended,
  type Unclear,
} from './alone.js'
import { besideOthers, looselyIn, type Part } from './beside.js'
import { createCauses } from './causes.js'
import type { ProgramOutcome } from './conduct.js'
import { createCalm } from './disturbed.js'
import { createLine } from './line.js'
import { roomyAmong } from './locks.js'
import type { Started } from './programs.js'
import type { Session } from './session.js'
import { inLine, type Job, telling, type Unit, unitOf, unitsOf } from './units.js'

export interface ScheduleOptions extends AloneOptions {
  /** How many run at a time. */
  readonly width: number
  /** Whether some programs may not run: then those that tell most go first, otherwise those that hold up others. */
  readonly isScarce?: boolean
  /** Called with the ids of all deviations that wait to be confirmed, whenever these change. */
  readonly onDoubt?: (ids: readonly string[]) => void
}

/** Programs under way for each call that may be, since most programs wait at any time. */
const programsPerCall = 2

/** Whether a program that showed nothing may try again beside others. Confirmations run alone. */
const mayShow = ({ doubts, isPassing }: ProgramOutcome): boolean => doubts.length === 0 && !isPassing

/**
 * One after another, those first that tell most; those with a pause begin before all others, and end after them, if there is room for
 * what they make meanwhile. Gives those that were not run yet when it came to be better to run several at a time.
 */
export const runInTurn = async (
  base: Session,
  jobs: readonly Job[],
  options: AloneOptions & { readonly isBetterBeside?: () => boolean },
): Promise<readonly Job[]> => {
  const { isOver, isBetterBeside, onEnd, upkeep } = options
  const session = tended(base, upkeep)
  const left: Job[] = []
  const calm = createCalm(onEnd)
  const begun = new Map<Job, Started>()
  const ahead = new Set(
    roomyAmong(
      jobs.filter(({ begin }) => begin),
      jobs,
    ),
  )
  for (const job of ahead) if (job.begin && !isOver()) begun.set(job, await job.begin(session))
  for (const unit of telling(unitsOf(jobs.filter((job) => !ahead.has(job))))) {
    if (isOver() || isBetterBeside?.()) {
      left.push(...unit.jobs)
      continue
    }
    await runUnit(session, unit, { ...options, onEnd: calm.onEnd })
  }
  await calm.end(session)
  // Each removes everything that was made since it began.
  for (const [job, { end }] of [...begun].reverse()) onEnd(job, await end())
  return left
}

/**
 * A job that shows its clause with nothing amiss counts, whatever ran beside it. One that does not is run again alone, and what
 * then comes of it counts; where what seemed amiss does not show then, so are those beside it that may have caused it.
 */
export const runJobs = async (session: Session, jobs: readonly Job[], options: ScheduleOptions): Promise<void> => {
  const { waiting, ranks } = inLine(unitsOf(jobs), options.isScarce)
  const { hooks } = session.options
  const admission = createAdmission(
    options.width,
    (event) => hooks.readEvents !== undefined && session.fold.isCountedSingly(event),
  )
  const unclear = new Map<Job, Unclear>()
  const isFirst = onceEach<Job>()
  let failure: { readonly error: unknown } | undefined
  let wake = (): void => undefined
  const line = createLine<Job, Unit>(waiting, options.width * programsPerCall, () => wake())
  const { sleep } = session.options
  const calm = createCalm(options.onEnd)
  const causes = createCauses<Job>()
  const keeper = besideOthers(session, admission, looselyIn(session))

  const runBeside = async (unit: Unit): Promise<void> => {
    const rank = ranks.get(unit) ?? 0
    const { meets, late, nap } = line.begin(unit, rank)
    const part: Part = {
      rank,
      sleep: (ms) => nap(sleep(ms)),
      takeLate: () => nap(late.take()),
      note: (...calls) => causes.note(unit.jobs, ...calls),
    }
    try {
      const own = { ...besideOthers(session, admission, part), tend: async () => options.upkeep?.(keeper) }
      const outcomes = await unit.run(own)
      // Lost creations are looked for again after a program has run alone.
      session.lost.push(...own.lost.splice(0))
      for (const [job, outcome] of outcomes)
        if (isClear(outcome)) options.onEnd(job, outcome)
        // A job that showed nothing may show its clause alone, or the second time.
        else if (mayShow(outcome) && (unit.jobs.length > 1 || isFirst(job))) waiting.unshift(unitOf([job]))
        else
          unclear.set(job, {
            ...doubtsOf(session, outcome),
            insist: outcome.insist,
            first: outcome,
            isBeside: meets.size > 0,
            causesOf: (doubts) => causes.among(meets, doubts, outcome.sent, Math.max(0, ...session.rests.values())),
          })
      options.onDoubt?.(doubtsIn(unclear))
    } catch (error) {
      failure ??= { error }
    }
    line.end(unit)
    wake()
  }

  while (waiting.length > 0 || line.count() > 0 || unclear.size > 0) {
    if (failure || options.isOver()) waiting.length = 0
    const changed = new Promise<void>((resolve) => {
      wake = resolve
    })
    await options.upkeep?.(keeper)
    if (countOf(unclear) < options.width) for (const unit of line.ready()) void runBeside(unit)
    if (line.count() > 0) await changed
    else if (failure) throw failure.error
    else {
      await settle(session, jobs, unclear, { ...options, onEnd: calm.onEnd })
      unclear.clear()
      options.onDoubt?.([])
    }
  }
  await calm.end(tended(session, options.upkeep))
}

/** Whether something is asked of for the first time. */
const onceEach = <T>(): ((one: T) => boolean) => {
  const known = new Set<T>()
  return (one) => !known.has(one) && known.add(one) !== undefined
}
