// Which clauses are due for a call in a world: what must be refused, what may be, and what must be accepted.

import type { WireCall } from '../history/wire.js'
import { isMisplaced, isRestricted, lacksScope } from '../models/language/access.js'
import { lose } from '../models/language/changes.js'
import type { Ternary } from '../models/language/clause.js'
import { type Clause, clausesOfKind, isOpen } from '../models/language/derive.js'
import { isObject, omit } from '../models/language/objects.js'
import type { AnyTable, Facts, Operation } from '../models/language/operation.js'
import { spell, type TObject, type TSchema, valuesAt } from '../models/language/schema.js'
import { type AnyEntity, find, isClosed, type World } from '../models/language/world.js'
import { clauseOf, type Due, due } from './clauses.js'
import { bodyDue, check, namesIn, pagingSilences, sharpened, type Unsaid, unknownMembers } from './content.js'
import { isMalformed, latentsMeant, type Read } from './facts.js'
import { breachesOf } from './validate.js'

export interface Expectation {
  readonly kind: 'accept' | 'refuse' | 'either'
  /** Everything due, surely or possibly. */
  readonly due: readonly Due[]
  /** Why a refusal is free, beside what is possibly due: things on which the document is silent. */
  readonly silences: readonly Unsaid[]
  /** Rules that seem to apply to a call that is ill-formed or names a missing entity: a refusal may be for one of them as well. */
  readonly seeming: readonly Due[]
}

const accessDue = (op: Operation, { caller }: Read, { as }: WireCall): readonly Due[] => {
  if (caller.anonymous)
    return clausesOfKind(op, isMisplaced(as) ? 'scheme' : 'token').flatMap((clause) => due(clause, true))
  return [
    ...clausesOfKind(op, 'scope').flatMap((clause) => due(clause, lacksScope(caller, clause.scope))),
    ...clausesOfKind(op, 'unrestricted').flatMap((clause) => due(clause, isRestricted(caller))),
  ]
}

/** Whether a parameter names a part of an entity that the path names before it and that is missing: then it is not looked up. */
const isOrphan = (op: Operation, read: Read, param: string): boolean => {
  const reference = op.params[param]
  if (typeof reference !== 'object' || !reference.within) return false
  const at = read.named.findIndex((one) => one.param === param)
  return read.named.slice(0, at).some(({ resolution }) => !('entity' in resolution))
}

const pathDue = (op: Operation, read: Read, call: WireCall): readonly Due[] => [
  ...clausesOfKind(op, 'exists').flatMap((clause) => existenceDue(op, read, call, clause)),
  ...clausesOfKind(op, 'constraint').flatMap((clause) => {
    if (clause.place !== 'path') return []
    const name = clause.constraint.path[0] as string
    return isMalformed(op.params[name] ?? 'string', call.path[name] ?? '') ? due(clause, true) : []
  }),
]

/** What is due because a parameter of the path names nothing that the caller may reach. */
const existenceDue = (
  op: Operation,
  read: Read,
  call: WireCall,
  clause: Extract<Clause, { readonly kind: 'exists' }>,
): readonly Due[] => {
  const { param } = clause
  const resolution = read.named.find((one) => one.param === param)?.resolution
  if (!resolution || isOrphan(op, read, param)) return []
  switch (resolution.kind) {
    case 'never':
      return due((resolution.foreign && clauseOf(op, `path.${param}.owned`)) || clause, true)
    case 'gone':
      return due(clause, true)
    case 'malformed':
      // A malformed name, such as a text that is no address, names nothing. A malformed integer has a clause of its own.
      return isMalformed(op.params[param] ?? 'string', call.path[param] ?? '') ? [] : due(clause, true)
    case 'unknown':
      // An anonymous caller has no account, so it is not known whose resources the path names.
      return read.caller.anonymous ? [] : due(clause, undefined)
    case 'found':
      return []
  }
}

/** Whether something belongs to another account than the caller's. */
const isForeign = ({ account }: AnyEntity, caller: string | undefined): boolean =>
  account !== undefined && caller !== undefined && account !== caller

/** The other members of the same array item: together they name one thing (a bucket in a cluster), so a refusal may blame any of them. */
const besideIn = (schema: TSchema | undefined, path: readonly string[]): readonly string[] =>
  path.at(-2) === '[]' && schema ? membersAt(schema, path.slice(0, -1)) : []

const membersAt = (schema: TSchema, [name, ...rest]: readonly string[]): readonly string[] => {
  const { properties = {}, items } = schema as Partial<TObject> & { readonly items?: TSchema }
  const inner = name === '[]' ? items : properties[name ?? '']
  return name === undefined ? Object.keys(properties) : inner ? membersAt(inner, rest) : []
}

