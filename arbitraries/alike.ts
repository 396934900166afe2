// Valid calls that differ in their names and name the same resources, which are made once; nothing is judged.

import type { Args, Body, Plan } from '../models/language/plan.js'
import { refsIn } from './likeness.js'

/** Makes what calls of a draft need; the returned function gives such a call, under new names where each makes something. */
export const draftsAlike = (plan: Plan, draft: (plan: Plan) => Args, makes: boolean): (() => Args) => {
  const given: unknown[] = []
  const make: Plan['make'] = (table, body, args) => {
    given.push(body)
    return plan.make(table, body, args)
  }
  const one = draft({ ...plan, make })
  if (!makes) return () => one
  const { body: first = {}, ...args } = one
  // A text may name what was made, as the name of a group does.
  const isOfMade = (value: unknown): boolean =>
    refsIn(value).length > 0 || (typeof value === 'string' && JSON.stringify(given).includes(value))
  const kept = Object.entries(first).filter(([, value]) => isOfMade(value))
  return () => {
    const { body = first } = plan.attempt(() => draft(plan), 'undo') ?? {}
    return { ...args, body: { ...body, ...Object.fromEntries(kept) } as Body }
  }
}
