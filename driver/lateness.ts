// Sends a late read again until it shows the change or its time is over, and waits as long as changes have been seen to take; judges nothing.

import isEqual from 'fast-deep-equal'
import type { Origin } from '../history/entry.js'
import { operationById } from '../models/index.js'
import type { Operation } from '../models/language/operation.js'
import { choiceOfLag, promisedMs } from '../oracle/explanations/lag.js'
import { findingIdOf } from '../oracle/judgement.js'
import { hides, isRight } from '../oracle/past.js'
import { outlast } from './outlast.js'
import { createRelapses, type Relapses } from './relapses.js'
import { createSeenLags, type Late, margin, marginMs, type SeenLags } from './seen-lags.js'
import type { Planned, Sent, Session } from './session.js'

const firstPauseMs = 10
const longestPauseMs = 1000
/** How often a change that was later than any before must be seen before it counts as shown: a value that comes and goes is not late. */
const proof = 5
/** The same where one look takes several calls. */
const proofOfMany = 2
/** The most changes that are waited for in turn, each later than the one before. */
const mostChanges = 8

interface Options {
  readonly clock: () => number
  /** How long a change may take to show. */
  readonly settleMs: number
  readonly isFound: (finding: string) => boolean
  readonly isOver: () => boolean
  /** Called where the run ended while a call was awaited to show what another had changed. */
  readonly onCut: (op: Operation, late: Late) => void
  /** Called where a change came and went so many times, and did not show in the end. */
  readonly onFlapping: (op: Operation, times: number) => void
  /** Called where several operations show changes and then not, and one did so still when all that may be late was over. */
  readonly onSplit: (operations: readonly Operation[]) => void
}

/** How a program waits for what is late: as the whole run does, in time of its own. */
interface Waiting extends Options {
  readonly lags: SeenLags
  readonly relapses: Relapses
  /** When any program last changed something. */
  readonly latest: { at: number }
  readonly sleep: Session['options']['sleep']
}

/** Makes of a session one that sends every call again that may have come too early. */
export const createPatience = (options: Options): ((session: Session) => Session) => {
  const lags = createSeenLags(options.settleMs)
  const relapses = createRelapses()
  const latest = { at: 0 }
  return (session) => patient(session, { ...options, lags, relapses, latest, sleep: (ms) => session.options.sleep(ms) })
}

const patient = (session: Session, waiting: Waiting): Session => {
  const { clock, lags, relapses } = waiting
  let change: Change | undefined
  const { seen, hold } = createHold(session, relapses)

  const note = (sent: Sent): Sent => {
    if (sent.op.method === 'GET') return sent
    change = { at: sent.endedAt, by: sent.op.id, isSure: sent.judgement.accepted === true }
    waiting.latest.at = Math.max(waiting.latest.at, sent.endedAt)
    return sent
  }
  const hear = hearing(waiting)
  const look = lookingOver(session, hear)
  const settled = async (first: Sent, origin: Origin, planned: Planned, role: Sent['role']): Promise<Sent> => {
    hear(first)
    if (!first.judgement.late) return note(first)
    if (first.begun) await sendReads({ ...origin, phase: 'look', after: first.n }, [], first.begun)
    const atOnce: Again = async (more) => {
      const next = await session.send({ ...origin, ...more }, planned.op, planned.args, role ?? 'read')
      hear(next, first.judgement.late)
      return next
    }
    const isRead = first.op.method === 'GET'
    const again: Again = async (more) => {
      await seen()
      return isRead && !more.overdue && relapses.areMany()
        ? relapses.settle(() => outlast(waiting, first, () => atOnce({}), look(origin)))
        : atOnce(more)
    }
    // An accepted write cannot be sent again.
    if (!isRead && first.judgement.accepted !== false) return note(first)
    return note(await catchUp(waiting, first, first.judgement.late, again))
  }
  const send: Session['send'] = async (origin, op, args, role, follow) => {
    await seen()
    const isEarly = await wait(waiting, op, change)
    const isPrompt = lags.usualOf(op, 'record') === 0
    const sent = await session.send(origin, op, args, role, isPrompt ? follow : undefined)
    if (isEarly) lags.noteEarly(sent)
    return settled(sent, origin, { op, args }, role)
  }
  const sendReads: Session['sendReads'] = async (origin, reads, begun) => {
    await seen()
    let isEarly = false
    for (const { op } of reads) isEarly = (await wait(waiting, op, change)) || isEarly
    const all: Sent[] = []
    for (const sent of await session.sendReads(origin, reads, begun)) {
      if (isEarly) lags.noteEarly(sent)
      const { path, query, as } = sent.call
      all.push(await settled(sent, origin, { op: sent.op, args: { path, query, as } }, sent.role))
    }
    return all
  }
  return {
    ...session,
    send,
    sendReads,
    untilShown: async (first, isAmiss, again) =>
      change !== undefined && isAmiss(first) ? persist(waiting, first, change, isAmiss, again) : first,
    hold,
    sendTogether: async (origin, lanes) => {
      await seen()
      const sent = await session.sendTogether(origin, lanes)
      for (const one of sent) note(one)
      return sent
    },
    callHook: async (origin, name, args) => {
      await seen()
      await session.callHook(origin, name, args)
      change = { at: clock(), by: name, isSure: true }
      waiting.latest.at = Math.max(waiting.latest.at, change.at)
    },
  }
}

