// Decides whether a refused creation of recorded traffic counts: only if a like one is accepted later, since quotas are not shown.

import type { CallEntry, Entry } from '../../history/entry.js'
import { operationById } from '../../models/index.js'
import { accountOf } from '../../models/language/access.js'
import { isObject } from '../../models/language/objects.js'
import type { AnyTable } from '../../models/language/operation.js'
import { type AnyEntity, isClosed, live, type World } from '../../models/language/world.js'
import { forked } from '../forked.js'
import type { Trail } from '../found.js'
import { assuming, type Deviation, type Judged, withReasons } from '../judgement.js'
import { mayHaveTakenEffect } from '../writes.js'
import { isAllowed, traceOf } from './explanation.js'
import { mayBeQuota, placeIn, quota } from './quota.js'

/** A refused creation for which a quota may be the reason. */
export interface RefusedCreation {
  readonly sent: Judged
  readonly refused: readonly Deviation[]
  readonly trail: Trail
}

/** How creations have fared. */
const noCreations = () => ({
  removals: [] as Entry[],
  suspects: [] as readonly RefusedCreation[],
  made: new Set<AnyTable>(),
})

/** A refused creation counts only if a like one is accepted later, with nothing removed in between. */
export const createQuotaFilter = (state = noCreations()) => {
  const { removals, made } = state
  const unexcusedBy = (event: Judged): readonly RefusedCreation[] => {
    if (event.judgement.accepted !== true || !event.op.makes) return []
    made.add(event.op.makes)
    const like = state.suspects.filter(({ sent }) => isLike(sent, event) && !removedBetween(removals, sent, event))
    state.suspects = state.suspects.filter((one) => !like.includes(one))
    const text = `step ${event.n} (${event.op.id}) was accepted later, with nothing removed in between`
    const why = { text, step: event.n, by: event.op.id }
    return like.map((one) => ({ ...one, refused: one.refused.map((refusal) => withReasons(refusal, why)) }))
  }
  return {
    /** Learns of calls that are to be judged. */
    note: (events: readonly Entry[]): void => {
      for (const event of events)
        if (event.kind === 'blank' || (event.kind === 'call' && mayRemove(event))) removals.push(event)
    },
    /** The deviations of a step that no quota excuses, and earlier ones that no quota excuses any more. */
    hear: (step: Judged, trailOf: () => Trail) => {
      const { judgement, deviations: spotted, op } = step
      const unexcused = unexcusedBy(step)
      // A quota may count creations in a period, including entities that are gone.
      const isFirst = !op.makes || !made.has(op.makes)
      const mayBe = judgement.suspect === true && isAllowed(judgement.world.environment, quota)
      if (!mayBe || (isFirst && isEmpty(judgement.world, step))) return { open: spotted, unexcused }
      const refused = spotted.filter(mayBeQuota)
      if (refused.length > 0) state.suspects = [...state.suspects, { sent: step, refused, trail: trailOf() }]
      return { open: spotted.filter((entry) => !refused.includes(entry)), unexcused }
    },
    /** The steps, with what was assumed of the refusals that a quota excuses to the end. */
    close: (steps: readonly Judged[]): readonly Judged[] => {
      const excused = new Set(state.suspects.map(({ sent }) => sent.n))
      return steps.map((step) =>
        excused.has(step.n) ? { ...step, judgement: assuming(step.judgement, traceOf(quota, step.op.id)) } : step,
      )
    },
    fork: () => createQuotaFilter(forked(state)),
  }
}

const mayRemove = ({ op, outcome }: CallEntry): boolean =>
  (op.method === 'DELETE' || op.removes !== undefined || op.endsAll === true) && mayHaveTakenEffect(outcome)

/** Whether the accepted call asks for at least as much room as the refused one, in the same place. */
const isLike = (refused: CallEntry, accepted: CallEntry): boolean => {
  const { op } = refused
  if (accepted.op !== op || accepted.call.as !== refused.call.as) return false
  const [asked, got] = [refused.call.body, accepted.call.body]
  const isSmaller = op.room === undefined || op.room(asked) <= op.room(got)
  return isSmaller && placeIn(asked) === placeIn(got) && nodeIn(asked) === nodeIn(got)
}

const nodeIn = (body: unknown): unknown => (isObject(body) ? body.node_id : undefined)

const removedBetween = (removals: readonly Entry[], from: CallEntry, to: CallEntry): boolean =>
  removals.some(({ startedAt, endedAt, n }) => endedAt >= from.startedAt && startedAt <= to.endedAt && n !== from.n)

/** Whether surely nothing exists that was created and could fill a quota. */
const isEmpty = (world: World, { op, call }: CallEntry): boolean => {
  const account = accountOf(world.environment, call.as)
  if (!op.makes || !world.environment.exclusive || !isClosed(world, op.makes, account)) return false
  const isMade = ({ since = {} }: AnyEntity): boolean =>
    Object.values(since).some(({ by }) => operationById(by)?.makes === op.makes)
  return !live(world, op.makes).some(isMade)
}
