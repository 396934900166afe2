// What is believed of the target: hypotheses that all explain what was seen, with calls that may still take effect.

import type { World } from '../models/language/world.js'
import type { Assumption } from './explanations/drift.js'
import { land, landings, type Pending, traceOfLanding } from './explanations/landing.js'
import type { Judgement, Observation } from './judgement.js'
import { type Change, noPast, type Past, remembering } from './past.js'
import { forgotten } from './retried.js'
import { asOne, mostPending, pendingIn } from './surplus.js'
import { eitherWay } from './unfollowed.js'

export interface Hypothesis {
  readonly world: World
  readonly pending: readonly Pending[]
  readonly assumed: readonly Assumption[]
}

export interface Belief {
  readonly hypotheses: readonly Hypothesis[]
  /** More hypotheses than are followed: what is seen from now on is inconclusive. */
  readonly overflow: boolean
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
  return {
    ...belief,
    hypotheses: hypotheses.length > mostHypotheses ? asOne(hypotheses) : hypotheses,
    overflow: belief.overflow || hypotheses.length > mostHypotheses,
  }
}

/** Writes whose replies were lost, which may still take effect. */
export const pendingOf = ({ hypotheses }: Belief): readonly Pending[] => pendingIn(hypotheses)

/** A fresh belief that keeps only the calls sent before that may still take effect. */
export const anew = (first: Belief, before: Belief): Belief => ({
  ...first,
  hypotheses: pendingOf(before).reduce((all, call) => all.map((one) => awaiting(one, call)), first.hypotheses),
})

/** The hypothesis with one more call that may still take effect. If they are too many, the effect of the oldest becomes unknown. */
export const awaiting = (hypothesis: Hypothesis, call: Omit<Pending, 'sentIn'>): Hypothesis => {
  const pending = [...hypothesis.pending, { ...call, sentIn: hypothesis.world }]
  const [oldest] = pending
  if (!oldest || pending.length <= mostPending) return { ...hypothesis, pending }
  const { world } = hypothesis
  return { ...hypothesis, world: eitherWay(world, land(world, oldest)), pending: pending.slice(1) }
}
