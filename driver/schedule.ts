// Runs programs side by side over one belief, and once more alone what was not clear beside others; how a program runs is its own affair.

import type { Doubt, ProgramOutcome } from './conduct.js'
import { reportUnseen } from './findings.js'
import type { Lock } from './locks.js'
import type { Session } from './session.js'

/** A program, or several that go together, as the schedule sees it. */
export interface Job {
  readonly name: string
  readonly locks: readonly Lock[]
  /** About how many requests it sends. */
  readonly cost: number
  /** Whether it has a pause, which others may use even where programs run in turn. */
  readonly isSlow?: boolean
  readonly run: (session: Session) => Promise<ProgramOutcome>
}

export interface ScheduleOptions {
  /** Whether no further program is to begin. */
  readonly isOver: () => boolean
  /** Called once for each job that was run, with what came of it. */
  readonly onEnd: (job: Job, outcome: ProgramOutcome) => void
}

/** Runs all jobs: side by side, as many as calls may be under way at a time; in their order where that is one. */
export const runJobs = (session: Session, jobs: readonly Job[], options: ScheduleOptions): Promise<void> =>
  (session.options.concurrency ?? 1) > 1 ? runBeside(session, jobs, options) : runInTurn(session, jobs, options)

/**
 * A job that shows its clause with nothing amiss counts, whatever ran beside it. One that does not is run again alone, as is all
 * that ran beside a call that seemed amiss; what then comes of it counts.
 */
const runBeside = async (session: Session, jobs: readonly Job[], options: ScheduleOptions): Promise<void> => {
  const waiting = [...ranked(jobs)]
  const running = new Set<Job>()
  const shares = createShares()
  const unclear = new Map<Job, readonly Doubt[]>()
  let isDoubtful = false
  let failure: { readonly error: unknown } | undefined
  let wake = (): void => undefined
  const slots = createSlots(session, () => wake())

  const end = (job: Job, outcome: ProgramOutcome): void => {
    // What it was that another's look met, only those can tell that were under way.
    if (outcome.doubts) for (const other of running) unclear.set(other, unclear.get(other) ?? [])
    if (outcome.doubts || outcome.untested !== undefined) unclear.set(job, outcome.doubts ?? [])
    isDoubtful ||= outcome.doubts !== undefined
    if (!unclear.has(job)) options.onEnd(job, outcome)
  }

  const start = async (job: Job): Promise<void> => {
    running.add(job)
    shares.take(job.locks)
    try {
      await slots.use(async (lend) => end(job, await job.run(session.branch(lend))))
    } catch (error) {
      failure ??= { error }
    }
    running.delete(job)
    shares.give(job.locks)
    wake()
  }

  const startAll = (): void => {
    for (let i = 0; i < waiting.length && slots.areFree(); )
      if (shares.areFree((waiting[i] as Job).locks)) void start(waiting.splice(i, 1)[0] as Job)
      else i += 1
  }

  while (waiting.length > 0 || running.size > 0 || unclear.size > 0) {
    if (failure) throw failure.error
    if (options.isOver()) waiting.length = 0
    const changed = new Promise<void>((resolve) => {
      wake = resolve
    })
    if (!isDoubtful) startAll()
    if (running.size > 0) {
      await changed
      continue
    }
    await settle(
      session,
      new Map(jobs.flatMap((job) => (unclear.has(job) ? [[job, unclear.get(job) ?? []]] : []))),
      options,
    )
    unclear.clear()
    isDoubtful = false
  }
}

/** Runs what was not clear beside others once more, alone; what was amiss and is not any more is told as it was seen. */
const settle = async (
  session: Session,
  unclear: ReadonlyMap<Job, readonly Doubt[]>,
  { isOver, onEnd }: ScheduleOptions,
): Promise<void> => {
  // How creations fared while others made and removed tells nothing of a quota.
  session.attempts.clear()
  const outcomes = new Map<Job, ProgramOutcome>()
  for (const job of unclear.keys()) if (!isOver()) outcomes.set(job, await job.run(session))
  // Where the fault itself shows alone, what others saw of it tells nothing more.
  const isExplained = [...outcomes.values()].some(({ findings }) => findings.length > 0)
  for (const [job, outcome] of outcomes) {
    const unseen = isExplained ? [] : (unclear.get(job) ?? [])
    const more = unseen.flatMap(({ deviation, sent }) => reportUnseen(session, deviation, sent))
    onEnd(job, { ...outcome, findings: [...outcome.findings, ...more] })
  }
}

/** One after another. Those with a pause begin before all others, which run meanwhile. */
const runInTurn = async (session: Session, jobs: readonly Job[], { isOver, onEnd }: ScheduleOptions): Promise<void> => {
  const slots = createSlots(session)
  const inTurn = async (job: Job): Promise<void> => {
    if (!isOver()) onEnd(job, await slots.use((lend) => job.run(job.isSlow ? session.branch(lend) : session)))
  }
  const slow = Promise.all(jobs.filter(({ isSlow }) => isSlow).map(inTurn))
  for (const job of jobs) if (!job.isSlow) await inTurn(job)
  await slow
}

/** Those first that are at the head of the longest chain of jobs that cannot go side by side. */
const ranked = (jobs: readonly Job[]): readonly Job[] => {
  const chains = new Map<string, number>()
  const ranks = new Map<Job, number>()
  for (const job of jobs.toReversed()) {
    const lengths = job.locks.map(({ key, amount, capacity }) => {
      const length = (chains.get(key) ?? 0) + (job.cost * amount) / capacity
      chains.set(key, length)
      return length
    })
    ranks.set(job, Math.max(job.isSlow ? Number.POSITIVE_INFINITY : job.cost, ...lengths))
  }
  return [...jobs].sort((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0))
}

/** What is taken of what there is, by key. */
const createShares = () => {
  const taken = new Map<string, number>()
  const add = (locks: readonly Lock[], sign: 1 | -1): void => {
    for (const { key, amount } of locks) taken.set(key, (taken.get(key) ?? 0) + sign * amount)
  }
  return {
    take: (locks: readonly Lock[]) => add(locks, 1),
    give: (locks: readonly Lock[]) => add(locks, -1),
    areFree: (locks: readonly Lock[]): boolean =>
      locks.every(({ key, amount, capacity }) => (taken.get(key) ?? 0) + amount <= capacity),
  }
}

type Sleep = (ms: number) => Promise<void>

/** Places for programs under way; one that sleeps lends its place to another, and then waits for one. */
const createSlots = ({ options: { concurrency = 1, sleep } }: Session, onLent: () => void = () => undefined) => {
  let free = concurrency
  const queue: (() => void)[] = []
  const take = async (): Promise<void> => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => void queue.push(resolve))
  }
  const give = (): void => {
    const next = queue.shift()
    if (next) next()
    else free += 1
  }
  const lend: Sleep = async (ms) => {
    give()
    onLent()
    await sleep(ms)
    await take()
  }
  return {
    areFree: (): boolean => free > 0,
    use: async <T>(what: (lend: Sleep) => Promise<T>): Promise<T> => {
      await take()
      try {
        return await what(lend)
      } finally {
        give()
      }
    },
  }
}
