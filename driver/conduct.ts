// Runs the steps of programs in a session: fills in what earlier ones made, waits for rest, and reports findings and evidence.

import isEqual from 'fast-deep-equal'
import { refsIn } from '../arbitraries/likeness.js'
import { buildCall, recorded } from '../history/calls.js'
import type { Finding } from '../history/record.js'
import { operationById } from '../models/index.js'
import type { Operation } from '../models/language/operation.js'
import type { Args, CallStep, Step } from '../models/language/plan.js'
import { isLatent } from '../models/language/world.js'
import { certain, type Expectation } from '../oracle/due.js'
import { expectationOf } from '../oracle/judge.js'
import type { Deviation } from '../oracle/judgement.js'
import { clean, tellGone } from './clean-up.js'
import { report } from './findings.js'
import { HookError } from './hooks.js'
import { firstLook, isFamiliar, lookAfter, noteLook } from './look.js'
import { reportQuota, tryQuota } from './quota.js'
import { bide, settle } from './rest.js'
import { concrete, type Running, resolve, subjectOf } from './running.js'
import type { Sent, Session } from './session.js'
import { discover } from './survey.js'

export interface ProgramOutcome {
  readonly findings: readonly Finding[]
  /** Why the program did not show its clause, where it did not. */
  readonly untested?: string
  /** Set where it did not because of what others may do to the target. */
  readonly mayBeOthers?: true
  readonly exercised: boolean
  /** Set where an update may have come a second time: the program is to run again. */
  readonly isUndone?: true
  readonly sent: readonly Sent[]
  /** Deviations seen while other programs ran beside it. */
  readonly doubts: readonly Deviation[]
  /** Reports deviations that did not show again alone, if other programs cannot have caused them. */
  readonly insist?: (doubt: Deviation) => Promise<readonly Finding[]>
}

/** Reports what a program has shown, puts back what it changed, and removes what it made. */
export const finish = async (
  running: Running,
  stopped?: string,
  restore: readonly CallStep[] = [],
): Promise<ProgramOutcome> => {
  const { spotted, doubts, isExercised, untested, mayBeOthers, isUndone } = await close(running, stopped, restore)
  // Only now, so that showing a finding again does not depend on what the program made.
  const findings = await report(running, spotted)
  return {
    findings,
    exercised: isExercised,
    sent: running.sent,
    doubts,
    ...(untested !== undefined && { untested }),
    ...(mayBeOthers && { mayBeOthers }),
    ...(isUndone && { isUndone }),
  }
}

/** Puts back what a program changed and removes what it made, and reports nothing. */
export const close = async (running: Running, stopped?: string, restore: readonly CallStep[] = []) => {
  const { session, origin } = running
  // A program that stopped before its end leaves nothing under way.
  for (const { hook, args } of running.unended.values())
    await hookFailure(session.callHook(origin, hook, [...args.slice(0, -1), false]))
  await restoreAll(running, restore)
  await clean(session, { ...origin, phase: 'clean-up' }, running.from)
  tellGone(session)
  const { program, instance, beside, clause, phase } = origin
  return session.end({
    program,
    instance,
    ...(beside && { beside }),
    ...(clause !== undefined && { clause }),
    ...(phase !== undefined && { phase }),
    ...(stopped !== undefined && { stopped }),
  })
}

/** Puts back the fixtures that a program changed, then looks at each of them once. */
export const restoreAll = async (running: Running, steps: readonly CallStep[] = []): Promise<void> => {
  const { session } = running
  const origin = { ...running.origin, phase: 'restore' as const }
  const restoring: Running = { ...running, origin, sent: [], looked: new Set() }
  const last = steps.length - 1
  for (const [i, step] of steps.entries()) await runStep(restoring, i < last ? { ...step, unwatched: true } : step)
  const writes = restoring.sent.filter(({ op, phase }) => op.method !== 'GET' && phase === 'restore')
  await session.each(writes.slice(0, -1), (sent) => lookAfter(restoring, sent.op, sent))
}