const namedDue = (op: Operation, read: Read, world: World): readonly Due[] =>
  clausesOfKind(op, 'names').flatMap((clause) => {
    const table = { name: clause.constraint.schema.ref } as AnyTable
    const unresolved = valuesAt(read.facts.body, clause.constraint.path).flatMap((key) => {
      if (typeof key !== 'string' && typeof key !== 'number') return []
      const entity = find(world, table, key)
      return entity === undefined || isForeign(entity, read.facts.account) ? [entity] : []
    })
    if (unresolved.length === 0) return []
    return due(
      clause,
      unresolved.some((entity) => entity !== undefined) || isClosed(world, table, read.facts.account) || undefined,
      [
        ...besideIn(op.body, clause.constraint.path),
        ...tiedTo(op, read, clause.constraint.path),
        ...namesIn(spell(clause.constraint.path)),
      ],
    )
  })

/** Members of the call that a rule ties to this one: a profile is missing where its node is. */
const tiedTo = (op: Operation, { facts }: Read, path: readonly string[]): readonly string[] =>
  clausesOfKind(op, 'refusal').flatMap(({ rule: { fields = [] } }) =>
    fields.includes(String(path.at(-1))) ? fields.filter((name) => valuesAt(facts.body, [name]).length > 0) : [],
  )

type Ruled = Extract<Clause, { readonly kind: 'refusal' | 'silence' }>

const unread = Symbol('an ill-formed body or query')

/** A rule's answer. For an ill-formed call, rules that read the body or the query do not apply. */
const answerOf = ({ rule }: Ruled, facts: Facts): Ternary => {
  try {
    return rule.when(facts)
  } catch (thrown) {
    if (thrown === unread) return false
    throw thrown
  }
}

/** The facts of an ill-formed call: a rule that reads its content stops there (see `answerOf`). */
const withoutContent = (read: Read): Read => {
  const ends = (): never => {
    throw unread
  }
  const facts = Object.defineProperties({ ...read.facts }, { body: { get: ends }, query: { get: ends } })
  return { ...read, facts }
}

/** While a body is ill-formed no grants for what it names are required, but a refusal may be for them. */
const grantSilences = ({ caller }: Read, wellFormed: boolean): readonly Unsaid[] =>
  wellFormed || isRestricted(caller) === false ? [] : [{ text: 'grants that a restricted user may lack' }]

const fieldsOf = ({ rule }: Ruled): readonly string[] => rule.fields ?? []

/** What the rules of an operation answer about a call, those that do not apply left out. */
interface Answers {
  readonly due: readonly Due[]
  readonly silences: readonly Due[]
}

/** A rule's answer is open where it depends on whether the call names what was made without its id being told. */
const answersTo = (op: Operation, read: Read): Answers => {
  const { facts } = read
  const others = withoutMeant(read)
  const answer = (clause: Ruled): Ternary => {
    const one = answerOf(clause, facts)
    return others && answerOf(clause, others) !== one ? undefined : one
  }
  const answered = (clauses: readonly Ruled[]): readonly Due[] =>
    clauses.flatMap((clause) => due(clause, answer(clause), fieldsOf(clause)))
  return { due: answered(clausesOfKind(op, 'refusal')), silences: answered(clausesOfKind(op, 'silence')) }
}

/** The facts without what the path may mean though its id was not told; undefined where there is none. */
const withoutMeant = (read: Read): Facts | undefined => {
  const { facts } = read
  const meant = latentsMeant(facts.world, read)
  if (meant.length === 0) return undefined
  const world = meant.reduce((before, { table, key }) => lose(before, table, key), facts.world)
  // Getters are copied as they are: content that must not be read is still not read.
  return Object.create(null, { ...Object.getOwnPropertyDescriptors(facts), world: { value: world, enumerable: true } })
}

/**
 * Rules that apply to an ill-formed call as far as they can read it, those that may and blame certain members, and the missing entities
 * that it names.
 */
const seemingDue = (op: Operation, read: Read, world: World): readonly Due[] => {
  const given = withoutUnreadable(op, read.facts)
  const mayApply = (clause: Ruled): boolean => {
    const answers = [read.facts, given].map((facts) => seen(clause, facts))
    return answers.includes(true) || (fieldsOf(clause).length > 0 && answers.includes(undefined))
  }
  const seeming = [
    ...clausesOfKind(op, 'refusal').filter(mayApply),
    ...clausesOfKind(op, 'silence').filter((clause) => seen(clause, read.facts) === true),
  ]
  return [...seeming.flatMap((clause) => due(clause, undefined, fieldsOf(clause))), ...namedDue(op, read, world)]
}

/** What a rule answers about a call that it may not be able to read. */
const seen = ({ rule }: Ruled, facts: Facts): Ternary => {
  try {
    return rule.when(facts)
  } catch {
    return false
  }
}

/** A call without its members of a wrong type: a target may take what it cannot read as not given. */
const withoutUnreadable = ({ body: schema }: Operation, facts: Facts): Facts => {
  if (!schema || !isObject(facts.body)) return facts
  const unreadable = breachesOf(schema, facts.body).flatMap(({ keyword, place }) => (keyword === 'type' ? [place] : []))
  return { ...facts, body: omit(facts.body, unreadable) }
}

