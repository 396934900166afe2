// Allows for clients that were not recorded: what they may have changed since it was seen is unknown; nothing is judged here.

import { recordsIn } from '../../history/pages.js'
import { allTables, operationById } from '../../models/index.js'
import { accountOf } from '../../models/language/access.js'
import { bookkeeping, lose } from '../../models/language/changes.js'
import { factTables } from '../../models/language/facts.js'
import type { AnyTable } from '../../models/language/operation.js'
import {
  type AnyEntity,
  find,
  type Gone,
  keyIn,
  type Mark,
  type TableState,
  type WireRecord,
  type World,
} from '../../models/language/world.js'
import { adjusted, type Belief, type Observe, type Observed } from '../belief.js'
import { judgeUnknowing } from '../explaining.js'
import { assuming, findingIdOf, type Judgement, type Observation } from '../judgement.js'
import { observe } from '../observe.js'
import { type Explanation, isAllowed, traceOf } from './explanation.js'
import { type GivesAgain, withOwnAsShown, withoutRegiven } from './interference-ids.js'
import { type IsThere, withoutNodes } from './interference-nodes.js'
import { maySet } from './settable.js'

export const interference: Explanation = {
  name: 'interference',
  refutes:
    'what the history itself made or set shortly before, with nobody else at work since; in a run, that it shows again',
  bound: 'accounts that others use, and what they could have changed: nothing that lasts as long as a resource lives',
}

/** Whether no other party of the recording has changed since what was established at a step. */
export type IsFirm = (step: number) => boolean

const tableNamed = new Map<string, AnyTable>(
  [...factTables, ...allTables()].map((table) => [table.name, table as AnyTable]),
)

/** What of a world still stands. */
interface Standing {
  readonly isFirm: IsFirm
  /** Whether what a look has shown stands as well, since nobody acts unrecorded; else only what the party's own writes made or set. */
  readonly byLooks: boolean
}

/** Whether a value may have changed without any call. */
const mayPass = (table: string, field: string, value: unknown): boolean => {
  const { outside = [], lapsing = {} } = tableNamed.get(table)?.change ?? {}
  return (
    outside.includes(field) || (field in lapsing && (lapsing as Readonly<Record<string, unknown>>)[field] === value)
  )
}

const facts = new Set<string>(factTables.map(({ name }) => name))
const known = new Set(allTables().map(({ name }) => name))

const isOwnWrite = ({ by }: Pick<Mark, 'by'>): boolean => {
  const op = operationById(by)
  return op !== undefined && op.method !== 'GET'
}

const hasMade = (table: string, marks: readonly Mark[], isFirm: IsFirm): boolean =>
  marks.some(({ by, step }) => {
    const op = operationById(by)
    return isFirm(step) && (op?.makes?.name === table || op?.besides?.some(({ name }) => name === table) === true)
  })

/** Whether the recording both made and removed an entity that could be made again under the same name. */
const isOwnEnd = (table: string, { entity, step, by }: Gone, isFirm: IsFirm): boolean =>
  isOwnWrite({ by }) && isFirm(step) && hasMade(table, Object.values(entity.since ?? {}), isFirm)

/** Whether the operation sets this field to a value that the caller sends. */
const gives = ({ by, step }: Mark, field: string, isFirm: IsFirm): boolean => {
  const op = operationById(by)
  const isGiven = op?.body?.properties[field] !== undefined || op?.effects?.some((effect) => effect.field === field)
  return op !== undefined && op.method !== 'GET' && isGiven === true && isFirm(step)
}

/** The entity without some fields and without their provenance. */
const without = (entity: AnyEntity, drops: (field: string) => boolean): AnyEntity => {
  const isDropped = (field: string): boolean => !bookkeeping.has(field) && drops(field)
  const { since } = entity
  if (!Object.keys(entity).some(isDropped) && !(since && Object.keys(since).some(isDropped))) return entity
  const kept = (part: object) => Object.fromEntries(Object.entries(part).filter(([field]) => !isDropped(field)))
  return { ...kept(entity), ...(since && { since: kept(since) }) } as AnyEntity
}

/** What is still certain of a resource; undefined if nothing is. */
const overtaken = (table: string, entity: AnyEntity, { isFirm, byLooks }: Standing): AnyEntity | undefined => {
  const marks = Object.values(entity.since ?? {})
  const isOutside = (field: string): boolean => mayPass(table, field, entity[field])
  if (facts.has(table)) return without(entity, isOutside)
  // Entities that only the model keeps have no record that could be seen again.
  if (!known.has(table)) return marks.every((mark) => isOwnWrite(mark) && isFirm(mark.step)) ? entity : undefined
  if (hasMade(table, marks, isFirm) || (byLooks && marks.some(({ step }) => isFirm(step)))) {
    const isStale = (field: string): boolean => {
      const mark = entity.since?.[field]
      return mark !== undefined && !isFirm(mark.step) && !isLasting(table, field)
    }
    return without(entity, (field) => isOutside(field) || isStale(field))
  }
  const rest = without(entity, (field) => {
    const mark = entity.since?.[field]
    return isOutside(field) || !(isLasting(table, field) || (mark !== undefined && gives(mark, field, isFirm)))
  })
  return rest.stub ? rest : { ...rest, stub: true }
}

