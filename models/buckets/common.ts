// What the operations on buckets share: path, names, and what their probes start from; not an operation.
import { isObject } from '../language/objects.js'
import { ref } from '../language/operation.js'
import type { Made, Plan } from '../language/plan.js'
import { bucketKey, buckets } from './record.js'

export const endpoints = 'Endpoints / Object Storage'
export const bucketPath = '/object-storage/buckets/{clusterId}/{bucket}'

/** What keeps the buckets of one account from the users of another. */
export const ofOwner = `${endpoints}, "All buckets owned", "Buckets of this account in the cluster"`

/** A member of a reply whose shape is not shown. */
export const shown = (reply: unknown, name: string): unknown => (isObject(reply) ? reply[name] : undefined)

/** Path parameters of every operation on one bucket. */
export const onBucket = {
  clusterId: 'string',
  bucket: ref(buckets, {
    key: ({ clusterId, bucket }) => (clusterId && bucket ? bucketKey(clusterId, bucket) : undefined),
    type: 'string',
    field: 'label',
  }),
} as const

/** The path of a bucket that an earlier step made. */
export const pathOf = (made: Made) => ({ clusterId: made.field('cluster'), bucket: made.field('label') })

/** The path of a new, empty bucket. */
export const newBucket = (plan: Plan, body?: Readonly<Record<string, unknown>>) => pathOf(plan.make(buckets, body))

/** A fixture that holds objects, as a path, and their names. */
export const fullBucket = (
  plan: Plan,
  atLeast = 1,
  some: (name: string) => boolean = () => true,
  what = atLeast === 1 ? 'an object' : `${atLeast} objects`,
) => {
  const { cluster, label, objects } = plan.bucketFixture(
    (bucket) => (bucket.objects?.length ?? 0) >= atLeast && bucket.objects?.some(some) === true,
    `a bucket with ${what} among the fixtures`,
  )
  return { path: { clusterId: cluster, bucket: label }, objects: objects ?? ['none'] }
}
