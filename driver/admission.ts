// Admits calls of programs side by side: a call waits until no call under way could affect it or be affected; sends nothing.

import type { Outcome, WireCall } from '../history/wire.js'
import { hookReaches } from '../models/hooks.js'
import { type AnyTable, isListed, type Operation } from '../models/language/operation.js'
import type { HookName } from '../models/language/plan.js'
import { holdings, type Partition, related } from '../models/language/reach.js'
import { find, isOurs, type World } from '../models/language/world.js'
import { areIndependent, reachedBy } from '../oracle/independence.js'
import { isGone, thingsNamed } from './standing.js'

/** What a call reads or changes, as far as that is known before its reply. */
interface CallClaim {
  readonly op: Operation
  readonly call: WireCall
  readonly outcome: Outcome
  readonly isRead: boolean
  /** Whether it reads more than what it names. */
  readonly isList: boolean
  readonly names: ReadonlySet<string>
  /** The kinds of the removed things that a write names: something new may be given such an id. */
  readonly gone: ReadonlySet<AnyTable>
  /** Kinds of events that a success emits. */
  readonly events: readonly string[]
  /** Whether calls that may emit such events must not overlap with it. */
  readonly isSingly: boolean
}

/** A hook, which changes something in a part of the interface from outside, and may emit any event. */
interface HookClaim {
  readonly from: 'outside'
  readonly partition: Partition | 'anything'
}

export type Claim = 'everything' | HookClaim | CallClaim

type Leave = () => void

export interface Admission {
  /** Waits until nothing under way could meet any of the calls, then runs a function while all of them are held. */
  readonly admit: <T>(claims: readonly Claim[], what: () => Promise<T>, rank?: number) => Promise<T>
}

const unanswered: Outcome = { lost: 'timeout' }

export const claimOf = (world: World, op: Operation, call: WireCall, isSingly = false): CallClaim => {
  const isRead = op.method === 'GET'
  return {
    op,
    call,
    outcome: unanswered,
    isRead,
    isList: isRead && !op.reach.alone && isListed(op.reply),
    names: namesIn(world, op, call),
    gone: new Set(isRead ? [] : goneIn(world, op, call)),
    events: isRead ? [] : [...(op.emits ?? []).map(({ event }) => event), ...(op.stirs ?? [])],
    isSingly,
  }
}

/** What a hook may meet: as its program has the resource to itself, only calls that look beyond that resource. */
export const claimOfHook = (name: HookName): Claim => ({ from: 'outside', partition: hookReaches[name] })

/** What a call names: the resources of its path, the ids in its body, and names of this run, in the call or in the entities it names. */
const namesIn = (world: World, op: Operation, { path, query, body }: WireCall): ReadonlySet<string> => {
  const named = Object.entries(op.params).filter(([, reference]) => typeof reference === 'object')
  // Deleting a tag changes the entities that carry it.
  const carried = named.map(([param, reference]) =>
    typeof reference === 'object' ? find(world, reference.table, path[param])?.tags : undefined,
  )
  const within = [query, body, ...carried].flatMap((value) => namesWithin(world, value, false))
  const { lent } = op.reach
  const about = isApart(lent) ? within.map((name) => (isOurs(world, name) ? name : `${lent} of ${name}`)) : within
  return new Set([...named.flatMap(([param]) => path[param] ?? []), ...about])
}

const goneIn = (world: World, op: Operation, call: WireCall): readonly AnyTable[] =>
  thingsNamed(world, op, call).flatMap((thing) => (isGone(world, thing) ? [thing.table] : []))

/** Whether what a call changes about a node has nothing to do with anything else about it. */
const isApart = (lent: Operation['reach']['lent']): boolean =>
  lent !== false && lent !== 'looks' && holdings[lent].isApart

const namesWithin = (world: World, value: unknown, isId: boolean): readonly string[] => {
  if (typeof value === 'string') return isOurs(world, value) ? [value] : []
  if (typeof value === 'number') return isId ? [String(value)] : []
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([name, item]) => namesWithin(world, item, isList || name.endsWith('id')))
}

/** Whether one of two calls could affect the other. */
export const doMeet = (one: Claim, other: Claim, isCountedSingly: IsCountedSingly): boolean => {
  if (one === 'everything' || other === 'everything') return true
  if ('from' in one) return meetsHook(one, other)
  if ('from' in other) return meetsHook(other, one)
  if (mustNotOverlap(one, other, isCountedSingly)) return true
  if (mayRevive(one, other) || mayRevive(other, one)) return true
  if ((one.isRead && other.isRead) || areIndependent(one, other)) return false
  if (isWide(one, other) || isWide(other, one)) return true
  for (const name of one.names) if (other.names.has(name)) return true
  return false
}

