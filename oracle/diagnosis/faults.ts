// Faults of one operation that would explain a symptom directly, named as the mutants of the registry are.

import { recordsIn } from '../../history/pages.js'
import { operationById } from '../../models/index.js'
import { type Clause, refusable, wordingOf } from '../../models/language/derive.js'
import { errorsIn } from '../../models/language/error-envelope.js'
import { isObject } from '../../models/language/objects.js'
import type { Operation } from '../../models/language/operation.js'
import { defaultPageSize } from '../../models/language/pagination.js'
import { type Constraint, constraintsOf, spell, type TSchema, valuesAt } from '../../models/language/schema.js'
import { blamedIn, isAbout, isRefused, replied, type Symptom } from './symptom.js'

/** The kinds of symptoms that follow from a fault indirectly. */
export type Consequence =
  /** Something is accepted that should not be. */
  | 'permits'
  /** Something is refused that should not be. */
  | 'refuses'
  /** The state differs from what replies say. */
  | 'world'
  /** A reply of one operation is wrong. */
  | 'reply'
  /** Nothing else. */
  | 'alone'

/** One way for one operation to be wrong. */
export interface Fault {
  readonly operation: string
  /** `drops volumes.resize.only-up`; with the operation before it, the id of a mutant. */
  readonly what: string
  /** The same without the operation: `drops only-up`. Faults that share it may have one cause. */
  readonly label: string
  /** The text; completes "behaves as if". */
  readonly text: string
  readonly consequence: Consequence
  /** The member of a body or record that it is about. */
  readonly member?: string
  /** The clause that does not hold where it is so, whatever else is sent. */
  readonly refutedBy?: string
}

/** A fault; by default its name is the same at every operation. */
export const fault = (
  operation: string,
  what: string,
  text: string,
  consequence: Consequence,
  more: Partial<Pick<Fault, 'label' | 'member' | 'refutedBy'>> = {},
): Fault => ({ operation, what, label: what, text, consequence, ...more })

/** Whether it has no better name than the broken clause. */
export const isNameless = ({ what }: Fault): boolean => /^(breaks|goes beyond) /.test(what)

/** Whether it says that something is not checked at all. */
export const isUnchecked = ({ label }: Fault): boolean => label.startsWith('drops ')

/** Whether it is that a look shows something wrongly. */
export const isOfLook = ({ consequence, operation }: Fault): boolean =>
  consequence === 'reply' && operationById(operation)?.method === 'GET'

export const absence = 'refuses every call'
export const refusedEffect = 'takes effect though refused'

export const lostEffect = 'loses its effect'
export const spread = 'changes something else'

export const losing = (operation: string): Fault =>
  fault(operation, lostEffect, 'accepted calls had no effect, or another one', 'world')

export const leaking = (operation: string): Fault =>
  fault(operation, refusedEffect, 'refused calls took effect', 'world')

/** Faults of the operation that a symptom is about. */
export const ownFaults = (symptom: Symptom): readonly Fault[] => {
  const { clause, kind, slug } = symptom
  if (kind === 'pin') return [broken(symptom)]
  if (kind === 'server-error') return [failing(symptom)]
  if (slug.startsWith('refusal.') && slug !== 'refusal.unchanged') return refusalFaults(symptom)
  if (clause?.kind === 'characters') return [countingBytes(symptom, clause)]
  if (slug === 'accepts' || kind === 'refused-within') return refusing(symptom)
  if (clause && refusable.has(clause.kind)) return dropping(symptom, clause)
  return replyFaults(symptom)
}

/** Names a fault after the broken clause if there is no better name. */
export const broken = ({ op, finding: { clause: id, requires }, slug, kind, clause }: Symptom): Fault => {
  const goesBeyond = kind === 'refused-within' && clause !== undefined && refusable.has(clause.kind)
  const [what, text] = goesBeyond
    ? ['goes beyond', `more were refused than this says: ${requires}`]
    : ['breaks', `this were not required: ${requires}`]
  return fault(op.id, `${what} ${id}`, text, 'alone', { label: `${what} ${slug}` })
}

