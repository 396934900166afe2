// What a later reply of recorded traffic shows of a change that an earlier one did not show; nothing is counted here.

import isEqual from 'fast-deep-equal'
import { bodyOf } from '../../history/outcomes.js'
import { recordsIn } from '../../history/pages.js'
import { accountOf } from '../../models/language/access.js'
import { type AnyTable, isListed } from '../../models/language/operation.js'
import { referencesOf } from '../../models/language/references.js'
import { isLatent, type WireRecord } from '../../models/language/world.js'
import { keyNamed } from '../facts.js'
import { areIndependent } from '../independence.js'
import type { Deviation, Judged } from '../judgement.js'
import { listingOf } from '../listing.js'
import { changesMember } from './settable.js'

/** Whether a reply that is right shows what a late one does not: other members of the same records, or that these are there or gone. */
export const showsAll = (right: Judged, late: Judged): boolean =>
  tableOf(right) === tableOf(late) && hiddenIn(late).every((one) => showsOne(right, late, one))

/** Whether a reply that is right shows a part of what a late one does not. */
export const showsAny = (right: Judged, late: Judged): boolean =>
  tableOf(right) === tableOf(late) &&
  hiddenIn(late).some(
    (one) =>
      showsOne(right, late, one) ||
      (appears.has(one.kind) && keysHidden(late, one).some((key) => isThere(right, key) === true)),
  )

const hiddenIn = ({ judgement: { late } }: Judged): readonly Deviation[] => late?.hidden ?? []

const showsOne = (right: Judged, late: Judged, one: Deviation): boolean => {
  const { member, kind } = one
  if (member) {
    const now = recordsOf(right)
    return recordsOf(late).some(({ key, record }) =>
      now.some((other) => other.key === key && isChanged(record, other.record, member)),
    )
  }
  if (appears.has(kind)) {
    const keys = keysHidden(late, one)
    return keys.length > 0 && keys.every((key) => isThere(right, key) === true)
  }
  const gone = keyGone(late, one)
  return vanishes.has(kind) && gone !== undefined && isThere(right, gone) === false
}

/** The resources that a late reply does not show yet. */
const keysHidden = (late: Judged, { missing }: Deviation): readonly string[] => {
  const named = keyOf(late)
  return missing ?? (named === undefined ? [] : [named])
}

/** The resource that a late reply shows still. */
const keyGone = (late: Judged, { facts = [] }: Deviation): string | undefined =>
  facts.find(({ table, key }) => key !== undefined && table === tableOf(late)?.name)?.key

/** Deviations of what is not shown yet, and of what is shown still. */
const appears: ReadonlySet<string> = new Set(['missing', 'refused'])
const vanishes: ReadonlySet<string> = new Set(['deleted', 'still-there'])

const isChanged = (before: WireRecord, now: WireRecord, { name, shown }: NonNullable<Deviation['member']>): boolean =>
  Object.hasOwn(now, name) && isEqual(before[name], shown) && !isEqual(now[name], shown)

/** Whether a reply that is right shows a resource; undefined where it does not tell. */
export const isThere = (right: Judged, key: string): boolean | undefined => {
  const { op, call, outcome, judgement } = right
  if (recordsOf(right).some((one) => one.key === key)) return true
  const isAll = Object.keys(op.params).length === 0 && op.lists === undefined
  if (isListed(op.reply)) return isAll && listingOf(op, bodyOf(outcome), call.query)?.whole ? false : undefined
  return judgement.accepted === false && keyOf(right) === key ? false : undefined
}

export const tableOf = ({ op: { reply } }: Judged): AnyTable | undefined => ('table' in reply ? reply.table : undefined)

/** The key of the resource that a view names. */
const keyOf = ({ op, call, judgement: { world } }: Judged): string | undefined => {
  const shown = referencesOf(op).find(([param]) => param === op.shows)
  return shown && keyNamed(world, accountOf(world.environment, call.as), shown[1], shown[0], call.path)
}

/** The records that a reply shows, each with the key under which its table knows it. */
export const recordsOf = (step: Judged): readonly { readonly key: string; readonly record: WireRecord }[] =>
  recordsIn(bodyOf(step.outcome)).flatMap((record) => {
    const key = tableOf(step)?.identify(record, step.call.path, undefined)
    return key === undefined ? [] : [{ key, record }]
  })

/** Whether a write may be why a later reply shows what a late one does not: it concerns the same resources, and changes what was late. */
export const mayBring = (write: Judged, late: Judged): boolean => {
  if (areIndependent(write, late)) return false
  const table = tableOf(late)
  const { op } = write
  return hiddenIn(late).some((one) => {
    const { member, kind } = one
    if (member) {
      const names = [member.name, ...(table?.derived?.[member.name] ?? [])]
      return names.some((name) => changesMember(op, name)) && mayConcern(write, table, keysShowing(late, member))
    }
    if (appears.has(kind)) return op.makes !== undefined && mayHaveMade(write, table, keysHidden(late, one))
    return !vanishes.has(kind) || (op.removes !== undefined && mayConcern(write, table, [keyGone(late, one)]))
  })
}

/** The resources that a late reply is late about, as far as it tells: all that it shows or names otherwise than it should. */
export const keysOf = (late: Judged): readonly string[] => {
  const own = Object.values(late.call.path).slice(0, 1)
  const about = hiddenIn(late).flatMap((one) =>
    one.member
      ? keysShowing(late, one.member)
      : appears.has(one.kind)
        ? keysHidden(late, one)
        : (keyGone(late, one) ?? []),
  )
  return [...new Set([...own, ...about])]
}

/** Whether one of some resources may be what a write names: where it names one of their table, it concerns no other. */
const mayConcern = (write: Judged, table: AnyTable | undefined, keys: readonly (string | undefined)[]): boolean => {
  const key = keyNamedIn(write, table)
  return key === undefined || keys.includes(undefined) || keys.includes(key)
}

/** The key of what the path of a call names of a table. */
export const keyNamedIn = (
  { op, call, judgement: { world } }: Judged,
  table: AnyTable | undefined,
): string | undefined => {
  const named = referencesOf(op).find(([, reference]) => reference.table === table)
  return named && keyNamed(world, accountOf(world.environment, call.as), named[1], named[0], call.path)
}

/** Whether a creation may have made one of some resources: of those of its own kind it made the one that it shows. */
const mayHaveMade = (
  { op: { makes, besides = [] }, judgement: { made } }: Judged,
  table: AnyTable | undefined,
  keys: readonly string[],
): boolean =>
  makes !== table ||
  made === undefined ||
  isLatent(made) ||
  keys.length === 0 ||
  keys.includes(made) ||
  besides.some((one) => one === table)

/** The resources that a reply shows with such a member. */
const keysShowing = (late: Judged, { name, shown }: NonNullable<Deviation['member']>): readonly string[] =>
  recordsOf(late).flatMap(({ key, record }) => (isEqual(record[name], shown) ? [key] : []))
