// What a sweep deals with: things that may be of a run, and whether the target still has them; nothing is changed here.

import type { Target } from '../config/target-file.js'
import { buildCall } from '../history/calls.js'
import type { Outcome } from '../history/wire.js'
import { listerOf, operationById, removerOf, viewerOf } from '../models/index.js'
import { nameOf } from '../models/language/names.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { AnyEntity, Path, WireRecord } from '../models/language/world.js'
import { isOfMoment } from '../oracle/explanations/gateway.js'
import { isForeign } from './expiry.js'
import { isMadeName } from './nonce.js'
import { pathTo, placeIn } from './paths.js'
import type { LedgerLine } from './session.js'
import { outcomeText, readWhole, recordOf, type TargetAccess } from './target-access.js'

export interface SweepOptions {
  readonly target: Target
  readonly access: TargetAccess
  /** Lines of the ledgers, oldest first. */
  readonly ledger: readonly LedgerLine[]
  readonly dryRun: boolean
  /** Whether a run gave this name; by the prefix when left out. */
  readonly isMade?: (name: string) => boolean
  /** Kinds that are searched by name; all when left out. */
  readonly kinds?: ReadonlySet<string>
  /** Called for each item when it is done. */
  readonly onSwept?: (swept: Swept) => void
}

export interface Swept {
  readonly kind: string
  readonly key: string
  readonly name?: string
  readonly account: string
  /**
   * - `returned`: it was lent and is as it was again.
   * - `moved`: it was lent, and others have changed or moved it since: what becomes of it is theirs to say.
   * - `listed`: it is there, and this is a dry run.
   * - `away`: it was lent and has changed, and would be given back; this is a dry run.
   * - `stays`: the interface cannot remove it, its run may still be going on, or it is not lent any more.
   * - `failed`: it should have been removed.
   */
  readonly result: 'removed' | 'returned' | 'moved' | 'listed' | 'away' | 'stays' | 'failed'
  readonly reason?: string
}

/** A thing that is to be removed. */
export interface Item {
  readonly table: AnyTable
  /** The name of its table. */
  readonly kind: string
  readonly key: string
  readonly account: string
  readonly token: string
  /** What is known about it: what it was made with, and what the target shows. */
  readonly entity: AnyEntity
  /** Path of the call that made it. */
  readonly from: Path
  /** Whether the account is known to hold it, or did; otherwise it may be another's. */
  readonly isHeld: boolean
}

/** What is to be removed, or what became of it already. */
export type Found = Item | Swept

/** Whether it is there to be removed. */
export const isItem = (found: Found): found is Item => 'table' in found

/** What tells it from all others. */
export const nameIn = ({ kind, key }: Found): string => `${kind}/${key}`

/** What is said of it in the end. */
export const toldOf = ({ kind, key, account, entity }: Item, result: Swept['result'], reason?: string): Swept => ({
  kind,
  key,
  account,
  ...(nameOf(entity) !== undefined && { name: nameOf(entity) as string }),
  result,
  ...(reason !== undefined && { reason }),
})

/** How something ends that can't be removed. */
export const endOf = ({ table }: Item): string | undefined =>
  table.permanent ? 'by closing, for no operation removes it' : undefined

/** What removes a thing, or puts to rest what nothing removes. */
export const enderOf = (table: AnyTable): Operation | undefined =>
  removerOf(table) ?? operationById(table.retire?.by ?? '')

/** A thing of a table as an account has it. */
export const itemOf = (
  table: AnyTable,
  key: string,
  account: string,
  token: string,
  told: unknown,
  from: Item['from'],
): Item => {
  const record = typeof told === 'object' && told !== null ? (told as WireRecord) : {}
  return {
    table,
    kind: table.name,
    key,
    account,
    token,
    from,
    isHeld: true,
    entity: { ...placeIn(record), ...record, key, account } as AnyEntity,
  }
}

/** A call about it, by the token of its account. */
export const callOf = (op: Operation, { table, entity, from, token }: Item) =>
  buildCall(op, { path: pathTo(op, table, entity, from), as: token })

/**
 * The item as the target shows it now; undefined where it is not there. One whose name is neither that of the ledger nor
 * begins with the prefix may be somebody else's by now, and is left alone.
 */
export const look = async (options: SweepOptions, item: Item, told: string | undefined): Promise<Found | undefined> => {
  const viewer = viewerOf(item.table)
  const isCertain = isOurs(options, told) || isOurs(options, item.key.slice(item.key.lastIndexOf('/') + 1))
  if (!viewer) return isCertain ? item : lookInList(options, item)
  const outcome = await options.access.call(viewer, { path: callOf(viewer, item).path, as: item.token })
  const isBlind = tellsNothing(outcome) || (item.isHeld && isForbidden(outcome))
  if (isBlind && (await isListed(options, item)) !== false)
    return toldOf(item, 'failed', `looking at it: ${outcomeText(outcome)}`)
  const record = recordOf(outcome)
  if (!record) return undefined
  const shown = nameOf(record)
  const now = { ...item, entity: { ...item.entity, ...record, key: item.key } }
  if (isOurs(options, shown)) return now
  if ((shown === undefined || shown === told) && isProven(options, item)) return now
  return toldOf(now, 'failed', unproven)
}

const unproven = 'nothing shows that it is what a run made, so it is left alone; delete it by hand if it is yours'

/** The same by its list alone, where nothing else shows it. */
const lookInList = async (options: SweepOptions, item: Item): Promise<Found | undefined> => {
  const isThere = await isListed(options, item)
  if (isThere === false) return undefined
  if (isThere === undefined) return toldOf(item, 'failed', 'looking at it: its list could not be read')
  return isProven(options, item) ? item : toldOf(item, 'failed', unproven)
}

/** Whether a reply does not even tell whether the thing is there: none of the target's own, or one about its token. */
export const tellsNothing = (outcome: Outcome): boolean =>
  'lost' in outcome ||
  outcome.status >= 500 ||
  [401, 429].includes(outcome.status) ||
  isForeign(outcome) ||
  isOfMoment(outcome)

/** The account that holds a thing is forbidden it for a reason that is not its absence; to another it is a word for that. */
export const isForbidden = (outcome: Outcome): boolean => 'status' in outcome && outcome.status === 403

/** Whether a name is one that a run gives. */
export const isOurs = ({ target, isMade }: SweepOptions, name: string | undefined): boolean =>
  name !== undefined && (isMade?.(name) ?? isMadeName(target.environment.safety.prefix, name))

/** Whether a run has seen on the target that it made this. */
const isProven = ({ ledger }: SweepOptions, { table, key }: Item): boolean =>
  ledger.some((line) => line.event === 'proven' && line.kind === table.name && line.key === key)

/** Whether a record shows something that is gone. What may have to be released first may be stopped rather than gone. */
export const isRemains = (table: AnyTable, record: WireRecord): boolean =>
  table.release === undefined && table.tombstone?.(record) === true

/** Undefined where it has no list, or that is not shown. */
export const isListed = async (
  { access }: SweepOptions,
  { table, key, account, token }: Item,
): Promise<boolean | undefined> => {
  const lister = listerOf(table)
  if (!lister || Object.keys(lister.params).length > 0) return undefined
  const { records, broken } = await readWhole(access, lister, token)
  const isIt = (record: WireRecord): boolean =>
    (table.identify(record, {}, account) ?? key) === key && !isRemains(table, record)
  return broken ? undefined : records.some(isIt)
}
