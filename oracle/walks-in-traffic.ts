// Judges the pages of a list that clients of recorded traffic asked for one after another, as a run judges its own walks.

import isEqual from 'fast-deep-equal'
import type { BlankEntry, CallEntry, Entry } from '../history/entry.js'
import { unknownToken } from '../models/language/access.js'
import type { Operation } from '../models/language/operation.js'
import { longestMs } from './explanations/lag-in-traffic.js'
import type { Finder, Trail } from './found.js'
import { areIndependent } from './independence.js'
import type { Deviation, Judged } from './judgement.js'
import { observe } from './observe.js'
import { envelopeFault, type Page } from './page.js'
import { amissIn, type Walked } from './walks.js'
import { isWrite, overAt } from './writes.js'

/** The most lists that are remembered, the most pages of each, and the most writes of traffic that was judged before. */
const mostLists = 32
const mostPages = 64
const mostWrites = 256

/** So many records with which two pages begin are no chance. */
const leastRepeated = 3

/** The longest time between two pages of a walk, in which others cannot well have moved so many records on as a page holds. */
const longestPauseMs = 10_000

/** What is known of one list, as one caller asks for it. */
interface Listed {
  /** The pages of the walk that is under way, in order. */
  readonly pages: Walked
  /** The first of the latest walks that came to their end and showed the same, with nothing recorded between. */
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

const nothing = (forgottenAt: number): Seen => ({ lists: new Map(), fromOne: new Set(), writes: [], forgottenAt })

/**
 * Only walks are judged that nothing recorded can have disturbed, and whose pages all tell the same counts: where others have made or
 * removed something meanwhile, or a replica is behind, these differ. The document promises no order, and unrecorded clients may make one
 * thing and remove another, which moves records from page to page. So what is lost or doubled between pages counts where a page repeats
 * another, or where a walk shows the same again later than any replica or cache is behind.
 * @param forgottenAt when the latest call was over that is not known any more
 */
export const createWalkWatch = (finder: Finder, forgottenAt = Number.NEGATIVE_INFINITY) =>
  watchFrom(finder, nothing(forgottenAt))

const watchFrom = (finder: Finder, seen: Seen) => {
  const { lists, fromOne } = seen
  const remember = (name: string, listed: Listed): void => {
    lists.delete(name)
    lists.set(name, listed)
    for (const oldest of [...lists.keys()].slice(0, lists.size - mostLists)) lists.delete(oldest)
  }
  /** The walk that a step ends, with the one before it. */
  const endedBy = (step: Judged): Listed | undefined => {
    const page = pageOf(step)
    if (!page) return undefined
    if (countsFromOne(step, page)) fromOne.add(step.op)
    const name = nameOf(step)
    const listed = lists.get(name) ?? { pages: [] }
    const pages = joined(listed.pages, step)
    const isWhole = pages.length > 1 && pages.length === page.pages && (isFromStart(pages) || fromOne.has(step.op))
    remember(name, { ...listed, pages: isWhole ? [] : pages.slice(0, mostPages) })
    return isWhole ? { ...listed, pages } : undefined
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
      const ended = endedBy(step)
      if (!ended) return []
      const { pages, whole } = ended
      const isAgain =
        whole !== undefined && isSame(whole, pages) && isUndisturbed(seen, [...whole, ...pages], 'settled')
      if (!isAgain) remember(nameOf(step), { pages: [], whole: pages })
      if (!isUndisturbed(seen, pages)) return []
      const isSteady = (isAgain && isLater(whole, pages)) || repeats(pages)
      const deviations = toldBy(pages, isSteady, isUndisturbed(seen, pages, 'settled'))
      finder.add(deviations, () => ({ start: trailOf().start, steps: pages, look: observe, isWhole: true }))
      return deviations
    },
    /** A copy that goes on from here and reports to another finder. */
    fork: (other: Finder) => watchFrom(other, { ...seen, lists: new Map(lists), fromOne: new Set(fromOne) }),
  }
}

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
  const isNext = latest !== undefined && page !== undefined && numberOf(step) === numberOf(latest) + 1
  if (isNext && step.startedAt - latest.endedAt <= longestPauseMs) return [...before, step]
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

