// From one constraint of a schema: values that break it and nothing else, and the nearest values that keep it.
import type { Operation, ParamRef } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import type { Constraint, TSchema } from '../models/language/schema.js'
import { proseMark } from './likeness.js'
import { letters } from './plan-fixtures.js'

/** A value that stands for leaving the member out. */
export const absent = Symbol('absent')

export interface Deviation {
  /** Values that break only this keyword. */
  readonly wrong: readonly unknown[]
  /** Values that break it as well, but about which the document may be silent for another reason. */
  readonly odd?: readonly unknown[]
  /** Values that keep it, as close to the bound as possible; `absent` stands for the value of the base. */
  readonly right: readonly unknown[]
}

const keep: readonly unknown[] = [absent]

const malformed: Readonly<Record<string, readonly string[]>> = {
  email: ['nobody', 'nobody@', '@example.org'],
  uri: ['not a url'],
  phone: ['nobody'],
  'date-time': ['yesterday'],
  ip: ['nowhere', '256.1.1.1', '1::2::3'],
  'ip-or-any': ['nowhere', '256.1.1.1', '1::2::3'],
  ipv4: ['nowhere', '256.1.1.1'],
  ipv6: ['nowhere', '1::2::3'],
}

const otherTypes = (type: unknown, base: unknown): readonly unknown[] => {
  const types = [type].flat() as string[]
  if (types.includes('array')) return ['text']
  if (types.includes('object')) return ['text', []]
  if (types.includes('boolean')) return ['perhaps', 'true', 1]
  if (types.includes('integer') || types.includes('number'))
    return ['many', {}, ...(typeof base === 'number' ? [base + 0.5, String(base)] : [])]
  return [{}, ['text'], 12_345_678]
}

/** Values that are not listed: another text, an empty one, and one that differs only in case. */
const unlisted = (values: readonly unknown[]): readonly unknown[] => {
  const [first] = values
  if (typeof first !== 'string') return [Math.max(...(values.filter(Number.isFinite) as number[])) + 1]
  const isLower = first === first.toLowerCase()
  return ['no-such-value', '', isLower ? first.toUpperCase() : first.toLowerCase()]
}

/** A text of that length that begins with the name of the base, so that it keeps all other constraints. */
const lengthen = (base: unknown, length: number, n: number): string => {
  const start = typeof base === 'string' ? (base.split(proseMark)[0] as string).slice(0, length) : ''
  return start + letters(n, Math.max(0, length - start.length)).replace(/a+$/, (run) => 'x'.repeat(run.length))
}

const edge = (schema: TSchema, name: string): readonly string[] =>
  schema[name] === undefined ? [] : [schema[name] as string]

const byKeyword: Readonly<Record<string, (value: never, schema: TSchema, base: unknown, n: number) => Deviation>> = {
  required: () => ({ wrong: [absent], right: keep }),
  type: (value, _schema, base) => ({ wrong: otherTypes(value, base), right: keep }),
  enum: (values: readonly unknown[], schema) => ({
    wrong: [...unlisted(values), ...((schema.without as readonly unknown[] | undefined) ?? [])],
    right: (schema.tried as readonly unknown[] | undefined) ?? values,
  }),
  maxLength: (max: number, schema, base, n) => ({
    wrong: schema.aboveMax === undefined ? [lengthen(base, max + 1, n)] : edge(schema, 'aboveMax'),
    right: schema.atMax === undefined ? [lengthen(base, max, n)] : edge(schema, 'atMax'),
  }),
  minLength: (min: number, schema, _base, n) => ({
    wrong: [
      ...(schema.belowMin === undefined ? [letters(n, min - 1)] : edge(schema, 'belowMin')),
      ...(min > 1 ? [''] : []),
    ],
    right: schema.atMin === undefined ? [letters(n, min)] : edge(schema, 'atMin'),
    // With enough bytes but too few characters, by every way to count characters.
    odd: min < 2 ? [] : ['ж'.repeat(min - 1), '語'.repeat(min - 1)],
  }),
  // 0 and -1 often stand for nothing, or for no limit.
  minimum: (min: number) => ({ wrong: [...new Set([min - 1, 0, -1])].filter((value) => value < min), right: [min] }),
  // Cut to four bytes, the last one becomes the smallest integer, or falls inside the bounds.
  maximum: (max: number) => ({ wrong: [max + 1, 2 ** 32 + max], right: [max] }),
  minItems: (min: number, _schema, base) => ({ wrong: [asArray(base).slice(0, min - 1)], right: keep }),
  maxItems: (max: number, _schema, base) => ({
    wrong: [repeat(asArray(base), max + 1)],
    right: [repeat(asArray(base), max)],
  }),
  format: (format: string) => ({ wrong: malformed[format] ?? [''], right: keep }),
}

