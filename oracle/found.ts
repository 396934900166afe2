// Collects findings of a history, each with the smallest program of calls that shows it; nothing is judged here.

import { lineOf } from '../history/calls.js'
import { redactCall, redactOutcome } from '../history/masking.js'
import type { Finding, RecordedStep } from '../history/record.js'
import { isNamedIn } from '../models/language/namings.js'
import { idIn } from '../models/language/world.js'
import type { Belief, Observe } from './belief.js'
import { type Deviation, findingIdOf, type Judged } from './judgement.js'
import { shows, shrink } from './shrink.js'

/** A deviation with the calls that show it, the last of which deviates. */
export interface Found {
  readonly id: string
  readonly deviation: Deviation
  readonly steps: readonly Judged[]
  readonly shrunkFrom: number
  readonly confirmed?: boolean
  readonly unforeseen?: readonly number[]
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
  readonly confirmed?: boolean | undefined
  readonly unforeseen?: readonly number[] | undefined
  readonly replay: string
  readonly nonce?: string
}

/** A deviation as it is recorded and reported. */
export const findingOf = (
  deviation: Deviation,
  steps: readonly Judged[],
  { confirmed, unforeseen = [], ...telling }: Telling,
): Finding => {
  const { clause, operation, level, source, requires, expected, received, because, facts, from } = deviation
  const member = deviation.member?.name ?? deviation.about
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
    ...(facts && { facts: facts.map(({ step, by, field }) => ({ step, by, ...(field !== undefined && { field }) })) }),
    ...(member !== undefined && { member }),
    ...(from && { shownAs: from.kind }),
    steps: steps.map(recordedStep),
    ...(confirmed !== undefined && { confirmed }),
    ...(unforeseen.length > 0 && { unforeseen: [...unforeseen] }),
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

/**
 * Some of the calls, with the last accepted write before the last one, and the writes on what it names: it may have done more than the
 * judge takes it to have done.
 */
export const withNearest = (all: readonly Judged[], some: readonly Judged[]): readonly Judged[] => {
  const writes = all.slice(0, -1).filter(({ op, role }) => op.method !== 'GET' && role !== 'clean')
  const nearest = writes.findLast(({ judgement }) => judgement.accepted === true)
  if (!nearest) return some
  const named = Object.values(nearest.call.path)
  const isRelated = (one: Judged): boolean =>
    one.n <= nearest.n &&
    (isMadeBy(one, nearest) || Object.values(one.call.path).some((value) => named.includes(value)))
  return all.filter((one) => some.includes(one) || (writes.includes(one) && isRelated(one)) || one === nearest)
}

/** Whether a step names what another one has made. */
export const isMadeBy = ({ op: { makes }, judgement: { made } }: Judged, { op, call }: Judged): boolean =>
  made !== undefined && makes !== undefined && isNamedIn(op, call, makes.name, idIn(made))

/** Number of the write that is blamed for what the last call of a program, a look, shows. */
export const doerOf = ({ from }: Deviation, look: Judged | undefined): number | undefined => from && look?.after

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
  /** What came of trying it once more. */
  readonly told?: Partial<Found>
}

export type Finder = ReturnType<typeof createFinder>

/** Finds the findings of a recording: each once, from the first call that shows it. */
export const createFinder = (found = new Map<string, Found>()) => {
  const add = (deviations: readonly Deviation[], trailOf: () => Trail, { doer, keeps, told }: Adding = {}): void => {
    for (const deviation of deviations) {
      const id = findingIdOf(deviation)
      if (found.has(id)) continue
      const trail = trailOf()
      const own = findingIdOf(asJudged(deviation))
      const steps = trail.isWhole ? trail.steps : minimal(trail, own, doer)
      if (keeps && !keeps(steps)) continue
      found.set(id, { id, deviation, steps, shrunkFrom: trail.steps.length, ...told })
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
export const asJudged = (deviation: Deviation): Deviation => deviation.from ?? deviation

/** A step without the deviations that are held back. If it has no others, it decides nothing. */
export const verdictOf = ({ judgement, deviations }: Pick<Judged, 'judgement' | 'deviations'>): Judged['verdict'] =>
  deviations.length > 0 ? 'finding' : judgement.verdict === 'finding' ? 'inconclusive' : judgement.verdict
