// Decides whether a refused creation of recorded traffic counts. Quotas are not shown, so it counts only if the same is accepted later; nothing is judged here.

import type { CallEntry, Entry } from '../../history/entry.js'
import { operationById } from '../../models/index.js'
import { principal } from '../../models/language/access.js'
import type { AnyTable } from '../../models/language/operation.js'
import { type AnyEntity, isClosed, live, type World } from '../../models/language/world.js'
import type { Trail } from '../found.js'
import type { Deviation, Judged } from '../judgement.js'
import { mayHaveTakenEffect } from '../writes.js'
import { isAllowed } from './explanation.js'
import { mayBeQuota, quota } from './quota.js'

interface Suspect {
  readonly sent: Judged
  readonly refused: readonly Deviation[]
  readonly trail: Trail
}

/** A refused creation that no quota excuses any more. */
export type Convicted = Suspect

/** How creations have fared. */
interface Creations {
  readonly removals: readonly Entry[]
  readonly suspects: readonly Suspect[]
  readonly made: ReadonlySet<AnyTable>
}

export interface QuotaFilter {
  /** Learns of calls that are to be judged. */
  readonly note: (events: readonly Entry[]) => void
  /** What of a step's deviations no quota excuses, and those before it that none excuses any more. */
  readonly hear: (
    step: Judged,
    trailOf: () => Trail,
  ) => { readonly open: readonly Deviation[]; readonly convicted: readonly Convicted[] }
  /** One that goes on from here. */
  readonly fork: () => QuotaFilter
}

/** Quotas are not shown: a refused creation counts only where a plain one is taken later, with nothing removed in between. */
export const createQuotaFilter = (from?: Creations): QuotaFilter => {
  const removals = [...(from?.removals ?? [])]
  let suspects = from?.suspects ?? []
  const made = new Set(from?.made)
  const convictedBy = (event: Judged): readonly Convicted[] => {
    if (event.judgement.accepted !== true || !event.op.makes) return []
    made.add(event.op.makes)
    const guilty = suspects.filter(({ sent }) => isLike(sent, event) && !removedBetween(removals, sent, event))
    suspects = suspects.filter((one) => !guilty.includes(one))
    const because = `step ${event.n} (${event.op.id}) was accepted later, with nothing removed in between`
    const withWhy = (one: Deviation): Deviation => ({ ...one, because: [...one.because, because] })
    return guilty.map((one) => ({ ...one, refused: one.refused.map(withWhy) }))
  }
  const hear: QuotaFilter['hear'] = (step, trailOf) => {
    const { judgement, deviations: spotted, op } = step
    const convicted = convictedBy(step)
    // A quota may count what was made in some time, and is there no more.
    const isFirst = !op.makes || !made.has(op.makes)
    const mayBe = judgement.suspect === true && isAllowed(judgement.world.environment, quota)
    if (!mayBe || (isFirst && isEmpty(judgement.world, step))) return { open: spotted, convicted }
    const refused = spotted.filter(mayBeQuota)
    if (refused.length > 0) suspects = [...suspects, { sent: step, refused, trail: trailOf() }]
    return { open: spotted.filter((entry) => !refused.includes(entry)), convicted }
  }
  const note = (events: readonly Entry[]): void => {
    for (const event of events)
      if (event.kind === 'blank' || (event.kind === 'call' && mayRemove(event))) removals.push(event)
  }
  return { note, hear, fork: () => createQuotaFilter({ removals, suspects, made }) }
}

const mayRemove = ({ op, outcome }: CallEntry): boolean =>
  (op.method === 'DELETE' || op.removes !== undefined || op.id === 'object-storage.cancel') &&
  mayHaveTakenEffect(outcome)

/** Whether the one accepted asks for no more room than the one refused did not get. */
const isLike = (refused: CallEntry, accepted: CallEntry): boolean => {
  const [asked, got] = [refused, accepted].map(({ call }) => membersOf(call.body)) as [Members, Members]
  const isSmaller = sizeOf(asked) <= sizeOf(got)
  const isThere = ['region', 'cluster', 'node_id'].every((name) => asked[name] === got[name])
  return refused.call.as === accepted.call.as && refused.op.id === accepted.op.id && isSmaller && isThere
}

type Members = Readonly<Record<string, unknown>>

const membersOf = (body: unknown): Members => (typeof body === 'object' && body !== null ? (body as Members) : {})

/** GiB; what the document gives by default where none is given. */
const sizeOf = ({ size }: Members): number => (typeof size === 'number' ? size : 20)

const removedBetween = (removals: readonly Entry[], from: CallEntry, to: CallEntry): boolean =>
  removals.some(({ startedAt, endedAt, n }) => endedAt >= from.startedAt && startedAt <= to.endedAt && n !== from.n)

/** Whether nothing that a creation made could fill a quota, as far as all that is there is known. */
const isEmpty = (world: World, { op, call }: CallEntry): boolean => {
  const account = principal(world.environment, call.as).account?.name
  if (!op.makes || !world.environment.exclusive || !isClosed(world, op.makes, account)) return false
  const isMade = ({ since = {} }: AnyEntity): boolean =>
    Object.values(since).some(({ by }) => operationById(by)?.makes === op.makes)
  return !(live(world, op.makes) as readonly AnyEntity[]).some(isMade)
}
