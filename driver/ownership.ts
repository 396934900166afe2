// What a run may change or remove: what the target file lends it, and what is proven to be of its own making; all else is left alone.

import { buildCall } from '../history/calls.js'
import { listedIn, openWalk } from '../history/pages.js'
import type { Outcome, WireCall } from '../history/record.js'
import { listerOf, operations, viewerOf } from '../models/index.js'
import { principal } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type AnyEntity, live, type WireRecord, type World } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { leavesOf } from '../models/tags/carriers.js'
import { ownerTokens } from './reach.js'

export interface Ownership {
  /** Before a creation: on a shared target, looks at what is there where records do not show who made them. */
  readonly begin: (op: Operation, call: WireCall) => Promise<Creating | undefined>
  /** Takes in what came of a call. */
  readonly hear: (op: Operation, call: WireCall, outcome: Outcome, creating?: Creating) => void
  /** Why a write is not to be sent; undefined where it may. Looks again where what was seen does not tell. */
  readonly bars: (op: Operation, call: WireCall) => Promise<string | undefined>
}

/** A creation under way: what was seen from now on may be what it made. */
export interface Creating {
  readonly table: AnyTable
  readonly since: number
  readonly body: WireRecord
  /** All that was there has been looked at just before. */
  readonly isCounted: boolean
}

/** What a reply said that a creation made. */
interface Claim extends Creating {
  readonly id: string
  readonly path: WireCall['path']
  state: 'told' | 'proven' | 'removed'
}

interface OwnershipOptions {
  readonly environment: Environment
  readonly nonce: string
  readonly send: (call: WireCall) => Promise<Outcome>
  /** Told once of each thing that is proven to be of the run's making. */
  readonly onProven: (table: AnyTable, id: string) => void
}

