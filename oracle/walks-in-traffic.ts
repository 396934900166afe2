// Judges the pages of a list that clients of recorded traffic asked for one after another, as a run judges its own walks.

import isEqual from 'fast-deep-equal'
import type { BlankEntry, CallEntry, Entry } from '../history/entry.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { longestMs } from './explanations/lag-in-traffic.js'
import type { Finder, Trail } from './found.js'
import { areIndependent } from './independence.js'
import type { Deviation, Judged } from './judgement.js'
import { observe } from './observe.js'
import { envelopeFault, type Page } from './page.js'
import { amissIn, keysOf, type Walked } from './walks.js'
import { isWrite, overAt } from './writes.js'

/** The most lists that are remembered, the most pages of each, and the most writes of traffic that was judged before. */
const mostLists = 32
const mostPages = 64
const mostWrites = 256

/** So many records with which two pages begin, or that stand in the order of their ids, are no chance. */
const leastRepeated = 3
const leastOrdered = 10

/** What is known of one list, as one caller asks for it. */
interface Listed {
  /** The pages of the walk that is under way, in order. */
  readonly pages: Walked
  /** The latest walk that came to its end. */
  readonly whole?: Walked
}

interface Seen {
  readonly lists: Map<string, Listed>
  /** Operations that have told of their first page that it is page 1. */
  readonly fromOne: Set<Operation>
  /** The latest writes of all parties. */
  writes: readonly (CallEntry | BlankEntry)[]
  /** When the latest write that is not remembered any more was over. */
  forgottenAt: number
}

const nothing = (): Seen => ({
  lists: new Map(),
  fromOne: new Set(),
  writes: [],
  forgottenAt: Number.NEGATIVE_INFINITY,
})

/**
 * Only walks are judged that nothing recorded can have disturbed, and whose pages all tell the same counts: where others have made or
 * removed something meanwhile, or a replica is behind, these differ. The document promises no order, so what is lost or doubled between
 * pages counts where it is seen that there is one.
 */
export const createWalkWatch = (finder: Finder, seen = nothing()) => {
  const { lists, fromOne } = seen
  const remember = (name: string, listed: Listed): void => {
    lists.delete(name)
    lists.set(name, listed)
    for (const oldest of [...lists.keys()].slice(0, lists.size - mostLists)) lists.delete(oldest)
  }
  return {
    /** Learns of calls that are to be judged. */
    note: (events: readonly Entry[]): void => {
      const left = seen.writes.slice(0, -mostWrites)
      seen.forgottenAt = left.reduce((at, one) => Math.max(at, surelyOverAt(one)), seen.forgottenAt)
      seen.writes = [...seen.writes.slice(-mostWrites), ...events.filter(isWrite)]
    },
    /** Takes in a step. Returns the deviations that it shows with the pages before it; they are reported. */
    hear: (step: Judged, trailOf: () => Trail): readonly Deviation[] => {
      const page = pageOf(step)
      if (!page) return []
      if (countsFromOne(step, page)) fromOne.add(step.op)
      const name = nameOf(step)
      const { pages: before, whole } = lists.get(name) ?? { pages: [] }
      const pages = joined(before, step)
      const isWhole = pages.length > 1 && pages.length === page.pages && (isFromStart(pages) || fromOne.has(step.op))
      remember(name, isWhole ? { pages: [], whole: pages } : { pages: pages.slice(0, mostPages), ...kept(whole) })
      if (!isWhole) return []
      const deviations = toldBy(whole, pages, (from, settled) =>
        isUndisturbed(seen, [from, step], settled !== undefined),
      )
      finder.add(deviations, () => ({ start: trailOf().start, steps: pages, look: observe, isWhole: true }))
      return deviations
    },
    /** A copy that goes on from here and reports to another finder. */
    fork: (other: Finder) => createWalkWatch(other, { ...seen, lists: new Map(lists), fromOne: new Set(fromOne) }),
  }
}

const kept = (whole: Walked | undefined): Pick<Listed, 'whole'> => (whole ? { whole } : {})

/** The page that a step shows for certain. */
const pageOf = ({ op, outcome, judgement }: Judged): Page | undefined =>
  op.reply.kind === 'page' &&
  judgement.accepted === true &&
  judgement.late === undefined &&
  'body' in outcome &&
  envelopeFault(outcome.body) === undefined
    ? (outcome.body as Page)
    : undefined

