// Judges windows of overlapping calls: groups them, cuts what is too large, and puts each group in order; keeps nothing between windows.

import type { CallEntry, Entry, Surely } from '../history/entry.js'
import { memoised } from '../models/language/memoised.js'
import { anew, type Belief, type Observe, pendingOf, worldOf } from './belief.js'
import { overlapping } from './explanations/overlap.js'
import { firstPlace, groupsOf } from './groups.js'
import { type Judgement, type Observation, undecided } from './judgement.js'
import { judgeOverlaps } from './overlaps.js'
import { isBefore } from './precedence.js'
import { isWrite, overAt } from './writes.js'

export interface JudgedGroup {
  readonly belief: Belief
  /** In an order that explains the replies. */
  readonly calls: readonly CallEntry[]
  readonly judgements: readonly Judgement[]
  /** Numbers of those that could not be put in order. */
  readonly unordered: readonly number[]
  /** Whether nothing is known any more of what was before. */
  readonly isForgotten: boolean
}

export interface Looks {
  /** How a call is taken in if no write overlaps with it. */
  readonly look: Observe
  /** How any other call is taken in. */
  readonly beside: Observe
  readonly first: () => Belief
}

/** Judges calls that overlap. The order of reads does not matter while no lost write may land between them. */
export const judgeGroup = (belief: Belief, calls: readonly CallEntry[], looks: Looks): JudgedGroup => {
  const { beside } = looks
  const isSettled = belief.hypotheses.every(({ pending }) => pending.length === 0)
  if (calls.length < 2 || (isSettled && calls.every(({ op }) => op.method === 'GET'))) {
    let after = belief
    const judgements = calls.map((event) => {
      const observed = beside(after, event)
      after = observed.belief
      return observed.judgement
    })
    return { belief: after, calls, judgements, ...inOrder }
  }
  const timed = calls.map((event) => ({ observation: event, ...event }))
  const mostWorlds = fewestWorlds + worldsEach * calls.length
  const options = { observe: beside, mostWorlds }
  const { verdict, order, judgements, belief: after } = judgeOverlaps(belief, timed, options)
  if (verdict === 'inconclusive') return judgeParts(belief, calls, looks)
  return {
    belief: after,
    calls: order.map((i) => calls[i] as CallEntry),
    judgements: order.map((i) => judgements[i] as Judgement),
    ...inOrder,
  }
}

/** The most worlds for a group, and for each of its calls: fewer than for a race, since a group that needs more is cut in two. */
const fewestWorlds = 500
const worldsEach = 25

const inOrder = { unordered: [], isForgotten: false } as const

/** Cuts a group with too many possible orders in two. A write that is under way at the cut may or may not have had its effect. */
const judgeParts = (belief: Belief, calls: readonly CallEntry[], looks: Looks): JudgedGroup => {
  const alone = overlapping(looks.look)
  const leave = (some: readonly CallEntry[]): Omit<JudgedGroup, 'belief' | 'isForgotten'> => ({
    calls: some,
    judgements: some.map((event) => inItself(event, belief, looks.first(), alone)),
    unordered: some.map(({ n }) => n),
  })
  const cut = cutOf(calls, pendingOf(belief).length)
  if (!cut) return { ...leave(calls), belief: anew(looks.first(), belief), isForgotten: true }
  const { before, astride, after } = cut
  const open = astride.filter(isWrite).map((one): CallEntry => ({ ...one, outcome: { lost: 'timeout' } }))
  const earlier = judgeGroup(belief, [...before, ...open].sort(bySending), looks)
  const left = leave(astride)
  const later = judgeGroup(earlier.belief, after, looks)
  const isOpen = new Set(open.map(({ n }) => n))
  const kept = earlier.calls.flatMap((one, i) => (isOpen.has(one.n) ? [] : [i]))
  return {
    belief: later.belief,
    calls: [...kept.map((i) => earlier.calls[i] as CallEntry), ...left.calls, ...later.calls],
    judgements: [...kept.map((i) => earlier.judgements[i] as Judgement), ...left.judgements, ...later.judgements],
    unordered: [...earlier.unordered.filter((n) => !isOpen.has(n)), ...left.unordered, ...later.unordered],
    isForgotten: earlier.isForgotten || later.isForgotten,
  }
}

const bySending = (one: CallEntry, other: CallEntry): number => one.startedAt - other.startedAt

interface Cut {
  readonly before: readonly CallEntry[]
  readonly astride: readonly CallEntry[]
  readonly after: readonly CallEntry[]
}

/** The most writes that may be open at a cut, and the fewest calls that are cut. */
const mostOpen = 4
const fewestCut = 8