/** Calls that are to be accepted, or to be refused, end in an error of the server: nothing was asked for, nothing checked. */
const failing = ({ op }: Symptom): Fault =>
  fault(op.id, 'fails', 'it had broken down: the server tells of an error of its own', 'alone')

/** A limit of characters is one of bytes. */
const countingBytes = (
  { op, slug }: Symptom,
  { id, constraint: { path } }: Extract<Clause, { readonly kind: 'characters' }>,
): Fault =>
  fault(op.id, `counts bytes for ${id}`, `the limit of ${spell(path)} were one of bytes`, 'alone', {
    label: `counts bytes for ${slug}`,
    ...memberAt(path),
  })

/** The member that a path ends in. */
const memberAt = (path: readonly string[]): Pick<Fault, 'member'> => {
  const member = path.findLast((part) => part !== '[]')
  return member === undefined ? {} : { member }
}

const dropping = ({ op, slug }: Symptom, clause: Clause): readonly Fault[] => {
  const member = clause.kind === 'constraint' || clause.kind === 'names' ? memberAt(clause.constraint.path) : {}
  const ofToken = `${op.id}.token`
  return familiesOf(clause, slug).map(([label, text = `this were not checked: ${clause.text}`]) =>
    // Where no token is checked, none is under another scheme.
    clause.kind === 'scheme' && label === unchecked
      ? fault(op.id, `drops ${ofToken}`, text, 'permits', { label, refutedBy: ofToken })
      : fault(op.id, `drops ${clause.id}`, text, 'permits', { label, ...member }),
  )
}

/** That tokens are not checked at all. */
const unchecked = 'drops token'

/** The families of a check, from the narrowest to the widest, with the text for each. */
export const familiesOf = (clause: Clause, slug: string): readonly (readonly [label: string, text?: string])[] => {
  switch (clause.kind) {
    case 'token':
      return [[unchecked, 'tokens were not checked']]
    case 'scheme':
      return [
        ['takes any scheme', 'tokens were taken under any scheme'],
        [unchecked, 'tokens were not checked'],
      ]
    case 'scope':
      return [['drops scopes', 'scopes of tokens were not checked']]
    case 'unrestricted':
      return [['drops grants', 'restrictions and grants of users were not checked']]
    case 'exists':
    case 'owned':
    case 'names':
      return [
        [`drops ${slug}`],
        ['drops existence', 'ids were not looked up in the account of the caller'],
        ...(clause.kind === 'names' ? [bodies] : []),
      ]
    case 'json':
      return [['drops json', 'bodies were not read as JSON'], bodies]
    case 'constraint': {
      const { place, constraint } = clause
      const member = `${place}.${spell(constraint.path)}`
      return [
        [`drops ${slug}`],
        member === 'query.page_size'
          ? ignoresPageSize
          : [`drops ${member}`, `${spell(constraint.path)} were not checked`],
        ...(place === 'path' ? [['drops path types', 'ids in paths were not checked for their type'] as const] : []),
        ...(place === 'query' ? [['drops query', 'queries were not checked'] as const] : []),
        ...(place === 'body'
          ? ([[`drops ${constraint.keyword}`, `${constraint.keyword} of members were not checked`], bodies] as const)
          : []),
      ]
    }
    default:
      return [[`drops ${slug}`], ...(slug.includes('grant') ? [['drops grants', grants] as const] : [])]
  }
}

const grants = 'restrictions and grants of users were not checked'
const ignoresPageSize = ['ignores page_size', '"page_size" were ignored'] as const
const bodies = ['drops body', 'bodies were not checked'] as const

const isEmptyRefusal = (symptom: Symptom): boolean => isRefused(symptom) && blamedIn(symptom).length === 0

