// Every clause of an operation, the derived ones first; the one catalogue that judging, probes, mutants and docs walk.

import type { ClauseLevel, ClauseText } from './clause.js'
import { grouped } from './grouped.js'
import { memoised } from './memoised.js'
import {
  type AnyTable,
  type Effect,
  isListed,
  type Operation,
  type Refusal,
  type ReplyChoice,
  type Silence,
  type Statement,
} from './operation.js'
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

/** A clause of an operation, derived where no rule of its own has it. */
const clause = (
  { id, area }: Operation,
  slug: string,
  level: ClauseLevel,
  source: string,
  text: string,
  what: ClauseKind = { kind: 'general' },
): Clause => ({ id: `${id}.${slug}`, level, source, text, operation: id, area, ...what })

/** The part of a clause's id after that of its operation. */
export const slugOf = ({ id, operation }: Pick<Clause, 'id' | 'operation'>): string => slugIn({ id: operation }, id)

/** The part of an id after that of an operation. */
export const slugIn = (op: Pick<Operation, 'id'>, id: string): string => id.slice(op.id.length + 1)

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

type Clauses = Generator<Clause, void, undefined>

function* accessClauses(op: Operation): Clauses {
  const source = 'Authentication'
  if (op.scopes) {
    yield clause(op, 'token', 'must', source, 'A call without a valid bearer token is refused.', { kind: 'token' })
    const text = 'A token is refused under another scheme than Bearer.'
    yield clause(op, 'token.scheme', 'should', source, text, { kind: 'scheme' })
  }
  for (const scope of op.scopes ?? []) {
    const text = `The token needs the scope ${scope}.`
    const slug = `scope.${scope.replace(':', '-')}`
    yield clause(op, slug, 'must', `${op.source}, scope; ${source}`, text, { kind: 'scope', scope })
  }
  if (op.unrestrictedOnly) {
    const text = 'Only unrestricted users of the account may call it.'
    const where = `${source}, "Permission rules beyond scopes"; Errors`
    yield clause(op, 'unrestricted', 'must', where, text, { kind: 'unrestricted' })
  }
}

function* pathClauses(op: Operation): Clauses {
  for (const [param, reference] of Object.entries(op.params)) {
    const isResource = typeof reference === 'object'
    if (isResource) {
      const source = `${op.source}; RFC 9110, 15.5.5`
      const text = `${param} names something that exists and is the caller's.`
      yield clause(op, `path.${param}.exists`, 'should', source, text, {
        kind: 'exists',
        param,
        table: reference.table,
      })
    }
    // A part of something has no owner of its own: the clause is that of the whole.
    if (isResource && op.owned !== undefined && reference.within === undefined) {
      // A deletion may succeed on something that the caller does not have: RFC 9110, 9.2.2, makes it idempotent.
      const level = op.method === 'DELETE' ? 'should' : 'must'
      const text = `${param} names nothing of another account.`
      yield clause(op, `path.${param}.owned`, level, op.owned, text, { kind: 'owned', param })
    }
    if ((isResource ? reference.type : reference) === 'integer') {
      const constraint: Constraint = { path: [param], keyword: 'type', value: 'integer', schema: {} as TSchema }
      const text = `${param} is an integer.`
      yield clause(op, `path.${param}.type`, 'should', op.source, text, {
        kind: 'constraint',
        place: 'path',
        constraint,
      })
    }
  }
}

const levelOf = ({ keyword, schema }: Constraint): ClauseLevel =>
  keyword === 'type'
    ? schema.level === 'choice'
      ? 'choice'
      : 'should'
    : ((schema.level as ClauseLevel | undefined) ?? 'must')

/** Whether other rules forbid all letters of several bytes in a text. */
const isAscii = ({ format, ascii }: TSchema): boolean => format !== undefined || ascii === true

function* schemaClauses(op: Operation, place: 'query' | 'body'): Clauses {
  const schema = op[place]
  // A body of a GET has no defined meaning (RFC 9110, 9.3.1), so it may be left unread.
  if (!schema || (place === 'body' && op.method === 'GET')) return
  for (const constraint of constraintsOf(schema)) {
    // Every query parameter is text.
    const isText = place === 'query' && constraint.keyword === 'type' && constraint.value === 'string'
    if (!isText) yield* constraintClauses(op, place, constraint)
  }
}

