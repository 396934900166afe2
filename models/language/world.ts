// The reference model's state: immutable tables of entities, and three-valued questions about them; no rule of any resource.

import type { Ternary } from './clause.js'
import type { Environment } from './environment.js'
import type { TObject } from './schema.js'

/** A record as a reply carries it. */
export type WireRecord = Readonly<Record<string, unknown>>

/** The parameters of a path, by name. */
export type Path = Readonly<Record<string, string>>

/** What is believed about one resource. An absent field is unknown. */
export type Entity<F> = Readonly<Partial<F>> & {
  /** Identity within its table, canonical; begins with `?` while the target has not told the id. */
  readonly key: string
  /** Name of the account that holds it. */
  readonly account: string | undefined
  /** Where each field's value comes from. */
  readonly since?: Readonly<Record<string, Mark>>
  /** A reference whose target is not known: it may or may not exist. */
  readonly stub?: true
  /** User who created it in this run. */
  readonly maker?: string
  /** Fields that a call may have changed, which the document does not say; what a read shows next is believed. */
  readonly loose?: readonly string[]
  /** Texts that the target has shown for members that no call has given. */
  readonly filled?: Readonly<Record<string, string>>
}

/** The step and operation that gave a field its value, the value before, and whether another operation has shown it. */
export interface Mark {
  readonly step: number
  readonly by: string
  readonly before: unknown
  readonly confirmed: boolean
  /** Whether the reply of that operation still showed the value before, so that it is unknown since when the new one holds. */
  readonly trailed?: true
  /** Whether it contradicted what was known, so that the reply of that operation may be wrong in place of the value. */
  readonly disputed?: true
}

export type AnyEntity = Entity<Record<string, unknown>>

/** An entity as its table types it; of a table of any kind, one with any members. */
type EntityIn<F> = unknown extends F ? AnyEntity : Entity<F>

/** How the fields of an entity may change without a call of ours. */
interface Change<F> {
  /** Fields that never change. */
  readonly lasting: readonly (keyof F & string)[]
  /** Fields that change outside of the interface: by the S3 API, or by actions on nodes, domains and volumes elsewhere. */
  readonly outside: readonly (keyof F & string)[]
  /** Whether its identity is a name or an address, which may be used again after a deletion. */
  readonly renewable: boolean
  /** Fields that only grow, each with the fields that tell which of its values may still be shown. */
  readonly growing?: Readonly<Partial<Record<keyof F & string, readonly (keyof F & string)[]>>>
  /** Values that may change without any call: staff close tickets as well. */
  readonly lapsing?: Readonly<Partial<F>>
}

