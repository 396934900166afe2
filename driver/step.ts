// Performs one step of a program: fills in what earlier ones made, waits for rest, sends the call, and looks at what it has done.

import isEqual from 'fast-deep-equal'
import { refsIn } from '../arbitraries/likeness.js'
import { buildCall, recorded } from '../history/calls.js'
import { whyUnsent } from '../history/unsent.js'
import { operationById } from '../models/index.js'
import type { Operation } from '../models/language/operation.js'
import type { Args, CallStep, Step } from '../models/language/plan.js'
import { isLatent } from '../models/language/world.js'
import { certain, type Expectation } from '../oracle/due.js'
import { isTraceOf } from '../oracle/explanations/explanation.js'
import { gateway } from '../oracle/explanations/gateway.js'
import { expectationOf } from '../oracle/judge.js'
import { hookFailure } from './hooks.js'
import { firstLook, isFamiliar, lookAfter, noteLook } from './look.js'
import { reportQuota, tryQuota } from './quota.js'
import { bide, settle } from './rest.js'
import { concrete, type Running, resolve, subjectOf } from './running.js'
import type { Sent, Session } from './session.js'
import { obtain } from './survey.js'

type Following = () => readonly CallStep[]

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

/** Sends the call of a step, whether or not the run is over. */
export const runStep = async (
  running: Running,
  step: CallStep,
  following: Following = () => [],
): Promise<string | undefined> => {
  const { session, origin } = running
  const op = operationById(step.operation)
  if (!op) return `suite defect: no operation ${step.operation}`
  const mute = session.fold.mute(op.id)
  if (mute !== undefined) return mute
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
  return isInVain ? `${op.id} was not accepted while arranging: ${whyNot(sent)}` : stop
}

const whyNot = ({ outcome, judgement }: Sent): string => {
  if ('lost' in outcome) return whyUnsent(outcome) ?? `no reply came (${outcome.lost})`
  const isInPlace = judgement.assumed?.some((trace) => isTraceOf(trace, gateway)) === true
  return isInPlace ? `what stands before the target answered ${outcome.status}` : `it was answered ${outcome.status}`
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

/** Performs reads at once where programs run side by side, when what they name has come to rest. */
export const performReads = async (running: Running, reads: readonly CallStep[]): Promise<string | undefined> => {
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

/**
 * The call with the further members, or else with each that leaves it refused for the same reasons; undefined where there is none
 * such, but for what is sent anyway. As a check it is the call with all of them, where it is refused as surely, whatever else is open.
 */
const fullerArgs = (
  session: Session,
  op: Operation,
  args: Args,
  { role, fuller, anyway }: CallStep,
): Args | undefined => {
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
  return more === args && !anyway ? undefined : more
}

const surely = (expectation: Expectation): readonly string[] => certain(expectation).map(({ clause }) => clause.id)

/** Makes sure that everything a step names has an id and has come to rest; the text says why that is impossible. */
export const makeReady = async (running: Running, op: Operation, step: CallStep): Promise<string | undefined> => {
  const { session, origin, sent } = running
  for (const found of refsIn([step.path, step.query, step.body])) {
    const subject = running.subjects[found.$step]
    if (!subject) return `an earlier step made nothing that ${op.id} could name`
    const { table, key, path } = subject
    if (isLatent(key())) sent.push(...(await obtain(session, origin, subject)))
    if (isLatent(key())) return `the id of what was made (${table.name}) could not be obtained`
    if (!step.unsettled) sent.push(...(await settle(session, origin, table, key(), path)))
  }
  return undefined
}
