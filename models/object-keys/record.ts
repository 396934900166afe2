// The object storage access key as requests name it, and how it is stored; its record is not shown.

import { isOwned } from '../buckets/record.js'
import { and, type Ternary } from '../language/clause.js'
import { byId, sameId } from '../language/facts.js'
import { hashOf } from '../language/hash.js'
import { isObject } from '../language/objects.js'
import { ended, saysOneOf } from '../language/remains.js'
import { asText } from '../language/same.js'
import type { Table, WireRecord, World } from '../language/world.js'

/** What a Limited Access Key may do with one bucket. */
export interface KeyAccess {
  readonly bucket_name?: string
  readonly cluster?: string
  readonly permissions?: 'read_write' | 'read_only'
}

export interface ObjectKey {
  id: number
  label: string
  /** As a record shows it; derived from `access`. */
  bucket_access: readonly KeyAccess[]
  /** Model only: `all` for an unlimited key, else the buckets that it is limited to. */
  access: readonly KeyAccess[] | 'all'
  /** Model only: a number made from the secret that was shown at creation; the secret itself is not kept. */
  secretMark: number
}

const members = ['bucket_name', 'cluster', 'permissions'] as const

const isEntry = (known: KeyAccess, seen: unknown): boolean =>
  typeof seen === 'object' &&
  seen !== null &&
  members.every((name) => {
    const value = (seen as WireRecord)[name]
    return known[name] === undefined || value === undefined || value === known[name]
  })

/** Whether an entry is written as in requests; of records the form is not shown. */
const isAsSent = (entry: unknown): boolean =>
  isObject(entry) &&
  [entry.bucket_name, entry.cluster].every((name) => name === undefined || typeof name === 'string') &&
  [undefined, 'read_write', 'read_only'].includes(entry.permissions as undefined)

/** Whether a list of accesses names the same buckets with the same permissions; neither order nor repetition matters. */
export const isSameAccess = (known: readonly KeyAccess[], seen: unknown): Ternary => {
  if (seen === null) return known.length === 0 ? undefined : false
  if (!Array.isArray(seen) || !seen.every(isAsSent)) return undefined
  return (
    known.every((entry) => seen.some((other) => isEntry(entry, other))) &&
    seen.every((other) => known.some((entry) => isEntry(entry, other)))
  )
}

/** Whether each entry names a bucket that the account holds. */
export const areOwned = (world: World, account: string | undefined, access: readonly KeyAccess[]): Ternary =>
  and(
    ...access.map((entry) =>
      entry?.cluster === undefined || entry.bucket_name === undefined
        ? undefined
        : isOwned(world, account, entry.cluster, entry.bucket_name),
    ),
  )

/** The secret that a creation shows: a member named so, with a text that is no mask. */
export const secretIn = (reply: unknown): string | undefined => {
  if (typeof reply !== 'object' || reply === null) return undefined
  for (const [name, value] of Object.entries(reply)) {
    if (typeof value === 'string' && /secret/i.test(name) && /^[\w+/=~.-]{16,}$/.test(value)) return value
    const inner = secretIn(value)
    if (inner !== undefined) return inner
  }
  return undefined
}

/** The secret that the embedded server gives a key. */
export const secretOf = (key: string): string =>
  Array.from({ length: 5 }, (_, i) => hashOf(`${key} ${i}`).toString(36).padStart(7, '0')).join('')

/** The access key that the embedded server shows: it names the pair, and is no secret. */
export const accessKeyOf = (key: string): string =>
  `AK${[0, 1, 2].map((i) => hashOf(`${key} access ${i}`).toString(36)).join('')}`.toUpperCase().slice(0, 20)

export const objectKeys: Table<ObjectKey> = {
  name: 'object-keys',
  fields: ['id', 'label'],
  identify: byId,
  mayRepeat: true,
  same: { id: sameId, label: asText, bucket_access: isSameAccess },
  derived: { bucket_access: ['access'] },
  // Once a bucket is gone, whether its entry stays is not said.
  view: (world, { access, account }) =>
    Array.isArray(access) && areOwned(world, account, access) === true ? { bucket_access: access } : {},
  // The document has a key revoked, not deleted.
  tombstone: saysOneOf(ended),
  bare: ({ id }) => ({ id }),
  unjudged: (_, { key, access }) => ({ access_key: accessKeyOf(key), limited: access !== 'all' }),
  change: { lasting: ['id'], outside: [], renewable: false },
  closable: true,
  mint: (dice) => String(dice.next('object-keys')),
  draw: (_dice, { key }) => ({ secretMark: hashOf(secretOf(key)) }),
}