/** Takes in calls, and says with each, once it shows, that several targets answer. */
const hearing =
  ({ relapses, onSplit }: Waiting): Relapses['hear'] =>
  (sent, late) => {
    relapses.hear(sent, late)
    const split = relapses.split()
    if (split) onSplit(split)
  }

/** Sends a read of another program again, which is held against nobody. */
const lookingOver =
  (session: Pick<Session, 'send'>, hear: Relapses['hear']) =>
  (origin: Origin) =>
  async ({ op, call: { path, query, as } }: Sent): Promise<Sent> => {
    const sent = await session.send({ ...origin, phase: 'alive' }, op, { path, query, as }, 'read')
    hear(sent)
    return sent
  }

/** Waits for the look that others wait for, except while a list is held: that look may have to wait for this program. */
const createHold = (session: Pick<Session, 'hold'>, relapses: Relapses) => {
  let isHolding = false
  const hold: Session['hold'] = (read, what) =>
    session.hold(read, async () => {
      isHolding = true
      try {
        return await what()
      } finally {
        isHolding = false
      }
    })
  const seen = async (): Promise<void> => {
    if (!isHolding) await relapses.seen()
  }
  return { seen, hold }
}

/** The latest call of a program that may have changed something, and whether it certainly did. */
interface Change {
  readonly at: number
  /** The operation or the hook. */
  readonly by: string
  readonly isSure: boolean
}

/**
 * Where something has changed a moment ago, waits until it shows. A change that is a little later than any before is asked for
 * again at once; that a refused call has changed something nothing asks for again, so that this is waited for a little longer.
 *
 * @returns whether it did not wait, though changes have taken longer to show
 */
const wait = async (waiting: Waiting, op: Operation, change: Change | undefined): Promise<boolean> => {
  const { clock, lags, relapses, sleep } = waiting
  const knownMs = relapses.isLasting(op) ? 0 : lags.usualOf(op)
  if (knownMs === 0 || change === undefined) return false
  const leftMs = change.at + (change.isSure ? 1 : margin) * knownMs + marginMs - clock()
  if (leftMs <= 0) return false
  if (lags.isTooLong(knownMs, change.isSure)) return change.isSure
  await sleep(leftMs)
  return false
}

/** Sends a call again until it is right, and stays right. */
const catchUp = async (waiting: Waiting, first: Sent, late: Late, again: Again): Promise<Sent> => {
  const { isOver, onCut } = waiting
  let sent = first
  let unshown: Late | undefined = late
  for (let time = 0; unshown && time < mostChanges; time += 1) {
    const shown: Sent | Unproven = isKnown(waiting, unshown) ? never : await awaitOne(waiting, first, unshown, again)
    if (isOver() && !isTelling(shown)) {
      // Calls at the end of a run are still sent, and nothing is waited for any more: what does not show then may be late.
      onCut(first.op, unshown)
      return 'judgement' in shown ? shown : sent
    }
    if (!('judgement' in shown)) {
      const last = await overdue(waiting, first.op, [late, unshown], again)
      noteUnproven(waiting, last, unshown, shown)
      return last
    }
    sent = shown
    unshown = shown.judgement.late
  }
  return sent
}

/** Whether all that a late call hides was found already: to wait for it would only take time. */
const isKnown = ({ isFound }: Waiting, { hidden }: Late): boolean => hidden.every((one) => isFound(findingIdOf(one)))

/**
 * Sends a call again that did not show the latest of two changes, once what was changed since cannot be late either: of a call that is
 * overdue nothing is.
 */
