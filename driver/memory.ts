// What a run remembers from one of its programs to the next, for those who clean up, look, report and walk; nothing of what is believed.

import type { AnyTable } from '../models/language/operation.js'
import { createExcused } from '../oracle/excuses.js'
import { createWithdrawals } from './withdrawals.js'

/** How long what could not be removed is left alone before that is tried again, at first. */
export const firstPauseMs = 1000

/** See `createMemory`. */
export type Memory<Left> = ReturnType<typeof createMemory<Left>>

/** Nothing yet; `Left` is something that stays on the target. */
export const createMemory = <Left>() => ({
  /** What is left on the target so far; when removing it was tried last, and how long that was waited for in all. */
  left: {
    all: [] as Left[],
    triedAt: 0,
    pauseMs: firstPauseMs,
    waitedMs: 0,
    /** Under way while removing it is tried. */
    trying: undefined as Promise<unknown> | undefined,
  },
  /** Kinds of which something was not removed before it was released: whether it may be is not said. */
  held: new Set<AnyTable>(),
  /** Removals that were looked after, by operation and caller. */
  looked: new Set<string>(),
  /** How often what a call did was looked at, by what was alike. */
  looks: new Map<string, number>(),
  /** Steps of all lost creations that were looked for, by any program. */
  sought: new Set<number>(),
  /** How many of each kind that no operation removes the random programs have made: what one makes, the next ones find. */
  kept: new Map<string, number>(),
  /** Names of tables in which something did not come to rest in time. */
  restless: new Set<string>(),
  /** Ids of deviations that were waited for in vain. */
  awaitedInVain: new Set<string>(),
  /** Findings that were not confirmed, with how many more programs may do so. */
  unconfirmed: new Map<string, number>(),
  withdrawals: createWithdrawals(),
  /** Deviations that were excused, since they did not show when they were tried once more, and in which programs. */
  excused: createExcused(),
  /** Milliseconds spent on shrinking. */
  shrinkingMs: 0,
  /** How often programs were sent again to make them plainer. */
  tries: 0,
})
