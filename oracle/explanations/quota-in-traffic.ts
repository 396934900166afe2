// Decides whether a refused creation of recorded traffic counts. Quotas are not shown, so it counts only if the same is accepted later; nothing is judged here.

import type { CallEntry, Entry } from '../../history/entry.js'
import { operationById } from '../../models/index.js'
import { principal } from '../../models/language/access.js'
import type { AnyTable } from '../../models/language/operation.js'
import { type AnyEntity, isClosed, live, type World } from '../../models/language/world.js'
import type { Finder, Trail } from '../found.js'
import type { Deviation, Judged } from '../judgement.js'
import { isAllowed } from './explanation.js'
import { mayBeQuota, quota } from './quota.js'

interface Suspect {
  readonly event: CallEntry
  readonly refused: readonly Deviation[]
  readonly trail: Trail
}

/** How creations have fared. */
interface Creations {
  readonly removals: readonly Entry[]
  readonly suspects: readonly Suspect[]
  readonly convicted: ReadonlyMap<number, readonly Deviation[]>
  readonly made: ReadonlySet<AnyTable>
}

export interface QuotaFilter {
  /** Learns of calls that are to be judged. */
  readonly note: (events: readonly Entry[]) => void
  /** What of a step's deviations counts at once. */
  readonly hear: (step: Judged, trailOf: () => Trail) => readonly Deviation[]
  /** The steps with what was held back at first and then counted. */
  readonly close: (steps: readonly Judged[]) => readonly Judged[]
  /** One that goes on from here, and tells another finder. */
  readonly fork: (finder: Finder) => QuotaFilter
}

/** Quotas are not shown: a refused creation counts only where a plain one is taken later, with nothing removed in between. */
export const createQuotaFilter = (finder: Finder, from?: Creations): QuotaFilter => {
  const removals = [...(from?.removals ?? [])]
  let suspects = from?.suspects ?? []
  const convicted = new Map(from?.convicted)
  const made = new Set(from?.made)
  const hear = (step: Judged, trailOf: () => Trail): readonly Deviation[] => {
    const { judgement, deviations: spotted } = step
    const event: CallEntry = step
    if (judgement.accepted === true && event.op.makes) {
      made.add(event.op.makes)
      const guilty = suspects.filter((one) => isLike(one.event, event) && !removedBetween(removals, one.event, event))
      suspects = suspects.filter((one) => !guilty.includes(one))
      for (const one of guilty) {
        const because = `step ${event.n} (${event.op.id}) was accepted later, with nothing removed in between`
        const deviations = one.refused.map((entry) => ({ ...entry, because: [...entry.because, because] }))
        convicted.set(one.event.n, deviations)
        finder.add(deviations, () => one.trail)
      }
    }
    // A quota may count what was made in some time, and is there no more.
    const isFirst = !event.op.makes || !made.has(event.op.makes)
    const mayBe = judgement.suspect === true && isAllowed(judgement.world.environment, quota)
    if (!mayBe || (isFirst && isEmpty(judgement.world, event))) return spotted
    const refused = spotted.filter(mayBeQuota)
    if (refused.length > 0) suspects = [...suspects, { event, refused, trail: trailOf() }]
    return spotted.filter((entry) => !refused.includes(entry))
  }
  const close = (steps: readonly Judged[]): readonly Judged[] =>
    steps.map((step) => {
      const more = convicted.get(step.n)
      return more ? { ...step, verdict: 'finding', deviations: [...more, ...step.deviations] } : step
    })
  const note = (events: readonly Entry[]): void => {
    for (const event of events)
      if (event.kind === 'blank' || (event.kind === 'call' && mayRemove(event))) removals.push(event)
  }
  return { note, hear, close, fork: (other) => createQuotaFilter(other, { removals, suspects, convicted, made }) }
}

const mayRemove = ({ op, outcome }: CallEntry): boolean =>
  (op.method === 'DELETE' || op.removes !== undefined || op.id === 'object-storage.cancel') &&
  mayHaveTakenEffect(outcome)

/** Whether a write may have changed something: only a plain refusal says that it did not. */
export const mayHaveTakenEffect = (outcome: CallEntry['outcome']): boolean =>
  'lost' in outcome || outcome.status < 400 || outcome.status >= 500

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
