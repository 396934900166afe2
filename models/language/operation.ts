// What an operation is: one value from which client, server, contract check, probes and docs are derived.

import type { Principal } from './access.js'
import type { Part, Ternary } from './clause.js'
import type { Environment } from './environment.js'
import { allowNeed, exclusiveNeed, type Need } from './needs.js'
import type { Places } from './places.js'
import type { Args, Plan } from './plan.js'
import type { Reach } from './reach.js'
import type { Static, TObject, TSchema } from './schema.js'
import type { Dice, Entity, Path, Table, WireRecord, World } from './world.js'

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Area = 'volumes' | 'object-storage' | 'managed' | 'networking' | 'support' | 'tags'

/** A path parameter that names a resource. */
export interface ParamRef<F = unknown> {
  readonly table: Table<F>
  /** `any` where the document does not say what its ids are. */
  readonly type: 'integer' | 'string' | 'any'
  /** Table key from the path's values; the parameter's own value when left out. Undefined: not a well-formed name. */
  readonly key?: (path: Path, account: string | undefined) => string | undefined
  /** Whether the entity belongs to what the rest of the path names (a device of that firewall). */
  readonly within?: (entity: Entity<F>, path: Path) => Ternary
  /** The rest of the path for another place, in which that name names nothing; undefined where the target file has no other. */
  readonly elsewhere?: (plan: Plan, path: NonNullable<Args['path']>) => Args['path'] | undefined
  /** Whether all entities are known that the rest of the path may contain. */
  readonly whole?: (world: World, path: Path) => boolean
  /** Field of the entity that is the parameter's value, where that is not its key. */
  readonly field?: keyof F & string
}

export const ref = <F>(table: Table<F>, options: Partial<Omit<ParamRef<F>, 'table'>> = {}): ParamRef<F> => ({
  table,
  type: 'integer',
  ...options,
})

// biome-ignore lint/suspicious/noExplicitAny: the generic core, where resources of every kind meet
type Some = any

export type AnyTable = Table<Some>
type Params = Readonly<Record<string, ParamRef<Some> | 'integer' | 'string'>>
type Resolved<P> = {
  readonly [K in keyof P as P[K] extends 'integer' | 'string' ? never : K]: P[K] extends ParamRef<infer F>
    ? Entity<F>
    : never
}
type ValueOf<S> = S extends TSchema ? Static<S> : Record<string, never>

/** What a rule may ask about a call: the world before it, who calls, and the call's typed values. */
export interface Facts<P = Params, Q = TObject | undefined, B = TObject | undefined> {
  readonly world: World
  readonly caller: Principal
  /** Name of the caller's account, where it is known. */
  readonly account: string | undefined
  readonly path: Readonly<Record<keyof P & string, string>>
  readonly query: Partial<ValueOf<Q>>
  readonly body: ValueOf<B>
  /** A file sent as multipart/form-data. */
  readonly file: { readonly name: string; readonly field: string; readonly bytes: number } | undefined
  /** The resources that the path names. */
  readonly refs: Resolved<P>
}

/** Facts for an effect: the key of what the call makes, and what the target has chosen for it. */
export type Effected<P, Q, B> = Facts<P, Q, B> & {
  readonly made: string
  /** Choices of the target: read from the reply by the checker, drawn by the embedded server. */
  readonly chosen: WireRecord
}

/** Facts for a statement about an accepted reply. `world` is the world before, `after` the world that follows. */
export type Replied<P = Params, Q = TObject | undefined, B = TObject | undefined> = Facts<P, Q, B> & {
  readonly after: World
  readonly status: number
  /** Parsed JSON of the reply; undefined for an empty one. */
  readonly reply: unknown
}

/** Two calls at the same time for one place; and once that is over, two of any operations for the place that is left by then. */
export interface Contested {
  readonly rivals: readonly [Args, Args]
  readonly again?: () => readonly [Rival, Rival]
}

type Rival = readonly [operation: string, args: Args]

interface Probed {
  /** Permanent: the operation's id plus a readable slug. */
  readonly id: string
  /** Section and row or sentence of the document. */
  readonly source: string
  /** What is required or left open, in our words. */
  readonly text: string
  /** Arranges and shows it, ending with its `probe` and `twin` steps, or with `check` steps for a statement. */
  readonly probe?: (plan: Plan) => void
  /** Its program has a pause, in which other programs run. */
  readonly slow?: true
  /** Why no probe can show it, where none can. */
  readonly unprobed?: string
}