export const createOwnership = ({ environment, nonce, send, onProven }: OwnershipOptions): Ownership => {
  const start = startWorld(environment)
  const lent = lentIn(start)
  const claims = new Map<string, Claim>()
  /** Those of which it is not known yet whether they are true. */
  const told = new Set<Claim>()
  /** Creations that told no id. */
  const untold: Creating[] = []
  /** When each thing that no reply to a creation had told was first seen. */
  const seen = new Map<string, number>()
  /** Members by which records show the names that they were given. */
  const shows = new Set<string>()
  let now = 0

  const accountOf = ({ as }: Pick<WireCall, 'as'>): string => principal(environment, as).account?.name ?? ''
  const placeOf = (table: AnyTable, account: string, id: string): string => `${table.name} ${account} ${id}`
  const memberOf = ({ name }: AnyTable, member: string): string => `${name}.${member}`
  const isOurName = (text: unknown): boolean => typeof text === 'string' && text.includes(nonce)
  const ownerOf = (call: WireCall): string | null =>
    ownerTokens(environment).find(({ account }) => account === accountOf(call))?.token ?? call.as

  const note = (place: string, claim: Claim): void => {
    const before = claims.get(place)
    if (before) told.delete(before)
    claims.set(place, claim)
    told.add(claim)
  }

  const prove = (claim: Claim): void => {
    if (claim.state === 'proven') return
    claim.state = 'proven'
    told.delete(claim)
    onProven(claim.table, claim.id)
  }

  /** Whether a record bears what a creation sent: a name of this run, or for want of one the values that it shows. */
  const bears = (record: WireRecord, { table, body, isCounted }: Creating): boolean => {
    for (const [member, value] of Object.entries(record)) if (isOurName(value)) shows.add(memberOf(table, member))
    if (leavesOf(record).some(isOurName)) return true
    if (Object.entries(body).some(([name, value]) => isOurName(value) && typeof record[name] === 'string')) return false
    const isOther = ([name, value]: [string, unknown]): boolean =>
      typeof value !== 'object' &&
      record[name] !== undefined &&
      !(table.same?.[name]?.(value as never, record[name], body as never, start) ?? record[name] === value)
    return isCounted && !Object.entries(body).some(isOther)
  }

  const isOld = (place: string, since: number): boolean => (seen.get(place) ?? since) < since

  const weigh = (table: AnyTable, account: string, id: string, record: WireRecord): void => {
    const place = placeOf(table, account, id)
    const claim = claims.get(place)
    if (!claim) {
      if (!seen.has(place)) seen.set(place, now)
    } else if (claim.state === 'told' && !isOld(place, claim.since) && bears(record, claim)) prove(claim)
  }

  const hearRecords = (op: Operation, call: WireCall, body: unknown): void => {
    const { reply } = op
    if (reply.kind !== 'record' && reply.kind !== 'page' && reply.kind !== 'records') return
    for (const record of recordsIn(body)) {
      const id = reply.table.identify(record, call.path, accountOf(call))
      if (id !== undefined) weigh(reply.table, accountOf(call), id, record)
    }
  }

  const hear: Ownership['hear'] = (op, call, outcome, creating) => {
    now += 1
    const isDone = 'status' in outcome && outcome.status >= 200 && outcome.status < 300
    const body = isDone ? outcome.body : undefined
    if (op.method === 'GET') return hearRecords(op, call, body)
    if (creating) {
      const record = recordsIn(body)[0]
      const id = record && creating.table.identify(record, call.path, accountOf(call))
      const isRefused = 'status' in outcome && outcome.status >= 400 && outcome.status < 500
      if (id === undefined) return void (isRefused || untold.push(creating))
      const place = placeOf(creating.table, accountOf(call), id)
      const claim: Claim = { ...creating, id, path: call.path, state: 'told' }
      const before = claims.get(place)
      if (before?.state !== 'proven') note(place, claim)
      // Where nobody else changes anything, what was not there before is the run's.
      if (environment.exclusive && !isOld(place, claim.since)) prove(claims.get(place) ?? claim)
    }
    const removed = op.removes === undefined ? undefined : op.params[op.removes]
    if (isDone && typeof removed === 'object') {
      const claim = claims.get(
        placeOf(removed.table, accountOf(call), idOf(removed, op.removes ?? '', call, accountOf(call))),
      )
      if (claim) {
        claim.state = 'removed'
        told.delete(claim)
      }
    }
  }

  const ask = async (op: Operation, path: WireCall['path'], as: string | null, page?: number): Promise<Outcome> => {
    const call = buildCall(op, { path, as, ...(page !== undefined && { query: { page } }) })
    const outcome = await send(call)
    hear(op, call, outcome)
    return outcome
  }

  /** Looks through a list until its records tell enough. */
  const look = async (
    table: AnyTable,
    call: WireCall,
    isEnough: (records: readonly WireRecord[]) => boolean,
  ): Promise<void> => {
    const lister = listerOf(table)
    if (!lister || Object.keys(lister.params).some((name) => call.path[name] === undefined)) return
    const goesOn = openWalk()
    for (let page = 1; ; page += 1) {
      const outcome = await ask(lister, call.path, ownerOf(call), page === 1 ? undefined : page)
      const body = 'body' in outcome ? outcome.body : undefined
      if (isEnough(recordsIn(body)) || !goesOn(body, page)) return
    }
  }

  const begin: Ownership['begin'] = async (op, call) => {
    if (!op.makes) return undefined
    const table = op.makes
    const body = isObject(call.body) ? call.body : {}
    const creating = { table, since: now + 1, body, isCounted: false }
    if (environment.exclusive || !writable.has(table)) return creating
    const names = Object.keys(body).filter((name) => isOurName(body[name]))
    const isNamed = (): boolean => names.some((name) => shows.has(memberOf(table, name)))
    if (!isNamed())
      await look(table, call, (records) => {
        for (const record of records)
          for (const name of names) if (typeof record[name] === 'string') shows.add(memberOf(table, name))
        return isNamed()
      })
    return { ...creating, since: now + 1, isCounted: !isNamed() }
  }

  /** Whether a thing may be changed: undefined where it may. */
  const barsThing = async (table: AnyTable, id: string, call: WireCall): Promise<string | undefined> => {
    const account = accountOf(call)
    const place = placeOf(table, account, id)
    const claim = claims.get(place) ?? claimOf(table, account, id, call)
    if (isOurName(id) || lent.has(`${table.name} ${id}`) || claim?.state === 'proven') return undefined
    if (environment.exclusive) {
      const isKnown = claim ? isOld(place, claim.since) : seen.has(place)
      return isKnown && claim?.state !== 'removed' ? `${table.name} ${id} was there before this run` : undefined
    }
    const viewer = viewerOf(table)
    const shown = viewer && (await ask(viewer, pathOf(viewer, table, id, call), ownerOf(call)))
    const [record] = shown && 'status' in shown && shown.status < 300 ? recordsIn(shown.body) : []
    if (!record && claim?.state === 'told')
      await look(table, claimedCall(claim, call), () => (claim.state as string) === 'proven')
    const state = claim?.state as Claim['state'] | undefined
    if (state === 'proven' || (record && leavesOf(record).some(isOurName))) return undefined
    // What is not there can't be harmed.
    if (!record && state !== 'told') return undefined
    return `nothing shows that ${table.name} ${id} is of this run's making`
  }

  /** A creation that told no id may have made what was first seen since. */
  const claimOf = (table: AnyTable, account: string, id: string, { path }: WireCall): Claim | undefined => {
    const place = placeOf(table, account, id)
    const creating = untold.find((one) => one.table === table && (seen.get(place) ?? 0) >= one.since)
    if (!creating) return undefined
    const claim: Claim = { ...creating, id, path, state: 'told' }
    note(place, claim)
    return claim
  }

  const bars: Ownership['bars'] = async (op, call) => {
    const account = accountOf(call)
    // What lies within something that may be changed may be changed as well.
    const [outermost] = Object.entries(op.params).filter(
      ([, reference]) => typeof reference === 'object' && writable.has(reference.table),
    )
    if (outermost && typeof outermost[1] === 'object') {
      const barred = await barsThing(outermost[1].table, idOf(outermost[1], outermost[0], call, account), call)
      if (barred !== undefined) return barred
    }
    if (told.size === 0 || call.body === undefined) return undefined
    const names = new Set(leavesOf(call.body))
    for (const { table, id } of [...told])
      if (names.has(id)) {
        const barred = await barsThing(table, id, call)
        if (barred !== undefined) return barred
      }
    return undefined
  }
  return { begin, hear, bars }
}

