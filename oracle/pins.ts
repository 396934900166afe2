// Choices that a reply shows by refusing or accepting a call, and what the target file pins of them.

import type { Clause } from '../models/language/derive.js'
import { certain, clauseOf, type Due } from './due.js'
import { type Deviation, deviation } from './judgement.js'
import { must } from './reply.js'
import { circumstances, type Step } from './step.js'

/** Choices that a refusal or an acceptance shows, and deviations from those that the target file pins. */
export const silenceChoices = (step: Step, accepted: boolean) => {
  const sole = certain(step.expectation).length === 0 && step.expectation.silences.length === 0
  const isChoice = ({ certain: isSure, clause }: Due): boolean => isSure && clause.level === 'choice'
  const shown = sole && step.expectation.due.length === 1 ? step.expectation.due.filter(isChoice) : []
  const value = accepted ? 'accepted' : 'refused'
  const pinned = shown.flatMap(({ clause: { id } }) => pinFault(step, id, value))
  return { choices: shown.map(({ clause: { id } }) => ({ id, value })), pinned }
}

/** The clause that a pinned choice stands beside: its own where it has one, else the one about that kind of reply. */
const pinnedClause = ({ op }: Step, id: string): Clause => {
  const own = id.startsWith(`${op.id}.`) ? clauseOf(op, id.slice(op.id.length + 1)) : undefined
  return (
    own ?? {
      ...must(op, id.startsWith('refusals.') ? 'refusal.status' : 'accepts'),
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
