// Decides when a deviation in recorded traffic counts: at once, after more has been seen, or never. Every step goes through the same rules.

import type { Entry } from '../history/entry.js'
import type { Observe } from './belief.js'
import { createGapFilter } from './explanations/gap.js'
import {
  createLagFilter,
  type Held,
  type KnownLag,
  lagsWith,
  type MayYetShow,
  noLag,
  timely,
  trailTo,
} from './explanations/lag-in-traffic.js'
import { createQuotaFilter } from './explanations/quota-in-traffic.js'
import type { Adding, Finder, Trail } from './found.js'
import type { Deviation, Judged } from './judgement.js'
import { createReturns } from './returns.js'
import { createWalkWatch } from './walks-in-traffic.js'

/** What a step is told from. */
export interface Context {
  readonly trailOf: () => Trail
  readonly adding: Adding
  readonly look: Observe
}

export type Counting = ReturnType<typeof createCounting>

/**
 * @param known what is known before the first call of how late the target may be; what is learnt is added to it
 * @param forgottenAt when the latest call was over that is not known any more
 */
export const rulesFor = (finder: Finder, known: KnownLag = noLag(), forgottenAt?: number) => ({
  lags: createLagFilter<Context>(lagsWith(known)),
  /** Deviations that came to count of steps that might have been late, by the number of the step. */
  overdue: new Map<number, readonly Deviation[]>(),
  quotas: createQuotaFilter(),
  gaps: createGapFilter(finder),
  returns: createReturns(finder),
  walks: createWalkWatch(finder, forgottenAt),
})

/** A refusal that no quota excuses any more may still be explained by a gap. */
export const createCounting = (finder: Finder, { lags, overdue, quotas, gaps, returns, walks } = rulesFor(finder)) => {
  const count = (step: Judged, { trailOf, adding, look }: Context): readonly Deviation[] => {
    const { open, unexcused } = quotas.hear(step, trailOf)
    for (const one of unexcused) gaps.hearUnexcused(one, step)
    const deviations = gaps.hear({ ...step, deviations: open }, trailOf, adding, look)
    finder.add(deviations, trailOf, adding)
    return deviations
  }
  const countLate = ({ step: late, context }: Held<Context>): void => {
    const step = timely(late)
    overdue.set(step.n, count(step, { ...context, trailOf: () => trailTo(context.trailOf(), step) }))
  }
  return {
    /** How late the target has been seen to be. */
    known: lags.known,
    /** Steps that may have been late, of which calls to come may still tell. */
    held: lags.held,
    /** Goes on with those that another one held that is forgotten. */
    hold: lags.hold,
    /** Learns of calls that are to be judged. */
    note: (events: readonly Entry[]): void => {
      quotas.note(events)
      returns.note(events)
      walks.note(events)
    },
    /** The deviations of a step that count at once. They are reported. */
    hear: (step: Judged, context: Context): readonly Deviation[] => {
      lags.hear(step, context).forEach(countLate)
      const deviations = count(step, context)
      returns.hear(step, context.trailOf, context.look)
      return deviations
    },
    /** The deviations that a page shows with those of the same list before it. They are reported. */
    walked: walks.hear,
    /** The steps, with the deviations that were held back and then counted, and with what was assumed of the others. */
    close: (steps: readonly Judged[], mayYetShow: MayYetShow): readonly Judged[] => {
      lags.rest(mayYetShow).forEach(countLate)
      const counted = steps.map((step) => {
        const deviations = overdue.get(step.n)
        return deviations
          ? { ...timely(step), deviations, verdict: deviations.length > 0 ? ('finding' as const) : step.verdict }
          : step
      })
      return returns.close(gaps.close(quotas.close(counted)))
    },
    /** A copy that goes on from here and reports to another finder. */
    fork: (other: Finder) =>
      createCounting(other, {
        lags: lags.fork(),
        overdue: new Map(overdue),
        quotas: quotas.fork(),
        gaps: gaps.fork(other),
        returns: returns.fork(other),
        walks: walks.fork(other),
      }),
  }
}
