// Whether a call that was refused on its way may be sent again; looks only.

import { buildCall, type SendableCall } from '../history/calls.js'
import { bodyOf, isAccepted } from '../history/outcomes.js'
import { pagesOf, recordsIn } from '../history/pages.js'
import { listerOf, operationById } from '../models/index.js'
import { nameOf } from '../models/language/names.js'
import { isObject } from '../models/language/objects.js'
import type { Args } from '../models/language/plan.js'
import type { Transport } from './session.js'

/**
 * Whether a call that was refused may be sent again, though it may have been done: one that comes to the same twice, or a creation
 * whose name its list does not show.
 */
export const mayBeSentAgain = async (transport: Transport, call: SendableCall, step: number): Promise<boolean> => {
  if (call.method !== 'POST') return true
  const table = operationById(call.operation)?.makes
  const lister = table && listerOf(table)
  const given = isObject(call.body) ? nameOf(call.body) : undefined
  if (!lister || given === undefined || Object.keys(lister.params).length > 0) return false
  const ask = (query: NonNullable<Args['query']>) => transport.send(buildCall(lister, { as: call.as, query }), step)
  for await (const outcome of pagesOf(ask, bodyOf)) {
    if (!isAccepted(outcome)) return false
    if (recordsIn(bodyOf(outcome)).some((record) => Object.values(record).includes(given))) return false
  }
  return true
}
