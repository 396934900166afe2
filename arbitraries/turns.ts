// Plain choices of a call made otherwise: another of the values of an enum, the other boolean.
import type { TSchema } from '../models/language/schema.js'

/** The value that many turns on; itself where it is no plain choice. Of those that any target surely takes, or of all that are listed. */
export const turnedOn = (schema: TSchema | undefined, value: unknown, turn: number, of?: 'listed'): unknown => {
  const all = ((of ? undefined : schema?.tried) ?? schema?.enum) as readonly unknown[] | undefined
  const values = all?.filter((one): boolean => one !== null)
  if (values?.includes(value)) return values[(values.indexOf(value) + turn) % values.length]
  return typeof value === 'boolean' ? (turn % 2 === 1 ? !value : value) : value
}
