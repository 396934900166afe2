// What a later reply of recorded traffic shows of a change that an earlier one did not show; nothing is counted here.

import isEqual from 'fast-deep-equal'
import { bodyOf } from '../../history/outcomes.js'
import { recordsIn } from '../../history/pages.js'
import { accountOf } from '../../models/language/access.js'
import { type AnyTable, isListed } from '../../models/language/operation.js'
import { referencesOf } from '../../models/language/references.js'
import type { WireRecord } from '../../models/language/world.js'
import { keyNamed } from '../facts.js'
import { areIndependent } from '../independence.js'
import type { Deviation, Judged } from '../judgement.js'
import { listingOf } from '../listing.js'
import { changesMember } from './settable.js'

/** Whether a reply that is right shows what a late one does not: other members of the same records, or that these are there or gone. */
export const showsAll = (right: Judged, late: Judged): boolean =>
  tableOf(right) === tableOf(late) && hiddenIn(late).every((one) => showsOne(right, late, one))

const hiddenIn = ({ judgement: { late } }: Judged): readonly Deviation[] => late?.hidden ?? []

const showsOne = (right: Judged, late: Judged, { member, kind, missing, facts = [] }: Deviation): boolean => {
  if (member) {
    const now = recordsOf(right)
    return recordsOf(late).some(({ key, record }) =>
      now.some((other) => other.key === key && isChanged(record, other.record, member)),
    )
  }
  if (appears.has(kind)) {
    const named = keyOf(late)
    const keys = missing ?? (named === undefined ? [] : [named])
    return keys.length > 0 && keys.every((key) => isThere(right, key) === true)
  }
  const gone = facts.find(({ table, key }) => key !== undefined && table === tableOf(late)?.name)?.key
  return vanishes.has(kind) && gone !== undefined && isThere(right, gone) === false
}

/** Deviations of what is not shown yet, and of what is shown still. */
const appears: ReadonlySet<string> = new Set(['missing', 'refused'])
const vanishes: ReadonlySet<string> = new Set(['deleted', 'still-there'])

const isChanged = (before: WireRecord, now: WireRecord, { name, shown }: NonNullable<Deviation['member']>): boolean =>
  Object.hasOwn(now, name) && isEqual(before[name], shown) && !isEqual(now[name], shown)

/** Whether a reply that is right shows a resource; undefined where it does not tell. */
const isThere = (right: Judged, key: string): boolean | undefined => {
  const { op, call, outcome, judgement } = right
  if (recordsOf(right).some((one) => one.key === key)) return true
  const isAll = Object.keys(op.params).length === 0 && op.lists === undefined
  if (isListed(op.reply)) return isAll && listingOf(op, bodyOf(outcome), call.query)?.whole ? false : undefined
  return judgement.accepted === false && keyOf(right) === key ? false : undefined
}

const tableOf = ({ op: { reply } }: Judged): AnyTable | undefined => ('table' in reply ? reply.table : undefined)

/** The key of the resource that a view names. */
const keyOf = ({ op, call, judgement: { world } }: Judged): string | undefined => {
  const shown = referencesOf(op).find(([param]) => param === op.shows)
  return shown && keyNamed(world, accountOf(world.environment, call.as), shown[1], shown[0], call.path)
}

/** The records that a reply shows, each with the key under which its table knows it. */
const recordsOf = (step: Judged): readonly { readonly key: string; readonly record: WireRecord }[] =>
  recordsIn(bodyOf(step.outcome)).flatMap((record) => {
    const key = tableOf(step)?.identify(record, step.call.path, undefined)
    return key === undefined ? [] : [{ key, record }]
  })

/** Whether a write may be why a later reply shows what a late one does not. */
export const mayBring = (write: Judged, late: Judged): boolean => {
  if (areIndependent(write, late)) return false
  const table = tableOf(late)
  const { op } = write
  return hiddenIn(late).some(({ member, kind }) => {
    if (member) return [member.name, ...(table?.derived?.[member.name] ?? [])].some((name) => changesMember(op, name))
    if (appears.has(kind)) return op.makes !== undefined
    return !vanishes.has(kind) || op.removes !== undefined
  })
}
