// Targets that are broken in one way across operations: what a diagnosis of many findings as one cause is measured by.

import { operations } from '../../models/index.js'
import { clausesOf } from '../../models/language/derive.js'
import { errorsIn, reportedErrors } from '../../models/language/error-envelope.js'
import { isObject } from '../../models/language/objects.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import type { Due } from '../../oracle/clauses.js'
import { familiesOf } from '../../oracle/diagnosis/faults.js'
import { slugOfFinding } from '../../oracle/diagnosis/symptom.js'
import type { Fault } from '../handler.js'
import { mutantsOf } from './mutants.js'
import { nearTo } from './trial.js'

export interface Family {
  /** `*: drops token`; the id of the cause that a diagnosis should find. */
  readonly id: string
  /** Operations that are of its scope. */
  readonly operations: readonly Operation[]
  readonly fault: () => Fault
}

const family = (id: string, within: readonly Operation[], fault: () => Fault): Family => ({
  id,
  operations: within,
  fault,
})

/** No operation checks what has that label: tokens, scopes, bodies. */
const dropping = (label: string): Family => {
  const ids = new Set(
    operations.flatMap((op) =>
      clausesOf(op).flatMap((clause) =>
        familiesOf(clause, slugOfFinding(clause.id, op)).some(([one]) => one === label) ? [clause.id] : [],
      ),
    ),
  )
  return family(`*: ${label}`, operations, () => ({
    due: (due: readonly Due[]) => due.filter(({ clause }) => !ids.has(clause.id)),
  }))
}

/** What one mutant does to one operation, done to all that have it. */
const everywhere = (kind: string): Family => {
  const all = operations.flatMap((op) => mutantsOf(op).filter((mutant) => mutant.kind === kind))
  return family(`*: ${kind}`, operations, () => {
    const faults = new Map(all.map((mutant) => [mutant.operation, mutant.arm().fault]))
    return { body: (body, op, ...rest) => faults.get(op.id)?.body?.(body, op, ...rest) ?? body }
  })
}

/** Every reply that shows a record of that table shows one member of it changed. */
const inRecords = (
  id: string,
  table: string,
  change: (record: Readonly<Record<string, unknown>>) => unknown,
): Family => {
  const shows = ({ reply }: Operation): boolean => 'table' in reply && (reply.table as AnyTable).name === table
  const each = (body: unknown): unknown =>
    isObject(body) && Array.isArray(body.data)
      ? { ...body, data: body.data.map((record) => change(record as Readonly<Record<string, unknown>>)) }
      : isObject(body) && !errorsIn(body)
        ? change(body)
        : body
  return family(
    id,
    operations.filter(({ id: one }) => one.startsWith(`${table}.`)),
    () => ({
      body: (body, op) => (shows(op) ? each(structuredClone(body)) : body),
    }),
  )
}

const withoutField = (body: unknown): unknown => {
  const errors = reportedErrors(body)
  return errors ? { errors: errors.map(({ field: _, ...error }) => error) } : body
}

/** An endpoint that is not there. */
const missing = (op: Operation): Family =>
  family(`${op.id}: refuses every call`, nearTo(op), () => ({
    due: (due, at) =>
      at.id === op.id
        ? clausesOf(op)
            .slice(0, 1)
            .map((clause): Due => ({ clause, certain: true, fields: [] }))
        : due,
    status: (status, at) => (at.id === op.id ? 404 : status),
    body: (body, at) => (at.id === op.id ? { errors: [{ field: '', reason: 'Not found' }] } : body),
  }))

/** Every family, the missing endpoints after all others. */
export const families = (): readonly Family[] => [
  ...['token', 'scopes', 'grants', 'existence', 'query', 'body', 'maxLength', 'enum', 'type'].map((label) =>
    dropping(`drops ${label}`),
  ),
  ...['calls errors something else', 'leaves out the reason', 'blames another field'].map(everywhere),
  ...['leaves out page', 'leaves out pages', 'leaves out results', 'renames data'].map(everywhere),
  ...['counts the page from 0', 'counts a page too many', 'counts a result too many'].map(everywhere),
  family('*: leaves out field', operations, () => ({ body: withoutField })),
  family('*: refuses with another status', operations, () => ({
    status: (status) => (status >= 400 ? 200 : status),
  })),
  family('*: ignores page_size', operations, () => ({
    call: ({ query: { page_size: _, ...query }, ...call }) => ({ ...call, query }),
  })),
  inRecords('volumes: shows a wrong filesystem_path', 'volumes', (record) => ({
    ...record,
    ...('filesystem_path' in record && { filesystem_path: String(record.filesystem_path).replace('/dev/', '/mnt/') }),
  })),
  inRecords('volumes: leaves out hardware_type', 'volumes', ({ hardware_type: _, ...record }) => record),
  ...operations.map(missing),
]
