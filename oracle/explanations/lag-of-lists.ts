// Finds lists of recorded traffic that need not show a write yet, by the time that the target file allows.

import type { CallEntry, Entry } from '../../history/entry.js'
import type { Operation } from '../../models/language/operation.js'
import type { Observe } from '../belief.js'
import { assuming, type Deviation, type Judgement } from '../judgement.js'
import { isWrite, overAt } from '../writes.js'
import { isAllowed } from './explanation.js'
import { lag } from './lag.js'

/** Numbers of the calls whose lists need not show some write of any party yet. */
export const laggingOf = (events: readonly Entry[], listLagMs: number): ReadonlySet<number> => {
  const writes = listLagMs > 0 ? events.filter(isWrite) : []
  const isLate = ({ startedAt, endedAt }: CallEntry): boolean =>
    writes.some((write) => write.startedAt <= endedAt && startedAt - overAt(write) <= listLagMs)
  const isList = ({ op: { reply } }: CallEntry): boolean => reply.kind === 'page' || reply.kind === 'records'
  return new Set(events.flatMap((event) => (event.kind === 'call' && isList(event) && isLate(event) ? [event.n] : [])))
}

/** A late list teaches nothing about what exists, and only its form can be wrong. */
export const lagging =
  (isLate: ReadonlySet<number>, look: Observe): Observe =>
  (belief, observation) => {
    const observed = look(belief, observation)
    const { judgement } = observed
    if (!isLate.has(observation.n) || !('status' in observation.outcome)) return observed
    if (!isAllowed(judgement.world.environment, lag)) return observed
    const deviations = judgement.deviations.filter((one) => isOfForm(one, observation.op))
    const verdict = judgement.verdict === 'finding' && deviations.length === 0 ? 'inconclusive' : judgement.verdict
    const isExcused = deviations.length < judgement.deviations.length
    const left: Judgement = { ...judgement, deviations, verdict }
    return { belief, judgement: isExcused ? assuming(left, `${lag.name} ${observation.op.id}`) : left }
  }

/** Whether a deviation of a list is independent of what exists. An entity that the path names may be late as well. */
const isOfForm = ({ clause, kind }: Deviation, { id, params }: Operation): boolean =>
  clause.startsWith(`${id}.reply.`) ||
  ['envelope', 'json', 'page', 'pages', 'page-size', 'no-duplicates'].some((slug) => clause === `${id}.${slug}`) ||
  (Object.keys(params).length === 0 && ['refused', 'accepted', 'server-error'].includes(kind))
