// Explains replies by changes that the target does not show yet, of those that the past remembers. Pure.

import isEqual from 'fast-deep-equal'
import { bodyOf, isAccepted } from '../history/outcomes.js'
import { recordsIn } from '../history/pages.js'
import { forget, put } from '../models/language/changes.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { agrees } from '../models/language/same.js'
import { find, gone, type World } from '../models/language/world.js'
import { clauseNamed, isAcceptedAtAnyTime, isOneOf } from './clauses.js'
import { type Earlier, inEarlier, isSame } from './earlier.js'
import { driftsOf, straysOf } from './explanations/drift.js'
import { isAllowed } from './explanations/explanation.js'
import { lag, promisedMs } from './explanations/lag.js'
import { readCall } from './facts.js'
import { judge } from './judge.js'
import type { Deviation, Judgement, Late, Observation } from './judgement.js'
import { mayBeMiscounted } from './page.js'
import { type Change, concerning, isCrowded, isFieldless, isHopeless, isOwnSince, type Past } from './past.js'
import { isRefusedOnce } from './retried.js'
import type { Reply } from './step.js'

/** On a target that has been late, a read may show an old state for this long after a change, although none has been that late yet. */
export const doubtfulMs = 1000

/**
 * The world after a read, without the fields that a recent change has left open and that the read shows as before: they may be late,
 * and no expected value tells whether they are. What was not sure to be there is not sure after such a change either.
 */
export const withoutLate = (past: Past, by: Observation, before: World, after: World): World => {
  const { op, startedAt = 0 } = by
  if (past.longestMs === 0 || op.method !== 'GET' || !('table' in op.reply)) return after
  const { table } = op.reply
  const learned = after.tables.get(table.name)?.live
  if (learned === undefined || learned === before.tables.get(table.name)?.live) return after
  const patienceMs = Math.max(slack * past.longestMs, doubtfulMs)
  const changes = concerning(past, by).filter(({ endedAt }) => startedAt - endedAt <= patienceMs)
  // A list may still show what was removed; then it is not yet what was made since and has told no id.
  const isRemnant = (key: string): boolean =>
    gone(before, table, key) !== undefined && changes.some(({ world }) => find(world, table, key))
  const isNew = (key: string): boolean => !find(before, table, key)
  return [...learned.keys()].some((key) => isNew(key) && isRemnant(key))
    ? before
    : doubting(table, before, after, changes)
}

/** The world after a read, in doubt where that may have been late. */
const doubting = (table: AnyTable, before: World, after: World, changes: readonly Change[]): World => {
  const isLate = (key: string, field: string, value: unknown): boolean =>
    value !== undefined &&
    changes.some(({ world }) => {
      const old = find(world, table, key)?.[field]
      return old !== undefined && agrees(old, value)
    })
  const mayHaveGone = changes.some((change) => change.by?.op.makes === undefined)
  let world = after
  for (const [key, entity] of after.tables.get(table.name)?.live ?? []) {
    const known = find(before, table, key)
    if (known === entity) continue
    if (mayHaveGone && (known?.stub ?? !known)) world = put(world, table, { ...entity, stub: true })
    if (known === undefined) continue
    const late = table.fields.filter((field) => known[field] === undefined && isLate(key, field, entity[field]))
    if (late.length > 0) world = forget(world, table, key, late)
  }
  return world
}

/** So many records are judged in the worlds before changes to explain one reply; those before a few changes always are. */
const mostRecords = 4000
const fewChanges = 8
/** The most changes that are tried: a target that refuses much is asked much in a second. */
const mostTried = 128

/** The changes that are tried to explain a reply: fewer where it is long, of which the latest are the likeliest. */
const tried = (changes: readonly Change[], { outcome }: Observation): readonly Change[] => {
  const records = isAccepted(outcome) ? recordsIn(bodyOf(outcome)).length : 0
  const most = Math.max(fewChanges, Math.floor(mostRecords / Math.max(1, records)))
  return changes.slice(0, Math.min(most, mostTried))
}

