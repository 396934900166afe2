// Puts what the validator of the schema found into problems of a target file; it validates nothing.

import type { ErrorObject } from 'ajv'
import { expectation, type Path, type Problem, showPath, showReceived, unknownKey } from './errors.js'
import type { SchemaNode } from './schema.js'

/** The problems that the validator of a schema found. Its errors must be verbose. */
export function schemaProblems(schema: SchemaNode, errors: readonly ErrorObject[], file: unknown): readonly Problem[] {
  const unions = errors.filter((error) => error.keyword === 'anyOf')
  const isBranchOf = (error: ErrorObject, union: ErrorObject) =>
    error.schemaPath.startsWith(`${union.schemaPath}/`) && error.instancePath.startsWith(union.instancePath)
  return errors
    .filter((error) => !unions.some((union) => isBranchOf(error, union)))
    .map((error) => schemaProblem(error, parsePointer(error.instancePath, file), isRequired(schema, error)))
}

function schemaProblem(error: ErrorObject, path: Path, isNeeded: boolean): Problem {
  const schema = (error.parentSchema ?? {}) as SchemaNode
  if (error.keyword === 'additionalProperties') return unknownKey(path, error.params.additionalProperty, schema)
  if (error.keyword === 'required') {
    const key: string = error.params.missingProperty
    const missing = [...path, key]
    const wanted = schema.properties?.[key] ?? {}
    return { path: missing, expected: expectation(wanted), received: 'nothing', next: `Add ${showPath(missing)}.` }
  }
  const expected =
    error.keyword === 'minItems'
      ? `${expectation(schema)} with at least ${schema.minItems}`
      : error.keyword === 'minLength'
        ? 'a string that is not empty'
        : expectation(schema)
  // Of the file as a whole the expectation says it.
  const meaning = schema.description === undefined || path.length === 0 ? '' : ` ${schema.description}`
  const next = `Correct it${path.length === 0 || isNeeded ? '' : ' or leave it out'}.${meaning}`
  return { path, expected, received: showReceived(error.data, path), next }
}

/** Whether what is wrong is the value of a key that has to be there. */
function isRequired(schema: SchemaNode, { schemaPath }: ErrorObject): boolean {
  const steps = schemaPath.split('/').slice(1, -1)
  const [place, key = ''] = steps.slice(-2)
  const holder = steps
    .slice(0, -2)
    .reduce<unknown>((at, step) => (at as Record<string, unknown> | undefined)?.[step], schema)
  return place === 'properties' && ((holder as SchemaNode | undefined)?.required?.includes(key) ?? false)
}

/** A JSON pointer as keys and positions; only the file itself tells which of them a number is. */
function parsePointer(pointer: string, file: unknown): Path {
  const path: (string | number)[] = []
  let at = file
  for (const part of pointer.split('/').slice(1)) {
    const key = Array.isArray(at) ? Number(part) : part.replaceAll('~1', '/').replaceAll('~0', '~')
    path.push(key)
    at = (at as Record<string | number, unknown> | undefined)?.[key]
  }
  return path
}