const isLasting = (table: string, field: string): boolean =>
  tableNamed.get(table)?.change.lasting.includes(field) === true

/**
 * The world in which everything that others could have changed is unknown. Values that the recorded writes set are kept where they are
 * firm, and what only grows where less is shown now; facts of the target file are kept if `keepFacts` is set.
 */
export const interfered = (
  world: World,
  {
    isFirm,
    keepFacts,
    byLooks = false,
  }: { readonly isFirm: IsFirm; readonly keepFacts: boolean; readonly byLooks?: boolean },
  seen: Observation,
): World => withImpossible(forgotten(world, { isFirm, byLooks }, keepFacts), world, seen)

/** Gives resources back the values that nobody could have changed into what the reply shows. */
const withImpossible = (open: World, known: World, { op: { reply }, call, outcome }: Observation): World => {
  if (!('table' in reply) || !('body' in outcome)) return open
  const { table } = reply
  const state = open.tables.get(table.name)
  const shown = recordsIn(outcome.body).flatMap((record): readonly (readonly [string, AnyEntity])[] => {
    const key = table.identify(record, call.path, undefined) ?? ''
    const [left, had] = [open, known].map((world) => find(world, table, key))
    if (!left || !had) return []
    const kept = [...lessened(table, had, record), ...ofAnotherKind(table, had, record)]
    return kept.length === 0 ? [] : [[key, withKept(left, had, kept)]]
  })
  if (!state || shown.length === 0) return open
  return {
    ...open,
    tables: new Map(open.tables).set(table.name, { ...state, live: new Map([...state.live, ...shown]) }),
  }
}

/** An entity with some fields as another has them, and with where it had them from. */
const withKept = (entity: AnyEntity, from: AnyEntity, fields: readonly string[]): AnyEntity => {
  const pick = (part: object) => Object.fromEntries(Object.entries(part).filter(([field]) => fields.includes(field)))
  return { ...entity, ...pick(from), since: { ...entity.since, ...pick(from.since ?? {}) } } as AnyEntity
}

/** Fields of which the record shows less though they only grow, with the fields that tell which values may still be shown. */
const lessened = (table: AnyTable, had: AnyEntity, record: WireRecord): readonly string[] => {
  const growing = Object.entries(table.change.growing ?? {})
  const less = growing.filter(([field]) => Number(record[field]) < Number(had[field]))
  return isSame(had, record, less)
    ? less.flatMap(([field, others = []]) => [field, ...others]).filter((field) => field in had)
    : []
}

/** Fields that the record shows as something that no write sets them to. */
const ofAnotherKind = (table: AnyTable, had: AnyEntity, record: WireRecord): readonly string[] =>
  table.fields.filter(
    (field) =>
      !had.loose?.includes(field) && record[field] !== undefined && !maySet(table, field, had[field], record[field]),
  )

/**
 * Whether the record is of the resource that had these values, and not of another with its id, which has another time of creation. What
 * was known before that time was may be of another one.
 */
const isSame = (
  { created, since }: AnyEntity,
  record: WireRecord,
  values: readonly (readonly [string, unknown])[],
): boolean =>
  created !== undefined &&
  created === record.created &&
  values.every(([field]) => (since?.[field]?.step ?? -1) >= (since?.created?.step ?? 0))

const forgotten = (world: World, standing: Standing, keepFacts: boolean): World => ({
  ...world,
  tables: new Map(
    [...world.tables].map(([name, state]): [string, TableState] =>
      facts.has(name) && !keepFacts ? [name, { live: new Map(), gone: [] }] : [name, left(name, state, standing)],
    ),
  ),
})

/** What is left of each table where the same is firm: worlds that are tried one after another have most tables in common. */
const leftOf = new WeakMap<IsFirm, WeakMap<TableState, TableState>>()

const left = (name: string, state: TableState, standing: Standing): TableState => {
  const own = leftOf.get(standing.isFirm) ?? new WeakMap<TableState, TableState>()
  leftOf.set(standing.isFirm, own)
  const after = own.get(state) ?? withoutOvertaken(name, state, standing)
  own.set(state, after)
  return after
}

