// Detects an operation that never replies: its calls are lost one after another while other calls are answered; sends nothing.

import { mayHaveCome } from '../history/outcomes.js'
import type { Outcome } from '../history/wire.js'
import type { Operation } from '../models/language/operation.js'
import { clauseOf } from './clauses.js'
import { type Deviation, deviation, type Judged } from './judgement.js'
import { createLosses, type Row, type Tally } from './losses.js'

type Lost = Extract<Outcome, { readonly lost: string }>

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

/**
 * A network that takes its time, or ends a connection after so many bytes, lets through no reply as long as these are. It ends all of them
 * where it ended one; where time is short, less of one may have come than of another.
 */
const isTooLong = ({ came }: Row, { lost, longestWhole }: Lost): boolean =>
  longestWhole !== undefined && came.length > 0 && (lost === 'timeout' ? Math.max : Math.min)(...came) > longestWhole

export const createMutes = () => {
  const losses = createLosses()
  const { all } = losses
  /** By operation, why it is not called any more, and whether that is a finding. */
  const mutes = new Map<string, { readonly reason: string; readonly isFound: boolean }>()

  /** Calls are lost more often at some times than at others, for example when too many are sent at a time. */
  const isNoChance = ({ stalls, others, lostOthers }: Row, own: Tally): boolean => {
    const ever = shareOf(all.lost - own.lost, all.answered - own.answered)
    const meanwhile = lostOthers === 0 ? 0 : shareOf(lostOthers, others)
    return Math.max(ever, meanwhile) ** stalls <= chance
  }

  /** Calls of those that are mute do not count: they were lost for a reason of their own. */
  const isOneOfMany = ({ others, lostOthers }: Row, own: Tally): boolean => {
    const ofMutes = [...mutes.keys()].reduce((sum, id) => sum + losses.of(id).lost, 0)
    const lost = all.lost - own.lost - ofMutes
    return lost > mostShare * (lost + all.answered - own.answered) || lostOthers > mostShare * (others + lostOthers)
  }

  /** Takes in a call, and reports each operation once that is mute, unless what stands before the target may be the reason. */
  const hear = (judged: Judged): Deviation | undefined => {
    const { op, outcome } = judged
    if ('status' in outcome) return void losses.noteAnswer(judged)
    // A call that was not sent, or reached nobody, tells nothing about the operation.
    if (!mayHaveCome(outcome)) return undefined
    const row = losses.noteLoss(judged)
    if (!row) return undefined
    const isEnough = row.lost >= fewestLost && row.others >= fewestOthers && row.isPlain && !losses.isOfWritesAlone(row)
    const own = losses.of(op.id)
    const isNarrow = own.answered > 0 && (row.clauses.size < fewestClauses || row.shortest > own.longest)
    if (!isEnough || isNarrow || !isNoChance(row, own) || mutes.has(op.id)) return undefined
    const received = `no reply to ${row.lost} calls in a row, while other calls were answered (the last: ${outcome.detail ?? outcome.lost})`
    const told = tellOf(op, outcome.lost, received, isOneOfMany(row, own) || isTooLong(row, outcome))
    mutes.set(op.id, { reason: `${op.id} gave ${received}`, isFound: told !== undefined })
    return told
  }
  /** Why an operation is not to be called any more; undefined where it may be. */
  const of = (operation: string): string | undefined => mutes.get(operation)?.reason
  /** Why nothing is judged by an operation, though that is no finding; undefined where it is one, or the operation replies. */
  const unjudged = (operation: string): string | undefined => {
    const mute = mutes.get(operation)
    return mute?.isFound === false ? mute.reason : undefined
  }
  return { hear, of, unjudged }
}
