// Broken targets derived from the registry: each departs from the document in one way, and counts how often it did.

import { clausesOf, isOpen, refusable } from '../../models/language/derive.js'
import { errorsIn } from '../../models/language/error-envelope.js'
import { isObject } from '../../models/language/objects.js'
import type { Operation } from '../../models/language/operation.js'
import {
  type Constraint,
  constraintsOf,
  spell,
  type TObject,
  type TSchema,
  valuesAt,
} from '../../models/language/schema.js'
import type { WireRecord } from '../../models/language/world.js'
import type { Due } from '../../oracle/clauses.js'
import type { Fault } from '../handler.js'

export interface Mutant {
  /** `volumes.resize: drops volumes.resize.only-up` */
  readonly id: string
  readonly operation: string
  readonly kind: string
  /** The clause it breaks, where it breaks one by name. */
  readonly clause?: string
  /** A fresh fault, and the number of times that it made a difference. */
  readonly arm: () => { readonly fault: Fault; readonly activations: () => number }
}

export type Make = (activate: () => void) => Fault

export const mutant = (op: Operation, kind: string, what: string, make: Make, clause?: string): Mutant => ({
  id: `${op.id}: ${kind}${what ? ` ${what}` : ''}`,
  operation: op.id,
  kind,
  ...(clause !== undefined && { clause }),
  arm: () => {
    let count = 0
    const fault = make(() => {
      count += 1
    })
    return { fault, activations: () => count }
  },
})

/** Changes a value and notes whether that made a difference. */
const differ = <T>(activate: () => void, before: T, after: T): T => {
  if (JSON.stringify(before) !== JSON.stringify(after)) activate()
  return after
}

const isRefusal = (body: unknown): boolean => errorsIn(body) !== undefined

const dropped = (op: Operation): readonly Mutant[] =>
  clausesOf(op)
    .filter((clause) => !isOpen(clause) && refusable.has(clause.kind))
    .map(({ id }) => {
      const without = (due: readonly Due[]): readonly Due[] => due.filter(({ clause }) => clause.id !== id)
      const make: Make = (activate) => ({
        due: (due, at) => (at.id === op.id ? differ(activate, due, without(due)) : due),
      })
      return mutant(op, 'drops', id, make, id)
    })

const movable = new Set(['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems'])

const moved = (op: Operation): readonly Mutant[] =>
  (['body', 'query'] as const).flatMap((place) => {
    const schema = op[place]
    return schema
      ? constraintsOf(schema).flatMap((constraint) => [
          ...(movable.has(constraint.keyword) ? [-1, 1].map((by) => moveBound(op, place, schema, constraint, by)) : []),
          ...narrowed(op, place, schema, constraint),
        ])
      : []
  })

const moveBound = (
  op: Operation,
  place: 'body' | 'query',
  schema: TObject,
  constraint: Constraint,
  by: number,
): Mutant => {
  const changed = altered(schema, constraint, Number(constraint.value) + by)
  const id = `${op.id}.${place}.${spell(constraint.path)}.${constraint.keyword}`
  return mutant(op, by < 0 ? 'lowers' : 'raises', id, replaced(op, { ...op, [place]: changed }), id)
}

/** A target that asks for more than is listed: a member that may be left out, write access for a read, one scope more. */
const demanding = (op: Operation): readonly Mutant[] => {
  const { body, scopes } = op
  const required = (body?.required as readonly string[] | undefined) ?? []
  const optional = Object.keys(body?.properties ?? {}).filter((name) => !required.includes(name))
  const asks = (what: string, other: Partial<Operation>, slug: string): Mutant =>
    mutant(op, 'demands', what, replaced(op, { ...op, ...other } as Operation), `${op.id}.${slug}`)
  const members = optional.map((name) =>
    asks(name, { body: { ...body, required: [...required, name] } as TObject }, 'accepts'),
  )
  const [scope] = scopes ?? []
  if (!scopes || scope === undefined) return members
  const slug = `scope.${scope.replace(':', '-')}`
  return [
    ...members,
    ...(scope.endsWith(':read_only')
      ? [asks('read_write', { scopes: scopes.map((one) => one.replace(/:read_only$/, ':read_write')) }, slug)]
      : []),
    asks('a further scope', { scopes: [...scopes, 'other:read_only'] }, slug),
  ]
}

