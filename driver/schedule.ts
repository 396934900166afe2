// Runs programs side by side over one belief, and runs again alone what was unclear beside others.

import { setImmediate as underWay } from 'node:timers/promises'
import type { Finding } from '../history/record.js'
import type { Outcome } from '../history/wire.js'
import { type Explanation, isTraceOf, traceOf } from '../oracle/explanations/explanation.js'
import { gateway, isOfMoment } from '../oracle/explanations/gateway.js'
import { wasResent } from '../oracle/explanations/resent.js'
import { type Deviation, findingIdOf, gates } from '../oracle/judgement.js'
import { createAdmission } from './admission.js'
import { isUnanswered } from './answers.js'
import { besideOthers, looselyIn, type Part } from './beside.js'
import { type Member, mostTogether, runBundle } from './bundle.js'
import { createCauses } from './causes.js'
import type { ProgramOutcome } from './conduct.js'
import { createLine } from './line.js'
import { type Lock, roomyAmong, summed } from './locks.js'
import type { Started } from './programs.js'
import { ranksOf } from './ranks.js'
import type { Session } from './session.js'
import { type Telling, tellingFirst } from './telling.js'

/** A program as the schedule sees it. */
export interface Job extends Telling {
  readonly name: string
  readonly locks: readonly Lock[]
  /** About how many requests it sends. */
  readonly cost: number
  /** Its waiting, counted in requests. */
  readonly waits: number
  readonly run: (session: Session) => Promise<ProgramOutcome>
  /** Whether it begins before others: it tells something only while events are counted call by call. */
  readonly isEarly?: true
  /** Runs it up to a pause, in which others run; left out where it has none. */
  readonly begin?: (session: Session) => Promise<Started>
  /** The part that programs with the same key can share. */
  readonly shares?: { readonly key: string; readonly take: () => Member }
}

export interface ScheduleOptions {
  /** How many run at a time. */
  readonly width: number
  /** Whether some programs may not run: then those that tell most go first, otherwise those that hold up others. */
  readonly isScarce?: boolean
  /** Whether no further program is to begin. */
  readonly isOver: () => boolean
  /** Called between steps of programs, with a session for calls of its own. */
  readonly upkeep?: (session: Session) => Promise<void>
  /** Called once for each job, with its result. */
  readonly onEnd: (job: Job, outcome: ProgramOutcome) => void
  /** Called with the ids of all deviations that wait to be confirmed, whenever these change. */
  readonly onDoubt?: (ids: readonly string[]) => void
}

/** A job that ran beside others and is to run again alone. */
interface Unclear {
  /** Its deviations, without those that other programs explain on a target that is late or has a quota. */
  readonly doubts: readonly Deviation[]
  /** The ids of those, with what explains them, and the number of its last call. */
  readonly explained: readonly { readonly id: string; readonly by: Explanation }[]
  readonly last: number
  readonly insist: ProgramOutcome['insist']
  /** What is told of it where it does not run again. */
  readonly first: ProgramOutcome
  /** Whether anything ran at the same time. */
  readonly isBeside: boolean
  /** Tells which of what ran at the same time may have caused one of them. */
  readonly causesOf: (doubts: readonly Deviation[]) => ReadonlySet<Job>
}

/** Jobs that are run as one. */
interface Unit {
  readonly jobs: readonly Job[]
  readonly locks: readonly Lock[]
  readonly cost: number
  readonly isFirst: boolean
  readonly run: (session: Session) => Promise<ReadonlyMap<Job, ProgramOutcome>>
}

/** The most jobs run as one: longer units would hold up what waits for their locks. */
const longestTogether = 300

/** Programs under way for each call that may be, since most programs wait at any time. */
const programsPerCall = 2

