// What a target may not show yet: the worlds before the latest changes, and what of a reply one of them explains. Pure.

import type { CallEntry } from '../history/entry.js'
import { operationById } from '../models/index.js'
import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { agrees } from '../models/language/same.js'
import { find, forget, type WireRecord, type World } from '../models/language/world.js'
import { driftsOf } from './explanations/drift.js'
import { isAllowed } from './explanations/explanation.js'
import { choiceOfLag, lag, promisedMs, within } from './explanations/lag.js'
import { areIndependent } from './independence.js'
import { judge } from './judge.js'
import type { Deviation, Judgement, Late } from './judgement.js'
import type { Lookup } from './reply.js'
import type { Reply } from './step.js'

/** What of a call tells when it saw what. */
export type Seeing = Pick<CallEntry, 'op' | 'call' | 'outcome' | 'n'> &
  Partial<Pick<CallEntry, 'startedAt' | 'endedAt' | 'overdue' | 'group' | 'instance'>>

/** A change by its name, and what held before it. */
export interface Change {
  readonly world: World
  /** Left out where it came about outside of the interface. */
  readonly by?: Seeing
  readonly name: string
  readonly endedAt: number
}

/** The latest changes, and how long it has been seen to take until one shows. */
export interface Past {
  readonly changes: readonly Change[]
  /** Milliseconds; 0 as long as everything has shown at once. */
  readonly longestMs: number
  /** What was late when it was last asked for, by the call that asked. */
  readonly open: ReadonlyMap<string, Late>
}

export const noPast: Past = { changes: [], longestMs: 0, open: new Map() }

/** So many changes may be under way at a time, with programs side by side. */
const mostChanges = 64

/** Where more than that has changed in so short a time, what is late may show what is no longer remembered. */
const crowdedMs = 1000

/** A call that may have changed something belongs to the past from now on. */
export const remembering = (past: Past, change: Change): Past => ({
  ...past,
  changes: [...past.changes.slice(1 - mostChanges), change],
})

const nameOf = ({ call }: Seeing): string => `${call.method} ${call.url} ${call.as}`

/** What was late is seen at last, so that it was that and no more; or it still deviates in the same way, and was none. */
export const caughtUp = (past: Past, by: Seeing, told: Judgement): Past => {
  const late = past.open.get(nameOf(by))
  if (!late) return past
  const open = new Map(past.open)
  open.delete(nameOf(by))
  // Amid many changes it is not clear which of them did not show.
  const isTold = !late.isGuess && !hides(late, told)
  return { ...past, open, longestMs: isTold ? Math.max(past.longestMs, late.ageMs) : past.longestMs }
}

/** The choice that a reply shows where it has what was late when it was last asked for. */
export const choicesOfLag = (past: Past, by: Seeing, told: Judgement): Judgement['choices'] => {
  const late = past.open.get(nameOf(by))
  if (!late || late.isGuess || hides(late, told) || !operationById(late.by)) return []
  return [{ id: choiceOfLag(late.by), value: within(late.ageMs) }]
}

/** Of a target that is late at times, a read may show as long after a change what was before it, although no read has been that late yet. */
const doubtfulMs = 1000

/**
 * What a read teaches, but for fields that a change has just left open and that show what they were before it: they may be late,
 * and nothing that they have to be tells.
 */
export const withoutLate = (past: Past, by: Seeing, before: World, after: World): World => {
  const { op, startedAt = 0 } = by
  if (past.longestMs === 0 || op.method !== 'GET' || !('table' in op.reply)) return after
  const { table } = op.reply
  const learned = after.tables.get(table.name)?.live
  if (learned === undefined || learned === before.tables.get(table.name)?.live) return after
  const patienceMs = Math.max(slack * past.longestMs, doubtfulMs)
  const changes = concerning(past, by).filter(({ endedAt }) => startedAt - endedAt <= patienceMs)
  const isLate = (key: string, field: string, value: unknown): boolean =>
    value !== undefined &&
    changes.some(({ world }) => {
      const old = find(world, table, key)?.[field]
      return old !== undefined && agrees(old, value)
    })
  let world = after
  for (const [key, entity] of learned) {
    const known = find(before, table, key)
    if (known === undefined || known === entity) continue
    const late = table.fields.filter((field) => known[field] === undefined && isLate(key, field, entity[field]))
    if (late.length > 0) world = forget(world, table, key, late)
  }
  return world
}

/** Whether a reply deviates in a way that was put down to a change that did not show yet. */
export const hides = ({ hidden }: Late, { deviations }: Judgement): boolean =>
  hidden.some((one) => deviations.some(({ clause, kind }) => clause === one.clause && kind === one.kind))

/** A change is late; one before it that was late has been seen, if the reply is what it has to be after that one. */
export const stillLate = (past: Past, by: Seeing, late: Late): Past => {
  const before = past.open.get(nameOf(by))
  const longestMs =
    before && !late.isGuess && before.changedAt < late.changedAt
      ? Math.max(past.longestMs, before.ageMs)
      : past.longestMs
  return { ...past, longestMs, open: new Map([...past.open, [nameOf(by), late]]) }
}

/** Changes that a call can see or not, the latest first. */
const concerning = ({ changes }: Past, by: Seeing): readonly Change[] =>
  changes.filter((change) => !change.by || !areIndependent(change.by, by)).reverse()

