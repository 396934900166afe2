// Turns deviations into findings: shrunk on what was recorded, then shown again on the target; one finding an id.

import { lineOf } from '../history/calls.js'
import { redactCall, redactOutcome } from '../history/masking.js'
import type { Finding, RecordedStep } from '../history/record.js'
import { operationById } from '../models/index.js'
import { actsOnLent } from '../models/language/shared-fixtures.js'
import { idIn } from '../models/language/world.js'
import type { Belief } from '../oracle/belief.js'
import type { Deviation } from '../oracle/judgement.js'
import { findingIdOf, shrink } from '../oracle/shrink.js'
import { replay } from './replay.js'
import type { Sent, Session } from './session.js'

/** A deviation, and the position of the step that shows it. */
export interface Spotted {
  readonly deviation: Deviation
  readonly at: number
}

interface Shown {
  readonly session: Session
  readonly name: string
  /** Belief before the first step. */
  readonly start: Belief
  readonly sent: readonly Sent[]
}

/** Records a finding for every deviation whose like has not been reported in this run. */
export const report = async (shown: Shown, spotted: readonly Spotted[]): Promise<readonly Finding[]> => {
  const findings: Finding[] = []
  for (const { deviation, at } of spotted) {
    const id = findingIdOf(deviation)
    if (shown.session.found.has(id)) continue
    shown.session.found.add(id)
    const finding = await toFinding(shown, deviation, at)
    if (isOthersDoing(shown.session, deviation, finding)) {
      shown.session.found.delete(id)
      continue
    }
    findings.push(finding)
    shown.session.options.emit({ type: 'finding', finding })
  }
  return findings
}

/** Records what was amiss beside other programs, and is not alone: told from the steps of its own program, as it cannot be shown again. */
export const reportUnseen = (session: Session, deviation: Deviation, sent: readonly Sent[]): readonly Finding[] => {
  const id = findingIdOf(deviation)
  if (session.found.has(id)) return []
  session.found.add(id)
  const because = [...deviation.because, 'it was seen while other programs were under way, and not again alone']
  const finding = findingOf(session, { ...deviation, because }, sent, sent.length, false)
  if (isOthersDoing(session, deviation, finding)) return []
  session.options.emit({ type: 'finding', finding })
  return [finding]
}

/** Where others use the target too, what is said of things that it lends, and the program has not made, must show again. */
const isOthersDoing = ({ options }: Session, { kind, operation }: Deviation, { confirmed, steps }: Finding): boolean =>
  !options.environment.exclusive &&
  !confirmed &&
  kind !== 'accepted' &&
  actsOnLent(operation) &&
  steps.every(({ made }) => made === undefined)

const toFinding = async ({ session, name, start, sent }: Shown, deviation: Deviation, at: number): Promise<Finding> => {
  const all = sent.slice(0, at + 1)
  const own = all
    .at(-1)
    ?.judgement.deviations.find(
      ({ received, expected }) => received === deviation.received && expected === deviation.expected,
    )
  // A deviation that was blamed on another clause than the judge's is looked for under the judge's.
  const id = findingIdOf(own ?? deviation)
  const steps = shrink(start, all, id, operationById)
  const again = (some: readonly Sent[]): Promise<boolean> => replay(session, `${name} (confirming)`, some, id)
  if (await again(steps)) return findingOf(session, deviation, steps, all.length, true)
  // What the target's own state brought about is not in the model, and may need a write that judging could do without.
  const writes = all.filter(({ op, role }, i) => i === at || (op.method !== 'GET' && role !== 'clean'))
  for (const more of [writes, all])
    if (more.length > steps.length && more.length <= longestReplay && (await again(more)))
      return findingOf(session, deviation, await leaner(more, again), all.length, true)
  // What a call was refused for is not in the model either: short of showing it again, all that went before is told.
  const told = deviation.kind.startsWith('refused') && writes.length <= longestReplay ? writes : steps
  if (deviation.because.some((line) => line.includes('(hook ')))
    return findingOf(session, deviation, about(all), all.length, false)
  return findingOf(session, deviation, told, all.length, false)
}

/** The most steps that are sent again in one piece. */
const longestReplay = 24

/** The steps on what the last one names: a change that no call made can be told no shorter, as calls alone never show it. */
const about = (all: readonly Sent[]): readonly Sent[] => {
  const named = Object.values(all.at(-1)?.call.path ?? {})
  const isAbout = ({ call, judgement: { made } }: Sent): boolean =>
    named.some((key) => Object.values(call.path).includes(key) || (made !== undefined && idIn(made) === key))
  return named.length === 0 ? all : all.filter(isAbout)
}

/** Whether a step names something by its key. */
const isNamedBy = (key: string | undefined, { call }: Sent): boolean =>
  key !== undefined &&
  (Object.values(call.path).includes(idIn(key)) || JSON.stringify(call.body ?? '').includes(idIn(key)))

/** The steps without those that the target does not need to show it again; what a step names stays made by another. */
const leaner = async (
  steps: readonly Sent[],
  again: (some: readonly Sent[]) => Promise<boolean>,
): Promise<readonly Sent[]> => {
  let kept = steps
  for (const one of steps.slice(0, -1)) {
    const without = kept.filter((other) => other !== one)
    const isNeeded = without.some((other) => isNamedBy(one.judgement.made, other))
    if (!isNeeded && (await again(without))) kept = without
  }
  return kept
}

export const findingOf = (
  session: Session,
  deviation: Deviation,
  steps: readonly Sent[],
  shrunkFrom: number,
  confirmed: boolean,
): Finding => {
  const id = findingIdOf(deviation)
  const { clause, operation, level, source, requires, expected, received, because } = deviation
  return {
    id,
    clause,
    operation,
    level,
    source,
    summary: `${requires} Expected ${expected}; received ${received}`,
    requires,
    expected,
    received,
    because,
    steps: steps.map(recordedStep),
    shrunkFrom,
    confirmed,
    replay: session.options.replayLine(id),
    nonce: session.options.nonce,
  }
}

const recordedStep = ({ n, call, outcome, judgement, unsettled }: Sent): RecordedStep => ({
  n,
  call: redactCall(call),
  outcome: redactOutcome(outcome),
  line: lineOf(redactCall(call)),
  ...(judgement.made !== undefined && { made: judgement.made }),
  ...(unsettled && { unsettled: true as const }),
})
