// In recorded traffic late reads are not sent again. A later like call of the recording tells whether a read was late.

import isEqual from 'fast-deep-equal'
import { changing, impatiently, type Observe, worldOf } from '../belief.js'
import { isOfMember } from '../clauses.js'
import { forked } from '../forked.js'
import type { Trail } from '../found.js'
import { areIndependent } from '../independence.js'
import type { Judged, Late } from '../judgement.js'
import { doubtfulMs, isOfWhatIsShown, slack } from '../late.js'
import { observe } from '../observe.js'
import { caughtUp, nameOfCall } from '../past.js'
import { isTraceOf } from './explanation.js'
import { lag } from './lag.js'
import { mayBring, showsAll, showsAny } from './lag-shown.js'
import {
  forkedLooks,
  kindOf,
  mayBeLate,
  mayGoBack,
  noLooks,
  noteDoubt,
  noteLook,
  type Promptness,
} from './promptness.js'

/** Takes a reply for late if nothing else explains it and it is right in the world before the latest changes. */
export const lateAtLast =
  (look: Observe): Observe =>
  (belief, observation) => {
    const { past } = belief
    const plain = look(impatiently(belief), observation)
    if (!past) return plain
    const { op, endedAt } = observation
    const { deviations, accepted } = plain.judgement
    const late = deviations.length > 0 ? observe(belief, observation) : undefined
    const hidden = deviations.filter(isOfWhatIsShown)
    if (late?.judgement.late && hidden.length > 0)
      return { ...late, judgement: { ...late.judgement, late: { ...late.judgement.late, hidden } } }
    const after = { ...plain.belief, past: caughtUp(past, observation, plain.judgement) }
    const isChange = op.method !== 'GET' && accepted !== false
    return { ...plain, belief: isChange ? changing(after, worldOf(belief), endedAt, observation) : after }
  }

const isOfMembers = ({ judgement: { late } }: Judged): boolean =>
  late?.hidden.every(({ clause }) => isOfMember(clause)) === true

/** A step that may be late, held back. */
export interface Held<C> {
  readonly step: Judged
  readonly context: C
  /** A list or a view has shown the change since, so that only another late read of the like tells against it. */
  readonly isShown?: boolean
  /** The same call had the same answer shortly before, and before the change: a cache may have given it again. */
  readonly isCopy?: boolean
  /** So has another, but the same call was late after every change before: it is not late, but always behind. */
  readonly isBehind?: boolean
  /** A like look has shown the change before, or a part of it. So no write was lost, and no later write is why another look shows it. */
  readonly isBack?: boolean
}

/** All steps that are held back. */
export interface HeldBack<C> {
  readonly waiting: readonly Held<C>[]
  /** Those of which the later like call did not tell. */
  readonly left: readonly Held<C>[]
}

/** The longest time that a change is waited for. */
export const longestMs = 60_000

/** The most writes that are remembered as possible reasons why a call shows something else than before. */
const mostWrites = 256

/** A cache may answer with what it was told so long ago. */
const copyMs = 2000

/** The most answers that are remembered as what a cache may give again. */
const mostAnswers = 256

/** The most looks that are remembered as what has shown a change before. */
const mostRight = 16

/** How many changes in a row one call may show late and never rightly before it counts as always behind. */
const mostInARow = 2

/** Whether calls that are still to come may show that a step was late. */
export type MayYetShow = (step: Judged) => boolean

interface Lags<C> {
  /** Steps that a later like call may show to have been late, by call. */
  readonly waiting: Map<string, readonly Held<C>[]>
  /** Steps of which the later call did not tell. */
  readonly left: Held<C>[]
  writes: readonly Judged[]
  /** When a call was last sent that showed what it should. */
  readonly rightAt: Map<string, number>
  /** The latest looks that showed what they should. */
  right: readonly Judged[]
  /** What calls were answered, the latest last. */
  answers: readonly Judged[]
  /** How often what was late showed only after a write that does not bring it, by the call that was late. */
  readonly untilWritten: Map<string, number>
  readonly known: KnownLag
}

/** How late a target has been seen to be. */
export interface KnownLag {
  /** The longest that a change was seen to take. */
  lagMs: number
  /** Whether the same call has shown a change at last, with nothing in between that may be why. */
  isLate: boolean
  readonly looks: Promptness
}

export const noLag = (): KnownLag => ({ lagMs: 0, isLate: false, looks: noLooks() })

/** Whether the same call, which was right then, or a look by the same operation has shown the change already, or a part of what is late. */
const isShownBefore = <C>({ rightAt, right }: Lags<C>, late: Judged): boolean => {
  const changedAt = late.judgement.late?.changedAt ?? Number.POSITIVE_INFINITY
  const isSame = (rightAt.get(nameOfCall(late)) ?? 0) > changedAt
  return isSame || right.some((one) => one.op === late.op && one.startedAt > changedAt && showsAny(one, late))
}

