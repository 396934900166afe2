// The faults that would show a symptom directly: of the operation that it is about, and of the calls before the last one.

import isEqual from 'fast-deep-equal'
import { bodyOf, isAccepted, isError } from '../../history/outcomes.js'
import { recordsIn } from '../../history/pages.js'
import type { RecordedStep } from '../../history/record.js'
import { operationById } from '../../models/index.js'
import { isNamedIn } from '../../models/language/namings.js'
import { isObject, leavesOf } from '../../models/language/objects.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { idIn } from '../../models/language/world.js'
import { type Fault, fault, isOfLook, leaking, losing, ownFaults, showsWrong, spread } from './faults.js'
import { showsBefore, staleReads } from './stale.js'
import { doersOf, isAbout, isRefused, replied, type Symptom } from './symptom.js'

/** Of two that explain the same, the first is told. */
export const directFaults = (symptom: Symptom): readonly Fault[] => {
  const { unforeseen = [] } = symptom.finding
  const leaks = leaksBefore(symptom)
  const needed = [...spreadsBefore(symptom), ...leaks.filter(({ n }) => unforeseen.includes(n)).map(leakingOf)]
  const others = [
    ...oddBefore(symptom),
    ...effectsBefore(symptom),
    ...ownFaults(symptom),
    ...staleReads(symptom),
    ...leaks.map(leakingOf),
    ...removalsBefore(symptom),
    ...unshownBefore(symptom),
    ...toldBefore(symptom),
  ]
  // What looks do not show without that write is no fault of theirs.
  return needed.length === 0 ? others : [...needed, ...others.filter((one) => !isOfLook(one))]
}

/** A list has what was removed: it is to blame, or the removal. */
const removalsBefore = ({ finding, kind }: Symptom): readonly Fault[] =>
  kind === 'deleted' ? doersOf(finding).map(losing) : []

/** Refused writes in a shortest program, the latest first: the program needs it, so it has changed something. */
const leaksBefore = ({ finding, kind }: Symptom): readonly RecordedStep[] =>
  kind.startsWith('refused')
    ? []
    : finding.steps
        .slice(0, -1)
        .filter(({ call, outcome }) => call.method !== 'GET' && isError(outcome))
        .toReversed()

const leakingOf = ({ call }: RecordedStep): Fault => leaking(call.operation)

/**
 * A look shows otherwise what the write before it changed, whose reply does not show it, or shows the same: what is shown wrongly after any
 * write shows before one as well.
 */
const effectsBefore = (symptom: Symptom): readonly Fault[] => {
  const { clause, op, finding } = symptom
  const { facts = [], steps } = finding
  const latest = steps.slice(0, -1).findLast((step) => isWrite(step) && isAccepted(step.outcome))
  if (clause?.kind !== 'shows' || !latest) return []
  const table = tableOf(op)
  const isUnseen = (writer: Operation): boolean =>
    writer.method !== 'GET' && writer.makes !== table && tableOf(writer) !== table
  return facts.flatMap(({ step, by, field }) => {
    // Of an earlier call of that operation, which may be about something else, the latest one does not tell.
    const writer = field === clause.field && step === latest.n ? operationById(by) : undefined
    return writer && (isUnseen(writer) || isToldAlike(latest, symptom, clause.field)) ? [losing(by)] : []
  })
}

/** Whether the reply to a write shows a member as the last reply does. */
const isToldAlike = ({ outcome }: RecordedStep, symptom: Symptom, member: string): boolean => {
  const [told] = recordsIn(bodyOf(outcome))
  const shown = recordsIn(replied(symptom)).find(({ id }) => id === told?.id)
  return told?.[member] !== undefined && isEqual(told[member], shown?.[member])
}

