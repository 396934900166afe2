// Follows whether a target uses ids again after a removal, which nothing in the document forbids; nothing is judged here.

import isEqual from 'fast-deep-equal'
import type { CallEntry, Entry } from '../../history/entry.js'
import { recordsIn } from '../../history/pages.js'
import { principal } from '../../models/language/access.js'
import { lose, put } from '../../models/language/changes.js'
import type { Ternary } from '../../models/language/clause.js'
import { momentOf } from '../../models/language/moments.js'
import { isObject, omit } from '../../models/language/objects.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { referencesOf } from '../../models/language/references.js'
import {
  type AnyEntity,
  find,
  type Gone,
  isOurs,
  keyIn,
  type WireRecord,
  type World,
} from '../../models/language/world.js'
import { forked } from '../forked.js'
import type { Observation } from '../judgement.js'
import { agreement } from '../reply.js'

/** Whether the target uses ids of that table again. */
export type GivesAgain = (table: string) => boolean

/** Follows the ids that creations of all parties were given. */
export const createIdWatch = (state = { given: new Set<string>(), again: new Set<string>() }) => {
  const { given, again } = state
  return {
    note: (events: readonly Entry[]): void => {
      for (const event of events) {
        const made = event.kind === 'call' ? madeBy(event) : undefined
        if (!made) continue
        if (given.has(`${made.table} ${made.key}`)) again.add(made.table)
        given.add(`${made.table} ${made.key}`)
      }
    },
    givesAgain: ((table) => again.has(table)) satisfies GivesAgain,
    /** Whether the target uses ids of any table again. */
    givesAny: (): boolean => again.size > 0,
    fork: () => createIdWatch(forked(state)),
  }
}

const madeBy = ({
  op: { makes },
  call,
  outcome,
}: CallEntry): { readonly table: string; readonly key: string } | undefined => {
  if (!makes || makes.change.renewable || !('status' in outcome) || outcome.status >= 300) return undefined
  const key = isObject(outcome.body) ? makes.identify(outcome.body, call.path, undefined) : undefined
  return key === undefined ? undefined : { table: makes.name, key }
}

/**
 * The world without removed entities whose ids others have, or may have, been given by now.
 * @param isFirm whether what was established at a step is certain all the same
 */
export const withoutRegiven = (
  world: World,
  sent: Observation,
  givesAgain: GivesAgain,
  isFirm: (step: number) => boolean = () => false,
): World =>
  tablesOf(sent.op).reduce(
    (before, table) => withoutRegivenOf(before, table, sent, { mayBeGivenAgain: givesAgain(table.name), isFirm }),
    world,
  )

/** Tables of the entities that a call names or shows. */
const tablesOf = (op: Operation): readonly AnyTable[] => {
  const named = referencesOf(op).map(([, { table }]) => table)
  return [...new Set('table' in op.reply ? [op.reply.table, ...named] : named)]
}

const withoutRegivenOf = (
  world: World,
  table: AnyTable,
  { op: { reply }, call, outcome }: Observation,
  { mayBeGivenAgain, isFirm }: { readonly mayBeGivenAgain: boolean; readonly isFirm: (step: number) => boolean },
): World => {
  const state = world.tables.get(table.name)
  if (!state || !('body' in outcome) || !(mayBeGivenAgain || state.gone.length > 0)) return world
  const records = 'table' in reply && reply.table === table ? recordsIn(outcome.body) : []
  const shown = new Map(records.map((one) => [table.identify(one, call.path, undefined), one]))
  const isOther = ({ entity, step }: Gone): boolean => {
    if (isFirm(step)) return false
    const record = shown.get(entity.key)
    if (record === undefined) return mayBeGivenAgain
    if (isOurs(world, JSON.stringify(record))) return false
    // If calls overlapped, the look may have shown an entity that was made after the removal.
    if (mayBeGivenAgain && Object.values(entity.since ?? {}).some((mark) => mark.step > step)) return true
    return table.tombstone?.(record) !== true && (isOtherThan(world, table, entity, record) ?? mayBeGivenAgain)
  }
  const gone = state.gone.filter((one) => !isOther(one))
  const left = { ...world, tables: new Map(world.tables).set(table.name, { ...state, gone }) }
  if (!mayBeGivenAgain) return gone.length === state.gone.length ? world : left
  // An entity that is believed to exist may have been removed unseen.
  return [...shown].reduce<World>((before, [key, record]) => {
    const entity = key === undefined ? undefined : state.live.get(key)
    const isNew =
      entity && (isAnother(table, entity, record, isFirm) || isAnotherAtOnce(world, table, entity, record, isFirm))
    return isNew ? lose(before, table, entity.key) : before
  }, left)
}