/**
 * Performs the steps one after another, reads in a row together, and those that follow a write together with the looks after it; the text
 * says why it stopped before the end.
 */
export const performAll = async (running: Running, steps: readonly Step[]): Promise<string | undefined> => {
  for (let at = 0; at < steps.length; ) {
    await running.session.tend()
    const reads = readsAt(running, steps, at)
    const step = steps[at] as Step
    const following = (): readonly CallStep[] => {
      const next = readsAt(running, steps, at)
      at += next.length
      return next
    }
    at += Math.max(1, reads.length)
    const stop =
      reads.length > 1
        ? await performReads(running, reads)
        : await perform(running, isSeenWith(step, steps[at]) ? { ...step, unwatched: true } : step, following)
    if (stop !== undefined) return stop
  }
  return undefined
}

/** The reads from there on that follow each other, and of which none names what another one shows. */
const readsAt = ({ subjects }: Running, steps: readonly Step[], at: number): readonly CallStep[] => {
  const isRead = (step: Step): step is CallStep =>
    !('hook' in step) &&
    operationById(step.operation)?.method === 'GET' &&
    [step.unless, step.provided, step.patient, step.fuller].every((one) => one === undefined) &&
    refsIn(step).every(({ $step }) => $step < subjects.length)
  const end = steps.findIndex((step, i) => i >= at && !isRead(step))
  return steps.slice(at, end < 0 ? steps.length : end).filter(isRead)
}

/** Performs reads at once where programs run side by side, when what they name has come to rest. */
const performReads = async (running: Running, reads: readonly CallStep[]): Promise<string | undefined> => {
  for (const step of reads) {
    const unready = await makeReady(running, operationById(step.operation) as Operation, step)
    if (unready !== undefined) return unready
  }
  const { session, subjects } = running
  const from = subjects.length
  const each = reads.map((step) => ({
    step,
    own: { ...running, sent: [], subjects: [...subjects], accepted: new Set<number>() },
  }))
  const stops = await session.each(each, ({ step, own }) => perform(own, step))
  for (const { own } of each) {
    running.sent.push(...own.sent)
    if (own.accepted.has(from)) running.accepted.add(subjects.length)
    subjects.push(own.subjects[from])
  }
  return stops.find((stop) => stop !== undefined)
}

/** Whether the look after the next step shows what this one may have changed as well: both are refused, and are about the same. */
const isSeenWith = (step: Step, next: Step | undefined): step is CallStep =>
  next !== undefined &&
  !('hook' in step || 'hook' in next) &&
  step.role === 'probe' &&
  next.role === 'probe' &&
  step.operation === next.operation &&
  (step.as === next.as || operationById(step.operation)?.makes === undefined) &&
  isEqual(step.path, next.path) &&
  next.fuller === undefined &&
  !next.unwatched

/**
 * Performs one step of a program; the text says why the program cannot go on.
 * @param following takes the reads that follow, to be performed with the looks after a write
 */
export const perform = async (running: Running, step: Step, following?: Following): Promise<string | undefined> => {
  if (running.session.isOver()) return 'the run was over'
  if (!('hook' in step)) return isLeftOut(running, step) ? undefined : runStep(running, step, following)
  if (!running.session.options.hooks[step.hook]) return `the target file has no hook ${step.hook}`
  const args = resolve(running, step.args)
  const failed = await hookFailure(running.session.callHook(running.origin, step.hook, args))
  if (failed !== undefined) return failed
  const named = JSON.stringify([step.hook, ...args.slice(0, -1)])
  if (args.at(-1) === true) running.unended.set(named, { ...step, args })
  else running.unended.delete(named)
  running.subjects.push(undefined)
  return undefined
}

const isLeftOut = ({ accepted, subjects }: Running, { unless, provided }: CallStep): boolean => {
  const isOut = (unless !== undefined && accepted.has(unless)) || (provided !== undefined && !accepted.has(provided))
  if (isOut) subjects.push(undefined)
  return isOut
}

