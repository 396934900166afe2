// What lent things were like, and where they were, before a run changed them, and how they come to be so again; judges nothing.

import isEqual from 'fast-deep-equal'
import { buildCall, type SendableCall } from '../history/calls.js'
import { isAbsent, isAccepted } from '../history/outcomes.js'
import type { Outcome, WireCall } from '../history/wire.js'
import { actsOnLent, operationById, operations } from '../models/index.js'
import { ownerTokens, principal } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import type { Move, Moved, Places } from '../models/language/places.js'
import { lastTableOf } from '../models/language/references.js'
import type { WireRecord } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { isUnanswered } from './answers.js'
import { outstanding, pathIn } from './ledger.js'
import { type Swept, tellsNothing } from './leftovers.js'
import { type IsLent, lendingIn } from './ownership.js'
import type { LedgerLine } from './session.js'
import { type Calling, outcomeText, recordOf, type TargetAccess } from './target-access.js'

interface Options {
  readonly environment: Environment
  readonly send: (call: SendableCall) => Promise<Outcome>
  readonly sleep: (ms: number) => Promise<void>
  readonly isLent: (op: Operation, call: WireCall) => boolean
  readonly ledger: (line: LedgerLine) => void
}

/** So many looks at a thing may have no reply. Each pause between them is longer than the last by this much: a target may be restarting. */
const mostInVain = 6
const firstPauseMs = 1000

/**
 * Looks at lent things before the first call that is to change or move them, and writes down what they are like, or where they are. Tells
 * why the call must not be sent, where these looks had no reply: nothing could give the things back.
 */
export const createLentBook = ({ environment, send, sleep, isLent, ledger }: Options) => {
  /** Calls at the same time wait for one look. */
  const noted = new Map<string, Promise<string | undefined>>()
  const moved = new Set<string>()
  /** Undefined where it had no reply. */
  const lookAt = async (call: SendableCall): Promise<Outcome | undefined> => {
    for (let times = 1; times <= mostInVain; times += 1) {
      const outcome = await send(call)
      if (!isUnanswered(outcome)) return outcome
      if (times < mostInVain) await sleep(firstPauseMs * times)
    }
    return undefined
  }
  /** Writes down what a thing is like. Tells why not, where looks at it had no reply. */
  const noteNow = async (by: Owner, op: Operation, step: number, aspect: Aspect): Promise<string | undefined> => {
    const { viewer, path, query, key, picked } = aspect
    const look = buildCall(viewer, { path, query, as: by.token })
    const url = look.url.split('?')[0] as string
    const outcome = await lookAt(look)
    if (!outcome) return `looks at ${url} had no reply, and nothing else tells what to give back after this call`
    const was = picked(recordOf(outcome) ?? {})
    if (Object.keys(was).length === 0) return undefined
    const kind = kindIn(op, viewer)
    ledger({ event: 'lent', step, kind, operation: op.id, key, account: by.account, url, body: { ...was, ...query } })
    return undefined
  }
  const noteBefore = (by: Owner, op: Operation, step: number, aspect: Aspect): Promise<string | undefined> =>
    getOrInsert(noted, aspect.key, () => noteNow(by, op, step, aspect))
  /** Writes down where a call is to put a thing. */
  const noteMoving = ({ account }: Owner, op: Operation, step: number, { viewer, key, to }: Aspect): void => {
    const move = JSON.stringify([account, key, to])
    if (to === undefined || moved.has(move)) return
    moved.add(move)
    ledger({ event: 'moving', step, kind: kindIn(op, viewer), operation: op.id, key, account, body: to })
  }
  return async (op: Operation, call: WireCall, step: number): Promise<string | undefined> => {
    const account = principal(environment, call.as).account?.name
    const owner = ownerTokens(environment).find((one) => one.account === account)
    if (!owner) return undefined
    for (const aspect of aspectsOf(op, call)) {
      if (!isLent(aspect.viewer, { ...call, path: aspect.path })) continue
      const unknown = await noteBefore(owner, op, step, aspect)
      if (unknown !== undefined) return unknown
      noteMoving(owner, op, step, aspect)
    }
    return undefined
  }
}

