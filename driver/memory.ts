// What a run remembers from one of its programs to the next, for those who clean up, look, report and walk; nothing of what is believed.

import type { Environment } from '../models/language/environment.js'
import type { AnyTable } from '../models/language/operation.js'
import { createExcuses } from '../oracle/excuses.js'
import { createBudget } from './budget.js'
import type { Left } from './made.js'
import { createWithdrawals } from './withdrawals.js'

/** How long what could not be removed is left alone before that is tried again, at first. */
export const firstPauseMs = 1000

/** See `createMemory`. */
export type Memory = ReturnType<typeof createMemory>

/** Nothing yet. */
export const createMemory = (environment: Environment) => ({
  /** What could not be removed so far; when that was tried last, and how long it was waited for in all. */
  leftovers: {
    all: [] as Left[],
    triedAt: 0,
    pauseMs: firstPauseMs,
    waitedMs: 0,
    /** Under way while removing it is tried. */
    trying: undefined as Promise<unknown> | undefined,
  },
  /** Kinds that are released before they are removed, since removing one that was not released was refused. */
  releasedFirst: new Set<AnyTable>(),
  /** Removals of which it was seen that they take effect, by operation and caller. */
  removalsSeen: new Set<string>(),
  /** How often the effects of calls that are alike were looked at, by what they have in common. */
  timesLooked: new Map<string, number>(),
  /** Steps of all lost creations that were looked for, by any program. */
  soughtSteps: new Set<number>(),
  /** How many the random programs have made of each kind that no operation removes: what one program makes, the next ones find. */
  madeForGood: new Map<string, number>(),
  /** How many ids of each kind were looked for in vain, one after another, in lists that might have been late. */
  soughtInVain: new Map<AnyTable, number>(),
  /** Names of tables in which something did not come to rest in time. */
  restless: new Set<string>(),
  /** Ids of deviations that were waited for in vain. */
  awaitedInVain: new Set<string>(),
  /** Findings that are tried once more and have not shown so far: what may be late is waited for as if they were not found. */
  trying: new Set<string>(),
  /** Findings that were not confirmed, with how many more programs may do so. */
  unconfirmed: new Map<string, number>(),
  withdrawals: createWithdrawals(),
  /** What excuses deviations that did not show when they were tried once more, and in which programs it did. */
  excuses: createExcuses(environment),
  budget: createBudget(),
})
