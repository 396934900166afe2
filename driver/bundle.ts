// Programs that arrange the same and differ in what they send then, run as one: arranged once, looked at once, and twins that are alike sent once.

import { likeness, refsIn } from '../arbitraries/likeness.js'
import type { Finding } from '../history/record.js'
import { operationById } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { CallStep, Program } from '../models/language/plan.js'
import type { Deviation } from '../oracle/judgement.js'
import { clean } from './clean-up.js'
import { type ProgramOutcome, performAll, reportDoubted, restoreAll } from './conduct.js'
import { report } from './findings.js'
import { lookAfter } from './look.js'
import { begin, type Running } from './running.js'
import type { Sent, Session } from './session.js'
import { perform } from './step.js'

/** The most programs of a bundle. If one of them deviates all are run again, and more would gain little. */
export const mostTogether = 12

/** The program of a clause. */
export interface Member {
  readonly clause: Clause
  readonly program: Program
}

interface Parts {
  readonly arranged: readonly CallStep[]
  readonly probes: readonly CallStep[]
  /** What may be accepted or refused. */
  readonly checks: readonly CallStep[]
  readonly twins: readonly CallStep[]
  /** What is refused again after the twins. */
  readonly again: readonly CallStep[]
  readonly restore: readonly CallStep[]
}

/** In which order a program has its parts. */
const rank = { arrange: 0, probe: 1, check: 1, twin: 2, again: 3 } as const

/**
 * Splits a program that arranges, is refused, is accepted and may be refused again, in this order, or that arranges and checks; undefined
 * for another kind of program.
 */
const partsOf = ({ steps, restore = [], pause }: Program): Parts | undefined => {
  if (pause || !steps.every((step): step is CallStep => !('hook' in step) && !isDelicate(step))) return undefined
  const calls = steps as readonly CallStep[]
  const firstTwin = calls.findIndex(({ role }) => role === 'twin')
  const names = calls.map((step, at) => (partOf(step) === 'probe' && at > firstTwin ? 'again' : partOf(step)))
  const of = (part: keyof typeof rank): readonly CallStep[] => calls.filter((_, at) => names[at] === part)
  const [arranged, probes, twins] = [of('arrange'), of('probe'), of('twin')]
  const isInOrder = names.every((part, at) => at === 0 || rank[part] >= rank[names[at - 1] ?? part])
  const isOnArranged = refsIn([calls.slice(arranged.length), restore]).every(({ $step }) => $step < arranged.length)
  const isRefusal = probes.length > 0 && twins.length > 0
  const isCheck = probes.length + twins.length === 0 && arranged.length > 0
  return isInOrder && isOnArranged && (isRefusal || isCheck)
    ? { arranged, probes, checks: of('check'), twins, again: of('again'), restore }
    : undefined
}

/** What has further members is refused as well, whatever it shows. */
const partOf = ({ role, fuller }: CallStep): CallStep['role'] => (fuller ? 'probe' : role)

const isDelicate = ({ unsettled, patient, unwatched, file, unless, provided }: CallStep): boolean =>
  [unsettled, patient, unwatched, file, unless, provided].some((one) => one !== undefined)

/** Programs with the same key can be run as one; undefined where a program runs by itself. */
export const bundleKey = (clause: Clause, program: Program, nonce: string): string | undefined => {
  const own = partsOf(program)
  const op = operationById(clause.operation)
  if (!own || !op) return undefined
  const { arranged, probes, checks, twins, again, restore } = own
  if ([probes, checks, twins, again].flat().some(({ operation }) => operation !== op.id)) return undefined
  // If a twin changes its resource so that another may be refused, the twins must be alike.
  const isUpdate = op.method === 'GET' || op.method === 'PUT'
  const alike = [arranged, restore, isUpdate || op.makes ? [] : [...checks, ...twins]]
  // What looks and updates can be sent to what others have looked at and updated.
  return `${isUpdate ? '' : op.id} ${likeness(alike, nonce)}`
}