const keepAnswer = <C>(state: Lags<C>, step: Judged): void => {
  state.right = [...state.right.slice(1 - mostRight), step]
  state.answers = [...state.answers.slice(1 - mostAnswers), step]
}

/** Whether the same call was answered the same before the change was over, and not long before this one. */
const isCopied = <C>({ answers }: Lags<C>, late: Judged): boolean => {
  const { changedAt = Number.NEGATIVE_INFINITY } = late.judgement.late ?? {}
  const name = nameOfCall(late)
  return answers.some(
    (one) =>
      one.startedAt <= changedAt &&
      late.startedAt - one.startedAt <= copyMs &&
      nameOfCall(one) === name &&
      isEqual(one.outcome, late.outcome),
  )
}

/** Steps that tell against the target. What a cache may have repeated does where the same shows without one. */
const toldIn = <C>(state: Lags<C>): readonly Held<C>[] => {
  const all = [...state.left, ...[...state.waiting.values()].flat().filter(({ isShown }) => !isShown)]
  const copies = new Set(all.filter((one) => isCopyOvertaken(state, one)))
  const told = telling(
    all.filter((one) => !copies.has(one)),
    state.known,
  )
  const isOfLike = (one: Held<C>): boolean =>
    told.some(({ step }) => step.op === one.step.op && step.judgement.late?.by === one.step.judgement.late?.by)
  return [...told, ...telling([...copies].filter(isOfLike), state.known)]
}

/** Whether a cache may be the reason, as on a target whose late calls have been seen to come right, and a later write why none shows it. */
const isCopyOvertaken = <C>(state: Lags<C>, { step, isCopy = false }: Held<C>): boolean =>
  isCopy && state.known.lagMs > 0 && isBrought(state, step)

const ageOf = ({ judgement }: Judged): number => judgement.late?.ageMs ?? 0

const writesSince = <C>({ writes }: Lags<C>, late: Judged): readonly Judged[] =>
  writes.filter(({ endedAt }) => endedAt >= late.startedAt)

/** Whether a write since a step may be why a later reply shows what it did not. */
const isBrought = <C>(state: Lags<C>, late: Judged): boolean =>
  writesSince(state, late).some((write) => mayBring(write, late))

/** Whether a call shows what was late though no write since then could bring that. */
const isBroughtByLag = <C>(state: Lags<C>, { step: late, isBack = false }: Held<C>, step: Judged): boolean =>
  showsAll(step, late) && !isBrought(state, late) && (isBack || !isEverUntil(state, late))

/** Whether one call has shown so much only after another write that this write seems to be the reason; it is counted. */
const isEverUntil = <C>({ untilWritten }: Lags<C>, late: Judged): boolean => {
  const name = nameOfCall(late)
  const times = (untilWritten.get(name) ?? 0) + 1
  untilWritten.set(name, times)
  return times > mostInARow
}

/** What a filter begins with that knows no calls yet. */
export const lagsWith = <C>(known: KnownLag): Lags<C> => ({
  waiting: new Map(),
  left: [],
  writes: [],
  rightAt: new Map(),
  right: [],
  answers: [],
  untilWritten: new Map(),
  known,
})

