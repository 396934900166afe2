// Detects an operation that never replies: its calls are lost one after another while other calls are answered; sends nothing.

import { mayHaveCome } from '../history/outcomes.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Operation } from '../models/language/operation.js'
import { clauseOf } from './clauses.js'
import { type Deviation, deviation, type Judged } from './judgement.js'

/** Calls of one operation that were lost one after another. */
type Row = ReturnType<typeof rowFrom>

const rowFrom = (startedAt: number) => ({
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
  /** Whether any of them had to be accepted. */
  isPlain: false,
  /** What they were sent for: one clause may send a call again and again that a proxy drops for its length. */
  clauses: new Set<string>(),
  /** Characters of the shortest body among them. */
  shortest: Number.POSITIVE_INFINITY,
  /** The most that came of the body of a reply to any of them. */
  mostCame: 0,
})

type Tally = ReturnType<typeof noCalls>

type Reply = Extract<Outcome, { readonly status: number }>

const noCalls = () => ({
  answered: 0,
  lost: 0,
  /** When the latest of the answered calls was sent. */
  answeredFrom: 0,
  /** Characters of the longest body of the answered ones. */
  longest: -1,
  /** Characters of the longest body that came in answer. */
  longestReply: 0,
})

/** At least so many calls have to be lost, and so many others answered meanwhile. */
const fewestLost = 4
const fewestOthers = 2
/** Of an operation that was answered before, calls for so many clauses have to be lost, and not only longer ones than were answered. */
const fewestClauses = 2
/** The highest probability that chance lost them each time, at the rate at which it loses others. */
const chance = 1e-6
/** Where a greater share of the others is lost, who is met need not be by chance: a gateway may hand every second call to a node that is down. */
const mostShare = 1 / 4

/** What a gateway may answer once is the target's own doing if it comes every time. A reply that is only too long is no deviation. */
const tellOf = (op: Operation, lost: string, received: string, isOnTheWay: boolean): Deviation | undefined => {
  if (lost === 'too-large' || isOnTheWay) return undefined
  const clause = clauseOf(op, lost === 'foreign' ? 'json' : 'accepts')
  return clause && deviation(clause, 'no-reply', lost === 'foreign' ? 'a JSON body' : 'a reply', received)
}

/** The estimated probability that a call is lost, from so many that were and were not. */
const shareOf = (lost: number, answered: number): number => (lost + 1) / (lost + answered + 2)

const lengthOf = ({ body }: Pick<WireCall, 'body'>): number => (body === undefined ? 0 : JSON.stringify(body).length)

/** How much had come of the body of a reply that ended in its middle. */
const cameOf = (outcome: Outcome): number => ('lost' in outcome ? (outcome.bytes ?? 0) : 0)

export const createMutes = () => {
  const rows = new Map<string, Row>()
  const tallies = new Map<string, Tally>()
  const all = noCalls()
  const reasons = new Map<string, string>()

  /** Calls are lost more often at some times than at others, for example when too many are sent at a time. */
  const isNoChance = ({ stalls, others, lostOthers }: Row, own: Tally): boolean => {
    const ever = shareOf(all.lost - own.lost, all.answered - own.answered)
    const meanwhile = lostOthers === 0 ? 0 : shareOf(lostOthers, others)
    return Math.max(ever, meanwhile) ** stalls <= chance
  }

  /** Calls of those that have fallen silent do not count: they were lost for a reason of their own. */
  const isOneOfMany = ({ others, lostOthers }: Row, own: Tally): boolean => {
    const silent = [...reasons.keys()].reduce((sum, id) => sum + tallyOf(id).lost, 0)
    const lost = all.lost - own.lost - silent
    return lost > mostShare * (lost + all.answered - own.answered) || lostOthers > mostShare * (others + lostOthers)
  }

  /** A network that takes its time, or ends a connection after so many bytes, lets through no reply as long as these are. */
  const isTooLong = ({ mostCame }: Row): boolean => mostCame > all.longestReply

  const tallyOf = (operation: string): Tally => getOrInsert(tallies, operation, noCalls)

  const noteAnswer = ({ op, call, startedAt }: Judged, outcome: Reply): void => {
    const own = tallyOf(op.id)
    own.answered += 1
    own.longest = Math.max(own.longest, lengthOf(call))
    own.answeredFrom = Math.max(own.answeredFrom, startedAt)
    all.answered += 1
    all.longestReply = Math.max(all.longestReply, lengthOf(outcome))
    rows.delete(op.id)
    for (const row of rows.values()) row.others += 1
  }

  const noteLoss = (
    { op, call, clause, program, outcome, startedAt, endedAt }: Judged,
    isPlain: boolean,
  ): Row | undefined => {
    const own = tallyOf(op.id)
    own.lost += 1
    all.lost += 1
    // Of calls sent at the same time, lost ones end last.
    if (startedAt < own.answeredFrom) return undefined
    for (const [operation, row] of rows) if (operation !== op.id) row.lostOthers += 1
    const row = getOrInsert(rows, op.id, () => rowFrom(startedAt))
    // A target that takes too few connections drops calls at the same time together.
    if ('lost' in outcome && outcome.lost === 'reset' && startedAt < row.over) return undefined
    row.over = endedAt
    row.lost += 1
    if (row.others > row.othersBefore) row.stalls += 1
    row.othersBefore = row.others
    row.isPlain ||= isPlain
    row.clauses.add(clause ?? `${program}`)
    row.shortest = Math.min(row.shortest, lengthOf(call))
    row.mostCame = Math.max(row.mostCame, cameOf(outcome))
    return row
  }

  /** Takes in a call, and reports each operation once that has fallen silent. Replies that are only too long are no deviation. */
  const hear = (judged: Judged): Deviation | undefined => {
    const { op, outcome, role } = judged
    if ('status' in outcome) return void noteAnswer(judged, outcome)
    // A call that was not sent, or reached nobody, tells nothing about the operation.
    if (!mayHaveCome(outcome)) return undefined
    const row = noteLoss(judged, role !== 'probe')
    if (!row) return undefined
    const isEnough = row.lost >= fewestLost && row.others >= fewestOthers && row.isPlain
    const own = tallyOf(op.id)
    const isNarrow = own.answered > 0 && (row.clauses.size < fewestClauses || row.shortest > own.longest)
    if (!isEnough || isNarrow || !isNoChance(row, own) || reasons.has(op.id)) return undefined
    const received = `no reply to ${row.lost} calls in a row, while other calls were answered (the last: ${outcome.detail ?? outcome.lost})`
    const isOnTheWay = isOneOfMany(row, own) || isTooLong(row)
    reasons.set(op.id, `${op.id} gave ${received}`)
    return tellOf(op, outcome.lost, received, isOnTheWay)
  }
  /** Why an operation is not to be called any more; undefined where it may be. */
  const of = (operation: string): string | undefined => reasons.get(operation)
  return { hear, of }
}
