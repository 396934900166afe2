// The document allows that a deleted resource is still shown, as deleted or as an empty list under its name. Nothing is judged here.

import { isObject } from '../../models/language/objects.js'
import type { AnyTable } from '../../models/language/operation.js'
import type { WireRecord, World } from '../../models/language/world.js'
import type { Due } from '../clauses.js'
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

/** Whether a record says that its resource is deleted. */
const isTombstone = (step: Step, dues: readonly Due[]): boolean => {
  const { op, read } = step
  if (dues.length > 1 || op.method !== 'GET' || op.reply.kind !== 'record') return false
  if (op.shows === undefined || op.shows === 'made') return false
  if (!read.named.some(({ resolution }) => resolution.kind === 'gone')) return false
  const { table } = op.reply
  const { body } = toldBy(step)
  return table.tombstone !== undefined && (!isObject(body) || mayRemain(step.world, table, body))
}
