// Deletes what earlier runs created and left, by their ledgers and by the prefix of its name; never anything else.

import type { Target } from '../config/target-file.js'
import type { Outcome } from '../history/wire.js'
import { allTables, listerOf, operationById, removerOf, tableNamed, viewerOf } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import { nameOf } from '../models/language/names.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { find, isLatent, type World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { tagKey, tags } from '../models/tags/record.js'
import { atOnce } from './at-once.js'
import { searchDoubts } from './doubts.js'
import { giveBack } from './giving-back.js'
import { outstanding, pathIn } from './ledger.js'
import { createRemovalPatience, remove } from './leftover-removal.js'
import {
  callOf,
  enderOf,
  endOf,
  type Found,
  type Item,
  isItem,
  isOurs,
  isRemains,
  itemOf,
  look,
  nameIn,
  type SweepOptions,
  type Swept,
  tellsNothing,
  toldOf,
} from './leftovers.js'
import { type Mark, markIn } from './mark.js'
import { nonceIn } from './nonce.js'
import type { LedgerLine } from './session.js'
import { outcomeText, readWhole } from './target-access.js'

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
  const patience = createRemovalPatience(options.access)
  const endOne = async (item: Item): Promise<Swept> =>
    dryRun ? toldOf(item, 'listed', endOf(item)) : remove(options, item, patience)
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
  await end(await giveBack({ environment, access: options.access, ledger: options.ledger, dryRun, endsNodes }))
  return swept
}

/** Things that, by the ledgers, were created and not removed, and that still exist. */
const fromLedger = async (options: SweepOptions, account: string, token: string): Promise<readonly Found[]> => {
  const left = outstanding(options.ledger).toReversed()
  const made = new Set(left.flatMap((line) => (line.event === 'created' ? [placeOf(line)] : [])))
  // What a creation without an id has made is known by its key where it could not be removed.
  const isToBeGone = (line: LedgerLine): boolean =>
    line.event === 'created' || (line.event === 'left' && !made.has(placeOf(line)))
  const items = left.flatMap((line): readonly Item[] => {
    const { key, kind } = line
    const table = tableNamed(kind)
    if (!isToBeGone(line) || key === undefined || isLatent(key) || !table) return []
    // Of a part of something else, its whole is not told.
    if (line.event === 'left' && Object.keys(removerOf(table)?.params ?? {}).length > 1) return []
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

const placeOf = ({ kind, key = '' }: LedgerLine): string => `${kind}/${key}`

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
  const { target, access, ledger } = options
  const told = new Set(found.map(nameIn))
  const doubts = await searchDoubts({
    environment: target.environment,
    access,
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
const aliveAt = async ({ target, access, ledger, isMade }: SweepOptions): Promise<readonly Mark[]> => {
  const lister = operationById('tags.list')
  if (isMade || !lister) return []
  const over = new Set(ledger.flatMap(({ event, key }) => (event === 'run' && key !== undefined ? [key] : [])))
  const alive: Mark[] = []
  for (const { token } of ownerTokens(target.environment))
    for (const { label } of (await readWhole(access, lister, token)).records) {
      const mark = markIn(target.environment.safety.prefix, label, Date.now())
      if (mark && !over.has(mark.run)) alive.push(mark)
    }
  return alive
}

/** How many requests it takes after a run to look at each list of what it made. Whatever bears tags makes them, too. */
export const requestsToSweep = ({ environment }: Pick<Target, 'environment'>, kinds: ReadonlySet<string>): number => {
  const swept = new Set([...kinds, tags.name])
  return ownerTokens(environment).length * allTables().filter((table) => sweptBy({ kinds: swept }, table)).length
}

/** Things with names of runs, or named after one, in the lists of removable kinds. */
const byPrefix = async (
  options: SweepOptions,
  account: string,
  token: string,
  alive: readonly Mark[],
): Promise<readonly Found[]> => {
  const start = startWorld(options.target.environment)
  const inList = async (table: AnyTable): Promise<readonly Found[]> => {
    const lister = sweptBy(options, table)
    if (!lister) return []
    const found: Found[] = []
    const { records, broken } = await readWhole(options.access, lister, token)
    const reason = whyUnread(options, account, table, lister, broken)
    if (reason !== undefined) found.push({ kind: table.name, key: '', account, result: 'failed', reason })
    for (const record of records) {
      const key = table.identify(record, {}, account)
      if (key === undefined || isRemains(table, record)) continue
      found.push(...byName(options, start, itemOf(table, key, account, token, record, {}), alive))
    }
    return found
  }
  // Kinds that are defined later may depend on earlier ones.
  return (await atOnce(options.target.pace.concurrency, allTables().toReversed(), inList)).flat()
}

/** What becomes of something that a list shows, by its name alone. */
const byName = (options: SweepOptions, start: World, item: Item, alive: readonly Mark[]): readonly Found[] => {
  const name = nameOf(item.entity)
  if (name === undefined) return []
  const isGiven = isOurs(options, name)
  const isNamedAfter = !options.isMade && nonceIn(options.target.environment.safety.prefix, name) !== undefined
  if (!isGiven && !isNamedAfter) return []
  const lent = lentBy(options, start, item)
  // What the ledger tells of is given back as it was.
  if (lent !== undefined) return lent === 'ledger' ? [] : [toldOf(item, 'stays', renamed)]
  if (!isGiven) return [toldOf(item, 'stays', 'it is named after a run, but no run gives such a name')]
  const mark = alive.find(({ run }) => name.startsWith(run))
  return [mark ? toldOf(item, 'stays', stillAlive(mark)) : item]
}

/** What says that a thing is lent. Runs rename such things too, so that a name does not tell that it is theirs to remove. */
const lentBy = ({ ledger }: SweepOptions, start: World, item: Item): 'ledger' | 'target file' | undefined => {
  const viewer = viewerOf(item.table)
  const url = viewer && callOf(viewer, item).url
  const told = ledger.filter((line) => line.event === 'lent' && line.url === url && line.account === item.account)
  if (told.length > 0 && outstanding(ledger).some((line) => told.includes(line))) return 'ledger'
  return told.length > 0 || find(start, item.table, item.key) ? 'target file' : undefined
}

const renamed =
  'it is or was lent, so it is not removed; what it was called before is in the ledger of the run that renamed it'

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