export const createLagFilter = <C>(state: Lags<C> = lagsWith(noLag())) => {
  const { waiting, left, rightAt, known } = state
  /** Takes in a call that shows what was held: it was late, unless a write since then is the reason. */
  const seen = (held: readonly Held<C>[], step: Judged): void => {
    for (const one of held) {
      const isUnwritten = writesSince(state, one.step).every((write) => areIndependent(write, step))
      const isLate = isUnwritten || isBroughtByLag(state, one, step)
      if (!isLate) left.push(one)
      else if (isUnwritten || one.isBack) {
        known.lagMs = Math.max(known.lagMs, ageOf(one.step))
        known.isLate ||= showsAll(step, one.step)
      }
    }
  }
  /** Takes in a list or a view that shows what the other did not show yet. One that goes on not to show it after that is not late. */
  const shown = (right: Judged): void => {
    for (const [name, held] of waiting)
      if (name !== nameOfCall(right))
        waiting.set(
          name,
          held.map((one) => {
            const excused = held.filter(({ isShown }) => isShown)
            const isFirst = !excused.some((other) => isOfOneChange(other.step, one.step))
            if (!isFirst || !showsAll(right, one.step) || isBrought(state, one.step)) return one
            if (excused.length >= mostInARow && !one.isBack) return { ...one, isBehind: true }
            known.lagMs = Math.max(known.lagMs, ageOf(one.step))
            return { ...one, isShown: true }
          }),
        )
  }
  /** Takes in what a step tells of others. */
  const note = (step: Judged): void => {
    const { op, judgement } = step
    if (op.method !== 'GET' && judgement.accepted !== false)
      state.writes = [...state.writes.slice(1 - mostWrites), step]
    if (judgement.verdict !== 'pass') return
    if (op.method === 'GET') {
      noteLook(known.looks, step, state.writes)
      shown(step)
      keepAnswer(state, step)
    }
    rightAt.set(nameOfCall(step), step.startedAt)
  }
  const hearLate = (one: Held<C>, held: readonly Held<C>[]): readonly Held<C>[] => {
    const { step, isBack, isCopy } = one
    const mayBeCopy = isCopy === true && known.lagMs > 0
    if (!known.isLate && isBack && !mayBeCopy && isOfMembers(step) && ageOf(step) > doubtfulMs) return [one]
    if (ageOf(step) > longestMs) {
      waiting.delete(nameOfCall(step))
      return firstOfEach([...held, one])
    }
    if (step.op.method === 'GET') noteDoubt(known.looks, step)
    waiting.set(nameOfCall(step), [...held, one])
    return []
  }
  return {
    known,
    /** Takes in a step. Returns the steps, this one included, that cannot be late any more. */
    hear: (step: Judged, context: C): readonly Held<C>[] => {
      note(step)
      const name = nameOfCall(step)
      const held = waiting.get(name) ?? []
      const { late, verdict } = step.judgement
      if (late)
        return hearLate({ step, context, isBack: isShownBefore(state, step), isCopy: isCopied(state, step) }, held)
      if (held.length > 0 && verdict !== 'inconclusive') {
        waiting.delete(name)
        seen(held, step)
      }
      return []
    },
    /** At the end: the steps that nothing has shown to be late, nor may yet show to be. */
    rest: (mayYetShow: MayYetShow): readonly Held<C>[] => {
      return firstOfEach(toldIn(state).filter(({ step }) => !mayYetShow(step)))
    },
    /** What calls to come may still tell of. */
    held: (mayYetShow: MayYetShow): HeldBack<C> => heldBackIn(state, mayYetShow),
    /** Holds what another filter held that was forgotten. */
    hold: (other: HeldBack<C>): void => holdBack(state, other),
    fork: () => createLagFilter({ ...forked(state), known: { ...known, looks: forkedLooks(known.looks) } }),
  }
}

const heldBackIn = <C>({ waiting, left }: Lags<C>, mayYetShow: MayYetShow): HeldBack<C> => {
  const isOpen = ({ step }: Held<C>): boolean => mayYetShow(step)
  return { waiting: [...waiting.values()].flat().filter(isOpen), left: left.filter(isOpen) }
}

const holdBack = <C>({ waiting, left }: Lags<C>, other: HeldBack<C>): void => {
  left.push(...other.left)
  for (const one of other.waiting) {
    const name = nameOfCall(one.step)
    waiting.set(name, [...(waiting.get(name) ?? []).filter(({ step }) => step.n !== one.step.n), one])
  }
}

/** Those that tell against a target that is no later than has been seen. */
const telling = <C>(all: readonly Held<C>[], known: KnownLag): readonly Held<C>[] => {
  const untilMs = latestAges(all)
  return all.filter((one) => isTold(one, known, untilMs(one)))
}

/**
 * Whether it tells against a target that is no later than has been seen. What shows that one of several replicas may be behind for a moment
 * is looks at other things, so a change that alone goes back is not excused by how late it shows itself.
 * @param untilMs how long after the change the latest look of its kind did not show it
 */
const isTold = <C>(
  { step, isBehind = false, isBack = false }: Held<C>,
  { lagMs, isLate, looks }: KnownLag,
  untilMs: number,
): boolean => {
  const isJustBack = isBack && untilMs <= doubtfulMs
  if (mayBeLate(looks, step, untilMs) || (isJustBack && mayGoBack(looks, step, untilMs))) return false
  return isJustBack || isBehind || lagMs === 0 || ageOf(step) > Math.max(slack * lagMs, isLate ? doubtfulMs : 0)
}

/** Tells of a look how long after the change the latest of its kind, a list or a view, did not show it. */
const latestAges = <C>(all: readonly Held<C>[]): ((one: Held<C>) => number) => {
  const nameOf = ({ step: { op, judgement } }: Held<C>): string =>
    `${kindOf(op)} ${judgement.late?.by} ${judgement.late?.changedAt}`
  const ages = new Map<string, number>()
  for (const one of all) ages.set(nameOf(one), Math.max(ages.get(nameOf(one)) ?? 0, ageOf(one.step)))
  return (one) => ages.get(nameOf(one)) ?? 0
}

const isOfOneChange = ({ judgement: { late: one } }: Judged, { judgement: { late: other } }: Judged): boolean =>
  one !== undefined && one.by === other?.by && one.changedAt === other.changedAt

/** The first step that does not show a change, for each change: it taught nothing, so that the later ones follow from it. */
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
