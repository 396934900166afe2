// What is still known where more is possible than can be followed: that in which all possibilities agree. Judges nothing.

import type { World } from '../models/language/world.js'
import type { Belief, Observation } from './belief.js'
import { land, type Pending } from './explanations/landing.js'
import type { Judgement } from './judgement.js'
import { eitherWay } from './unfollowed.js'

type Hypothesis = Belief['hypotheses'][number]

/** The most lost calls that go on being followed. */
const mostPending = 5

/** All hypotheses as one: what they differ in is unknown. */
export const asOne = (all: readonly Hypothesis[]): readonly Hypothesis[] => {
  const [first, ...others] = all
  if (!first) return []
  const world = others.reduce((known, one) => inBoth(known, one.world), first.world)
  const pending = [...new Map(all.flatMap((one) => one.pending.map((call) => [call.n, call] as const))).values()]
  const older = pending.slice(0, -mostPending)
  return [{ ...first, world: older.reduce(mayHaveLanded, world), pending: pending.slice(older.length) }]
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

const mayHaveLanded = (world: World, call: Pending): World => eitherWay(world, land(world, call))

/** The belief after calls whose order is not known: each that was not refused may have taken effect before or after any other. */
export const afterAnyOf = (belief: Belief, calls: readonly Observation[]): Belief => {
  const writes = calls.filter(({ op, outcome }) => op.method !== 'GET' && !isRefused(outcome))
  const after = (world: World): World =>
    writes.reduce((known, { op, call, n }) => mayHaveLanded(known, { op, call, n, sentIn: world }), world)
  return { ...belief, hypotheses: belief.hypotheses.map((one) => ({ ...one, world: after(one.world) })) }
}

const isRefused = (outcome: Observation['outcome']): boolean =>
  'status' in outcome && outcome.status >= 400 && outcome.status < 500

/**
 * The belief with which a run goes on. Where too much was possible, what is left of it holds in all cases, so that it can be judged by;
 * but nothing is known any more after a call that could not be judged at all.
 */
export const goingOn = (before: Belief, after: Belief, judgements: readonly Judgement[]): Belief =>
  after.overflow && !before.overflow && judgements.every(({ defects }) => defects === undefined)
    ? { ...after, overflow: false }
    : after