const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const repeat = (items: readonly unknown[], length: number): readonly unknown[] =>
  items.length === 0 ? [] : Array.from({ length }, (_, i) => items[i % items.length])

/** Deviations from a constraint, given the value that a valid call has at its place; `n` makes texts distinct. */
export const deviationsFrom = ({ keyword, value, schema }: Constraint, base: unknown, n: number): Deviation =>
  byKeyword[keyword]?.(value as never, schema, base, n) ?? { wrong: [], right: [] }

/** Texts that begin with a number inside the bounds, where a parameter is an integer. */
export const almostIntegers = ({ keyword, schema, value }: Constraint): readonly string[] => {
  const least = Number(schema.minimum ?? 1)
  return keyword === 'type' && value === 'integer' ? [`${least}.5`, `${least}x`] : []
}

/** A deep copy with the value at the place replaced, `[]` being the first item or the last; undefined where the place is not there. */
export const withValueAt = (
  root: unknown,
  path: readonly string[],
  value: unknown,
  item: 'first' | 'last' = 'first',
): unknown => {
  const [head, ...rest] = path
  if (head === undefined) return value === absent ? root : structuredClone(value)
  if (typeof root !== 'object' || root === null) return undefined
  if (head === '[]') return withItemAt(root, rest, value, item)
  return rest.length === 0 ? withMember(root, head, value) : withMemberAt(root, head, rest, value, item)
}

const withItemAt = (list: object, path: readonly string[], value: unknown, item: 'first' | 'last'): unknown => {
  if (!Array.isArray(list) || (list.length === 0 && path.length > 0)) return undefined
  const at = item === 'first' ? 0 : Math.max(0, list.length - 1)
  const changed = withValueAt(list[at], path, value, item)
  return changed === undefined ? undefined : structuredClone(list).toSpliced(at, 1, changed)
}

const withMember = (record: object, name: string, value: unknown): object => {
  const copy = structuredClone(record) as Record<string, unknown>
  if (value === absent) delete copy[name]
  else copy[name] = structuredClone(value)
  return copy
}

const withMemberAt = (
  record: object,
  name: string,
  path: readonly string[],
  value: unknown,
  item: 'first' | 'last',
): unknown => {
  if (!(name in record)) return undefined
  const changed = withValueAt((record as Record<string, unknown>)[name], path, value, item)
  return changed === undefined ? undefined : withMember(record, name, changed)
}

/** The value at a place, `[]` being the first item. */
export const valueAt = (root: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (value, part) =>
      part === '[]' ? (value as unknown[] | undefined)?.[0] : (value as Record<string, unknown> | undefined)?.[part],
    root,
  )

/** Whether a value can be put at the place: its container exists. */
export const hasContainer = (root: unknown, path: readonly string[]): boolean => {
  const container = valueAt(root, path.slice(0, -1))
  return (
    typeof container === 'object' && container !== null && (path.at(-1) !== '[]' || (container as unknown[]).length > 0)
  )
}

/** What no two may have at a time is only given where it is asked for: whoever gives it has to have it alone. */
export const withoutSole = ({ sole = [] }: Operation, draft: Args, full: Args, [asked]: readonly string[]): Args => {
  const isKept = ([name]: readonly [string, unknown]): boolean =>
    !sole.includes(name) || name === asked || name in (draft.body ?? {})
  return { ...full, body: Object.fromEntries(Object.entries(full.body ?? {}).filter(isKept)) }
}

/** An id that surely names nothing: large, and in no series that counts up from one. */
export const nowhere = 999_999_937

/** What a parameter of a path can be that names nothing that ever was. */
export const neverNamed = ({ type }: Pick<ParamRef, 'type'>): string | number =>
  type === 'string' ? 'never-existed' : nowhere

/** The number in a plan's name, so that texts made for different probes differ. */
export const numberOf = (name: string): number => Number.parseInt(name.slice(name.lastIndexOf('-') + 1), 36)