/** Whether the status of a refusal may be about who calls; that of something that is not there, or is in conflict, is not. */
export const isBarred = ({ last }: Symptom): boolean =>
  last !== undefined && 'status' in last.outcome && [400, 401, 403].includes(last.outcome.status)

/** The operation is missing, or refuses every call. */
const absent = ({ op }: Symptom): Fault => fault(op.id, absence, 'it were not there: every call is refused', 'refuses')

/** Reasons for a wrong refusal, by the member that it names and by what was sent. */
const refusing = (symptom: Symptom): readonly Fault[] => {
  const { op, clause } = symptom
  const because = [
    ...blamedIn(symptom).flatMap((name) => tooStrict(symptom, name)),
    ...(clause?.kind === 'constraint' ? strictly(symptom, clause.place, clause.constraint) : []),
  ]
  const isOfScope =
    isBarred(symptom) && (clause?.kind === 'scope' || (isEmptyRefusal(symptom) && symptom.slug === 'accepts'))
  return [...because, absent(symptom), ...writeScope(symptom), ...(isOfScope ? [furtherScope(op)] : [])]
}

/** A token with a read-only scope is refused where others are not. */
const writeScope = ({ op, clause }: Symptom): readonly Fault[] =>
  clause?.kind === 'scope' && clause.scope.endsWith(':read_only')
    ? [fault(op.id, 'demands read_write', 'reading took a scope to write', 'refuses')]
    : []

const furtherScope = ({ id }: Operation): Fault =>
  fault(id, 'demands a further scope', 'it asked for more scopes than the document lists', 'refuses')

/** Faults about a member that a refusal names: it was left out, or its value is refused. */
const tooStrict = (symptom: Symptom, name: string): readonly Fault[] => {
  const { op, last } = symptom
  const sent = isObject(last?.call.body) ? last.call.body : {}
  const members = Object.keys(op.body?.properties ?? {})
  if (members.includes(name) && !(name in sent)) return [demands(op, name)]
  const at = (schema: TSchema | undefined): readonly Constraint[] =>
    schema ? constraintsOf(schema).filter(({ path }) => path.findLast((part) => part !== '[]') === name) : []
  return [
    ...at(op.body).flatMap((constraint) => strictly(symptom, 'body', constraint)),
    ...at(op.query).flatMap((constraint) => strictly(symptom, 'query', constraint)),
  ]
}

const demands = (op: Operation, name: string): Fault =>
  fault(op.id, `demands ${name}`, `"${name}" were required`, 'refuses', { member: name })

/** Faults about the sent value: a bound moved inwards past it, or it was taken out of the enum. */
const strictly = (symptom: Symptom, place: 'path' | 'query' | 'body', constraint: Constraint): readonly Fault[] => {
  const { op, last } = symptom
  const { path, keyword, value } = constraint
  const member = `${place}.${spell(path)}`
  const id = `${op.id}.${member}.${keyword}`
  const sent = valuesAt(place === 'query' ? last?.call.query : last?.call.body, path)
  const strict = (what: string, label: string, text: string, refutedBy?: string): Fault =>
    fault(op.id, what, text, 'refuses', { label, ...memberAt(path), ...(refutedBy !== undefined && { refutedBy }) })
  if (keyword === 'enum')
    return sent
      .filter((one) => (value as readonly unknown[]).includes(one))
      .map((one) => {
        const text = `${spell(path)} could not be ${JSON.stringify(one)}`
        return strict(`refuses ${one} of ${id}`, `refuses ${one} of ${member}`, text)
      })
  const isAtBound = sent.some((one) => sizeOf(one, keyword) === Number(value))
  const verb = keyword.startsWith('min') ? 'raises' : keyword.startsWith('max') ? 'lowers' : undefined
  if (!isAtBound || !verb) return []
  const text = `the bound were tighter: ${wordingOf(constraint)}`
  // It holds only where a value at the bound is accepted.
  return [strict(`${verb} ${id}`, `${verb} ${member}.${keyword}`, text, id)]
}

