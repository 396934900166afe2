// Whether the ids of a recording were replaced after it was made, in its addresses or in its bodies alone; nothing is judged.

import isEqual from 'fast-deep-equal'
import { operations } from '../models/index.js'
import { isObject } from '../models/language/objects.js'
import type { WireRecord } from '../models/language/world.js'
import type { CallEntry } from './entry.js'
import { bodyOf, isAccepted } from './outcomes.js'
import { recordsIn } from './pages.js'

/** So many ids have to be named and never shown, of so many kinds of resources: a target may show one kind wrongly all the time. */
const fewest = 3

const fewestKinds = 2

/** Ids were replaced where calls name others than replies show, or where several resources have one. */
export const areIdsReplaced = (calls: readonly CallEntry[]): boolean => {
  const accepted = calls.filter(({ outcome }) => isAccepted(outcome))
  return areNeverShown(accepted) || areShared(accepted)
}

/** Lists of more than one kind of resource show different ones under one id. */
const areShared = (calls: readonly CallEntry[]): boolean => {
  const tables = calls.flatMap(({ op: { reply }, outcome }) =>
    'table' in reply && isAnyShared(recordsIn(bodyOf(outcome))) ? [reply.table.name] : [],
  )
  return new Set(tables).size >= fewestKinds
}

const isAnyShared = (records: readonly WireRecord[]): boolean => {
  const byId = new Map(records.map((one) => [one.id, one]))
  return records.some((one) => one.id !== undefined && !isEqual(byId.get(one.id), one))
}

/**
 * Ids were replaced where calls name some that no reply ever shows, while the very replies to them show others: whoever sent them had
 * them from such replies. What such a recording then shows of ids is not known.
 */
const areNeverShown = (calls: readonly CallEntry[]): boolean => {
  const shown = new Set<string>()
  const named = new Map<string, string>()
  for (const one of calls) {
    const { reply, params } = one.op
    if (!('table' in reply)) continue
    const records = recordsIn(bodyOf(one.outcome)).filter((record) => 'id' in record)
    for (const record of records) shown.add(`${reply.table.name} ${record.id}`)
    for (const [name, reference] of Object.entries(params))
      if (typeof reference === 'object' && !reference.key && reference.table === reply.table && records.length > 0)
        named.set(`${reply.table.name} ${one.call.path[name]}`, reply.table.name)
  }
  return (
    named.size >= fewest &&
    new Set(named.values()).size >= fewestKinds &&
    ![...named.keys()].some((id) => shown.has(id))
  )
}

/** The members of requests that list ids, as `volumes` of a tag does. */
const lists: ReadonlySet<string> = new Set(
  operations.flatMap(({ body }) =>
    Object.entries(body?.properties ?? {}).flatMap(([name, { items }]) => (items?.ref === undefined ? [] : [name])),
  ),
)

const isOfIds = (member: string): boolean => /(?:^|_)ids?$/.test(member) || lists.has(member)

/** Whether anything in a JSON value is an id. */
export const holdsId = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.some(holdsId)
    : isObject(value) && Object.entries(value).some(([name, inner]) => isOfIds(name) || holdsId(inner))

/** Whether a call names the id of a resource in its address. */
export const namesId = ({ op }: CallEntry): boolean =>
  Object.values(op.params).some((reference) => typeof reference === 'object' && !reference.key)
