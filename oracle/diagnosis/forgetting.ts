// The cause that lies in no operation: a target that is restarted with another state, empty or earlier, or has another take its place.

import { isAbsent } from '../../history/outcomes.js'
import { operationById } from '../../models/index.js'
import type { Clause } from '../../models/language/derive.js'
import { isAcceptedAtAnyTime } from '../clauses.js'
import type { Symptom } from './symptom.js'
import { directly, makesNothing } from './weights.js'

/** A symptom that contradicts what was known of the target by then: the last step that told of that, and the one that contradicts it. */
interface Contradiction {
  readonly symptom: Symptom
  readonly known: number
  readonly seen: number
}

/** So many areas show it where each time it is tried it shows: what one of them has lost may be its own fault. */
const fewestAreas = 2
/** So many operations show it where it does not show again when it is tried once more: a single one may be wrong now and then. */
const fewestOperations = 2

/**
 * The symptoms of it, with their weights; undefined where it is not shown. All of them have come about at one moment: what was known before
 * it is gone, back, or as it was earlier after it. A fault of an operation shows again where a program makes things anew, and at other
 * times.
 */
export const forgetting = (symptoms: readonly Symptom[]): ReadonlyMap<Symptom, number> | undefined => {
  const all = atOneMoment(symptoms.filter(isOfBefore).flatMap(contradictionIn))
  const isShown = areOnce(all) || haveIdsAgain(all) || haveGoneBack(all)
  if (!isShown) return undefined
  const following = symptoms.filter((one) => mayFollow(one, all))
  return new Map([...all.map(({ symptom }) => symptom), ...following].map((one) => [one, directly]))
}

/**
 * Whether a symptom that tells nothing of what was known goes with it: it shows only once and after the moment, and either something is
 * gone or a contradicting reply stands in its program.
 */
const mayFollow = (symptom: Symptom, all: readonly Contradiction[]): boolean => {
  const at = symptom.last?.n ?? 0
  const own = new Set(symptom.finding.steps.map(({ n }) => n))
  const isTold = isLoss(symptom) || all.some(({ seen }) => own.has(seen))
  return isTold && isOnce(symptom) && knownIn(symptom).length === 0 && all.every(({ known }) => known < at)
}

/** Of the contradictions those that one moment explains, the most there are. */
const atOneMoment = (all: readonly Contradiction[]): readonly Contradiction[] =>
  all
    .map(({ seen: moment }) => all.filter(({ known, seen }) => known < moment && moment <= seen))
    .reduce((most, some) => (some.length > most.length ? some : most), [])

/** Whether what is contradicted stood before the program, or is not contradicted again where a program makes it anew. */
const isOfBefore = (symptom: Symptom): boolean => {
  const own = new Set(symptom.finding.steps.map(({ n }) => n))
  return isOnce(symptom) || knownIn(symptom).every((step) => !own.has(step))
}

/** The steps that told what is contradicted: the values of members, or that something is gone. */
const knownIn = (symptom: Symptom): readonly number[] =>
  (symptom.finding.facts ?? []).flatMap(({ field, step }) =>
    step > 0 && (field !== undefined || isReturn(symptom)) ? [step] : [],
  )

const contradictionIn = (symptom: Symptom): readonly Contradiction[] => {
  const { last } = symptom
  const known = knownIn(symptom)
  if (last === undefined || isOfCall(symptom) || (known.length === 0 && !isReturn(symptom))) return []
  return [{ symptom, known: Math.max(0, ...known), seen: last.n }]
}

/** Whether who calls, or how, was decided wrongly: that tells nothing of what the target holds, whatever was known of it. */
const isOfCall = ({ kind, clause, last }: Symptom): boolean =>
  isAcceptedAtAnyTime(kind, clause) ||
  (clause !== undefined && ofCaller.has(clause.kind) && last !== undefined && !isAbsent(last.outcome))

const ofCaller: ReadonlySet<Clause['kind']> = new Set(['token', 'scheme', 'scope', 'unrestricted'])

/** Whether several operations tell it and not again, but for an accepted call without effect, which may be lost now and then. */
const areOnce = (all: readonly Contradiction[]): boolean => {
  const some = all.filter(({ symptom }) => symptom.kind !== 'lost')
  const shownBy = new Set(some.map(({ symptom }) => symptom.shownBy))
  return shownBy.size >= fewestOperations && some.some(({ symptom }) => isOnce(symptom))
}

/** Whether in several areas ids are given again, and in one of them what bore one is seen to be gone. */
const haveIdsAgain = (all: readonly Contradiction[]): boolean => {
  const losses = all.map(({ symptom }) => symptom).filter(isLoss)
  const again = areasOf(losses.filter(({ kind }) => kind === 'not-new'))
  const gone = areasOf(losses.filter(({ kind }) => kind !== 'not-new'))
  return again.size >= fewestAreas && [...gone].some((area) => again.has(area))
}

/** Whether the state is an earlier one: things are gone and others are back, neither of which a program had made or removed. */
const haveGoneBack = (all: readonly Contradiction[]): boolean => {
  const symptoms = all.map(({ symptom }) => symptom)
  const gone = symptoms.filter((one) => isLoss(one) && isStanding(one))
  const back = symptoms.filter((one) => isReturn(one) && (knownIn(one).length > 0 || isStanding(one)))
  return gone.length > 0 && back.length > 0 && areasOf([...gone, ...back]).size >= fewestAreas
}

const areasOf = (symptoms: readonly Symptom[]): ReadonlySet<string> => new Set(symptoms.map(({ op }) => op.area))

/** Whether it did not show when it was tried once more, though only calls had brought it about: what a hook did is not done again then. */
const isOnce = ({ finding: { confirmed, facts = [] } }: Symptom): boolean =>
  confirmed === false && facts.every(({ step, by }) => step === 0 || operationById(by) !== undefined)

/** Whether what is there shows it, and nothing that was made for it. */
const isStanding = (symptom: Symptom): boolean => makesNothing(symptom) && symptom.finding.steps.length === 1

/** Whether something that was there before is not there any more. */
const isLoss = ({ kind, last, finding: { shownAs } }: Symptom): boolean => {
  if (kind.startsWith('missing') || kind === 'not-new') return true
  if (kind === 'changed' && shownAs === 'missing') return true
  return last !== undefined && isAbsent(last.outcome)
}

/** Whether something is there that was removed before, or that nothing made. */
const isReturn = ({ kind, finding: { shownAs } }: Symptom): boolean =>
  [kind, kind === 'changed' && shownAs].some((one) => one === 'deleted' || one === 'unknown')