type Owner = ReturnType<typeof ownerTokens>[number]

/** Something that a call may change about a thing, and what shows it. */
interface Aspect {
  readonly viewer: Operation
  readonly path: WireCall['path']
  readonly query: Readonly<Record<string, string>>
  /** The thing and the aspect. */
  readonly key: string
  /** What of the record it is. */
  readonly picked: (record: WireRecord) => WireRecord
  /** Where the call puts it, if that is what it does. */
  readonly to?: WireRecord
}

const aspectsOf = (op: Operation, call: WireCall): readonly Aspect[] => {
  const { places } = op
  const viewer = operationById(places?.view ?? '')
  if (places && viewer) return places.of(call).map((move) => placeOf(places, viewer, move))
  const updated = viewerOfUpdate(op)
  if (!updated) return []
  const query = queryOf(updated, call.body)
  // It may name nothing that could be looked at.
  if (Object.keys(updated.query?.properties ?? {}).some((name) => query[name] === undefined)) return []
  const key = keyOf(call.url, query)
  return [{ viewer: updated, path: call.path, query, key, picked: (record) => membersOf(op, record) }]
}

const placeOf = ({ members }: Places, viewer: Operation, { path, to }: Move): Aspect => ({
  viewer,
  path,
  to,
  query: {},
  key: [buildCall(viewer, { path }).url, ...members].join(' '),
  picked: (record) => namedIn(members, record),
})

const namedIn = (members: readonly string[], record: WireRecord): WireRecord =>
  Object.fromEntries(members.flatMap((name) => (record[name] === undefined ? [] : [[name, record[name]]])))

interface GivingBack {
  readonly environment: Environment
  readonly access: TargetAccess
  readonly ledger: readonly LedgerLine[]
  readonly dryRun: boolean
  /** Whether a run deletes a node at its end, with all that belongs to it; the target is reset after that. */
  readonly endsNodes: boolean
}

/** Gives lent things back as they were before the first of the runs; tells of each that had changed. */
export const giveBack = async (options: GivingBack): Promise<readonly Swept[]> => {
  const first = new Map<string, LedgerLine>()
  for (const line of outstanding(options.ledger))
    if (line.event === 'lent' && !first.has(`${line.account} ${line.key}`))
      first.set(`${line.account} ${line.key}`, line)
  const told: Swept[] = []
  const moved: LedgerLine[] = []
  for (const line of first.values()) {
    if (isOfPlace(line)) moved.push(line)
    else told.push(...some(await giveOneBack(options, line)))
  }
  return [...told, ...(await bringBack(options, moved))]
}

const some = <T>(one: T | undefined): readonly T[] => (one === undefined ? [] : [one])

/** Whether a line tells of a thing where it was; of others it tells what an update may change. */
const isOfPlace = ({ operation }: LedgerLine): boolean => operationById(operation)?.places !== undefined

/** A lent thing that is not where it was. */
interface Away extends Moved {
  readonly line: LedgerLine
  /** That of the owner. */
  readonly token: string
  readonly look: () => Promise<WireRecord | undefined>
}

/** Brings lent things back to where they were, those of an account and a kind together. */
const bringBack = async (options: GivingBack, lines: readonly LedgerLine[]): Promise<readonly Swept[]> => {
  const told: Swept[] = []
  const isLent = lendingIn(startWorld(options.environment))
  const groups = new Map<string, [Away, ...Away[]]>()
  for (const line of lines) {
    const place = await placeBy(options, line)
    const name = `${line.account} ${line.kind}`
    const group = groups.get(name)
    const one = place && 'look' in place ? (leftBy(options.ledger, isLent, place) ?? place) : place
    if (one && 'result' in one) told.push(one)
    else if (one && group) group.push(one)
    else if (one) groups.set(name, [one])
  }
  for (const things of groups.values()) told.push(...(await bringAllBack(options, things)))
  return told
}

const toldOf = ({ line: { kind, key = '', account = '' } }: Pick<Away, 'line'>) => ({ kind, key, account })

