// Judges calls of recorded traffic that overlap on a target that may be late: reads among them may show what was before; pure.

import type { CallEntry } from '../history/entry.js'
import type { World } from '../models/language/world.js'
import { type Belief, changing, impatiently, worldOf } from './belief.js'
import type { Judgement } from './judgement.js'
import { asLate } from './observe.js'
import { type JudgedGroup, judgeGroup, type Looks } from './windows.js'

/**
 * No single one of several calls at the same time tells what it did not see, and their changes may show late. A read among them that
 * deviates may be late as well, by what the others or calls before them changed.
 */
export const judgePatiently = (before: Belief, group: readonly CallEntry[], looks: Looks): JudgedGroup => {
  const { past } = before
  if (!past || group.length === 1) return judgeGroup(before, group, looks)
  /** Judges calls as if nothing were late, and notes what they changed, each with the world before it. */
  const judgeSome = (calls: readonly CallEntry[]): JudgedGroup => {
    const judged = judgeGroup(impatiently(before), calls, looks)
    const worldAt = (i: number): World => judged.judgements[i - 1]?.world ?? worldOf(before)
    const belief = judged.calls.reduce<Belief>(
      (after, one, i) =>
        one.op.method !== 'GET' && judged.judgements[i]?.accepted !== false
          ? changing(after, worldAt(i), one.endedAt, one)
          : after,
      { ...judged.belief, past },
    )
    return { ...judged, belief }
  }
  /** Without a read that was late, from which nothing is learnt, another one may deviate that had agreed with it. */
  const judgeRest = (calls: readonly CallEntry[], whole = judgeSome(calls)): JudgedGroup => {
    const odd = whole.calls.flatMap((call, i) => {
      const judgement = whole.judgements[i] as Judgement
      return call.op.method === 'GET' && judgement.deviations.length > 0 ? [{ call, judgement }] : []
    })
    if (odd.length === 0) return whole
    const others = judgeSome(calls.filter((one) => !odd.some(({ call }) => call === one)))
    const late = odd.flatMap(({ call, judgement }) => takenLate(others.belief, call, judgement) ?? [])
    if (late.length === 0) return whole
    const rest = judgeRest(
      calls.filter((one) => !late.some(({ call }) => call === one)),
      late.length === odd.length ? others : undefined,
    )
    return {
      ...rest,
      calls: [...rest.calls, ...late.map(({ call }) => call)],
      judgements: [...rest.judgements, ...late.map(({ judgement }) => judgement)],
    }
  }
  return judgeRest(group)
}

/** A read with its judgement as one that does not show the latest changes; undefined where it shows what never was. */
const takenLate = (belief: Belief, call: CallEntry, told: Judgement) => {
  const changes = belief.past?.changes.filter(({ by }) => (by?.startedAt ?? 0) <= call.endedAt) ?? []
  const past = belief.past && { ...belief.past, changes }
  const judgement = past && asLate({ ...belief, past }, call, told)?.judgement
  return judgement?.late && { call, judgement }
}
