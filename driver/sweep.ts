// Deletes what earlier runs created and left, by their ledgers and by the prefix of its name; never anything else.

import type { Target } from '../config/target-file.js'
import { buildCall } from '../history/calls.js'
import { isAccepted } from '../history/outcomes.js'
import type { Outcome } from '../history/wire.js'
import { allTables, listerOf, operationById, removerOf, tableNamed, viewerOf } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type AnyEntity, isLatent, live, type Path, type WireRecord, type World } from '../models/language/world.js'
import { tagKey, tags } from '../models/tags/record.js'
import { isOfMoment } from '../oracle/explanations/gateway.js'
import { atOnce } from './at-once.js'
import { pathIn, searchDoubts } from './doubts.js'
import { isForeign } from './expiry.js'
import { outstanding } from './ledger.js'
import { giveBack } from './lent.js'
import { type Mark, markIn } from './mark.js'
import { isMadeName } from './nonce.js'
import { pathTo, placeIn } from './paths.js'
import { outcomeText, type Reach, recordOf, walkList } from './reach.js'
import type { LedgerLine } from './session.js'

export interface SweepOptions {
  readonly target: Target
  readonly reach: Reach
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
  /** `returned` of what was lent and is again as it was; `listed` in a dry run; `stays` where the interface can't remove it, or its run may still be going on; `failed` where it should have been removed. */
  readonly result: 'removed' | 'returned' | 'listed' | 'stays' | 'failed'
  readonly reason?: string
}

