// Judges traffic while it goes on: what no call to come may meet for good, the latest calls again with those to come; nothing is sent.

import type { CallEntry, Entry } from '../history/entry.js'
import { withKnown } from '../history/har-ids.js'
import type { Environment } from '../models/language/environment.js'
import { longestMs, type MayYetShow } from '../oracle/explanations/lag-in-traffic.js'
import { createFinder, type Finder, type Found } from '../oracle/found.js'
import { areIndependent } from '../oracle/independence.js'
import { openTraffic, type Traffic, type TrafficSetting } from '../oracle/judge-traffic.js'
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
  /** How many of those are judged again with the next, since calls to come may meet them. */
  readonly carried: number
  /** After how many calls all is forgotten but the last, so that a guard may go on for days. */
  readonly remembered: number
}

/** What a look at the traffic yields. */
export interface Seen {
  /** Calls that were judged for good, in the order in which they were sent. */
  readonly steps: readonly Judged[]
  /** Findings that no look before had. */
  readonly found: readonly Found[]
  /** How many calls of the window overlap too much to be put in order. */
  readonly unordered: number
  /** How many calls took so long that their replies were not judged. */
  readonly cut: number
}

export interface LiveJudge {
  /** Takes in what has ended. */
  readonly take: (entry: Entry) => void
  /** Whether there is a window full. */
  readonly isFull: () => boolean
  /**
   * Judges for good the calls of a full window that none to come may meet, and no others: each call is judged for good once, whatever
   * the traffic, so this is what must not fall behind.
   */
  readonly settle: (underWay: readonly Entry[]) => Seen
  /**
   * Judges what has ended, beside the calls still under way, of which everything may become. Of a full window the calls that
   * none to come may meet are judged for good; with `isLast`, all are told and nothing but `forget` may follow. Of others only
   * findings are told, which later calls do not take back.
   */
  readonly look: (underWay: readonly Entry[], isLast?: boolean) => Seen
  /** Forgets what was known: calls were missed until then. Returns the writes that may still take effect. */
  readonly forget: (until: number) => readonly Entry[]
}

const defaultBounds: LiveBounds = { window: 256, carried: 64, remembered: 16_384 }

/** Where calls overlap without end, so many windows are waited for a place to divide them. */
const mostWindows = 4

/** A write without an answer is reckoned with for so long. */
const lateForMs = 600_000
const mostLate = 64

/** All calls pass through a guard, unless the target file says that others may be missing. */
export const mayLackCalls = ({ explanations }: LiveSetting['environment']): boolean => explanations?.gap === true

export const createLiveJudge = (given: LiveSetting, bounds: LiveBounds = defaultBounds): LiveJudge => {
  const finder = createFinder()
  const settled = openSettled(given, finder, bounds)
  let told = 0
  let open: Entry[] = []
  let due = bounds.window
  /** Calls that were judged for good while they were under way. */
  const abandoned = new Set<number>()
  const isFull = (): boolean => open.length >= due
  /** Judges for good what is ripe for that. */
  const settle = (underWay: readonly Entry[]): readonly Entry[] => {
    const some = isFull() ? piece(open, underWay, bounds) : []
    settled.take(some)
    const own = new Set(some.map(({ n }) => n))
    for (const { n } of underWay) if (own.has(n)) abandoned.add(n)
    open = open.filter(({ n }) => !own.has(n))
    due = isFull() ? open.length + bounds.carried : bounds.window
    return some
  }
  const known = (underWay: readonly Entry[]): readonly Entry[] => underWay.filter(({ n }) => !abandoned.has(n))
  /** What is told of calls that were judged for good, once others have been judged beside them. */
  const tell = (own: readonly Entry[], beside: readonly Entry[], mayShow?: MayYetShow): Seen => {
    const isOwn = new Set(own.map(({ n }) => n))
    const judged = settled.with(beside).judged(mayShow)
    const cut = own.filter((one) => settled.isCut(one) || abandoned.has(one.n)).length
    settled.drop()
    const found = finder.all().slice(told)
    told += found.length
    return {
      steps: judged.steps.filter(({ n }) => isOwn.has(n)),
      found,
      unordered: judged.unordered.filter((n) => isOwn.has(n)).length,
      cut,
    }
  }
  return {
    take: (entry) => {
      if (!abandoned.delete(entry.n)) open.push(entry)
    },
    isFull,
    settle: (underWay) => {
      const some = settle(known(underWay))
      return some.length === 0 ? nothing : tell(some, [], mayYetShow(newest(open)))
    },
    look: (underWay, isLast = false) => {
      const some = isLast ? open : settle(known(underWay))
      return tell(some, [...open, ...known(underWay)], isLast ? undefined : mayYetShow(newest(open)))
    },
    forget: (until) => {
      const left = open
      open = []
      due = bounds.window
      return settled.forget(left, until)
    },
  }
}

const nothing: Seen = { steps: [], found: [], unordered: 0, cut: 0 }

/** Calls to come may show that a step was late. */
const mayYetShow =
  (now: number): MayYetShow =>
  ({ endedAt }) =>
    now - endedAt <= longestMs

const newest = (all: readonly Entry[]): number => all.reduce((now, { endedAt }) => Math.max(now, endedAt), 0)

