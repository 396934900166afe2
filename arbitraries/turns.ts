// Changes what a call gives: another value of an enum, the other boolean, one member alone.

import type { Operation } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import type { TSchema } from '../models/language/schema.js'

/** The value after so many turns; the same value if it is no plain choice. Turns through the values that every target accepts, or all listed ones. */
export const turnedOn = (schema: TSchema | undefined, value: unknown, turn: number, of?: 'listed'): unknown => {
  const all = ((of ? undefined : schema?.tried) ?? schema?.enum) as readonly unknown[] | undefined
  const values = all?.filter((one): boolean => one !== null)
  if (values?.includes(value)) return values[(values.indexOf(value) + turn) % values.length]
  return typeof value === 'boolean' ? (turn % 2 === 1 ? !value : value) : value
}

/** A call with its booleans and choices changed, so that it sets new values; `turnOf` says how far for each member, by its place. */
export const varied = ({ body: schema }: Operation, args: Args, turnOf: (place: number) => number): Args => {
  const { body } = args
  if (!schema || !body || '$raw' in body) return args
  const turned = Object.entries(body as Readonly<Record<string, unknown>>).map(([name, value], place) => [
    name,
    turnedOn(schema.properties[name], value, turnOf(place)),
  ])
  return { ...args, body: Object.fromEntries(turned) }
}

/** A call with what it has to give, and one of the members that it may leave out. */
export const withOneOptional = ({ body: schema }: Operation, args: Args, which: number): Args => {
  const { body } = args
  if (!schema || !body || '$raw' in body) return args
  const required = (schema.required as readonly string[] | undefined) ?? []
  const optional = Object.keys(body).filter((name) => !required.includes(name))
  const kept = optional[which % Math.max(1, optional.length)]
  const members = Object.entries(body).filter(([name]) => required.includes(name) || name === kept)
  return { ...args, body: Object.fromEntries(members) }
}