/** Those of them that it may not have seen: what a call has made is seen where it is shown, and so is what was before. */
const unseenBy = (past: Past, by: Seeing): readonly Change[] => {
  const all = concerning(past, by)
  const seen = all.findIndex((change) => change.by && isShown(change.by, by))
  return seen === -1 ? all : all.slice(0, seen)
}

/** A target that has been late once may be so again, by as much and some more. */
const slack = 2

/** What a call did not see, and the judgement of one that came before it. */
export interface Unshown {
  readonly late: Late
  readonly judgement: Judgement
  /** Whether only what others have done is late, by no more than has been seen before: nobody has to wait for that. */
  readonly isOthers: boolean
}

/**
 * The latest change but for which a reply is what it has to be; undefined where there is none, or nothing may be late. Whether
 * it is so, the same call tells when it is sent again.
 */
export const lateness = (
  past: Past,
  by: Seeing,
  reply: Reply,
  plain: Judgement,
  lookup: Lookup,
): Unshown | undefined => {
  const { op, call, n, startedAt } = by
  if (startedAt === undefined || !isOpen(past, by, plain)) return undefined
  for (const { world: before, name, endedAt } of unseenBy(past, by)) {
    const ageMs = Math.max(0, startedAt - endedAt)
    const isUsual = ageMs <= slack * past.longestMs
    if (ageMs > promisedMs(before.environment, name)) continue
    if (op.method !== 'GET' && plain.accepted === true && !isUsual) continue
    for (const world of worldsOf(before, op, by)) {
      const judgement = judge(world, op, call, reply, n, lookup)
      if (judgement.deviations.length > 0) continue
      const late = { by: name, changedAt: endedAt, ageMs, hidden: plain.deviations }
      return { late, judgement, isOthers: isUsual && op.method === 'GET' && !isOwnSince(past, by, endedAt) }
    }
  }
  return unsettled(past, by, plain)
}

const recordsIn = (outcome: Seeing['outcome']): readonly WireRecord[] => {
  if (!('status' in outcome) || outcome.status >= 300) return []
  const { body } = outcome
  return (isObject(body) && Array.isArray(body.data) ? body.data : [body]).filter(isObject)
}

/** Whether a reply shows what a call made, which is then known to have been seen, whatever is shown of it. */
const isShown = ({ op: { makes }, call, outcome }: Seeing, by: Seeing): boolean => {
  if (!makes || !('table' in by.op.reply) || by.op.reply.table !== makes) return false
  const keysIn = (seen: Seeing['outcome'], path: Seeing['call']['path']): readonly (string | undefined)[] =>
    recordsIn(seen).map((one) => makes.identify(one, path, undefined))
  const [made] = keysIn(outcome, call.path)
  return made !== undefined && keysIn(by.outcome, by.call.path).includes(made)
}

/**
 * Of a target that is late at times, a read amid changes may see them in another order, or a part of each; amid more changes than
 * are remembered, any target may show what was before them.
 */
const unsettled = (past: Past, by: Seeing, judgement: Judgement): Unshown | undefined => {
  const { op, startedAt = 0 } = by
  const [latest] = op.method === 'GET' ? concerning(past, by) : []
  const ageMs = startedAt - (latest?.endedAt ?? 0)
  const isUsual = past.longestMs > 0 && ageMs <= slack * past.longestMs
  if (!latest || ageMs > promisedMs(latest.world.environment, latest.name)) return undefined
  if (!(isUsual || isCrowded(past, startedAt))) return undefined
  const late = {
    by: latest.name,
    changedAt: latest.endedAt,
    ageMs,
    hidden: judgement.deviations,
    isGuess: true,
  } as const
  return { late, judgement, isOthers: false }
}

const isCrowded = ({ changes }: Past, now: number): boolean =>
  changes.length === mostChanges && now - (changes[0]?.endedAt ?? 0) < crowdedMs

const isOwnSince = ({ changes }: Past, { instance }: Seeing, since: number): boolean =>
  changes.some(({ by, endedAt }) => endedAt >= since && (instance === undefined || by?.instance === instance))

/** Whether anything may be late at all: of calls at the same time none can be sent again as it was, so there it has to be known. */
const isOpen = ({ longestMs }: Past, { op, overdue, group }: Seeing, plain: Judgement): boolean => {
  if (overdue || !isAllowed(plain.world.environment, lag) || !mayBeLate(op, plain, longestMs > 0)) return false
  return longestMs > 0 || (group === undefined && (op.method === 'GET' || plain.accepted === false))
}

const worldsOf = (world: World, op: Operation, { call }: Seeing): readonly World[] => [
  world,
  ...driftsOf(world, op, call).map((one) => one.world),
]

/** What is wrong in itself is not late: the form of a reply, and failures. */
export const isOfWhatIsShown = ({ kind }: Deviation): boolean => kind !== 'shape' && kind !== 'server-error'

const mayBeLate = ({ method }: Operation, { deviations }: Judgement, isKnown: boolean): boolean =>
  deviations.length > 0 &&
  deviations.every(isOfWhatIsShown) &&
  (method === 'GET' || deviations.some((one) => isOfState(one) || (isKnown && isOfBlame(one))))

const isOfState = ({ kind }: Deviation): boolean => kind === 'refused' || kind === 'accepted'

/** Of a target that is late at times, a refusal that blames another member may be for what is there no more. */
const isOfBlame = ({ clause }: Deviation): boolean => clause.endsWith('.refusal.field')

/** `lag volumes.attach` */
export const nameOfLate = ({ by }: Late): string => `${lag.name} ${by}`
