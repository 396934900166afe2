// What the operations on buckets share: path, names, silences, and what their probes start from; not an operation.
import { isRestricted, type Principal } from './access.js'
import type { Ternary } from './clause.js'
import { ref } from './operation.js'
import type { Made, Plan } from './plan.js'
import { bucketKey, buckets, cancellations } from './tables/buckets.js'
import { find, isClosed, isOurs, live, type World } from './world.js'

export const endpoints = 'Endpoints / Object Storage'
export const bucketPath = '/object-storage/buckets/{clusterId}/{bucket}'

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** A member of a reply whose shape is not shown. */
export const shown = (reply: unknown, name: string): unknown => (isRecord(reply) ? reply[name] : undefined)

export const acls = ['private', 'public-read', 'authenticated-read', 'public-read-write'] as const

/** Path parameters of every operation on one bucket. */
export const onBucket = {
  clusterId: 'string',
  bucket: ref(buckets, {
    key: ({ clusterId, bucket }) => (clusterId && bucket ? bucketKey(clusterId, bucket) : undefined),
    type: 'string',
    field: 'label',
  }),
} as const

/** Whether the account holds a bucket of that name in the cluster. */
export const isOwned = (world: World, account: string | undefined, cluster: string, label: string): Ternary => {
  const there = find(world, buckets, bucketKey(cluster, label))
  if (!there) return isClosed(world, buckets, account) || isOurs(world, label) ? false : undefined
  return there.stub || there.account === undefined || account === undefined ? undefined : there.account === account
}

/** Whether somebody else holds a bucket of that name in the cluster; undecided for names that anyone may have taken. */
export const isForeign = (world: World, account: string | undefined, cluster: string, label: string): Ternary => {
  const there = find(world, buckets, bucketKey(cluster, label))
  if (!there) return isOurs(world, label) ? false : undefined
  return there.stub || there.account === undefined || account === undefined ? undefined : there.account !== account
}

const isCancelled = (world: World, account: string | undefined): Ternary =>
  account === undefined
    ? live(world, cancellations).length > 0
      ? undefined
      : false
    : find(world, cancellations, account) !== undefined

/** Silences that every Object Storage operation on buckets has. */
export const commonSilences = (id: string) => [
  {
    id: `${id}.restricted`,
    source: 'Authentication, "Permission rules beyond scopes"',
    text: 'What a restricted user may do with Object Storage is not said.',
    when: ({ caller }: { readonly caller: Principal }): Ternary => isRestricted(caller),
  },
  {
    id: `${id}.cancelled`,
    source: 'Endpoints / Object Storage, POST /object-storage/cancel',
    text: 'What an account can do after it has cancelled Object Storage is not said.',
    when: ({ world, account }: { readonly world: World; readonly account: string | undefined }): Ternary =>
      isCancelled(world, account),
    unprobed: 'a cancelled account is of no use to the rest of the run',
  },
]

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
