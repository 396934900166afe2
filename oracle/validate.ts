// Validates values by ajv and returns the constraints that they break; what a breach means is decided elsewhere.

import { Ajv, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { formats } from '../models/language/formats.js'
import { lazy, memoised, memoisedByText } from '../models/language/memoised.js'
import { constraintsOf, spell, type TSchema, valuesAt } from '../models/language/schema.js'

/** Compiles a schema once. The schemas are our own, so that it would be idle to check them, and compiling them is most of the work. */
const compiler = (options: Options): ((schema: TSchema) => ValidateFunction) => {
  const compiling = lazy(() => {
    const ajv = new Ajv({
      strict: false,
      // A JSON text can hold 1e400, which is infinite in JavaScript.
      strictNumbers: true,
      ownProperties: true,
      meta: false,
      validateSchema: false,
      code: { optimize: false },
      ...options,
    })
    for (const [name, test] of Object.entries(formats)) ajv.addFormat(name, (text: string) => test(text) !== false)
    return ajv
  })
  return memoised((schema) => compiling().compile(schema))
}

/** The first finds out whether a value is valid, the second everything that is wrong with it. */
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

/** Every keyword that the value surely breaks; empty where it is valid. */
export const breachesOf = (schema: TSchema, value: unknown): readonly Breach[] => {
  if (firstOf(schema)(value)) return []
  const validate = allOf(schema)
  validate(value)
  const isSure = ({ keyword, parentSchema, data }: ErrorObject): boolean =>
    !keyword.endsWith('Length') || !isCountedVariously(parentSchema as TSchema, data)
  const errors = validate.errors ?? []
  // A value of the wrong type is not reported for the enum as well.
  const isOwn = ({ keyword, instancePath }: ErrorObject): boolean =>
    keyword !== 'enum' || !errors.some((one) => one.keyword === 'type' && one.instancePath === instancePath)
  return errors.filter((error) => isSure(error) && isOwn(error)).map(breach)
}

/** The constraints by such keywords. */
const withKeyword = (...wanted: readonly string[]) =>
  memoised((schema: TSchema) => constraintsOf(schema).filter(({ keyword }) => wanted.includes(keyword)))

const formatted = withKeyword('format')
const bounded = withKeyword('maxLength', 'minLength')

/** Places whose text may or may not be well formed. */
export const undecidedFormats = (schema: TSchema, value: unknown): readonly string[] =>
  formatted(schema).flatMap(({ path, value: format }) =>
    valuesAt(value, path).some((text) => typeof text === 'string' && formats[String(format)]?.(text) === undefined)
      ? [spell(path)]
      : [],
  )

/** How many characters a text has, by each usual count but that of graphemes: code points, UTF-16 units, composed code points. */
const countsOf = (text: string): readonly number[] => [
  [...text].length,
  text.length,
  [...text.normalize('NFC')].length,
  [...text.normalize('NFD')].length,
]

const graphemes = lazy(() => new Intl.Segmenter())

/** Splits a text between graphemes: the segmenter copies the whole text for each grapheme, so that a long text would take minutes. */
const pieces = /.{1,128}(?<!\u200d)(?!\u200d|[\p{M}\p{Emoji_Modifier}\p{RI}])|.{1,4096}/gsu

/** A long text is judged several times in a row. */
const graphemesIn = memoisedByText(
  (text): number => (text.match(pieces) ?? []).reduce((sum, piece) => sum + [...graphemes().segment(piece)].length, 0),
  16,
)

/** Whether a text keeps the bound of a schema by some ways to count and breaks it by others. */
const isCountedVariously = (
  { minLength = 0, maxLength = Number.POSITIVE_INFINITY }: TSchema,
  text: unknown,
): boolean => {
  if (typeof text !== 'string' || /^[ -~]*$/.test(text)) return false
  const isKept = (n: number): boolean => n >= minLength && n <= maxLength
  const kept = countsOf(text).map(isKept)
  if (kept.includes(true) && kept.includes(false)) return true
  // Graphemes take long to count: there is one at least, and there are no more of them than code points.
  const isKeptByOthers = kept.includes(true)
  return isKeptByOthers && minLength <= 1 ? false : isKept(graphemesIn(text)) !== isKeptByOthers
}

/** Places whose text keeps its bound by one way to count characters and breaks it by another. */
export const variouslyCounted = (schema: TSchema, value: unknown): readonly string[] =>
  bounded(schema).flatMap(({ path, schema: own }) =>
    valuesAt(value, path).some((text) => isCountedVariously(own, text)) ? [spell(path)] : [],
  )
