// What is still known where more is possible than can be followed: that in which all possibilities agree. Judges nothing.

import type { World } from '../models/language/world.js'
import { land, type Pending } from './explanations/landing.js'
import { eitherWay } from './unfollowed.js'

/** A possible state. */
interface Possible {
  readonly world: World
  readonly pending: readonly Pending[]
}

/** The most lost calls that go on being followed. */
const mostPending = 5

/** The same with no more lost calls than are followed: what older ones have changed is unknown. */
export const bounded = <T extends Possible>(one: T): T => {
  const older = one.pending.slice(0, -mostPending)
  if (older.length === 0) return one
  return { ...one, world: older.reduce(mayHaveLanded, one.world), pending: one.pending.slice(older.length) }
}

/** The lost calls of all, each once. */
export const pendingIn = (all: readonly Pick<Possible, 'pending'>[]): readonly Pending[] => [
  ...new Map(all.flatMap(({ pending }) => pending.map((call) => [call.n, call] as const))).values(),
]

/** All hypotheses as one: what they differ in is unknown. */
export const asOne = <T extends Possible>(all: readonly T[]): readonly T[] => {
  const [first, ...others] = all
  if (!first) return []
  const world = others.reduce((known, one) => inBoth(known, one.world), first.world)
  return [bounded({ ...first, world, pending: pendingIn(all) })]
}

/** What holds in both worlds, neither of which need have come from the other. */
const inBoth = (one: World, other: World): World => {
  const both = eitherWay(one, other)
  return {
    ...both,
    closed: new Set([...both.closed].filter((place) => other.closed.has(place))),
    unfollowed: new Set([...(both.unfollowed ?? []), ...(other.unfollowed ?? [])]),
  }
}

/** What holds whether or not a call has taken effect. */
export const mayHaveLanded = (world: World, call: Pending): World => eitherWay(world, land(world, call))