const settingOf = ({ environment, listLagMs }: LiveSetting): TrafficSetting => ({
  kind: 'traffic',
  // What others do is not known, so nothing is known to be all there is.
  environment: { ...environment, exclusive: false },
  nonce: '',
  listLagMs,
  mayLack: mayLackCalls(environment),
})

/** What is judged for good. */
const openSettled = (given: LiveSetting, finder: Finder, { carried, remembered }: LiveBounds) => {
  const setting = settingOf(given)
  let traffic = openTraffic(setting, finder)
  let count = 0
  /** The last calls, which tell what ids were given, and from which judging goes on once all is forgotten. */
  let context: readonly Entry[] = []
  /** When the last of those before the context ended. */
  let leftAt = Number.NEGATIVE_INFINITY
  /** Writes before the context that may still take effect. */
  let late: readonly Entry[] = []
  /** Calls that began before then may have met others that are not known any more. */
  let horizon = Number.NEGATIVE_INFINITY

  const isCut = ({ startedAt }: Entry): boolean => startedAt <= horizon
  /** What is to be judged next, in the order of sending, with what the ids in it tell of that. */
  const inOrder = (some: readonly Entry[]): readonly Entry[] => {
    const known = new Set(context.map(({ n }) => n))
    const whole = some.flatMap((one) => (isCut(one) ? cutOff(one) : [one]))
    return withKnown([...context, ...whole].sort(bySending)).filter(({ n }) => !known.has(n))
  }
  /** Keeps the writes that may still take effect, of those that are in the context no more. */
  const keepLate = (some: readonly Entry[], until: number): void => {
    late = [...late, ...some.filter(mayBeLate)]
      .filter(({ startedAt }) => until - startedAt < lateForMs)
      .slice(-mostLate)
  }
  /** Opens anew, without what was before. */
  const forget = (until: number, reportTo: Finder): void => {
    horizon = Math.max(horizon, until)
    traffic = openTraffic(setting, reportTo, traffic.known, horizon)
    count = 0
  }
  /**
   * Forgets all but the last calls. What these show by themselves has been told, or is explained by what is forgotten; what may have been
   * late is told later.
   */
  const renew = (): void => {
    const held = traffic.held(mayYetShow(newest(context)))
    forget(leftAt, createFinder())
    traffic.take([...late, ...withKnown([...context].sort(bySending))])
    traffic.drop()
    traffic.hold(held)
    traffic = traffic.fork(finder)
  }
  return {
    /** Whether a call began too long ago for its reply to be judged. */
    isCut,
    /** What is judged for good together with calls of which that may change. */
    with: (some: readonly Entry[]): Traffic => {
      const more = traffic.fork(finder)
      more.take(inOrder(some))
      return more
    },
    take: (some: readonly Entry[]): void => {
      traffic.take(inOrder(some))
      const all = [...context, ...some]
      const left = all.slice(0, -carried)
      context = all.slice(-carried)
      keepLate(left, newest(all))
      leftAt = Math.max(leftAt, newest(left))
      count += some.length
    },
    /** Lets go of the steps so far, and of all but the last calls once these are too many. */
    drop: (): void => {
      traffic.drop()
      if (count > remembered) renew()
    },
    /** Returns the writes that may still take effect. */
    forget: (some: readonly Entry[], until: number): readonly Entry[] => {
      keepLate([...context, ...some], until)
      forget(until, finder)
      context = []
      traffic.take(late)
      traffic.drop()
      return late
    },
  }
}

const bySending = (one: Entry, other: Entry): number => one.startedAt - other.startedAt || one.n - other.n

/** The calls of a full window that none after them may meet: all but the last if they overlap without end, and what is under way with them. */
const piece = (
  open: readonly Entry[],
  underWay: readonly Entry[],
  { window, carried }: LiveBounds,
): readonly Entry[] => {
  const all = [...open, ...underWay].sort(bySending)
  const most = open.length - carried
  const place = placeOf(all, new Set(underWay.map(({ n }) => n)), most)
  return place === 0 && open.length >= mostWindows * window ? all.slice(0, most) : all.slice(0, place)
}

/** The last place up to there where no call before it may meet one after it: they do not overlap, or have nothing to do with each other. */
const placeOf = (all: readonly Entry[], underWay: ReadonlySet<number>, most: number): number => {
  let place = 0
  let last = -1
  for (const [i, one] of all.entries()) {
    if (i > most || underWay.has(one.n)) break
    if (last < i) place = i
    last = Math.max(last, lastMet(all, i))
  }
  return place
}

/** The place of the last call that this one may meet. */
const lastMet = (all: readonly Entry[], i: number): number => {
  const one = all[i] as Entry
  const from = i + 1
  const beside = all.slice(from).findIndex(({ startedAt }) => startedAt > one.endedAt)
  const met = all.slice(from, beside === -1 ? undefined : from + beside).findLastIndex((other) => mayMeet(one, other))
  return met === -1 ? i : from + met
}

const mayMeet = (one: Entry, other: Entry): boolean =>
  (isWrite(one) || isWrite(other)) && !(one.kind === 'call' && other.kind === 'call' && areIndependent(one, other))

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
