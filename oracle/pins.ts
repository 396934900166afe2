// Choices that a reply shows by refusing or accepting a call, and what the target file pins of them.

import { type Clause, slugIn } from '../models/language/derive.js'
import { clauseOf, type Due, surelyClauseOf } from './clauses.js'
import { type Deviation, deviation } from './judgement.js'
import { circumstances, type Step } from './step.js'

/**
 * Choices that a refusal or an acceptance shows, and deviations from those that the target file pins. A refusal has one reason, and tells
 * only where no other could be due; an acceptance tells of all that might have been one.
 */
export const silenceChoices = (step: Step, accepted: boolean) => {
  const { due, silences } = step.expectation
  const isSole = due.length === 1 && silences.length === 0
  const isChoice = ({ certain: isSure, clause }: Due): boolean => isSure && clause.level === 'choice'
  const shown = accepted || isSole ? due.filter(isChoice) : []
  const value = accepted ? 'accepted' : 'refused'
  const pinned = shown.flatMap(({ clause: { id } }) => pinFault(step, id, value))
  return { choices: shown.map(({ clause: { id } }) => ({ id, value })), pinned }
}

/** The clause that a pinned choice stands beside: its own where it has one, else the one about that kind of reply. */
const pinnedClause = ({ op }: Step, id: string): Clause => {
  const own = id.startsWith(`${op.id}.`) ? clauseOf(op, slugIn(op, id)) : undefined
  return (
    own ?? {
      ...surelyClauseOf(op, id.startsWith('refusals.') ? 'refusal.status' : 'accepts'),
      id,
      text: 'The target file pins this choice.',
    }
  )
}

export const pinFault = (step: Step, id: string, value: string): readonly Deviation[] => {
  const pin = step.world.environment.pins[id]
  if (pin === undefined || String(pin) === value) return []
  const expected = `${String(pin)}, as the target file pins it`
  return [{ ...deviation(pinnedClause(step, id), 'pin', expected, value, circumstances(step)), level: 'pinned' }]
}
