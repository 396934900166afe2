// Judges traffic while it goes on: window by window, each with the calls before it and those still under way; nothing is sent.

import type { CallEntry, Entry } from '../history/entry.js'
import { withKnown } from '../history/har-ids.js'
import type { Recording } from '../history/recording.js'
import type { Environment } from '../models/language/environment.js'
import { longestMs, type MayYetShow, noLag } from '../oracle/explanations/lag-in-traffic.js'
import { createFinder, type Found } from '../oracle/found.js'
import { judgeTraffic } from '../oracle/judge-traffic.js'
import type { Judged } from '../oracle/judgement.js'
import { isWrite, overAt } from '../oracle/writes.js'

export interface LiveSetting {
  readonly environment: Environment
  readonly baseUrl: string
  readonly listLagMs: number
}

export interface LiveBounds {
  /** How many calls are judged together. */
  readonly window: number
  /** How many of those before are judged with them once more, since what they showed is still known. */
  readonly carried: number
}

/** What a look at the traffic yields. */
export interface Seen {
  /** Calls that were judged for good, in the order in which they were sent. */
  readonly steps: readonly Judged[]
  /** Findings that no look before had. */
  readonly found: readonly Found[]
  /** How many calls of the window overlap too much to be put in order. */
  readonly unordered: number
}

export interface LiveJudge {
  /** Takes in what has ended. */
  readonly take: (entry: Entry) => void
  /** Whether there is a window full. */
  readonly isFull: () => boolean
  /**
   * Judges what has ended, beside the calls still under way, of which everything may become. A full window is judged for
   * good, and with `isLast` whatever there is; of any other only findings are told, which later calls do not take back.
   */
  readonly look: (underWay: readonly Entry[], isLast?: boolean) => Seen
  /** Forgets what was known: calls were missed until then. Returns the writes that may still take effect. */
  readonly forget: (until: number) => readonly Entry[]
}

const defaultBounds: LiveBounds = { window: 512, carried: 128 }

/** A write without an answer is reckoned with for so long. */
const lateForMs = 600_000
const mostLate = 64

/** All calls pass through a guard, unless the target file says that others may be missing. */
export const mayLackCalls = ({ explanations }: LiveSetting['environment']): boolean => explanations?.gap === true

export const createLiveJudge = (setting: LiveSetting, bounds: LiveBounds = defaultBounds): LiveJudge => {
  const finder = createFinder()
  const lag = noLag()
  let told = 0
  let window: Entry[] = []
  let context: readonly Entry[] = []
  /** Writes before the context that may still take effect. */
  let late: readonly Entry[] = []
  /** Calls that began before then may have met others that are not known any more. */
  let horizon = Number.NEGATIVE_INFINITY

  const isFull = (): boolean => window.length >= bounds.window
  const recordingOf = (underWay: readonly Entry[]): Recording => {
    const whole = [...context, ...window, ...underWay].flatMap((one) => (one.startedAt > horizon ? [one] : cutOff(one)))
    const events = whole.sort((a, b) => a.startedAt - b.startedAt || a.n - b.n)
    return {
      kind: 'traffic',
      // What others do is not known, so nothing is known to be all there is.
      environment: { ...setting.environment, exclusive: false },
      baseUrl: setting.baseUrl,
      nonce: '',
      events: withKnown(events),
      late,
      sequential: false,
      listLagMs: setting.listLagMs,
      mayLack: mayLackCalls(setting.environment),
      ignored: {},
    }
  }
  /** What is known, in the order in which it ended, and how much of it will not be known any more after this window. */
  const known = () => {
    const all = [...context, ...window].sort((a, b) => a.endedAt - b.endedAt)
    return { all, old: Math.max(0, all.length - bounds.carried), now: all.at(-1)?.endedAt ?? 0 }
  }
  /** Whether a call that may have been late is judged again beside later ones, which may show that it was. */
  const mayYetShow = (): MayYetShow => {
    const { all, old, now } = known()
    const kept = new Set(all.slice(isFull() ? old : 0).map(({ n }) => n))
    return ({ n, endedAt }) => kept.has(n) && now - endedAt <= longestMs
  }
  const moveOn = (): void => {
    const { all, old, now } = known()
    const dropped = all.slice(0, old)
    context = all.slice(old)
    horizon = Math.max(horizon, dropped.at(-1)?.endedAt ?? horizon)
    late = [...late, ...dropped.filter(mayBeLate)]
      .filter(({ startedAt }) => now - startedAt < lateForMs)
      .slice(-mostLate)
    window = []
  }
  return {
    take: (entry) => void window.push(entry),
    isFull,
    look: (underWay, isLast = false) => {
      const judged = judgeTraffic(recordingOf(underWay), finder, isLast ? undefined : mayYetShow(), lag)
      const found = finder.all().slice(told)
      told += found.length
      if (!isFull() && !isLast) return { steps: [], found, unordered: 0 }
      const own = new Set(window.map(({ n }) => n))
      moveOn()
      return {
        steps: judged.steps.filter(({ n }) => own.has(n)),
        found,
        unordered: judged.unordered.filter((n) => own.has(n)).length,
      }
    },
    forget: (until) => {
      moveOn()
      late = [...late, ...context.filter(mayBeLate)]
      context = []
      horizon = Math.max(horizon, until)
      return late
    },
  }
}

const mayBeLate = (event: Entry): boolean => isWrite(event) && overAt(event) === Number.POSITIVE_INFINITY

/** What is left of a call whose beginning lies too far back: a write that may take effect at any time. */
const cutOff = (event: Entry): readonly Entry[] => {
  if (event.kind !== 'call') return [event]
  return event.op.method === 'GET' ? [] : [unanswered(event, 'it began before what is still known')]
}

/** The call as one whose reply is not known. */
export const unanswered = (event: CallEntry, detail: string): CallEntry => ({
  ...event,
  outcome: { lost: 'timeout', detail },
})
