// Programs that arrange the same and differ in what is refused, run as one: arranged once, looked at once, and twins that are alike sent once.

import { likeness, refsIn } from '../arbitraries/likeness.js'
import type { Finding } from '../history/record.js'
import { operationById } from '../models/index.js'
import type { Clause } from '../models/language/derive.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { CallStep, Program } from '../models/language/plan.js'
import type { Deviation } from '../oracle/judgement.js'
import { findingIdOf } from '../oracle/shrink.js'
import { clean } from './clean-up.js'
import { type ProgramOutcome, perform, performAll, restoreAll } from './conduct.js'
import { report } from './findings.js'
import { lookAfter } from './look.js'
import { begin, type Running } from './running.js'
import type { Sent, Session } from './session.js'

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
  readonly twins: readonly CallStep[]
  readonly restore: readonly CallStep[]
}

const roles = ['arrange', 'probe', 'twin'] as const

/** Splits a program that arranges, is refused and is accepted, in this order; undefined for another kind of program. */
const partsOf = ({ steps, restore = [], pause }: Program): Parts | undefined => {
  if (pause || !steps.every((step): step is CallStep => !('hook' in step) && !isDelicate(step))) return undefined
  const calls = steps as readonly CallStep[]
  const [arranged = [], probes = [], twins = []] = roles.map((role) => calls.filter((step) => partOf(step) === role))
  const inOrder = [...arranged, ...probes, ...twins]
  const isPlain = inOrder.length === calls.length && inOrder.every((step, i) => step === calls[i])
  const isOnArranged = refsIn([calls.slice(arranged.length), restore]).every(({ $step }) => $step < arranged.length)
  return isPlain && isOnArranged && probes.length > 0 && twins.length > 0
    ? { arranged, probes, twins, restore }
    : undefined
}

/** What has further members is refused as well, whatever it shows. */
const partOf = ({ role, fuller }: CallStep): CallStep['role'] => (fuller ? 'probe' : role)

const isDelicate = ({ unsettled, patient, unwatched, file }: CallStep): boolean =>
  unsettled === true || patient === true || unwatched === true || file !== undefined

/** Programs with the same key can be run as one; undefined where a program runs by itself. */
export const bundleKey = (clause: Clause, program: Program, nonce: string): string | undefined => {
  const parts = partsOf(program)
  const op = operationById(clause.operation)
  if (!parts || !op || (op.guarded !== undefined && !op.makes)) return undefined
  if ([...parts.probes, ...parts.twins].some(({ operation }) => operation !== op.id)) return undefined
  // If a twin changes its resource so that another may be refused, the twins must be alike.
  const isRepeatable = op.method === 'GET' || op.method === 'PUT' || op.makes !== undefined
  const alike = [parts.arranged, parts.restore, isRepeatable ? [] : parts.twins]
  return `${op.id} ${likeness(alike, nonce)}`
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
  const insist = async (doubt: Deviation): Promise<readonly Finding[]> => {
    // An earlier acceptance may be the reason for this refusal.
    if (doubt.kind !== 'accepted') return []
    const { spotted } = session.end({ program, instance, beside: true, tells: [findingIdOf(doubt)] })
    return report(running, spotted)
  }
  const outcomeOf = (clause: Clause): ProgramOutcome => {
    const exercised = held.includes(clause.id)
    const untested = exercised ? undefined : (stopped ?? 'it was not decided among others')
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
  const parts = members.map(({ clause, program }) => ({ clause, ...(partsOf(program) as Parts) }))
  const stopped = await performAll(running, parts[0]?.arranged ?? [])
  if (stopped !== undefined) return stopped
  const probes = parts.flatMap(({ clause, probes: own }) =>
    own.map((probe): Needed => ({ step: { ...probe, unwatched: true }, clauses: [clause] })),
  )
  const probed = await performEach(running, probes, calls)
  if (probed.length < probes.length) return undefined
  const looking: Running = { ...running, looked: new Set() }
  for (const one of probed.toReversed()) if (one && one.op.method !== 'GET') await lookAfter(looking, one.op, one)
  for (const twin of alikeOnce(parts, running.session.context.nonce)) {
    const { creations } = running.session
    const before = creations.length
    await performEach(running, [twin], calls)
    // There may be no room for another one beside what it made.
    if (creations.length > before) await clean(running.session, { ...running.origin, phase: 'clean-up' }, before)
  }
  return undefined
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

/** The twins of all programs; equal ones once. */
const alikeOnce = (parts: readonly (Parts & { readonly clause: Clause })[], nonce: string): readonly Needed[] => {
  const needed = new Map<string, Needed>()
  for (const { clause, twins } of parts)
    for (const step of twins) {
      const key = likeness(step, nonce)
      const known = getOrInsert(needed, key, () => ({ step, clauses: [] }))
      if (!known.clauses.includes(clause)) known.clauses.push(clause)
    }
  return [...needed.values()]
}
