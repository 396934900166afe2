// What judging recorded calls yields, and the smallest program of a deviation among them; how they are judged is decided elsewhere.

import type { RecordedCall, RecordedEvent } from '../history/recording.js'
import { operationById } from '../models/index.js'
import { principal } from '../models/language/access.js'
import type { AnyTable } from '../models/language/operation.js'
import { type AnyEntity, isClosed, live, type World } from '../models/language/world.js'
import { type Belief, type Observation, worldOf } from './belief.js'
import type { Deviation, Judgement } from './judgement.js'
import { findingIdOf, type Observe, shows, shrink } from './shrink.js'

/** A recorded call with its new judgement. */
export interface Rejudged {
  readonly event: RecordedCall
  readonly judgement: Judgement
  /** As in the judgement, but for refusals behind which a quota may be. */
  readonly verdict: Judgement['verdict']
  readonly deviations: readonly Deviation[]
}

/** A deviation with the recorded calls that show it, the last of which deviates. */
export interface Found {
  readonly id: string
  readonly deviation: Deviation
  readonly steps: readonly Rejudged[]
  readonly shrunkFrom: number
}

export interface RejudgedRecording {
  readonly steps: readonly Rejudged[]
  readonly found: readonly Found[]
  /** Numbers of calls that could not be judged since too many overlapped. */
  readonly unordered: readonly number[]
}

export const observationOf = ({ op, call, outcome, n }: RecordedCall): Observation => ({ op, call, outcome, n })

/** Takes in whatever was recorded: a call or reply that the suite stumbles over is its own defect, and counts as lost. */
export const guarded =
  (look: Observe): Observe =>
  (belief, observation, lookup) => {
    try {
      return look(belief, observation, lookup)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      const text = `suite defect: ${observation.op.id} cannot be judged at step ${observation.n} (${why})`
      // What it did is not known, so nothing that follows can be held against it.
      return { belief: { ...belief, overflow: true }, judgement: { ...undecided(belief), defects: [text] } }
    }
  }

/** Of a call that could not be judged. */
export const undecided = (belief: Belief): Judgement => ({
  expects: 'either',
  verdict: 'inconclusive',
  deviations: [],
  accepted: undefined,
  world: worldOf(belief),
  possible: [],
  held: [],
  choices: [],
})

/** What a step is told from: the belief that its program began with, what happened since, and how that was taken in. */
export interface Trail {
  readonly start: Belief
  readonly steps: readonly Rejudged[]
  readonly look: Observe
}

type Step = Rejudged & Observation

const longestTail = 2048
const unshrunkTail = 20

/**
 * The fewest calls that show the deviation of the last one; the latest ones where no part of them shows it alone. The call
 * with that number is kept, since its doing it is.
 */
const minimal = (trail: Trail, findingId: string, doer?: number): readonly Rejudged[] => {
  const fewest = shrunk(trail, findingId)
  const kept = trail.steps.find(({ event }) => event.n === doer)
  return !kept || fewest.some(({ event }) => event.n === doer)
    ? fewest
    : trail.steps.filter((one) => one === kept || fewest.some(({ event }) => event.n === one.event.n))
}

const shrunk = ({ start, steps, look }: Trail, findingId: string): readonly Rejudged[] => {
  const all: readonly Step[] = steps.map((one) => ({ ...one, ...observationOf(one.event) }))
  const does = (part: readonly Step[]): boolean => shows(start, part, findingId, operationById, look)
  for (let size = 8; ; size *= 4) {
    const tail = all.slice(-size)
    if (does(tail)) {
      const near = related(tail)
      return shrink(start, near.length < tail.length && does(near) ? near : tail, findingId, operationById, look)
    }
    if (size >= all.length || size >= longestTail) return steps.slice(-unshrunkTail)
  }
}

const namesOf = ({ call, judgement }: Step): readonly string[] => [
  ...Object.values(call.path),
  ...(judgement.made === undefined ? [] : [judgement.made]),
  ...(typeof call.body === 'object' && call.body !== null ? Object.values(call.body).map(String) : []),
]

/** Steps that name or make something that the last one names. */
const related = (steps: readonly Step[]): readonly Step[] => {
  const last = steps.at(-1)
  const names = new Set(last ? namesOf(last) : [])
  return steps.filter((one) => one === last || namesOf(one).some((name) => names.has(name)))
}

/** Findings of a recording, each told once, from the first call that shows it. */
export const createFinder = () => {
  const found = new Map<string, Found>()
  const add = (deviations: readonly Deviation[], trailOf: () => Trail, doer?: number): void => {
    for (const deviation of deviations) {
      const id = findingIdOf(deviation)
      if (found.has(id)) continue
      const trail = trailOf()
      const steps = minimal(trail, findingIdOf(judgedAs(deviation, trail)), doer)
      found.set(id, { id, deviation, steps, shrunkFrom: trail.steps.length })
    }
  }
  return { add, all: (): readonly Found[] => [...found.values()] }
}