const overdue = async (
  waiting: Waiting,
  op: Operation,
  [first, latest]: readonly [Late, Late],
  again: Again,
): Promise<Sent> => {
  if (!isKnown(waiting, latest)) await untilOver(waiting, op, latest)
  return outOfTime(isKnown(waiting, first) ? 1 : timesAtMost(op), again)
}

const untilOver = async (
  { clock, lags, relapses, latest, sleep }: Waiting,
  op: Operation,
  { by }: Late,
): Promise<void> => {
  const leftMs = latest.at + lags.patienceMs(by) - clock()
  if (leftMs > 0 && !relapses.isLasting(op)) await sleep(leftMs)
}

/** A change that did not show often enough before its time was over; how long it took, where it showed at the end. */
interface Unproven {
  readonly tookMs?: number
}
const never: Unproven = {}

/** What was right whenever it was asked once more has shown: only so late that nobody could wait for the same time again. */
const noteUnproven = ({ lags }: Waiting, { op, judgement }: Sent, late: Late, { tookMs }: Unproven): void => {
  if (tookMs !== undefined && judgement.verdict === 'pass') lags.learn(op, late, tookMs)
}

/** Waits until one change shows, whatever came after it. */
const awaitOne = async (waiting: Waiting, first: Sent, late: Late, again: Again): Promise<Sent | Unproven> => {
  const { op, judgement } = first
  const { lags, relapses, sleep } = waiting
  const looks = relapses.looks()
  let ageMs = late.ageMs
  let wanted = timesWanted(lags, op, late)
  let waitedMs = late.ageMs
  const patienceMs = Math.min(lags.patienceMs(late.by), promisedMs(judgement.world.environment, late.by))
  let gone = 0
  let askedMs = 0
  let seen: readonly Sent[] = []
  for (let pause = firstPauseMs; ; pause = Math.min(2 * pause, longestPauseMs)) {
    const leftMs = leftOf(waiting, first, { late, waitedMs, patienceMs })
    if (leftMs <= 0)
      return outOfPatience(waiting, { first, gone, isAsked: 2 * askedMs >= patienceMs, seen, late, ageMs, looks })
    const pauseMs = Math.min(pauseAfter(seen.length, pause, margin * ageMs - waitedMs), leftMs)
    await sleep(pauseMs)
    waitedMs += pauseMs
    const next = await repeated(op, again)
    askedMs = Math.max(next.startedAt - late.changedAt, waitedMs)
    if (isSilent(next)) return next
    if (isStillLate(next, late)) {
      ageMs = Math.max(ageMs, ageOf(next, late))
      wanted = Math.max(wanted, timesWanted(lags, op, { ...late, ageMs }))
      gone += Math.min(seen.length, 1)
      seen = []
      continue
    }
    // Nothing is late any more, and the call still deviates, by the same or by something that is wrong now.
    if (!isRight(next.judgement)) return hides(late, next.judgement) ? flapped(waiting, op, gone, looks) : next
    seen = [...seen, next]
    if (seen.length < wanted) continue
    noteShown(lags, { first, seen, late, ageMs }, 2 * waitedMs > patienceMs)
    return next
  }
}

/** How long a call is still waited for. What goes on to be right and wrong by turns is not late. */
const leftOf = (
  { clock, relapses }: Waiting,
  { op }: Sent,
  { late, waitedMs, patienceMs }: { readonly late: Late; readonly waitedMs: number; readonly patienceMs: number },
): number => (relapses.isLasting(op) ? 0 : patienceMs - Math.max(clock() - late.changedAt, waitedMs))

/** How often a call may have to be right. A write that is taken at last has taken effect, and is not sent again. */
const timesAtMost = ({ method }: Operation): number => (method === 'GET' ? proof : 1)

/** How often a call has to be right, as the change is news or not. */
const timesWanted = (lags: SeenLags, op: Operation, late: Late): number => (lags.isNews(late) ? timesAtMost(op) : 1)

/** What came of waiting for a change until now. */
interface Waited {
  /** The reply that was late. */
  readonly first: Sent
  /** How often it came and went. */
  readonly gone: number
  /** Whether it was still asked for when much of its time was over. */
  readonly isAsked: boolean
  /** The latest replies that were right. */
  readonly seen: readonly Sent[]
  readonly late: Late
  readonly ageMs: number
  readonly looks: number
}

