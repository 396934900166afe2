// The words that the schema of the target file is made of: names, ids, flags, lists.
import { type TSchema, Type } from '@sinclair/typebox'
import type { Permission } from '../models/language/environment.js'

export const closed = { additionalProperties: false } as const

/** A name of something in this file. */
export const name = (description: string) => Type.String({ title: 'a name', minLength: 1, description })

export const text = (description: string) => Type.String({ minLength: 1, description })

export const id = (description: string) => Type.Integer({ minimum: 0, description })

export const flag = (description: string) => Type.Boolean({ description })

export const list = <Item extends TSchema>(item: Item, description: string) =>
  Type.Optional(Type.Array(item, { minItems: 1, description }))

export const fixtures = <Item extends TSchema>(item: Item, description: string) =>
  Type.Optional(Type.Array(item, { description }))

export const oneOf = <const Value extends string>(values: readonly Value[], description: string) =>
  Type.Unsafe<Value>({ enum: [...values], description })

/** 500 hours: timers overflow at 596. */
export const longestMs = 500 * 3_600_000

export const milliseconds = (value: number, minimum: number, description: string) =>
  Type.Optional(
    Type.Integer({
      title: `a whole number of milliseconds from ${minimum} to ${longestMs}`,
      minimum,
      maximum: longestMs,
      default: value,
      description,
    }),
  )

export const owner = { account: Type.Optional(name('The account that holds it; the first one when left out.')) }

export const permission = Type.Unsafe<Permission>({ enum: ['read_only', 'read_write'] })