const sizeOf = (value: unknown, keyword: string): number | undefined =>
  keyword.endsWith('imum')
    ? Number(value)
    : typeof value === 'string' || Array.isArray(value)
      ? [...value].length
      : undefined

const refusalFaults = (symptom: Symptom): readonly Fault[] => {
  const { op, slug } = symptom
  const alone = (what: string, text: string): Fault => fault(op.id, what, text, 'alone')
  const isNamed = errorsIn(replied(symptom)) !== undefined
  if (slug === 'refusal.envelope')
    return isNamed && symptom.kind !== 'field-type'
      ? [alone('leaves out the reason', 'refusals had no reason')]
      : isNamed
        ? [alone('shows an ill-typed field', 'field of an error were no string')]
        : [alone('calls errors something else', 'refusals had no errors')]
  if (slug === 'refusal.status') return [alone('refuses with another status', 'refusals had no 4xx status')]
  const noField = alone('leaves out field', 'refusals never said which member is to blame')
  if (slug === 'refusal.field-present' || blamedIn(symptom).length === 0)
    return [noField, ...(slug === 'refusal.field' ? [absent(symptom), furtherScope(op)] : [])]
  const other = alone('blames another field', 'refusals named another member than the one to blame')
  return [...blamedIn(symptom).flatMap((name) => tooStrict(symptom, name)), other]
}

const lacking: readonly (readonly [what: string, text: string])[] = [
  ['loses the last record and its count', 'a record were missing from the list'],
  ['loses the last record', 'a page were one record short'],
]

const resultTooMany = ['counts a result too many', '"results" were not the number of all records'] as const

/** The members of a list and what is wrong with one of them. */
const listFaults: Readonly<Record<string, readonly (readonly [what: string, text: string])[]>> = {
  page: [['counts the page from 0', '"page" were another than the one asked for']],
  pages: [['counts a page too many', '"pages" were not the number of pages that "results" needs'], resultTooMany],
  results: [resultTooMany, ...lacking.slice(1)],
  complete: lacking,
  available: lacking,
  'heeds-page-size': [ignoresPageSize],
  'page-size': [ignoresPageSize, ...lacking.slice(1)],
  'no-duplicates': [['shows the first record twice', 'the list showed a record twice']],
  'only-live': [['lists what does not belong in it', 'the list held what was deleted or belongs to others']],
}

/** Whether a symptom shows a fault of a list only indirectly, as a record that is missing because another stands there twice. */
export const isToldByAnother = (id: string, { slug }: Symptom): boolean => {
  const isIt = ([what]: readonly [what: string, text: string]): boolean => id.endsWith(`: ${what}`)
  return Object.values(listFaults).flat().some(isIt) && listFaults[slug]?.some(isIt) !== true
}

/** Whether a full page tells of more results than its pages hold: who stops after the last of them misses the rest. */
const tellsOfTooFewPages = (
  { last }: Symptom,
  { data, pages, results }: Readonly<Record<string, unknown>>,
): boolean => {
  const size = Number(last?.call.query.page_size ?? defaultPageSize)
  return (data as readonly unknown[]).length === size && Number(results) > Number(pages) * size + 1
}

/** Faults about the numbers of a page and its records. */
const countFault = (symptom: Symptom): (typeof listFaults)[string] | undefined => {
  const body = replied(symptom)
  if (!isObject(body) || !Array.isArray(body.data)) return undefined
  if (tellsOfTooFewPages(symptom, body)) return listFaults.pages
  const isTooMany = body.pages === 1 && body.results === body.data.length + 1
  if (isTooMany && (symptom.slug === 'pages' || symptom.slug === 'page-size'))
    return [...(listFaults.results ?? []), ...lacking.slice(1)]
  const isTwice = new Set(body.data.map((record) => JSON.stringify(record))).size < body.data.length
  // Another record is pushed off the page by it, or the page is too long.
  if (isTwice && (symptom.slug === 'complete' || symptom.slug === 'page-size')) return listFaults['no-duplicates']
  // Either fault makes a page that others follow too short.
  return Number(body.pages) > 1 && symptom.slug === 'page-size' ? [ignoresPageSize, ...lacking] : undefined
}