/** A condition under which the document has the call refused; level `must` unless said otherwise. */
export interface Refusal<P, Q, B> extends Probed {
  readonly level?: 'must' | 'should'
  /** Names of the request's members that the refusal may name; left out when no member is to blame. */
  readonly fields?: readonly string[]
  /** The cause lies in the account or in an existing entity, so the refusal need not name a member of the body. */
  readonly orNone?: true
  /** Slug of the schema clause that this one replaces, where the document has a sentence about one wrong value. */
  readonly instead?: string
  readonly when: (facts: Facts<P, Q, B>) => Ternary
  /** What it is made of, where each part by itself brings it about (see `inParts`). */
  readonly parts?: (facts: Facts<P, Q, B>) => readonly Part[]
}

/** A condition about which the document is silent: the target may refuse the call, and what it does is observed. */
export interface Silence<P, Q, B> extends Probed {
  /** By inference the call is accepted, so that an otherwise unexplained refusal is a `should`. */
  readonly level?: 'should'
  /**
   * Names of the request's members that it is about, one of which a refusal names. Left out where a refusal may name any or none, as
   * where something may not exist.
   */
  readonly fields?: readonly string[]
  readonly when: (facts: Facts<P, Q, B>) => Ternary
  /** Spellings of a value that the document lists. No single one has to be accepted, but one of them has. */
  readonly spellings?: {
    /** Readable names of the spellings, the best known first. */
    readonly all: readonly string[]
    /** The spelling that a call has; undefined for any other. */
    readonly of: (facts: Facts<P, Q, B>) => string | undefined
    readonly text: string
  }
}

/** Something the document says about an accepted reply, or what follows from it. A string tells how it is broken. */
export interface Statement<P, Q, B> extends Probed {
  readonly level?: 'must' | 'should'
  readonly holds: (facts: Replied<P, Q, B>) => Ternary | string
  /** How a refusal breaks it as well, whatever it is for; the body may be ill-formed. */
  readonly brokenByRefusal?: (sent: unknown, reply: unknown) => string | undefined
  /** Also checked over all pages of a walk together. */
  readonly overPages?: true
  /** Field of what the call makes that the statement is about, and the values by which it holds: a later reply may be the first to show it. */
  readonly sets?: { readonly field: string; readonly to: (value: unknown) => boolean }
}

/** A change of one field that the document names; shown where a later reply of another operation carries the field. */
export interface Effect extends Probed {
  readonly table: AnyTable
  readonly field: string
}

/** A choice: the document leaves it open, and a reply shows it. */
export interface ReplyChoice<P, Q, B> {
  readonly id: string
  readonly text: string
  readonly source: string
  /** Every value that a reply can show; left out where the target uses words of its own. */
  readonly values?: readonly (string | boolean)[]
  /** The value seen, undefined where this reply does not show one. */
  readonly observe: (facts: Replied<P, Q, B>) => string | number | boolean | undefined
}

/** A read by operation id. */
export interface Look {
  readonly operation: string
  readonly path?: Path
  readonly query?: Readonly<Record<string, string>>
  /** The account that looks; the first where it is left out. */
  readonly account?: string
}

export type ReplyShape =
  /** The record of one resource. */
  | { readonly kind: 'record'; readonly table: AnyTable }
  /** The collection envelope of the document. */
  | { readonly kind: 'page'; readonly table: AnyTable; readonly bounds: 'standard' | 'not-shown' }
  /** Records whose envelope is not shown. */
  | { readonly kind: 'records'; readonly table: AnyTable }
  /** `{}` */
  | { readonly kind: 'empty' }
  /** Nothing is shown. */
  | { readonly kind: 'any' }

/** Whether a reply lists resources, in whatever envelope. */
export const isListed = (reply: ReplyShape): reply is Extract<ReplyShape, { readonly kind: 'page' | 'records' }> =>
  reply.kind === 'page' || reply.kind === 'records'