/** A call is refused because of what another one should have changed, and no reply shows what that one changes. */
const unshownBefore = ({ op, finding: { steps }, kind, shownBy, last }: Symptom): readonly Fault[] => {
  if (kind !== 'refused' && kind !== 'refused-within') return []
  /** What was accepted before that one had its effect is not refused for want of it. */
  const wasAccepted = (before: readonly RecordedStep[]): boolean =>
    before.some(({ call, outcome }) => isAccepted(outcome) && isEqual(askedIn(call), last && askedIn(last.call)))
  return steps
    .slice(0, -1)
    .filter(
      ({ call, outcome }, i) => call.operation !== shownBy && isAccepted(outcome) && !wasAccepted(steps.slice(0, i)),
    )
    .filter(({ call }) => op.method !== 'GET' && operationById(call.operation)?.unshown !== undefined)
    .map(({ call }) => losing(call.operation))
}

const askedIn = ({ operation, path, query, body, as }: RecordedStep['call']) => ({ operation, path, query, body, as })

/**
 * The last accepted write of a program that has nothing to do with what has changed, though the target did not show it without that write:
 * so it has changed that as well. Those before it are what it needs.
 */
const spreadsBefore = (symptom: Symptom): readonly Fault[] => {
  const { steps, unforeseen = [] } = symptom.finding
  const last = steps.findLast(
    (step) => unforeseen.includes(step.n) && isWrite(step) && isAccepted(step.outcome) && !isNamedLater(step, steps),
  )
  if (!last || !isOfStanding(symptom)) return []
  const { operation } = last.call
  return isApart(last, symptom) ? [spreading(operation)] : sets(last, symptom) ? [losing(operation)] : []
}

/** Whether a write sends the very member of the resource that a look shows otherwise: with another value, the target shows it so. */
const sets = ({ call }: RecordedStep, symptom: Symptom): boolean => {
  const op = operationById(call.operation)
  const named = leavesOf(symptom.last?.call.path ?? {})
  const isOfIt = leavesOf(call.path).some((one) => named.includes(one))
  const isSent = isObject(call.body) && Object.keys(call.body).includes(memberOf(symptom) ?? '')
  return isOfIt && isSent && op?.removes === undefined && isLook(symptom)
}

const isLook = ({ last }: Symptom): boolean => last?.call.method === 'GET'

/** Whether a later call names what a step has made: that call may be the reason why the target needs the step. */
const isNamedLater = ({ n, made, call }: RecordedStep, steps: readonly RecordedStep[]): boolean => {
  const table = operationById(call.operation)?.makes?.name
  const isNaming = (one: RecordedStep): boolean => {
    const op = operationById(one.call.operation)
    return op !== undefined && isNamedIn(op, one.call, table as string, idIn(made as string))
  }
  return made !== undefined && table !== undefined && steps.some((one) => one.n > n && isNaming(one))
}

const spreading = (operation: string): Fault =>
  fault(operation, spread, 'accepted calls changed or removed something else as well', 'alone')

/** Whether something that was there before is gone, or is another than it was, be it of another type. */
const isOfStanding = ({ kind, slug, clause, op, shownBy }: Symptom): boolean =>
  (slug === 'accepts' && kind === 'refused') ||
  (slug === 'complete' && kind === 'missing') ||
  clause?.kind === 'shows' ||
  clause?.kind === 'shape' ||
  ((slug === 'takes-effect' || clause?.kind === 'effect') && shownBy !== op.id)

const isWrite = ({ call }: RecordedStep): boolean => call.method !== 'GET'

/** Whether a write is no reason for what was expected, and does not name that resource, or none of its members that are told wrongly. */
const isApart = ({ n, call, made }: RecordedStep, symptom: Symptom): boolean => {
  const op = operationById(call.operation)
  if (op === undefined || (op.unshown !== undefined && !isLook(symptom))) return false
  if (op.apply === undefined) return true
  if (isReason(n, op, symptom)) return false
  const subject = subjectOf(symptom)
  if (leavesOf(call.path).some((one) => subject.includes(one))) return mayNotTouch(op, call.body, symptom)
  // A list may be wrong for how many there are, and a call be refused for what a limit counts.
  if (isLook(symptom)) return op.makes === undefined || op.makes !== tableOf(symptom.op)
  return made === undefined && subject.length > 0 && !leavesOf(call.body).some((one) => subject.includes(one))
}