/** Groups jobs that can share what they arrange. */
const unitsOf = (jobs: readonly Job[]): readonly Unit[] => {
  const rows: Job[][] = []
  const open = new Map<string, Job[]>()
  for (const job of jobs) {
    const row = job.shares && open.get(job.shares.key)
    if (row && row.length < mostTogether && costOf([...row, job]) <= longestTogether) row.push(job)
    else {
      const fresh = [job]
      rows.push(fresh)
      if (job.shares) open.set(job.shares.key, fresh)
    }
  }
  return rows.map(unitOf)
}

/** The fewest requests of jobs: all of one, and of each further one those that it does not share. */
export const leastRequests = (jobs: readonly Job[]): number =>
  unitsOf(jobs)
    .map(leastOf)
    .reduce((sum, count) => sum + count, 0)

const leastOf = ({ jobs }: Pick<Unit, 'jobs'>): number => Math.max(...jobs.map(({ least }) => least)) + jobs.length - 1

/** Units in order of what they tell for their requests. */
const telling = (units: readonly Unit[]): readonly Unit[] =>
  tellingFirst(units, (unit) => ({
    least: leastOf(unit),
    tells: unit.jobs.reduce((sum, { tells }) => sum + tells, 0),
    ...(unit.jobs[0]?.about !== undefined && { about: unit.jobs[0].about }),
  }))

const costOf = (jobs: readonly Job[]): number => jobs.reduce((sum, { cost }) => sum + cost, 0)

const unitOf = (jobs: readonly Job[]): Unit => ({
  jobs,
  locks: summed(jobs.flatMap(({ locks }) => locks)),
  cost: costOf(jobs) + Math.max(...jobs.map(({ waits }) => waits)),
  isFirst: jobs.some(({ begin, isEarly }) => begin !== undefined || isEarly),
  run: async (session) => {
    const [only] = jobs
    if (jobs.length === 1 && only) return new Map([[only, await only.run(session)]])
    const members = new Map(jobs.map((job) => [job, (job.shares as NonNullable<Job['shares']>).take()]))
    const outcomes = await runBundle(session, [...members.values()])
    return new Map([...members].map(([job, { clause }]) => [job, outcomes.get(clause) as ProgramOutcome]))
  },
})

/** The deviations that count, which are those that gate, without those that something seen of this target explains. */
const doubtsOf = (
  { fold }: Session,
  { doubts, sent }: ProgramOutcome,
): Pick<Unclear, 'doubts' | 'explained' | 'last'> => {
  const told = doubts.filter(gates).map((one) => ({ one, by: fold.besideOthers(one) }))
  return {
    doubts: told.flatMap(({ one, by }) => (by ? [] : [one])),
    explained: told.flatMap(({ one, by }) => (by ? [{ id: findingIdOf(one), by }] : [])),
    last: sent.at(-1)?.n ?? 0,
  }
}

const isClear = ({ doubts, untested, isUndone }: ProgramOutcome): boolean =>
  doubts.length === 0 && untested === undefined && !isUndone

/** Whether a program that showed nothing may try again beside others. Confirmations run alone. */
const mayShow = ({ doubts, isPassing }: ProgramOutcome): boolean => doubts.length === 0 && !isPassing

/**
 * Whether a program did not show all that it is there for, because calls of it had no reply of the target itself, or the reply to their
 * repetition, or because an update may have come a second time.
 */
export const isDisturbed = ({ untested, isUndone, doubts, findings, sent }: ProgramOutcome): boolean =>
  doubts.length + findings.length === 0 &&
  (isUndone === true ||
    (untested !== undefined &&
      sent.some(({ outcome, judgement }) => isUnanswered(outcome) || isBriefly(outcome) || wasResent(judgement))))

/** Whether a program did not show its clause as something before the target answered in its place, perhaps every time. */
export const isBarred = ({ untested, sent }: ProgramOutcome): boolean =>
  untested !== undefined && sent.some(({ judgement }) => judgement.assumed?.some((one) => isTraceOf(one, gateway)))

const isBriefly = (outcome: Outcome): boolean => 'status' in outcome && isOfMoment(outcome)

