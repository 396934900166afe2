// Among how many recorded calls one that explains a deviation would have to be missing, and how much that weighs; pure.

import { getOrInsert } from '../../models/language/get-or-insert.js'
import type { World } from '../../models/language/world.js'
import { adjusted, type Belief, impatiently, type Observe } from '../belief.js'
import type { Deviation, Judged, Judgement } from '../judgement.js'
import { interfered } from './interference.js'
import { withOwn, withoutRegiven } from './interference-ids.js'

/** The weight of a deviation, by the number of calls between which the missing write would have to lie. */
export interface Nearness {
  readonly calls: number
  readonly weight: number
  /** The weight if the reply shows the state before a write, as if the write had had no effect. */
  readonly weightIfLost: number
}

const degrees: readonly Nearness[] = [
  { calls: 1, weight: 1.5, weightIfLost: 6 },
  { calls: 2, weight: 1.25, weightIfLost: 4 },
  { calls: 32, weight: 1, weightIfLost: 1 },
]

/** The weight of a deviation that a gap may explain anywhere. */
export const farthest: Nearness = { calls: Number.POSITIVE_INFINITY, weight: 0, weightIfLost: 0 }

/** The weight of a deviation that no gap explains. */
export const surely: Nearness = { calls: 0, weight: Number.POSITIVE_INFINITY, weightIfLost: Number.POSITIVE_INFINITY }

/** The weight if the write would have to be missing among so many calls. */
export const nearnessOver = (calls: number): Nearness => degrees.find((one) => calls <= one.calls) ?? farthest

/** So many times the usual time between two calls is taken for one call that may be missing. */
const usualTimes = 2

/** Only between so many calls could a pause matter. */
const mostTimed = 3

/** The calls so far: how many, when the first was sent, and the latest of them. */
export interface Pace {
  readonly first: number
  readonly latest: readonly Pick<Judged, 'n' | 'startedAt'>[]
  readonly count: number
}

/** The pace after one more call. */
export const paceAfter = (pace: Pace, { n, startedAt }: Judged): Pace => {
  const { first, latest, count } = pace
  // A call may be heard again, with what later ones show of it.
  if (latest.some((one) => one.n === n)) return pace
  return {
    first: count === 0 ? startedAt : first,
    latest: [...latest, { n, startedAt }].slice(-mostTimed),
    count: count + 1,
  }
}

/** The weight by how many calls the recorded clients usually send in the time of the last so many. */
export const nearnessAt = ({ first, latest, count }: Pace, near: Nearness): Nearness => {
  if (near.calls >= mostTimed) return near
  const to = latest.at(-1)?.startedAt ?? first
  const from = latest.at(-1 - near.calls)?.startedAt ?? first
  const usual = (to - first) / Math.max(1, count - 1)
  return nearnessOver(Math.max(near.calls, usual > 0 ? Math.floor((to - from) / (usualTimes * usual)) : 0))
}

/** The belief before a call whose reply deviates. */
interface Remembered extends Judgement {
  readonly before?: Belief
}

/** Undefined where the step does not deviate. */
export const beforeOf = ({ judgement }: { readonly judgement: Remembered }): Belief | undefined => judgement.before

/** Keeps the belief before each call that deviates, or whose refusal had to be explained. */
export const remembering =
  (look: Observe): Observe =>
  (belief, observation) => {
    const { belief: after, judgement } = look(belief, observation)
    const { deviations, late, accepted, assumed } = judgement
    const isExplained = accepted === false && assumed !== undefined
    if (deviations.length === 0 && late === undefined && !isExplained) return { belief: after, judgement }
    const remembered: Remembered = { ...judgement, before: impatiently(belief) }
    return { belief: after, judgement: remembered }
  }

interface Nearnesses {
  /** The number of calls among which a write that explains the deviation would have to be missing; undefined if no write explains it. */
  readonly nearnessOf: (deviation: Deviation) => Nearness | undefined
  /** What is wrong with an error of the server whether or not a write is missing. */
  readonly brokenAnyway: (deviation: Deviation) => readonly Deviation[]
}

/** Among how many calls before a step one would have to be missing that explains its deviations. */
export const nearnessesOf = (step: Judged, look: Observe): Nearnesses => {
  const before = beforeOf(step)
  if (!before) return { nearnessOf: () => undefined, brokenAnyway: () => [] }
  const known = new Map<number, readonly Deviation[]>()
  /** How the call still deviates if everything known before a step is forgotten, and free ids may have been given again. */
  const leftFrom = (from: number): readonly Deviation[] =>
    getOrInsert(known, from, () => {
      const isFirm = (n: number): boolean => n >= from
      const open = adjusted(before, (world) => {
        const forgotten = withEnds(interfered(world, { isFirm, keepFacts: true }, step), world, isFirm)
        return withOwn(
          withoutRegiven(forgotten, step, () => true, isFirm),
          step,
        )
      })
      return look(open, step).judgement.deviations
    })
  const isLeft = (deviation: Deviation, from: number): boolean =>
    leftFrom(from).some((one) => contentOf(one) === contentOf(deviation))
  const nothing = Number.POSITIVE_INFINITY
  return {
    nearnessOf: (deviation) =>
      isLeft(deviation, nothing)
        ? undefined
        : (degrees.find(({ calls }) => isLeft(deviation, step.n - calls)) ?? farthest),
    brokenAnyway: ({ kind }) =>
      kind === 'server-error' ? leftFrom(nothing).filter((one) => one.kind === kind && one.level === 'should') : [],
  }
}

/** The world with certain removals of another world added, since only a missing call could make those entities again. */
const withEnds = (world: World, { tables }: World, isFirm: (step: number) => boolean): World => ({
  ...world,
  tables: new Map(
    [...world.tables].map(([name, table]) => {
      const ends = tables.get(name)?.gone.filter((one) => isFirm(one.step) && !table.gone.includes(one)) ?? []
      return [name, ends.length === 0 ? table : { ...table, gone: [...table.gone, ...ends] }]
    }),
  ),
})

/** The part of a deviation that stays the same if another call is blamed for it. */
export const contentOf = ({ expected, received }: Deviation): string => `${expected}\n${received}`
