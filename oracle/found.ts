// Collects findings of a history, each with the smallest program of calls that shows it; nothing is judged here.

import { lineOf } from '../history/calls.js'
import { redactCall, redactOutcome } from '../history/masking.js'
import type { Finding, RecordedStep } from '../history/record.js'
import { actsOnLent } from '../models/index.js'
import type { Environment } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { find, idIn, type World } from '../models/language/world.js'
import type { Belief, Observe } from './belief.js'
import { clauseNamed } from './due.js'
import { type Explanation, isAllowed } from './explanations/explanation.js'
import { gateway } from './explanations/gateway.js'
import { interference } from './explanations/interference.js'
import { isResent, resent } from './explanations/resent.js'
import type { Deviation, Judged } from './judgement.js'
import { isOfWhatIsShown } from './late.js'
import { missingIn } from './missing.js'
import { findingIdOf, shows, shrink } from './shrink.js'

/** A deviation with the calls that show it, the last of which deviates. */
export interface Found {
  readonly id: string
  readonly deviation: Deviation
  readonly steps: readonly Judged[]
  readonly shrunkFrom: number
}

export interface JudgedHistory {
  readonly steps: readonly Judged[]
  readonly found: readonly Found[]
  /** Clauses that held of several calls together, with the number of the last of them. */
  readonly held: readonly { readonly clause: string; readonly step: number }[]
  /** Numbers of calls that could not be judged since too many overlapped. */
  readonly unordered: readonly number[]
  /** What was assumed of several calls together, with the number of the last of them. */
  readonly assumed: readonly { readonly n: number; readonly assumed: string }[]
}

interface Telling {
  readonly shrunkFrom: number
  readonly confirmed?: boolean
  readonly replay: string
  readonly nonce?: string
}

/** A deviation as it is recorded and reported. */
export const findingOf = (deviation: Deviation, steps: readonly Judged[], telling: Telling): Finding => {
  const { clause, operation, level, source, requires, expected, received, because } = deviation
  return {
    id: findingIdOf(deviation),
    clause,
    operation,
    level,
    source,
    summary: `${requires} Expected ${expected}; received ${received}`,
    requires,
    expected,
    received,
    because,
    steps: steps.map(recordedStep),
    ...telling,
  }
}

const recordedStep = ({ n, call, outcome, judgement, unsettled }: Judged): RecordedStep => ({
  n,
  call: redactCall(call),
  outcome: redactOutcome(outcome),
  line: lineOf(redactCall(call)),
  ...(judgement.made !== undefined && { made: judgement.made }),
  ...(unsettled && { unsettled: true as const }),
})

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
  if (isOthersDoing(environment, deviation, steps)) return interference
  // What decides whether a call is accepted is in the shortest program that the judge knows; what a list shows may not be.
  const isTried = !isLong || (/^(?:accepted|refused)$/.test(deviation.kind) && steps.length <= longestReplay)
  if (isTried && mayBeOthers(environment, deviation, steps)) return interference
  if (isDamaged(environment, deviation, steps)) return gateway
  if (isAccepted && isForgotten(environment, deviation, steps)) return gateway
  return isAccepted && isResent(environment, deviation, steps) ? resent : undefined
}

