// Programs as the schedule sees them, grouped to be run as one where they share what they arrange, and the order in which they go.

import { type Member, mostTogether, runBundle } from './bundle.js'
import type { ProgramOutcome } from './conduct.js'
import { type Lock, summed } from './locks.js'
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

/** Jobs that are run as one. */
export interface Unit {
  readonly jobs: readonly Job[]
  readonly locks: readonly Lock[]
  readonly cost: number
  readonly isFirst: boolean
  readonly run: (session: Session) => Promise<ReadonlyMap<Job, ProgramOutcome>>
}

/** The most jobs run as one: longer units would hold up what waits for their locks. */
const longestTogether = 300

/** Groups jobs that can share what they arrange. */
export const unitsOf = (jobs: readonly Job[]): readonly Unit[] => {
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
export const telling = (units: readonly Unit[]): readonly Unit[] =>
  tellingFirst(units, (unit) => ({
    least: leastOf(unit),
    tells: unit.jobs.reduce((sum, { tells }) => sum + tells, 0),
    ...(unit.jobs[0]?.about !== undefined && { about: unit.jobs[0].about }),
  }))

const costOf = (jobs: readonly Job[]): number => jobs.reduce((sum, { cost }) => sum + cost, 0)

export const unitOf = (jobs: readonly Job[]): Unit => ({
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

/** Orders units: those first that hold up others, or that tell most. Also tells how much each holds up. */
export const inLine = (units: readonly Unit[], isScarce = false) => {
  const ranks = ranksOf(units)
  const holding = units.toSorted((one, other) => (ranks.get(other) ?? 0) - (ranks.get(one) ?? 0))
  return { ranks, waiting: isScarce ? [...telling(units)] : holding }
}
