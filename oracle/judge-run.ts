// Judges the record of a run again: feeds its history to the judge of the run itself.

import type { CallEntry, EndedEntry, Entry, Remark } from '../history/entry.js'
import type { Recording } from '../history/recording.js'
import type { Environment } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import type { Belief } from './belief.js'
import type { Spotted } from './episode.js'
import { createExcuses, isDamaged, isLongFor, leastShown, type TriedAgain } from './excuses.js'
import { type Fold, open } from './fold.js'
import { asJudged, createFinder, doerOf, type Found, type JudgedHistory, verdictOf } from './found.js'
import { type Deviation, findingIdOf, type Judged } from './judgement.js'
import { observe } from './observe.js'
import { unforeseenIn } from './unforeseen.js'

/** Judges a run whose calls were sent one after another, but where it raced some. */
export const judgeRun = ({ environment, nonce, events }: Recording): JudgedHistory => {
  const judging = beginJudging(open(environment, { nonce }))
  for (const entries of together(events)) takeIn(judging, entries)
  // A program that was under way when the run was cut short counts as far as it got.
  for (const instance of judging.under) spot(judging, instance, judging.fold.spottedIn(instance))
  spot(judging, undefined, judging.fold.rest().spotted)
  const steps = judging.steps.map((one) => ({ ...one, verdict: verdictOf(one) })).sort((a, b) => a.n - b.n)
  const { held, assumed } = judging
  return { steps, found: findingsOf(judging, environment), held, unordered: [], assumed }
}

/** A run while it is judged again. */
type Judging = ReturnType<typeof beginJudging>

const beginJudging = (fold: Fold) => ({
  fold,
  confirmations: createConfirmed(),
  steps: [] as Judged[],
  held: [] as { readonly clause: string; readonly step: number }[],
  assumed: [] as { readonly n: number; readonly assumed: string }[],
  /** With the program that told it; undefined where that was the run's end. */
  spotted: [] as (Spotted & { readonly instance: number | undefined; readonly isLong: boolean })[],
  /** Programs that have not ended. */
  under: new Set<number>(),
})

const spot = ({ fold, spotted }: Judging, instance: number | undefined, some: readonly Spotted[]): void => {
  const isLong = ({ deviation, calls }: Spotted): boolean => isLongFor(fold.world(), deviation, calls)
  spotted.push(...some.map((one) => ({ ...one, instance, isLong: isLong(one) })))
}

/** Takes in an entry of the record, or calls that were sent at the same time. */
const takeIn = (judging: Judging, entries: readonly (Entry | Remark)[]): void => {
  const { fold, confirmations, held, steps, under } = judging
  const [entry] = entries
  if (!entry) return
  if ('instance' in entry && entry.instance !== undefined && !('beside' in entry)) under.add(entry.instance)
  switch (entry.kind) {
    case 'call': {
      const taken = entry.group === undefined ? [fold.take(entry)] : fold.takeTogether(entries as readonly CallEntry[])
      for (const one of taken) confirmations.hear(one)
      steps.push(...taken)
      return
    }
    case 'hook':
      fold.hook(entry)
      return
    case 'surveyed':
      fold.surveyed(entry)
      return
    case 'events': {
      const heard = fold.heard(entry)
      if (heard) confirmations.hear(heard)
      return
    }
    case 'walked': {
      const told = fold.walked(entry)
      const { n } = told
      held.push(...told.held.map((clause) => ({ clause, step: n })))
      judging.assumed.push(...told.assumed.map((assumed) => ({ n, assumed })))
      return
    }
    case 'ended':
      endProgram(judging, entry)
  }
}

const endProgram = (judging: Judging, entry: EndedEntry): void => {
  const { instance } = entry
  judging.under.delete(instance)
  const conclusion = judging.fold.end(entry)
  judging.held.push(...conclusion.held.map((clause) => ({ clause, step: conclusion.last })))
  spot(judging, instance, conclusion.spotted)
}

const findingsOf = ({ spotted, confirmations, assumed }: Judging, environment: Environment): JudgedHistory['found'] => {
  const finder = createFinder()
  const excuses = createExcuses(environment)
  for (const one of spotted) {
    const { deviation, start, calls, isWhole, isLong, instance } = one
    const own = findingIdOf(asJudged(deviation))
    const least = leastShown(environment, deviation, calls)
    const isOfCall = isDamaged(environment, deviation, calls)
    const triedAgain = confirmations.of(instance, own, calls.at(-1)?.op.id, { least, isOfCall })
    const { isTried, isConfirmed, needed } = triedAgain
    const again = isWhole || isTried ? { confirmed: isWhole === true || isConfirmed } : {}
    const trailOf = () => ({ start, steps: calls, look: observe, ...(isWhole && { isWhole }) })
    const keeps = (some: readonly Judged[]): boolean => {
      const excuse = excuses.untried(one) ?? excuses.tried(one, { ...triedAgain, isLong }, some)
      if (excuse) assumed.push({ n: excuse.n, assumed: excuse.trace })
      return !excuse
    }
    const told = isBlamed(one, needed) ? deviation : asJudged(deviation)
    const shownBy = needed ? programOf(told, start, needed) : {}
    finder.add([told], trailOf, { keeps, doer: doerOf(told, calls.at(-1)), told: { ...again, ...shownBy } })
  }
  return finder.all()
}