/** Whether what stands before the target may have damaged a reply on its way: one that is not JSON, and was when it was asked for again. */
const isDamaged = (environment: Environment, { kind }: Deviation, steps: readonly Judged[]): boolean => {
  const { outcome } = steps.at(-1) ?? {}
  const isText =
    outcome !== undefined && 'status' in outcome && outcome.body === undefined && outcome.text !== undefined
  return isText && (kind === 'not-json' || kind === 'envelope') && isAllowed(environment, gateway)
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
export const mayBeOthers = (environment: Environment, deviation: Deviation, steps: readonly Judged[]): boolean => {
  const last = steps.at(-1)
  if (!last || environment.exclusive || !isAllowed(environment, interference) || !isOfWhatIsShown(deviation))
    return false
  // What a rule says of a call may depend on what else there is; a constraint says it of the call alone.
  if (deviation.kind === 'accepted') return clauseNamed(deviation.clause)?.kind === 'refusal'
  if (last.op.method === 'GET' || !deviation.kind.startsWith('refused')) return last.op.method === 'GET'
  return isGone(last) || namesMade(last, steps)
}

/** So often others may have done by chance what nobody can tell from a fault that shows now and then. */
export const mostExcused = 2

/** Follows what was excused, and in which programs. */
export const createExcused = () => {
  const programs = new Map<string, Set<number | undefined>>()
  return {
    /** Whether it was excused in one program too many just now. */
    note: (deviation: Deviation, calls: readonly Judged[]): boolean => {
      const id = findingIdOf(deviation)
      const known = getOrInsert(programs, id, () => new Set())
      const { size } = known
      known.add(calls.at(-1)?.instance)
      return size === mostExcused && known.size > size
    },
    /** Whether nobody can tell any more whether others have done it, or it was excused in its program already: it is not tried then. */
    isGivenUp: (environment: Environment, deviation: Deviation, calls: readonly Judged[]): boolean => {
      const known = programs.get(findingIdOf(deviation))
      const isKnown = known !== undefined && (known.size > mostExcused || known.has(calls.at(-1)?.instance))
      return isKnown && mayBeOthers(environment, deviation, calls)
    },
  }
}

/** How often in a row a program has to show again what others, or what stands before the target, may have done: they may meet it more than once. */
export const leastShown = (environment: Environment, deviation: Deviation, steps: readonly Judged[]): number =>
  mayBeOthers(environment, deviation, steps) || isDamaged(environment, deviation, steps) ? 3 : 1

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

const isGone = ({ outcome }: Judged): boolean => 'status' in outcome && outcome.status === 404

/** Whether the body of a call names what an earlier one has made. */
const namesMade = ({ call }: Judged, steps: readonly Judged[]): boolean => {
  const values = new Set(leavesOf(call.body))
  return steps.slice(0, -1).some(({ judgement: { made } }) => made !== undefined && values.has(idIn(made)))
}

const leavesOf = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [String(value)]

/** Where others use the target too, a deviation about a fixture, which the program has not made, must show again. */
const isOthersDoing = (environment: Environment, { kind, operation }: Deviation, steps: readonly Judged[]): boolean =>
  !environment.exclusive &&
  isAllowed(environment, interference) &&
  kind !== 'accepted' &&
  actsOnLent(operation) &&
  steps.every(({ judgement: { made } }) => made === undefined)

/** Where a finding is shrunk from: the belief at the start of its program, what happened since, and how that was taken in. */
export interface Trail {
  readonly start: Belief
  readonly steps: readonly Judged[]
  readonly look: Observe
  /** The calls are all needed. */
  readonly isWhole?: true
}

const longestTail = 2048
const unshrunkTail = 20

/**
 * The fewest calls that show the deviation of the last one; the latest ones if no part of them shows it alone. The call that is blamed
 * is kept.
 */
const minimal = (trail: Trail, findingId: string, doer?: number): readonly Judged[] =>
  withDoer(trail.steps, shrunk(trail, findingId), doer)

/** Some of the calls, always with the one that is blamed: what it left behind may show without it. */
export const withDoer = (
  all: readonly Judged[],
  some: readonly Judged[],
  doer: number | undefined,
): readonly Judged[] => {
  const wanted = new Set([...some.map(({ n }) => n), doer])
  return all.filter(({ n }) => wanted.has(n))
}

/**
 * Some of the calls. If the last one is wrongly refused, accepted writes are added whose effect no reply shows: they may be the reason,
 * although the judge, who takes it that they had their effect, does not need them.
 */
export const withUnshown = (
  all: readonly Judged[],
  some: readonly Judged[],
  { kind }: Deviation,
): readonly Judged[] => {
  const last = all.at(-1)
  if (!last || !kind.startsWith('refused')) return some
  const subjects = Object.values(last.call.path)
  const mayMatter = ({ op, call, judgement }: Judged): boolean =>
    op.unshown !== undefined &&
    op !== last.op &&
    op.reach.in === last.op.reach.in &&
    judgement.accepted === true &&
    Object.values(call.path).every((value) => subjects.includes(value))
  return all.filter((one) => some.includes(one) || mayMatter(one))
}

/** Number of the write that is blamed for what the last call of a program, a look, shows. */
export const doerOf = (deviation: Deviation, look: Judged | undefined): number | undefined =>
  judgedAs(deviation, look) === deviation ? undefined : look?.after

const shrunk = ({ start, steps, look }: Trail, findingId: string): readonly Judged[] => {
  const does = (part: readonly Judged[]): boolean => shows(start, part, findingId, look)
  // What is wrong in itself needs no other call.
  if (does(steps.slice(-1))) return steps.slice(-1)
  for (let size = 8; ; size *= 4) {
    const tail = steps.slice(-size)
    if (does(tail)) {
      const near = related(tail)
      return shrink(start, near.length < tail.length && does(near) ? near : tail, findingId, look)
    }
    if (size >= steps.length || size >= longestTail) return steps.slice(-unshrunkTail)
  }
}

const namesOf = ({ call, judgement }: Judged): readonly string[] => [
  ...Object.values(call.path),
  ...(judgement.made === undefined ? [] : [judgement.made]),
  ...(typeof call.body === 'object' && call.body !== null ? Object.values(call.body).map(String) : []),
]

/** Steps that name or make something that the last one names. */
const related = (steps: readonly Judged[]): readonly Judged[] => {
  const last = steps.at(-1)
  const names = new Set(last ? namesOf(last) : [])
  return steps.filter((one) => one === last || namesOf(one).some((name) => names.has(name)))
}

export interface Adding {
  /** Number of the call that caused it. */
  readonly doer?: number | undefined
  /** Whether a program counts. */
  readonly keeps?: (steps: readonly Judged[]) => boolean
}

export type Finder = ReturnType<typeof createFinder>

/** Finds the findings of a recording: each once, from the first call that shows it. */
export const createFinder = (found = new Map<string, Found>()) => {
  const add = (deviations: readonly Deviation[], trailOf: () => Trail, { doer, keeps }: Adding = {}): void => {
    for (const deviation of deviations) {
      const id = findingIdOf(deviation)
      if (found.has(id)) continue
      const trail = trailOf()
      const own = findingIdOf(judgedAs(deviation, trail.steps.at(-1)))
      const steps = trail.isWhole ? trail.steps : minimal(trail, own, doer)
      if (keeps && !keeps(steps)) continue
      found.set(id, { id, deviation, steps, shrunkFrom: trail.steps.length })
    }
  }
  return {
    add,
    /** Whether a finding has been told. */
    has: (id: string): boolean => found.has(id),
    all: (): readonly Found[] => [...found.values()],
    fork: () => createFinder(new Map(found)),
  }
}

/** The judge's own words for a deviation that is attributed to another call or clause. */
export const judgedAs = (deviation: Deviation, call: Judged | undefined): Deviation =>
  call?.judgement.deviations.find(
    ({ received, expected }) => received === deviation.received && expected === deviation.expected,
  ) ?? deviation

/** A step without the deviations that are held back. If it has no others, it decides nothing. */
export const verdictOf = ({ judgement, deviations }: Pick<Judged, 'judgement' | 'deviations'>): Judged['verdict'] =>
  deviations.length > 0 ? 'finding' : judgement.verdict === 'finding' ? 'inconclusive' : judgement.verdict