/** The number of a page: the one that was asked for or, without any, the one that the reply tells. */
const numberOf = (step: Judged): number => Number(step.call.query.page ?? pageOf(step)?.page)

/** The pages so far with one that follows, or that one alone if it begins a walk. */
const joined = (before: Walked, step: Judged): Walked => {
  const latest = before.at(-1)
  const { page } = step.call.query
  if (latest && page !== undefined && numberOf(step) === numberOf(latest) + 1) return [...before, step]
  return page === undefined || numberOf(step) <= 1 ? [step] : []
}

/** Whether a page shows that pages are counted from 1: where their bounds are not shown, they may be counted from 0. */
const countsFromOne = ({ op, call }: Judged, { data, page, pages }: Page): boolean =>
  (op.reply.kind === 'page' && op.reply.bounds === 'standard') ||
  (call.query.page === undefined && page === 1) ||
  (pages > 1 && page === pages && data.length > 0)

/** Whether the first page of a walk is the first one however pages are counted. */
const isFromStart = ([first]: Walked): boolean => first?.call.query.page === undefined || numberOf(first) === 0

/** A list as one caller asks for it, whatever page. */
const nameOf = ({ op, call: { as, path, query } }: Judged): string => {
  const { page: _, ...others } = query
  return JSON.stringify([op.id, as, path, others])
}

/** What a walk shows by itself, or with the one before it where nothing has changed since. */
const toldBy = (
  before: Walked | undefined,
  pages: Walked,
  standsStill: (from: Judged, settled?: 'settled') => boolean,
): readonly Deviation[] => {
  const [first] = pages
  const last = pages.at(-1)
  if (!first || !last || !agrees(pages) || !standsStill(first)) return []
  const isAgain =
    before?.[0] !== undefined && standsStill(before[0]) && agrees([...before, ...pages]) && isSame(before, pages)
  const isSteady = isAgain || isAscending(pages) || repeats(pages)
  const { results = 0 } = pageOf(first) ?? {}
  // What is on no page may have been removed unseen, unless the pages tell of more than they show.
  const isShort = new Set(pages.flatMap(keysOf)).size < results
  const isCounted = pages.flatMap(keysOf).length < results || standsStill(first, 'settled')
  return amissIn(last.judgement.world, pages, isSteady).filter(({ kind }) =>
    kind === 'missing-over-pages' ? isShort : kind !== 'results-over-pages' || isCounted,
  )
}

/** Whether all pages tell the same counts. */
const agrees = (pages: Walked): boolean => {
  const counts = pages.map(({ outcome }) => ('body' in outcome && isObject(outcome.body) ? outcome.body : {}))
  return counts.every(({ pages, results }) => pages === counts[0]?.pages && results === counts[0]?.results)
}

const isSame = (one: Walked, other: Walked): boolean => isEqual(one.map(keysOf), other.map(keysOf))

/** Whether the records stand in the order of their ids; others can put no record on two pages then. */
const isAscending = (pages: Walked): boolean => {
  const ids = pages.flatMap(keysOf).map(Number)
  return ids.length >= leastOrdered && ids.every((id, i) => i === 0 || id >= (ids[i - 1] as number))
}

/** Whether a later page begins as the first one does. */
const repeats = ([first, ...others]: Walked): boolean => {
  const keys = keysOf(first)
  return others.some((page) => {
    const own = keysOf(page)
    return own.length >= leastRepeated && isEqual(own, keys.slice(0, own.length))
  })
}

/** When a write was over, also one that may never have been answered. */
const surelyOverAt = (write: CallEntry | BlankEntry): number => Math.min(overAt(write), write.endedAt + longestMs)

/**
 * Whether the list stands still from one of its pages to the last one that was asked for. A change may take a while to show on every
 * replica. That something was made shows in the counts; only these may take as long themselves.
 */
const isUndisturbed = (
  { writes, forgottenAt }: Seen,
  [from, until]: readonly [Judged, Judged],
  isSettled: boolean,
): boolean => {
  const mayDisturb = (write: CallEntry | BlankEntry): boolean => {
    if (write.startedAt > until.endedAt) return false
    const isMade = write.kind === 'call' && 'table' in from.op.reply && write.op.makes === from.op.reply.table
    return surelyOverAt(write) + (isMade && !isSettled ? 0 : longestMs) >= from.startedAt
  }
  return (
    forgottenAt + longestMs < from.startedAt &&
    !writes.some((write) => mayDisturb(write) && (write.kind === 'blank' || !areIndependent(write, from)))
  )
}
