// A change shows only after a while. A run asks again (`oracle/late.ts`); what else tells in recorded traffic: `lag-in-traffic.ts`.

import type { BlankEntry, CallEntry, Entry } from '../../history/entry.js'
import { type Environment, suppositions } from '../../models/language/environment.js'
import type { Operation } from '../../models/language/operation.js'
import type { Deviation } from '../judgement.js'
import type { Observe } from '../shrink.js'
import { type Explanation, isAllowed } from './explanation.js'
import { mayHaveTakenEffect } from './quota-in-traffic.js'

export const lag: Explanation = {
  name: 'lag',
  supposes: suppositions.lag,
  cost: 1,
  refutes:
    'the same call, sent again, does not show it within the time that the target file allows, or shows it by turns',
  bound:
    'in a run, pace.settleMs after the change, and replies that were right before it; in recorded traffic, those that a later like call shows to have been late, others by no more than twice as much, and lists for as long as pace.listLagMs says',
}

/** The choice of how long what an operation changes may not show. */
export const choiceOfLag = (operation: string): string => `${operation}.lag`

/** The longest that a target has promised to take, in milliseconds; no bound where the target file pins none. */
export const promisedMs = ({ pins }: Environment, operation: string): number => {
  const pin = pins[choiceOfLag(operation)]
  return pin === undefined ? Number.POSITIVE_INFINITY : Number(pin)
}

const steps = [10, 30, 100, 300, 1000, 3000, 10_000, 30_000, 60_000]

/** An age as it is observed, so that it differs little from run to run: `within 300 ms`. */
export const within = (ageMs: number): string => {
  const step = steps.find((most) => ageMs <= most)
  return step === undefined ? `later than ${steps.at(-1)} ms` : `within ${step} ms`
}

export const isWrite = (event: Entry): event is CallEntry | BlankEntry =>
  event.kind === 'blank' || (event.kind === 'call' && event.op.method !== 'GET' && mayHaveTakenEffect(event.outcome))

/** When a write was surely over; one without an answer may take effect at any time. */
export const overAt = (event: CallEntry | BlankEntry): number => {
  if (event.kind !== 'call') return event.endedAt
  const { outcome } = event
  const status = 'lost' in outcome ? outcome.replied : outcome.status
  return status === undefined || status >= 500 ? Number.POSITIVE_INFINITY : event.endedAt
}

/** Numbers of the calls whose lists may not show yet what a write of anybody has changed. */
export const laggingOf = (events: readonly Entry[], listLagMs: number): ReadonlySet<number> => {
  const writes = listLagMs > 0 ? events.filter(isWrite) : []
  const isLate = ({ startedAt, endedAt }: CallEntry): boolean =>
    writes.some((write) => write.startedAt <= endedAt && startedAt - overAt(write) <= listLagMs)
  const isList = ({ op: { reply } }: CallEntry): boolean => reply.kind === 'page' || reply.kind === 'records'
  return new Set(events.flatMap((event) => (event.kind === 'call' && isList(event) && isLate(event) ? [event.n] : [])))
}

/** A list that lags teaches nothing of what is there, and only its form can be wrong. */
export const lagging =
  (isLate: ReadonlySet<number>, look: Observe): Observe =>
  (belief, observation, lookup) => {
    const observed = look(belief, observation, lookup)
    const { judgement } = observed
    if (!isLate.has(observation.n) || !('status' in observation.outcome)) return observed
    if (!isAllowed(judgement.world.environment, lag)) return observed
    const deviations = judgement.deviations.filter((one) => isOfForm(one, observation.op))
    const verdict = judgement.verdict === 'finding' && deviations.length === 0 ? 'inconclusive' : judgement.verdict
    const isExcused = deviations.length < judgement.deviations.length
    const assumed = [...(judgement.assumed ?? []), ...(isExcused ? [`${lag.name} ${observation.op.id}`] : [])]
    return { belief, judgement: { ...judgement, deviations, verdict, ...(assumed.length > 0 && { assumed }) } }
  }

/** Whether a deviation of a list has nothing to do with what is there; what a path names may be late as well. */
const isOfForm = ({ clause, kind }: Deviation, { id, params }: Operation): boolean =>
  clause.startsWith(`${id}.reply.`) ||
  ['envelope', 'json', 'page', 'pages', 'page-size', 'no-duplicates'].some((slug) => clause === `${id}.${slug}`) ||
  (Object.keys(params).length === 0 && ['refused', 'accepted', 'server-error'].includes(kind))