export interface Definition<P extends Params, Q extends TObject | undefined, B extends TObject | undefined> {
  /** `resource.verb`. */
  readonly id: string
  readonly area: Area
  readonly method: Method
  readonly path: string
  /** What a call may depend on and change beyond what the path names. */
  readonly reach: Reach
  /** Section of the document. */
  readonly source: string
  /** What it does, in one line. */
  readonly summary: string
  /** All are needed; undefined where none is listed. */
  readonly scopes: readonly string[] | undefined
  /** Managed and Tags: restricted users are refused. */
  readonly unrestrictedOnly?: boolean
  readonly params: P
  /** Where the document says that what the path names is of the caller's account alone. */
  readonly owned?: string
  readonly query?: Q
  readonly body?: B
  /** Sends a file as multipart/form-data in place of a body. */
  readonly multipart?: boolean
  readonly reply: ReplyShape
  /** Which resource a record reply shows: a path parameter, or what the call made. */
  readonly shows?: (keyof P & string) | 'made'
  /** Table in which an accepted call makes an entity. */
  readonly makes?: AnyTable
  /** Whether the call may answer with what exists already, as if just made. */
  readonly remakes?: (facts: Facts<P, Q, B>) => Ternary
  /** Whether a quota, if there is one, would count all that it makes alike. */
  readonly alike?: boolean
  /** How much room a body asks for, where a quota may count that; the body may be ill-formed. */
  readonly room?: (body: unknown) => number
  /** Tables in which an accepted call makes further entities, whose ids its reply does not tell. */
  readonly besides?: readonly AnyTable[]
  /** Whether its reply or its effect is about more than what it names, so that nothing of its area may change or be looked at meanwhile. */
  readonly wide?: true
  /** Whether an accepted call ends everything that the account has in its area, lent things included. */
  readonly endsAll?: true
  /** For a call that moves things: a run notes where lent things are before it, and brings them back there. */
  readonly places?: Places
  /** Path parameter whose resource an accepted call removes. */
  readonly removes?: keyof P & string
  /** Key of what the call makes, where the call itself tells it (the label of a bucket). */
  readonly keys?: (facts: Facts<P, Q, B>) => string | undefined
  /** Whether the record in the reply to a creation may show another entity, so that its id is not that of what was made. */
  readonly answersElse?: (facts: Facts<P, Q, B>, record: WireRecord) => boolean
  /** Plans how to fill a list with so many records, where no creation does, and how to ask for the list then. */
  readonly fill?: (plan: Plan, records: number) => Args
  /** Whether the list shows what has a certain name, so that it may be empty if nothing has it. */
  readonly vacant?: true
  /** The order that the document gives a list. */
  readonly sort?: (entities: readonly Some[]) => readonly Some[]
  /** Which resources a list holds; all of the caller's account by default. */
  readonly lists?: (facts: Facts<P, Q, B>, entity: Some) => Ternary
  /** Member by whose value the list may show a resource several times, such as once for each node that has a part in it. */
  readonly apart?: string
  /** Event that a success emits, always or under a condition. */
  readonly emits?: readonly {
    readonly event: string
    readonly when?: (facts: Facts<P, Q, B>) => Ternary
    /** Level of the clause that nothing but such a success emits it, where the document does not say that it takes one. */
    readonly alone?: 'should'
  }[]
  /** Events of other operations that a success may also emit, in any number. */
  readonly stirs?: readonly string[]
  readonly refusals?: readonly Refusal<P, Q, B>[]
  readonly silences?: readonly Silence<P, Q, B>[]
  readonly statements?: readonly Statement<P, Q, B>[]
  readonly choices?: readonly ReplyChoice<P, Q, B>[]
  /** The world after an accepted call; unchanged when left out. */
  readonly apply?: (facts: Effected<P, Q, B>) => World
  /** The world that remembers what an accepted reply showed, for calls that change nothing. */
  readonly notes?: (facts: Effected<P, Q, B>) => World
  /** The world after a refused call that may have done a part of what it asked for; unchanged when left out. */
  readonly partly?: (facts: Facts<P, Q, B>) => World
  /** Refusals after which the document says that nothing is done. For others this is an inference. */
  readonly undone?: readonly string[]
  /** Level of `accepts`, where the document does not say which calls are taken. */
  readonly acceptance?: 'should'
  /** Why no reply shows what an accepted call changes, where none does; no clause then asks for it. */
  readonly unshown?: string
  /** Why no reply decides a clause that is judged in passing, by the clause's slug. */
  readonly undecided?: Readonly<Record<string, string>>
  /** Changes that the document names one by one, each a clause of its own; `takes-effect` speaks for the others. */
  readonly effects?: readonly Effect[]
  /** Members that this reply shows otherwise than believed of a resource; undefined for one whose value it leaves open. */
  readonly shownAs?: (facts: Facts<P, Q, B>, entity: Some) => WireRecord | undefined
  /**
   * Members that the reply may show as they were before, or as null after a creation, since it is not said when the effect takes place.
   * Members that follow from them may be shown so too.
   */
  readonly trails?: readonly string[]
  /** Reads that show what the call changes, where looking at what it names or makes does not; by default on its own path. */
  readonly looks?: (facts: Facts<P, Q, B>) => readonly Look[]
  /** Entities that the call names in its body, for drift and for adoption. */
  readonly names?: (facts: Facts<P, Q, B>) => readonly { readonly table: AnyTable; readonly key: string | number }[]
  /** A valid call, well inside what the document promises; the plan arranges what it needs. */
  readonly draft: (plan: Plan) => Args
  /** Plans two calls for the one place that is left: whichever comes first, at most one of them is accepted. */
  readonly contest?: (plan: Plan) => Contested
  /** A valid call with every member of the body given, where the draft leaves some out. */
  readonly full?: (plan: Plan) => Args
  /** Sets of further members, each of which excludes the others: a rule about the rest of the body holds beside any of them. */
  readonly companions?: (plan: Plan) => readonly Readonly<Record<string, unknown>>[]
  /** Members that `full` gives and that no other resource of the kind may have at the same time. */
  readonly sole?: readonly string[]
  /** What the embedded server chooses before the effect, as `chosen`: what it will show, where that is not a record. */
  readonly chooses?: (facts: Facts<P, Q, B>, dice: Dice) => WireRecord
  /** What the embedded server chooses for the resource that the call makes or shows, where the effect leaves it open. */
  readonly draws?: (facts: Effected<P, Q, B>, dice: Dice) => WireRecord
  /** The embedded server's reply body where it is not the record or list of the reply shape. */
  readonly render?: (facts: Effected<P, Q, B> & { readonly after: World }, dice: Dice) => unknown
  /** Why it is not sent everywhere; `sentWhere` says where it is. */
  readonly guarded?: string
  /** What the target file still has to tell before it is sent, where others use the accounts too; undefined where nothing is missing. */
  readonly wants?: (environment: Pick<Environment, 'fixtures'>) => Need | undefined
}

