// Shrinks a finding's program by judging subsequences of what was recorded again; no request is sent.
import { type Belief, believe, type Observe, observe, worldOf } from './belief.js'
import type { Judgement, Observation } from './judgement.js'

/** Whether the last of these observations, from that belief on, deviates in this way. */
export const shows = (
  start: Belief,
  observations: readonly Observation[],
  findingId: string,
  look: Observe = observe,
): boolean => ends(start, observations, deviatesBy(findingId), look)

type IsShown = (judgement: Judgement) => boolean

const deviatesBy =
  (findingId: string): IsShown =>
  ({ deviations }) =>
    deviations.some((one) => findingIdOf(one) === findingId)

/** What is told beside the replies, such as a missing event, is shown by any call that should have brought it about. */
const emitsSomething: IsShown = ({ expects, emits }) => expects === 'accept' && (emits?.length ?? 0) > 0

const ends = (start: Belief, observations: readonly Observation[], isShown: IsShown, look: Observe): boolean => {
  let belief = start
  let last: Judgement | undefined
  for (const observation of observations) {
    const observed = look(belief, observation)
    belief = observed.belief
    last = observed.judgement
  }
  return last !== undefined && isShown(last)
}

/** Clause and kind of deviation: stable across runs. */
export const findingIdOf = ({ clause, kind }: { readonly clause: string; readonly kind: string }): string =>
  `${clause}:${kind}`

/** Leaves out ever shorter runs of steps. The last step, which shows the deviation, always stays. */
export const shrink = <T extends Observation>(
  start: Belief,
  steps: readonly T[],
  findingId: string,
  look: Observe = observe,
): readonly T[] => {
  let kept = steps
  for (const fewer of shrinking(start, steps, findingId, look)) kept = fewer
  return kept
}

/** The same as a generator that yields the fewest steps so far after each try, so that a caller may stop early. */
export function* shrinking<T extends Observation>(
  start: Belief,
  steps: readonly T[],
  findingId: string,
  look: Observe = observe,
): Generator<readonly T[]> {
  const alone = believe(worldOf(start))
  const isJudged = ends(alone, steps, deviatesBy(findingId), look)
  const isShown = isJudged ? deviatesBy(findingId) : emitsSomething
  let kept = steps
  for (let size = Math.max(1, Math.floor((steps.length - 1) / 2)); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < kept.length - 1; ) {
      const without = [...kept.slice(0, from), ...kept.slice(Math.min(from + size, kept.length - 1))]
      if (without.length < kept.length && ends(alone, without, isShown, look)) kept = without
      else from += size
      yield kept
    }
  }
}