function* constraintClauses(op: Operation, place: 'query' | 'body', constraint: Constraint): Clauses {
  const { path, keyword, value, schema } = constraint
  const where = `${place}.${spell(path)}`
  const source = `${op.source}, ${spell(path)}`
  const text = `${wordingOf(constraint)}.`
  yield clause(op, `${where}.${keyword}`, levelOf(constraint), source, text, { kind: 'constraint', place, constraint })
  if (place === 'body' && keyword === 'maxLength' && !isAscii(schema)) {
    const taken = `Where letters of several bytes are taken in ${spell(path)}, ${value} of them are.`
    yield clause(op, `${where}.characters`, 'should', source, taken, { kind: 'characters', constraint })
  }
  if (schema.ref && (keyword === 'type' || keyword === 'enum')) {
    const level = schema.open === true ? 'choice' : 'should'
    const exists = `${spell(path)} names something that exists.`
    yield clause(op, `${where}.exists`, level, source, exists, { kind: 'names', constraint })
  }
}

/** For bodies of JSON that the operation asks for: a multipart body is none, and a body that is not foreseen need not be read. */
function* jsonClauses(op: Operation): Clauses {
  if (op.body && op.method !== 'GET')
    yield clause(op, 'body.json', 'should', 'Preamble, "JSON unless stated"', 'A body that is no JSON is refused.', {
      kind: 'json',
    })
}

function* ruleClauses(op: Operation): Clauses {
  const { refusals = [], silences = [], statements = [], effects = [], choices = [], emits = [] } = op
  const own = (
    { id, source, text }: Pick<ClauseText, 'id' | 'source' | 'text'>,
    level: ClauseLevel,
    what: ClauseKind,
  ): Clause => clause(op, slugIn(op, id), level, source, text, what)
  for (const rule of refusals) yield own(rule, rule.level ?? 'must', { kind: 'refusal', rule })
  for (const rule of silences) yield own(rule, rule.level ?? 'choice', { kind: 'silence', rule })
  for (const rule of silences)
    if (rule.spellings)
      yield own({ ...rule, id: `${rule.id}.some`, text: rule.spellings.text }, 'should', { kind: 'some', rule })
  for (const rule of statements) yield own(rule, rule.level ?? 'must', { kind: 'statement', rule })
  for (const rule of effects) yield own(rule, 'must', { kind: 'effect', rule })
  for (const choice of choices) yield own(choice, 'choice', { kind: 'choice', choice })
  for (const { event, alone = 'must' } of emits) {
    const text = `A call that is refused, or does not do what the event ${event} tells of, emits none.`
    yield clause(op, `emits.${event}`, 'must', 'Events', `A success emits the event ${event}.`, {
      kind: 'emits',
      event,
    })
    yield clause(op, `emits.${event}.alone`, alone, 'Events', text, { kind: 'emits', event })
  }
}

const resources = 'Resources and their fields'

function* recordClauses(op: Operation): Clauses {
  if (!('table' in op.reply)) return
  const { record, fields, drifting = [], derived = {} } = op.reply.table
  for (const constraint of record ? constraintsOf(record) : []) {
    const member = spell(constraint.path)
    const text = `In the reply, ${wordingOf(constraint)}.`
    yield clause(op, `reply.${member}.${constraint.keyword}`, 'must', `${resources}, ${member}`, text, {
      kind: 'shape',
      constraint,
    })
  }
  // A field that changes by itself is shown with its value at that time.
  for (const field of new Set([...fields.filter((one) => !drifting.includes(one)), ...Object.keys(derived)])) {
    const text = `In the reply, ${field} has the value that earlier calls gave it.`
    yield clause(op, `shows.${field}`, 'must', `${op.source}; ${resources}`, text, { kind: 'shows', field })
  }
}

const envelope = `${resources}, "Collection envelope"`
const pagination = `${envelope}; Limits, "Pagination"`
const complete = 'The list holds everything that exists and belongs in it.'
const onlyLive =
  'The list holds nothing that was deleted, that belongs to another account, or that does not belong in it.'
