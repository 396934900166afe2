// The faults that would show a symptom directly: of the operation that it is about, and of the calls before the last one.

import { bodyOf, isAccepted, isError } from '../../history/outcomes.js'
import { recordsIn } from '../../history/pages.js'
import type { RecordedStep } from '../../history/record.js'
import { operationById } from '../../models/index.js'
import { leavesOf } from '../../models/language/objects.js'
import type { Operation } from '../../models/language/operation.js'
import { type Fault, fault, leaking, losing, ownFaults, showsWrong } from './faults.js'
import { doersOf, isAbout, isRefused, replied, type Symptom } from './symptom.js'

/** Of two that explain the same, the first is told. */
export const directFaults = (symptom: Symptom): readonly Fault[] => [
  ...spreadsBefore(symptom),
  ...oddBefore(symptom),
  ...ownFaults(symptom),
  ...leaksBefore(symptom),
  ...removalsBefore(symptom),
  ...unshownBefore(symptom),
  ...toldBefore(symptom),
]

/** A list has what was removed: it is to blame, or the removal. */
const removalsBefore = ({ finding, kind }: Symptom): readonly Fault[] =>
  kind === 'deleted' ? doersOf(finding).map(losing) : []

/** A refused write in a shortest program: the program needs it, so it has changed something. */
const leaksBefore = ({ finding, kind }: Symptom): readonly Fault[] =>
  kind.startsWith('refused')
    ? []
    : finding.steps
        .slice(0, -1)
        .filter(({ call, outcome }) => call.method !== 'GET' && isError(outcome))
        .map(({ call }) => leaking(call.operation))

/** A call is refused because of what another one should have changed, and no reply shows what that one changes. */
const unshownBefore = ({ op, finding, kind, shownBy }: Symptom): readonly Fault[] =>
  kind === 'refused' || kind === 'refused-within'
    ? finding.steps
        .slice(0, -1)
        .filter(({ call, outcome }) => call.operation !== shownBy && isAccepted(outcome))
        .filter(({ call }) => op.method !== 'GET' && operationById(call.operation)?.unshown !== undefined)
        .map(({ call }) => losing(call.operation))
    : []

/**
 * An accepted write in a shortest program that has nothing to do with what has changed: it makes nothing, does not name that resource, or
 * none of its members that are told wrongly, and is no reason for what was expected; or it has no effect at all. A program that showed it
 * again needs it, so it has changed that as well; what is slim without having been tried may hold what it does not need.
 */
const spreadsBefore = (symptom: Symptom): readonly Fault[] =>
  isOfStanding(symptom) && symptom.finding.confirmed === true
    ? symptom.finding.steps
        .slice(0, -1)
        .filter((step) => isWrite(step) && isAccepted(step.outcome) && isApart(step, symptom))
        .map(({ call }) => spreading(call.operation))
    : []

const spreading = (operation: string): Fault =>
  fault(operation, 'changes something else', 'accepted calls changed or removed something else as well', 'alone')

/** Whether something that was there before is gone, or is another than it was. */
const isOfStanding = ({ kind, slug, clause }: Symptom): boolean =>
  (slug === 'accepts' && kind === 'refused') || (slug === 'complete' && kind === 'missing') || clause?.kind === 'shows'

const isWrite = ({ call }: RecordedStep): boolean => call.method !== 'GET'

const isApart = ({ call, made }: RecordedStep, symptom: Symptom): boolean => {
  const op = operationById(call.operation)
  if (op === undefined || op.unshown !== undefined) return false
  if (op.apply === undefined) return true
  if (doersOf(symptom.finding).includes(op.id)) return false
  const subject = subjectOf(symptom)
  if (leavesOf(call.path).some((one) => subject.includes(one))) return mayNotTouch(op, symptom)
  return made === undefined && subject.length > 0 && !leavesOf(call.body).some((one) => subject.includes(one))
}

/** Whether a write that names a resource is to leave the member alone that is told wrongly of it. */
const mayNotTouch = (op: Operation, { clause, op: { reply } }: Symptom): boolean => {
  if (clause?.kind !== 'shows' || op.removes !== undefined) return false
  const sources = ('table' in reply && reply.table.derived?.[clause.field]) || []
  // What a creation sends is of what it makes.
  const sent = op.makes === undefined ? Object.keys(op.body?.properties ?? {}) : []
  const touched = [...sent, ...(op.effects ?? []).map(({ field }) => field)]
  return ![clause.field, ...sources].some((member) => touched.includes(member))
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
  tellersOf(symptom).map(({ by, field }) => showsWrong({ id: by }, field))

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
