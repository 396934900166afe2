// Judges the target's log of events: a success emits one event of its kind, and nothing else emits any; sends nothing.

import type { EventsEntry } from '../history/entry.js'
import { principal } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Operation } from '../models/language/operation.js'
import { clauseOf } from './clauses.js'
import { isAllowed, traceOf } from './explanations/explanation.js'
import { saysGone } from './explanations/followed.js'
import { overlap } from './explanations/overlap.js'
import { createResentUpdates, resent } from './explanations/resent.js'
import { type Deviation, deviation, type Judged, type Judgement } from './judgement.js'
import { whySilent } from './unemitted.js'

/** An event to look for after a call, and how many more of its kind to wait for. */
export interface Awaited {
  readonly event: string
  readonly atLeast: 0 | 1
}

/** What the events after a call tell of it. */
export type Told = Pick<Judgement, 'deviations' | 'held' | 'assumed'>

/**
 * For each event, the log is read after so many refused and accepted calls that emit none, where no other call can have emitted what it
 * shows; later excess shows at the next event that is due.
 */
const mostListened = 40
/** The same for each reason why a call emits none: a clause by which it is refused, or the members that an accepted one names. */
const mostOfReason = 2

/** After so many events in a row that came once, each with its call, one that comes with another call is no late one. */
const mostDoubted = 3

/**
 * After so many calls that may emit an event, or so much waiting for it, calls of programs side by side may overlap. Their events are then
 * counted together.
 */
const mostSingly = 20
const mostWaitedMs = 10_000

/** After so many events that did not come, none is waited for any more, although others came. */
const mostMisses = 3

/** What is known of the events of one kind. */
type Tally = ReturnType<typeof fresh>

const fresh = () => ({
  /** Calls that may have emitted one. */
  calls: 0,
  /** Milliseconds spent waiting for them in all. */
  waitedMs: 0,
  /** How many more events there may be, from calls without a reply that may or may not have emitted one. */
  slack: 0,
  /** The same from calls that were answered: until the log shows none. */
  loose: 0,
  /** Whether one did not come and none has come since, so that waiting again would tell nothing new. */
  isMissed: false,
  misses: 0,
  listened: { refused: 0, accepted: 0 },
  /** How often each reason to emit none was decided. */
  reasons: new Map<string, number>(),
  /** How many events in a row came once, each with its call. */
  exact: 0,
  /** Whether any has come with a call that emits one. */
  hasCome: false,
  /** Events seen already that belong to calls still to be judged, which overlapped with the last one. */
  ahead: 0,
  /** Whether no call has emitted any since they were last counted. */
  isQuiet: false,
  /** Whether something has happened since they were last counted that may emit any number of them. */
  isStirred: false,
})

/** Refused and accepted calls are counted apart, since the many refused ones come first. */
const kindOf = ({ judgement: { accepted } }: Judged): 'refused' | 'accepted' => (accepted ? 'accepted' : 'refused')

const stir = (tally: Tally): void => {
  tally.isQuiet = false
  tally.isStirred = true
}

const isSingly = ({ calls, waitedMs }: Tally): boolean => calls <= mostSingly && waitedMs < mostWaitedMs

/** Whether other calls may have emitted events of the kind at the same time. */
const isTogether = (tally: Tally, { group, beside, singly }: Judged): boolean =>
  group !== undefined || (beside === true && singly !== true && !isSingly(tally))

/** Whether a reason to emit no event has been decided less often than may be. */
const isNew = ({ reasons }: Tally, reason: string | undefined): boolean =>
  reason !== undefined && (reasons.get(reason) ?? 0) < mostOfReason

/** Whether the log after a call that emits none would tell something new; what is tried once more is listened to each time. */
const isWorthListening = (tally: Tally, judged: Judged): boolean =>
  !isTogether(tally, judged) &&
  (judged.phase === 'confirm' || tally.listened[kindOf(judged)] < mostListened || isNew(tally, whySilent(judged)))

/** Whether every event that was due has come, as far as is known. */
const isAtRest = ({ isQuiet, isStirred, exact }: Tally): boolean => isQuiet || (exact >= mostDoubted && !isStirred)

const nothing: Told = { deviations: [], held: [] }