const whole = 'The reply has data (an array of objects) and the integers page, pages and results.'

function* listClauses(op: Operation): Clauses {
  const { reply } = op
  if (!isListed(reply)) return
  if (reply.kind === 'records' || !reply.table.nameless) {
    yield clause(op, 'complete', 'must', op.source, complete)
    yield clause(op, 'only-live', 'must', op.source, onlyLive)
    yield clause(op, 'no-duplicates', 'must', op.source, 'Nothing is listed twice.')
  }
  if (reply.kind === 'records') return
  yield clause(op, 'envelope', 'must', envelope, whole)
  yield clause(op, 'page', 'must', envelope, 'page is the page that was asked for, 1 by default.')
  yield clause(op, 'pages', 'must', pagination, 'pages is the number of pages that results needs at this page size.')
  yield clause(op, 'page-size', 'must', pagination, 'A page holds page_size records, the last one the rest.')
  yield clause(op, 'results', 'must', envelope, 'results is the number of all records.')
}

function* acceptanceClauses(op: Operation): Clauses {
  const { reply, source } = op
  yield clause(op, 'accepts', op.acceptance ?? 'must', source, 'A call that breaks no rule is accepted.')
  yield clause(op, 'json', 'must', 'Preamble, "JSON unless stated"', 'A reply that has a body has a JSON body.')
  if (reply.kind === 'empty') yield clause(op, 'empty', 'must', source, 'The reply is an empty object.')
  const isNew = 'What is created is new: its id is not that of something that exists.'
  if (op.makes) yield clause(op, 'new', 'must', source, isNew)
  const effect = 'What a successful call changes is what later replies show.'
  if (op.method !== 'GET' && op.apply && op.unshown === undefined)
    yield clause(op, 'takes-effect', 'must', source, effect)
  if (reply.kind === 'record' && !reply.table.record && op.method === 'GET')
    yield clause(op, 'object', 'should', source, 'The reply is an object.')
}

/** Whether the document says anything by which a query can be wrong. */
const mayBeWrong = (op: Operation): boolean => [...schemaClauses(op, 'query')].some((one) => !isOpen(one))

const errors = `${resources}, "Error envelope"`
const carries = 'A refusal carries errors, an array of objects each with field and reason.'
const inRange = 'A refusal has a 4xx status; a mistake of the client is no error of the server.'

function* refusalClauses(op: Operation): Clauses {
  yield clause(op, 'refusal.envelope', 'must', 'Errors; "Error envelope"', carries)
  const mayBlame = op.body || mayBeWrong(op) || (op.refusals ?? []).some(({ fields }) => fields?.length)
  if (mayBlame)
    yield clause(op, 'refusal.field', 'must', errors, 'Where one member is to blame, the refusal names it in field.')
  const present = 'Every error has a field, also where no member is to blame.'
  yield clause(op, 'refusal.field-present', 'should', errors, present)
  yield clause(op, 'refusal.status', 'should', 'RFC 9110, 15.5', inRange)
  const [level, source] = op.undone ? (['must', `${op.source}; Errors`] as const) : (['should', 'Errors'] as const)
  if (op.method !== 'GET') yield clause(op, 'refusal.unchanged', level, source, 'A refused call changes nothing.')
}

/** Kinds of clauses for which a call is refused: a target that drops one takes what it has to refuse. */
export const refusable: ReadonlySet<Clause['kind']> = new Set([
  'token',
  'scheme',
  'scope',
  'unrestricted',
  'exists',
  'owned',
  'constraint',
  'json',
  'names',
  'refusal',
])

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
  ...acceptanceClauses(op),
  ...refusalClauses(op),
  ...recordClauses(op),
  ...listClauses(op),
])

const byKind = memoised(
  (op: Operation): ReadonlyMap<string, readonly Clause[]> => grouped(clausesOf(op), ({ kind }) => kind),
)

/** An operation's clauses of one kind, in their order. */
export const clausesOfKind = <K extends ClauseKind['kind']>(
  op: Operation,
  kind: K,
): readonly Extract<Clause, { readonly kind: K }>[] =>
  (byKind(op).get(kind) ?? []) as readonly Extract<Clause, { readonly kind: K }>[]
