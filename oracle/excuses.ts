// Whether a deviation that was tried once more on the target is a finding, or what excuses it; how often it is tried is said here, and nothing is sent.

import { isAbsent } from '../history/outcomes.js'
import { actsOnLent } from '../models/index.js'
import type { Environment } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { find, idIn, type World } from '../models/language/world.js'
import { clauseNamed } from './clauses.js'
import type { Spotted } from './episode.js'
import { isOfEvent } from './events.js'
import { type Explanation, isAllowed, traceOf } from './explanations/explanation.js'
import { gateway } from './explanations/gateway.js'
import { interference } from './explanations/interference.js'
import { mayRepeat, repeatedForMs } from './explanations/repeated-reply.js'
import { isResent, resent } from './explanations/resent.js'
import { type Deviation, findingIdOf, type Judged } from './judgement.js'
import { isOfWhatIsShown } from './late.js'
import { missingIn } from './missing.js'
import { shows } from './shrink.js'

/** The most steps that are sent again in one piece: of a longer program it is not known whether it would show the same again. */
export const longestReplay = 24

/** What came of a program that was sent once more. */
export interface TriedAgain {
  /** Whether it showed its deviation again. */
  readonly isConfirmed: boolean
  /** Whether the call that deviates was accepted then. */
  readonly isAccepted?: boolean
  /** Whether the program was too long to be sent again as a whole. */
  readonly isLong?: boolean
}

/** The explanation by which a deviation that was tried once more is no finding; undefined where it is one. */
export const excuseOf = (
  environment: Environment,
  deviation: Deviation,
  { isConfirmed, isAccepted = false, isLong = false }: TriedAgain,
  steps: readonly Judged[],
): Explanation | undefined => {
  if (isConfirmed) return undefined
  if (isAboutFixture(environment, deviation, steps)) return interference
  // What decides whether a call is accepted is in the shortest program that the judge knows; what a list shows may not be.
  const isTried = !isLong || (/^(?:accepted|refused)$/.test(deviation.kind) && steps.length <= longestReplay)
  if (isTried && mayBeOthers(environment, deviation, steps)) return interference
  if (isDamaged(environment, deviation, steps)) return gateway
  if (isAccepted && isForgotten(environment, deviation, steps)) return gateway
  return isAccepted && isResent(environment, deviation, steps) ? resent : undefined
}

/**
 * Whether what stands before the target may have damaged a reply on its way: it was no HTTP or no JSON, and it was both when the call was
 * sent again.
 */
export const isDamaged = (environment: Environment, { kind }: Deviation, steps: readonly Judged[]): boolean => {
  const { outcome } = steps.at(-1) ?? {}
  if (outcome === undefined || !isAllowed(environment, gateway)) return false
  if ('lost' in outcome) return kind === 'malformed'
  const isText = outcome.body === undefined && outcome.text !== undefined
  return isText && (kind === 'not-json' || kind === 'envelope')
}

/**
 * Whether a look misses what a write did because a gateway may have answered that write with its reply to an equal one. The next time a
 * pause comes before it. What a look shows all the same without that write has another reason. The fewest calls that show the deviation
 * may hold either of the two equal writes. Where a look was refused, they do not tell why, and all calls are searched.
 */
const mayBeUnseen = (
  environment: Environment,
  { deviation, start, calls }: Shown,
  fewest: readonly Judged[],
): boolean => {
  const needed = new Set((deviation.kind.startsWith('refused') ? calls : fewest).map(({ n }) => n))
  return (
    isAllowed(environment, gateway) &&
    isOfWhatIsShown(deviation) &&
    calls.at(-1)?.op.method === 'GET' &&
    calls.some((one, i) => {
      const isNear = ({ endedAt }: Judged): boolean => one.startedAt - endedAt < repeatedForMs
      const repeated = calls.slice(0, i).filter((other) => isNear(other) && mayRepeat(one, [other]))
      return (
        repeated.some((other) => needed.has(one.n) || needed.has(other.n)) &&
        !shows(start, calls.toSpliced(i, 1), findingIdOf(deviation))
      )
    })
  )
}

/** Whether what stands before the target may have forgotten a token for the call that deviates. */
const isForgotten = (environment: Environment, { kind }: Deviation, steps: readonly Judged[]): boolean => {
  const { outcome, call } = steps.at(-1) ?? {}
  return (
    kind.startsWith('refused') &&
    outcome !== undefined &&
    'status' in outcome &&
    outcome.status === 401 &&
    typeof call?.as === 'string' &&
    isAllowed(environment, gateway)
  )
}