/** An operation as the registry and everything derived from it sees it. */
export type Operation = Omit<Definition<Some, Some, Some>, 'params' | 'query' | 'body'> & {
  readonly params: Params
  readonly query: TObject | undefined
  readonly body: TObject | undefined
}

/** Where a guarded operation is sent: what ends everything asks for both, and nobody else on the account. */
export const sentWhere = ({ endsAll }: Pick<Operation, 'endsAll'>): string =>
  endsAll
    ? 'only on an exclusive target whose `safety.allow` names it'
    : 'only where `safety.allow` names it, or on an exclusive target'

/** What would let a guarded operation be sent, where the target file does not. */
const allowancesFor = (
  { id, guarded, endsAll }: Pick<Operation, 'id' | 'guarded' | 'endsAll'>,
  { exclusive, safety }: Pick<Environment, 'exclusive' | 'safety'>,
): readonly Need[] => {
  const isAllowed = safety.allow.includes(id)
  if (guarded === undefined || (endsAll ? exclusive && isAllowed : exclusive || isAllowed)) return []
  return [
    ...(endsAll && !exclusive ? [exclusiveNeed()] : []),
    ...(isAllowed ? [] : [allowNeed(id, `safety.allow to name ${id}: ${guarded}`)]),
  ]
}

/** What the target file lacks for an operation to be sent. */
export const lackingFor = (
  op: Operation,
  environment: Pick<Environment, 'exclusive' | 'safety' | 'fixtures'>,
): readonly Need[] =>
  [environment.exclusive ? undefined : op.wants?.(environment), ...allowancesFor(op, environment)].filter(
    (need) => need !== undefined,
  )

/** Defines an operation; parameter, query and body types flow into its rules and its effect. */
export const operation = <
  const P extends Params,
  Q extends TObject | undefined = undefined,
  B extends TObject | undefined = undefined,
>(
  definition: Definition<P, Q, B>,
): Operation => ({ query: undefined, body: undefined, ...definition }) as unknown as Operation

export const record = (table: AnyTable): ReplyShape => ({ kind: 'record', table })
export const page = (table: AnyTable, bounds: 'standard' | 'not-shown' = 'standard'): ReplyShape => ({
  kind: 'page',
  table,
  bounds,
})
export const records = (table: AnyTable): ReplyShape => ({ kind: 'records', table })
export const empty: ReplyShape = { kind: 'empty' }
export const anything: ReplyShape = { kind: 'any' }