const withoutOvertaken = (name: string, { live, gone }: TableState, standing: Standing): TableState => {
  const after = [...live].flatMap(([key, entity]) => {
    const rest = overtaken(name, entity, standing)
    return rest ? [[key, rest] as const] : []
  })
  const buried = tableNamed.get(name)?.change.renewable
    ? gone.filter((one) => isOwnEnd(name, one, standing.isFirm))
    : gone
  const isSame = after.length === live.size && after.every(([key, rest]) => live.get(key) === rest)
  return { live: isSame ? live : new Map(after), gone: buried }
}

const idsOf = ({ deviations }: Judgement): string => deviations.map(findingIdOf).sort().join(' ')

/** The world without entities that a reply shows as deleted, since others have deleted them. */
const withoutRemains = (world: World, { op, call, outcome }: Observation): World => {
  const { reply } = op
  // If any record could be of a deleted entity, none shows that it is.
  const tellsApart = 'table' in reply && reply.table.tombstone?.({}) !== true
  if (!('body' in outcome) || !tellsApart || op.method !== 'GET') return world
  const account = accountOf(world.environment, call.as)
  return recordsIn(outcome.body).reduce<World>((before, record) => {
    const shown = reply.table.identify(record, call.path, account)
    if (shown === undefined) return before
    const key = keyIn(before, reply.table, shown, account)
    return reply.table.tombstone?.(record, find(before, reply.table, key)) === true
      ? lose(before, reply.table, key)
      : before
  }, world)
}

/** Facts about the other parties of a recording at the time of a call. */
export interface Circle {
  /** What of the world still stood when that was sent, as far as it has to do with it. */
  readonly firmFor: (observation: Observation) => IsFirm
  /** Whether another party has written something that has to do with it. */
  readonly isShared: (observation: Observation) => boolean
  /** Keyed by the number of the step. */
  readonly isThere: (step: number) => IsThere
  readonly givesAgain: GivesAgain
}

/**
 * Takes in a call while others may act: what they could have caused is no deviation. If the call deviates all the same, the world
 * keeps what is known.
 */
export const observeAmongOthers =
  ({ firmFor, isShared, isThere, givesAgain }: Circle) =>
  (belief: Belief, observation: Observation): Observed => {
    const plain = observe(belief, observation)
    // Where nobody acts unrecorded, the other parties of the recording may still be of the same account.
    const byLooks = !isAllowed(plain.judgement.world.environment, interference)
    if (!mayBeCaused(plain.judgement, observation) || (byLooks && !isShared(observation))) return plain
    const isFirm = firmFor(observation)
    const takenIn = (change: (world: World) => World): Observed => observe(adjusted(belief, change), observation)
    const changed = (world: World): World =>
      withoutRegiven(
        withOwnAsShown(interfered(world, { isFirm, keepFacts: true, byLooks }, observation), observation),
        observation,
        givesAgain,
      )
    const open = takenIn(changed)
    if (open.judgement.deviations.length === 0) return excused(open)
    const isSuspect = open.judgement.suspect === true
    const removed = (world: World): World =>
      withoutNodes(withoutRemains(changed(world), observation), isThere(observation.n))
    const bereft = isSuspect ? open : takenIn(removed)
    if (bereft.judgement.deviations.length === 0) return excused(bereft)
    // The reason for a refusal may lie in facts that have changed since the target file was written; a refused creation counts
    // only where the same is accepted later, which shows that they have not.
    const isRefused = open.judgement.accepted !== true && !isSuspect && !byLooks
    const last = isRefused ? takenIn((world) => interfered(world, { isFirm, keepFacts: false }, observation)) : open
    return idsOf(last.judgement) === idsOf(plain.judgement) ? plain : excused(last)
  }

/** Whether a reply deviates, and would not in the same way if nothing was known of what there is. */
const mayBeCaused = (judgement: Judgement, observation: Observation): boolean => {
  const { world, deviations } = judgement
  const { outcome } = observation
  if (deviations.length === 0 || !('status' in outcome)) return false
  return idsOf(judgeUnknowing(world, observation, outcome)) !== idsOf(judgement)
}

/**
 * Takes in a call of a run whose accounts others use too: what shows under the id of something removed, and is something else,
 * they may have made since, for nothing says that an id is not given again.
 */
export const observeOnShared: Observe = (belief, observation) => {
  const plain = observe(belief, observation)
  const { deviations, world } = plain.judgement
  if (deviations.length === 0 || !isAllowed(world.environment, interference)) return plain
  const regiven = (before: World): World => withoutRegiven(before, observation, () => false)
  const open = observe(adjusted(belief, regiven), observation)
  return open.judgement.deviations.length < deviations.length ? excused(open) : plain
}

const excused = (observed: Observed): Observed => ({
  ...observed,
  judgement: assuming(observed.judgement, traceOf(interference)),
})
