// Changes plain choices of a call: another value of an enum, the other boolean.
import type { TSchema } from '../models/language/schema.js'

/** The value after so many turns; the same value if it is no plain choice. Turns through the values that every target accepts, or all listed ones. */
export const turnedOn = (schema: TSchema | undefined, value: unknown, turn: number, of?: 'listed'): unknown => {
  const all = ((of ? undefined : schema?.tried) ?? schema?.enum) as readonly unknown[] | undefined
  const values = all?.filter((one): boolean => one !== null)
  if (values?.includes(value)) return values[(values.indexOf(value) + turn) % values.length]
  return typeof value === 'boolean' ? (turn % 2 === 1 ? !value : value) : value
}