/** Whether a step, or where no reason lies in the program its operation, is a reason for what was expected. */
const isReason = (n: number, { id }: Operation, { finding }: Symptom): boolean => {
  const { steps, facts = [] } = finding
  const within = facts.filter(({ step }) => steps.some((one) => one.n === step))
  return within.length > 0 ? within.some(({ step }) => step === n) : doersOf(finding).includes(id)
}

/** The table whose records its replies show. */
const tableOf = ({ reply }: Operation): AnyTable | undefined => ('table' in reply ? reply.table : undefined)

/** The member of a record that a symptom tells of; undefined where it tells of no single one. */
const memberOf = ({ clause }: Symptom): string | undefined =>
  clause?.kind === 'shows' ? clause.field : clause?.kind === 'shape' ? clause.constraint.path[0] : undefined

/** Whether a write that names a resource is to leave the member alone that is told wrongly of it: what it does not send, as a rule. */
const mayNotTouch = (op: Operation, body: unknown, symptom: Symptom): boolean => {
  const member = memberOf(symptom)
  if (member === undefined || op.removes !== undefined) return false
  const sources = tableOf(symptom.op)?.derived?.[member] ?? []
  // What a creation sends is of what it makes.
  const sent = op.makes === undefined ? Object.keys(isObject(body) ? body : (op.body?.properties ?? {})) : []
  const touched = [...sent, ...(op.effects ?? []).map(({ field }) => field)]
  return ![member, ...sources].some((one) => touched.includes(one))
}

/**
 * What a symptom is about: what the last call names, in its body as well where it is refused, or what the program made that it expected;
 * and what that was made of.
 */
const subjectOf = ({ last, slug, finding: { facts = [], steps } }: Symptom): readonly string[] => {
  const told = leavesOf(last?.call.path ?? {})
  const asked = slug === 'accepts' ? leavesOf(last?.call.body) : []
  const expected = steps.filter(({ n }) => facts.some(({ step }) => step === n))
  const named = told.length > 0 ? [...told, ...asked] : expected.flatMap(({ made }) => made ?? [])
  return named.length > 0 ? [...named, ...expected.flatMap(({ call }) => leavesOf(call.path))] : []
}

/** The reads that told a member which a later reply contradicts, with the member. */
const tellersOf = (
  symptom: Symptom,
): readonly { readonly step: number; readonly by: string; readonly field: string }[] =>
  (symptom.finding.facts ?? []).flatMap(({ step, by, field }) =>
    step > 0 &&
    field !== undefined &&
    isAbout(symptom, field) &&
    operationById(by)?.method === 'GET' &&
    !isRefused(symptom)
      ? [{ step, by, field }]
      : [],
  )

/** What an earlier read told may be wrong, and not what contradicts it. */
const toldBefore = (symptom: Symptom): readonly Fault[] =>
  tellersOf(symptom).flatMap(({ by, field }) => [showsWrong({ id: by }, field), showsBefore(by)])

/** A read that tells another value than the reply before it, with no write between them, is wrong where the last reply goes with the other. */
const oddBefore = (symptom: Symptom): readonly Fault[] =>
  tellersOf(symptom)
    .filter(({ step, field }) => isOdd(symptom, step, field))
    .map(({ by, field }) => showsWrong({ id: by }, field))

const isOdd = (symptom: Symptom, step: number, field: string): boolean => {
  const { steps } = symptom.finding
  const at = steps.findIndex(({ n }) => n === step)
  const [shown] = recordsIn(replied(symptom))
  const toldIn = (one: RecordedStep | undefined): unknown =>
    recordsIn(one && bodyOf(one.outcome)).find(({ id }) => id !== undefined && id === shown?.id)?.[field]
  const [before, told, last] = [toldIn(steps[at - 1]), toldIn(steps[at]), shown?.[field]]
  // Of what may change in between, only times are told to go back.
  return (
    [before, told, last].every((one) => typeof one === 'string') && before !== told && String(last) >= String(before)
  )
}