/** Runs programs as one. A deviation here is no finding: programs that are not clear run again by themselves. */
export const runBundle = async (
  session: Session,
  members: readonly Member[],
): Promise<ReadonlyMap<Clause, ProgramOutcome>> => {
  const name = `${members[0]?.clause.operation}, ${members.length} clauses`
  const running = begin(session, name, { beside: true })
  const calls = new Map<Clause, number[]>(members.map(({ clause }) => [clause, []]))
  const stopped = await performTogether(running, members, calls)
  const { program, instance } = running.origin
  await restoreAll(running, members[0]?.program.restore)
  await clean(session, { ...running.origin, phase: 'clean-up' }, running.from)
  const {
    doubts,
    held,
    open = [],
    isUndone,
    spotted: insisted,
  } = session.end({
    program,
    instance,
    beside: true,
    ...(stopped !== undefined && { stopped }),
    shows: [...calls].map(([{ id }, numbers]) => ({ clause: id, calls: numbers })),
  })
  // What an operation that fell silent meanwhile shows, no other run of these programs would.
  const findings = await report(running, insisted)
  // An earlier acceptance may be the reason for a refusal.
  const insist = async (doubt: Deviation): Promise<readonly Finding[]> =>
    doubt.kind === 'accepted' ? reportDoubted(running, doubt) : []
  const outcomeOf = (clause: Clause): ProgramOutcome => {
    const exercised = held.includes(clause.id)
    const untested = stopped ?? (open.includes(clause.id) ? 'it was not decided among others' : undefined)
    const more = { ...(untested !== undefined && { untested }), insist }
    return { findings, sent: running.sent, doubts, exercised, ...(isUndone && { isUndone }), ...more }
  }
  return new Map(members.map(({ clause }) => [clause, outcomeOf(clause)]))
}

/** A call that several clauses need. */
interface Needed {
  readonly step: CallStep
  readonly clauses: Clause[]
}

/** Sends the refused calls first, since they change nothing. Stops at a deviation, and tells why it could not go on. */
const performTogether = async (
  running: Running,
  members: readonly Member[],
  calls: ReadonlyMap<Clause, number[]>,
): Promise<string | undefined> => {
  const all = members.map(({ clause, program }) => ({ clause, ...(partsOf(program) as Parts) }))
  const stopped = await performAll(running, all[0]?.arranged ?? [])
  if (stopped !== undefined) return stopped
  if (!(await performRefused(running, neededFor(all, 'probes'), calls))) return undefined
  const { context, creations } = running.session
  for (const call of [...alikeOnce(all, 'checks', context.nonce), ...alikeOnce(all, 'twins', context.nonce)]) {
    const before = creations.length
    await performEach(running, [call], calls)
    // There may be no room for another one beside what it made.
    if (creations.length > before) await clean(running.session, { ...running.origin, phase: 'clean-up' }, before)
  }
  await performRefused(running, neededFor(all, 'again'), calls)
  return undefined
}

/** Performs calls that are to be refused, then looks once at what they must not have changed; false where one deviated. */
const performRefused = async (
  running: Running,
  needed: readonly Needed[],
  calls: ReadonlyMap<Clause, number[]>,
): Promise<boolean> => {
  const unwatched = needed.map(({ step, clauses }): Needed => ({ step: { ...step, unwatched: true }, clauses }))
  const performed = await performEach(running, unwatched, calls)
  if (performed.length < needed.length) return false
  const looking: Running = { ...running, looked: new Set() }
  for (const one of performed.toReversed()) if (one && one.op.method !== 'GET') await lookAfter(looking, one.op, one)
  return true
}

/** Performs calls one after another until one deviates; tells what was sent for each. */
const performEach = async (
  running: Running,
  needed: readonly Needed[],
  calls: ReadonlyMap<Clause, number[]>,
): Promise<readonly (Sent | undefined)[]> => {
  const { session, origin } = running
  const performed: (Sent | undefined)[] = []
  for (const one of needed) {
    if (session.fold.spottedIn(origin.instance).length > 0) break
    performed.push(await performFor(running, one, calls))
  }
  return performed
}

const performFor = async (
  running: Running,
  { step, clauses }: Needed,
  calls: ReadonlyMap<Clause, number[]>,
): Promise<Sent | undefined> => {
  const { origin, sent } = running
  const before = sent.length
  await perform({ ...running, origin: { ...origin, clause: (clauses[0] as Clause).id } }, step)
  const one = sent.slice(before).find(({ role }) => role === step.role)
  for (const clause of clauses) if (one) calls.get(clause)?.push(one.n)
  return one
}

interface OfClause extends Parts {
  readonly clause: Clause
}

/** The calls of a part of all programs. */
const neededFor = (all: readonly OfClause[], part: 'probes' | 'checks' | 'twins' | 'again'): readonly Needed[] =>
  all.flatMap(({ clause, [part]: steps }) => steps.map((step): Needed => ({ step, clauses: [clause] })))

/** The calls of a part of all programs; equal ones once. */
const alikeOnce = (all: readonly OfClause[], part: 'checks' | 'twins', nonce: string): readonly Needed[] => {
  const needed = new Map<string, Needed>()
  for (const { step, clauses } of neededFor(all, part)) {
    const known = getOrInsert(needed, likeness(step, nonce), () => ({ step, clauses: [] }))
    known.clauses.push(...clauses.filter((clause) => !known.clauses.includes(clause)))
  }
  return [...needed.values()]
}
