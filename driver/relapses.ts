// Follows calls that contradict what others were answered: a replica that is behind does so for a while, several targets at one address for ever.

import type { Operation } from '../models/language/operation.js'
import type { Sent } from './session.js'

type Late = NonNullable<Sent['judgement']['late']>

export interface Relapses {
  /** Takes in a call; where it is sent again for something that was late, that as well. */
  readonly hear: (sent: Sent, before?: Late) => void
  /** Takes in an operation that still showed changes and then not when all that may be late was over. */
  readonly outlived: (op: Operation) => void
  /** The operations that show changes and then not, once one of them has outlived that time; undefined before. */
  readonly split: () => readonly Operation[] | undefined
  /** Whether several operations do so, that often that it is worth the time to see whether it ends. */
  readonly areMany: () => boolean
  /** Sees whether that ends, while nothing else is sent. */
  readonly settle: <T>(see: () => Promise<T>) => Promise<T>
  /** Resolves once that is seen. */
  readonly seen: () => Promise<unknown>
  /** How often that was seen: who waited meanwhile has not asked as often as it seems. */
  readonly asked: () => number
}

/** So many calls, of so many operations, do so before it is asked whether that ends: one may do so by itself. */
const fewest = { times: 5, operations: 2 }
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

const nameOf = ({ call }: Sent): string => `${call.url} ${call.as}`

export const createRelapses = (): Relapses => {
  /** When each read was last sent that showed everything. */
  const shownAt = new Map<string, number>()
  const times = new Map<Operation, number>()
  const ended = new Set<Operation>()
  let asked = 0
  let seeing: Promise<unknown> | undefined
  return {
    hear: (sent, before) => {
      const { op, judgement, startedAt } = sent
      const { late } = judgement
      const isRead = op.method === 'GET'
      // A reply that passed because changes of others may be late does not show everything.
      const isRight = judgement.verdict === 'pass' && judgement.assumed === undefined
      if (shownAt.size >= mostReads) shownAt.clear()
      if (isRead && isRight) shownAt.set(nameOf(sent), startedAt)
      // What had no usable reply shows nothing.
      const isTelling = judgement.verdict !== 'inconclusive' || late !== undefined
      const isHidden =
        isRead && isTelling && judgement.verdict !== 'pass' && isAfter(shownAt.get(nameOf(sent)), late ?? before)
      if (isHidden || isTaken(sent)) times.set(op, (times.get(op) ?? 0) + 1)
    },
    outlived: (op) => void ended.add(op),
    split: () => {
      const all = [...times].flatMap(([op, count]) => (ended.has(op) || count >= fewestOfOther ? [op] : []))
      return ended.size > 0 && all.length >= fewest.operations ? all : undefined
    },
    areMany: () => {
      const all = [...times.values()].reduce((sum, count) => sum + count, 0)
      const isOften = all >= fewest.times && times.size >= fewest.operations
      return asked < mostAsked && isOften
    },
    settle: (see) => {
      asked += 1
      const seen = see()
      seeing = seen
      return seen
    },
    seen: async () => seeing?.catch(() => undefined),
    asked: () => asked,
  }
}
