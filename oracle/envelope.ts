// Judges the error envelope of a refusal: its form, and the member that it blames; whether a refusal was due is decided elsewhere.

import { slugOf } from '../models/language/derive.js'
import { memberIn, type ReportedError, reportedErrors } from '../models/language/error-envelope.js'
import { type Due, surelyClauseOf } from './clauses.js'
import { soleDue } from './due.js'
import { type Deviation, deviation } from './judgement.js'
import { circumstances, received, type Step } from './step.js'

/** The form of the error envelope. */
export const judgeForm = (step: Step): readonly Deviation[] => {
  const { op, reply } = step
  const rule = surelyClauseOf(op, 'refusal.envelope')
  const found = (kind: string, expected: string): readonly Deviation[] => [
    deviation(rule, kind, expected, received(reply), circumstances(step)),
  ]
  const errors = reportedErrors(reply.body)
  if (!errors) return found('envelope', 'errors, an array of objects with field and reason')
  return errors.some(({ field }) => field !== undefined && field !== null && typeof field !== 'string')
    ? found('field-type', 'field as a string')
    : []
}

/** The error envelope of a refusal, and the member that it blames. */
export const judgeEnvelope = (step: Step): readonly Deviation[] => {
  const { op, reply, expectation } = step
  const form = judgeForm(step)
  if (form.length > 0) return form
  const errors = reportedErrors(reply.body) ?? []
  // Which member is to blame is judged if one clause alone is due; that each error has a field does not depend on it.
  const sole = soleDue(expectation)
  const blamed = sole && sole.fields.length > 0 ? judgeField(step, sole, errors) : []
  if (blamed.length > 0 || errors.every((error) => typeof error.field === 'string')) return blamed
  return [deviation(surelyClauseOf(op, 'refusal.field-present'), 'absent', 'a field in every error', received(reply))]
}

const judgeField = (step: Step, due: Due, errors: readonly ReportedError[]): readonly Deviation[] => {
  const names = errors.map(({ field }) => (typeof field === 'string' ? memberIn(field) : undefined))
  if (names.some((name) => name !== undefined && due.fields.includes(name))) return []
  if (due.orNone && names.every((name) => name === undefined || !(name in (step.op.body?.properties ?? {})))) return []
  const found = deviation(
    surelyClauseOf(step.op, 'refusal.field'),
    slugOf(due.clause),
    `a field that names ${due.fields.at(-1)}`,
    received(step.reply),
    [`${due.clause.id}: ${due.clause.text}`],
  )
  return [due.clause.level === 'should' ? { ...found, level: 'should' } : found]
}