/** The judge's own words for a deviation that is laid to another call or clause. */
const judgedAs = (deviation: Deviation, { steps }: Trail): Deviation =>
  steps
    .at(-1)
    ?.judgement.deviations.find(
      ({ received, expected }) => received === deviation.received && expected === deviation.expected,
    ) ?? deviation

/** Without the deviations that are held back, a step that showed nothing else decides nothing. */
export const verdictOf = ({ judgement }: Rejudged, left: number): Rejudged['verdict'] =>
  judgement.verdict === 'finding' && left === 0 ? 'inconclusive' : judgement.verdict

interface Suspect {
  readonly event: RecordedCall
  readonly refused: readonly Deviation[]
  readonly trail: Trail
}

const isUnexplained = ({ kind, clause, operation }: Deviation): boolean =>
  (kind === 'refused' && clause === `${operation}.accepts`) ||
  kind === 'refused-within' ||
  clause === `${operation}.refusal.field`

/** Quotas are not shown: a refused creation counts only where a plain one is taken later, with nothing removed in between. */
export const createQuotaFilter = (events: readonly RecordedEvent[], finder: ReturnType<typeof createFinder>) => {
  const removals = events.filter((event) => event.kind === 'blank' || (event.kind === 'call' && mayRemove(event)))
  let suspects: readonly Suspect[] = []
  const convicted = new Map<number, readonly Deviation[]>()
  const made = new Set<AnyTable>()
  const hear = ({ event, judgement, deviations: spotted }: Rejudged, trailOf: () => Trail): readonly Deviation[] => {
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
    if (judgement.suspect !== true || (isFirst && isEmpty(judgement.world, event))) return spotted
    const refused = spotted.filter(isUnexplained)
    if (refused.length > 0) suspects = [...suspects, { event, refused, trail: trailOf() }]
    return spotted.filter((entry) => !refused.includes(entry))
  }
  /** The steps with what was held back at first and then counted. */
  const close = (steps: readonly Rejudged[]): readonly Rejudged[] =>
    steps.map((step) => {
      const more = convicted.get(step.event.n)
      return more ? { ...step, verdict: 'finding', deviations: [...more, ...step.deviations] } : step
    })
  return { hear, close }
}

const mayRemove = ({ op, outcome }: RecordedCall): boolean =>
  (op.method === 'DELETE' || op.removes !== undefined || op.id === 'object-storage.cancel') &&
  mayHaveTakenEffect(outcome)

/** Whether a write may have changed something: only a plain refusal says that it did not. */
export const mayHaveTakenEffect = (outcome: RecordedCall['outcome']): boolean =>
  'lost' in outcome || outcome.status < 400 || outcome.status >= 500

/** Whether the one accepted asks for no more room than the one refused did not get. */
const isLike = (refused: RecordedCall, accepted: RecordedCall): boolean => {
  const [asked, got] = [refused, accepted].map(({ call }) => membersOf(call.body)) as [Members, Members]
  const isSmaller = sizeOf(asked) <= sizeOf(got)
  const isThere = ['region', 'cluster', 'node_id'].every((name) => asked[name] === got[name])
  return refused.call.as === accepted.call.as && refused.op.id === accepted.op.id && isSmaller && isThere
}

type Members = Readonly<Record<string, unknown>>

const membersOf = (body: unknown): Members => (typeof body === 'object' && body !== null ? (body as Members) : {})

/** GiB; what the document gives by default where none is given. */
const sizeOf = ({ size }: Members): number => (typeof size === 'number' ? size : 20)

const removedBetween = (removals: readonly RecordedEvent[], from: RecordedCall, to: RecordedCall): boolean =>
  removals.some(
    ({ startedAt, endedAt, ...removal }) =>
      endedAt >= from.startedAt && startedAt <= to.endedAt && !('n' in removal && removal.n === from.n),
  )

/** Whether nothing that a creation made could fill a quota, as far as all that is there is known. */
const isEmpty = (world: World, { op, call }: RecordedCall): boolean => {
  const account = principal(world.environment, call.as).account?.name
  if (!op.makes || !world.environment.exclusive || !isClosed(world, op.makes, account)) return false
  const isMade = ({ since = {} }: AnyEntity): boolean =>
    Object.values(since).some(({ by }) => operationById(by)?.makes === op.makes)
  return !(live(world, op.makes) as readonly AnyEntity[]).some(isMade)
}