/** How a kind of resource is stored, identified, compared and drawn. */
export interface Table<F> {
  readonly name: string
  /** Fields that are remembered, and compared where a record carries them. */
  readonly fields: readonly (keyof F & string)[]
  /** What else a finding may tell of an entity, as a reason for which a call has to be refused. */
  readonly reasons?: readonly (keyof F & string)[]
  /** Schema of a record; only where the document shows one. */
  readonly record?: TObject
  /** Identity of a record; undefined where it does not tell. `account` is the caller's. */
  readonly identify: (record: WireRecord, path: Path, account: string | undefined) => string | undefined
  /** Whether a record tells its identity in words that are known; it does when left out. */
  readonly isNamed?: (world: World, record: WireRecord) => boolean
  /** Whether a text surely is no identity, however one is spelled, where others in its place are; it may be one when left out. */
  readonly misnames?: (text: string) => boolean
  /** Whether ids may be unique only within an account: the document says that ids are unique only of volumes. */
  readonly mayRepeat?: true
  /** The sort of an entity, by its key, where the document says of one sort alone that its records have a member. */
  readonly sort?: (key: string) => string
  /** Whether records do not tell which entity they show, so that only the envelope of a list is judged. */
  readonly nameless?: true
  /** Members for which a target may write a text of its own where null was sent: how nothing is shown is not said. */
  readonly fillable?: readonly (keyof F & string)[]
  /** Members that go back to a value of the target's own choice when null is sent. */
  readonly resets?: readonly (keyof F & string)[]
  /** Whether a field agrees although the values are not equal member by member: sets, spellings, drift. */
  readonly same?: {
    readonly [K in keyof F]?: (
      known: NonNullable<Entity<F>[K]>,
      seen: unknown,
      entity: Entity<F>,
      world: World,
    ) => Ternary
  }
  /** Fields that may change by themselves or with any write; a read is believed. */
  readonly drifting?: readonly (keyof F & string)[]
  /** Other states that an entity may have reached by itself since it was last seen, the nearest first. */
  readonly drifts?: (entity: Entity<F>) => readonly Entity<F>[]
  /** The state, if any, in which an entity at rest may be for a while by itself: which transitions there are is not shown. */
  readonly strays?: (entity: Entity<F>) => Entity<F> | undefined
  /** Final values of drifting fields. Fixtures of the embedded server start with them. */
  readonly rest?: Readonly<Partial<F>>
  /** Whether the entity has come to rest. A program waits for that before it goes on. */
  readonly settled?: (entity: Entity<F>) => boolean
  /** Names of the members that `view` yields, each with the fields that it follows from. */
  readonly derived?: Readonly<Record<string, readonly (keyof F & string)[]>>
  /** Members of the record that follow from others, as a reply must show them. */
  readonly view?: (world: World, entity: Entity<F>) => WireRecord
  /** Whether a record shows a deleted resource, where the document allows that; undefined where the record does not tell. */
  readonly tombstone?: (record: WireRecord, entity?: Entity<F>) => Ternary
  /** Calls that may have to come before the entity can be removed. */
  readonly release?: (entity: Entity<F>) => readonly string[]
  /** Id of the node that the entity belongs or is attached to: an entity shows that its node exists. */
  readonly node?: (entity: Entity<F>) => number | undefined
  /** Whether a record that no call made may stand in the list beside those that calls made. */
  readonly besides?: (world: World, record: WireRecord, path: Path, account: string | undefined) => boolean
  /** Whether no operation removes it, and leaving it behind does no harm. */
  readonly permanent?: boolean
  /** The call that puts to rest what no operation removes, and whether that has been done. */
  readonly retire?: { readonly by: string; readonly isDone: (entity: Entity<F>) => boolean }
  /** The record with only the members that no implementation may leave out, where the document does not show the rest. */
  readonly bare?: (record: WireRecord) => WireRecord
  /** Members that the embedded target shows besides; the document does not have them, and none is compared. */
  readonly unjudged?: (world: World, entity: Entity<F>) => WireRecord
  /** The record in another spelling that the document allows, such as an address with its prefix length. */
  readonly otherwise?: (record: WireRecord, entity: Entity<F>) => WireRecord
  /** What only the model keeps of a record beyond the fields; undefined if there is nothing new. */
  readonly noted?: (entity: Entity<F>, record: WireRecord) => Readonly<Partial<F>> | undefined
  /** Which fields others may change. */
  readonly change: Change<F>
  /** Whether all of them may be known; false where the target makes some by itself. */
  readonly closable: boolean
  /** Fixtures of the target file that list all of them, if the target is exclusive. */
  readonly toldBy?: keyof Environment['fixtures']
  /** Drawn by the embedded target where a call leaves the field open. */
  readonly draw?: (dice: Dice, entity: Entity<F>) => Readonly<Partial<F>>
  readonly mint?: (dice: Dice, path: Path, body: WireRecord) => string
}

/** Where the embedded target's free choices come from. */
export interface Dice {
  readonly integer: (min: number, max: number) => number
  readonly pick: <T>(values: readonly T[]) => T
  /** The next number of a series that never repeats. */
  readonly next: (series: string) => number
  /** The present, as the interface writes it. */
  readonly now: () => string
}

