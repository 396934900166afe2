// Shrinks a finding's program by judging subsequences of what was recorded again; no request is sent.
import { type Belief, believe, type Observe, worldOf } from './belief.js'
import { drift } from './explanations/drift.js'
import { isTraceOf } from './explanations/explanation.js'
import { findingIdOf, type Judged, type Judgement, type Observation } from './judgement.js'
import { observe } from './observe.js'

/** Whether the last of these observations, from that belief on, deviates in this way, and none before it tells more than it did. */
export const shows = (
  start: Belief,
  observations: readonly Judged[],
  findingId: string,
  look: Observe = observe,
): boolean => {
  // What an assumption excused then may be judged without it here.
  const plain = observations.filter(({ judgement }) => !judgement.assumed?.length)
  const told = new Map(plain.map(({ n, judgement }) => [n, toldBy(judgement)]))
  return ends(start, observations, { isShown: deviatesBy(findingId), told, look })
}

type IsShown = (judgement: Judgement) => boolean

const deviatesBy =
  (findingId: string): IsShown =>
  ({ deviations }) =>
    deviations.some((one) => findingIdOf(one) === findingId)

/** What is told beside the replies, such as a missing event, is shown by any call that should have brought it about. */
const emitsSomething: IsShown = ({ expects, emits }) => expects === 'accept' && (emits?.length ?? 0) > 0

/** The deviations of a call, and what was assumed to excuse others. That a state moves on by itself may be seen at any call. */
type Told = ReadonlySet<string>

const toldBy = ({ deviations, assumed = [] }: Judgement): Told =>
  new Set([...deviations.map(findingIdOf), ...assumed.filter((trace) => !isTraceOf(trace, drift))])

interface Ending {
  readonly isShown: IsShown
  /** What was told of each call in the whole program, by its number. */
  readonly told: ReadonlyMap<number, Told>
  readonly look: Observe
}

/**
 * Whether the last call shows it, and no call before tells more than in the whole program. A reply that contradicts the calls that are
 * left would bring its own reason along: sent again, they would not show it.
 */
const ends = (start: Belief, observations: readonly Observation[], { isShown, told, look }: Ending): boolean => {
  let belief = start
  for (const [i, observation] of observations.entries()) {
    const observed = look(belief, observation)
    belief = observed.belief
    if (i === observations.length - 1) return isShown(observed.judgement)
    const before = told.get(observation.n)
    if (before && [...toldBy(observed.judgement)].some((one) => !before.has(one))) return false
  }
  return false
}

/** What is told of each call of a whole program, and of the last one whether it shows something. */
const tellingOf = (start: Belief, observations: readonly Observation[], look: Observe) => {
  let belief = start
  const judged = observations.map((observation) => {
    const observed = look(belief, observation)
    belief = observed.belief
    return observed.judgement
  })
  return { told: new Map(observations.map(({ n }, i) => [n, toldBy(judged[i] as Judgement)])), last: judged.at(-1) }
}

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
  const { told, last } = tellingOf(alone, steps, look)
  const isShown = last && deviatesBy(findingId)(last) ? deviatesBy(findingId) : emitsSomething
  let kept = steps
  for (let size = Math.max(1, Math.floor((steps.length - 1) / 2)); size >= 1; ) {
    const before = kept
    for (let from = 0; from < kept.length - 1; ) {
      const without = [...kept.slice(0, from), ...kept.slice(Math.min(from + size, kept.length - 1))]
      if (without.length < kept.length && ends(alone, without, { isShown, told, look })) kept = without
      else from += size
      yield kept
    }
    // A step may only have been needed for one that came after it, and has gone since.
    if (size > 1 || kept === before) size = Math.floor(size / 2)
  }
}
