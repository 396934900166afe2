// What is gone does not come back: if a caller sees a resource, then not, then again, the look in between was wrong.

import isEqual from 'fast-deep-equal'
import { unknownToken } from '../models/language/access.js'
import { put } from '../models/language/changes.js'
import { getOrInsert } from '../models/language/get-or-insert.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { removedBy, soleReferenceOf } from '../models/language/references.js'
import { find, type WireRecord, type World } from '../models/language/world.js'
import { adjusted, type Belief, believe, type Observe } from './belief.js'
import { createBirths } from './births.js'
import { clauseOf } from './clauses.js'
import { traceOf } from './explanations/explanation.js'
import { interfered, interference } from './explanations/interference.js'
import { createIdWatch } from './explanations/interference-ids.js'
import { beforeOf } from './explanations/missing-calls.js'
import type { Finder, Trail } from './found.js'
import { brief, type Deviation, deviation, type Fact, type Judged, withReasons } from './judgement.js'
import { listingOf } from './listing.js'
import { observe } from './observe.js'
import { isBefore } from './precedence.js'
import { received } from './step.js'
import { isWrite } from './writes.js'

/** A resource as it was last shown to a caller, and the first look since that lacks it. */
interface Sight {
  readonly step: Judged
  /** When it was shown first. */
  readonly firstAt: number
  readonly record: WireRecord
  /** Whether the list has shown it; until then the list may be late. */
  readonly isListed: boolean
  /** Whether the caller was let see it by itself: who may list resources may not be let view each. */
  readonly isViewed: boolean
  readonly lacking?: Judged
  /** Calls that named it since, and were refused against what was believed then. */
  readonly denied?: readonly Judged[]
}

/** The most refusals that are remembered of one resource. */
const mostDenied = 8

/** What a call names. */
interface Named {
  readonly table: AnyTable
  readonly key: string
}

/** Resources by caller and table, then by key. */
type Sights = Map<string, Map<string, Sight>>

interface Seen {
  readonly sights: Sights
  /** Deviations that came to count, by the number of the step. */
  readonly told: Map<number, readonly Deviation[]>
  readonly ids: ReturnType<typeof createIdWatch>
  readonly births: ReturnType<typeof createBirths>
}

/**
 * What is made has a time of creation and an id of its own: whatever others did unseen, what is gone does not come back as it was. On a
 * target that gives ids again, only the time of creation tells.
 */
export const createReturns = (
  finder: Finder,
  { sights, told, ids, births }: Seen = {
    sights: new Map(),
    told: new Map(),
    ids: createIdWatch(),
    births: createBirths(),
  },
) => {
  const ownOf = (name: string): Map<string, Sight> => getOrInsert(sights, name, () => new Map())
  const tell = (one: Deviation | undefined, steps: readonly [Judged, Judged, Judged], trailOf: () => Trail): void => {
    if (!one) return
    const [, wrong] = steps
    told.set(wrong.n, [...(told.get(wrong.n) ?? []), one])
    finder.add([one], () => ({ start: trailOf().start, steps, look: observe, isWhole: true }))
  }
  const tellAll = (before: Sight, again: Sight, trailOf: () => Trail, look: Observe): void => {
    const { lacking, denied = [] } = before
    const givesAgain = ids.givesAny()
    if (lacking && (before.isViewed || isOnlyForAbsence(lacking, look)))
      tell(lackShown(before, lacking, again, givesAgain), [before.step, lacking, again.step], trailOf)
    for (const one of denied)
      if (comesAfter(again.step, one))
        tell(denialShown(before, one, again, givesAgain, look), [before.step, one, again.step], trailOf)
  }
  const forget = (table: AnyTable, key: string): void => {
    for (const [name, own] of sights) if (name.endsWith(` ${table.name}`)) own.delete(key)
    births.forget(table, key)
  }
  /** A removal by any caller removes the resource for all. What a creation has made was not there before, whatever had its id. */
  const forgetEnded = (step: Judged): void => {
    const { op, call, judgement } = step
    const removed = removedBy(op)
    if (removed) forget(removed.table, call.path[op.removes as string] ?? '')
    if (op.makes && judgement.made !== undefined) forget(op.makes, judgement.made)
    births.note(step)
  }
  const take = (
    table: AnyTable,
    own: Map<string, Sight>,
    step: Judged,
    { shown, lacks }: Look,
    told: readonly [() => Trail, Observe],
  ) => {
    for (const [key, record] of shown) {
      const before = own.get(key)
      const now = sightAfter(before, step, record)
      if (now) own.set(key, now)
      if (now && before) tellAll(before, now, ...told)
    }
    for (const [key, one] of own)
      if (lacks(key) && !births.isNew(table, key, step, one.firstAt)) own.set(key, lackedBy(one, step))
  }
  const noteDenied = (step: Judged): void => {
    const named = isDenied(step) ? namedBy(step) : undefined
    if (!named) return
    const own = ownOf(`${step.call.as} ${named.table.name}`)
    const before = own.get(named.key)
    if (before && comesAfter(step, before.step)) own.set(named.key, deniedBy(before, step))
  }
  return {
    note: ids.note,
    /** Reports earlier looks that lack what this step shows again, and refusals that only its absence would have explained. */
    hear: (step: Judged, trailOf: () => Trail, look: Observe): void => {
      if (isWrite(step)) forgetEnded(step)
      const { as } = step.call
      if (as === null || as === unknownToken) return
      const table = tableOf(step.op)
      const shown = table && lookAt(step, table)
      if (table && shown) take(table, ownOf(`${as} ${table.name}`), step, shown, [trailOf, look])
      noteDenied(step)
    },
    /** The steps with the deviations that came to count. */
    close: (steps: readonly Judged[]): readonly Judged[] => steps.map((step) => withMore(step, told.get(step.n) ?? [])),
    /** A copy that goes on from here and reports to another finder. */
    fork: (other: Finder) => {
      const own = new Map([...sights].map(([name, some]) => [name, new Map(some)]))
      return createReturns(other, {
        sights: own,
        told: new Map(told),
        ids: ids.fork(),
        births: births.fork(),
      })
    },
  }
}