/** Those that a reply may not have seen. A reply that shows what a call made has seen that call and all changes before it. */
const unseenBy = (past: Past, by: Observation): readonly Change[] => {
  const all = concerning(past, by)
  const seen = all.findIndex((change) => change.by && isShown(change.by, by))
  return seen === -1 ? all : all.slice(0, seen)
}

/** A target that has been late once may be late again, by somewhat more. */
export const slack = 2

/** The change that a call did not see, and the judgement in the world before that change. */
export interface Unshown {
  readonly late: Late
  readonly judgement: Judgement
  /** Whether only changes of other programs are late, by no more than was seen before: nobody has to wait for them. */
  readonly isOthers: boolean
}

/**
 * The latest change without which a reply shows what it should; undefined where there is none, or where nothing may be late. Sending the
 * same call again tells whether it was late.
 */
export const lateness = (past: Past, by: Observation, reply: Reply, plain: Judgement): Unshown | undefined => {
  const { startedAt } = by
  if (startedAt === undefined || !isOpen(past, by, plain)) return undefined
  if (plain.accepted === false && isRefusedOnce(past.retries, by.op.id)) return undefined
  const told = { ...plain, deviations: plain.deviations.filter(isOfWhatIsShown) }
  if (isHopeless(past, told)) return undefined
  const unseen = unseenChange(past, by, reply, told)
  return unseen && unseen.late.ageMs <= doubtfulMs ? unseen : (astray(by, reply, told) ?? unseen)
}

const unseenChange = (past: Past, by: Observation, reply: Reply, plain: Judgement): Unshown | undefined => {
  const { op } = by
  const earlier = inEarlier(by, reply)
  for (const change of tried(unseenBy(past, by), by)) {
    const late = lateBy(change, by, plain.deviations)
    if (!late) continue
    const isUsual = late.ageMs <= slack * past.longestMs
    if (op.method !== 'GET' && plain.accepted === true && !isUsual) continue
    const judgement = explainedIn(worldsOf(change.world, op, by), earlier)
    if (judgement)
      return { late, judgement, isOthers: isUsual && op.method === 'GET' && !isOwnSince(past, by, late.changedAt) }
  }
  return (
    piecemeal(past, by, plain, earlier) ??
    miscounted(past, by, plain) ??
    halfGone(past, by, plain) ??
    unsettled(past, by, plain)
  )
}

/** The judgement in the first of these worlds in which the reply shows what it should. */
const explainedIn = (worlds: readonly World[], { judgedIn, isSurely }: Earlier): Judgement | undefined => {
  for (const world of worlds) {
    const judgement = isSurely(world) ? undefined : judgedIn(world)
    if (judgement && !judgement.deviations.some(isOfWhatIsShown)) return judgement
  }
  return undefined
}

const ageOf = ({ endedAt }: Change, { startedAt = 0 }: Observation): number => Math.max(0, startedAt - endedAt)

/** The change as one that a call did not see; undefined where the target file pins that it shows sooner. */
const lateBy = (change: Change, by: Observation, hidden: readonly Deviation[]): Late | undefined => {
  const ageMs = ageOf(change, by)
  const isPromised = ageMs > promisedMs(change.world.environment, change.name)
  const { n: step } = change.by ?? {}
  return isPromised
    ? undefined
    : { by: change.name, changedAt: change.endedAt, ageMs, hidden, ...(step !== undefined && { step }) }
}

/** The same where no single world explains the reply, so that the change which did not show is a guess. */
const guessed = (
  change: Change | undefined,
  by: Observation,
  judgement: Judgement,
  hidden = judgement.deviations,
): Unshown | undefined => {
  const late = change && lateBy(change, by, hidden)
  return late && { late: { ...late, isGuess: true }, judgement, isOthers: false }
}

