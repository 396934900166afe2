// The resource that a sequence is about, and calls that have it, or one like it, in place of what they would make; nothing is sent.
import { operations, removerOf, viewerOf } from '../models/index.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args, Made, Plan, Scalar } from '../models/language/plan.js'

export interface Subject {
  readonly made: Made
  /** The path of what it is a part of. */
  readonly within: Readonly<Record<string, Scalar>>
  /** What it was made with. */
  readonly body: Readonly<Record<string, unknown>>
}

/** The path to the subject, as an operation on it has it. */
export const pathOf = (plan: Plan, table: AnyTable, maker: Operation, { made, within }: Subject): Args['path'] => {
  const named = viewerOf(table) ?? removerOf(table)
  const drafted = plan.attempt(() => named?.draft(bound(plan, table, maker, made)).path, 'undo')
  return { ...drafted, ...within }
}

/** Whether there may be no room for two of a kind. */
export const isSole = (plan: Plan, { draft, sole = [] }: Operation): boolean =>
  sole.some((name) => name in (plan.attempt(() => draft(plan).body, 'undo') ?? {}))

/** A valid creation with all members that several resources may have at a time. */
export const besides = (plan: Plan, { draft, full, sole = [] }: Operation): Args => {
  const { body, ...args } = (full ?? draft)(plan)
  const members = Object.entries(body ?? {}).filter(([name]) => !sole.includes(name))
  return members.length === 0 ? args : { ...args, body: Object.fromEntries(members) }
}

/** A valid creation like that of the subject in all but names; undefined where no name tells them apart. */
export const likeOf = (plan: Plan, maker: Operation, { within, body: own }: Subject): Args | undefined => {
  const drafted = plan.attempt(() => besides(plan, maker), 'undo')
  const isOwnName = ownNames(plan)
  // Names that may be left out tell nothing apart.
  const plain = plan.attempt(() => maker.draft(plan), 'undo')?.body ?? {}
  const members = Object.entries(drafted?.body ?? {})
  const isAnew = ([name, value]: (typeof members)[number]): boolean => name in plain && isOwnName(value)
  if (!members.some(isAnew)) return undefined
  const body = members.flatMap(([name, value]) =>
    isAnew([name, value]) ? [[name, value]] : name in own ? [[name, own[name]]] : [],
  )
  return { ...(!isEmpty(within) && { path: within }), body: Object.fromEntries(body) }
}

/** Whether a text begins with a name that this plan gave. */
export const ownNames = (plan: Plan): ((value: unknown) => boolean) => {
  const name = plan.name()
  const start = name.slice(0, name.lastIndexOf('-'))
  return (value) => typeof value === 'string' && value.startsWith(start)
}

/** The plan with one resource in place of every new one of its kind. Other arranging calls need not be accepted. */
export const bound = (
  plan: Plan,
  table: AnyTable,
  maker: Operation,
  one: Made | undefined,
  onMake: (body: Readonly<Record<string, unknown>>) => void = () => undefined,
): Plan => {
  const own: Plan = {
    ...plan,
    make: (other, body, args) => {
      if ((other as AnyTable) !== table) return plan.make(other, body, args)
      onMake(body ?? {})
      return one ?? plan.make(other, body, args)
    },
    call: (operation, args) => (operation === maker.id && one ? one : plan.check(operation, args)),
    draft: (operation) => operations.find(({ id }) => id === operation)?.draft(own) ?? {},
  }
  return own
}

export const isEmpty = (object: object): boolean => Object.keys(object).length === 0