/** An enum that has lost one of its values. */
const narrowed = (
  op: Operation,
  place: 'body' | 'query',
  schema: TObject,
  constraint: Constraint,
): readonly Mutant[] => {
  const values = constraint.keyword === 'enum' ? (constraint.value as readonly unknown[]) : []
  const id = `${op.id}.${place}.${spell(constraint.path)}.enum`
  const without = (value: unknown): Operation => {
    const rest = values.filter((other) => other !== value)
    return { ...op, [place]: altered(schema, constraint, rest) }
  }
  if (values.length < 2) return []
  return values.map((value) => mutant(op, 'refuses', `${value} of ${id}`, replaced(op, without(value)), id))
}

/** A limit of characters that is one of bytes. */
const ofBytes = (op: Operation): readonly Mutant[] =>
  clausesOf(op).flatMap((clause) => {
    if (clause.kind !== 'characters') return []
    const { path, value } = clause.constraint
    const make: Make = (activate) => {
      const isTooLong = (text: unknown): boolean => typeof text === 'string' && Buffer.byteLength(text) > Number(value)
      const rule = {
        id: `${op.id}.bytes`,
        source: clause.source,
        text: `${spell(path)} has at most ${value} bytes.`,
        fields: [path.at(-1) as string],
        when: ({ body }: { readonly body: unknown }) => {
          const isBroken = valuesAt(body, path).some(isTooLong)
          if (isBroken) activate()
          return isBroken
        },
      }
      const other = { ...op, refusals: [...(op.refusals ?? []), rule] }
      return { operation: (at) => (at.id === op.id ? other : at) }
    }
    return [mutant(op, 'counts bytes for', clause.id, make, clause.id)]
  })

const replaced =
  (op: Operation, other: Operation): Make =>
  (activate) => ({
    operation: (at) => {
      if (at.id !== op.id) return at
      activate()
      return other
    },
  })

/** A copy of the schema with one keyword at one place changed. */
const altered = (schema: TSchema, { path, keyword }: Constraint, value: unknown): TSchema => {
  const [head, ...rest] = path
  if (head === undefined) return { ...schema, [keyword]: value }
  const inner: Constraint = { path: rest, keyword, value, schema }
  return head === '[]'
    ? { ...schema, items: altered(schema.items as TSchema, inner, value) }
    : {
        ...schema,
        properties: { ...schema.properties, [head]: altered(schema.properties[head] as TSchema, inner, value) },
      }
}

const effects = (op: Operation): readonly Mutant[] => {
  if (!op.apply || op.method === 'GET') return []
  const loses: Make = (activate) => ({
    world: (after, before, at) => {
      if (at.id !== op.id || after === before) return after
      activate()
      return before
    },
  })
  const leaks: Make = (activate) => ({
    leaks: (at) => {
      if (at.id === op.id) activate()
      return at.id === op.id
    },
  })
  return [
    mutant(op, 'loses its effect', '', loses, `${op.id}.takes-effect`),
    mutant(op, 'takes effect though refused', '', leaks, `${op.id}.refusal.unchanged`),
  ]
}

type Rewrite = (body: Record<string, unknown>) => unknown

const rewriting = (
  op: Operation,
  kind: string,
  what: string,
  accepted: boolean,
  rewrite: Rewrite,
  clause?: string,
): Mutant =>
  mutant(
    op,
    kind,
    what,
    (activate) => ({
      body: (body, at) =>
        at.id === op.id && isObject(body) && isRefusal(body) !== accepted
          ? differ(activate, body as unknown, rewrite(structuredClone(body)))
          : body,
    }),
    clause,
  )

/** Another value of the same type. */
export const otherThan = (value: unknown): unknown => {
  if (typeof value === 'string') return /^\d{4}-\d\d-\d\dT/.test(value) ? '2001-01-01T00:00:00Z' : `${value}x`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return value.length === 0 ? ['x'] : value.slice(1)
  if (value === null || value === undefined) return 1
  const [first] = Object.entries(value as object)
  return first ? { ...(value as object), [first[0]]: otherThan(first[1]) } : { x: 1 }
}

const shownFields = (op: Operation): readonly string[] =>
  op.reply.kind === 'record' && op.shows !== undefined
    ? [...new Set<string>([...op.reply.table.fields, ...Object.keys(op.reply.table.derived ?? {})])]
    : []