/** So often a program is run again that was disturbed. */
const mostAgain = 2

/** Runs a program, and again where it was disturbed; the outcome that counts. */
export const undisturbed = async (
  run: () => Promise<ProgramOutcome>,
  again: number = mostAgain,
): Promise<ProgramOutcome> => {
  const outcome = await run()
  return isDisturbed(outcome) && again > 0 ? undisturbed(run, again - 1) : outcome
}

/** A session for programs that run alone, with what is to be done between their steps. What that makes is not theirs to remove. */
const tended = (session: Session, upkeep: ScheduleOptions['upkeep']): Session => {
  if (!upkeep) return session
  const keeper = session.hasty()
  return { ...session, tend: () => upkeep(keeper) }
}

/**
 * One after another, those first that tell most; those with a pause begin before all others, and end after them, if there is room for
 * what they make meanwhile. Gives those that were not run yet when it came to be better to run several at a time.
 */
export const runInTurn = async (
  base: Session,
  jobs: readonly Job[],
  options: Omit<ScheduleOptions, 'width'> & { readonly isBetterBeside?: () => boolean },
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

/** Puts off jobs that were disturbed until the others are over, when what disturbed them may be too. */
const createCalm = (onEnd: ScheduleOptions['onEnd']) => {
  const disturbed: Job[] = []
  return {
    onEnd: (job: Job, outcome: ProgramOutcome): void =>
      isDisturbed(outcome) ? void disturbed.push(job) : onEnd(job, outcome),
    end: async (session: Session): Promise<void> => {
      for (const job of disturbed) onEnd(job, await undisturbed(() => job.run(session), mostAgain - 1))
    },
  }
}

/** Of a job that ran when nothing else did. */
const aloneThen = { isBeside: false, causesOf: () => new Set<Job>() }

/** Runs a unit, then by itself each job that was unclear. */
const runUnit = async (session: Session, unit: Unit, options: Omit<ScheduleOptions, 'width'>): Promise<void> => {
  const { onEnd } = options
  const doubts = new Map<Job, Unclear>()
  for (const [job, outcome] of await unit.run(session))
    if (unit.jobs.length === 1 || isClear(outcome)) onEnd(job, outcome)
    else doubts.set(job, { ...doubtsOf(session, outcome), insist: outcome.insist, first: outcome, ...aloneThen })
  await settle(session, unit.jobs, doubts, options)
}

/**
 * A job that shows its clause with nothing amiss counts, whatever ran beside it. One that does not is run again alone, and what
 * then comes of it counts; where what seemed amiss does not show then, so are those beside it that may have caused it.
 */
export const runJobs = async (session: Session, jobs: readonly Job[], options: ScheduleOptions): Promise<void> => {
  const { waiting, ranks } = inLine(unitsOf(jobs), options)
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

/** Orders units: those first that hold up others, or that tell most. Also tells how much each holds up. */
const inLine = (units: readonly Unit[], { isScarce }: Pick<ScheduleOptions, 'isScarce'>) => {
  const ranks = ranksOf(units)
  const holding = units.toSorted((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0))
  return { ranks, waiting: isScarce ? [...telling(units)] : holding }
}

const doubtsIn = (unclear: ReadonlyMap<Job, Unclear>): readonly string[] => [
  ...new Set([...unclear.values()].flatMap(({ doubts }) => doubts.map(findingIdOf))),
]

/** How many jobs deviated. Jobs that only showed nothing may wait until the others have run. */
const countOf = (unclear: ReadonlyMap<Job, Unclear>): number =>
  [...unclear.values()].filter(({ doubts }) => doubts.length > 0).length

/** What may have caused some of the doubts. Signals are heeded in between: after the end nothing runs again. */
const causesIn = async (
  unclear: readonly Unclear[],
  isUnseen: (doubt: Deviation) => boolean,
  isOver: () => boolean,
): Promise<ReadonlySet<Job>> => {
  const causes = new Set<Job>()
  for (const { doubts, causesOf } of unclear) {
    await underWay()
    if (isOver()) break
    for (const job of causesOf(doubts.filter(isUnseen))) causes.add(job)
  }
  return causes
}

/** Runs unclear jobs once more, alone and in the order of all jobs, those first that show a clause: the first to deviate is told, and they are short. */
const settle = async (
  base: Session,
  jobs: readonly Job[],
  unclear: ReadonlyMap<Job, Unclear>,
  { isOver, onEnd, upkeep }: Omit<ScheduleOptions, 'width'>,
): Promise<void> => {
  const session = tended(base, upkeep)
  const before = session.found.size
  const alone = new Map<Job, ProgramOutcome>()
  const inOrder = jobs.toSorted((one, other) => Number(one.about === undefined) - Number(other.about === undefined))
  const isUnseen = (doubt: Deviation): boolean => !session.found.has(findingIdOf(doubt))
  const isOpen = (doubt: Deviation): boolean => isUnseen(doubt) || session.memory.unconfirmed.has(findingIdOf(doubt))
  const again = async (job: Job): Promise<ProgramOutcome> => {
    const { budget } = session.memory
    const { clock } = session.options
    const one = unclear.get(job)
    if (!one || one.doubts.length === 0 || one.doubts.some(isOpen)) return job.run(session)
    return budget.isSpent(clock()) ? asFirst(one) : budget.during(clock, () => job.run(session))
  }
  const runAlone = async (some: (job: Job) => boolean): Promise<void> => {
    for (const job of inOrder) {
      if (!some(job) || alone.has(job) || isOver()) continue
      if (doubtsIn(unclear).length > 0) session.spare()
      alone.set(job, await again(job))
    }
  }
  await runAlone((job) => unclear.has(job))
  const causes = await causesIn([...unclear.values()], isUnseen, isOver)
  await runAlone((job) => causes.has(job))
  const isExplained = session.found.size > before
  const more: Finding[] = []
  for (const [job, outcome] of alone) if (!unclear.has(job)) more.push(...outcome.findings)
  for (const [job, one] of unclear) {
    const outcome = alone.get(job)
    if (!outcome) continue
    noteExplained(session, one)
    if (!isExplained)
      for (const doubt of one.doubts.filter(isUnseen)) more.push(...(await tellUnseen(session, job, one, doubt)))
    onEnd(job, { ...outcome, findings: [...outcome.findings, ...more.splice(0)] })
  }
}

/** What came of a job that is not run again, as it had shown nothing but what was found meanwhile. */
const asFirst = ({ first }: Unclear): ProgramOutcome => ({
  findings: [],
  exercised: first.exercised,
  sent: first.sent,
  doubts: [],
  ...(!first.exercised && { untested: first.untested ?? onlyFound }),
})

const onlyFound =
  'it showed only what was found already, and there was no time to run it again by itself, as so much was found'

/** Records what was assumed of the deviations that did not show alone. */
const noteExplained = ({ found, options }: Session, { explained, last }: Unclear): void => {
  for (const { id, by } of explained)
    if (!found.has(id)) options.emit({ type: 'assumed', n: last, assumed: traceOf(by, id) })
}

/** A deviation that does not show alone is dropped, unless nothing else ran when it showed. */
const tellUnseen = async (
  session: Session,
  job: Job,
  { isBeside, insist }: Unclear,
  doubt: Deviation,
): Promise<readonly Finding[]> => {
  const findings = !isBeside ? await insist?.(doubt) : undefined
  if (findings && findings.length > 0) return findings
  tellDoubt(session, job, findingIdOf(doubt))
  return []
}

const tellDoubt = ({ said, options }: Session, { name }: Job, id: string): void => {
  if (said.has(id)) return
  said.add(id)
  const text = `${id} was seen in ${name} together with other programs, and not again alone`
  options.emit({ type: 'trouble', kind: 'inconclusive', text })
}