const replyFaults = (symptom: Symptom): readonly Fault[] => {
  const { op, slug, kind, clause } = symptom
  const listed = countFault(symptom) ?? listFaults[slug]
  if (listed) return listed.map(([what, text]) => fault(op.id, what, text, 'reply'))
  const wrong = (member: string): Fault => showsWrong(op, member)
  if (clause?.kind === 'shows') return [wrong(clause.field)]
  if (clause?.kind === 'shape') return [shapeFault(symptom, clause.constraint)]
  if (slug === 'envelope') return [fault(op.id, ...envelopeFault(symptom), 'reply')]
  if (slug === 'empty') return [fault(op.id, 'adds to the empty object', 'its reply were not empty', 'alone')]
  if (clause?.kind === 'emits') return [fault(op.id, ...emissionFault(clause.event, symptom), 'alone')]
  if (slug === 'refusal.unchanged') return [leaking(op.id)]
  if (slug === 'takes-effect' || clause?.kind === 'effect')
    return [losing(op.id), ...(kind in (op.body?.properties ?? {}) ? [wrong(kind)] : [])]
  return wrongMembers(symptom).map(wrong)
}

/** The members of the record in the reply that a symptom is about: the one that a statement reads, or those that it goes by. */
const wrongMembers = (symptom: Symptom): readonly string[] => {
  const { op, clause, finding } = symptom
  if (isRefused(symptom)) return []
  if (clause?.kind === 'statement' && finding.member !== undefined) return [finding.member]
  const fields =
    op.reply.kind === 'record' ? [...op.reply.table.fields, ...Object.keys(op.reply.table.derived ?? {})] : []
  return fields.filter((field) => isAbout(symptom, field))
}

const emissionFault = (event: string, symptom: Symptom): readonly [what: string, text: string] => {
  if (symptom.kind === 'repeated') return [`emits twice ${event}`, `the event ${event} were emitted twice`]
  if (symptom.kind !== 'loud') return [`does not emit ${event}`, `the event ${event} were not emitted`]
  return isRefused(symptom)
    ? [`emits though refused ${event}`, `a refused call emitted the event ${event}`]
    : [
        `emits though nothing changes ${event}`,
        `the event ${event} were emitted though what it tells of had not happened`,
      ]
}

const envelopeFault = (symptom: Symptom): readonly [what: string, text: string] => {
  const body = replied(symptom)
  if (!isObject(body) || !Array.isArray(body.data)) return ['renames data', 'lists had no "data"']
  const missing = ['page', 'pages', 'results'].find((name) => !(name in body)) ?? 'page'
  return [`leaves out ${missing}`, `lists had no "${missing}"`]
}

export const showsWrong = ({ id }: Pick<Operation, 'id'>, member: string): Fault =>
  fault(id, `shows a wrong ${member}`, `"${member}" in the reply had another value`, 'reply', { member })

const shapeFault = (symptom: Symptom, { path, keyword, value }: Constraint): Fault => {
  const { op } = symptom
  const [member = ''] = path
  const records = recordsIn(replied(symptom))
  if (keyword === 'required' && path.length === 1)
    return fault(op.id, `leaves out ${member}`, `"${member}" were no part of the reply`, 'reply', { member })
  const values = records.flatMap((record) => valuesAt(record, path))
  const types = keyword === 'enum' ? (value as readonly unknown[]).map((one) => typeof one) : []
  const isOfType = (one: unknown): boolean =>
    keyword === 'enum' ? types.includes(typeof one) : keyword !== 'type' && keyword !== 'required'
  return values.some(isOfType) && !values.some(isObject)
    ? showsWrong(op, member)
    : fault(op.id, `shows an ill-typed ${member}`, `"${member}" in the reply had another type`, 'reply', { member })
}
