// Tells which calls are independent, so that their order makes no difference; nothing is judged here.

import isEqual from 'fast-deep-equal'
import type { Outcome, WireCall } from '../history/wire.js'
import { memoised } from '../models/language/memoised.js'
import { isObject, leavesOf } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { type Partition, related } from '../models/language/reach.js'
import { idNamed, referencesOf } from '../models/language/references.js'

/** A call, with what came of it. */
export interface CallWithOutcome {
  readonly op: Operation
  readonly call: WireCall
  readonly outcome: Outcome
}

/** What a call reaches. */
export interface Reached {
  readonly partition: Partition
  /** The only resource that is reached; undefined where there may be several. */
  readonly own: string | undefined
  /** Other partitions that it may read or change. */
  readonly concerns: readonly Partition[]
  /** The id of what it made, as the reply tells it. */
  readonly made: string | undefined
  /** What the body may call a resource by. */
  readonly names: ReadonlySet<string>
}

/** Undefined where it may reach anything. */
export const reachedBy = memoised((sent: CallWithOutcome): Reached | undefined => {
  const { op, call } = sent
  const { reach } = op
  if (reach.in === 'anything') return undefined
  const made = madeBy(sent)
  const own = reach.alone ? ownOf(sent, made) : undefined
  const concerns = reach.concerns?.(call.body) ?? related[reach.in]
  return { partition: reach.in, own, concerns, made, names: new Set(leavesOf(call.body)) }
})

/** The resource that the path names first, or else the one that was made. */
const ownOf = ({ op, call }: CallWithOutcome, made: string | undefined): string | undefined => {
  const [named] = referencesOf(op)
  if (!named) return made === undefined ? undefined : `${op.makes?.name} ${made}`
  const key = idNamed(named, call.path, undefined)
  return key === undefined ? undefined : `${named[1].table.name} ${key}`
}

/** What a creation surely made: the reply shows a member that was sent, so that its id is not that of something else. */
const madeBy = ({ op: { makes }, call, outcome }: CallWithOutcome): string | undefined => {
  if (!makes || !('status' in outcome) || outcome.status >= 300) return undefined
  const { body } = outcome
  if (!isObject(body) || !isObject(call.body)) return undefined
  const sent = Object.entries(call.body).filter(([name]) => name !== 'id' && makes.fields.includes(name))
  const isShown = sent.some(([name, value]) => isEqual(body[name], value))
  return isShown ? makes.identify(body, call.path, undefined) : undefined
}

/** Whether a call is about what another one made, whatever that concerned itself. */
const isAbout = ({ concerns, names }: Reached, { partition, made }: Reached): boolean =>
  made !== undefined && concerns.includes(partition) && names.has(made)

/** Whether two calls are surely independent. */
export const areIndependent = (one: CallWithOutcome, other: CallWithOutcome): boolean => {
  const [a, b] = [reachedBy(one), reachedBy(other)]
  if (!a || !b) return false
  if (a.partition !== b.partition) {
    const isMutual = a.concerns.includes(b.partition) && b.concerns.includes(a.partition)
    return !isMutual && !isAbout(a, b) && !isAbout(b, a)
  }
  return a.own !== undefined && b.own !== undefined && a.own !== b.own
}
