// What a run would do on a target, found by planning all of it: programs and about how many requests; nothing is sent.

import type { SessionOptions } from '../driver/session.js'
import { leastRequests } from '../driver/units.js'
import type { Environment } from '../models/language/environment.js'
import { grouped } from '../models/language/grouped.js'
import { inProcess } from '../reference/in-process.js'
import { tasksOf } from './catalog.js'
import { suitesFor } from './filter.js'
import type { RunOptions } from './options.js'

/** What a run would do for an area, or for what no area has to itself. */
export interface Outlook {
  readonly area: string
  readonly programs: number
  /** About so many. */
  readonly requests: number
}

/** Where programs stand that cross areas. */
export const acrossAreas = 'across areas'

/**
 * With the looks after writes, what confirms, and what removes what was made, runs send twice the fewest requests of their programs,
 * whatever the target file has (measured: 2.05 times with next to nothing in it, and with everything).
 */
const requestsForEach = 2

/** @param hooks those that the target file has; undefined: those of the embedded target */
export const outlookOn = (
  environment: Environment,
  hooks: SessionOptions['hooks'] | undefined,
  { filters, fuzz, seed, programs }: Pick<RunOptions, 'filters' | 'fuzz' | 'seed' | 'programs'>,
): readonly Outlook[] => {
  const { session } = inProcess({ environment }, environment.safety.prefix, (options) =>
    hooks === undefined ? options : { ...options, hooks },
  )
  const options = { filters, fuzz, seed, programs }
  const setting = { session, options, isEmbedded: false, width: 1, emit: () => undefined }
  const jobs = suitesFor(filters)
    .flatMap(tasksOf)
    .flatMap((task) => {
      const planned = task.plan(setting)
      return 'skip' in planned ? [] : planned.map((job) => ({ area: task.clause?.area ?? acrossAreas, job }))
    })
  return [...grouped(jobs, ({ area }) => area)].map(([area, own]) => ({
    area,
    programs: own.length,
    requests: leastRequests(own.map(({ job }) => job)) * requestsForEach,
  }))
}
