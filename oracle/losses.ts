// Counts the calls of each operation that were answered and lost, and which were lost one after another; what that means is said elsewhere.

import type { WireCall } from '../history/wire.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Judged } from './judgement.js'

/** Calls of one operation that were lost one after another. */
export type Row = ReturnType<typeof rowFrom>

const rowFrom = ({ op, startedAt }: Judged) => ({
  isOfWrites: op.method !== 'GET',
  lost: 0,
  /** How many of them came after others were answered: while nothing is answered, all of them are lost for one reason. */
  stalls: 0,
  /** Calls of other operations that were answered until the latest of them. */
  othersBefore: -1,
  /** When the latest of them ended. */
  over: startedAt,
  /** Calls of other operations that were answered in that time, and that were lost. */
  others: 0,
  lostOthers: 0,
  /** How many of the answered ones were writes. */
  otherWrites: 0,
  /** Whether any of them had to be accepted. */
  isPlain: false,
  /** What they were sent for: one clause may send a call again and again that a proxy drops for its length. */
  clauses: new Set<string>(),
  /** Characters of the shortest body among them. */
  shortest: Number.POSITIVE_INFINITY,
  /** Bytes that came of the body of each reply that ended in its middle. */
  came: [] as number[],
})

/** Calls of one operation, or of all, that were answered, and that were lost. */
export type Tally = ReturnType<typeof noCalls>

const noCalls = () => ({
  answered: 0,
  lost: 0,
  /** When the latest of the answered calls was sent. */
  answeredFrom: 0,
  /** Characters of the longest body of the answered ones. */
  longest: -1,
})

const lengthOf = ({ body }: WireCall): number => (body === undefined ? 0 : JSON.stringify(body).length)

const lengthen = (row: Row, { call, clause, program, outcome, role }: Judged): void => {
  row.lost += 1
  if (row.others > row.othersBefore) row.stalls += 1
  row.othersBefore = row.others
  row.isPlain ||= role !== 'probe'
  row.clauses.add(clause ?? `${program}`)
  row.shortest = Math.min(row.shortest, lengthOf(call))
  if ('lost' in outcome && outcome.bytes !== undefined) row.came.push(outcome.bytes)
}

export const createLosses = () => {
  const rows = new Map<string, Row>()
  const tallies = new Map<string, Tally>()
  const all = noCalls()
  const of = (operation: string): Tally => getOrInsert(tallies, operation, noCalls)

  const noteAnswer = ({ op, call, startedAt }: Judged): void => {
    const own = of(op.id)
    own.answered += 1
    own.longest = Math.max(own.longest, lengthOf(call))
    own.answeredFrom = Math.max(own.answeredFrom, startedAt)
    all.answered += 1
    rows.delete(op.id)
    for (const row of rows.values()) {
      row.others += 1
      if (op.method !== 'GET') row.otherWrites += 1
    }
  }

  /** Returns the row that a lost call goes on with; undefined where it tells nothing. */
  const noteLoss = (judged: Judged): Row | undefined => {
    const { op, outcome, startedAt, endedAt } = judged
    const own = of(op.id)
    own.lost += 1
    all.lost += 1
    // Of calls sent at the same time, lost ones end last.
    if (startedAt < own.answeredFrom) return undefined
    for (const [operation, row] of rows) if (operation !== op.id) row.lostOthers += 1
    const row = getOrInsert(rows, op.id, () => rowFrom(judged))
    // A target that takes too few connections drops calls at the same time together.
    if ('lost' in outcome && outcome.lost === 'reset' && startedAt < row.over) return undefined
    row.over = endedAt
    lengthen(row, judged)
    return row
  }
  /** Whether the calls of a row may be lost as writes are: no other write was answered meanwhile, and another is lost as well. */
  const isOfWritesAlone = (row: Row): boolean =>
    row.isOfWrites && row.otherWrites === 0 && [...rows.values()].some((other) => other !== row && other.isOfWrites)
  return { all, of, noteAnswer, noteLoss, isOfWritesAlone }
}