type Reference = Exclude<Operation['params'][string], string>

/** Kinds that a call can change. */
const writable = new Set(
  operations.flatMap(({ method, params }) =>
    method === 'GET'
      ? []
      : Object.values(params).flatMap((reference) =>
          typeof reference === 'object' ? [reference.table as AnyTable] : [],
        ),
  ),
)

const idOf = (reference: Reference, name: string, { path }: WireCall, account: string): string =>
  reference.key?.(path, account) ?? path[name] ?? ''

const lentIn = (world: World): ReadonlySet<string> =>
  new Set(
    [...writable].flatMap((table) =>
      (live(world, table) as readonly AnyEntity[]).map(({ key }) => `${table.name} ${key}`),
    ),
  )

const claimedCall = ({ path }: Claim, call: WireCall): WireCall => ({ ...call, path: { ...path, ...call.path } })

/** The path by which a thing is viewed: that of the call, with the thing's id where the call does not name it. */
const pathOf = (viewer: Operation, table: AnyTable, id: string, { path }: WireCall): WireCall['path'] =>
  Object.fromEntries(
    Object.entries(viewer.params).map(([name, reference]) => [
      name,
      path[name] ?? (typeof reference === 'object' && reference.table === table ? id : ''),
    ]),
  )

/** The records of a reply: those of a page or an array, or the one that it is. */
const recordsIn = (body: unknown): readonly WireRecord[] =>
  isObject(body) && !Array.isArray(body.data) ? [body] : listedIn(body)
