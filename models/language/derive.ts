// Every clause of an operation, the derived ones first; the one catalogue that judging, probes, mutants and docs walk.

import type { ClauseLevel, ClauseText } from './clause.js'
import { memoised } from './memoised.js'
import type { AnyTable, Effect, Operation, Refusal, ReplyChoice, Silence, Statement } from './operation.js'
import { type Constraint, constraintsOf, spell, type TSchema } from './schema.js'

// biome-ignore lint/suspicious/noExplicitAny: rules of ninety differently typed operations in one list
type Some = any

export type ClauseKind =
  | { readonly kind: 'token' }
  /** A token under another scheme than the one that is shown. */
  | { readonly kind: 'scheme' }
  | { readonly kind: 'scope'; readonly scope: string }
  | { readonly kind: 'unrestricted' }
  | { readonly kind: 'exists'; readonly param: string; readonly table: AnyTable }
  /** A path parameter names something of another account. */
  | { readonly kind: 'owned'; readonly param: string }
  | { readonly kind: 'constraint'; readonly place: Place; readonly constraint: Constraint }
  /** A body that is no JSON. */
  | { readonly kind: 'json' }
  /** A member of the body names a resource that does not exist. */
  | { readonly kind: 'names'; readonly constraint: Constraint }
  | { readonly kind: 'refusal'; readonly rule: Refusal<Some, Some, Some> }
  | { readonly kind: 'silence'; readonly rule: Silence<Some, Some, Some> }
  | { readonly kind: 'statement'; readonly rule: Statement<Some, Some, Some> }
  | { readonly kind: 'choice'; readonly choice: ReplyChoice<Some, Some, Some> }
  | { readonly kind: 'effect'; readonly rule: Effect }
  | { readonly kind: 'emits'; readonly event: string }
  /** A keyword of the reply's schema. */
  | { readonly kind: 'shape'; readonly constraint: Constraint }
  /** A field of a shown record agrees with what is believed. */
  | { readonly kind: 'shows'; readonly field: string }
  /** At least one of several spellings of a value is accepted. */
  | { readonly kind: 'some'; readonly rule: Silence<Some, Some, Some> }
  /** A maximum length counts characters, not bytes. */
  | { readonly kind: 'characters'; readonly constraint: Constraint }
  /** Any other clause, by its slug. */
  | { readonly kind: 'general' }

export type Place = 'path' | 'query' | 'body'
export type Clause = ClauseText & { readonly operation: string; readonly area: string } & ClauseKind

/** The text of a clause, with the parts that differ from clause to clause filled in. */
const general = (op: Operation, slug: string, level: ClauseLevel, source: string, text: string) => ({
  ...clause(op, slug, level, source, text),
  kind: 'general' as const,
})

const clause = (op: Operation, slug: string, level: ClauseLevel, source: string, text: string) => ({
  id: `${op.id}.${slug}`,
  level,
  source,
  text,
  operation: op.id,
  area: op.area,
})

