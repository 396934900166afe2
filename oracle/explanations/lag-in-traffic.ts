// In recorded traffic late reads are not sent again. A later like call of the recording tells whether a read was late.

import type { Operation } from '../../models/language/operation.js'
import { changing, impatiently, type Observe, observe, worldOf } from '../belief.js'
import type { Trail } from '../found.js'
import { areIndependent } from '../independence.js'
import type { Deviation, Judged, Late } from '../judgement.js'
import { caughtUp } from '../late.js'
import { isTraceOf } from './explanation.js'
import { lag } from './lag.js'

/** Takes a reply for late if nothing else explains it and it is right in the world before the latest changes. */
export const lateAtLast =
  (look: Observe): Observe =>
  (belief, observation) => {
    const { past } = belief
    const plain = look(impatiently(belief), observation)
    if (!past) return plain
    const { op, endedAt } = observation
    const { deviations, accepted } = plain.judgement
    const mayBeLate = deviations.length > 0 && (past.longestMs > 0 || !deviations.every((one) => isOfShown(one, op)))
    const late = mayBeLate ? observe(belief, observation) : undefined
    if (late?.judgement.late)
      return { ...late, judgement: { ...late.judgement, late: { ...late.judgement.late, hidden: deviations } } }
    const after = { ...plain.belief, past: caughtUp(past, observation, plain.judgement) }
    const isChange = op.method !== 'GET' && accepted !== false
    return { ...plain, belief: isChange ? changing(after, worldOf(belief), endedAt, observation) : after }
  }

/** Whether an earlier look has shown the change. If none has, the change itself is blamed. */
const isOfShown = ({ clause }: Deviation, { id }: Operation): boolean => clause.startsWith(`${id}.shows.`)

/** A step that may be late, held back. */
export interface Held<C> {
  readonly step: Judged
  readonly context: C
}

export interface LagFilter<C> {
  /** Takes in a step. Returns the steps, this one included, that cannot be late any more. */
  readonly hear: (step: Judged, context: C) => readonly Held<C>[]
  /** At the end: the steps that nothing has shown to be late. */
  readonly rest: () => readonly Held<C>[]
  readonly fork: () => LagFilter<C>
}

/** The longest time that a change is waited for. */
const longestMs = 60_000

/** A target that has been late once may be late again, by somewhat more. */
const slack = 2

/** The most writes that are remembered as possible reasons why a call shows something else than before. */
const mostWrites = 256

interface Known<C> {
  readonly waiting: ReadonlyMap<string, readonly Held<C>[]>
  readonly left: readonly Held<C>[]
  readonly writes: readonly Judged[]
  readonly lagMs: number
}

const ageOf = ({ judgement }: Judged): number => judgement.late?.ageMs ?? 0

export const createLagFilter = <C>(from?: Known<C>): LagFilter<C> => {
  const waiting = new Map(from?.waiting)
  let { left, writes, lagMs } = from ?? { left: [], writes: [], lagMs: 0 }
  /** What was late shows in the same call, and nothing that was sent since is why. */
  const seen = (held: readonly Held<C>[], step: Judged): void => {
    for (const one of held)
      if (writes.some((write) => write.startedAt >= one.step.startedAt && !areIndependent(write, step)))
        left = [...left, one]
      else lagMs = Math.max(lagMs, ageOf(one.step))
  }
  const hear: LagFilter<C>['hear'] = (step, context) => {
    const { op, call, judgement } = step
    if (op.method !== 'GET' && judgement.accepted !== false) writes = [...writes.slice(1 - mostWrites), step]
    const name = `${call.method} ${call.url} ${call.as}`
    const held = waiting.get(name) ?? []
    if (judgement.late && judgement.late.ageMs <= longestMs) {
      waiting.set(name, [...held, { step, context }])
      return []
    }
    if (judgement.late) {
      waiting.delete(name)
      return firstOfEach([...held, { step, context }])
    }
    if (held.length > 0 && judgement.verdict !== 'inconclusive') {
      waiting.delete(name)
      seen(held, step)
    }
    return []
  }
  const isTold = (step: Judged): boolean => lagMs === 0 || ageOf(step) > slack * lagMs
  return {
    hear,
    rest: () => firstOfEach([...left, ...[...waiting.values()].flat()].filter(({ step }) => isTold(step))),
    fork: () => createLagFilter({ waiting: new Map(waiting), left, writes, lagMs }),
  }
}

/** Of those that do not show the same change the first: none taught anything, so that the others follow from that. */
const firstOfEach = <C>(held: readonly Held<C>[]): readonly Held<C>[] => {
  const first = new Map<string, Held<C>>()
  for (const one of [...held].sort((a, b) => a.step.n - b.step.n)) {
    const { by, changedAt } = one.step.judgement.late as Late
    const change = `${by} ${changedAt}`
    if (!first.has(change)) first.set(change, one)
  }
  return [...first.values()]
}

/** The step as it is if nothing is late. */
export const timely = (step: Judged): Judged => {
  const { late, ...judgement } = step.judgement
  const deviations = late?.hidden ?? []
  const assumed = judgement.assumed?.filter((trace) => !isTraceOf(trace, lag))
  return {
    ...step,
    deviations,
    judgement: { ...judgement, deviations, ...(assumed && { assumed }), verdict: 'finding' },
    verdict: 'finding',
  }
}

/** The calls up to a step, which deviates. */
export const trailTo = (trail: Trail, step: Judged): Trail => ({
  ...trail,
  steps: [...trail.steps.filter(({ n }) => n < step.n), step],
})
