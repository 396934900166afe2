// Schema validation by ajv, answered as the constraints that a value breaks; what a breach means is decided elsewhere.
import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { formats } from '../models/language/formats.js'
import { constraintsOf, spell, type TSchema } from '../models/language/schema.js'

/** Compiles a schema once. The schemas are our own, so that it would be idle to check them, and compiling them is most of the work. */
const compiler = (options: Options): ((schema: TSchema) => ValidateFunction) => {
  const ajv = new Ajv({
    strict: false,
    // JSON can say 1e400, which is no number of any type.
    strictNumbers: true,
    ownProperties: true,
    meta: false,
    validateSchema: false,
    code: { optimize: false },
    ...options,
  })
  for (const [name, test] of Object.entries(formats)) ajv.addFormat(name, (text: string) => test(text) !== false)
  const compiled = new WeakMap<TSchema, ValidateFunction>()
  return (schema) => {
    const hit = compiled.get(schema)
    if (hit) return hit
    const validate = ajv.compile(schema)
    compiled.set(schema, validate)
    return validate
  }
}

/** One finds out whether a value is valid, the other all that is wrong with it. */
const firstOf = compiler({})
const allOf = compiler({ allErrors: true, verbose: true })

/** A keyword that a value breaks: `place` in the spelling of ids (`rules.inbound[].label`), `pointer` where exactly. */
export interface Breach {
  readonly place: string
  readonly keyword: string
  readonly pointer: string
  /** The value found there is null. */
  readonly isNull: boolean
}

const placeOf = (pointer: string, missing?: string): string =>
  spell([
    ...pointer
      .split('/')
      .slice(1)
      .map((part) => (/^\d+$/.test(part) ? '[]' : part)),
    ...(missing === undefined ? [] : [missing]),
  ])

const breach = ({ instancePath, keyword, params, data }: ErrorObject & { data?: unknown }): Breach => {
  const missing = keyword === 'required' ? (params.missingProperty as string) : undefined
  return {
    place: placeOf(instancePath, missing),
    keyword,
    pointer: missing === undefined ? instancePath : `${instancePath}/${missing}`,
    isNull: keyword !== 'required' && data === null,
  }
}

/** Every keyword that the value breaks; empty where it is valid. */
export const breachesOf = (schema: TSchema, value: unknown): readonly Breach[] => {
  if (firstOf(schema)(value)) return []
  const validate = allOf(schema)
  validate(value)
  return (validate.errors ?? []).map(breach)
}

const formatted = new WeakMap<TSchema, readonly { readonly path: readonly string[]; readonly format: string }[]>()

/** Places whose text is neither surely well formed nor surely not. */
export const undecidedFormats = (schema: TSchema, value: unknown): readonly string[] => {
  let places = formatted.get(schema)
  if (!places) {
    places = constraintsOf(schema)
      .filter(({ keyword }) => keyword === 'format')
      .map(({ path, value: format }) => ({ path, format: String(format) }))
    formatted.set(schema, places)
  }
  return places.flatMap(({ path, format }) =>
    valuesAt(value, path).some((text) => typeof text === 'string' && formats[format]?.(text) === undefined)
      ? [spell(path)]
      : [],
  )
}

/** All values at a place; `[]` stands for every item. */
export const valuesAt = (value: unknown, path: readonly string[]): readonly unknown[] => {
  const [head, ...rest] = path
  if (head === undefined) return [value]
  if (typeof value !== 'object' || value === null) return []
  if (head === '[]') return Array.isArray(value) ? value.flatMap((item) => valuesAt(item, rest)) : []
  return Object.hasOwn(value, head) ? valuesAt((value as Record<string, unknown>)[head], rest) : []
}