/**
 * What a write names may have left its rest by itself for a while. If no recent change explains the refusal, the write is sent again
 * for as long as a change may take, counted from now.
 */
const astray = (by: Observation, reply: Reply, plain: Judgement): Unshown | undefined => {
  const { op, call, n, startedAt = 0 } = by
  if (plain.accepted !== false) return undefined
  const explains = (world: World): boolean => !judge(world, op, call, reply, n).deviations.some(isOfWhatIsShown)
  if (!straysOf(plain.world, op, call).some(explains)) return undefined
  const late = { by: op.id, changedAt: startedAt, ageMs: 0, hidden: plain.deviations, isGuess: true } as const
  return { late, judgement: plain, isOthers: false }
}

/** Whether a reply shows the entity that a call made. Then it has seen that call, whatever it shows of the entity. */
const isShown = ({ op: { makes }, call, outcome }: Observation, by: Observation): boolean => {
  if (!makes || !('table' in by.op.reply) || by.op.reply.table !== makes) return false
  const keysIn = (seen: Observation['outcome'], path: Observation['call']['path']): readonly (string | undefined)[] =>
    isAccepted(seen) ? recordsIn(bodyOf(seen)).map((one) => makes.identify(one, path, undefined)) : []
  const [made] = keysIn(outcome, call.path)
  return made !== undefined && keysIn(by.outcome, by.call.path).includes(made)
}

/**
 * A list may show at once what was made, and later what was removed or changed, or the other way round. Then no single world explains
 * the list, but for each entity that is wrongly there, missing or as before, the world before some recent change does.
 */
const piecemeal = (past: Past, by: Observation, { deviations }: Judgement, earlier: Earlier): Unshown | undefined => {
  const { op } = by
  const isOfEntity = ({ kind, member }: Deviation): boolean =>
    kind === 'deleted' || kind === 'missing' || member !== undefined
  if (op.method !== 'GET' || !deviations.every(isOfEntity)) return undefined
  let left = deviations
  for (const change of tried(concerning(past, by), by).filter((one) => lateBy(one, by, deviations))) {
    const isLeft = (one: Deviation): boolean =>
      one.member
        ? !wasSo(change.world, by, one.member) && !wasSent(change.by, by, one.member)
        : earlier.isSurely(change.world, one) || isLeftIn(earlier.judgedIn(change.world), one)
    left = left.filter(isLeft)
    if (left.length === 0) return guessed(change, by, earlier.judgedIn(change.world), deviations)
  }
  return undefined
}

/** Whether something is amiss in a world as well, or what is shown of anything in it: that has to be right. */
const isLeftIn = ({ deviations }: Judgement, one: Deviation): boolean =>
  !deviations.every(isOfPresence) || deviations.some((other) => isSame(one, other))

/** Whether something that the reply shows so is known to have been so in that world, or what the member is derived from. */
const wasSo = (world: World, { op: { reply }, call, outcome }: Observation, { name, shown }: Member): boolean =>
  'table' in reply &&
  recordsIn(bodyOf(outcome)).some((record) => {
    const old = find(world, reply.table, reply.table.identify(record, call.path, undefined))
    const isOld = (field: string): boolean => old?.[field] !== undefined && agrees(old[field], record[field])
    return isEqual(record[name], shown) && (reply.table.derived?.[name] ?? [name]).every(isOld)
  })

/** Whether a write sent what is shown of something: then it was so, though another write of the same time may be taken for the later one. */
const wasSent = (write: Observation | undefined, by: Observation, { name, shown }: Member): boolean => {
  const { reply } = by.op
  const sent = write?.call.body
  if (!write || !('table' in reply) || !isObject(sent) || !isEqual(sent[name], shown)) return false
  const named = Object.values(write.call.path)
  const isNamed = (key: string | undefined): boolean => key !== undefined && named.includes(key)
  return recordsIn(bodyOf(by.outcome)).some(
    (record) => isEqual(record[name], shown) && isNamed(reply.table.identify(record, by.call.path, undefined)),
  )
}

