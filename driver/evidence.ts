// What a run has shown so far: which clauses held and how often, and what the target chose; each is recorded when it first appears.

import { countedAs, countedUnder } from '../oracle/clauses.js'
import type { SessionOptions } from './session.js'

/** Counts of what held are written when they first appear, then at every tenfold, and when the session closes. */
const isRound = (count: number): boolean => count === 1 || (count % 10 === 0 && Number.isInteger(Math.log10(count)))

/** Counts what held, and notes choices once a value. */
export const createEvidence = (emit: SessionOptions['emit']) => {
  const counts = new Map<string, number>()
  const seen = new Set<string>()
  return {
    hold: (clauses: readonly string[], step: number): void => {
      for (const id of clauses) {
        const count = (counts.get(id) ?? 0) + 1
        counts.set(id, count)
        const times = count === 1 ? 1 : count - count / 10
        if (isRound(count)) for (const clause of countedUnder(id)) emit({ type: 'exercised', clause, step, times })
      }
    },
    choose: (id: string, value: string, step: number): void => {
      const key = `${id} ${value}`
      if (seen.has(key)) return
      seen.add(key)
      emit({ type: 'choice', id, value, step })
    },
    isHeld: (clause: string): boolean => counts.has(countedAs(clause)),
  }
}