/** A thing that is away, or why that is not known. Undefined where it is where it was, or is gone, which no call undoes. */
const placeBy = async ({ environment, access }: GivingBack, line: LedgerLine): Promise<Away | Swept | undefined> => {
  const { account, operation } = line
  const { places } = operationById(operation) ?? {}
  const viewer = operationById(places?.view ?? '')
  const token = ownerTokens(environment).find((one) => one.account === account)?.token
  if (!places || !viewer || !isObject(line.body)) return undefined
  if (token === undefined)
    return { ...toldOf({ line }), result: 'failed', reason: 'the target file has no token of its account' }
  const path = pathIn({ ...line, operation: viewer.id })
  const was = namedIn(places.members, line.body)
  const look = () => access.call(viewer, { path, as: token })
  const placeIn = (outcome: Outcome): WireRecord | undefined => {
    const record = recordOf(outcome)
    return record && namedIn(places.members, record)
  }
  const outcome = await look()
  const now = placeIn(outcome)
  if (now !== undefined)
    return isEqual(was, now) ? undefined : { line, token, path, was, now, look: async () => placeIn(await look()) }
  const reason = `it was at ${JSON.stringify(was)} before the run; where it is now is not known: looking at it gave ${outcomeText(outcome)}`
  return isAbsent(outcome) && !tellsNothing(outcome) ? undefined : { ...toldOf({ line }), result: 'failed', reason }
}

const differenceOf = ({ was, now }: Moved): string =>
  `it was at ${JSON.stringify(was)} before the run, and is at ${JSON.stringify(now)} now`

/** A thing that is not brought back: where people have moved it since, or lend it no more, it is theirs to place. */
const leftBy = (ledger: readonly LedgerLine[], isLent: IsLent, away: Away): Swept | undefined => {
  const { line, path, now } = away
  const told = (result: Swept['result'], why: string): Swept => ({
    ...toldOf(away),
    result,
    reason: `${differenceOf(away)}; it is not brought back, as ${why}`,
  })
  const viewer = operationById(operationById(line.operation)?.places?.view ?? '')
  if (!viewer || !isLent(viewer, path, line.account ?? ''))
    return told('stays', 'the target file does not lend it any more')
  const isThere = (to: WireRecord): boolean =>
    Object.keys(to).length > 0 && Object.entries(to).every(([name, value]) => String(now[name]) === String(value))
  const isByRun = ({ event, key, account, body }: LedgerLine): boolean =>
    event === 'moving' && key === line.key && account === line.account && isObject(body) && isThere(body)
  return ledger.some(isByRun) ? undefined : told('moved', 'no run has put it there')
}

const bringAllBack = async (
  { environment, access, dryRun }: GivingBack,
  things: readonly [Away, ...Away[]],
): Promise<readonly Swept[]> => {
  const [{ line, token }] = things
  const answers: string[] = []
  for (const [id, args] of dryRun ? [] : (operationById(line.operation)?.places?.back(things, environment) ?? []))
    answers.push(
      `${id}: ${outcomeText(await callInTime(access, operationById(id) as Operation, { ...args, as: token }))}`,
    )
  const told: Swept[] = []
  for (const away of things) {
    const isBack = !dryRun && (await isSoon(access.sleep, async () => isEqual(await away.look(), away.was)))
    const result = isBack ? 'returned' : dryRun ? 'listed' : 'failed'
    const reason = [differenceOf(away), ...(result === 'failed' ? answers : [])].join('; ')
    told.push({ ...toldOf(away), result, reason })
  }
  return told
}

/** A call that may be refused for a moment: what is detached takes its time, and cannot be attached meanwhile. */
const callInTime = async (access: TargetAccess, op: Operation, args: Calling): Promise<Outcome> => {
  let outcome = await access.call(op, args)
  await isSoon(access.sleep, async () => {
    if (!isAccepted(outcome)) outcome = await access.call(op, args)
    return isAccepted(outcome)
  })
  return outcome
}

