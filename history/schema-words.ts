// Words in which the schemas of the run record and of results.json are written.
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'

/** What a schema lets through, not to be changed. */
export type Of<S extends TSchema> = Frozen<Static<S>>
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T

export const object = <P extends TProperties>(properties: P, description?: string) =>
  Type.Object(properties, description === undefined ? {} : { description })
export const text = (description: string) => Type.String({ description })
export const whole = (description: string) => Type.Integer({ minimum: 0, description })
export const duration = (description: string) =>
  Type.Number({ minimum: 0, description: `${description}, in milliseconds.` })
export const oneOf = <const V extends readonly string[]>(values: V, description: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], description })
export const strings = (description: string) => Type.Array(Type.String(), { description })
