// Runs again alone what was unclear beside others, and what may have caused it; what then comes of it counts.

import { setImmediate as underWay } from 'node:timers/promises'
import type { Finding } from '../history/record.js'
import { isAgainstTargetFile, isStillSo } from '../oracle/bracket.js'
import { type Explanation, traceOf } from '../oracle/explanations/explanation.js'
import { type Deviation, findingIdOf, gates } from '../oracle/judgement.js'
import type { ProgramOutcome } from './conduct.js'
import { lookAgain } from './disputes.js'
import type { Session } from './session.js'
import type { Job, Unit } from './units.js'

export interface AloneOptions {
  /** Whether no further program is to begin. */
  readonly isOver: () => boolean
  /** Called between steps of programs, with a session for calls of its own. */
  readonly upkeep?: (session: Session) => Promise<void>
  /** Called once for each job, with its result. */
  readonly onEnd: (job: Job, outcome: ProgramOutcome) => void
}

/** A job that ran beside others and is to run again alone. */
export interface Unclear {
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

/** The deviations that count, which are those that gate, without those that something seen of this target explains. */
export const doubtsOf = (
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

export const isClear = ({ doubts, untested, isUndone }: ProgramOutcome): boolean =>
  doubts.length === 0 && untested === undefined && !isUndone

/** A session for programs that run alone, with what is to be done between their steps. What that makes is not theirs to remove. */
export const tended = (session: Session, upkeep: AloneOptions['upkeep']): Session => {
  if (!upkeep) return session
  const keeper = session.hasty()
  return { ...session, tend: () => upkeep(keeper) }
}

/** Of a job that ran when nothing else did. */
const aloneThen = { isBeside: false, causesOf: () => new Set<Job>() }

/** Runs a unit, then by itself each job that was unclear. */
export const runUnit = async (session: Session, unit: Unit, options: AloneOptions): Promise<void> => {
  const { onEnd } = options
  const doubts = new Map<Job, Unclear>()
  for (const [job, outcome] of await unit.run(session))
    if (unit.jobs.length === 1 || isClear(outcome)) onEnd(job, outcome)
    else doubts.set(job, { ...doubtsOf(session, outcome), insist: outcome.insist, first: outcome, ...aloneThen })
  await settle(session, unit.jobs, doubts, options)
}

export const doubtsIn = (unclear: ReadonlyMap<Job, Unclear>): readonly string[] => [
  ...new Set([...unclear.values()].flatMap(({ doubts }) => doubts.map(findingIdOf))),
]

/** How many jobs deviated. Jobs that only showed nothing may wait until the others have run. */
export const countOf = (unclear: ReadonlyMap<Job, Unclear>): number =>
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
export const settle = async (
  base: Session,
  jobs: readonly Job[],
  unclear: ReadonlyMap<Job, Unclear>,
  { isOver, onEnd, upkeep }: AloneOptions,
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
  await lookAgain(session)
  await runAlone((job) => unclear.has(job))
  const causes = await causesIn([...unclear.values()], isUnseen, isOver)
  await runAlone((job) => causes.has(job))
  const isExplained = (): boolean => session.found.size > before
  // What goes wrong every second time, or left behind what the second program would have brought about, shows once more.
  const isDoubtful = (job: Job): boolean => unclear.get(job)?.doubts.some(isUnseen) === true
  for (const job of inOrder.filter(isDoubtful).slice(0, mostAgain))
    if (!isOver() && !isExplained()) alone.set(job, withFindingsOf(alone.get(job), await again(job)))
  const more: Finding[] = []
  for (const [job, outcome] of alone) if (!unclear.has(job)) more.push(...outcome.findings)
  for (const [job, one] of unclear) {
    const outcome = alone.get(job)
    if (!outcome) continue
    noteExplained(session, one)
    if (!isExplained())
      for (const doubt of one.doubts.filter(isUnseen)) more.push(...(await tellUnseen(session, job, one, doubt)))
    onEnd(job, { ...outcome, findings: [...outcome.findings, ...more.splice(0)] })
  }
}

/** So many jobs run a third time of those that deviated, and not again alone. */
const mostAgain = 6

/** What came of a job that was run alone twice. */
const withFindingsOf = (first: ProgramOutcome | undefined, second: ProgramOutcome): ProgramOutcome => ({
  ...(first ?? second),
  findings: [...(first?.findings ?? []), ...second.findings],
})

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

/**
 * A deviation that does not show alone is dropped, unless nothing else that ran when it showed can have caused it. What was changed then
 * may be so for good, as on what is lent: nothing changes once more.
 */
const tellUnseen = async (
  session: Session,
  job: Job,
  { isBeside, insist, causesOf }: Unclear,
  doubt: Deviation,
): Promise<readonly Finding[]> => {
  const isOfNoOther = (): boolean => isStillSo(session.world(), doubt) && causesOf([doubt]).size === 0
  const isOwn = !isBeside || isAgainstTargetFile(doubt) || isOfNoOther()
  const findings = isOwn ? await insist?.(doubt) : undefined
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
