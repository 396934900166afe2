// How long a run goes on: until it is interrupted, or its time or its requests are used up, and a little longer to remove what it made.

import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import type { Target } from '../config/target-file.js'
import type { RunTime } from '../driver/session.js'
import { allClauses } from '../models/index.js'
import { isSelected } from './filter.js'
import type { RunContext } from './options.js'

/** The time of a run. */
export interface Duration extends RunTime {
  /** Why it is over; undefined while it is not. Fuzzing is meant to end by its time, a conformance run is not. */
  readonly ending: () => Ending | undefined
  /** Waits, until the run is over at the latest. */
  readonly sleep: (ms: number) => Promise<void>
}

interface Ending {
  readonly reason: string
  /** What to do about it, where that is not plain. */
  readonly advice?: string
  readonly isMeant: boolean
}

/** Milliseconds since the epoch by a clock that nobody sets, as that of the machine may be while a run goes on. */
export const steadyNow = (): number => Math.round(performance.timeOrigin + performance.now())

/** To remove what was made. */
export const graceMs = 10_000
const lookEveryMs = 200
/** What a clause takes, by and large: so many requests, and so long between two. */
const requestsPerClause = 8
const betweenMs = 3
/** Before and after each call the run asks whether it is to stop; the stop file is looked for no more often than this. */
const stopEveryMs = 20
/** A run may take so many times as long as it should, and so long in any case. */
const slack = 10
const leastMs = 30 * 60_000
const more = 'give it more, or select less with --area or --operation'

/** How long a run should take, by and large. */
const usualOf = ({ options, quickestMs = 0 }: RunContext, { pace }: Target): number => {
  const clauses = allClauses().filter((clause) => isSelected(options.filters, clause)).length
  const eachMs = Math.max(quickestMs + betweenMs, 1000 / (pace.perSecond ?? Number.POSITIVE_INFINITY))
  return clauses * requestsPerClause * eachMs
}

/** @param requests how many have been sent, or are still needed to remove what was made */
export const openTime = (context: RunContext, target: Target, requests: () => number): Duration => {
  const { options, startedAt, stopFile } = context
  const { maxTimeMs, maxRequests, fuzz } = options
  const areUsedUp = (): boolean => maxRequests !== undefined && requests() >= maxRequests
  const usualMs = usualOf(context, target)
  const mostMs = maxTimeMs ?? (fuzz ? Number.POSITIVE_INFINITY : Math.max(leastMs, slack * usualMs))
  const planned = (reason: string): Ending => ({ reason, isMeant: fuzz, ...(!fuzz && { advice: more }) })
  let overAt: number | undefined
  let isStopped = false
  let isUsedUp = false
  let nextLook = 0
  const ending: Duration['ending'] = () => {
    const now = steadyNow()
    if (now >= nextLook && !isStopped) {
      isStopped = existsSync(stopFile)
      nextLook = now + stopEveryMs
    }
    isUsedUp ||= areUsedUp()
    const isLate = isStopped || now - startedAt > mostMs
    if (isLate) overAt ??= now
    if (!isLate) return isUsedUp ? planned('the requests given with --max-requests are used up') : undefined
    if (isStopped) return { reason: 'the run was interrupted', advice: 'run it again', isMeant: false }
    if (maxTimeMs !== undefined) return planned('the time given with --max-time is over')
    const reason = `the run took more than ${Math.round(mostMs / 60_000)} min, many times as long as such a run should take`
    return { reason, advice: '--max-time gives it more', isMeant: false }
  }
  const isOver = (): boolean => ending() !== undefined
  return {
    ending,
    isOver,
    // What was made is removed, whatever requests that takes.
    isSpent: () => isOver() && overAt !== undefined && steadyNow() - overAt > graceMs,
    sleep: async (ms) => {
      const until = steadyNow() + ms
      for (let leftMs = ms; leftMs > 0 && !isOver(); leftMs = until - steadyNow())
        await wait(Math.min(leftMs, lookEveryMs))
    },
  }
}