/**
 * Says what came of a wait whose time is over. What was held up, by the look that others wait for or by other calls, was not in vain: it has
 * hardly been asked.
 */
const outOfPatience = (waiting: Waiting, waited: Waited): Unproven => {
  const { first, gone, isAsked, seen, late, ageMs, looks } = waited
  if (waiting.relapses.isLasting(first.op)) return never
  if (isAsked && isInVain(waited) && looks === waiting.relapses.looks()) waiting.lags.lose(late.by, gone > 0)
  return teaches(seen, late) && gone === 0 ? { tookMs: ageMs } : flapped(waiting, first.op, gone, looks)
}

const flapped = ({ onFlapping, relapses }: Waiting, op: Operation, gone: number, looks: number): Unproven => {
  if (gone > 0 && looks === relapses.looks()) onFlapping(op, gone)
  return never
}

/** Once it has shown after the time that it took as well, looking at it more often takes no longer. */
const pauseAfter = (shown: number, pause: number, leastMs: number): number => {
  if (shown === 0) return pause
  return shown === 1 ? Math.max(pause, leastMs) : firstPauseMs
}

/** Whether no usable reply came. The effect of a write is unknown then, and repeating it would not tell. */
const isSilent = ({ judgement: { verdict, late } }: Sent): boolean => verdict === 'inconclusive' && late === undefined

const isTelling = (shown: Sent | Unproven): boolean => 'judgement' in shown && !isSilent(shown)

/** Sends a call again; a read without a reply once more. */
const repeated = async ({ method }: Operation, again: Again): Promise<Sent> => {
  const sent = await again({})
  return method === 'GET' && isSilent(sent) ? again({}) : sent
}

/** How old a change is that does not show yet; amid many it is not clear which of them does not. */
const ageOf = ({ startedAt, judgement }: Sent, { ageMs, changedAt }: Late): number =>
  judgement.late?.isGuess ? ageMs : startedAt - changedAt

/** Whether what was late has shown in these replies, as the judge takes it; of what a hook changes the judge does not tell. */
const teaches = (seen: readonly Sent[], late: Late): boolean => {
  const isTold = seen.some(({ judgement: { choices } }) => choices.some(({ id }) => id === choiceOfLag(late.by)))
  return seen.length > 0 && (late.isGuess === true || isTold || !operationById(late.by))
}

type Shown = Pick<Waited, 'first' | 'seen' | 'late'>

/**
 * Whether nothing has shown: replies as before are right by what was learnt from others meanwhile. Where they differ, the change may have
 * shown though it is not told: another program may have seen it first.
 */
const isInVain = ({ first, seen, late }: Shown): boolean =>
  !teaches(seen, late) && seen.every(({ outcome }) => isEqual(outcome, first.outcome))

/** Learns how long it took; a long wait that was in vain all the same makes the next one shorter. */
const noteShown = (lags: SeenLags, shown: Shown & Pick<Waited, 'ageMs'>, isLong: boolean): void => {
  const { first, seen, late, ageMs } = shown
  if (teaches(seen, late)) lags.learn(first.op, late, ageMs)
  else if (isLong && isInVain(shown)) lags.lose(late.by)
}

const isStillLate = ({ judgement: { late: still } }: Sent, late: Late): boolean =>
  still !== undefined && (still.isGuess === true || still.changedAt <= late.changedAt)

/** Repeats several calls until none deviates. If that takes too long, the first outcome counts. */
const persist = async <T>(
  { clock, lags, sleep }: Waiting,
  first: T,
  change: Change,
  isAmiss: (one: T) => boolean,
  again: () => Promise<T>,
): Promise<T> => {
  let waitedMs = Math.max(0, clock() - change.at)
  for (
    let pause = firstPauseMs, shown = 0;
    waitedMs + pause <= lags.patienceMs(change.by);
    pause = Math.min(2 * pause, longestPauseMs)
  ) {
    await sleep(pause)
    waitedMs += pause
    const one = await again()
    shown = isAmiss(one) ? 0 : shown + 1
    if (shown === proofOfMany) return one
  }
  lags.lose(change.by)
  return first
}

type Again = (more: Pick<Origin, 'overdue'>) => Promise<Sent>

/** Sends the call again once nothing is late any more. The first wrong reply counts. */
const outOfTime = async (times: number, again: Again): Promise<Sent> => {
  let sent = await again({ overdue: true })
  for (let time = 1; time < times && sent.judgement.deviations.length === 0; time += 1)
    sent = await again({ overdue: true })
  return sent
}