const replies = (op: Operation): readonly Mutant[] => {
  const own = new Set(clausesOf(op).map(({ id }) => id))
  const shown = op.reply.kind === 'record' ? op.reply.table.record : undefined
  const required = (field: string): string => `${op.id}.reply.${field}.required`
  return shownFields(op).flatMap((field) => [
    rewriting(
      op,
      'shows a wrong',
      field,
      true,
      (body) => (field in body ? { ...body, [field]: otherThan(body[field]) } : body),
      own.has(`${op.id}.shows.${field}`) ? `${op.id}.shows.${field}` : undefined,
    ),
    ...(shown
      ? [
          rewriting(op, 'leaves out', field, true, ({ [field]: _, ...body }) => body, required(field)),
          rewriting(op, 'shows an ill-typed', field, true, (body) => ({ ...body, [field]: { x: 1 } })),
        ]
      : []),
  ])
}

const dataIn = ({ data }: WireRecord): readonly unknown[] => data as readonly unknown[]

const listEdits: Readonly<Record<string, Rewrite>> = {
  'leaves out page': ({ page: _, ...body }) => body,
  'leaves out pages': ({ pages: _, ...body }) => body,
  'leaves out results': ({ results: _, ...body }) => body,
  'renames data': ({ data, ...body }) => ({ ...body, items: data }),
  'counts the page from 0': (body) => ({ ...body, page: Number(body.page) - 1 }),
  'counts a page too many': (body) => ({ ...body, pages: Number(body.pages) + 1 }),
  'counts a result too many': (body) => ({ ...body, results: Number(body.results) + 1 }),
  'loses the last record': (body) => ({ ...body, data: dataIn(body).slice(0, -1) }),
  'loses the last record and its count': (body) =>
    dataIn(body).length === 0 ? body : { ...body, data: dataIn(body).slice(0, -1), results: Number(body.results) - 1 },
  'shows the first record twice': (body) => {
    const data = dataIn(body)
    return { ...body, data: [...data.slice(0, 1), ...data].slice(0, data.length) }
  },
}

const lists = (op: Operation): readonly Mutant[] =>
  op.reply.kind === 'page' ? Object.entries(listEdits).map(([what, edit]) => rewriting(op, what, '', true, edit)) : []

const refusalEdits: readonly (readonly [
  what: string,
  slug: string,
  edit: (errors: readonly WireRecord[]) => object,
])[] = [
  ['calls errors something else', 'refusal.envelope', (errors) => ({ messages: errors })],
  ['leaves out the reason', 'refusal.envelope', (errors) => ({ errors: errors.map(({ field }) => ({ field })) })],
  [
    'blames another field',
    'refusal.field',
    (errors) => ({ errors: errors.map((error) => (error.field ? { ...error, field: 'other' } : error)) }),
  ],
]

const refusals = (op: Operation): readonly Mutant[] =>
  refusalEdits.map(([what, slug, edit]) =>
    rewriting(op, what, '', false, ({ errors }) => edit(errors as WireRecord[]), `${op.id}.${slug}`),
  )

const others = (op: Operation): readonly Mutant[] => [
  ...(op.reply.kind === 'empty'
    ? [rewriting(op, 'adds to the empty object', '', true, () => ({ ok: true }), `${op.id}.empty`)]
    : []),
  ...(op.emits ?? []).map(({ event }) =>
    mutant(op, 'does not emit', event, silencing(op, event), `${op.id}.emits.${event}`),
  ),
]

const silencing = (op: Operation, event: string): Make => {
  const without = (events: readonly string[]): readonly string[] => events.filter((one) => one !== event)
  return (activate) => ({
    events: (events, at) => (at.id === op.id ? differ(activate, events, without(events)) : events),
  })
}

/** A target that answers a removal as for what is gone, although it carried it out. */
const denying = (op: Operation): readonly Mutant[] => {
  if (op.method !== 'DELETE') return []
  const isDone = (at: Operation, body: unknown): boolean => at.id === op.id && !isRefusal(body)
  const make: Make = (activate) => {
    let denies = false
    return {
      body: (body, at) => {
        denies = isDone(at, body)
        if (denies) activate()
        return denies ? { errors: [{ reason: 'Not found' }] } : body
      },
      status: (status, at) => (at.id === op.id && denies ? 404 : status),
    }
  }
  return [mutant(op, 'acts and answers 404', '', make, `${op.id}.accepts`)]
}

/** Every mutant of an operation. */
export const mutantsOf = (op: Operation): readonly Mutant[] => [
  ...dropped(op),
  ...moved(op),
  ...ofBytes(op),
  ...demanding(op),
  ...effects(op),
  ...replies(op),
  ...lists(op),
  ...refusals(op),
  ...others(op),
  ...denying(op),
]
