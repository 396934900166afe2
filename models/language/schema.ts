// The schema vocabulary that operations are written in, and the walk that turns a schema into constraints; not the validator.

import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { memoised } from './memoised.js'

export type { Static, TObject, TSchema }

interface TextOptions {
  readonly min?: number
  readonly max?: number
  readonly format?: 'email' | 'uri' | 'date-time' | 'ipv4' | 'ip' | 'ipv6' | 'ip-or-any' | 'phone'
  /** A text inside the bounds, if letters alone would not be one. */
  readonly example?: string
  /** Name of the table whose keys it holds. */
  readonly ref?: string
  /** Whether a value that names nothing may be taken all the same. */
  readonly open?: true
  /** Whether other rules allow it only letters of ASCII. */
  readonly ascii?: true
  /** Texts of the shortest and the longest allowed length, and one beyond, where repeated letters would break another rule. */
  readonly atMin?: string
  readonly belowMin?: string
  readonly atMax?: string
  readonly aboveMax?: string
}

export const text = ({ min, max, format, example, ref, open, ...others }: TextOptions = {}) =>
  Type.String({
    ...(min !== undefined && { minLength: min }),
    ...(max !== undefined && { maxLength: max }),
    ...(format && { format }),
    ...(example !== undefined && { examples: [example] }),
    ...(ref && { ref }),
    ...(open && { open }),
    ...others,
  })

interface IntegerOptions {
  /** Level of its bounds, where the document does not say that they hold here. */
  readonly level?: 'should' | 'choice'
  readonly min?: number
  readonly max?: number
  /** Name of the table whose ids it holds. */
  readonly ref?: string
  /** Whether a value that names nothing may be taken all the same. */
  readonly open?: true
}

export const integer = ({ min, max, ref, level, open }: IntegerOptions = {}) =>
  Type.Integer({
    ...(min !== undefined && { minimum: min }),
    ...(max !== undefined && { maximum: max }),
    ...(ref && { ref }),
    ...(level && { level }),
    ...(open && { open }),
  })

export const boolean = () => Type.Boolean()

/** A value about which the document says nothing. */
export const anyValue = () => Type.Unknown()

/** One of the given values; texts have no `type` beside `enum`, so that a wrong value breaks one keyword. */
export const oneOf = <const T extends readonly string[] | readonly number[]>(...values: T) =>
  Type.Unsafe<T[number]>({ ...(typeof values[0] === 'number' && { type: 'integer' }), enum: [...values] })

/** An enum of which only these values fit the rest of a draft. Only they are tried as accepted values. */
export const tried = <S extends TSchema>(schema: S, ...values: readonly (string | number)[]): S => ({
  ...schema,
  tried: values,
})

/** An enum that is easily confused with a similar one. The values of that one are tried as wrong values. */
export const without = <S extends TSchema>(schema: S, ...values: readonly (string | number)[]): S => ({
  ...schema,
  without: values,
})

export const array = <S extends TSchema>(
  items: S,
  { min, max }: { readonly min?: number; readonly max?: number } = {},
) => Type.Array(items, { ...(min !== undefined && { minItems: min }), ...(max !== undefined && { maxItems: max }) })

/** Members are required unless wrapped in `optional`; further members are allowed. */
export const object = <P extends Record<string, TSchema>>(members: P) => Type.Object(members)

export const optional = <S extends TSchema>(schema: S) => Type.Optional(schema)

export const nullable = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>(
    'enum' in schema ? { ...schema, enum: [...schema.enum, null] } : { ...schema, type: [schema.type, 'null'] },
  )

/** One keyword at one place of a schema: `{path: ['rules', 'inbound', '[]', 'label'], keyword: 'maxLength', value: 32}`. */
export interface Constraint {
  readonly path: readonly string[]
  readonly keyword: string
  readonly value: unknown
  readonly schema: TSchema
}

/** Keywords that constrain a value, beside `required`. */
export const keywords = [
  'type',
  'enum',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'format',
] as const

/** Every constraint of a schema, outermost first; a required member yields `required` at the member's own path. */
export const constraintsOf = memoised((schema: TSchema): readonly Constraint[] => constraintsBelow(schema, []))

const constraintsBelow = (schema: TSchema, path: readonly string[]): readonly Constraint[] => [
  ...(path.length === 0
    ? []
    : keywords
        .filter((keyword) => keyword in schema)
        .map((keyword) => ({ path, keyword, value: schema[keyword], schema }))),
  ...Object.entries((schema as Partial<TObject>).properties ?? {}).flatMap(([name, member]) => [
    ...((schema.required as readonly string[] | undefined)?.includes(name)
      ? [{ path: [...path, name], keyword: 'required', value: true, schema: member }]
      : []),
    ...constraintsBelow(member, [...path, name]),
  ]),
  ...(schema.items ? constraintsBelow(schema.items as TSchema, [...path, '[]']) : []),
]

/** A constraint's place as ids write it: `rules.inbound[].label`. */
export const spell = (path: readonly string[]): string => path.join('.').replaceAll('.[]', '[]')

/** All values at the place of a constraint; `[]` stands for every item. */
export const valuesAt = (value: unknown, path: readonly string[]): readonly unknown[] => {
  const [head, ...rest] = path
  if (head === undefined) return [value]
  if (typeof value !== 'object' || value === null) return []
  if (head === '[]') return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, rest)) : []
  return Object.hasOwn(value, head) ? valuesAt((value as Record<string, unknown>)[head], rest) : []
}
