// The error envelope: what makes a body one, and the errors that it carries; nothing of when a refusal is due.

import { isObject } from './objects.js'

export interface ReportedError {
  readonly reason: string
  readonly field?: unknown
}

/** What stands under `errors`, of whatever form; undefined where there is no array. */
export const errorsIn = (body: unknown): readonly unknown[] | undefined =>
  isObject(body) && Array.isArray(body.errors) ? body.errors : undefined

/** The errors of an envelope as the document gives it: one at least, and a reason in each. */
export const reportedErrors = (body: unknown): readonly ReportedError[] | undefined => {
  const errors = errorsIn(body)
  const isWhole = (error: unknown): error is ReportedError => isObject(error) && typeof error.reason === 'string'
  return errors && errors.length > 0 && errors.every(isWhole) ? errors : undefined
}

/** The member that a field such as `rules.inbound[0].label` or `/rules/inbound/0/label` ends in; undefined where it names none. */
export const memberIn = (field: string): string | undefined =>
  field.split(/[./[\]]+/).findLast((name) => !/^\d*$/.test(name))