/**
 * Whether another one who uses the target may have tagged, renamed, removed or attached what the run made, by mistake. Then it does not
 * show again, or only by chance.
 */
const mayBeOthers = (environment: Environment, deviation: Deviation, steps: readonly Judged[]): boolean => {
  const last = steps.at(-1)
  if (!last || environment.exclusive || !isAllowed(environment, interference) || !isOfWhatIsShown(deviation))
    return false
  // What a rule says of a call may depend on what else there is; a constraint says it of the call alone.
  if (deviation.kind === 'accepted') return clauseNamed(deviation.clause)?.kind === 'refusal'
  if (last.op.method === 'GET' || !deviation.kind.startsWith('refused')) return last.op.method === 'GET'
  return isAbsent(last.outcome) || namesMade(last, steps)
}

/** In so many programs others may have caused a deviation by chance. In more, nobody can tell that from a fault that shows now and then. */
export const mostExcused = 2

/** Why a deviation is no finding. */
export interface Excuse {
  readonly by: Explanation
  readonly n: number
  /** What is recorded of it. */
  readonly trace: string
  /** Whether it was excused in one program too many just now: nobody can tell any more whether others have done it. */
  readonly isOneTooMany: boolean
}

type Shown = Pick<Spotted, 'deviation' | 'start' | 'calls'>

/** Excuses deviations, and follows which were excused in which programs. */
export const createExcuses = (environment: Environment) => {
  const programs = new Map<string, Set<number | undefined>>()

  const excusing = (by: Explanation, { deviation, calls }: Shown): Excuse => {
    const id = findingIdOf(deviation)
    const known = getOrInsert(programs, id, () => new Set())
    const { size } = known
    known.add(calls.at(-1)?.instance)
    const isOneTooMany = by === interference && size === mostExcused && known.size > size
    return { by, n: calls.at(-1)?.n ?? 0, trace: traceOf(by, id), isOneTooMany }
  }

  return {
    /** For what is not tried once more: it was excused in too many programs, or in its own already. */
    untried: (one: Shown): Excuse | undefined => {
      const { deviation, calls } = one
      const known = programs.get(findingIdOf(deviation))
      const isKnown = known !== undefined && (known.size > mostExcused || known.has(calls.at(-1)?.instance))
      return isKnown && mayBeOthers(environment, deviation, calls) ? excusing(interference, one) : undefined
    },
    /** @param steps the fewest calls that show it */
    tried: (one: Shown, came: TriedAgain, steps: readonly Judged[]): Excuse | undefined => {
      const calls = came.isLong ? steps : one.calls
      const isRepeated = !came.isConfirmed && mayBeUnseen(environment, { ...one, calls }, steps)
      const by = isRepeated ? gateway : excuseOf(environment, one.deviation, came, steps)
      return by && excusing(by, one)
    },
  }
}

/**
 * How often in a row a program has to show a deviation again. Others, what stands before the target, or an event that is delivered twice may
 * cause one more than once.
 */
export const leastShown = (environment: Environment, deviation: Deviation, steps: readonly Judged[]): number =>
  isOfEvent(deviation) || isDamaged(environment, deviation, steps) || mayBeOthers(environment, deviation, steps) ? 3 : 1

/**
 * Whether more calls led to a deviation than are sent again. What was missing, and was not there to be removed later either, is gone
 * however long the program was.
 */
export const isLongFor = (world: World, deviation: Deviation, calls: readonly Judged[]): boolean => {
  const last = calls.at(-1)
  const missing = last ? missingIn(last, { ...last.judgement, deviations: [deviation] }) : []
  const isGoneStill = missing.length > 0 && missing.every(({ table, key }) => find(world, table, key)?.stub === true)
  return calls.length > longestReplay && !isGoneStill
}

/** Whether the body of a call names what an earlier one has made. */
const namesMade = ({ call }: Judged, steps: readonly Judged[]): boolean => {
  const values = new Set(scalarsIn(call.body))
  return steps.slice(0, -1).some(({ judgement: { made } }) => made !== undefined && values.has(idIn(made)))
}

const scalarsIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(scalarsIn) : [String(value)]

/** Whether a deviation is about a fixture, which the program has not made: where others use the target too, it must show again. */
const isAboutFixture = (environment: Environment, { kind, operation }: Deviation, steps: readonly Judged[]): boolean =>
  !environment.exclusive &&
  isAllowed(environment, interference) &&
  kind !== 'accepted' &&
  actsOnLent(operation) &&
  steps.every(({ judgement: { made } }) => made === undefined)
