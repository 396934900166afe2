// Asks, once all that may be late is over, whether reads still show something and then not: several targets do, a late one does not. Judges nothing.

import { bodyOf } from '../history/outcomes.js'
import { recordsIn } from '../history/pages.js'
import type { Outcome } from '../history/wire.js'
import { isObject, pick } from '../models/language/objects.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { isAmiss, type Relapses, showsAll } from './relapses.js'
import type { SeenLags } from './seen-lags.js'
import type { Sent, Session } from './session.js'

interface Options {
  readonly clock: () => number
  readonly sleep: Session['options']['sleep']
  /** When any program last changed something: a write that was under way may end after this look has begun. */
  readonly latest: { readonly at: number }
  /** How long a change may take to show. */
  readonly settleMs: number
  readonly isOver: () => boolean
  readonly relapses: Relapses
  readonly lags: Pick<SeenLags, 'forget'>
}

/** So many looks tell whether a change that came and went does so still: one of several targets may answer seldom. */
const looksAtEnd = 40
/** Operations whose replies come back tell what two of them do. */
const mostBack = 2

/**
 * Where much has shown and then not, sends a read again once all that may be late is over, and others by turns with it. A reply that comes
 * back after another one is not late, and several operations have such replies.
 */
export const outlast = async (
  options: Options,
  first: Sent,
  again: () => Promise<Sent>,
  look: (read: Sent) => Promise<Sent>,
): Promise<Sent> => {
  const { latest, isOver, relapses, lags } = options
  const reads = [first, ...relapses.beside(first)]
  let last = first
  const ask = async (read: Sent): Promise<Sent> => {
    if (read !== first) return look(read)
    last = await again()
    return last
  }
  for (let time = 0; time < mostTimes && !isOver(); time += 1) {
    await untilSettled(options)
    const { at } = latest
    const back = await backAmong(reads, ask, isOver)
    // A write that ended meanwhile may be what has changed between two of them.
    if (latest.at !== at) continue
    for (const { read, replies } of back) {
      relapses.outlived(read.op, replies.gotWorse())
      if (replies.gotWorse()) lags.forget(read.op)
    }
    break
  }
  return last
}

/** So often all of it is begun anew where a write has ended meanwhile, and so often it waits for such writes. */
const mostTimes = 3

const untilSettled = async ({ clock, sleep, latest, settleMs, isOver }: Options): Promise<void> => {
  let leftMs = settleMs
  for (let time = 0; time < mostTimes && leftMs > 0 && !isOver(); time += 1) {
    await sleep(leftMs)
    leftMs = latest.at + settleMs - clock()
  }
}

/** The reads of which a reply came back, until they are enough. */
const backAmong = async (first: readonly Sent[], ask: (read: Sent) => Promise<Sent>, isOver: () => boolean) => {
  const reads = first.map((read) => ({ read, replies: createReplies(read.op) }))
  const back = (): typeof reads => reads.filter(({ replies }) => replies.cameBack())
  for (let time = 0; time < looksAtEnd && !isOver() && back().length < mostBack; time += 1)
    for (const { read, replies } of toAndFro(reads, time)) replies.hear(await ask(read))
  return back()
}

/** Forth and back by turns: targets that answer strictly by turns would each get the same reads otherwise. */
const toAndFro = <T>(all: readonly T[], time: number): readonly T[] => (time % 2 === 0 ? all : all.toReversed())

/** Takes in the replies to one call while nothing is changed. */
const createReplies = (op: Operation) => {
  const isBack = createReturns(op)
  let [wasBack, wasRight, wasWorse] = [false, false, false]
  return {
    hear: ({ outcome, judgement }: Sent): void => {
      if (!('status' in outcome) || tellsNothing(outcome.status)) return
      wasBack = isBack(outcome) || wasBack
      wasRight ||= showsAll(judgement)
      wasWorse ||= wasRight && isAmiss(judgement)
    },
    /** Whether one was as it was before another came. */
    cameBack: () => wasBack,
    /** Whether one was wrong after another was right. */
    gotWorse: () => wasWorse,
  }
}

/** Tells of the replies to one call while nothing is changed whether one is as it was before another came: nothing that is late goes back. */
const createReturns = ({ reply }: Operation): ((outcome: Outcome) => boolean) => {
  const lasting = 'table' in reply ? lastingIn(reply.table) : undefined
  const seen = new Set<string>()
  let latest: string | undefined
  return (outcome) => {
    if (!('status' in outcome) || tellsNothing(outcome.status)) return false
    // The order of records, of members and of inner lists may differ from one reply to the next.
    const records = recordsIn(bodyOf(outcome)).map((one) => JSON.stringify(inOrder(lasting ? pick(one, lasting) : one)))
    const text = JSON.stringify([outcome.status, ...records.sort()])
    const isBack = text !== latest && seen.has(text)
    seen.add(text)
    latest = text
    return isBack
  }
}

/** What changes by writes alone: who answered, and a state that moves on by itself, may differ from one reply to the next on any target. */
const lastingIn = ({ fields, derived = {}, drifting = [] }: AnyTable): readonly string[] =>
  ['id', ...fields, ...Object.keys(derived)].filter((name) => !drifting.includes(name))

/** An error of the server, a limit or a token that is not taken for a moment shows no state of what is held. */
const tellsNothing = (status: number): boolean => [401, 407, 429].includes(status) || status >= 500

/** A value with its members and the items of its lists in one order, whatever order a server gives them. */
const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((one) => JSON.stringify(inOrder(one))).sort()
  if (!isObject(value)) return value
  const names = Object.keys(value).sort()
  return Object.fromEntries(names.map((name) => [name, inOrder(value[name])]))
}