/** Why a hook failed; undefined if it did not. */
const hookFailure = (called: Promise<void>): Promise<string | undefined> =>
  called.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof HookError) return error.message
      throw error
    },
  )

type Following = () => readonly CallStep[]

const runStep = async (
  running: Running,
  step: CallStep,
  following: Following = () => [],
): Promise<string | undefined> => {
  const { session, origin } = running
  const op = operationById(step.operation)
  if (!op) return `suite defect: no operation ${step.operation}`
  const silent = session.fold.silence(op.id)
  if (silent !== undefined) return silent
  const unready = await makeReady(running, op, step)
  if (unready !== undefined) return unready
  const args = fullerArgs(session, op, concrete(running, step), step)
  if (args === undefined) return void running.subjects.push(undefined)
  if (step.patient) await bide(session, op, args)
  const isWatched = op.method !== 'GET' && !step.unwatched && !isFamiliar(running, op, step)
  const sent = await session.send(origin, op, args, step.role, (call, outcome) =>
    isWatched ? firstLook(session, op, call, outcome) : undefined,
  )
  running.sent.push(sent)
  if (sent.judgement.accepted === true) running.accepted.add(running.subjects.length)
  running.subjects.push(subjectOf(running, op, sent))
  if (await tryQuota(running, sent, step)) reportQuota(session, op, sent)
  const isInVain = step.role === 'arrange' && sent.judgement.accepted !== true && op.method !== 'GET'
  const stop = isWatched ? await watch(running, sent, step, isInVain ? [] : following()) : undefined
  return isInVain ? `${op.id} was not accepted while arranging` : stop
}

/** Looks at what a write has done, and performs the reads that follow it. */
const watch = async (
  running: Running,
  sent: Sent,
  step: CallStep,
  reads: readonly CallStep[],
): Promise<string | undefined> => {
  const look = async (): Promise<undefined> => {
    await lookAfter(running, sent.op, sent)
    noteLook(running, sent.op, step)
  }
  const [, stop] = await running.session.each([look, () => performReads(running, reads)], (one) => one())
  return stop
}

/**
 * The call with the further members, or else with each that leaves it refused for the same reasons; undefined where there is none
 * such. As a check it is the call with all of them, where it is refused as surely, whatever else is open.
 */
const fullerArgs = (session: Session, op: Operation, args: Args, { role, fuller }: CallStep): Args | undefined => {
  if (!fuller) return args
  const expected = (given: Args): Expectation =>
    expectationOf(session.world(), op, recorded(buildCall(op, given, session.options.attachmentField)))
  const plain = expected(args)
  if (plain.kind !== 'refuse') return undefined
  const all = { ...args, body: { ...args.body, ...fuller } }
  if (role === 'check') return isEqual(surely(expected(all)), surely(plain)) ? all : undefined
  if (isEqual(expected(all), plain)) return all
  let more = args
  for (const [name, value] of Object.entries(fuller)) {
    const next = { ...more, body: { ...more.body, [name]: value } }
    if (isEqual(expected(next), plain)) more = next
  }
  return more === args ? undefined : more
}

const surely = (expectation: Expectation): readonly string[] => certain(expectation).map(({ clause }) => clause.id)

/** Makes sure that everything a step names has an id and has come to rest; the text says why that is impossible. */
export const makeReady = async (running: Running, op: Operation, step: CallStep): Promise<string | undefined> => {
  const { session, origin, sent } = running
  for (const found of refsIn([step.path, step.query, step.body])) {
    const subject = running.subjects[found.$step]
    if (!subject) return `an earlier step made nothing that ${op.id} could name`
    const { table, key, path } = subject
    const isTold = (): boolean => !isLatent(key())
    if (!isTold()) sent.push(...(await discover(session, origin, table, path, isTold)))
    if (!isTold()) return `the id of what was made (${table.name}) could not be obtained`
    if (!step.unsettled) sent.push(...(await settle(session, origin, table, key(), path)))
  }
  return undefined
}
