// Reads that show what was before a change: a replica or a cache that is not brought up to date, or is asked by turns.

import isEqual from 'fast-deep-equal'
import { bodyOf } from '../../history/outcomes.js'
import { recordsIn } from '../../history/pages.js'
import type { RecordedStep } from '../../history/record.js'
import { type Fault, fault } from './faults.js'
import type { Symptom } from './symptom.js'

export const stale = 'shows what was before'

/** A read shows a member as it was before it changed. */
export const staleReads = (symptom: Symptom): readonly Fault[] =>
  symptom.op.method === 'GET' && symptom.op.id === symptom.shownBy && isAsBefore(symptom)
    ? [showsBefore(symptom.op.id)]
    : []

export const showsBefore = (operation: string): Fault =>
  fault(operation, stale, 'reads showed what was before the latest changes', 'reply')

/** The member of a record that a symptom is about, where it tells its value. */
const memberOf = ({ clause, finding }: Symptom): string | undefined => {
  if (clause?.kind === 'shows') return clause.field
  return clause?.kind === 'statement' ? finding.member : undefined
}

const recordsOf = ({ outcome }: RecordedStep) => recordsIn(bodyOf(outcome))

/** Whether a record of the last reply has the member as an earlier reply told it, though a later reply told it otherwise, or a call changed it. */
const isAsBefore = (symptom: Symptom): boolean => {
  const { last, finding } = symptom
  const member = memberOf(symptom)
  if (member === undefined || !last) return false
  return recordsOf(last).some(({ id, [member]: shown }) => {
    const told = finding.steps
      .slice(0, -1)
      .flatMap((step) =>
        recordsOf(step).flatMap((one) => (one.id === id && member in one ? [{ n: step.n, is: one[member] }] : [])),
      )
    const before = told.find(({ is }) => isEqual(is, shown))
    if (id === undefined || !before) return false
    const isOtherSince = told.some(({ n, is }) => n > before.n && !isEqual(is, shown))
    return isOtherSince || (finding.facts ?? []).some(({ step }) => step > before.n)
  })
}
