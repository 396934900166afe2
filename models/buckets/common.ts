// What the operations on buckets share: path, names, and what their probes start from; not an operation.
import { aFixture, allowNeed, exclusiveNeed, together } from '../language/needs.js'
import { isObject } from '../language/objects.js'
import { ref } from '../language/operation.js'
import type { Made, Plan, Ref } from '../language/plan.js'
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
    // A bucket that a program makes is in the first cluster, unless it says another.
    elsewhere: (plan, { clusterId }) => {
      const own = typeof clusterId === 'string' ? clusterId : plan.cluster().id
      const other = plan.attempt(() => plan.cluster(({ id }) => id !== own))
      return other && { clusterId: other.id }
    },
  }),
} as const

/** The path of a bucket that an earlier step made. */
export const pathOf = (made: Made) => ({ clusterId: made.field('cluster'), bucket: made.field('label') })

/** The path of a new, empty bucket. */
export const newBucket = (plan: Plan, body?: Readonly<Record<string, unknown>>) => pathOf(plan.make(buckets, body))

interface FullBucket {
  readonly path: { readonly clusterId: string | Ref; readonly bucket: string | Ref }
  /** Names of all objects in it. */
  readonly objects: readonly string[]
}

/** A bucket that holds objects: a fixture, or a new one that is filled where it goes with all others in the end. */
export const fullBucket = (
  plan: Plan,
  atLeast = 1,
  some: (name: string) => boolean = () => true,
  what = atLeast === 1 ? 'an object' : `${atLeast} objects`,
): FullBucket => {
  const lend = (): FullBucket => {
    const { cluster, label, objects } = plan.bucketFixture(
      (bucket) => (bucket.objects?.length ?? 0) >= atLeast && bucket.objects?.some(some) === true,
      {
        ...aFixture('buckets', `a bucket with ${what} among the fixtures`, {
          objects: Array.from({ length: atLeast }, (_, i) => `a/${i + 1}`),
        }),
        bound: { of: 'objects', least: atLeast },
      },
    )
    return { path: { clusterId: cluster, bucket: label }, objects: objects ?? ['none'] }
  }
  return plan.attempt(lend) ?? plan.attempt(() => filledBucket(plan, atLeast)) ?? lend()
}

/** A new bucket with so many objects; no call empties it, so that it goes with all others in the end. */
export const filledBucket = (plan: Plan, count: number, cluster?: string): FullBucket => {
  const { exclusive, safety } = plan.environment
  const isEnded = exclusive && safety.allow.includes('object-storage.cancel')
  plan.need(
    isEnded,
    together(
      'an exclusive target whose safety.allow names object-storage.cancel, which empties buckets, in a run that includes it',
      exclusiveNeed(),
      allowNeed('object-storage.cancel', 'object-storage.cancel'),
    ),
  )
  const path = newBucket(plan, cluster === undefined ? {} : { cluster })
  const objects = Array.from({ length: count }, (_, i) => `${'ab'[i % 2]}/${String(i).padStart(3, '0')}.jpg`)
  plan.hook('putObjects', path.clusterId, path.bucket, objects)
  return { path, objects }
}

/** A bucket that holds objects where the target file lends one, else an empty one. */
export const anyBucket = (plan: Plan): FullBucket['path'] =>
  plan.attempt(() => {
    const { cluster, label } = plan.bucketFixture(({ objects = [] }) => objects.length > 0)
    return { clusterId: cluster, bucket: label }
  }) ?? newBucket(plan)
