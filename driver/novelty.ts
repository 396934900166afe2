// Labels for what a program has reached, comparable between programs and nights; nothing is judged here.

import { referencesOf } from '../models/language/references.js'
import { find } from '../models/language/world.js'
import { findingIdOf } from '../oracle/judgement.js'
import type { Sent } from './session.js'

/** States of the entities that a call named, after its reply: `volumes.status=active`. */
const statesOf = ({ op, call, judgement: { world } }: Sent): readonly string[] =>
  referencesOf(op).flatMap(([name, { table }]) => {
    const key = call.path[name]
    if (key === undefined) return []
    const entity = find(world, table, key)
    if (!entity) return [`${table.name} not there`]
    return (table.drifting ?? []).flatMap((field) => {
      const value = entity[field]
      return isState(value) ? [`${table.name}.${field}=${value}`] : []
    })
  })

/** A word of a small vocabulary, unlike a time or a name. */
const isState = (value: unknown): boolean =>
  typeof value === 'boolean' || (typeof value === 'string' && /^[a-z_-]{1,16}$/i.test(value))

/** The labels of a step: kind of reply, state in which the operation was accepted or refused, clauses decided, choices seen. */
export const labelsOf = (sent: readonly Sent[]): ReadonlySet<string> => {
  const labels = new Set<string>()
  for (const one of sent) {
    const { op, outcome, judgement } = one
    const reply = 'status' in outcome ? String(outcome.status) : outcome.lost
    labels.add(`${op.id} ${reply}`)
    for (const state of statesOf(one)) labels.add(`${op.id} ${reply} ${state}`)
    for (const clause of judgement.held) labels.add(clause)
    if (judgement.decisive !== undefined) labels.add(judgement.decisive)
    for (const { id, value } of judgement.choices) labels.add(`${id}=${value}`)
    for (const one of judgement.deviations) labels.add(findingIdOf(one))
  }
  return labels
}
