// The bucket as requests name it, and how it is stored; its record is not shown by the document.

import { isRestricted, type Principal } from '../language/access.js'
import { put } from '../language/changes.js'
import type { Ternary } from '../language/clause.js'
import type { BucketFixture } from '../language/environment.js'
import { clusters } from '../language/facts.js'
import { asRestricted } from '../language/plan.js'
import { isPlainName } from '../language/promises.js'
import { find, isClosed, isOurs, live, type Table, type World } from '../language/world.js'

export interface Bucket {
  label: string
  cluster: string
  acl: string
  cors_enabled: boolean
  /** Model only: its cluster again, under the name that paths give it. */
  clusterId: string
  /** Model only: names of all objects in it. */
  objects: readonly string[]
  /** Model only: ACLs that were given to objects, by object name. */
  objectAcls: Readonly<Record<string, string>>
  /** Model only: whether a certificate has been uploaded. */
  certificate: boolean
  /** Model only: a number made from the last certificate and key that were taken. */
  pair: number
  /** Model only: the marker that the latest page of its object list told. */
  nextMarker: string
  /** Model only: what the pages up to that marker held. */
  walk: Walk
  /** Model only: the object that the latest pre-signed URL was for, and the URLs of that reply. */
  signed: { readonly name: string; readonly urls: readonly string[] }
}

/** Pages of an object list, each taken up where the one before ended. */
export interface Walk {
  /** Prefix and delimiter that it was asked with. */
  readonly of: string
  readonly names: readonly string[]
  /** Whether it began with the first page. */
  readonly whole: boolean
}

/** The access controls that a creation may ask for. */
export const acls = ['private', 'public-read', 'authenticated-read', 'public-read-write'] as const

/** A label that any target takes, and keeps as it is. */
export const isPlainLabel = (label: unknown): boolean =>
  isPlainName(label) && String(label).length >= 3 && String(label).length <= 63

/** Whether a value is one that a request may give as acl. */
export const isAcl = (value: unknown): boolean => acls.some((acl) => acl === value) || value === 'custom'

/** Whether a value of a record is the id of a cluster, as far as the target file tells them. */
export const namesCluster = (world: World, value: unknown): boolean =>
  typeof value === 'string' && (live(world, clusters).length === 0 || find(world, clusters, value) !== undefined)

export const bucketKey = (cluster: string, label: string): string => `${cluster}/${label}`

export const buckets: Table<Bucket> = {
  name: 'buckets',
  fields: ['label', 'cluster', 'acl', 'cors_enabled'],
  reasons: ['objects', 'certificate'],
  identify: ({ cluster, label }, path) => {
    const where = cluster ?? path.clusterId
    return typeof where === 'string' && typeof label === 'string' ? bucketKey(where, label) : undefined
  },
  // The record is not shown: a value that no request could have sent is written in another way, and says nothing.
  same: {
    label: (known: string, seen) => seen === known || (isPlainLabel(known) ? false : undefined),
    acl: (known: string, seen) => (isAcl(seen) ? seen === known : undefined),
    cors_enabled: (known: boolean, seen) => (typeof seen === 'boolean' ? seen === known : undefined),
    cluster: (known: string, seen, _, world) => (namesCluster(world, seen) ? seen === known : undefined),
  },
  isNamed: (world, { cluster }) => cluster === undefined || namesCluster(world, cluster),
  // Whether a certificate stands in the way of the removal is not said.
  release: ({ certificate }) => (certificate === false ? [] : ['bucket-certificates.delete']),
  bare: () => ({}),
  unjudged: (_, { label, cluster, objects }) => ({
    hostname: `${label}.${cluster}.objects.example.net`,
    ...(objects && { objects: objects.length }),
  }),
  change: {
    lasting: ['label', 'cluster'],
    outside: ['acl', 'cors_enabled', 'objects', 'objectAcls', 'nextMarker', 'walk', 'signed'],
    renewable: true,
  },
  closable: true,
  draw: () => ({ acl: 'private', cors_enabled: false }),
}

/** Fixtures as the table holds them. */
export const bucketsOf = (fixtures: readonly BucketFixture[] | undefined) =>
  fixtures?.map((fixture) => ({ ...fixture, clusterId: fixture.cluster }))

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

/** Accounts of which it is known whether their Object Storage has been cancelled. */
export const cancellations: Table<{ cancelled: boolean }> = {
  name: 'object-storage-cancellations',
  fields: [],
  identify: () => undefined,
  change: { lasting: [], outside: [], renewable: false },
  closable: false,
}

const isCancelled = (world: World, account: string | undefined): Ternary =>
  account === undefined
    ? live(world, cancellations).some(({ cancelled }) => cancelled)
      ? undefined
      : false
    : // Recorded traffic may begin after a cancellation.
      (find(world, cancellations, account)?.cancelled ?? (world.adopting ? undefined : false))

/** The world in which an account is known to use Object Storage. */
export const inUse = (world: World, account: string | undefined): World =>
  account === undefined ? world : put(world, cancellations, { key: account, account, cancelled: false })

const cancelling = 'object-storage.cancel'

/** Silences that every Object Storage operation of an account has. */
export const commonSilences = (id: string) => [
  {
    id: `${id}.restricted`,
    source: 'Authentication, "Permission rules beyond scopes"',
    text: 'What a restricted user may do with Object Storage is not said.',
    when: ({ caller }: { readonly caller: Principal }): Ternary => isRestricted(caller),
    ...(id === cancelling
      ? { unprobed: 'a restricted user who may cancel Object Storage would end what other programs use' }
      : { probe: asRestricted(id) }),
  },
  {
    id: `${id}.cancelled`,
    source: 'Endpoints / Object Storage, POST /object-storage/cancel',
    text: 'What an account can do after it has cancelled Object Storage is not said.',
    when: ({ world, account }: { readonly world: World; readonly account: string | undefined }): Ternary =>
      isCancelled(world, account),
    unprobed: 'once Object Storage is cancelled nothing more is asked of it, since nothing brings it back',
  },
]
