// Gives back what the target file lends as it was, and where it was, before a run changed it; nothing that others have changed since.

import isEqual from 'fast-deep-equal'
import { isAbsent, isAccepted } from '../history/outcomes.js'
import type { Outcome } from '../history/wire.js'
import { operationById, operations } from '../models/index.js'
import { ownerTokens } from '../models/language/access.js'
import type { Environment } from '../models/language/environment.js'
import { isObject, pick } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import type { Moved } from '../models/language/places.js'
import { lastTableOf } from '../models/language/references.js'
import type { WireRecord } from '../models/language/world.js'
import { startWorld } from '../models/start.js'
import { outstanding, pathIn } from './ledger.js'
import { type Swept, tellsNothing } from './leftovers.js'
import { membersOf, queryOf, viewerOfUpdate } from './lent.js'
import { type IsLent, lendingIn } from './ownership.js'
import type { LedgerLine } from './session.js'
import { type Calling, outcomeText, recordOf, type TargetAccess } from './target-access.js'

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
  const lines = outstanding(options.ledger)
  const first = new Map<string, LedgerLine>()
  for (const line of lines)
    if (line.event === 'lent' && !first.has(`${line.account} ${line.key}`))
      first.set(`${line.account} ${line.key}`, line)
  const accounts = ownerTokens(options.environment).map(({ account }) => account)
  const isReached = ({ account = '' }: LedgerLine): boolean => accounts.includes(account)
  const all = [...first.values()]
  const lent = all.filter(isReached)
  // Settings may name an address, so that it has to be where it was before they are given back.
  const told: Swept[] = [
    ...all.filter((line) => !isReached(line)).map(outOfReach),
    ...(await bringBack(options, lines, lent.filter(isOfPlace))),
  ]
  for (const line of lent.filter((one) => !isOfPlace(one))) {
    const one = await giveOneBack(options, lines, line)
    if (one) told.push(one)
  }
  return told
}