export const createEventJudge = (environment: Environment) => {
  const tallies = new Map<string, Tally>()
  const resents = createResentUpdates(environment)
  const deliveries = { isTwice: false }
  const tallyOf = (event: string): Tally => getOrInsert(tallies, event, fresh)
  const dueOf = (judged: Judged, event: string) => dueIn(environment, judged, event)
  const hearOf = (judged: Judged, event: string, more: number, withinMs: number): Told => {
    const due = dueOf(judged, event)
    if (due === undefined) return nothing
    const tally = tallyOf(event)
    const heard = {
      op: judged.op,
      event,
      more,
      isAlone: environment.exclusive,
      tally,
      deliveries,
      mayBeResent: resents.mayBe,
    }
    if (due === 1 && more === 1) resents.noteOnce(judged.op)
    const isAmong = isTogether(tally, judged)
    if (due === 1 && judged.group !== undefined && more + tally.ahead === 0 && isAllowed(environment, overlap)) {
      // The log does not tell which of several calls at the same time emitted an event, so none of them is missed.
      tally.loose += 1
      return { ...nothing, assumed: [traceOf(overlap, event)] }
    }
    if (due === 1) return hearOne(heard, isAmong, withinMs)
    if (isAmong) {
      tally.ahead += more
      return nothing
    }
    noteListened(tally, judged)
    return hearNone(heard)
  }
  return {
    /** Takes in a call, before its events are read. */
    note: (judged: Judged): void => {
      for (const { event } of judged.op.emits ?? []) count(tallyOf(event), judged, dueOf(judged, event))
      if (judged.judgement.accepted !== false) for (const event of judged.op.stirs ?? []) stir(tallyOf(event))
    },
    /** Something has happened outside of the calls that may have emitted any event. */
    disturb: (): void => {
      for (const tally of tallies.values()) stir(tally)
    },
    /** Whether events of that kind are still counted call by call, so that calls which may emit one must not overlap. */
    isCountedSingly: (event: string): boolean => isSingly(tallyOf(event)),
    /** Whether a call that emits none for that reason would show whether one is emitted all the same, and none has shown it. */
    isTelling: ({ emits = [] }: Operation, reason: string | undefined): boolean =>
      emits.some(({ event }) => isNew(tallyOf(event), reason)),
    awaited: (judged: Judged): readonly Awaited[] =>
      (judged.op.emits ?? []).flatMap(({ event }): readonly Awaited[] => {
        const tally = tallyOf(event)
        const { ahead, isMissed } = tally
        const due = dueOf(judged, event)
        if (due === 1) return [{ event, atLeast: ahead > 0 || isMissed ? 0 : 1 }]
        return due === 0 && isWorthListening(tally, judged) ? [{ event, atLeast: 0 }] : []
      }),
    hear: (judged: Judged, { further, withinMs, waitedMs = 0 }: EventsEntry): Told => {
      const told = Object.entries(further).map(([event, more]) => hearOf(judged, event, more, withinMs))
      for (const event of Object.keys(further)) tallyOf(event).waitedMs += waitedMs
      return {
        deviations: told.flatMap(({ deviations }) => deviations),
        held: told.flatMap(({ held }) => held),
        assumed: told.flatMap(({ assumed = [] }) => assumed),
      }
    },
  }
}

/** Counts a call by whether it emits an event. */
const count = (tally: Tally, judged: Judged, due: 0 | 1 | undefined): void => {
  tally.calls += 1
  if (!isTogether(tally, judged)) {
    if (tally.ahead > 0) tally.exact = 0
    tally.ahead = 0
  }
  if (due === undefined) tally[judged.judgement.accepted === undefined ? 'slack' : 'loose'] += 1
  if (due !== 0) tally.isQuiet = false
}

const noteListened = (tally: Tally, judged: Judged): void => {
  tally.listened[kindOf(judged)] += 1
  const reason = whySilent(judged)
  if (reason !== undefined && isAtRest(tally)) tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1)
}