type Member = NonNullable<Deviation['member']>

/** A list may count its records later than it shows them: then only its envelope is wrong, in what follows from the count. */
const miscounted = (past: Past, by: Observation, plain: Judgement): Unshown | undefined => {
  const { op, call, outcome } = by
  const isCount = ({ clause }: Deviation): boolean => isOneOf(clause, 'pages', 'page-size')
  if (!plain.deviations.every(isCount) || !('body' in outcome)) return undefined
  const recent = concerning(past, by)
  const read = readCall(plain.world, op, call)
  return mayBeMiscounted(op, read, outcome.body, recent.length) ? guessed(recent[0], by, plain) : undefined
}

/**
 * What has just been removed may not be there any more to be answered with, and not yet be gone so that it can be made again. No world
 * explains that a creation of the same is refused then.
 */
const halfGone = (past: Past, by: Observation, plain: Judgement): Unshown | undefined => {
  const { op, call } = by
  const { remakes } = op
  if (plain.accepted !== false || !remakes) return undefined
  const isThere = (world: World): boolean => remakes(readCall(world, op, call).facts) === true
  return isThere(plain.world)
    ? undefined
    : guessed(
        concerning(past, by).find(({ world }) => isThere(world)),
        by,
        plain,
      )
}

/**
 * On a target that has been late, a read amid several changes may see them in another order, or a part of each. Amid more changes than
 * are remembered and tried, any target may show a state from before them.
 */
const unsettled = (past: Past, by: Observation, plain: Judgement): Unshown | undefined => {
  const { op, startedAt = 0 } = by
  const changes = op.method === 'GET' ? concerning(past, by) : []
  const [latest] = changes
  const isUsual = latest !== undefined && past.longestMs > 0 && ageOf(latest, by) <= slack * past.longestMs
  const untried = changes[tried(changes, by).length]
  return isUsual || isCrowded(past, startedAt, untried?.endedAt) ? guessed(latest, by, plain) : undefined
}

/** Whether only that something is there or not there deviates. What was made since is unknown to an earlier world. */
const isOfPresence = ({ kind }: Deviation): boolean => kind === 'deleted' || kind === 'missing' || kind === 'unknown'

/** Whether anything may be late at all. Calls of a race cannot be sent again as they were, so for these the target must have been late before. */
const isOpen = ({ longestMs }: Past, { op, overdue, group }: Observation, plain: Judgement): boolean => {
  if (overdue || !isAllowed(plain.world.environment, lag) || !mayBeLate(op, plain, longestMs > 0)) return false
  return longestMs > 0 || (group === undefined && (op.method === 'GET' || plain.accepted === false))
}

const worldsOf = (world: World, op: Operation, { call }: Observation): readonly World[] => [
  world,
  ...driftsOf(world, op, call).map((one) => one.world),
]

/**
 * Lateness does not explain deviations that are wrong at any time: the form of a reply, an error without a field, failures, and who or
 * what is let in that was to be refused whatever there is.
 */
export const isOfWhatIsShown = ({ clause, kind }: Deviation): boolean =>
  kind !== 'shape' &&
  kind !== 'server-error' &&
  !isFieldless({ clause }) &&
  !isAcceptedAtAnyTime(kind, clauseNamed(clause))

const mayBeLate = ({ method }: Operation, { deviations }: Judgement, isKnown: boolean): boolean =>
  deviations.some(isOfWhatIsShown) &&
  deviations.every((one) => isOfWhatIsShown(one) || isFieldless(one)) &&
  (method === 'GET' || deviations.some((one) => isOfState(one) || (isKnown && isOfBlame(one))))

const isOfState = ({ kind }: Deviation): boolean => kind === 'refused' || kind === 'accepted'

/** On a target that has been late, a refusal that blames another member may be for an entity that is gone by now. */
const isOfBlame = ({ clause }: Deviation): boolean => isOneOf(clause, 'refusal.field')
