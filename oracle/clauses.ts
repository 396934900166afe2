// Clauses by their ids and slugs, and one that is due for a call; pure.

import { operationById, operations } from '../models/index.js'
import type { Ternary } from '../models/language/clause.js'
import { type Clause, clausesOf, slugOf } from '../models/language/derive.js'
import { memoised } from '../models/language/memoised.js'
import type { Operation } from '../models/language/operation.js'

/** A clause by which a call is to be refused. */
export interface Due {
  readonly clause: Clause
  /** False where what is known does not decide whether it is due. */
  readonly certain: boolean
  /** Names of members that the refusal may blame; empty where no member is to blame. */
  readonly fields: readonly string[]
  /** Set where the refusal may blame no member all the same. */
  readonly orNone?: true
}

const nothingDue: readonly Due[] = []

/** A clause that is due, or may be; nothing where it is not. */
export const due = (clause: Clause, when: Ternary, fields: readonly string[] = []): readonly Due[] =>
  when === false ? nothingDue : [{ clause, certain: when === true, fields }]

/** A clause of an operation by its slug. */
export const clauseOf = (op: Operation, slug: string): Clause | undefined => bySlug(op).get(slug)

/** The same of one that the operation surely has. */
export const surelyClauseOf = (op: Operation, slug: string): Clause => {
  const clause = clauseOf(op, slug)
  if (!clause) throw new Error(`suite defect: ${op.id} has no clause ${slug}`)
  return clause
}

const bySlug = memoised((op: Operation) => new Map(clausesOf(op).map((clause) => [slugOf(clause), clause])))

/** Kinds of clauses by which a call is refused for what it is itself, whatever there is and whatever other calls did. */
const aboutCall: ReadonlySet<Clause['kind']> = new Set([
  'token',
  'scheme',
  'scope',
  'unrestricted',
  'constraint',
  'json',
] as const)

/** Whether a deviation is the acceptance of a call that was to be refused for what it is itself. */
export const isAcceptedAtAnyTime = (kind: string, clause: Clause | undefined): boolean =>
  kind === 'accepted' && clause !== undefined && aboutCall.has(clause.kind)

/** Slugs that say the same of every operation that has them. */
type CommonSlug =
  | 'accepts'
  | 'complete'
  | 'object'
  | 'only-live'
  | 'page-size'
  | 'pages'
  | 'refusal.field'
  | 'refusal.field-present'
  | 'refusal.unchanged'
  | 'takes-effect'

/** Whether a clause, by its id, has one of these slugs. */
export const isOneOf = (id: string, ...slugs: readonly CommonSlug[]): boolean => {
  const clause = clauseNamed(id)
  return clause !== undefined && (slugs as readonly string[]).includes(slugOf(clause))
}

/** Whether a clause, by its id, is that a reply shows a member as it is. */
export const isOfMember = (id: string): boolean => clauseNamed(id)?.kind === 'shows'

/** Clauses about the shape of one reply hold or break together, and are counted as one: the id that stands for them. */
export const shapesOf = (operation: string): string => `${operation}.reply`

/** The ids of the clauses that are counted under an id, mostly its own. */
export const countedUnder = (id: string): readonly string[] => shapes.get(id) ?? [id]

/** The id under which a clause is counted. */
export const countedAs = (id: string): string => {
  const clause = clauseNamed(id)
  return clause?.kind === 'shape' ? shapesOf(clause.operation) : id
}

const shapes: ReadonlyMap<string, readonly string[]> = new Map(
  operations.map((op) => [shapesOf(op.id), clausesOf(op).flatMap(({ kind, id }) => (kind === 'shape' ? [id] : []))]),
)

/** A clause by its id, which begins with that of its operation; undefined where there is none. */
export const clauseNamed = (id: string | undefined): Clause | undefined => {
  const [resource, verb, ...slug] = id?.split('.') ?? []
  const op = operationById(`${resource}.${verb}`)
  return op && clauseOf(op, slug.join('.'))
}
