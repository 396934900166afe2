// Counts what was assumed in the target's favour; not what the same look, sent again, then showed to be wrong.

import type { RecordLine } from '../history/record.js'
import { getOrInsert } from '../models/language/get-or-insert.js'

type Step = Extract<RecordLine, { readonly type: 'step' }>

export interface AssumptionTally {
  /** Explanation to how often it was assumed, and its first instance. */
  readonly counts: Map<string, { times: number; readonly text: string }>
  /** What is assumed of looks that are still undecided. */
  readonly open: Map<string, readonly string[]>
}

export const emptyAssumptions = (): AssumptionTally => ({ counts: new Map(), open: new Map() })

/** By the name that comes first, as in `drift volumes 7 status`: what it was assumed of stands behind it. */
export const noteAssumed = ({ counts }: AssumptionTally, assumed: readonly string[]): void => {
  for (const text of assumed) {
    const [explanation = text] = /^[\w-]+/.exec(text) ?? []
    getOrInsert(counts, explanation, () => ({ times: 0, text })).times += 1
  }
}

export const noteAssumptions = (tally: AssumptionTally, step: Step): void => {
  const { assumed = [], verdict, instance, call } = step
  if (instance === undefined || call.method !== 'GET') {
    noteAssumed(tally, assumed)
    return
  }
  const look = `${instance} ${call.as} ${call.url}`
  const before = tally.open.get(look) ?? []
  if (verdict === 'inconclusive' && assumed.length > 0) {
    tally.open.set(look, [...before, ...assumed])
    return
  }
  tally.open.delete(look)
  noteAssumed(tally, verdict === 'finding' ? assumed : [...before, ...assumed])
}

/** All that was assumed and not refuted. */
export const assumptionsOf = (tally: AssumptionTally): AssumptionTally['counts'] => {
  const all = { ...tally, counts: new Map([...tally.counts].map(([name, count]) => [name, { ...count }])) }
  for (const assumed of tally.open.values()) noteAssumed(all, assumed)
  return all.counts
}
