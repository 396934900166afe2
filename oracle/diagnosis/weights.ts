// Weighs how likely a fault causes a symptom indirectly; nothing is chosen here.
import { isError } from '../../history/outcomes.js'
import { operationById } from '../../models/index.js'
import { tablesOf } from '../../models/language/references.js'
import { isAcceptedAtAnyTime } from '../clauses.js'
import { absence, type Fault, isNameless, lostEffect, refusedEffect, spread } from './faults.js'
import { stale } from './stale.js'
import { blamedIn, isAbout, isRefused, type Symptom, wordsOf } from './symptom.js'

/** Weights of the symptoms of a fault: integers, so that the order of adding does not matter. */
export const directly = 10
const surely = 9
export const likely = 6
export const possibly = 3

/** Clauses about a single reply or check, which no earlier call can break. */
const isOfItself = (symptom: Symptom): boolean => {
  const { slug, clause, kind } = symptom
  // Clauses that are not in the registry are not explained, and no call moves a resource to another account.
  if (!clause || kind === 'foreign') return true
  if (slug === 'refusal.unchanged') return false
  // An entity may be missing because an earlier call had no effect.
  if (slug === 'refusal.field') return blamedIn(symptom).length > 0
  if (slug.startsWith('refusal.') || ['envelope', 'empty', 'json', 'object'].includes(slug)) return true
  if (clause.kind === 'emits') return true
  return isAcceptedAtAnyTime(kind, clause)
}

const areNear = (one: string, other: string): boolean => {
  const [a, b] = [operationById(one), operationById(other)]
  if (!a || !b) return false
  const tables = new Set(tablesOf(a))
  return tablesOf(b).some((table) => tables.has(table))
}

/** Whether a program only reads what existed before it. */
export const makesNothing = ({ finding }: Symptom): boolean => finding.steps.every(({ made }) => made === undefined)

/** Whether the symptom is in a list, which any earlier call may have affected. */
const isOfList = ({ slug }: Symptom): boolean =>
  ['complete', 'only-live', 'no-duplicates', 'results', 'pages', 'page-size'].includes(slug)

/** The weight of a symptom for a fault; zero if they are unrelated. */
export const weightOf = (fault: Fault, symptom: Symptom): number => {
  switch (fault.consequence) {
    case 'reply':
      return afterReply(fault, symptom)
    case 'world':
      return isOfItself(symptom) ? 0 : afterWorld(fault, symptom)
    case 'permits':
      return afterAcceptance(fault, symptom)
    case 'refuses':
      return afterRefusal(fault, symptom)
    case 'alone':
      return isNameless(fault) ? afterBreach(fault, symptom) : fault.what === spread ? afterSpread(fault, symptom) : 0
  }
}

/** What else the target does not show without a call that changes something else, or shows since then without any call. */
const afterSpread = ({ operation }: Fault, symptom: Symptom): number => {
  const { steps, unforeseen = [] } = symptom.finding
  const isNeeded = steps.some(({ n, call }) => call.operation === operation && unforeseen.includes(n))
  return isNeeded || (isLeftBehind(symptom) && areNear(operation, symptom.op.id)) ? likely : 0
}

/** Whether looks alone show it, and did not show it again: it was so before them. */
const isLeftBehind = ({ clause, finding: { steps, confirmed } }: Symptom): boolean =>
  clause?.kind === 'shows' && !confirmed && steps.every(({ call }) => call.method === 'GET')

/** A reply that breaks what its operation says of a member: later ones show the member as it was made. */
const afterBreach = ({ operation, text }: Fault, { calls, clause }: Symptom): number =>
  clause?.kind === 'shows' && calls.has(operation) && isAbout({ words: wordsOf(text) }, clause.field) ? likely : 0

/** Whether a record goes by that member. */
const isKey = (operation: string, member: string): boolean => {
  const reply = operationById(operation)?.reply
  return reply !== undefined && 'table' in reply && reply.table.change.lasting.includes(member)
}

/** Values of a wrong reply are believed, and then contradict other replies. */
const afterReply = (fault: Fault, symptom: Symptom): number => {
  if (fault.what === stale) return afterStale(fault, symptom)
  return fault.member === undefined ? afterList(fault, symptom) : afterMember(fault.operation, fault.member, symptom)
}

/** What was before is told as the effect of the call that came since, or is missed in what a call makes of it. */
const afterStale = ({ operation }: Fault, symptom: Symptom): number => {
  if (isOfItself(symptom)) return 0
  if (symptom.shownBy === operation) return likely
  return symptom.calls.has(operation) ? possibly : 0
}