/** Events of one kind that a log shows after a call. */
interface Heard {
  readonly op: Operation
  readonly event: string
  readonly more: number
  /** Whether nobody else uses the accounts. */
  readonly isAlone: boolean
  readonly tally: Tally
  /** Whether an event of any kind was seen to be delivered twice. */
  readonly deliveries: { isTwice: boolean }
  /** Whether the call may have been sent twice on the way; it counts as such. */
  readonly mayBeResent: (op: Operation) => boolean
}

/** Judges events beyond those that are due: earlier calls may have emitted some of them, the rest should not be there. */
const excess = ({ op, event, more, isAlone, tally, deliveries, mayBeResent }: Heard, due: 0 | 1): Told => {
  if (tally.isStirred) return nothing
  const loose = Math.min(tally.loose, Math.max(0, more - due))
  const unknown = loose + Math.min(tally.slack, Math.max(0, more - due - loose))
  tally.loose -= loose
  tally.slack -= unknown - loose
  const clause = clauseOf(op, `emits.${event}.alone`)
  if (!clause || !isAlone) return nothing
  if (more - due - unknown <= 0) return { deviations: [], held: due === 0 ? [clause.id] : [] }
  const received = `${more - unknown} of them`
  const isOne = more - due - unknown === 1
  if (due === 0) {
    const loud = deviation(clause, 'loud', `no event ${event}`, received)
    // Where events come twice, the second may come as late as this.
    return { deviations: [isOne && tally.hasCome && deliveries.isTwice ? asRepeated(loud) : loud], held: [] }
  }
  if (isOne && mayBeResent(op)) return { ...nothing, assumed: [traceOf(resent, op.id)] }
  deliveries.isTwice = true
  return { deviations: [asRepeated(deviation(clause, 'repeated', `one event ${event}`, received))], held: [] }
}

/** An event may be delivered twice. */
const asRepeated = (one: Deviation): Deviation => ({ ...one, kind: 'repeated', level: 'should' })

/** What a deviation is told as that did not show again: an event of a call that emits none may be one that was delivered twice, and late. */
export const asUnconfirmed = (one: Deviation): Deviation => (isOfEvent(one) ? asRepeated(one) : one)

/** Whether a deviation is an event of a call that emits none. */
export const isOfEvent = ({ kind }: Pick<Deviation, 'kind'>): boolean => kind === 'loud'

const hearOne = (heard: Heard, isAmong: boolean, withinMs: number): Told => {
  const { op, event, more, tally } = heard
  const clause = clauseOf(op, `emits.${event}`)
  if (!clause) return nothing
  const all = more + (isAmong ? tally.ahead : 0)
  if (all === 0) {
    tally.isMissed = true
    tally.misses += 1
    tally.slack += 1
    tally.exact = 0
    const text = `no event ${event} within ${withinMs} ms`
    return { deviations: [deviation(clause, 'silent', `an event ${event}`, text)], held: [] }
  }
  if (more > 0 && tally.misses < mostMisses) tally.isMissed = false
  tally.hasCome = true
  tally.exact = all === 1 ? tally.exact + 1 : isAmong ? tally.exact : 0
  if (isAmong) {
    tally.ahead = all - 1
    return { deviations: [], held: [clause.id] }
  }
  const beyond = excess(heard, 1)
  return { ...beyond, held: [clause.id, ...beyond.held] }
}

const hearNone = (heard: Heard): Told => {
  const { tally } = heard
  if (heard.more === 0) tally.loose = 0
  const wasAtRest = isAtRest(tally)
  tally.isQuiet = true
  tally.isStirred = false
  // An event here may be a late one of an earlier call. It counts if none was to be expected.
  return wasAtRest ? excess(heard, 0) : nothing
}

/** How many events a call has to emit: one, none, or undefined where that is not known. */
const dueIn = (environment: Environment, judged: Judged, event: string): 0 | 1 | undefined => {
  const { call, group, judgement } = judged
  const { accepted, emits = [], withholds = [] } = judgement
  // The hook may read the events of the first account alone.
  const isHeard = principal(environment, call.as).account === environment.accounts[0]
  if (isHeard && emits.includes(event)) return 1
  const isRefused = accepted === false && !saysGone(judged, judgement)
  const isSilent = isRefused || (accepted === true && withholds.includes(event))
  return environment.exclusive && group === undefined && isSilent ? 0 : undefined
}
