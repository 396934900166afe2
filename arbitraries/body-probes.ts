// Programs that show clauses about the query and the body: one wrong value each, and its counterpart.

import isEqual from 'fast-deep-equal'
import type { Operation } from '../models/language/operation.js'
import type { Args, Body, Plan } from '../models/language/plan.js'
import { type Constraint, constraintsOf } from '../models/language/schema.js'
import { draftsAlike } from './alike.js'
import {
  absent,
  almostIntegers,
  deviationsFrom,
  hasContainer,
  numberOf,
  valueAt,
  withoutSole,
  withValueAt,
} from './deviations.js'
import { mayBeNull } from './pairs.js'

/** Writes the steps of a program. */
export type Write = (plan: Plan) => void

/** Values of a query that break one constraint, and their counterparts; only looked at where the document leaves it free. */
export const queryProbe =
  (op: Operation, { path, keyword, schema, value }: Constraint, isFree: boolean): Write =>
  (plan) => {
    const name = path[0] as string
    const args = plan.draft(op.id)
    const base = args.query?.[name]
    const { wrong, right } = deviationsFrom({ path, keyword, schema, value }, base, 0)
    const send = (given: unknown): Args => {
      const { [name]: _, ...rest } = { ...args.query }
      return {
        ...args,
        query: given === absent ? rest : { ...rest, [name]: typeof given === 'object' ? 'x' : (given as string) },
      }
    }
    for (const given of [...wrong, ...almostIntegers({ path, keyword, schema, value })])
      plan[isFree ? 'check' : 'probe'](op.id, send(given))
    if (isFree) return
    for (const given of right) plan.twin(op.id, given === absent ? args : send(given))
  }

/** A body in which the constraint's place has a container: the draft's, else the fullest one. */
export const baseFor = (op: Operation, plan: Plan, path: readonly string[], fresh: boolean): Args => {
  const draft = op.draft(plan)
  if (hasContainer(draft.body ?? {}, path) && (!fresh || valueAt(draft.body, path) !== undefined))
    return { body: {}, ...draft }
  return op.full ? withoutSole(op, draft, { body: {}, ...op.full(plan) }, path) : { body: {}, ...draft }
}

/** Whether deviations are made from a value that fits: a number is sent as text and with a fraction too. */
const isDerived = ({ keyword, schema }: Constraint): boolean =>
  keyword === 'type' ? [schema.type].flat().includes('integer') : keyword !== 'enum'

/** Values of a body that break one constraint, and their counterparts. */
export const bodyProbe =
  (op: Operation, constraint: Constraint): Write =>
  (plan) => {
    const { path } = constraint
    const needsValue = isDerived(constraint) || path.includes('[]')
    const base = baseFor(op, plan, path, needsValue)
    plan.need(hasContainer(base.body, path), {
      what: `a draft of ${op.id} with ${path.join('.')} (suite defect)`,
    })
    const { wrong, odd = [], right } = deviationsFrom(constraint, valueAt(base.body, path), numberOf(plan.name()))
    const probes = withEach(base, path, [...wrong, ...nullFor(op, constraint)])
    for (const args of probes) plan.probe(op.id, args)
    for (const value of odd) plan.check(op.id, withBodyValue(base, path, value))
    right.forEach((value, i) => {
      const again = i === 0 || op.makes === undefined ? base : baseFor(op, plan, path, needsValue)
      plan.twin(op.id, value === absent ? again : withBodyValue(again, path, value))
    })
    // What is asked of the first call may no longer be asked after one that was accepted.
    if (canComeAgain(op)) for (const args of probes.slice(0, 1)) plan.probe(op.id, args)
  }

/** Whether a call may be accepted again right after it was: it sets the same values, or adds one more. */
const canComeAgain = ({ method, makes, params }: Operation): boolean =>
  method === 'PUT' || (makes?.permanent === true && Object.keys(params).length > 0)

/** The call with a value at a place of its body. */
export const withBodyValue = (args: Args, path: readonly string[], value: unknown, item?: 'last'): Args => ({
  ...args,
  body: withValueAt(args.body, path, value, item) as Body,
})

/** The call with each of the values, in the first of several items; with the first value in the last item too, as a rule may be applied to no other than the first. */
const withEach = (args: Args, path: readonly string[], values: readonly unknown[]): readonly Args[] => {
  const [first, ...others] = values.map((value) => withBodyValue(args, path, value))
  if (!first) return []
  const last = withBodyValue(args, path, values[0], 'last')
  return [first, ...others, ...(last.body === undefined || isEqual(last.body, first.body) ? [] : [last])]
}

/** A letter of two bytes, as many of it as may be; where they are refused, again and again beside a short text of it. */
export const charactersProbe =
  (op: Operation, { path, value }: Constraint): Write =>
  (plan) => {
    const isPlain = op.makes !== undefined && Object.keys(op.params).length === 0
    const next = draftsAlike(plan, (one) => baseFor(op, one, path, true), isPlain)
    const send = (letters: (name: string) => number, more: Args = {}): number => {
      const base = next()
      const name = plan.name()
      const text = name + 'ж'.repeat(letters(name))
      return plan.check(op.id, { ...withBodyValue(base, path, text), ...more }).step
    }
    const short = (): number => 1
    const long = (name: string): number => Number(value) - name.length
    send(short)
    const unless = send(long)
    for (let again = 0; again < 3; again += 1) for (const letters of [short, long]) send(letters, { unless })
  }

/** Null is of no type that a value may have; for a member that may be left out it may mean that. */
const nullFor = (op: Operation, { path, keyword, schema }: Constraint): readonly null[] => {
  const isMember = path.at(-1) !== '[]'
  const isNeeded = (op.body ? constraintsOf(op.body) : []).some(
    (one) => one.keyword === 'required' && one.path.join() === path.join(),
  )
  // Where the schema names a type too, null breaks that, and not what is listed.
  const isBroken = keyword === 'type' || (keyword === 'enum' && schema.type === undefined)
  return isBroken && !mayBeNull(schema) && (isNeeded || !isMember) ? [null] : []
}

/** A body that breaks off: at once, and after a member that could be read. */
export const jsonProbe =
  (op: Operation): Write =>
  (plan) => {
    const args = plan.draft(op.id)
    const name = Object.keys(op.body?.properties ?? {})[0] ?? ''
    for (const $raw of ['{"', `{"${name}":1,`]) plan.probe(op.id, { ...args, body: { $raw } })
    plan.twin(op.id, args)
  }
