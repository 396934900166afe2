// Looks for what creations have made that had no reply and gave it no name of a run: what only they can have made, and what nothing tells; removes nothing.

import type { Outcome } from '../history/wire.js'
import { listerOf, removerOf, tableNamed } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { leavesOf } from '../models/language/objects.js'
import type { AnyTable } from '../models/language/operation.js'
import { referencesOf } from '../models/language/references.js'
import type { Path, WireRecord } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { outstanding, pathIn } from './ledger.js'
import { isOther, lentIn } from './ownership.js'
import type { LedgerLine } from './session.js'
import { outcomeText, readWhole, type TargetAccess } from './target-access.js'

interface Search {
  readonly environment: Environment
  readonly access: TargetAccess
  readonly ledger: readonly LedgerLine[]
  readonly isOurs: (name: string) => boolean
  /** Whether a thing is removed anyway, or is told to be left: its parts go or stay with it. */
  readonly isTold: (kind: string, key: string) => boolean
  /** Whether a reply does not even tell whether what it is about is there. */
  readonly tellsNothing: (outcome: Outcome) => boolean
}

/** Something that a creation without a reply has made, or why nothing tells what it made. */
export type Doubt =
  | {
      readonly table: AnyTable
      readonly account: string
      readonly token: string
      readonly line: LedgerLine
      readonly key: string
      readonly record: WireRecord
    }
  | { readonly kind: string; readonly account: string; readonly reason: string }

/** Creations of removable kinds whose end is unknown, and that gave no name by which what they made would be found. */
export const nameless = ({ ledger, isOurs }: Pick<Search, 'ledger' | 'isOurs'>): readonly LedgerLine[] =>
  outstanding(ledger).filter(({ event, kind, body }) => {
    const table = tableNamed(kind)
    return event === 'creating' && table && !table.permanent && removerOf(table) && !leavesOf(body).some(isOurs)
  })

/** Where a list shows nothing that a creation could have made, there is no doubt of it. */
export const searchDoubts = async (search: Search): Promise<readonly Doubt[]> => {
  const found: (Doubt | Unsure)[] = []
  const lists = new Map<string, ReturnType<typeof readWhole>>()
  const owners = ownerTokens(search.environment)
  for (const line of nameless(search)) {
    const holders = owners.filter(({ account }) => (line.account ?? account) === account)
    if (holders.length === 0) found.push(byHand(line, search.environment.accounts[0]?.name ?? '', 'no token sees it'))
    for (const holder of holders) found.push(...(await doubtsAbout(search, line, holder, lists)))
  }
  const sure = new Set(found.flatMap((one) => ('table' in one ? [`${one.table.name} ${one.key}`] : [])))
  return found.flatMap((one) => ('mayBe' in one ? told(one, sure) : [one]))
}

/** A creation that may have made any of some things. */
interface Unsure {
  readonly line: LedgerLine
  readonly account: string
  readonly mayBe: readonly string[]
}

/** What another creation is known to have made it has not. */
const told = ({ line, account, mayBe }: Unsure, sure: ReadonlySet<string>): readonly Doubt[] => {
  const keys = mayBe.filter((key) => !sure.has(`${line.kind} ${key}`))
  const more = keys.length > mostNamed ? ` and ${keys.length - mostNamed} more` : ''
  return keys.length === 0 ? [] : [byHand(line, account, `it may be ${keys.slice(0, mostNamed).join(', ')}${more}`)]
}

/** So many are named of what a creation may have made. */
const mostNamed = 5

const byHand = ({ kind, operation }: LedgerLine, account: string, why: string): Doubt => ({
  kind,
  account,
  reason: `${operation} had no reply, and nothing tells what it made from what others have (${why}); look for it by hand`,
})

const doubtsAbout = async (
  search: Search,
  line: LedgerLine,
  { account, token }: { readonly account: string; readonly token: string },
  lists: Map<string, ReturnType<typeof readWhole>>,
): Promise<readonly (Doubt | Unsure)[]> => {
  const table = tableNamed(line.kind)
  const lister = table && listerOf(table)
  if (!table || !lister) return [byHand(line, account, 'the interface does not list them')]
  const path = pathIn(line)
  const [[parent, reference] = []] = referencesOf(lister)
  if (reference && search.isTold(reference.table.name, path[parent ?? ''] ?? '')) return []
  if (Object.keys(lister.params).some((name) => !path[name])) return [byHand(line, account, 'its place is not known')]
  const name = JSON.stringify([lister.id, path, token])
  const walk = lists.get(name) ?? readWhole(search.access, lister, token, path)
  lists.set(name, walk)
  const { records, broken } = await walk
  // A list that is refused belongs to what is gone, and what was in it is gone with that.
  if (broken && parent !== undefined && !search.tellsNothing(broken)) return []
  if (broken) return [byHand(line, account, `${lister.id}: ${outcomeText(broken)}`)]
  return candidates(search, { table, account, token, line }, path, records)
}

type Origin = Pick<Extract<Doubt, { readonly key: string }>, 'table' | 'account' | 'token' | 'line'>

const candidates = (
  search: Search,
  origin: Origin,
  path: Path,
  records: readonly WireRecord[],
): readonly (Doubt | Unsure)[] => {
  const { environment } = search
  const { line, table, account } = origin
  const known = knownBefore(search, line)
  const others = othersThan(search, origin, known)
  const found = records.flatMap((record) => {
    const key = table.identify(record, path, account)
    return key === undefined || others(key, record) ? [] : [{ ...origin, key, record }]
  })
  if (found.length === 0) return []
  // Nobody else makes anything on an exclusive target, so what was not there before is the run's.
  if (environment.exclusive && known) return found
  return [{ line, account, mayBe: found.map(({ key }) => key) }]
}

/** What there was of its kind before a creation, where that was looked at. */
const knownBefore = ({ ledger }: Search, { step, kind }: LedgerLine): ReadonlySet<string> | undefined => {
  const known = ledger.find((one) => one.event === 'untold' && one.step === step && one.kind === kind)?.known
  return known && new Set(known)
}

/** Tells what is not of a creation's making: it was there before, is lent or of another creation, bears a name, or shows other values. */
const othersThan = (
  { environment, ledger, isOurs }: Search,
  { table, line }: Origin,
  known: ReadonlySet<string> | undefined,
): ((key: string, record: WireRecord) => boolean) => {
  const start = startWorld(environment)
  const lent = lentIn(start)
  const made = new Set(ledger.flatMap(({ event, kind, key }) => (event === 'created' ? [`${kind} ${key}`] : [])))
  const body = typeof line.body === 'object' && line.body !== null ? (line.body as WireRecord) : {}
  return (key, record) =>
    (known?.has(key) ?? false) ||
    lent.has(`${table.name} ${key}`) ||
    made.has(`${table.name} ${key}`) ||
    (table.tombstone?.(record) ?? false) ||
    leavesOf(record).some(isOurs) ||
    isOther(table, record, body, start)
}
