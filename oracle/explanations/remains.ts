// The document allows that a deleted resource is still shown, as deleted or as an empty list under its name. Nothing is judged here.

import { isObject } from '../../models/language/objects.js'
import type { AnyTable } from '../../models/language/operation.js'
import type { AnyEntity, WireRecord, World } from '../../models/language/world.js'
import type { Due } from '../clauses.js'
import { decisiveDue } from '../due.js'
import { isEmptyList } from '../listing.js'
import type { Step } from '../step.js'
import { toldBy } from '../telling.js'
import { type Explanation, isAllowed } from './explanation.js'

export const remains: Explanation = {
  name: 'remains',
  refutes: 'a record that does not say of itself that it is deleted, or a list that holds something',
  bound: 'records with a state that says so, and lists under a name that nothing need have',
}

/** Whether a record may show a deleted resource, if the target file allows this explanation. */
export const mayRemain = ({ environment }: World, table: AnyTable, record: WireRecord): boolean =>
  isAllowed(environment, remains) && table.tombstone !== undefined && table.tombstone(record) !== false

/**
 * The world that remembers whether a look shows what was deleted. A record that tells nothing of it, as it says no more than before the
 * deletion, is no reason to expect others.
 */
export const notingRemains = ({ world, op, read, reply, expectation }: Step, isShown: boolean): World => {
  const { vanishing } = world
  if (decisiveDue(expectation)?.clause.kind !== 'exists') return world
  const buried = buriedIn(read)
  if (op.method !== 'GET' || buried?.table.tombstone === undefined) return world
  if (isShown && isObject(reply.body) && buried.table.tombstone(reply.body, buried.entity) !== true) return world
  const known = vanishing?.get(op.id)
  return known === false || known === !isShown
    ? world
    : { ...world, vanishing: new Map(vanishing).set(op.id, !isShown) }
}

/** What a call names that was deleted. */
const buriedIn = ({ named }: Step['read']): { readonly table: AnyTable; readonly entity: AnyEntity } | undefined =>
  named
    .flatMap(({ reference: { table }, resolution }) =>
      resolution.kind === 'gone' ? [{ table, entity: resolution.gone.entity }] : [],
    )
    .at(-1)

/** Whether an accepted call shows only what may remain of a deleted resource. */
export const showsRemains = (step: Step, dues: readonly Due[]): boolean =>
  isAllowed(step.world.environment, remains) && (isEmpty(step, dues) || isTombstone(step, dues))

/** Whether the reply is an empty list under a name that nothing has, or that may be shown after its deletion. */
const isEmpty = ({ op, read, reply }: Step, dues: readonly Due[]): boolean =>
  dues.length === 1 &&
  dues[0]?.clause.kind === 'exists' &&
  isEmptyList(op, reply.body) &&
  read.named.some(
    ({ reference: { table }, resolution }) =>
      op.vacant === true || (table.tombstone !== undefined && resolution.kind === 'gone'),
  )

/** Whether a record says no more of a deletion than it did before, where what is deleted is not found otherwise: it is not gone. */
export const isAsBefore = ({ world, op, read, reply: { body } }: Step): boolean => {
  const buried = buriedIn(read)
  return (
    world.vanishing?.get(op.id) === true &&
    isObject(body) &&
    // It says what a deleted one may say, which this one said before its deletion.
    buried?.table.tombstone?.(body) === true &&
    buried.table.tombstone(body, buried.entity) === undefined
  )
}

/** Whether a record says that its resource is deleted. */
const isTombstone = (step: Step, dues: readonly Due[]): boolean => {
  const { op, read } = step
  if (dues.length > 1 || op.method !== 'GET' || op.reply.kind !== 'record') return false
  if (op.shows === undefined || op.shows === 'made') return false
  const buried = buriedIn(read)
  if (!buried) return false
  const { table } = op.reply
  const { body } = toldBy(step)
  if (table.tombstone === undefined || !isObject(body)) return table.tombstone !== undefined
  return !isAsBefore(step) && mayRemain(step.world, table, body)
}
