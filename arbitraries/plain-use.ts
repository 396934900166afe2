// The program of a plain use: an operation as it is mostly called, in its variations; what is refused is in probes.ts.

import { listerOf, makerOf, removerOf } from '../models/index.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args, Plan } from '../models/language/plan.js'
import { referencesOf, soleReferenceOf } from '../models/language/references.js'
import { draftsAlike } from './alike.js'
import { numberOf } from './deviations.js'
import { factorsOf, inStates, pairwise } from './pairs.js'
import { strangerToken } from './plan-tokens.js'

/** A plain use of the operation, and one with everything given: what most clauses about replies are judged by. */
export const plainUse =
  (op: Operation): ((plan: Plan) => void) =>
  (plan) => {
    const args = draftAmongOthers(plan, op)
    plan.check(op.id, args)
    listAfter(plan, op)
    setAgain(plan, op, args)
    const full = op.full?.(plan)
    if (full) plan.check(op.id, full)
    const inPairs = pairsFor(plan, op)
    if (inPairs.length === 0) {
      for (const name of optionalIn(op, args, full)) leaveOut(plan, op, name)
      atMostTogether(plan, op)
    }
    emptyLists(plan, op, args)
    useOnFull(plan, op)
    if (op.query) plan.check(op.id, { ...args, query: { ...args.query, 'touchstone-unknown': 1 } })
    if (op.query?.properties.page_size) plan.check(op.id, { ...args, query: { ...args.query, page_size: [25, 26] } })
    for (const send of inPairs) send()
    lookFromOutside(plan, op)
  }

/** The draft. A removal gets an older and a newer one beside the one that it removes. */
const draftAmongOthers = (plan: Plan, op: Operation): Args => {
  const beside = neighboursOf(op)
  if (beside) plan.make(beside)
  const args = plan.draft(op.id)
  if (beside) plan.make(beside)
  return args
}

/** A use on something that was made with all members. */
const useOnFull = (plan: Plan, op: Operation): void => {
  const args = isOnFull(op) ? plan.richly(() => op.draft(plan)) : undefined
  if (args) plan.check(op.id, args)
}

/** Whether a call is about something that can be made with more than its draft gives, which the call must not touch. */
const isOnFull = (op: Operation): boolean =>
  op.method !== 'GET' && op.makes === undefined && referencesOf(op).some(([, { table }]) => makerOf(table)?.full)

/** Tables of which a removal leaves an older and a newer one: those named only by a number, so that there is room for three. */
const neighboursOf = (op: Operation): AnyTable | undefined => {
  const [, reference] = soleReferenceOf(op) ?? []
  const isFit = op.removes !== undefined && op.guarded === undefined && reference?.type === 'integer'
  return isFit ? reference.table : undefined
}

const requiredIn = (op: Operation): readonly string[] => (op.body?.required as readonly string[] | undefined) ?? []

/** Optional members that these calls give, each of which is then left out while the others are given. */
const optionalIn = (op: Operation, ...calls: readonly (Args | undefined)[]): readonly string[] => {
  const required = requiredIn(op)
  const given = new Set(calls.flatMap((args) => Object.keys(args?.body ?? {})))
  return [...given].filter((name) => !required.includes(name))
}

const leaveOut = (plan: Plan, op: Operation, name: string): void => {
  const { body, ...args } = (op.full ?? op.draft)(plan)
  const { [name]: _, ...rest } = (body ?? {}) as Readonly<Record<string, unknown>>
  if (Object.keys(rest).length > 0) plan.check(op.id, { ...args, body: rest })
}

/** Calls whose bodies cover the states of their members by pairs; none for things that cannot be removed. */
const pairsFor = (plan: Plan, op: Operation): readonly (() => void)[] => {
  const draft = op.full ?? op.draft
  if (op.guarded !== undefined || op.makes?.permanent) return []
  const factors = factorsIn(plan, op, draft)
  if (factors.length < 2) return []
  const next = plan.attempt(() => draftsAlike(plan, draft, !isChange(op)))
  if (!next) return []
  const check = (row: readonly number[]): void =>
    void plan.check(op.id, inStates(next(), op, factors, row, numberOf(plan.name())))
  // Calls for which there is no room any more are left out.
  return pairwise(factors.map(({ states }) => states.length)).map((row) => () => void plan.attempt(() => check(row)))
}

/** What varies in the bodies that a draft gives. */
const factorsIn = (plan: Plan, op: Operation, draft: Operation['draft']) =>
  factorsOf(
    op,
    plan.attempt(() => draft(plan).body, 'undo'),
  )

/** A body in which every member with an upper bound is at it, for operations whose members are not tested by pairs. */
const atMostTogether = (plan: Plan, op: Operation): void => {
  const factors = factorsIn(plan, op, op.draft)
  const most = factors.map(({ states }) => Math.max(states.indexOf('most'), 0))
  if (most.filter((at) => at > 0).length < 2) return
  plan.check(op.id, inStates(op.draft(plan), op, factors, most, numberOf(plan.name())))
}

/** Empties a list again that the call has set, if the call changes something that exists. */
const emptyLists = (plan: Plan, op: Operation, { body, ...args }: Args): void => {
  if (op.makes) return
  const required = Object.entries(body ?? {}).filter(([name]) => requiredIn(op).includes(name))
  for (const [name, value] of Object.entries(body ?? {}))
    if (Array.isArray(value) && value.length > 0 && !requiredIn(op).includes(name))
      plan.check(op.id, { ...args, body: { ...Object.fromEntries(required), [name]: [] } })
}

/** Whether an operation changes what there is, rather than making or removing it. */
const isChange = ({ method, makes, removes }: Operation): boolean =>
  method !== 'GET' && makes === undefined && removes === undefined

/** A call that sets what is set already must be accepted again. */
const setAgain = (plan: Plan, op: Operation, args: Args): void => {
  if (op.method === 'PUT' && isChange(op)) plan.check(op.id, args)
}

/** The list that shows the change of a call, where a view of what the call names does not. */
const listAfter = (plan: Plan, op: Operation): void => {
  if (!isChange(op)) return
  const [, reference] = soleReferenceOf(op) ?? []
  const lister = reference && listerOf(reference.table)
  if (lister && Object.keys(lister.params).length === 0) plan.check(lister.id)
}

/** The list as another account sees it, which does not show what is made here. */
const lookFromOutside = (plan: Plan, op: Operation): void => {
  const stranger = strangerToken(plan.environment)
  if ((op.reply.kind !== 'page' && op.reply.kind !== 'records') || !stranger) return
  const { table } = op.reply
  const params = Object.values(op.params)
  // The subject of a list must exist for every account.
  if (params.some((param) => typeof param !== 'object' || makerOf(param.table)) || (op.lists && params.length === 0))
    return
  const maker = makerOf(table)
  if (!table.closable || table.permanent || !maker || maker.guarded !== undefined || !removerOf(table)) return
  const args = params.length > 0 ? plan.draft(op.id) : {}
  plan.make(table)
  plan.check(op.id, args)
  plan.check(op.id, { ...args, as: stranger.name })
}
