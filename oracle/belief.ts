// What is believed of the target: hypotheses that all explain what was seen, with calls that may still take effect.

import type { World } from '../models/language/world.js'
import type { Assumption } from './explanations/drift.js'
import { landings, type Pending, traceOfLanding } from './explanations/landing.js'
import type { Judgement, Observation } from './judgement.js'
import { type Change, noPast, type Past, remembering } from './past.js'
import { forgotten } from './retried.js'
import { asOne, bounded, pendingIn } from './surplus.js'

export interface Hypothesis {
  readonly world: World
  readonly pending: readonly Pending[]
  readonly assumed: readonly Assumption[]
}

export interface Belief {
  readonly hypotheses: readonly Hypothesis[]
  /** More hypotheses than are followed: what is seen from now on is inconclusive. */
  readonly overflow: boolean
  /** Lost calls of which it is not followed any more in which order they take effect: each may still do so. */
  readonly older?: readonly Pending[]
  /** Changes that the target may not show yet; left out where nothing is sent again to find out. */
  readonly past?: Past
}

export interface Observed {
  readonly belief: Belief
  readonly judgement: Judgement
}

/** How an observation is taken in; recorded traffic is taken in with more reserve. */
export type Observe = (belief: Belief, observation: Observation) => Observed

/** The most hypotheses that are followed. */
export const mostHypotheses = 32

export const believe = (world: World): Belief => ({
  hypotheses: [{ world, pending: [], assumed: [] }],
  overflow: false,
})

/** The belief of a judge who sends late reads again. */
export const patiently = (belief: Belief): Belief => ({ ...belief, past: noPast })

/** The belief of a judge who takes each reply as it is. */
export const impatiently = ({ past: _, ...belief }: Belief): Belief => belief

/** Whether the target has been seen to show a change late. */
export const isLateAtTimes = ({ past }: Belief): boolean => past !== undefined && past.longestMs > 0

/** The belief after a change that may not show at once, and the world before it. */
export const changing = (
  belief: Belief,
  world: World,
  endedAt: number | undefined,
  by: Observation | Pick<Change, 'name' | 'instance'>,
): Belief =>
  belief.past && endedAt !== undefined
    ? {
        ...belief,
        past: remembering(belief.past, {
          world,
          endedAt,
          instance: by.instance,
          ...('op' in by ? { name: by.op.id, by } : { name: by.name }),
        }),
      }
    : belief

/** The belief after something outside of the interface may have touched anything. */
export const disturbed = (belief: Belief): Belief =>
  belief.past ? { ...belief, past: { ...belief.past, retries: forgotten(belief.past.retries) } } : belief

/** The likeliest world: what programs are planned against. */
export const worldOf = (belief: Belief): World => (belief.hypotheses[0] as Hypothesis).world

/** Every world that may be, with what it assumes by name: lost calls have landed or not. */
export const worldsOf = ({
  hypotheses,
}: Belief): readonly { readonly world: World; readonly assumed: readonly string[] }[] =>
  hypotheses.flatMap(({ world, pending }) => [
    { world, assumed: [] },
    ...landings({ world, pending, landed: [] }).map((one) => ({
      world: one.world,
      assumed: one.landed.map(traceOfLanding),
    })),
  ])

/** The belief with a change that came about outside of the calls. */
export const adjusted = (belief: Belief, change: (world: World) => World): Belief => ({
  ...belief,
  hypotheses: belief.hypotheses.map((one) => ({ ...one, world: change(one.world) })),
})

/** The belief in which a change may have come about or not: what is seen next decides. */
export const orElse = (belief: Belief, change: (world: World) => World): Belief => {
  const changed = belief.hypotheses.flatMap((one) => {
    const world = change(one.world)
    return world.tables === one.world.tables ? [] : [{ ...one, world }]
  })
  const hypotheses = [...belief.hypotheses, ...changed]
  const isTooMany = hypotheses.length > mostHypotheses
  const kept = isTooMany ? asOne(hypotheses) : hypotheses
  return aging({ ...belief, hypotheses: kept, overflow: belief.overflow || isTooMany }, hypotheses)
}

/** Writes whose replies were lost, which may still take effect. */
export const pendingOf = ({ hypotheses }: Belief): readonly Pending[] => pendingIn(hypotheses)

/** A fresh belief that keeps only the calls sent before that may still take effect. */
export const anew = (first: Belief, before: Belief): Belief => {
  const { older = [] } = before
  const kept = older.length === 0 ? first : { ...first, older }
  return pendingOf(before).reduce(awaiting, kept)
}

/** The belief with one more call that may still take effect. If they are too many, the effect of the oldest becomes unknown. */
export const awaiting = (belief: Belief, call: Omit<Pending, 'sentIn'>): Belief => {
  const before = belief.hypotheses.map((one) => ({ ...one, pending: [...one.pending, { ...call, sentIn: one.world }] }))
  return aging({ ...belief, hypotheses: before.map(bounded) }, before)
}

/** The belief that remembers which calls it follows no more, of those of the hypotheses that it has come from. */
export const aging = (belief: Belief, from: readonly Pick<Hypothesis, 'pending'>[]): Belief => {
  const followed = new Set(pendingOf(belief).map(({ n }) => n))
  const dropped = pendingIn(from).filter(({ n }) => !followed.has(n))
  return dropped.length === 0 ? belief : { ...belief, older: [...(belief.older ?? []), ...dropped].slice(-mostOlder) }
}

/** The most older lost calls that are remembered: more than are lost while one of them is on its way. */
const mostOlder = 256
