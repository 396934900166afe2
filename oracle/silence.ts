// Tells an operation that gives no reply from a target that gives none: call after call of it is lost, while others are answered; sends nothing.

import { clauseOf } from './due.js'
import { type Deviation, deviation, type Judged } from './judgement.js'

export interface Silences {
  /** Takes in a call; told once of each operation that has fallen silent. Replies that are only too long are no deviation. */
  readonly hear: (judged: Judged) => Deviation | undefined
  /** Why an operation is not to be called any more; undefined where it may be. */
  readonly of: (operation: string) => string | undefined
}

/** Calls of one operation that were lost one after another. */
interface Row {
  lost: number
  /** Calls of others that were answered meanwhile. */
  others: number
  /** Whether any of them was to be accepted. */
  isPlain: boolean
}

interface Tally {
  answered: number
  lost: number
  /** When the latest of the answered calls was sent. */
  answeredFrom: number
}

/** So many have to be lost, however reliable the rest is, and so many others to be answered meanwhile. */
const fewestLost = 4
const fewestOthers = 2
/** How likely it may be that chance lost them all, as it loses others. */
const chance = 1e-6

export const createSilences = (): Silences => {
  const rows = new Map<string, Row>()
  const tallies = new Map<string, Tally>()
  const all: Tally = { answered: 0, lost: 0, answeredFrom: 0 }
  const reasons = new Map<string, string>()

  const isNoChance = ({ lost }: Row, { answered, lost: ownLost }: Tally): boolean => {
    const lostOfOthers = all.lost - ownLost
    const others = all.answered - answered + lostOfOthers
    return ((lostOfOthers + 1) / (others + 2)) ** lost <= chance
  }

  const hear: Silences['hear'] = (judged) => {
    const { op, outcome, role, startedAt } = judged
    // What was not sent, or reached nobody, tells nothing of the operation.
    if ('lost' in outcome && (outcome.lost === 'refused' || outcome.lost === 'tls')) return undefined
    const own = tallies.get(op.id) ?? { answered: 0, lost: 0, answeredFrom: 0 }
    tallies.set(op.id, own)
    if ('status' in outcome) {
      own.answered += 1
      own.answeredFrom = Math.max(own.answeredFrom, startedAt)
      all.answered += 1
      rows.delete(op.id)
      for (const row of rows.values()) row.others += 1
      return undefined
    }
    own.lost += 1
    all.lost += 1
    // Of calls at the same time those that are lost are over last.
    if (startedAt < own.answeredFrom) return undefined
    const row = rows.get(op.id) ?? { lost: 0, others: 0, isPlain: false }
    rows.set(op.id, row)
    row.lost += 1
    row.isPlain ||= role !== 'probe'
    const isSilent = row.lost >= fewestLost && row.others >= fewestOthers && row.isPlain && isNoChance(row, own)
    if (!isSilent || reasons.has(op.id)) return undefined
    const received = `no reply to ${row.lost} calls in a row, while other calls were answered (the last: ${outcome.detail ?? outcome.lost})`
    reasons.set(op.id, `${op.id} gave ${received}`)
    if (outcome.lost === 'too-large') return undefined
    const clause = clauseOf(op, 'accepts')
    return clause && deviation(clause, 'no-reply', 'a reply', received)
  }
  return { hear, of: (operation) => reasons.get(operation) }
}