const counted = (count: unknown, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

const bounds: Readonly<Record<string, (value: unknown) => string>> = {
  required: () => 'is required',
  type: (value) => `is of type ${[value].flat().join(' or ')}`,
  enum: (value) => `is one of ${(value as unknown[]).join(', ')}`,
  minLength: (value) => `has at least ${counted(value, 'character')}`,
  maxLength: (value) => `has at most ${counted(value, 'character')}`,
  minimum: (value) => `is at least ${value}`,
  maximum: (value) => `is at most ${value}`,
  minItems: (value) => `has at least ${counted(value, 'item')}`,
  maxItems: (value) => `has at most ${counted(value, 'item')}`,
  format: (value) => `is a well-formed ${value}`,
}

export const wordingOf = ({ path, keyword, value }: Constraint): string =>
  `${spell(path)} ${bounds[keyword]?.(value) ?? keyword}`

const accessClauses = (op: Operation): readonly Clause[] => [
  ...(op.scopes === undefined
    ? []
    : [
        {
          ...clause(op, 'token', 'must', 'Authentication', 'A call without a valid bearer token is refused.'),
          kind: 'token' as const,
        },
        {
          ...clause(
            op,
            'token.scheme',
            'should',
            'Authentication',
            'A token is refused under another scheme than Bearer.',
          ),
          kind: 'scheme' as const,
        },
      ]),
  ...(op.scopes ?? []).map((scope) => ({
    ...clause(
      op,
      `scope.${scope.replace(':', '-')}`,
      'must',
      `${op.source}, scope; Authentication`,
      `The token needs the scope ${scope}.`,
    ),
    kind: 'scope' as const,
    scope,
  })),
  ...(op.unrestrictedOnly
    ? [
        {
          ...clause(
            op,
            'unrestricted',
            'must',
            'Authentication, "Permission rules beyond scopes"; Errors',
            'Only unrestricted users of the account may call it.',
          ),
          kind: 'unrestricted' as const,
        },
      ]
    : []),
]

const pathClauses = (op: Operation): readonly Clause[] =>
  Object.entries(op.params).flatMap(([param, reference]): Clause[] => {
    const isInteger = reference === 'integer' || (typeof reference === 'object' && reference.type === 'integer')
    const constraint: Constraint = { path: [param], keyword: 'type', value: 'integer', schema: {} as TSchema }
    return [
      ...(typeof reference === 'object'
        ? [
            {
              ...clause(
                op,
                `path.${param}.exists`,
                'should',
                `${op.source}; RFC 9110, 15.5.5`,
                `${param} names something that exists and is the caller's.`,
              ),
              kind: 'exists' as const,
              param,
              table: reference.table,
            },
            ...(op.owned === undefined
              ? []
              : [
                  {
                    // A deletion may succeed on something that the caller does not have: RFC 9110, 9.2.2, makes it idempotent.
                    ...clause(
                      op,
                      `path.${param}.owned`,
                      op.method === 'DELETE' ? 'should' : 'must',
                      op.owned,
                      `${param} names nothing of another account.`,
                    ),
                    kind: 'owned' as const,
                    param,
                  },
                ]),
          ]
        : []),
      ...(isInteger
        ? [
            {
              ...clause(op, `path.${param}.type`, 'should', op.source, `${param} is an integer.`),
              kind: 'constraint' as const,
              place: 'path' as const,
              constraint,
            },
          ]
        : []),
    ]
  })

const levelOf = ({ keyword, schema }: Constraint): ClauseLevel =>
  keyword === 'type'
    ? schema.level === 'choice'
      ? 'choice'
      : 'should'
    : ((schema.level as ClauseLevel | undefined) ?? 'must')

/** Whether other rules forbid all letters of several bytes in a text. */
const isAscii = ({ format, ascii }: TSchema): boolean => format !== undefined || ascii === true

const schemaClauses = (op: Operation, place: 'query' | 'body'): readonly Clause[] => {
  const schema = op[place]
  // A body of a GET has no defined meaning (RFC 9110, 9.3.1), so it may be left unread.
  if (!schema || (place === 'body' && op.method === 'GET')) return []
  return constraintsOf(schema).flatMap((constraint): Clause[] => {
    // Every query parameter is text.
    if (place === 'query' && constraint.keyword === 'type' && constraint.value === 'string') return []
    const where = `${place}.${spell(constraint.path)}`
    const named = constraint.schema.ref as string | undefined
    return [
      {
        ...clause(
          op,
          `${where}.${constraint.keyword}`,
          levelOf(constraint),
          `${op.source}, ${spell(constraint.path)}`,
          `${wordingOf(constraint)}.`,
        ),
        kind: 'constraint',
        place,
        constraint,
      },
      ...(place === 'body' && constraint.keyword === 'maxLength' && !isAscii(constraint.schema)
        ? [
            {
              ...clause(
                op,
                `${where}.characters`,
                'should',
                `${op.source}, ${spell(constraint.path)}`,
                `Where letters of several bytes are taken in ${spell(constraint.path)}, ${constraint.value} of them are.`,
              ),
              kind: 'characters' as const,
              constraint,
            },
          ]
        : []),
      ...(named && (constraint.keyword === 'type' || constraint.keyword === 'enum')
        ? [
            {
              ...clause(
                op,
                `${where}.exists`,
                constraint.schema.open === true ? 'choice' : 'should',
                `${op.source}, ${spell(constraint.path)}`,
                `${spell(constraint.path)} names something that exists.`,
              ),
              kind: 'names' as const,
              constraint,
            },
          ]
        : []),
    ]
  })
}

/** A multipart body is none of JSON, and one that is not foreseen need not be read. */
const jsonClauses = (op: Operation): readonly Clause[] =>
  op.body && op.method !== 'GET'
    ? [
        {
          ...clause(op, 'body.json', 'should', 'Preamble, "JSON unless stated"', 'A body that is no JSON is refused.'),
          kind: 'json',
        },
      ]
    : []

const ruleClauses = (op: Operation): readonly Clause[] => {
  const own = (rule: { readonly id: string; readonly source: string; readonly text: string }, level: ClauseLevel) => ({
    id: rule.id,
    level,
    source: rule.source,
    text: rule.text,
    operation: op.id,
    area: op.area,
  })
  return [
    ...(op.refusals ?? []).map((rule) => ({ ...own(rule, rule.level ?? 'must'), kind: 'refusal' as const, rule })),
    ...(op.silences ?? []).map((rule) => ({ ...own(rule, rule.level ?? 'choice'), kind: 'silence' as const, rule })),
    ...(op.silences ?? []).flatMap((rule) =>
      rule.spellings
        ? [
            {
              ...own({ ...rule, id: `${rule.id}.some`, text: rule.spellings.text }, 'should'),
              kind: 'some' as const,
              rule,
            },
          ]
        : [],
    ),
    ...(op.statements ?? []).map((rule) => ({ ...own(rule, rule.level ?? 'must'), kind: 'statement' as const, rule })),
    ...(op.effects ?? []).map((rule) => ({ ...own(rule, 'must'), kind: 'effect' as const, rule })),
    ...(op.choices ?? []).map((choice) => ({ ...own(choice, 'choice'), kind: 'choice' as const, choice })),
    ...(op.emits ?? []).flatMap(({ event, alone = 'must' as const }) => [
      {
        ...clause(op, `emits.${event}`, 'must', 'Events', `A success emits the event ${event}.`),
        kind: 'emits' as const,
        event,
      },
      {
        ...clause(
          op,
          `emits.${event}.alone`,
          alone,
          'Events',
          `A call that is refused, or does not do what the event ${event} tells of, emits none.`,
        ),
        kind: 'emits' as const,
        event,
      },
    ]),
  ]
}

const recordClauses = (op: Operation): readonly Clause[] => {
  const { reply } = op
  if (!('table' in reply)) return []
  const schema = reply.table.record
  const shapes = schema ? constraintsOf(schema) : []
  // A field that changes by itself is shown with its value at that time.
  const isFixed = (field: string): boolean => !reply.table.drifting?.some((one) => one === field)
  const shown = new Set<string>([...reply.table.fields.filter(isFixed), ...(reply.table.derived ?? [])])
  return [
    ...shapes.map((constraint) => ({
      ...clause(
        op,
        `reply.${spell(constraint.path)}.${constraint.keyword}`,
        'must',
        `Resources and their fields, ${spell(constraint.path)}`,
        `In the reply, ${wordingOf(constraint)}.`,
      ),
      kind: 'shape' as const,
      constraint,
    })),
    ...[...shown].map((field) => ({
      ...clause(
        op,
        `shows.${field}`,
        'must',
        `${op.source}; Resources and their fields`,
        `In the reply, ${field} has the value that earlier calls gave it.`,
      ),
      kind: 'shows' as const,
      field,
    })),
  ]
}

const envelope = 'Resources and their fields, "Collection envelope"'
const listClauses = (op: Operation): readonly Clause[] => {
  const { reply } = op
  if (reply.kind !== 'page' && reply.kind !== 'records') return []
  const both = [
    general(op, 'complete', 'must', op.source, 'The list holds everything that exists and belongs in it.'),
    general(
      op,
      'only-live',
      'must',
      op.source,
      'The list holds nothing that was deleted, that belongs to another account, or that does not belong in it.',
    ),
    general(op, 'no-duplicates', 'must', op.source, 'Nothing is listed twice.'),
  ]
  if (reply.kind === 'records') return both
  return [
    ...(reply.table.nameless ? [] : both),
    general(
      op,
      'envelope',
      'must',
      envelope,
      'The reply has data (an array of objects) and the integers page, pages and results.',
    ),
    general(op, 'page', 'must', envelope, 'page is the page that was asked for, 1 by default.'),
    general(
      op,
      'pages',
      'must',
      `${envelope}; Limits, "Pagination"`,
      'pages is the number of pages that results needs at this page size.',
    ),
    general(
      op,
      'page-size',
      'must',
      `${envelope}; Limits, "Pagination"`,
      'A page holds page_size records, the last one the rest.',
    ),
    general(op, 'results', 'must', envelope, 'results is the number of all records.'),
  ]
}

/** Whether the document says anything by which a query can be wrong. */
const mayBeWrong = (op: Operation): boolean => schemaClauses(op, 'query').some((one) => !isOpen(one))

const outcomeClauses = (op: Operation): readonly Clause[] => [
  general(op, 'accepts', op.acceptance ?? 'must', op.source, 'A call that breaks no rule is accepted.'),
  general(op, 'json', 'must', 'Preamble, "JSON unless stated"', 'A reply that has a body has a JSON body.'),
  ...(op.reply.kind === 'empty' ? [general(op, 'empty', 'must', op.source, 'The reply is an empty object.')] : []),
  ...(op.makes
    ? [general(op, 'new', 'must', op.source, 'What is created is new: its id is not that of something that exists.')]
    : []),
  ...(op.method !== 'GET' && op.apply && op.unshown === undefined
    ? [general(op, 'takes-effect', 'must', op.source, 'What a successful call changes is what later replies show.')]
    : []),
  ...(op.reply.kind === 'record' && !op.reply.table.record && op.method === 'GET'
    ? [general(op, 'object', 'should', op.source, 'The reply is an object.')]
    : []),
  general(
    op,
    'refusal.envelope',
    'must',
    'Errors; "Error envelope"',
    'A refusal carries errors, an array of objects each with field and reason.',
  ),
  ...(op.body || mayBeWrong(op) || (op.refusals ?? []).some(({ fields }) => fields?.length)
    ? [
        general(
          op,
          'refusal.field',
          'must',
          'Resources and their fields, "Error envelope"',
          'Where one member is to blame, the refusal names it in field.',
        ),
      ]
    : []),
  general(
    op,
    'refusal.field-present',
    'should',
    'Resources and their fields, "Error envelope"',
    'Every error has a field, also where no member is to blame.',
  ),
  general(
    op,
    'refusal.status',
    'should',
    'RFC 9110, 15.5',
    'A refusal has a 4xx status; a mistake of the client is no error of the server.',
  ),
  ...(op.method === 'GET'
    ? []
    : [
        general(
          op,
          'refusal.unchanged',
          op.undone ? 'must' : 'should',
          op.undone ? `${op.source}; Errors` : 'Errors',
          'A refused call changes nothing.',
        ),
      ]),
]

/** Whether a call may be either refused or accepted if only this clause applies. */
export const isOpen = ({ kind, level }: Clause): boolean => kind === 'silence' || level === 'choice'

/** All clauses of an operation. */
export const clausesOf = memoised((op: Operation): readonly Clause[] => [
  ...accessClauses(op),
  ...pathClauses(op),
  ...schemaClauses(op, 'query'),
  ...schemaClauses(op, 'body'),
  ...jsonClauses(op),
  ...ruleClauses(op),
  ...outcomeClauses(op),
  ...recordClauses(op),
  ...listClauses(op),
])

const byKind = memoised((op: Operation): ReadonlyMap<string, readonly Clause[]> => {
  const groups = new Map<string, Clause[]>()
  for (const clause of clausesOf(op)) groups.set(clause.kind, [...(groups.get(clause.kind) ?? []), clause])
  return groups
})

/** An operation's clauses of one kind, in their order. */
export const clausesOfKind = <K extends ClauseKind['kind']>(
  op: Operation,
  kind: K,
): readonly Extract<Clause, { readonly kind: K }>[] =>
  (byKind(op).get(kind) ?? []) as readonly Extract<Clause, { readonly kind: K }>[]
