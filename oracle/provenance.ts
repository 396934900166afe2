// What established the values of an entity, as facts that a finding gives as reasons; nothing is judged here.

import type { AnyEntity, Gone } from '../models/language/world.js'
import { brief, type Fact } from './judgement.js'

/** The most facts that are given about one entity, or as reasons of one rule: the latest ones. */
const mostFacts = 4

/** A fact for each of these values of the entity, or of those that its record has, that a step of the run established. */
export const provenance = (
  table: { readonly name: string; readonly fields: readonly string[] },
  entity: AnyEntity,
  fields: readonly string[] = table.fields,
): readonly Fact[] =>
  latest(factsOf(table, entity).filter(({ field, step }) => step > 0 && field !== undefined && fields.includes(field)))

export const factsOf = ({ name }: { readonly name: string }, entity: AnyEntity): readonly Fact[] =>
  Object.entries(entity.since ?? {}).flatMap(([field, { step, by }]) => {
    if (entity[field] === undefined) return []
    const since = step > 0 ? `since step ${step} (${by})` : `(${by})`
    const text = `${name} ${entity.key} has ${field} ${brief(entity[field])} ${since}`
    return [{ text, step, by, table: name, key: entity.key, field }]
  })

/** That something was removed. */
export const removalOf = ({ name }: { readonly name: string }, key: string, { step, by }: Gone): Fact => ({
  text: `${name} ${key} was removed by step ${step} (${by})`,
  step,
  by,
  table: name,
  key,
})

/** The latest of the facts, as a finding tells them. */
export const latest = (facts: readonly Fact[]): readonly Fact[] => {
  const byText = new Map(facts.toSorted((a, b) => b.step - a.step).map((fact) => [fact.text, fact]))
  return [...byText.values()].slice(0, mostFacts)
}
