// How likely it is that a symptom follows from a fault that it does not show directly; nothing is chosen here.
import { operationById } from '../../models/index.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { absence, type Fault, refusedEffect } from './faults.js'
import { blamedIn, isAbout, isRefused, type Symptom } from './symptom.js'

/** Weight of a symptom that a fault brings about: whole numbers, so that no order of adding them matters. */
export const directly = 10
const surely = 9
const likely = 6
export const possibly = 3

/** Clauses about the reply or the check at hand alone, which no earlier call can break. */
const isOfItself = (symptom: Symptom): boolean => {
  const { slug, clause, kind } = symptom
  // Of what the registry does not know nothing can be said, and no call makes anything another account's.
  if (!clause || kind === 'foreign') return true
  if (slug === 'refusal.unchanged') return false
  // What a call names may not be there since an earlier call had no effect.
  if (slug === 'refusal.field') return blamedIn(symptom).length > 0
  if (slug.startsWith('refusal.') || ['envelope', 'empty', 'json', 'object'].includes(slug)) return true
  if (clause.kind === 'emits') return true
  return kind === 'accepted' && ['token', 'scheme', 'scope', 'unrestricted', 'constraint', 'json'].includes(clause.kind)
}

export const tablesOf = (op: Operation): readonly AnyTable[] => [
  ...('table' in op.reply ? [op.reply.table] : []),
  ...(op.makes ? [op.makes] : []),
  ...Object.values(op.params).flatMap((reference) => (typeof reference === 'object' ? [reference.table] : [])),
]

const areNear = (one: string, other: string): boolean => {
  const [a, b] = [operationById(one), operationById(other)]
  if (!a || !b) return false
  const tables = new Set(tablesOf(a))
  return tablesOf(b).some((table) => tables.has(table))
}

/** Whether a program looks only at what was there before it. */
const makesNothing = ({ finding }: Symptom): boolean => finding.steps.every(({ made }) => made === undefined)

/** Whether a symptom is what a list shows, which may be of anything that was done before. */
const isOfList = ({ slug }: Symptom): boolean =>
  ['complete', 'only-live', 'no-duplicates', 'results', 'pages', 'page-size'].includes(slug)

/** Zero where the symptom has nothing to do with the fault. */
export const weightOf = (fault: Fault, symptom: Symptom): number => {
  switch (fault.reach) {
    case 'reply':
      return afterReply(fault, symptom)
    case 'world':
      return isOfItself(symptom) ? 0 : afterWorld(fault, symptom)
    case 'permits':
      return afterAcceptance(fault, symptom)
    case 'refuses':
      return afterRefusal(fault, symptom)
    case 'alone':
      return 0
  }
}

/** Whether a record goes by that member. */
const isKey = (operation: string, member: string): boolean => {
  const reply = operationById(operation)?.reply
  return reply !== undefined && 'table' in reply && reply.table.change.lasting.includes(member as never)
}

/** What a wrong reply tells is believed, and held against what other replies tell. */
const afterReply = (fault: Fault, symptom: Symptom): number =>
  fault.member === undefined ? afterList(fault, symptom) : afterMember(fault.operation, fault.member, symptom)

/** A list that holds too much or too little shows each record as it is. */
const afterList = ({ operation }: Fault, symptom: Symptom): number => {
  const isOfRecord = symptom.clause?.kind === 'shape' || symptom.clause?.kind === 'shows'
  if (isOfItself(symptom) || isOfRecord || symptom.shownBy !== operation) return 0
  // What a program lays to a refused call is more likely that call's doing.
  return symptom.op.id === operation ? surely : likely
}

const afterMember = (operation: string, member: string, symptom: Symptom): number => {
  // A program is as short as can be: what it calls beside what it needs to make things has to do with it.
  if (symptom.calls.has(operation) && isAbout(symptom, member)) return operationById(operation)?.makes ? likely : surely
  if (isOfItself(symptom)) return 0
  if (symptom.shownBy === operation && isKey(operation, member)) return likely
  return symptom.shownBy === operation || symptom.calls.has(operation) ? possibly : 0
}

/** Whether the operation was called, with the outcome that the fault is about. */
const isCalled = ({ operation, what }: Fault, { calls, finding }: Symptom): boolean => {
  if (!calls.has(operation)) return false
  if (what !== refusedEffect) return true
  return finding.steps.some(
    ({ call, outcome }) => call.operation === operation && 'status' in outcome && outcome.status >= 400,
  )
}

const afterWorld = (fault: Fault, symptom: Symptom): number => {
  const { operation } = fault
  if (isCalled(fault, symptom)) return surely
  if (!areNear(operation, symptom.op.id) && !areNear(operation, symptom.shownBy)) return 0
  if (fault.what === refusedEffect && symptom.slug === 'only-live' && symptom.kind === 'unknown') return surely
  return makesNothing(symptom) || isOfList(symptom) ? possibly : 0
}

const afterAcceptance = (fault: Fault, symptom: Symptom): number => {
  const { operation, member } = fault
  const isNamed = member !== undefined && isAbout(symptom, member)
  if (symptom.clause?.kind === 'shape' && !isNamed) return 0
  if (symptom.calls.has(operation) && isNamed && symptom.kind !== 'accepted') return likely
  if (isOfItself(symptom)) return 0
  // What was wrongly accepted may show elsewhere; that something else is accepted or refused has reasons of its own.
  if (symptom.calls.has(operation)) return isNamed || symptom.clause?.kind === 'shows' ? likely : possibly
  return member === undefined || isNamed ? Math.min(possibly, afterWorld(fault, symptom)) : 0
}

const afterRefusal = ({ operation, label, member }: Fault, symptom: Symptom): number => {
  if (!isRefused(symptom)) return 0
  if (label === absence) return symptom.shownBy === operation ? likely : 0
  const isItsOwn = symptom.shownBy === operation && !isOfItself(symptom)
  return isItsOwn && member !== undefined && blamedIn(symptom).includes(member) ? likely : 0
}