const withMore = (step: Judged, told: readonly Deviation[]): Judged => {
  const more = told.filter(({ clause }) => step.deviations.every((one) => one.clause !== clause))
  return more.length === 0 ? step : { ...step, verdict: 'finding', deviations: [...more, ...step.deviations] }
}

const isList = ({ op: { reply } }: Judged): boolean => reply.kind !== 'record'

/** Undefined if the step overlaps the other look, or if no look has shown the resource yet, so that looks may be late. */
const sightAfter = (before: Sight | undefined, step: Judged, record: WireRecord): Sight | undefined => {
  const isKnown = before ? comesAfter(step, before.lacking ?? before.step) : step.op.method === 'GET'
  const isListed = isList(step)
  return isKnown
    ? {
        step,
        record,
        firstAt: before?.firstAt ?? step.endedAt,
        isListed: isListed || before?.isListed === true,
        isViewed: !isListed || before?.isViewed === true,
      }
    : undefined
}

const lackedBy = (one: Sight, step: Judged): Sight => {
  const mayBeLate = isList(step) && !one.isListed
  return one.lacking || mayBeLate || !comesAfter(step, one.step) ? one : { ...one, lacking: step }
}

const comesAfter = (later: Judged, one: Judged): boolean => one.endedAt < later.startedAt || isBefore(one, later)

/**
 * The table of which a look shows one resource or all, or a write the one that it changed; undefined where a resource may be
 * missing for other reasons.
 */
const tableOf = (op: Operation): AnyTable | undefined => {
  const { reply, params, makes, lists, vacant, apart } = op
  if (!('table' in reply) || reply.table.change.renewable || makes === reply.table) return undefined
  const { table, kind } = reply
  const isOne = kind === 'record' && soleReferenceOf(op)?.[1].table === table
  const isAll = kind !== 'record' && Object.keys(params).length === 0 && !lists && !vacant && apart === undefined
  return isOne || isAll ? table : undefined
}

/** Whether a call was refused that had to be accepted, unless others had changed something. A quota may refuse any creation. */
const isDenied = ({ op, judgement }: Judged): boolean =>
  op.makes === undefined &&
  judgement.accepted === false &&
  judgement.late === undefined &&
  (judgement.deviations.some(({ kind }) => kind === 'refused') ||
    judgement.assumed?.includes(traceOf(interference)) === true)

/** The only thing that a call names by its path, if ids tell what it is. */
const namedBy = ({ op, call }: Judged): Named | undefined => {
  const [param = '', only] = soleReferenceOf(op) ?? []
  const key = call.path[param]
  return !only || only.table.change.renewable || key === undefined ? undefined : { table: only.table, key }
}

const deniedBy = (one: Sight, step: Judged): Sight => ({
  ...one,
  denied: [...(one.denied ?? []), step].slice(0, mostDenied),
})

interface Look {
  readonly shown: ReadonlyMap<string, WireRecord>
  readonly lacks: (key: string) => boolean
}

/** Statuses of refusals that may say that a resource is missing. Others are about the caller or the moment. */
const absent = new Set([400, 404, 410, 422])

