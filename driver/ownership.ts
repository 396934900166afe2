// Decides what a run may change or remove: shared fixtures of the target file, and what is proven to be made by the run; nothing else.

import { buildCall } from '../history/calls.js'
import { bodyOf, isAccepted, isRefusal } from '../history/outcomes.js'
import { pagesOf, recordsIn } from '../history/pages.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { listerOf, operations, viewerOf } from '../models/index.js'
import { ownerTokens, principal } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { isObject, leavesOf } from '../models/language/objects.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { Args } from '../models/language/plan.js'
import { type Reference, referencesOf, removedBy } from '../models/language/references.js'
import { type AnyEntity, live, type WireRecord, type World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'

export interface Ownership {
  /** Before a creation: on a shared target, looks at what exists if records do not show who made them. */
  readonly begin: (op: Operation, call: WireCall) => Promise<Creating | undefined>
  /** Takes in the outcome of a call. Of a creation that may have made something and told no id, returns what of its kind was there before. */
  readonly hear: (op: Operation, call: WireCall, outcome: Outcome, creating?: Creating) => readonly string[] | undefined
  /** Why a write must not be sent; undefined if it may be. Looks again if it is unclear. */
  readonly bars: (op: Operation, call: WireCall) => Promise<string | undefined>
  /** Whether what the path of a write names first is lent by the target file. */
  readonly isLent: (op: Operation, call: WireCall) => boolean
}

/** A creation under way: what is first seen from now on may be what it made. */
export interface Creating {
  readonly table: AnyTable
  readonly since: number
  readonly body: WireRecord
  /** Whether everything that existed was looked at just before. */
  readonly isCounted: boolean
}

/** The claim that a creation made something. */
interface Claim {
  readonly table: AnyTable
  /** The creations one of which made it: several where they told no id. */
  readonly by: readonly Creating[]
  readonly id: string
  readonly path: WireCall['path']
  state: 'told' | 'proven' | 'removed'
}

interface OwnershipOptions {
  readonly environment: Environment
  readonly nonce: string
  readonly send: (call: WireCall) => Promise<Outcome>
  /** Called once for each thing that is proven to be made by the run. */
  readonly onProven: (table: AnyTable, id: string) => void
}

export const createOwnership = ({ environment, nonce, send, onProven }: OwnershipOptions): Ownership => {
  const start = startWorld(environment)
  const lent = lentIn(start)
  const isLentAt = lendingIn(start)
  const book: Book = {
    environment,
    start,
    nonce,
    onProven,
    claims: new Map(),
    told: new Set(),
    untold: [],
    seen: new Map(),
    shows: new Set(),
    now: 0,
  }

  const ask: Ask = async (op, path, as, query = {}) => {
    const call = buildCall(op, { path, as, query })
    const outcome = await send(call)
    hear(book, op, call, outcome)
    return outcome
  }

  const begin: Ownership['begin'] = async (op, call) => {
    if (!op.makes) return undefined
    const table = op.makes
    const body = isObject(call.body) ? call.body : {}
    const creating = { table, since: book.now + 1, body, isCounted: false }
    if (environment.exclusive || !writable.has(table)) return creating
    const names = Object.keys(body).filter((name) => isOurName(book, body[name]))
    const isNamed = (): boolean => names.some((name) => book.shows.has(memberOf(table, name)))
    if (!isNamed())
      await look(book, ask, table, call, (records) => {
        for (const record of records)
          for (const name of names) if (typeof record[name] === 'string') book.shows.add(memberOf(table, name))
        return isNamed()
      })
    return { ...creating, since: book.now + 1, isCounted: !isNamed() }
  }

  /** Whether a thing may be changed: undefined where it may. */
  const barsThing = async (table: AnyTable, id: string, call: WireCall): Promise<string | undefined> => {
    const claim = claimOf(book, table, id, call)
    if (isOurName(book, id) || lent.has(`${table.name} ${id}`) || claim?.state === 'proven') return undefined
    if (!environment.exclusive) return barsUnproven(book, ask, table, id, call, claim)
    const place = placeOf(book, table, call, id)
    const isKnown = claim ? claim.by.every(({ since }) => isOld(book, place, since)) : book.seen.has(place)
    return isKnown && claim?.state !== 'removed' ? `${table.name} ${id} was there before this run` : undefined
  }

  const bars: Ownership['bars'] = async (op, call) => {
    for (const [table, id] of thingsIn(book, op, call)) {
      const barred = await barsThing(table, id, call)
      if (barred !== undefined) return barred
    }
    return undefined
  }
  const isLent: Ownership['isLent'] = (op, call) => isLentAt(op, call.path, accountOf(book, call))
  return { begin, hear: (...heard) => hear(book, ...heard), bars, isLent }
}

type Ask = (op: Operation, path: WireCall['path'], as: string | null, query?: Args['query']) => Promise<Outcome>

/** What replies have claimed and shown about who made what. */
interface Book extends Pick<OwnershipOptions, 'environment' | 'nonce' | 'onProven'> {
  /** What the target file tells. */
  readonly start: World
  readonly claims: Map<string, Claim>
  /** Claims that are neither proven nor refuted yet. */
  readonly told: Set<Claim>
  /** Creations that told no id. */
  readonly untold: Creating[]
  /** When each thing was first seen that no creation claimed. */
  readonly seen: Map<string, number>
  /** Members of records that show their names. */
  readonly shows: Set<string>
  now: number
}

const accountOf = ({ environment }: Book, { as }: Pick<WireCall, 'as'>): string =>
  principal(environment, as).account?.name ?? ''

const ownerOf = (book: Book, call: WireCall): string | null =>
  ownerTokens(book.environment).find(({ account }) => account === accountOf(book, call))?.token ?? call.as

const placeOf = (book: Book, table: AnyTable, call: WireCall, id: string): string =>
  `${table.name} ${accountOf(book, call)} ${id}`

const memberOf = ({ name }: AnyTable, member: string): string => `${name}.${member}`

const isOurName = ({ nonce }: Book, text: unknown): boolean => typeof text === 'string' && text.includes(nonce)

const isOld = ({ seen }: Book, place: string, since: number): boolean => (seen.get(place) ?? since) < since

const note = ({ claims, told }: Book, place: string, claim: Claim): void => {
  const before = claims.get(place)
  if (before) told.delete(before)
  claims.set(place, claim)
  told.add(claim)
}

const prove = ({ told, onProven }: Book, claim: Claim): void => {
  if (claim.state === 'proven') return
  claim.state = 'proven'
  told.delete(claim)
  onProven(claim.table, claim.id)
}

/** Whether a record shows what a creation sent: a name of this run or, without names, the sent values. */
const bears = (book: Book, record: WireRecord, { table, body, isCounted }: Creating): boolean => {
  const isOurs = (text: unknown): boolean => isOurName(book, text)
  for (const [member, value] of Object.entries(record)) if (isOurs(value)) book.shows.add(memberOf(table, member))
  if (leavesOf(record).some(isOurs)) return true
  if (Object.entries(body).some(([name, value]) => isOurs(value) && typeof record[name] === 'string')) return false
  return isCounted && !isOther(table, record, body, book.start)
}

/** Whether a record shows another value than a creation was sent with. */
export const isOther = ({ same }: AnyTable, record: WireRecord, body: WireRecord, start: World): boolean =>
  Object.entries(body).some(
    ([name, value]) =>
      typeof value !== 'object' &&
      record[name] !== undefined &&
      !(same?.[name]?.(value, record[name], body as AnyEntity, start) ?? record[name] === value),
  )

const hear: (book: Book, ...heard: Parameters<Ownership['hear']>) => ReturnType<Ownership['hear']> = (
  book,
  op,
  call,
  outcome,
  creating,
) => {
  book.now += 1
  const isDone = isAccepted(outcome)
  const body = isDone ? bodyOf(outcome) : undefined
  if (op.method === 'GET') hearRecords(book, op, call, body)
  else if (creating) hearCreation(book, call, outcome, body, creating)
  if (isDone) hearRemoval(book, op, call)
  return creating && book.untold.at(-1) === creating ? knownBefore(book, call, creating) : undefined
}

/** What of a kind was seen before a creation began. */
const knownBefore = (book: Book, call: WireCall, { table, since }: Creating): readonly string[] => {
  const place = placeOf(book, table, call, '')
  return [...book.seen].flatMap(([one, at]) => (one.startsWith(place) && at < since ? [one.slice(place.length)] : []))
}

const hearRecords = (book: Book, { reply }: Operation, call: WireCall, body: unknown): void => {
  if (reply.kind !== 'record' && reply.kind !== 'page' && reply.kind !== 'records') return
  for (const record of recordsIn(body)) {
    const id = reply.table.identify(record, call.path, accountOf(book, call))
    if (id === undefined) continue
    const place = placeOf(book, reply.table, call, id)
    const claim = book.claims.get(place)
    if (!claim && !book.seen.has(place)) book.seen.set(place, book.now)
    if (claim?.state !== 'told') continue
    const makers = claim.by.filter((one) => !isOld(book, place, one.since) && bears(book, record, one))
    if (makers.length > 0) prove(book, claim)
    // The latest creation that may have made it, of those before it was first seen, is not asked about again.
    const maker = makers.findLast(({ body }) => !isOther(claim.table, record, body, book.start))
    if (maker && book.untold.includes(maker)) book.untold.splice(book.untold.indexOf(maker), 1)
  }
}

const hearCreation = (book: Book, call: WireCall, outcome: Outcome, body: unknown, creating: Creating): void => {
  const [record] = recordsIn(body)
  const id = record && creating.table.identify(record, call.path, accountOf(book, call))
  if (id === undefined) return void (isRefusal(outcome) || book.untold.push(creating))
  const place = placeOf(book, creating.table, call, id)
  const claim: Claim = { table: creating.table, by: [creating], id, path: call.path, state: 'told' }
  if (book.claims.get(place)?.state !== 'proven') note(book, place, claim)
  // If nobody else changes anything, everything that is new is the run's.
  if (book.environment.exclusive && !isOld(book, place, creating.since)) prove(book, book.claims.get(place) ?? claim)
}

const hearRemoval = (book: Book, op: Operation, call: WireCall): void => {
  const removed = removedBy(op)
  if (!removed) return
  const id = idOf(removed, op.removes as string, call.path, accountOf(book, call))
  const claim = book.claims.get(placeOf(book, removed.table, call, id))
  if (!claim) return
  claim.state = 'removed'
  book.told.delete(claim)
}

/** The claim about a thing: each creation that told no id may have made anything first seen since. */
const claimOf = (book: Book, table: AnyTable, id: string, call: WireCall): Claim | undefined => {
  const place = placeOf(book, table, call, id)
  const known = book.claims.get(place)
  if (known) return known
  const by = book.untold.filter((one) => one.table === table && (book.seen.get(place) ?? 0) >= one.since)
  if (by.length === 0) return undefined
  const claim: Claim = { table, by, id, path: call.path, state: 'told' }
  note(book, place, claim)
  return claim
}

/** Pages through a list until its records tell enough. */
const look = async (
  book: Book,
  ask: Ask,
  table: AnyTable,
  call: WireCall,
  isEnough: (records: readonly WireRecord[]) => boolean,
): Promise<void> => {
  const lister = listerOf(table)
  if (!lister || Object.keys(lister.params).some((name) => call.path[name] === undefined)) return
  const asked = (query: Args['query']): Promise<Outcome> => ask(lister, call.path, ownerOf(book, call), query)
  for await (const outcome of pagesOf(asked, bodyOf)) if (isEnough(recordsIn(bodyOf(outcome)))) return
}

/** On a shared target, looks at a thing that nothing has proven yet: undefined if that shows that it may be changed. */
const barsUnproven = async (
  book: Book,
  ask: Ask,
  table: AnyTable,
  id: string,
  call: WireCall,
  claim: Claim | undefined,
): Promise<string | undefined> => {
  const viewer = viewerOf(table)
  const shown = viewer && (await ask(viewer, pathOf(viewer, table, id, call), ownerOf(book, call)))
  const [record] = shown && isAccepted(shown) ? recordsIn(bodyOf(shown)) : []
  const isProven = (): boolean => claim?.state === 'proven'
  // A view may be missing, or show less than the list.
  if (!isProven() && claim?.state === 'told') await look(book, ask, table, claimedCall(claim, call), isProven)
  if (isProven() || (record && leavesOf(record).some((text) => isOurName(book, text)))) return undefined
  // A thing that does not exist can't be harmed.
  if (!record && claim?.state !== 'told') return undefined
  return `nothing shows that ${table.name} ${id} is of this run's making`
}

type Thing = readonly [table: AnyTable, id: string]

/** What a write may change: the thing that its path names first, and those that its body names and whose maker is unknown. */
function* thingsIn(book: Book, op: Operation, call: WireCall): Generator<Thing> {
  // A part of a thing that may be changed may be changed as well.
  const named = namedFirst(op, call.path, accountOf(book, call))
  if (named) yield named
  if (book.told.size === 0 || call.body === undefined) return
  const names = new Set(leavesOf(call.body))
  for (const { table, id } of [...book.told]) if (names.has(id)) yield [table, id]
}

const namedFirst = (op: Operation, path: WireCall['path'], account: string): Thing | undefined => {
  const [name, reference] = referencesOf(op).find(([, { table }]) => writable.has(table)) ?? []
  return name !== undefined && reference ? [reference.table, idOf(reference, name, path, account)] : undefined
}

/** Kinds that a call can change. */
const writable = new Set(
  operations.flatMap((op) => (op.method === 'GET' ? [] : referencesOf(op).map(([, { table }]) => table))),
)

const idOf = (reference: Reference, name: string, path: WireCall['path'], account: string): string =>
  reference.key?.(path, account) ?? path[name] ?? ''

/** What the target file lends of what calls can change, by kind and key. */
export const lentIn = (world: World): ReadonlySet<string> =>
  new Set([...writable].flatMap((table) => live(world, table).map(({ key }) => `${table.name} ${key}`)))

/** Whether what a path names first is lent by the target file. */
export type IsLent = (op: Operation, path: WireCall['path'], account: string) => boolean

export const lendingIn = (world: World): IsLent => {
  const lent = lentIn(world)
  return (op, path, account) => {
    const named = namedFirst(op, path, account)
    return named !== undefined && lent.has(`${named[0].name} ${named[1]}`)
  }
}

const claimedCall = ({ path }: Claim, call: WireCall): WireCall => ({ ...call, path: { ...path, ...call.path } })

/** The path by which a thing is viewed: that of the call, with the thing's id where the call does not name it. */
const pathOf = (viewer: Operation, table: AnyTable, id: string, { path }: WireCall): WireCall['path'] =>
  Object.fromEntries(
    Object.entries(viewer.params).map(([name, reference]) => [
      name,
      path[name] ?? (typeof reference === 'object' && reference.table === table ? id : ''),
    ]),
  )
