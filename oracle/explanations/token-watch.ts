// Follows which operations and addresses refuse a token that all others take: a token that has expired is refused by all of them.

import type { CallEntry, Entry } from '../../history/entry.js'
import { isAccepted } from '../../history/outcomes.js'
import { unknownToken } from '../../models/language/access.js'
import { getOrInsert } from '../../models/language/get-or-insert.js'

/** Whether a token was good when the call of that number was refused it. */
export type IsAlone = (n: number) => boolean

/** Refusals of one operation or address, without an answer of another kind between them. */
interface Row {
  /** Those before which the token was taken elsewhere. */
  count: number
  /** How many calls with the token were answered, and taken, up to the last that counts. */
  answered: number
  taken: number
  /** The greatest common divisor of the calls from one that counts to the next; 0 of a single one. */
  pace: number
}

interface Known {
  answered: number
  taken: number
  refused: number
  readonly rows: Map<string, Row>
}

/** Less likely than this is no chance. */
const chance = 1e-9
/** The most rows of a token that are followed at a time. */
const mostRows = 256

export const createTokenWatch = (tokens = new Map<string, Known>(), alone = new Set<number>()) => {
  const hear = (as: string, { n, op: { id }, call: { method, url }, outcome }: CallEntry): void => {
    if ('lost' in outcome || outcome.status >= 500) return
    const known = getOrInsert(tokens, as, () => ({ answered: 0, taken: 0, refused: 0, rows: new Map() }))
    const isRefused = outcome.status === 401
    known.answered += 1
    known.refused += Number(isRefused)
    known.taken += Number(isAccepted(outcome))
    for (const name of [id, `${method} ${url}`])
      if (!isRefused) known.rows.delete(name)
      else if (isChanceless(known, counted(known, name))) alone.add(n)
  }
  return {
    /** Takes in events in the order of sending. */
    note: (events: readonly Entry[]): void => {
      for (const event of events)
        if (event.kind === 'call' && event.call.as !== null && event.call.as !== unknownToken)
          hear(event.call.as, event)
    },
    isAlone: (n: number): boolean => alone.has(n),
    fork: () =>
      createTokenWatch(
        new Map([...tokens].map(([as, known]) => [as, { ...known, rows: copied(known.rows) }])),
        new Set(alone),
      ),
  }
}

const copied = (rows: Known['rows']): Known['rows'] => new Map([...rows].map(([name, row]) => [name, { ...row }]))

/** The row with one more refusal. */
const counted = ({ answered, taken, rows }: Known, name: string): Row => {
  const row = rows.get(name) ?? { count: 0, answered, taken: 0, pace: 0 }
  rows.delete(name)
  rows.set(name, row)
  for (const oldest of rows.keys()) {
    if (rows.size <= mostRows) break
    rows.delete(oldest)
  }
  if (taken === row.taken) return row
  row.count += 1
  row.pace = divisorOf(row.pace, answered - row.answered)
  row.answered = answered
  row.taken = taken
  return row
}

const divisorOf = (a: number, b: number): number => (b === 0 ? a : divisorOf(b, a % b))

/**
 * Whether it is no chance that so many of the calls that were refused are in one row, if each of all was as likely to be. At an even pace
 * one of several servers that take turns may not know the token.
 */
const isChanceless = ({ answered, refused }: Known, { count, pace }: Row): boolean => {
  let likely = 1
  for (let i = 0; i < count; i += 1) likely *= (refused - i) / (answered - i)
  return pace === 1 && likely < chance
}