/** Whether it must be told which of two calls has emitted an event. */
const mustNotOverlap = (one: CallClaim, other: CallClaim, isCountedSingly: IsCountedSingly): boolean =>
  one.events.some((event) => other.events.includes(event) && (one.isSingly || other.isSingly || isCountedSingly(event)))

/** Whether a hook could affect something. Hooks go one by one. */
const meetsHook = ({ partition }: HookClaim, other: HookClaim | CallClaim): boolean => {
  if ('from' in other || partition === 'anything' || other.events.length > 0) return true
  const reached = reachedBy(other)
  if (!reached || reached.partition === partition) return true
  return reached.concerns.includes(partition) && related[partition].includes(reached.partition)
}

/** Whether a call makes something that may be given the id of a removed thing that the other call names. */
const mayRevive = ({ op: { makes, besides = [] } }: CallClaim, { gone }: CallClaim): boolean =>
  [makes, ...besides].some((table) => table && gone.has(table))

/** Whether some calls remove something and do more about it, and others make what may have its id by then. */
const mayGiveAgain = (some: readonly Claim[], others: readonly Claim[]): boolean =>
  some.length > 1 &&
  some.filter(isOfCall).some(({ op }) => {
    const reference = op.removes === undefined ? undefined : op.params[op.removes]
    const removed = typeof reference === 'object' ? reference.table.name : undefined
    return removed !== undefined && others.filter(isOfCall).some(({ op: { makes } }) => makes?.name === removed)
  })

const isOfCall = (claim: Claim): claim is CallClaim => claim !== 'everything' && !('from' in claim)

/** Whether a call affects another one whatever they name. */
const isWide = ({ isList, op }: CallClaim, other: CallClaim): boolean =>
  isList || (op.wide === true && op.area === other.op.area)

const isHook = (claim: Claim): boolean => claim !== 'everything' && 'from' in claim

interface Waiting {
  readonly claims: readonly Claim[]
  readonly admit: (leave: Leave) => void
  /** Of two calls that may go, the one of higher rank goes first. */
  readonly rank: number
  /** How many calls that it could meet have overtaken it. */
  overtaken: number
}

/** The most calls that may overtake a waiting one. Without any, lists and writes by turns would all go one by one. */
const mostOvertaking = 12

/** Whether calls that may emit that kind of event must not overlap now. */
type IsCountedSingly = (event: string) => boolean

/** @param most the most calls that are under way at a time */
export const createAdmission = (most: number, isCountedSingly: IsCountedSingly): Admission => {
  const anyMeet = (some: readonly Claim[], others: readonly Claim[]): boolean =>
    some.some((one) => others.some((other) => doMeet(one, other, isCountedSingly))) ||
    mayGiveAgain(some, others) ||
    mayGiveAgain(others, some)

  const underWay = new Set<readonly Claim[]>()
  const waiting: Waiting[] = []

  const hold = (claims: readonly Claim[]): Leave => {
    underWay.add(claims)
    return () => {
      if (underWay.delete(claims)) advance()
    }
  }

  const isFree = (claims: readonly Claim[]): boolean => {
    if (underWay.size >= most) return false
    for (const held of underWay) if (anyMeet(claims, held)) return false
    return true
  }

  /** Whether an earlier call must not be overtaken any more. */
  const isBarred = (claims: readonly Claim[], earlier: readonly Waiting[]): boolean =>
    earlier.some((one) => (one.overtaken >= mostOvertaking || one.claims.some(isHook)) && anyMeet(claims, one.claims))

  /** Of the calls that may go, the earliest of those with the highest rank. */
  const next = (): Waiting | undefined => {
    if (underWay.size >= most) return undefined
    let best: Waiting | undefined
    for (const [i, one] of waiting.entries())
      if ((!best || one.rank > best.rank) && isFree(one.claims) && !isBarred(one.claims, waiting.slice(0, i)))
        best = one
    return best
  }

  const advance = (): void => {
    for (let one = next(); one; one = next()) {
      const at = waiting.indexOf(one)
      for (const other of waiting.slice(0, at)) if (anyMeet(one.claims, other.claims)) other.overtaken += 1
      waiting.splice(at, 1)
      one.admit(hold(one.claims))
    }
  }

  const enter = (claims: readonly Claim[], rank: number): Promise<Leave> =>
    new Promise((admit) => {
      waiting.push({ claims, admit, rank, overtaken: 0 })
      advance()
    })

  return {
    admit: async (claims, what, rank = 0) => {
      const leave = await enter(claims, rank)
      try {
        return await what()
      } finally {
        leave()
      }
    },
  }
}
