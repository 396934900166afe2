// Runs programs in a session: their steps in turn, then puts back what they changed, and reports findings and evidence.

import isEqual from 'fast-deep-equal'
import { refsIn } from '../arbitraries/likeness.js'
import type { Finding } from '../history/record.js'
import { operationById } from '../models/index.js'
import type { CallStep, Step } from '../models/language/plan.js'
import { type Deviation, findingIdOf } from '../oracle/judgement.js'
import { clean, tellGone } from './clean-up.js'
import { report } from './findings.js'
import { hookFailure } from './hooks.js'
import { lookAfter } from './look.js'
import type { Running } from './running.js'
import type { Sent } from './session.js'
import { perform, performReads, runStep } from './step.js'

export interface ProgramOutcome {
  readonly findings: readonly Finding[]
  /** Why the program did not show its clause, where it did not. */
  readonly untested?: string
  /** Set where it did not because of what others may do to the target. */
  readonly mayBeOthers?: true
  /** Set where the state that makes it due may have passed. */
  readonly isPassing?: true
  readonly exercised: boolean
  /** Set where an update may have come a second time: the program is to run again. */
  readonly isUndone?: true
  readonly sent: readonly Sent[]
  /** Deviations seen while other programs ran beside it. */
  readonly doubts: readonly Deviation[]
  /** Reports a deviation that did not show again alone, though no other program can have caused it. */
  readonly insist?: (doubt: Deviation) => Promise<readonly Finding[]>
}

/** Reports what a program has shown, puts back what it changed, and removes what it made. */
export const finish = async (
  running: Running,
  stopped?: string,
  restore: readonly CallStep[] = [],
): Promise<ProgramOutcome> => {
  const { spotted, doubts, isExercised, untested, mayBeOthers, isPassing, isUndone } = await close(
    running,
    stopped,
    restore,
  )
  // Only now, so that showing a finding again does not depend on what the program made.
  const findings = await report(running, spotted)
  return {
    findings,
    exercised: isExercised,
    sent: running.sent,
    doubts,
    ...(untested !== undefined && { untested }),
    ...(mayBeOthers && { mayBeOthers }),
    ...(isPassing && { isPassing }),
    ...(isUndone && { isUndone }),
    ...(doubts.length > 0 && { insist: (doubt) => reportDoubted(running, doubt) }),
  }
}

/** Reports a deviation that a program showed beside others, where its own calls tell what caused it. */
export const reportDoubted = (running: Running, doubt: Deviation): Promise<readonly Finding[]> => {
  const { program, instance } = running.origin
  const { spotted } = running.session.end({ program, instance, beside: true, tells: [findingIdOf(doubt)] })
  return report(running, spotted)
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