export interface World {
  readonly environment: Environment
  /** Number of the step being judged. */
  readonly step: number
  /** Id of the operation being judged. */
  readonly operation: string
  readonly tables: ReadonlyMap<string, TableState>
  /** `account/table` whose every entity is known. */
  readonly closed: ReadonlySet<string>
  /** Tables in which a lost creation that is not followed any more may have made an entity. */
  readonly unfollowed?: ReadonlySet<string>
  /** Whether a resource is taken in when it is first seen (recorded traffic). */
  readonly adopting: boolean
  /** A text that only names of this run contain, so that only this run can have used such a name. */
  readonly nonce: string
  /** Hears of each entity that `exists` or `atLeast` counts, where somebody asks for the reasons of a rule. */
  readonly onMatch?: (entity: object) => void
  /** Spellings that were refused for no other reason, by clause; false once one was accepted. */
  readonly spellings?: ReadonlyMap<string, readonly string[] | false>
  /** Pages with which filters of requests answer in place of the target. */
  readonly pages?: ReadonlySet<string>
  /** Looks by whether they refused to show what was deleted; false once one has shown the remains of such a thing. */
  readonly vanishing?: ReadonlyMap<string, boolean>
  /** How texts with letters of several bytes fared, by the clause that limits their characters. */
  readonly characters?: ReadonlyMap<string, Counted | 'decided'>
}

/** How many texts were accepted that keep the limit even in bytes, and how many refused that exceed it in bytes only. */
export interface Counted {
  readonly taken: number
  readonly refused: number
}

/** The entities of a table. */
export interface TableState {
  readonly live: ReadonlyMap<string, AnyEntity>
  /** The latest deleted entities, in the order of their deletion. */
  readonly gone: readonly Gone[]
}

export interface Gone {
  readonly entity: AnyEntity
  readonly step: number
  /** Id of the operation that removed it. */
  readonly by: string
  /** Id of the clause by which that call should have been refused, where it was another account's. */
  readonly against?: string
  /** Whether it was shown since: that call may have had no effect. */
  readonly remains?: true
}

/** Stands for the operation if the target file gave a value. */
export const fromTargetFile = 'target file'

export const nothing: TableState = { live: new Map(), gone: [] }

export const stateOf = (world: World, table: { readonly name: string }): TableState =>
  world.tables.get(table.name) ?? nothing

export const withState = (world: World, table: { readonly name: string }, state: TableState): World => ({
  ...world,
  tables: new Map(world.tables).set(table.name, state),
})

export const find = <F>(world: World, table: Table<F>, key: string | number | undefined): EntityIn<F> | undefined =>
  entityIn(world, table, key) as EntityIn<F> | undefined

export const entityIn = <F>(world: World, table: Table<F>, key: string | number | undefined): Entity<F> | undefined =>
  key === undefined ? undefined : (stateOf(world, table).live.get(String(key)) as Entity<F> | undefined)

export const gone = (world: World, table: { readonly name: string }, key: string): Gone | undefined =>
  stateOf(world, table).gone.findLast(({ entity }) => entity.key === key)

/** Separates id and account in a key that holds for one account only. Names and labels may contain an @, but not this. */
const within = ' in account '

/** The key of an account's resource: with the account in it if a resource of another account has the same id. */
export const keyIn = (
  world: World,
  table: { readonly name: string; readonly mayRepeat?: true },
  id: string,
  account: string | undefined,
): string => {
  if (!table.mayRepeat || account === undefined) return id
  const own = `${id}${within}${account}`
  const { live: all } = stateOf(world, table)
  const there = all.get(id)?.account
  return all.has(own) || (there !== undefined && there !== account) ? own : id
}

/** The key of what a call made, until the target tells its id: spelled as no inferred caller (`?1`) is, and as a label hardly is. */
export const latentKey = (step: number): string => `?made by call ${step}`

/** Whether a key stands for an id that the target has not told. */
export const isLatent = (key: string): boolean => key.startsWith('?')

/** The id by which a path or a body names a resource. */
export const idIn = (key: string): string => key.split(within, 1)[0] as string

