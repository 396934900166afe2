// Judges a listed record that nothing is known to have made; whether it may stand there is decided elsewhere.

import { namesOf } from '../models/language/names.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import type { WireRecord, World } from '../models/language/world.js'
import { surelyClauseOf } from './clauses.js'
import { type Deviation, deviation } from './judgement.js'

/**
 * What is wrong with it. No call of the run gives a name that is not of the run's making, so the target has made what bears one by
 * itself. That it makes nothing by itself is not said.
 */
export const strangerIn = (
  { world, op, table }: { readonly world: World; readonly op: Operation; readonly table: AnyTable },
  key: string,
  record: WireRecord,
): Deviation => {
  const wanted = `only the ${table.name} that exist`
  const found = deviation(
    surelyClauseOf(op, 'only-live'),
    'unknown',
    wanted,
    `${table.name} ${key}, which nothing created`,
  )
  return bearsOtherName(world, record) ? { ...found, level: 'should' } : found
}

/** Whether the record has a name, and none that this run made up. */
const bearsOtherName = ({ nonce }: World, record: WireRecord): boolean => {
  const names = namesOf(record).filter((one) => one !== '')
  return nonce !== '' && names.length > 0 && names.every((one) => !one.toLowerCase().includes(nonce.toLowerCase()))
}
