// What is gone is still shown: as deleted, or as an empty list under its name; the document lets that remain, and nothing is judged here.

import { suppositions } from '../../models/language/environment.js'
import { isObject } from '../../models/language/objects.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import type { WireRecord, World } from '../../models/language/world.js'
import type { Due } from '../due.js'
import { isEmptyList } from '../listing.js'
import type { Step } from '../step.js'
import { toldBy } from '../telling.js'
import { type Explanation, isAllowed } from './explanation.js'

export const remains: Explanation = {
  name: 'remains',
  supposes: suppositions.remains,
  cost: 1,
  refutes: 'a record that does not say of itself that it is deleted, or a list that holds something',
  bound: 'records with a state that says so, and lists under a name that nothing need have',
}

/** `remains tags.view` */
export const nameOf = ({ id }: Operation): string => `${remains.name} ${id}`

/** Whether a record may be what is left of a deleted resource, as far as that may be supposed of the target. */
export const mayRemain = ({ environment }: World, table: AnyTable, record: WireRecord): boolean =>
  isAllowed(environment, remains) && table.tombstone !== undefined && table.tombstone(record) !== false

/** Whether an accepted call shows no more than what may remain, although nothing is there by that name. */
export const showsRemains = (step: Step, dues: readonly Due[]): boolean =>
  isAllowed(step.world.environment, remains) && (isEmpty(step, dues) || isTombstone(step, dues))

/** Whether a list says that there is nothing under a name which nothing has, or which may be shown even when it is gone. */
const isEmpty = ({ op, read, reply }: Step, dues: readonly Due[]): boolean =>
  dues.length === 1 &&
  dues[0]?.clause.kind === 'exists' &&
  isEmptyList(op, reply.body) &&
  Object.entries(op.params).some(
    ([name, reference]) =>
      typeof reference === 'object' &&
      (op.vacant === true || (reference.table.tombstone !== undefined && read.resolutions[name]?.kind === 'gone')),
  )

/** Whether a record says of itself that it is no more. */
const isTombstone = (step: Step, dues: readonly Due[]): boolean => {
  const { op, read } = step
  if (dues.length > 1 || op.method !== 'GET' || op.reply.kind !== 'record') return false
  if (op.shows === undefined || op.shows === 'made') return false
  if (!Object.values(read.resolutions).some(({ kind }) => kind === 'gone')) return false
  const { table } = op.reply
  const { body } = toldBy(step)
  return table.tombstone !== undefined && (!isObject(body) || mayRemain(step.world, table, body))
}