/** What the pages of a walk show together. @param isSettled whether they count what they show, however late */
const toldBy = (pages: Walked, isSteady: boolean, isSettled: boolean): readonly Deviation[] => {
  const last = pages.at(-1)
  if (!last || !agrees(pages)) return []
  const amiss = amissIn(last.judgement.world, pages, isSteady)
  return amiss.filter(
    ({ kind }) =>
      (kind !== 'missing-over-pages' || (isOfOneCaller(pages) && isShort(pages, amiss))) &&
      (kind !== 'results-over-pages' || isSettled),
  )
}

/** Whether all pages tell the same counts. */
const agrees = (pages: Walked): boolean => {
  const [first, ...others] = pages.map(pageOf)
  return others.every((page) => page?.pages === first?.pages && page?.results === first?.results)
}

const recordsOf = (step: Judged) => pageOf(step)?.data ?? []

/** Whether something tells callers apart. Otherwise walks may be of several, and what one of them lacks may be another's. */
const isOfOneCaller = ([first]: Walked): boolean => first?.call.as !== unknownToken

/** Whether two walks of one caller show the same. */
const isSame = (one: Walked, other: Walked): boolean =>
  isOfOneCaller(one) && agrees([...one, ...other]) && isEqual(one.flatMap(recordsOf), other.flatMap(recordsOf))

/** Whether a walk began so long after another that no replica or cache can have answered the same from before. */
const isLater = (one: Walked, other: Walked): boolean => startOf(other) - endOf(one) > longestMs

/** Whether a later page begins as the first one does. Whole records are compared, for not all tell what they are. */
const repeats = ([first, ...others]: Walked): boolean =>
  first !== undefined &&
  others
    .map(recordsOf)
    .some((own) => own.length >= leastRepeated && isEqual(own, recordsOf(first).slice(0, own.length)))

/** Whether pages tell of more than they show. What is on none of them may have been removed unseen otherwise. */
const isShort = (pages: Walked, amiss: readonly Deviation[]): boolean => {
  const [first] = pages.map(pageOf)
  const isDoubled = amiss.some(({ kind }) => kind === 'doubled-over-pages')
  return isDoubled || pages.flatMap(recordsOf).length < (first?.results ?? 0)
}

const startOf = (pages: Walked): number => Math.min(...pages.map(({ startedAt }) => startedAt))
const endOf = (pages: Walked): number => Math.max(...pages.map(({ endedAt }) => endedAt))

/** When a write was over, also one that may never have been answered. */
const surelyOverAt = (write: CallEntry | BlankEntry): number => Math.min(overAt(write), write.endedAt + longestMs)

/**
 * Whether the list stands still while pages are asked for. A change may take a while to show on every replica. That something was made
 * shows in the counts; `settled`, where these may be told sooner or later than the records.
 */
const isUndisturbed = ({ writes, forgottenAt }: Seen, pages: Walked, settled?: 'settled'): boolean => {
  const [from, until] = [startOf(pages), endOf(pages)]
  const mayDisturb = (write: CallEntry | BlankEntry): boolean => {
    if (write.startedAt > until) return false
    const isMade =
      write.kind === 'call' && pages.some(({ op }) => 'table' in op.reply && write.op.makes === op.reply.table)
    return surelyOverAt(write) + (isMade && !settled ? 0 : longestMs) >= from
  }
  const mayConcern = (write: CallEntry | BlankEntry): boolean =>
    write.kind === 'blank' || pages.some((page) => !areIndependent(write, page))
  return forgottenAt + longestMs < from && !writes.some((write) => mayDisturb(write) && mayConcern(write))
}