/** The place near the middle with the fewest writes under way; undefined where there are too many everywhere. */
const cutOf = (calls: readonly CallEntry[], pending: number): Cut | undefined => {
  if (calls.length < fewestCut) return undefined
  const cutAt = ({ startedAt: at }: CallEntry): Cut => ({
    before: calls.filter((one) => endOf(one) < at),
    astride: calls.filter((one) => one.startedAt < at && endOf(one) >= at),
    after: calls.filter((one) => one.startedAt >= at),
  })
  const weigh = ({ astride }: Cut): number => astride.filter(isWrite).length
  const isGood = (cut: Cut): boolean =>
    cut.before.length > 0 && cut.before.length + weigh(cut) < calls.length && weigh(cut) + pending <= mostOpen
  const middle = calls.slice(Math.ceil(calls.length / 4), Math.ceil((calls.length * 3) / 4))
  const [best] = middle
    .map(cutAt)
    .filter(isGood)
    .sort((one, other) => weigh(one) - weigh(other))
  return best
}

/** A lost write may be under way for ever. */
const endOf = (one: CallEntry): number => (one.op.method === 'GET' ? one.endedAt : overAt(one))

/** How the calls of a window are taken in: those beside a write as overlapping calls, others plainly, since these only seem to overlap. */
export const besideOthers = (calls: readonly CallEntry[], look: Observe): Observe => {
  const isTogether = togetherWith(calls.filter(isWrite))
  const beside = new Set(calls.filter(isTogether).map(({ n }) => n))
  const reserved = overlapping(look)
  return onlyOnce((belief, observation) => (beside.has(observation.n) ? reserved : look)(belief, observation))
}

/** If a group is cut in two, its beginning is judged again, mostly as before: what was judged once is remembered. */
const onlyOnce = (look: Observe): Observe => {
  const from = memoised((belief: Belief) => memoised((observation: Observation) => look(belief, observation)))
  return (belief, observation) => from(belief)(observation)
}

const spanOf = ({ surely, startedAt, endedAt }: CallEntry): Surely => surely ?? { from: startedAt, to: endedAt }

/** Whether a call was under way together with one of some writes other than itself. */
const togetherWith = (writes: readonly CallEntry[]): ((one: CallEntry) => boolean) => {
  const sorted = writes.map((write) => ({ write, ...spanOf(write) })).sort((a, b) => a.from - b.from)
  // Of the first so many writes, the two that ended last.
  const latest: (readonly (typeof sorted)[number][])[] = [[]]
  for (const one of sorted) latest.push([...(latest.at(-1) ?? []), one].sort((a, b) => b.to - a.to).slice(0, 2))
  return (one) => {
    const { from, to } = spanOf(one)
    const begun = firstPlace(sorted.length, (i) => (sorted[i] as Surely).from > to)
    return (latest[begun] ?? []).some((other) => other.write !== one && other.to >= from)
  }
}

/** Deviations that a call shows whatever came before it. */
const inItself = (event: CallEntry, belief: Belief, afresh: Belief, look: Observe): Judgement => {
  const { deviations, verdict } = look(afresh, event).judgement
  return { ...undecided(worldOf(belief)), deviations, verdict: deviations.length > 0 ? verdict : 'inconclusive' }
}

/** Splits events into windows, between which no call is under way. A hook is a window by itself. */
export const windowsOf = (events: readonly Entry[]): readonly (readonly Entry[])[] => {
  const windows: Entry[][] = []
  let last = -1
  for (const [i, event] of events.entries()) {
    const window = windows.at(-1)
    const isApart = i > last || event.kind === 'hook' || window?.[0]?.kind === 'hook'
    if (window && !isApart) window.push(event)
    else windows.push([event])
    last = Math.max(isApart ? i : last, lastBeside(events, i))
  }
  return windows
}

/** The calls of a window in groups to be judged together, each group after those that it may depend on. */
export const groupsIn = (calls: readonly CallEntry[]): readonly (readonly CallEntry[])[] =>
  calls.length > 1 ? groupsOf(calls, isBefore) : [calls]

/** The place of the last event that may have been sent while this one was under way. */
const lastBeside = (events: readonly Entry[], i: number): number => {
  const one = events[i] as Entry
  let next = i + 1
  while ((events[next]?.startedAt ?? Number.POSITIVE_INFINITY) <= one.endedAt) next += 1
  for (let last = next - 1; last > i; last -= 1) if (!comesBefore(one, events[last] as Entry)) return last
  return i
}

const comesBefore = (one: Entry, other: Entry): boolean =>
  one.endedAt < other.startedAt || (one.kind !== 'hook' && other.kind !== 'hook' && isBefore(one, other))
