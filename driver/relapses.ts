// Follows calls that contradict what others were answered: a replica that is behind does so for a while, several targets at one address for ever.

import { isListed, type Operation } from '../models/language/operation.js'
import type { Sent } from './session.js'

type Late = NonNullable<Sent['judgement']['late']>

export interface Relapses {
  /** Takes in a call; where it is sent again for something that was late, that as well. */
  readonly hear: (sent: Sent, before?: Late) => void
  /**
   * Takes in an operation that still showed changes and then not when all that may be late was over.
   * @param isAmiss whether it was right, and then wrong again
   */
  readonly outlived: (op: Operation, isAmiss: boolean) => void
  /** Whether reads of an operation were seen to be right, and then wrong again, when nothing may be late: waiting for them is in vain. */
  readonly isLasting: (op: Operation) => boolean
  /** The operations that show changes and then not, once one of them has outlived that time; undefined before. */
  readonly split: () => readonly Operation[] | undefined
  /** Whether that happens so often that it is worth the time to see whether it ends. */
  readonly areMany: () => boolean
  /** Reads of other operations that have done so or list what those show, to be asked with this one. */
  readonly beside: (sent: Sent) => readonly Sent[]
  /** Sees whether that ends, while nothing else is sent. */
  readonly settle: <T>(see: () => Promise<T>) => Promise<T>
  /** Resolves once that is seen. */
  readonly seen: () => Promise<unknown>
  /** How often that look has begun or ended: who waited meanwhile has not asked as often as it seems. */
  readonly looks: () => number
}

/** So many calls, of so many operations, do so before it is asked whether that ends: one may do so by itself, and is asked about later. */
const fewest = { times: 5, operations: 2, timesOfOne: 12 }
/** So many reads are asked beside the one that is late. */
const mostBeside = 3
/** Of an operation that does so by itself, beside one that did to the end, so many calls tell. */
const fewestOfOther = 2
/** So often that is asked in a run: where it did end, the target is behind. */
const mostAsked = 1
/** Of so many reads it is known when they showed everything. */
const mostReads = 10_000

/** Whether what was made has the key of something that is there, as far as others tell. */
const isTaken = ({ judgement: { deviations } }: Sent): boolean => deviations.some(({ kind }) => kind === 'not-new')

/** Whether a read showed everything once a change was made that it does not show any more. */
const isAfter = (shownAt = -1, late?: Late): boolean =>
  late?.isGuess !== true && late !== undefined && shownAt > late.changedAt

/** A reply that passed because changes of others may be late does not show everything. */
export const showsAll = ({ verdict, assumed }: Sent['judgement']): boolean =>
  verdict === 'pass' && assumed === undefined

/** What had no usable reply shows nothing. */
export const isAmiss = ({ verdict, late }: Sent['judgement']): boolean =>
  verdict !== 'pass' && (verdict !== 'inconclusive' || late !== undefined)

const nameOf = ({ call }: Sent): string => `${call.url} ${call.as}`

const tableOf = ({ reply }: Operation): string | undefined => ('table' in reply ? reply.table.name : undefined)

/** Keeps the latest read of each operation that hid what it had shown, and the latest of each list. */
const createReads = () => {
  const hidden = new Map<Operation, Sent>()
  const lists = new Map<Operation, Sent>()
  return {
    noteRight: (sent: Sent): void => {
      if (isListed(sent.op.reply)) lists.set(sent.op, sent)
    },
    noteHidden: (sent: Sent): void => void hidden.set(sent.op, sent),
    beside: (op: Operation, relapsed: readonly Operation[]): readonly Sent[] => {
      const tables = new Set([op, ...relapsed].map(tableOf))
      const listing = [...lists.values()].filter((one) => tables.has(tableOf(one.op)))
      const others = new Map([...listing, ...hidden.values()].map((one) => [one.op, one]))
      others.delete(op)
      return [...others.values()].slice(0, mostBeside)
    },
  }
}

export const createRelapses = (): Relapses => {
  /** When each read was last sent that showed everything. */
  const shownAt = new Map<string, number>()
  const times = new Map<Operation, number>()
  const reads = createReads()
  const ended = new Set<Operation>()
  const lasting = new Set<Operation>()
  let asked = 0
  let over = 0
  let seeing: Promise<unknown> | undefined
  return {
    hear: (sent, before) => {
      const { op, judgement, startedAt } = sent
      const isRead = op.method === 'GET'
      if (shownAt.size >= mostReads) shownAt.clear()
      if (isRead && showsAll(judgement)) {
        shownAt.set(nameOf(sent), startedAt)
        reads.noteRight(sent)
      }
      const isHidden = isRead && isAmiss(judgement) && isAfter(shownAt.get(nameOf(sent)), judgement.late ?? before)
      if (isHidden) reads.noteHidden(sent)
      if (isHidden || isTaken(sent)) times.set(op, (times.get(op) ?? 0) + 1)
    },
    outlived: (op, isAmiss) => {
      ended.add(op)
      if (isAmiss) lasting.add(op)
    },
    isLasting: (op) => lasting.has(op),
    split: () => {
      const often = [...times].flatMap(([op, count]) => (count >= fewestOfOther ? [op] : []))
      const all = [...new Set([...ended, ...often])]
      return ended.size > 0 && all.length >= fewest.operations ? all : undefined
    },
    areMany: () => {
      const all = [...times.values()].reduce((sum, count) => sum + count, 0)
      const isOften = all >= fewest.times && (times.size >= fewest.operations || all >= fewest.timesOfOne)
      return asked < mostAsked && isOften
    },
    beside: ({ op }) => reads.beside(op, [...times.keys()]),
    settle: (see) => {
      asked += 1
      const seen = see().finally(() => {
        over += 1
      })
      seeing = seen
      return seen
    },
    seen: async () => seeing?.catch(() => undefined),
    looks: () => asked + over,
  }
}
