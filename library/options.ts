// Checks what programs hand to the library, as a target file is checked: no compiler need have seen them.

import { type TSchema, Type } from '@sinclair/typebox'
import { Ajv } from 'ajv'
import { showProblem } from '../config/errors.js'
import type { SchemaNode } from '../config/schema.js'
import { schemaProblems } from '../config/shape-problems.js'
import { memoised } from '../models/language/memoised.js'

/** The shape of the options of a door: all of their names, and no others. */
export const optionsOf = <T extends object>(members: Readonly<Record<keyof T, TSchema>>): TSchema =>
  Type.Object({ ...members }, { additionalProperties: false })

export const text = Type.Optional(Type.String())
export const texts = Type.Optional(Type.Array(Type.String()))
export const whole = Type.Optional(Type.Integer())
export const flag = Type.Optional(Type.Boolean())
/** What is checked where it is used. */
export const anything = Type.Optional(Type.Unknown())

const validatorOf = memoised((schema: TSchema) =>
  new Ajv({ allErrors: true, verbose: true, allowUnionTypes: true, strict: false }).compile(schema),
)

/**
 * @param what the function and its argument, as messages name them
 * @throws TypeError naming each member that is unknown, missing or ill-typed, what was expected and what to do
 */
export const check = (what: string, schema: TSchema, given: unknown): void => {
  const validate = validatorOf(schema)
  if (validate(given)) return
  const problems = schemaProblems(schema as SchemaNode, validate.errors ?? [], given)
  throw new TypeError(problems.map((problem) => showProblem(problem, what)).join('\n'))
}
