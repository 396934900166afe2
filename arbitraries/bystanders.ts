// What stands beside the resource that a sequence is about, and looks at it: others like it, what names it, and another account's.
import { allTables, listerOf, makerOf, operations, removerOf, viewerOf } from '../models/index.js'
import { type AnyTable, isListed, type Operation } from '../models/language/operation.js'
import type { Args, Made, Plan } from '../models/language/plan.js'
import { lastTableOf } from '../models/language/references.js'
import { strangerToken } from './plan-tokens.js'
import { isEmpty, likeOf, pathOf, type Subject } from './subjects.js'

/** Makes another one like the subject, which stays, and gives what removes it; what shows that follows. */
export const passingLike = (plan: Plan, table: AnyTable, maker: Operation, one: Subject): (() => void) => {
  const remover = removerOf(table)
  const args = remover && remover.guarded === undefined ? likeOf(plan, maker, one) : undefined
  if (!remover || !args) return () => undefined
  const made = plan.check(maker.id, { ...args, unwatched: true })
  const path = pathOf(plan, table, maker, { ...one, made }) ?? {}
  return () => void plan.check(remover.id, { path, unwatched: true })
}

/** A token of another account with all rights that these operations need. */
export const strangerFor = (plan: Plan, ...ops: readonly Operation[]): string | undefined => {
  const managed = ops.some(({ area }) => area === 'managed') ? { managed: true } : {}
  const has = ops.flatMap(({ scopes }) => scopes ?? [])
  const rich = { foreign: true, balance: 'positive', has, ...managed } as const
  return plan.attempt(() => plan.token(rich)) ?? strangerToken(plan.environment)?.name
}

/** Looks at everything that shows the resource, but its own view, which follows every write; `apart` from the others, at what names it. */
export const lookAt = (
  plan: Plan,
  table: AnyTable,
  path: Args['path'] = {},
  apart?: 'apart',
  stranger?: string,
): (() => void) => {
  const shows = operations.filter(
    (op) =>
      op.method === 'GET' &&
      (apart ? !isEmpty(op.params) : op !== viewerOf(table)) &&
      Object.keys(op.params).every((name) => name in path) &&
      ((op.query?.required as readonly string[] | undefined) ?? []).length === 0 &&
      (lastTableOf(op) === table || isListOf(op, table)),
  )
  let looks = 0
  return () => {
    looks += 1
    for (const op of shows) {
      const own = Object.entries(path).filter(([name]) => name in op.params)
      // By turns with another token, since a target may cache by token.
      const as = stranger ?? (looks % 2 === 0 ? plan.narrowToken(op.id) : undefined)
      plan.check(op.id, { ...(own.length > 0 && { path: Object.fromEntries(own) }), ...(as !== undefined && { as }) })
    }
  }
}

/** The view of the resource with another token than that of the changes. */
export const viewNarrowly = (plan: Plan, table: AnyTable, path: Args['path'] = {}): void => {
  const op = viewerOf(table)
  const as = op && plan.narrowToken(op.id)
  if (op && as !== undefined && Object.keys(op.params).every((name) => name in path)) plan.check(op.id, { path, as })
}

const isListOf = ({ reply }: Operation, table: AnyTable): boolean => isListed(reply) && reply.table === table

/** Has another account make a similar resource. Its list is looked at together with what shows this one. */
export const foreign = (plan: Plan, table: AnyTable, maker: Operation, one: Subject): (() => void) => {
  const lister = listerOf(table)
  const stranger = strangerFor(plan, maker, ...(lister ? [lister] : []))
  if (stranger === undefined || !lister || !isEmpty(lister.params)) return () => undefined
  const like = likeOf(plan, maker, one)
  const args = like && isOfAnybody(maker, like) ? like : plan.attempt(() => maker.draft(plan))
  if (!args) return () => undefined
  const made = plan.check(maker.id, { ...args, as: stranger })
  const look = isOfAnybody(maker, args)
    ? lookAt(plan, table, pathOf(plan, table, maker, { ...one, made }), 'apart', stranger)
    : () => undefined
  return () => {
    plan.check(lister.id, { as: stranger })
    look()
  }
}

/** Makes what names the subject in its body, which no change of the subject changes. It is looked at and removed together. */
export const referrers = (plan: Plan, table: AnyTable, { made }: Subject): (() => void) => {
  const steps = allTables().flatMap((other) => {
    const [maker, remover] = [makerOf(other), removerOf(other)]
    if (other === table || !maker?.full || !isEmpty(maker.params) || !remover || remover.guarded !== undefined)
      return []
    const named: Made[] = []
    const naming: Plan = {
      ...plan,
      make: (kind, body, args) =>
        (kind as AnyTable) === table && named.push(made) === 1 ? made : plan.make(kind, body, args),
    }
    const write = maker.full
    if (!plan.attempt(() => write(naming), 'undo') || named.splice(0).length === 0) return []
    const args = write(naming)
    const path = pathOf(plan, other, maker, { made: plan.check(maker.id, args), within: {}, body: {} }) ?? {}
    const look = lookAt(plan, other, path, 'apart')
    return [look, () => void plan.check(remover.id, { path })]
  })
  return () => {
    for (const step of steps) step()
  }
}

/** Whether a call names nothing of its own account. */
const isOfAnybody = ({ body: schema }: Operation, { body = {} }: Args): boolean =>
  Object.keys(body).every((name) => !JSON.stringify(schema?.properties[name] ?? {}).includes('"ref"'))
