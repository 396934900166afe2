// What the operations on keys have in common: the id in a path, labels and access to a bucket; no rule of any operation.
import { buckets } from '../buckets/record.js'
import { known, type Ternary } from '../language/clause.js'
import { ref } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { isPlainName } from '../language/promises.js'
import { exists, type World } from '../language/world.js'
import { type KeyAccess, objectKeys } from './record.js'

export const endpoints = 'Endpoints / Object Storage'

export const keyId = { keyId: ref(objectKeys) }

const longestPlain = 32

/** Whether a label is sure to be taken; what is no text breaks its type instead. */
export const isPlainLabel = (label: unknown): boolean =>
  typeof label !== 'string' || (isPlainName(label) && label.length <= longestPlain)

export const isTaken = (world: World, account: string | undefined, label: string | undefined): Ternary =>
  label === undefined
    ? false
    : exists(world, objectKeys, account, (key) => known(key.label, label, (a, b) => a === b), label)

/** Access to a bucket that the plan makes. */
export const accessTo = (
  plan: Plan,
  permissions: KeyAccess['permissions'],
  where: { readonly cluster?: string } = {},
) => {
  const bucket = plan.make(buckets, where)
  return { bucket_name: bucket.field('label'), cluster: bucket.field('cluster'), permissions }
}
