// What is due for the query and the body of a call by their schemas, and on which of their values the document is silent; pure.

import type { WireCall } from '../history/wire.js'
import { clausesOfKind, slugIn } from '../models/language/derive.js'
import type { Operation } from '../models/language/operation.js'
import { type TObject, type TSchema, valuesAt } from '../models/language/schema.js'
import { clauseOf, type Due, due } from './clauses.js'
import type { Read } from './facts.js'
import { breachesOf, undecidedFormats, variouslyCounted } from './validate.js'

/** Something about a call on which the document is silent, beside the rules of its operation. */
export interface Unsaid {
  /** A body that is no object, one where none is foreseen, the form of a text; undefined where it makes no difference. */
  readonly about?: 'no-object' | 'unforeseen' | 'form'
  readonly text: string
}

interface Checked {
  readonly due: readonly Due[]
  readonly silences: readonly Unsaid[]
}

/** The names of members in a place: `rules.inbound[].label` has three. */
export const namesIn = (place: string): readonly string[] => place.replaceAll('[]', '').split('.')

/** Members whose type the document does not give: it does not say which values of them are accepted. */
const untyped = (schema: TObject, value: unknown): readonly Unsaid[] =>
  Object.keys(value as object).flatMap((name) =>
    Object.hasOwn(schema.properties, name) && isUntyped(schema.properties[name])
      ? [{ text: `which ${name} is taken` }]
      : [],
  )

const isUntyped = (member: TSchema | undefined): boolean => member?.type === undefined && member?.enum === undefined

/** What a query or a body breaks, and on what of it the document is silent. */
export const check = (op: Operation, place: 'query' | 'body', value: unknown): Checked => {
  const schema = op[place]
  if (!schema) return { due: [], silences: [] }
  const dues: Due[] = []
  const silences: Unsaid[] = variouslyCounted(schema, value).map((place) => ({
    text: `how the characters of ${place} are counted`,
  }))
  for (const breach of breachesOf(schema, value)) {
    const clause = clauseOf(op, `${place}.${breach.place}.${breach.keyword}`)
    if (!clause) {
      silences.push({ text: `${place}${breach.pointer} ${breach.keyword}` })
    } else if (breach.isNull && clause.kind === 'constraint' && isOptional(op, place, breach.place)) {
      silences.push({ text: `null for the optional ${breach.place}` })
    } else if (place === 'query' && isOddlySpelled(valuesAt(value, [breach.place])[0]))
      silences.push({ text: `whether ${breach.place} may be spelled so` })
    else dues.push({ clause, certain: true, fields: namesIn(breach.place) })
  }
  silences.push(...untyped(schema, value))
  for (const text of undecidedFormats(schema, value))
    silences.push({ about: 'form', text: `how strictly the form of ${text} is read` })
  return { due: dues, silences }
}

/** An integer in a text that is not just its digits, such as 1e2 or 5.0. */
const isOddlySpelled = (text: unknown): boolean =>
  typeof text === 'string' && text.trim() !== '' && Number.isInteger(Number(text))

/** Whether a member may be left out; an item of an array is no member. */
const isOptional = (op: Operation, place: 'query' | 'body', where: string): boolean =>
  !where.endsWith('[]') && clauseOf(op, `${place}.${where}.required`) === undefined

/** Members that no table of the document lists: it does not say what a target does with them. */
export const unknownMembers = (op: Operation, call: WireCall): readonly Unsaid[] => [
  ...Object.keys(call.query)
    .filter((name) => !op.query || !(name in op.query.properties))
    .map((name) => ({ text: `unknown query parameter ${name}` })),
  ...(op.body
    ? unknownIn(op.body, call.body)
    : typeof call.body === 'object' && call.body !== null
      ? Object.keys(call.body).map((name) => ({ text: `unknown member ${name}` }))
      : []),
]

const unknownIn = (schema: TSchema, value: unknown): readonly Unsaid[] => {
  if (typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return schema.items ? value.flatMap((item) => unknownIn(schema.items as TSchema, item)) : []
  const { properties } = schema as Partial<TObject>
  if (!properties) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined
    return member ? unknownIn(member, inner) : [{ text: `unknown member ${name}` }]
  })
}

/** Replaces the clause of the schema where the document has a sentence of its own about that wrong value. */
export const sharpened = (op: Operation, read: Read, dues: readonly Due[]): readonly Due[] =>
  dues.map((one) => {
    const rule = op.refusals?.find(
      ({ instead, when }) => `${op.id}.${instead}` === one.clause.id && when(read.facts) === true,
    )
    const clause = rule && clauseOf(op, slugIn(op, rule.id))
    return clause ? { ...one, clause } : one
  })

/** Whether the body begins an object and never closes it. A target may leave unread what follows a whole object. */
const isNoJson = (body: unknown): boolean => typeof body === 'string' && /^\s*\{/.test(body) && !body.includes('}')

const unforeseen: Unsaid = { about: 'unforeseen', text: 'a body where none is foreseen' }

/** The same of the body of a call, which may be no JSON, or not foreseen. */
export const bodyDue = (op: Operation, call: WireCall, read: Read): Checked => {
  if (!op.body) return { due: [], silences: call.body === undefined ? [] : [unforeseen] }
  const body = call.body === undefined ? {} : call.body
  if (isNoJson(body)) return { due: clausesOfKind(op, 'json').flatMap((clause) => due(clause, true)), silences: [] }
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { due: [], silences: [{ about: 'no-object', text: 'a body that is no object' }] }
  const checked = check(op, 'body', body)
  return { ...checked, due: sharpened(op, read, checked.due) }
}

/** A list page beyond the last, or a paging parameter where its bounds are not shown. */
export const pagingSilences = (op: Operation, read: Read, wellFormed: boolean): readonly Unsaid[] => {
  const { page, page_size } = read.facts.query as { readonly page?: unknown; readonly page_size?: unknown }
  if (op.reply.kind === 'page' && op.reply.bounds === 'standard')
    return typeof page === 'number' && page > 1 ? [{ text: 'a page that may be beyond the last' }] : []
  // A bound that is only inferred forbids values outside of it. It does not promise that values inside are accepted.
  const isFree = (name: string): boolean => {
    const member = op.query?.properties[name]
    return member?.minimum === undefined || (wellFormed && member.level !== undefined)
  }
  return (typeof page === 'number' && isFree('page')) || (typeof page_size === 'number' && isFree('page_size'))
    ? [{ text: 'paging whose bounds are not shown' }]
    : []
}