/** What a look shows of the table, by key, and what it lacks; undefined where it tells neither. */
const lookAt = (step: Judged, table: AnyTable): Look | undefined => {
  const { op, call, outcome, judgement } = step
  const [own] = Object.values(call.path)
  // A read that may be late tells nothing here: it becomes a finding by itself if no later call excuses it.
  if (!('status' in outcome) || judgement.late) return undefined
  if (op.method === 'GET' && own !== undefined && judgement.accepted !== true && absent.has(outcome.status)) {
    // A body, or a query of which little is said, may be the reason.
    if (call.body !== undefined || Object.keys(call.query).length > 0) return undefined
    return { shown: new Map(), lacks: (key) => key === own }
  }
  return judgement.accepted === true ? recordsIn(step, table, outcome.body) : undefined
}

const recordsIn = ({ op, call }: Judged, table: AnyTable, body: unknown): Look => {
  const listing = op.reply.kind === 'record' ? { records: [body], whole: false } : listingOf(op, body, call.query)
  const records = listing?.records.filter(isObject) ?? []
  const keys = records.map((record) => table.identify(record, call.path, undefined))
  const shown = records.flatMap((record, i) => {
    const key = keys[i]
    return key === undefined || table.tombstone?.(record) === true ? [] : [[key, record] as const]
  })
  const isWhole = listing?.whole === true && !('page' in call.query) && keys.every((key) => key !== undefined)
  const named = new Set(keys)
  return { shown: new Map(shown), lacks: (key) => isWhole && !named.has(key) }
}

/**
 * Whether two records with one id show the same resource: they have the same time of creation or, without one, agree in every common
 * member where ids are not given again.
 */
const isSame = (one: WireRecord, again: Sight, table: AnyTable, givesAgain: boolean): boolean => {
  const { record: other, step } = again
  if (typeof one.created === 'string' && typeof other.created === 'string') return one.created === other.created
  if (givesAgain) return false
  const given = isObject(step.call.body) ? step.call.body : {}
  const both = table.fields.filter((name) => name !== 'id' && name in one && name in other && !(name in given))
  return both.length > 0 && both.every((name) => table.drifting?.includes(name) || isEqual(one[name], other[name]))
}

/** The deviation of a look that lacks a resource which was shown before and after it; undefined where that may be another resource. */
const lackShown = (
  before: Sight,
  { op, outcome }: Judged,
  again: Sight,
  givesAgain: boolean,
): Deviation | undefined => {
  const isView = op.reply.kind === 'record'
  const clause = clauseOf(op, isView ? 'accepts' : 'complete')
  if (!clause || !('status' in outcome)) return undefined
  if (!isSame(before.record, again, tableOf(op) as AnyTable, givesAgain)) return undefined
  const because = shownBy(before, again)
  return isView
    ? deviation(clause, 'refused', 'a 2xx status', received(outcome), because)
    : deviation(clause, 'missing', `${brief(again.record)} in the list`, 'records without it', because)
}

/**
 * The deviation of a refused call that named a resource which was shown before and after it; undefined where that may be another
 * resource, or where something else than its absence may have been the reason.
 */
const denialShown = (
  before: Sight,
  denied: Judged,
  again: Sight,
  givesAgain: boolean,
  look: Observe,
): Deviation | undefined => {
  const named = namedBy(denied)
  const belief = beforeOf(denied)
  if (!named || !belief || !isSame(before.record, again, named.table, givesAgain)) return undefined
  const found = deniedThough(named, belief, denied, look)
  return found && withReasons({ ...found, because: [], facts: [] }, ...shownBy(before, again))
}

/** How a refusal deviates where nothing is known but that what the call names is there. */
const deniedThough = ({ table, key }: Named, belief: Belief, denied: Judged, look: Observe): Deviation | undefined => {
  const there = adjusted(belief, (world) => withOnly(world, table, key, denied))
  return look(there, denied).judgement.deviations.find(({ kind }) => kind === 'refused')
}

/** Whether a look that lacks a resource has no other reason to, such as what the caller was granted. A list is never refused. */
const isOnlyForAbsence = (lacking: Judged, look: Observe): boolean => {
  const named = isList(lacking) ? undefined : namedBy(lacking)
  return !named || deniedThough(named, believe(lacking.judgement.world), lacking, look) !== undefined
}

/** The looks that show it. */
const shownBy = (before: Sight, again: Sight): readonly Fact[] =>
  [before, again].map(({ step: { n, op } }) => ({
    text: `step ${n} (${op.id}) shows ${brief(again.record)}`,
    step: n,
    by: op.id,
  }))

/** The world in which nothing is known but that a resource is there, and in which nobody has removed it. */
const withOnly = (world: World, table: AnyTable, key: string, denied: Judged): World => {
  const had = find(world, table, key)
  const open = interfered(world, { isFirm: () => false, keepFacts: false }, denied)
  const { stub: _, ...left } = find(open, table, key) ?? { key, account: had?.account }
  const { environment } = open
  const explanations = { ...environment.explanations, interference: false }
  return put({ ...open, environment: { ...environment, explanations } }, table, left)
}