/**
 * The world in which the caller may have made what it names, where an id of it is known of another account alone.
 * @param isTheirs whether the reply shows that it is that of the other account
 */
export const withOwn = (
  world: World,
  { op, call }: Pick<Observation, 'op' | 'call'>,
  isTheirs: (table: AnyTable, theirs: AnyEntity) => boolean = () => false,
): World => {
  const account = principal(world.environment, call.as).account?.name
  return Object.entries(op.params).reduce<World>((before, [name, reference]) => {
    const id = call.path[name]
    if (typeof reference !== 'object' || reference.key || id === undefined) return before
    const { table } = reference
    const key = keyIn(before, table, id, account)
    const theirs = find(before, table, id)
    if (key === id || find(before, table, key) || (theirs && isTheirs(table, theirs))) return before
    return put(before, table, { key, account, stub: true })
  }, world)
}

/** The same where the reply shows something else than the other account has, or nothing that tells. */
export const withOwnAsShown = (world: World, sent: Observation): World => {
  const { op, call, outcome } = sent
  const records = 'body' in outcome ? recordsIn(outcome.body) : []
  const given = isObject(call.body) ? Object.keys(call.body) : []
  return withOwn(
    world,
    sent,
    (table, theirs) =>
      'table' in op.reply &&
      op.reply.table === table &&
      records.some((record) => isOtherThan(world, table, theirs, omit(record, given)) === false),
  )
}

/** Whether a record shows something else than what is there; nothing is made twice at the same time. */
const isAnother = (
  { change: { lasting } }: AnyTable,
  entity: AnyEntity,
  record: WireRecord,
  isFirm: (step: number) => boolean,
): boolean =>
  !(entity.created !== undefined && isEqual(entity.created, record.created)) &&
  !isEarlier(entity.created, record.created) &&
  lasting.some((name) => !isFirm(entity.since?.[name]?.step ?? 0) && differs(entity[name], record[name]))

/**
 * Whether a record shows something else that was made in the same second, where times of creation are told to the second: what lasts
 * differs, and not that alone.
 */
const isAnotherAtOnce = (
  world: World,
  table: AnyTable,
  entity: AnyEntity,
  record: WireRecord,
  isFirm: (step: number) => boolean,
): boolean => {
  if (momentOf(entity.created) % slackMs !== 0 || !isEqual(entity.created, record.created)) return false
  const others = table.fields.filter(
    (name) =>
      !isFirm(entity.since?.[name]?.step ?? 0) &&
      !table.drifting?.includes(name) &&
      differs(entity[name], record[name]) &&
      agreement(world, table, entity, name, entity[name], record[name]) === false,
  )
  return others.length > 1 && others.some((name) => table.change.lasting.includes(name))
}

/** What has been given the id of another was made after it. */
const isEarlier = (known: unknown, seen: unknown): boolean => momentOf(seen) < momentOf(known) - slackMs

/** Times may be told to the second. */
const slackMs = 1000

const differs = (known: unknown, seen: unknown): boolean =>
  known !== undefined && seen !== undefined && !isEqual(known, seen)

/** Whether a record shows another entity than the removed one; undefined where nothing tells. */
const isOtherThan = (world: World, table: AnyTable, entity: AnyEntity, record: WireRecord): Ternary => {
  const told = table.fields.filter(
    (name) =>
      name !== 'id' && !table.drifting?.includes(name) && entity[name] !== undefined && record[name] !== undefined,
  )
  const isSame = (name: string): boolean =>
    table.change.lasting.includes(name)
      ? isEqual(entity[name], record[name])
      : agreement(world, table, entity, name, entity[name], record[name]) === true
  return told.length === 0 ? undefined : !told.every(isSame)
}