/** If an entity that the body names is missing, every other refusal is only possible. */
const besideMissing = (dues: readonly Due[], named: readonly Due[]): readonly Due[] =>
  // Where the document does not require that the name is looked up, the other rules apply as usual.
  named.every(({ certain, clause }) => !certain || isOpen(clause))
    ? dues
    : dues
        .filter(({ clause, certain }) => certain && named.every((one) => one.clause !== clause))
        .map((one) => ({ ...one, certain: false }))

/**
 * What the rules of an operation answer about a call that they may read, and what seems to hold besides.
 * @param named what is due because the body names a missing entity; undefined where the body or the query is ill-formed
 */
const ruled = (
  op: Operation,
  read: Read,
  world: World,
  named: readonly Due[] | undefined,
): Answers & Pick<Expectation, 'seeming'> => {
  const byPath = () => answersTo(op, withoutContent(read))
  if (!named) return { ...byPath(), seeming: seemingDue(op, read, world) }
  const answers = answersTo(op, read)
  if (!named.some(({ certain }) => certain)) return { ...answers, seeming: [] }
  const open = [...answers.due.filter(({ certain }) => !certain), ...answers.silences, ...byPath().silences]
  return { due: besideMissing(answers.due, named), silences: [], seeming: open }
}

/** Judges a call before its reply: everything due, and whether that leaves the target a choice. */
export const expect = (world: World, op: Operation, call: WireCall, read: Read): Expectation => {
  const query = check(op, 'query', read.facts.query)
  const body = bodyDue(op, call, read)
  const wellFormed =
    [...query.due, ...body.due].length === 0 &&
    body.silences.every(({ about }) => about !== 'no-object' && about !== 'unforeseen')
  const named = wellFormed ? sharpened(op, read, namedDue(op, read, world)) : undefined
  // An anonymous caller is refused in any case. Nothing else is decided by that refusal.
  const isNobody = read.caller.anonymous && op.scopes !== undefined
  const rules = read.resolved && !isNobody ? ruled(op, read, world, named) : { due: [], silences: [], seeming: [] }
  const all = [
    ...accessDue(op, read, call),
    ...pathDue(op, read, call),
    ...query.due,
    ...body.due,
    ...rules.due,
    ...(named ?? []),
  ]
  const dues = [...all, ...rules.silences]
  const silences = [
    ...query.silences,
    ...body.silences,
    ...unknownMembers(op, call),
    ...read.repeated.map((name) => ({ text: `the query parameter ${name} given several times` })),
    ...pagingSilences(op, read, query.due.length === 0),
    ...grantSilences(read, wellFormed),
  ]
  const isRefused = all.some(({ certain, clause }) => certain && !isOpen(clause))
  const isFree = dues.length > 0 || silences.length > 0
  const kind = isRefused ? 'refuse' : isFree ? 'either' : 'accept'
  return { kind, due: dues, silences, seeming: rules.seeming }
}

/**
 * The one clause that explains a refusal: the only one that is surely due, with nothing else that might be and names no member. What
 * might be, and what seems to hold besides, may be blamed as well; where what seems to hold names no member, any may be.
 */
export const soleDue = (expectation: Expectation): Due | undefined => {
  const only = sureDue(expectation)
  const isOther = ({ clause }: Due): boolean => clause !== only?.clause
  const besides = expectation.due.filter(isOther)
  if (!only || besides.some(({ fields }) => fields.length === 0)) return undefined
  const all = [...besides, ...expectation.seeming.filter(isOther), only]
  const isUnnamed = all.some(({ fields }) => fields.length === 0)
  const orNone = all.some(({ clause }) => clause.kind === 'refusal' && clause.rule.orNone)
  return {
    ...only,
    fields: isUnnamed ? [] : [...new Set(all.flatMap(({ fields }) => fields))],
    ...(orNone && { orNone }),
  }
}

/**
 * The one clause that a refusal is evidence for: the only one that is surely due, and no silence surely open. What might be open
 * besides does not count against it, since the accepted twin shows that it was not the reason.
 */
export const decisiveDue = (expectation: Expectation): Due | undefined =>
  expectation.due.filter(({ clause }) => !isOpen(clause)).length === 1 ? sureDue(expectation) : undefined

/** The only clause that is surely due, with no silence surely open; others may be due as well. */
export const sureDue = ({ due, silences }: Expectation): Due | undefined => {
  const sure = due.filter(({ certain }) => certain)
  const [only] = sure
  return sure.length === 1 && only && !isOpen(only.clause) && silences.length === 0 ? only : undefined
}

/** Refusals that are due for sure, and not by choice. */
export const certain = ({ due }: Expectation): readonly Due[] =>
  due.filter((entry) => entry.certain && !isOpen(entry.clause))

/** The one thing that leaves a call open, where by inference it is taken all the same. */
export const leaningOf = ({ due, silences }: Expectation): Clause | undefined => {
  const [only] = due
  const isSole = due.length === 1 && silences.length === 0 && only?.certain === true
  return isSole && only.clause.kind === 'silence' && only.clause.level === 'should' ? only.clause : undefined
}