/** Whether accounts are known to have ids of their own in this table. */
export const isCountedAnew = (world: World, table: { readonly name: string }): boolean =>
  [...stateOf(world, table).live.keys()].some((key) => key.includes(within))

/** Every known entity of an account, in the order in which they were first seen; of all accounts when none is given. */
export const live = <F>(world: World, table: Table<F>, account?: string): readonly EntityIn<F>[] => {
  const all = [...stateOf(world, table).live.values()]
  return (account === undefined ? all : all.filter((entity) => isOf(entity, account))) as readonly EntityIn<F>[]
}

const isOf = ({ account: own }: { readonly account: string | undefined }, account: string | undefined): boolean =>
  account === undefined || own === undefined || own === account

export const isClosed = (world: World, table: { readonly name: string }, account: string | undefined): boolean =>
  account !== undefined && world.closed.has(`${account}/${table.name}`)

const count = <F>(
  world: World,
  table: Table<F>,
  account: string | undefined,
  where: (entity: Entity<F>) => Ternary,
) => {
  let sure = 0
  let possible = 0
  for (const entity of stateOf(world, table).live.values() as Iterable<unknown> as Iterable<Entity<F>>) {
    if (!isOf(entity, account)) continue
    const matches = where(entity)
    if (matches === true) world.onMatch?.(entity)
    // If the account of the caller is unknown, so is what belongs to it.
    if (matches === true && !entity.stub && account !== undefined) sure += 1
    else if (matches !== false) possible += 1
  }
  for (const { entity, remains } of stateOf(world, table).gone)
    if (remains && isOf(entity, account) && where(entity as unknown as Entity<F>) !== false) possible += 1
  return { sure, possible }
}

/** Whether at least `n` entities of the account are so; false only where the world is closed. */
export const atLeast = <F>(
  world: World,
  table: Table<F>,
  account: string | undefined,
  n: number,
  where: (entity: Entity<F>) => Ternary,
): Ternary => {
  const { sure, possible } = count(world, table, account, where)
  if (sure >= n) return true
  return sure + possible < n && isClosed(world, table, account) ? false : undefined
}

/**
 * Whether an entity of the account is so. False where the world is closed, or where the question is about `name`
 * and the name bears this run's nonce, so that nobody else can have taken it.
 */
export const exists = <F>(
  world: World,
  table: Table<F>,
  account: string | undefined,
  where: (entity: Entity<F>) => Ternary,
  name?: string,
): Ternary => {
  const { sure, possible } = count(world, table, account, where)
  if (sure > 0) return true
  if (possible > 0) return undefined
  return isClosed(world, table, account) || isOurs(world, name) ? false : undefined
}

/** Whether a name was made in this run; a target may have taken a value that is no text. */
export const isOurs = (world: World, name: unknown): boolean =>
  typeof name === 'string' && world.nonce !== '' && name.includes(world.nonce)

/** A field's value where it is known and not in doubt. */
export const sure = <F, K extends keyof F & string>(entity: Entity<F> | undefined, field: K): F[K] | undefined =>
  entity === undefined || entity.loose?.includes(field) ? undefined : (entity[field] as F[K] | undefined)

/** The world before a run: the target file's facts, and nothing known of anything else. */
export const emptyWorld = (
  environment: Environment,
  options: { readonly adopting?: boolean; readonly nonce?: string } = {},
): World => ({
  environment,
  step: 0,
  operation: fromTargetFile,
  tables: new Map(),
  closed: new Set(),
  adopting: options.adopting ?? false,
  nonce: options.nonce ?? '',
})

/** The world of which nothing is known but how the target writes: anything may be there, and nothing is known to be gone. */
export const unknown = ({ unfollowed: _, ...world }: World): World => ({
  ...world,
  tables: new Map(),
  closed: new Set(),
  adopting: true,
  nonce: '',
})

/** Declares that every entity of the table that the account holds is known. */
export const close = (world: World, table: { readonly name: string }, account: string): World => ({
  ...world,
  closed: new Set(world.closed).add(`${account}/${table.name}`),
})