const outOfReach = (line: LedgerLine): Swept => ({
  ...toldOf({ line }),
  result: 'failed',
  reason: `the target file has no token of an unrestricted user of ${line.account} with the scopes "*"; add one and sweep again`,
})

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
const bringBack = async (
  options: GivingBack,
  ledger: readonly LedgerLine[],
  lines: readonly LedgerLine[],
): Promise<readonly Swept[]> => {
  const told: Swept[] = []
  const isLent = lendingIn(startWorld(options.environment))
  const groups = new Map<string, [Away, ...Away[]]>()
  for (const line of lines) {
    const place = await placeBy(options, line)
    const name = `${line.account} ${line.kind}`
    const group = groups.get(name)
    const one = place && 'look' in place ? (leftBy(ledger, isLent, place) ?? place) : place
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
  if (!places || !viewer || token === undefined || !isObject(line.body)) return undefined
  const path = pathIn({ ...line, operation: viewer.id })
  const was = pick(line.body, places.members)
  const look = () => access.call(viewer, { path, as: token })
  const placeIn = (outcome: Outcome): WireRecord | undefined => {
    const record = recordOf(outcome)
    return record && pick(record, places.members)
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
  return isAsLeft(ledger, line, now) ? undefined : told('moved', 'no run has put it there')
}

/**
 * Whether a thing is as a run may have left it: each value that is not that of before was seen after the latest change, or is asked for by
 * a change after that, or by one that had no reply and may have taken effect at any time.
 */
const isAsLeft = (ledger: readonly LedgerLine[], lent: LedgerLine, now: WireRecord): boolean => {
  const own = ledger.filter(({ key, account }) => key === lent.key && account === lent.account)
  const seen = own.findLastIndex(({ event }) => event === 'shown')
  const unanswered = new Set(own.flatMap(({ event, step }) => (event === 'unanswered' ? [step] : [])))
  const left = own.filter(
    ({ event, step }, at) => at === seen || (event === 'changing' && (at > seen || unanswered.has(step))),
  )
  const isOfRun = (path: readonly string[], value: unknown): boolean =>
    left.some(({ event, body }) => {
      const given = valueAt(body, path)
      // What an update with null comes to is the target's to say.
      return isAlike(given, value) || (given === null && event === 'changing' && !isOfPlace(lent))
    })
  return leavesIn(now).every(([path, value]) => isAlike(valueAt(lent.body, path), value) || isOfRun(path, value))
}

const isAlike = (a: unknown, b: unknown): boolean =>
  isEqual(a, b) || (typeof a === 'string' && typeof b === 'number' && a === String(b))

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((part: unknown, name) => (isObject(part) ? part[name] : undefined), value)

/** Members that hold no others, with their values. */
const leavesIn = (value: WireRecord, at: readonly string[] = []): readonly (readonly [readonly string[], unknown])[] =>
  Object.entries(value).flatMap(([name, inner]) =>
    isObject(inner) ? leavesIn(inner, [...at, name]) : [[[...at, name], inner] as const],
  )

/** Brings them back together, since one may be in the way of another; and each that is not back by itself, since one may keep all from it. */
const bringAllBack = async (options: GivingBack, things: readonly [Away, ...Away[]]): Promise<readonly Swept[]> => {
  const toldAs = (away: Away, result: Swept['result'], answers: readonly string[] = []): Swept => ({
    ...toldOf(away),
    result,
    reason: [differenceOf(away), ...answers].join('; '),
  })
  if (options.dryRun) return things.map((away) => toldAs(away, 'away'))
  const answers = await callBack(options, things)
  const told: Swept[] = []
  for (const away of things) {
    let own = answers
    let isReturned = await isBack(options, away)
    if (!isReturned && things.length > 1) {
      own = await callAlone(options, away)
      isReturned = await isBack(options, away)
    }
    told.push(isReturned ? toldAs(away, 'returned') : toldAs(away, 'failed', own))
  }
  return told
}

const callAlone = async (options: GivingBack, away: Away): Promise<readonly string[]> => {
  const now = (await away.look()) ?? away.now
  return callBack(options, [{ ...away, now }])
}

const callBack = async (
  { environment, access }: GivingBack,
  things: readonly [Away, ...Away[]],
): Promise<readonly string[]> => {
  const [{ line, token }] = things
  const answers: string[] = []
  for (const [id, args] of operationById(line.operation)?.places?.back(things, environment) ?? [])
    answers.push(
      `${id}: ${outcomeText(await callInTime(access, operationById(id) as Operation, { ...args, as: token }))}`,
    )
  return answers.length > 0
    ? answers
    : ['the target file does not tell of what it was at, so that no call brings it back']
}

const isBack = ({ access }: GivingBack, { look, was }: Away): Promise<boolean> =>
  isSoon(access.sleep, async () => isEqual(await look(), was))

/** A call that may be refused for a moment: what was attached just before takes its time. */
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
  ledger: readonly LedgerLine[],
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
  const had = `it had ${JSON.stringify(was)} before the run`
  if (now === undefined) {
    if (mayBeGone && isAbsent(looked) && !tellsNothing(looked)) return undefined
    const reason = `${had}; what it has now is not known: looking at it gave ${outcomeText(looked)}`
    return { kind, key, account, result: 'failed', reason }
  }
  if (isAsItWas(now)) return undefined
  const difference = `${had}, and has ${JSON.stringify(now)} now`
  const left = whyLeft(environment, ledger, line, viewer, now)
  if (left) return { kind, key, account, result: left[0], reason: `${difference}; it is not given back, as ${left[1]}` }
  if (dryRun) return { kind, key, account, result: 'away', reason: difference }
  const outcome = await access.call(op, { ...args, body })
  if (isAccepted(outcome) && (await isSoon(access.sleep, async () => isAsItWas(shownIn(await look())))))
    return { kind, key, account, result: 'returned', reason: difference }
  return { kind, key, account, result: 'failed', reason: `${difference}; ${op.id}: ${outcomeText(outcome)}` }
}

/** Why settings are left as they are: what is lent no more, or what others have changed since, is theirs. */
const whyLeft = (
  environment: Environment,
  ledger: readonly LedgerLine[],
  line: LedgerLine,
  viewer: Operation,
  now: WireRecord,
): readonly [Swept['result'], string] | undefined => {
  if (!lendingIn(startWorld(environment))(viewer, pathIn(line), line.account ?? ''))
    return ['stays', 'the target file does not lend it any more']
  return isAsLeft(ledger, line, now) ? undefined : ['moved', 'no run has left it so']
}

const isOfNode = (op: Operation): boolean => lastTableOf(op)?.node !== undefined

/** Whether the target file allows to end everything of its area, and lent things with it. */
const mayHaveEnded = ({ exclusive, safety }: Environment, { area }: Operation): boolean =>
  exclusive && operations.some((op) => op.area === area && op.endsAll === true && safety.allow.includes(op.id))

/** What was given back may show late. */
const pausesMs = [0, 200, 1000, 2000]