/** Whether something shows, be it late. */
const isSoon = async (sleep: TargetAccess['sleep'], isSo: () => Promise<boolean>): Promise<boolean> => {
  for (const pauseMs of pausesMs) {
    await sleep(pauseMs)
    if (await isSo()) return true
  }
  return false
}

const giveOneBack = async (
  { environment, access, dryRun, endsNodes }: GivingBack,
  line: LedgerLine,
): Promise<Swept | undefined> => {
  const { kind, key = '', account = '', operation } = line
  const op = operationById(operation)
  const viewer = op && viewerOfUpdate(op)
  const token = ownerTokens(environment).find((one) => one.account === account)?.token
  if (!op || !viewer || token === undefined || !isObject(line.body)) return undefined
  const body = line.body as WireRecord
  const query = queryOf(viewer, body)
  const was = membersOf(op, body)
  const args = { path: pathIn(line), as: token }
  const look = () => access.call(viewer, { ...args, query })
  const shownIn = (outcome: Outcome): WireRecord | undefined => {
    const record = recordOf(outcome)
    return record && membersOf(op, record)
  }
  const isAsItWas = (now: WireRecord | undefined): boolean => now !== undefined && isEqual({ ...query, ...now }, body)
  const looked = await look()
  const now = shownIn(looked)
  const mayBeGone = (endsNodes && isOfNode(op)) || mayHaveEnded(environment, op)
  if (isAsItWas(now) || (now === undefined && mayBeGone && isAbsent(looked) && !tellsNothing(looked))) return undefined
  const difference = `it had ${JSON.stringify(was)} before the run, and has ${JSON.stringify(now) ?? 'nothing'} now`
  if (dryRun) return { kind, key, account, result: 'listed', reason: difference }
  const outcome = await access.call(op, { ...args, body })
  if (isAccepted(outcome) && (await isSoon(access.sleep, async () => isAsItWas(shownIn(await look())))))
    return { kind, key, account, result: 'returned', reason: difference }
  return { kind, key, account, result: 'failed', reason: `${difference}; ${op.id}: ${outcomeText(outcome)}` }
}

const isOfNode = (op: Operation): boolean => lastTableOf(op)?.node !== undefined

/** Whether the target file allows to end everything of its area, and lent things with it. */
const mayHaveEnded = ({ exclusive, safety }: Environment, { area }: Operation): boolean =>
  exclusive && operations.some((op) => op.area === area && op.endsAll === true && safety.allow.includes(op.id))

/** What was given back may show late. */
const pausesMs = [0, 200, 1000, 2000]

/** What shows at the same address what an update changes. */
const viewerOfUpdate = (op: Operation): Operation | undefined =>
  op.method === 'PUT' && actsOnLent(op.id)
    ? operations.find(({ method, path }) => method === 'GET' && path === op.path)
    : undefined

/** What a call changes or moves. */
const kindIn = (op: Operation, viewer: Operation): string => kindOf(op.places ? viewer : op)

const kindOf = ({ reply, path }: Operation): string =>
  'table' in reply ? reply.table.name : (path.split('/').at(-1) ?? '')

const keyOf = (url: string, query: WireRecord): string => [url, ...Object.values(query)].join(' ')

/** What the body of an update names that a view takes in its query. */
const queryOf = (viewer: Operation, body: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(isObject(body) ? body : {}).flatMap(([name, value]) =>
      viewer.query?.properties[name] !== undefined && typeof value === 'string' ? [[name, value]] : [],
    ),
  )

/** What of a record an update can set. */
const membersOf = ({ body }: Operation, record: WireRecord): WireRecord => picked(body, record)

interface Shaped {
  readonly properties?: Readonly<Record<string, unknown>>
}

const picked = (shape: unknown, record: WireRecord): WireRecord =>
  Object.fromEntries(
    Object.entries((shape as Shaped | undefined)?.properties ?? {}).flatMap(([name, inner]) => {
      const value = record[name]
      if (value === undefined) return []
      const isDeep = isObject(value) && (inner as Shaped).properties !== undefined
      return [[name, isDeep ? picked(inner, value as WireRecord) : value]]
    }),
  )