/** Whether the target needs the call that is blamed to show it, if one is. */
const isBlamed = ({ deviation, calls }: Spotted, needed: readonly Judged[] | undefined): boolean => {
  const doer = calls.find(({ n }) => n === doerOf(deviation, calls.at(-1)))
  return !needed || !doer || needed.some(({ op, judgement }) => op === doer.op && judgement.accepted === false)
}

/** What needs more calls on the target than the judge needs is told by the calls that showed it there, with what they do not have to do with it. */
const programOf = (deviation: Deviation, start: Belief, steps: readonly Judged[]): Partial<Found> => {
  const judged = asJudged(deviation)
  const id = findingIdOf(judged)
  const again = steps.at(-1)?.judgement.deviations.find((one) => findingIdOf(one) === id)
  const unforeseen = unforeseenIn(start, steps, id)
  return { steps, unforeseen, ...(again && judged === deviation && { deviation: again }) }
}

/** Where a trial showed what was to be shown again. */
interface Trial {
  readonly inAny: boolean
  readonly inLast: boolean
  readonly calls: readonly Judged[]
  /** The calls up to the one that showed it last. */
  readonly showing?: readonly Judged[]
}

/** How many trials in a row have to show it, and whether in their last call. */
interface Confirming {
  readonly least: number
  readonly isOfCall: boolean
}

/** Which findings were shown again when they were tried once more; one that was not tried counts as if it were. */
const createConfirmed = () => {
  /** By what was to be shown again, whether each trial in turn showed it at all, and in its last call. */
  const shown = new Map<string, Map<number, Trial>>()
  const accepted = new Set<string>()
  return {
    hear: (call: Judged): void => {
      const { instance, op, phase, confirms, trial = 0, role, judgement } = call
      if (phase !== 'confirm' || confirms === undefined || role === 'clean') return
      const isShown = judgement.deviations.some((one) => findingIdOf(one) === confirms)
      for (const key of [`${instance} ${confirms}`, `${undefined} ${confirms}`]) {
        const trials = getOrInsert(shown, key, () => new Map())
        const { inAny = false, calls: before = [], showing } = trials.get(trial) ?? {}
        const calls = [...before, call]
        const shownBy = isShown ? calls : showing
        trials.set(trial, { inAny: inAny || isShown, inLast: isShown, calls, ...(shownBy && { showing: shownBy }) })
        if (judgement.accepted === true) accepted.add(`${key} ${op.id}`)
      }
    },
    of: (instance: number | undefined, id: string, operation: string | undefined, how: Confirming): Confirmed => {
      const trials = shown.get(`${instance} ${id}`)
      return {
        isTried: trials !== undefined,
        isConfirmed: isShownInARow(trials, how),
        isAccepted: accepted.has(`${instance} ${id} ${operation}`),
        needed: trials && neededIn([...trials.values()]),
      }
    },
  }
}

interface Confirmed extends TriedAgain {
  readonly isTried: boolean
  /** The fewest calls that showed it, where fewer were tried first and did not. */
  readonly needed: readonly Judged[] | undefined
}

const neededIn = ([first, ...others]: readonly Trial[]): readonly Judged[] | undefined =>
  first?.inAny ? undefined : others.findLast(({ inAny }) => inAny)?.showing

/** Whether so many trials in a row showed it; one that was not tried counts as shown, and so do records in which trials have no number. */
const isShownInARow = (trials: ReadonlyMap<number, Trial> | undefined, { least, isOfCall }: Confirming): boolean => {
  if (!trials) return true
  if (trials.get(0)?.inAny === true) return true
  let row = 0
  for (const { inAny, inLast } of trials.values()) {
    row = (isOfCall ? inLast : inAny) ? row + 1 : 0
    if (row === least) return true
  }
  return false
}

/** Groups calls that were sent at the same time. */
const together = (events: readonly (Entry | Remark)[]): readonly (readonly (Entry | Remark)[])[] => {
  const groups: (Entry | Remark)[][] = []
  for (const event of events) {
    const last = groups.at(-1)
    const [first] = last ?? []
    const isRaced = event.kind === 'call' && event.group !== undefined
    if (isRaced && first?.kind === 'call' && first.group === event.group && first.instance === event.instance)
      last?.push(event)
    else groups.push([event])
  }
  return groups
}
