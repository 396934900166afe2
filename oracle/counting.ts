// Decides when a deviation in recorded traffic counts: at once, after more has been seen, or never. Every step goes through the same rules.

import type { Entry } from '../history/entry.js'
import type { Observe } from './belief.js'
import { createGapFilter, type GapFilter } from './explanations/gap.js'
import { createLagFilter, type Held, type LagFilter, timely, trailTo } from './explanations/lag-in-traffic.js'
import { createQuotaFilter, type QuotaFilter } from './explanations/quota-in-traffic.js'
import type { Adding, Finder, Trail } from './found.js'
import type { Deviation, Judged } from './judgement.js'
import { createReturns, type Returns } from './returns.js'

/** What a step is told from. */
interface Context {
  readonly trailOf: () => Trail
  readonly adding: Adding
  readonly look: Observe
}

export interface Counting {
  /** Learns of calls that are to be judged. */
  readonly note: (events: readonly Entry[]) => void
  /** The deviations of a step that count at once. They are reported. */
  readonly hear: (step: Judged, context: Context) => readonly Deviation[]
  /** The steps, with the deviations that were held back and then counted, and with what was assumed of the others. */
  readonly close: (steps: readonly Judged[]) => readonly Judged[]
  /** A copy that goes on from here and reports to another finder. */
  readonly fork: (finder: Finder) => Counting
}

interface Rules {
  readonly lags: LagFilter<Context>
  /** Deviations that came to count of steps that might have been late, by the number of the step. */
  readonly overdue: Map<number, readonly Deviation[]>
  readonly quotas: QuotaFilter
  readonly gaps: GapFilter
  readonly returns: Returns
}

/** A refusal that no quota excuses any more may still be explained by a gap. */
export const createCounting = (finder: Finder): Counting =>
  counting(finder, {
    lags: createLagFilter(),
    overdue: new Map(),
    quotas: createQuotaFilter(),
    gaps: createGapFilter(finder),
    returns: createReturns(finder),
  })

const counting = (finder: Finder, { lags, overdue, quotas, gaps, returns }: Rules): Counting => {
  const count = (step: Judged, { trailOf, adding, look }: Context): readonly Deviation[] => {
    const { open, convicted } = quotas.hear(step, trailOf)
    for (const one of convicted) gaps.convict(one, step)
    const deviations = gaps.hear({ ...step, deviations: open }, trailOf, adding, look)
    finder.add(deviations, trailOf, adding)
    return deviations
  }
  const countLate = ({ step: late, context }: Held<Context>): void => {
    const step = timely(late)
    overdue.set(step.n, count(step, { ...context, trailOf: () => trailTo(context.trailOf(), step) }))
  }
  return {
    note: (events) => {
      quotas.note(events)
      returns.note(events)
    },
    hear: (step, context) => {
      lags.hear(step, context).forEach(countLate)
      const deviations = count(step, context)
      returns.hear(step, context.trailOf, context.look)
      return deviations
    },
    close: (steps) => {
      lags.rest().forEach(countLate)
      const counted = steps.map((step) => {
        const deviations = overdue.get(step.n)
        return deviations
          ? { ...timely(step), deviations, verdict: deviations.length > 0 ? ('finding' as const) : step.verdict }
          : step
      })
      return returns.close(gaps.close(counted))
    },
    fork: (other) =>
      counting(other, {
        lags: lags.fork(),
        overdue: new Map(overdue),
        quotas: quotas.fork(),
        gaps: gaps.fork(other),
        returns: returns.fork(other),
      }),
  }
}
