// Finds lists of recorded traffic that need not show a write yet, by the time that the target file allows.

import type { CallEntry, Entry } from '../../history/entry.js'
import { isListed, type Operation } from '../../models/language/operation.js'
import type { Observe } from '../belief.js'
import { isOneOf } from '../clauses.js'
import { readCall } from '../facts.js'
import type { Deviation, Judgement } from '../judgement.js'
import { mayBeMiscounted } from '../page.js'
import { isWrite, overAt } from '../writes.js'
import { excusing, isAllowed, traceOf } from './explanation.js'
import { lag } from './lag.js'

/** Numbers of the calls whose lists need not show some writes of any party yet, with how many these are. */
export const laggingOf = (events: readonly Entry[], listLagMs: number): ReadonlyMap<number, number> => {
  const writes = listLagMs > 0 ? events.filter(isWrite) : []
  const lateFor = ({ startedAt, endedAt }: CallEntry): number =>
    writes.filter((write) => write.startedAt <= endedAt && startedAt - overAt(write) <= listLagMs).length
  return new Map(
    events.flatMap((event) => {
      const late = event.kind === 'call' && isListed(event.op.reply) ? lateFor(event) : 0
      return late > 0 ? [[event.n, late] as const] : []
    }),
  )
}

/** A late list teaches nothing about what exists, and only its form can be wrong. */
export const lagging =
  (lateOf: ReadonlyMap<number, number>, look: Observe): Observe =>
  (belief, observation) => {
    const observed = look(belief, observation)
    const { judgement } = observed
    const { op, call, outcome } = observation
    const late = lateOf.get(observation.n)
    if (late === undefined || !('status' in outcome)) return observed
    if (!isAllowed(judgement.world.environment, lag)) return observed
    const isCounted = !mayBeMiscounted(op, readCall(judgement.world, op, call), outcome.body, late)
    const isExcused = (one: Deviation): boolean => !isOfForm(one, op) && !(isCounted && isOfCount(one))
    const left = excusing(judgement, isExcused, traceOf(lag, op.id), 'inconclusive')
    return { belief, judgement: withoutHidden(left, isExcused) }
  }

/** What is excused need not show later, by a like call, that it was late. */
const withoutHidden = (judgement: Judgement, isExcused: (deviation: Deviation) => boolean): Judgement => {
  const { late: held, ...rest } = judgement
  if (!held) return judgement
  const hidden = held.hidden.filter((one) => !isExcused(one))
  return hidden.length > 0 ? { ...rest, late: { ...held, hidden } } : rest
}

/** Whether a deviation of a list is independent of what exists. An entity that the path names may be late as well. */
const isOfForm = ({ clause, kind }: Deviation, { id, params }: Operation): boolean =>
  clause.startsWith(`${id}.reply.`) ||
  ['envelope', 'json', 'page', 'no-duplicates'].some((slug) => clause === `${id}.${slug}`) ||
  (Object.keys(params).length === 0 && ['refused', 'accepted', 'server-error'].includes(kind))

/** What the number of records tells may be late by itself. */
const isOfCount = ({ clause }: Deviation): boolean => isOneOf(clause, 'pages', 'page-size')