/** A list that holds too much or too little shows each record as it is. */
const afterList = ({ operation }: Fault, symptom: Symptom): number => {
  const isOfRecord = symptom.clause?.kind === 'shape' || symptom.clause?.kind === 'shows'
  if (isOfItself(symptom) || isOfRecord || symptom.shownBy !== operation) return 0
  // If the program blames a refused call, that call is the more likely cause.
  return symptom.op.id === operation ? surely : likely
}

/** Whether a symptom is about the member, or about one that follows from it in the record that shows it. */
const isAboutOrAfter = (symptom: Symptom, member: string): boolean => {
  const { reply } = symptom.op
  const derived = 'table' in reply ? Object.entries(reply.table.derived ?? {}) : []
  const names = derived.flatMap(([name, sources]) => (sources.includes(member) ? [name] : []))
  return [member, ...names].some((name) => isAbout(symptom, name))
}

const afterMember = (operation: string, member: string, symptom: Symptom): number => {
  // Of what type another reply shows a member is of that reply alone.
  if (symptom.clause?.kind === 'shape' && symptom.shownBy !== operation) return 0
  // A program is shrunk: calls that are not needed to make things are related to the symptom.
  if (symptom.calls.has(operation) && isAboutOrAfter(symptom, member))
    return operationById(operation)?.makes ? likely : surely
  if (isOfItself(symptom)) return 0
  // What was made has another key than its creation told, so it is missed where that key is looked for.
  const isSought = isOfList(symptom) || (symptom.slug === 'takes-effect' && symptom.op.id === operation)
  const isMissed = isSought && symptom.calls.has(operation) && operationById(operation)?.makes !== undefined
  if ((symptom.shownBy === operation || isMissed) && isKey(operation, member)) return likely
  return symptom.shownBy === operation || symptom.calls.has(operation) ? possibly : 0
}

/** Whether the program called the operation with the outcome that the fault is about. */
const isCalled = ({ operation, what }: Fault, { calls, finding }: Symptom): boolean => {
  if (!calls.has(operation)) return false
  if (what !== refusedEffect) return true
  return finding.steps.some(({ call, outcome }) => call.operation === operation && isError(outcome))
}

/** Whether a fault leaves things there that nobody knows of: refused creations, and removals. */
const mayLeave = ({ what, operation }: Fault): boolean =>
  what === refusedEffect || (what === lostEffect && operationById(operation)?.removes !== undefined)

/** Whether a creation shows what it makes otherwise than it was sent: that it has no effect is no reason for it. */
const isShownByMaker = ({ operation }: Fault, { clause, shownBy }: Symptom): boolean =>
  clause?.kind === 'shows' && shownBy === operation && operationById(operation)?.makes !== undefined

const afterWorld = (fault: Fault, symptom: Symptom): number => {
  const { operation } = fault
  if (isShownByMaker(fault, symptom)) return 0
  if (isCalled(fault, symptom)) return surely
  if (!areNear(operation, symptom.op.id) && !areNear(operation, symptom.shownBy)) return 0
  if (mayLeave(fault) && symptom.slug === 'only-live' && symptom.kind === 'unknown') return surely
  // What was not undone may stand in the way of other programs.
  return makesNothing(symptom) || isOfList(symptom) || symptom.kind === 'refused-within' ? possibly : 0
}

const afterAcceptance = (fault: Fault, symptom: Symptom): number => {
  const { operation, member } = fault
  const isNamed = member !== undefined && isAbout(symptom, member)
  if (symptom.clause?.kind === 'shape' && !isNamed) return 0
  if (symptom.calls.has(operation) && isNamed && symptom.kind !== 'accepted') return likely
  if (isOfItself(symptom)) return 0
  // A wrong acceptance may show in other replies. Other acceptances and refusals have reasons of their own.
  if (symptom.calls.has(operation)) return isNamed || symptom.clause?.kind === 'shows' ? likely : possibly
  return member === undefined || isNamed ? Math.min(possibly, afterWorld(fault, symptom)) : 0
}

const afterRefusal = ({ operation, label, member }: Fault, symptom: Symptom): number => {
  if (!isRefused(symptom)) return 0
  if (label === absence) return symptom.shownBy === operation ? likely : 0
  const isItsOwn = symptom.shownBy === operation && !isOfItself(symptom)
  return isItsOwn && member !== undefined && blamedIn(symptom).includes(member) ? likely : 0
}
