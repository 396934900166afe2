// Lets a call of programs that run side by side go once no call under way could affect it or be affected; it sends nothing.

import type { Outcome, WireCall } from '../history/wire.js'
import type { Operation } from '../models/language/operation.js'
import { find, isOurs, type World } from '../models/language/world.js'
import { areIndependent } from '../oracle/independence.js'

/** What a call looks at or changes, as far as that is known before it is answered. */
interface Reach {
  readonly op: Operation
  readonly call: WireCall
  readonly outcome: Outcome
  readonly isRead: boolean
  /** Whether it looks at more than what it names. */
  readonly isList: boolean
  readonly names: ReadonlySet<string>
  /** Kinds of events that a success emits. */
  readonly events: readonly string[]
}

export type Claim = 'everything' | Reach

type Leave = () => void

export interface Admission {
  /** Waits until nothing is under way that could meet any of them, then does something while they are held together. */
  readonly admit: <T>(claims: readonly Claim[], what: () => Promise<T>, rank?: number) => Promise<T>
}

const unanswered: Outcome = { lost: 'timeout' }

export const claimOf = (world: World, op: Operation, call: WireCall): Claim => {
  const isRead = op.method === 'GET'
  return {
    op,
    call,
    outcome: unanswered,
    isRead,
    isList: isRead && !op.reach.alone && (op.reply.kind === 'page' || op.reply.kind === 'records'),
    names: namesIn(world, op, call),
    events: isRead ? [] : [...(op.emits ?? []).map(({ event }) => event), ...(op.stirs ?? [])],
  }
}

/** What a call names: the resources of its path, the ids in its body, and names of this run, in it or in what is known of what it names. */
const namesIn = (world: World, op: Operation, { path, query, body }: WireCall): ReadonlySet<string> => {
  const named = Object.entries(op.params).filter(([, reference]) => typeof reference === 'object')
  // The tags that a volume carries are changed where they are deleted.
  const carried = named.map(([param, reference]) =>
    typeof reference === 'object' ? find(world, reference.table, path[param])?.tags : undefined,
  )
  const within = [query, body, ...carried].flatMap((value) => namesWithin(world, value, false))
  const { lent } = op.reach
  const about = apart.has(lent) ? within.map((name) => (isOurs(world, name) ? name : `${lent} of ${name}`)) : within
  return new Set([...named.flatMap(([param]) => path[param] ?? []), ...about])
}

/** What no call changes or looks at that has to do with anything else about the same node. */
const apart: ReadonlySet<Operation['reach']['lent']> = new Set(['volumes', 'firewalls'])

const namesWithin = (world: World, value: unknown, isId: boolean): readonly string[] => {
  if (typeof value === 'string') return isOurs(world, value) ? [value] : []
  if (typeof value === 'number') return isId ? [String(value)] : []
  if (typeof value !== 'object' || value === null) return []
  const isList = Array.isArray(value)
  return Object.entries(value).flatMap(([name, item]) => namesWithin(world, item, isList || name.endsWith('id')))
}

const doMeet = (one: Claim, other: Claim, isCountedSingly: IsCountedSingly): boolean => {
  if (one === 'everything' || other === 'everything') return true
  if (one.events.some((event) => other.events.includes(event) && isCountedSingly(event))) return true
  if ((one.isRead && other.isRead) || areIndependent(one, other)) return false
  if (isWide(one, other) || isWide(other, one)) return true
  for (const name of one.names) if (other.names.has(name)) return true
  return false
}

/** Whether a call reaches another whatever they name. */
const isWide = ({ isList, op }: Reach, other: Reach): boolean =>
  isList || (op.wide === true && op.area === other.op.area)

interface Waiting {
  readonly claims: readonly Claim[]
  readonly admit: (leave: Leave) => void
  /** Those of higher rank go first, where both may. */
  readonly rank: number
  /** How many that it could meet have gone before it, although they came later. */
  overtaken: number
}

/** So many may overtake one that waits: lists by turns with writes would take as long as all of them in turn. */
const mostOvertaking = 12

/** Whether no two calls may emit that kind of event at a time now. */
type IsCountedSingly = (event: string) => boolean

/** @param most the most calls that are under way at a time */
export const createAdmission = (most: number, isCountedSingly: IsCountedSingly): Admission => {
  const anyMeet = (some: readonly Claim[], others: readonly Claim[]): boolean =>
    some.some((one) => others.some((other) => doMeet(one, other, isCountedSingly)))

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

  /** Whether one that came earlier is no longer to be overtaken. */
  const isBarred = (claims: readonly Claim[], earlier: readonly Waiting[]): boolean =>
    earlier.some(
      (one) => (one.overtaken >= mostOvertaking || one.claims.includes('everything')) && anyMeet(claims, one.claims),
    )

  /** Of those that may go the one of highest rank, the earliest of these. */
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
