// A write whose reply was lost takes effect, late or not: it may have, may yet, or never does.

import isEqual from 'fast-deep-equal'
import type { WireCall } from '../../history/wire.js'
import { accountOf } from '../../models/language/access.js'
import { bookkeeping, forget, put } from '../../models/language/changes.js'
import { memoised } from '../../models/language/memoised.js'
import { isObject, leavesOf } from '../../models/language/objects.js'
import type { Operation } from '../../models/language/operation.js'
import { removedBy } from '../../models/language/references.js'
import { type AnyEntity, find, latentKey, type World } from '../../models/language/world.js'
import { tagKey, tags } from '../../models/tags/record.js'
import { readCall } from '../facts.js'
import { areIndependent, type CallWithOutcome } from '../independence.js'
import { unknowing } from '../unfollowed.js'
import { type Explanation, isAllowed, traceOf } from './explanation.js'

export const landing: Explanation = {
  name: 'landing',
  refutes: 'what it would have changed is seen as it was, by every reply that could show it',
  bound:
    'five such writes are followed at a time; what an older one changed is unknown from then on, and up to eight of them explain a reply that nothing else does',
}

/** A write whose reply was lost. */
export interface Pending {
  readonly op: Operation
  readonly call: WireCall
  readonly n: number
  /** What held when it was sent. */
  readonly sentIn: World
}

/** The world in which a lost call has taken effect, either when it was sent or only now. */
export const land = (world: World, pending: Pending): World => {
  const now = landIn(world, pending)
  const { makes } = pending.op
  if (!makes || Object.keys(pending.op.params).length === 0) return now.world
  const made = find(now.world, makes, now.made)
  const atOnce = landIn(pending.sentIn, pending)
  const then = find(atOnce.world, makes, atOnce.made)
  if (!then) return now.world
  // The entity that it was made from may be gone or changed by now.
  if (!made) return put(now.world, makes, then)
  const doubtful = Object.keys(then).filter((name) => name !== 'key' && !isEqual(then[name], made[name]))
  return forget(now.world, makes, made.key, doubtful)
}

/** Whether a lost call would change what is known of a world. */
export const wouldChange = (world: World, pending: Pending): boolean =>
  [...land(world, pending).tables].some(([name, { live: after }]) => {
    const before = world.tables.get(name)?.live
    return (
      before !== after &&
      (before?.size !== after.size || [...after].some(([key, one]) => !isAlike(before.get(key), one)))
    )
  })

const isAlike = (one: AnyEntity | undefined, other: AnyEntity): boolean =>
  one === other ||
  (one !== undefined &&
    Object.keys({ ...one, ...other }).every((name) => bookkeeping.has(name) || isEqual(one[name], other[name])))

/** The effect of a lost call on a world, and the key of what it made, which is latent where the call does not give it. */
const landIn = (world: World, { op, call, n }: Pending): { readonly world: World; readonly made: string } => {
  const before = { ...world, step: n, operation: op.id }
  const read = readCall(before, op, call)
  const latent = latentKey(n)
  if (!op.apply || !read.resolved) return { world, made: latent }
  try {
    const made = op.keys?.(read.facts) ?? latent
    const after = op.apply({ ...read.facts, world: before, made, chosen: {} })
    return { world: { ...after, step: world.step, operation: world.operation }, made }
  } catch {
    // An ill-formed body has no effect that could be followed.
    return { world: unknowing(world, op, read), made: latent }
  }
}

/** Lost calls that have landed, in order, and those that have not. */
export interface Landed {
  readonly world: World
  readonly pending: readonly Pending[]
  readonly landed: readonly Pending[]
}

/** The lost calls that may matter to a call, directly or through each other. Whether others have landed makes no difference. */
export const tiedTo = (pending: readonly Pending[], sent: CallWithOutcome): readonly Pending[] => {
  const tied = new Set<CallWithOutcome>([sent])
  const lost = pending.map((one) => ({ one, sent: asSent(one) }))
  for (const next of tied) for (const other of lost) if (!areIndependent(other.sent, next)) tied.add(other.sent)
  return lost.filter((one) => tied.has(one.sent)).map(({ one }) => one)
}

/** Whether a lost call may matter to a call directly. */
export const isRelatedTo = (pending: Pending, sent: CallWithOutcome): boolean => !areIndependent(asSent(pending), sent)

/** Always the same for one lost call, so that what it reaches is read once. */
const asSent = memoised(({ op, call }: Pending): CallWithOutcome => ({ op, call, outcome: { lost: 'timeout' } }))

/** Every order in which lost calls may have landed, the shortest first. Independent calls are taken in the order of sending only. */
export const landings = (from: Landed): readonly Landed[] => {
  const all: Landed[] = []
  for (let level = nextLandings(from); level.length > 0; level = level.flatMap(nextLandings)) all.push(...level)
  return all
}

/** The orders in which one more lost call has landed. */
export const nextLandings = (from: Landed): readonly Landed[] => {
  if (from.pending.length === 0 || !isAllowed(from.world.environment, landing)) return []
  const last = from.landed.at(-1)
  return from.pending.flatMap((one) => {
    if (last && one.n < last.n && !haveInCommon(one, asSent(last))) return []
    const pending = from.pending.filter((other) => other !== one)
    return [one, ...beforeTagsWent(from.world, one)].map((each) => ({
      world: land(from.world, each),
      pending,
      landed: [...from.landed, one],
    }))
  })
}

/** A creation that landed before tags of it were deleted: its effect is as if it had not given these tags. */
const beforeTagsWent = ({ tables, environment }: World, pending: Pending): readonly Pending[] => {
  const { op, call, n } = pending
  const body = isObject(call.body) ? (call.body as { readonly tags?: unknown }) : {}
  const given = body.tags
  if (!op.makes || !Array.isArray(given)) return []
  const account = accountOf(environment, call.as)
  const state = tables.get(tags.name)
  const hasGone = (label: unknown): boolean => {
    const key = tagKey(account, String(label))
    return !state?.live.has(key) && state?.gone.some(({ entity, step }) => entity.key === key && step > n) === true
  }
  const kept = given.filter((label) => !hasGone(label))
  return kept.length === given.length ? [] : [{ ...pending, call: { ...call, body: { ...body, tags: kept } } }]
}

/** Whether a lost removal, if it landed before this write, was undone by it: what has a name can be made again. */
export const mayBeUndoneBy = (removal: Pending, write: CallWithOutcome): boolean => {
  return removedBy(removal.op)?.table.change.renewable === true && haveInCommon(removal, write)
}

const haveInCommon = (one: Pending, other: CallWithOutcome): boolean => {
  if (areIndependent(asSent(one), other)) return false
  const names = namesIn(one.call)
  return [...namesIn(other.call)].some((name) => names.has(name))
}

const namesIn = memoised(({ path, body }: WireCall) => new Set(leavesOf([path, body])))

export const traceOfLanding = ({ op, n }: Pending): string => traceOf(landing, op.id, n)
