// What of recorded traffic counts, and when: at once, once more has been seen, or not at all; each step goes through the same rules.

import type { Entry } from '../history/entry.js'
import { createGapFilter, type GapFilter } from './explanations/gap.js'
import { createQuotaFilter, type QuotaFilter } from './explanations/quota-in-traffic.js'
import type { Adding, Finder, Trail } from './found.js'
import type { Deviation, Judged } from './judgement.js'
import { createReturns, type Returns } from './returns.js'
import type { Observe } from './shrink.js'

/** What a step is told from. */
interface Context {
  readonly trailOf: () => Trail
  readonly adding: Adding
  readonly look: Observe
}

export interface Counting {
  /** Learns of calls that are to be judged. */
  readonly note: (events: readonly Entry[]) => void
  /** What of a step's deviations counts at once; it is told. */
  readonly hear: (step: Judged, context: Context) => readonly Deviation[]
  /** The steps with what was held back at first and then counted, and with what was assumed of the rest. */
  readonly close: (steps: readonly Judged[]) => readonly Judged[]
  /** One that goes on from here, and tells another finder. */
  readonly fork: (finder: Finder) => Counting
}

interface Rules {
  readonly quotas: QuotaFilter
  readonly gaps: GapFilter
  readonly returns: Returns
}

/** What a quota excuses no more may still be the doing of a gap. */
export const createCounting = (finder: Finder): Counting =>
  counting(finder, {
    quotas: createQuotaFilter(),
    gaps: createGapFilter(finder),
    returns: createReturns(finder),
  })

const counting = (finder: Finder, { quotas, gaps, returns }: Rules): Counting => ({
  note: quotas.note,
  hear: (step, { trailOf, adding, look }) => {
    const { open, convicted } = quotas.hear(step, trailOf)
    for (const one of convicted) gaps.convict(one, step)
    const deviations = gaps.hear({ ...step, deviations: open }, trailOf, adding, look)
    finder.add(deviations, trailOf, adding)
    returns.hear(step, trailOf)
    return deviations
  },
  close: (steps) => returns.close(gaps.close(steps)),
  fork: (other) => counting(other, { quotas: quotas.fork(), gaps: gaps.fork(other), returns: returns.fork(other) }),
})