/** A thing that is to be removed. */
interface Item {
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
type Found = Item | Swept

const isItem = (found: Found): found is Item => 'table' in found

const nameIn = ({ kind, key }: Found): string => `${kind}/${key}`

/** Looks at everything first, then removes; what was made last goes first. */
export const sweepTarget = async (options: SweepOptions): Promise<readonly Swept[]> => {
  const { target, dryRun, onSwept } = options
  const found: Found[] = []
  const alive = await aliveAt(options)
  for (const { account, token } of ownerTokens(target.environment)) {
    const made = await fromLedger(options, account, token)
    const seen = new Set(made.map(nameIn))
    const named = await byPrefix(options, account, token, alive)
    found.push(...made, ...named.filter((item) => !seen.has(nameIn(item))))
  }
  const swept: Swept[] = []
  const rest = createRest(options.reach)
  const endOne = async (item: Item): Promise<Swept> =>
    dryRun ? toldOf(item, 'listed', endOf(item)) : remove(options, item, rest)
  const end = async (all: readonly Found[]): Promise<void> => {
    for (const one of all) {
      const result = isItem(one) ? await endOne(one) : one
      swept.push(result)
      onSwept?.(result)
    }
  }
  await end([...found, ...outOfReach(options)])
  await end(await doubtful(options, found))
  const { environment, hooks } = target
  const endsNodes = environment.exclusive && hooks.deleteNode !== undefined && hooks.reset !== undefined
  await end(await giveBack({ environment, reach: options.reach, ledger: options.ledger, dryRun, endsNodes }))
  return swept
}

const toldOf = ({ kind, key, account, entity }: Item, result: Swept['result'], reason?: string): Swept => ({
  kind,
  key,
  account,
  ...(nameOf(entity) !== undefined && { name: nameOf(entity) as string }),
  result,
  ...(reason !== undefined && { reason }),
})

/** Its name: records have a label, contacts a name, tickets a summary. */
const nameOf = ({ label, name, summary }: WireRecord): string | undefined =>
  [label, name, summary].find((one) => typeof one === 'string') as string | undefined

/** How something ends that can't be removed. */
const endOf = ({ table }: Item): string | undefined =>
  table.permanent ? 'by closing, for no operation removes it' : undefined

/** What removes a thing, or puts to rest what nothing removes. */
const enderOf = (table: AnyTable): Operation | undefined => removerOf(table) ?? operationById(table.retire?.by ?? '')

/** Things that, by the ledgers, were created and not removed, and that still exist. */
const fromLedger = async (options: SweepOptions, account: string, token: string): Promise<readonly Found[]> => {
  const left = outstanding(options.ledger).toReversed()
  const items = left.flatMap((line): readonly Item[] => {
    const { key, kind } = line
    const table = tableNamed(kind)
    if (line.event !== 'created' || key === undefined || isLatent(key) || !table) return []
    if ((table.permanent && !table.retire) || !mayHold(options, account, table, line)) return []
    return [{ ...itemOf(table, key, account, token, line.body, pathIn(line)), isHeld: isKnownToHold(options, line) }]
  })
  const found = await atOnce(options.target.pace.concurrency, items, async (item): Promise<readonly Found[]> => {
    const looked = await look(options, item, nameOf(item.entity))
    if (!looked) return []
    return [enderOf(item.table) ? looked : toldOf(item, 'stays', 'the interface has no operation that removes it')]
  })
  return found.flat()
}

/** Whether what a line tells of may be that account's; ledgers of earlier versions name the accounts of tags alone. */
const mayHold = (
  { target }: SweepOptions,
  account: string,
  { name }: AnyTable,
  { account: held, key = '' }: LedgerLine,
): boolean => {
  if (held !== undefined) return held === account || !target.environment.accounts.some((one) => one.name === held)
  return name !== tags.name || key.startsWith(tagKey(account, ''))
}

/** Whether only one account can hold what a line tells of. */
const isKnownToHold = ({ target: { environment } }: SweepOptions, { account }: LedgerLine): boolean =>
  environment.accounts.length === 1 || environment.accounts.some(({ name }) => name === account)

const itemOf = (
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

const callOf = (op: Operation, { table, entity, from, token }: Item) =>
  buildCall(op, { path: pathTo(op, table, entity, from), as: token })

/**
 * The item as the target shows it now; undefined where it is not there. One whose name is neither that of the ledger nor
 * begins with the prefix may be somebody else's by now, and is left alone.
 */
const look = async (options: SweepOptions, item: Item, told: string | undefined): Promise<Found | undefined> => {
  const viewer = viewerOf(item.table)
  const isCertain = isOurs(options, told) || isOurs(options, item.key.slice(item.key.lastIndexOf('/') + 1))
  if (!viewer) return isCertain ? item : lookInList(options, item)
  const outcome = await options.reach.call(viewer, { path: callOf(viewer, item).path, as: item.token })
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
const tellsNothing = (outcome: Outcome): boolean =>
  'lost' in outcome ||
  outcome.status >= 500 ||
  [401, 429].includes(outcome.status) ||
  isForeign(outcome) ||
  isOfMoment(outcome)

/** The account that holds a thing is forbidden it for a reason that is not its absence; to another it is a word for that. */
const isForbidden = (outcome: Outcome): boolean => 'status' in outcome && outcome.status === 403

const isOurs = ({ target, isMade }: SweepOptions, name: string | undefined): boolean =>
  name !== undefined && (isMade?.(name) ?? isMadeName(target.environment.safety.prefix, name))

/** Whether a run has seen on the target that it made this. */
const isProven = ({ ledger }: SweepOptions, { table, key }: Item): boolean =>
  ledger.some((line) => line.event === 'proven' && line.kind === table.name && line.key === key)

/** What accounts hold for which the target file has no token that may do everything. */
const outOfReach = ({ ledger, target: { environment } }: SweepOptions): readonly Swept[] => {
  const reached = ownerTokens(environment).map(({ account }) => account)
  return outstanding(ledger).flatMap(({ event, kind, key = '', account = '' }) => {
    const table = tableNamed(kind)
    const isHere = environment.accounts.some(({ name }) => name === account)
    if (event !== 'created' || !table || !enderOf(table) || !isHere || reached.includes(account)) return []
    const reason = `the target file has no token of an unrestricted user of ${account} with the scopes "*"; add one and sweep again`
    return [{ kind, key, account, result: 'failed', reason }]
  })
}

/** Creations with an unknown end, of kinds that have no name to be found by: what they have made, or why that is not known. */
const doubtful = async (options: SweepOptions, found: readonly Found[]): Promise<readonly Found[]> => {
  const { target, reach, ledger } = options
  const told = new Set(found.map(nameIn))
  const doubts = await searchDoubts({
    environment: target.environment,
    reach,
    ledger,
    tellsNothing,
    isOurs: (name) => isOurs(options, name),
    isTold: (kind, key) => told.has(`${kind}/${key}`),
  })
  const items = doubts.map((doubt): Found => {
    if (!('table' in doubt)) return { ...doubt, key: '', result: 'failed' }
    const { table, key, account, token, record, line } = doubt
    return itemOf(table, key, account, token, record, pathIn(line))
  })
  const first = new Map(items.toReversed().map((item) => [nameIn(item), item]))
  return items.filter((item) => !isItem(item) || first.get(nameIn(item)) === item)
}

/** Marks of runs that may still be going on: none of those whose ledger was given. */
const aliveAt = async ({ target, reach, ledger, isMade }: SweepOptions): Promise<readonly Mark[]> => {
  const lister = operationById('tags.list')
  if (isMade || !lister) return []
  const over = new Set(ledger.flatMap(({ event, key }) => (event === 'run' && key !== undefined ? [key] : [])))
  const alive: Mark[] = []
  for (const { token } of ownerTokens(target.environment))
    for (const { label } of (await walkList(reach, lister, token)).records) {
      const mark = markIn(target.environment.safety.prefix, label, Date.now())
      if (mark && !over.has(mark.run)) alive.push(mark)
    }
  return alive
}

/** How many requests a sweep after a run takes: a look at each list, and what is left of tags that came to be with what bore them. */
export const requestsToSweep = ({ environment }: Pick<Target, 'environment'>, world: World, nonce: string): number => {
  const lists = allTables().filter((table) => sweptBy({}, table)).length
  const left = live(world, tags).filter(({ label }) => typeof label === 'string' && label.startsWith(nonce)).length
  return ownerTokens(environment).length * lists + left
}

/** Things with the prefix in the lists of removable kinds. */
const byPrefix = async (
  options: SweepOptions,
  account: string,
  token: string,
  alive: readonly Mark[],
): Promise<readonly Found[]> => {
  const inList = async (table: AnyTable): Promise<readonly Found[]> => {
    const lister = sweptBy(options, table)
    if (!lister) return []
    const found: Found[] = []
    const { records, broken } = await walkList(options.reach, lister, token)
    const reason = whyUnread(options, account, table, lister, broken)
    if (reason !== undefined) found.push({ kind: table.name, key: '', account, result: 'failed', reason })
    for (const record of records) {
      const key = table.identify(record, {}, account)
      if (key === undefined || !isOurs(options, nameOf(record)) || table.tombstone?.(record)) continue
      const item = itemOf(table, key, account, token, record, {})
      const mark = alive.find(({ run }) => nameOf(record)?.startsWith(run))
      found.push(mark ? toldOf(item, 'stays', stillAlive(mark)) : item)
    }
    return found
  }
  // Kinds that are defined later may depend on earlier ones.
  return (await atOnce(options.target.pace.concurrency, allTables().toReversed(), inList)).flat()
}

/** Why a list could not be read in which something may be left, unless the account has no Managed and so nothing to be listed. */
const whyUnread = (
  options: SweepOptions,
  account: string,
  table: AnyTable,
  { area }: Operation,
  broken: Outcome | undefined,
): string | undefined => {
  const { target } = options
  if (!broken || !mayBeLeft(options, table)) return undefined
  const { managed } = target.environment.accounts.find(({ name }) => name === account) ?? {}
  const isShut = area === 'managed' && managed === false && !tellsNothing(broken)
  return isShut ? undefined : `listing them: ${outcomeText(broken)}`
}

/** Whether something of a kind may be left: after a run its ledger tells, and tags come to be with whatever bears them. */
const mayBeLeft = ({ kinds, ledger }: SweepOptions, { name }: AnyTable): boolean =>
  kinds === undefined ||
  outstanding(ledger).some(({ kind }) => kind === name) ||
  (name === tags.name && ledger.some(({ event, kind }) => event === 'created' && kind !== name))

/** What lists a kind of which all that bears the prefix is removed. */
const sweptBy = ({ kinds }: Pick<SweepOptions, 'kinds'>, table: AnyTable): Operation | undefined => {
  const lister = (kinds?.has(table.name) ?? true) && removerOf(table) ? listerOf(table) : undefined
  return lister && Object.keys(lister.params).length === 0 ? lister : undefined
}

const stillAlive = ({ run, endsAt }: Mark): string =>
  `the run ${run} may still be going on; if it was killed, sweep again after ${new Date(endsAt).toISOString()}, or from the folder that it wrote to`

/** How long it is before something is removed again of which no reply tells that it is gone, and for how long that is done in all. */
const pausesMs = [100, 400, 1600]
/** The same for what a reply says is gone and its list still shows, which may be late. */
const pausesOfListedMs = [...pausesMs, 6400]
const patienceMs = 10_000

/** Pauses until patience is at an end; a target that lets nothing be removed is not waited for each time. */
const createRest = ({ sleep }: Reach) => {
  let leftMs = patienceMs
  return async (ms: number): Promise<void> => {
    if (leftMs < ms) return
    leftMs -= ms
    await sleep(ms)
  }
}

/** How long it is each time before a removal with this end is tried again. */
const pausesAfter = (outcome: Outcome): readonly number[] => {
  if (isAbsent(outcome)) return pausesOfListedMs
  return tellsNothing(outcome) || isForbidden(outcome) ? pausesMs : []
}

/** Removes something; where no reply came, once more if it is there still and is still what it was. */
const remove = async (options: SweepOptions, item: Item, rest: ReturnType<typeof createRest>): Promise<Swept> => {
  const remover = enderOf(item.table)
  if (!remover) return toldOf(item, 'stays', 'the interface has no operation that removes it')
  let there = item
  for (let time = 0; ; time += 1) {
    const failure = await removeOnce(options, remover, there, time % 2 === 1)
    if (!failure) return toldOf(there, 'removed', endOf(there))
    const told = toldOf(there, 'failed', saidOf(failure))
    // What is only put to rest may be at rest already: a record does not tell that in words that are known.
    if (item.table.permanent && !tellsNothing(failure.outcome)) return { ...told, result: 'stays' }
    const pauseMs = pausesAfter(failure.outcome)[time]
    if (pauseMs === undefined) return told
    await rest(pauseMs)
    const now = await look(options, there, nameOf(there.entity))
    if (!now) return toldOf(there, 'removed', endOf(there))
    if (!isItem(now)) return now
    there = now
  }
}

/** A call that was not accepted. */
interface Failure {
  readonly op: Operation
  readonly outcome: Outcome
}

const saidOf = ({ op, outcome }: Failure): string =>
  `${op.id}: ${outcomeText(outcome)}${isAbsent(outcome) ? ', though its list shows it' : ''}`

/**
 * The call by which it was not removed; undefined where it is gone. What it is not released from does not keep it from being gone: a list
 * may have shown it that is late.
 */
const removeOnce = async (
  options: SweepOptions,
  remover: Operation,
  item: Item,
  isOutOfStep: boolean,
): Promise<Failure | undefined> => {
  const send = async (op: Operation): Promise<Failure | undefined> => {
    const outcome = await options.reach.call(op, { path: callOf(op, item).path, as: item.token })
    return isAccepted(outcome) ? undefined : { op, outcome }
  }
  const failures: Failure[] = []
  for (const id of item.table.release?.(item.entity) ?? [])
    failures.push(...some(await send(operationById(id) as Operation)))
  await settle(options, item)
  if (isOutOfStep) await readOnce(options, item)
  const last = await send(remover)
  // What can only be put to rest is there in any case.
  if (!last || (!item.table.permanent && !(await mayBeThere(options, item, last.outcome)))) return undefined
  const all = [...failures, last]
  // One after which it is tried again comes before the reason why it was not released.
  const again = [tellsNothing, isForbidden].map((isSuch) => all.find(({ outcome }) => isSuch(outcome)))
  return again.find((one) => one !== undefined) ?? all[0]
}

/**
 * A gateway one of whose two nodes is down passes on every other call: a read is sent again until it is passed on, and the write after it
 * never is, but after a read that is sent once.
 */
const readOnce = async ({ reach }: SweepOptions, item: Item): Promise<void> => {
  const viewer = viewerOf(item.table)
  if (viewer) await reach.call(viewer, { path: callOf(viewer, item).path, as: item.token }, 'once')
}

const some = <T>(one: T | undefined): readonly T[] => (one === undefined ? [] : [one])

/** Whether what was refused to be removed may be there all the same. That it is not there is believed unless its list shows it. */
const mayBeThere = async (options: SweepOptions, item: Item, outcome: Outcome): Promise<boolean> => {
  if (!('status' in outcome) || tellsNothing(outcome)) return true
  const listed = await isListed(options, item)
  return isAbsent(outcome) ? listed === true : listed !== false
}

const isAbsent = (outcome: Outcome): boolean => 'status' in outcome && outcome.status === 404

/** Undefined where it has no list, or that is not shown. */
const isListed = async (
  { reach }: SweepOptions,
  { table, key, account, token }: Item,
): Promise<boolean | undefined> => {
  const lister = listerOf(table)
  if (!lister || Object.keys(lister.params).length > 0) return undefined
  const { records, broken } = await walkList(reach, lister, token)
  const isIt = (record: WireRecord): boolean =>
    (table.identify(record, {}, account) ?? key) === key && !table.tombstone?.(record)
  return broken ? undefined : records.some(isIt)
}

/** Waits until it has come to rest, at most as long as the target file allows. */
const settle = async ({ reach, target }: SweepOptions, item: Item): Promise<void> => {
  const viewer = viewerOf(item.table)
  const { settled } = item.table
  if (!viewer || !settled) return
  const deadline = reach.clock() + target.pace.settleMs
  for (let pause = 5; ; pause = Math.min(pause * 2, 2000)) {
    const record = recordOf(await reach.call(viewer, { path: callOf(viewer, item).path, as: item.token }))
    if (!record || settled({ ...item.entity, ...record }) || reach.clock() > deadline) return
    await reach.sleep(pause)
  }
}
