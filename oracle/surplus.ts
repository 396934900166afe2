// What is still known where more is possible than can be followed: that in which all possibilities agree. Judges nothing.

import type { World } from '../models/language/world.js'
import { byAge, land, type Pending } from './explanations/landing.js'
import { eitherWay } from './unfollowed.js'

/** A possible state. */
interface Possible {
  readonly world: World
  readonly pending: readonly Pending[]
}

/** The most lost calls of which it is followed in which order they land, and the most older ones that may still land, each by itself. */
const mostPending = 5
const mostOlder = 32

/** The same where no more lost calls are followed than can be: what older ones have changed is unknown, and may still come about. */
export const bounded = <T extends Possible>(one: T): T => {
  const { recent, older } = byAge(one.pending)
  const aged = recent.slice(0, -mostPending)
  if (aged.length === 0) return one
  const marked = [...older, ...aged.map((call) => ({ ...call, isOlder: true as const }))]
  const pending = [...marked.slice(-mostOlder), ...recent.slice(aged.length)]
  return { ...one, world: aged.reduce(mayHaveLanded, one.world), pending }
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
