// The bucket as requests name it, and how it is stored; its record is not shown by the document.
import type { BucketFixture } from '../setting.js'
import type { Table } from '../world.js'

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
}

/** Pages of an object list, each taken up where the one before ended. */
export interface Walk {
  /** Prefix and delimiter that it was asked with. */
  readonly of: string
  readonly names: readonly string[]
  /** Whether it began with the first page. */
  readonly whole: boolean
}

export const bucketKey = (cluster: string, label: string): string => `${cluster}/${label}`

export const buckets: Table<Bucket> = {
  name: 'buckets',
  fields: ['label', 'cluster', 'acl', 'cors_enabled'],
  identify: ({ cluster, label }, path) => {
    const where = cluster ?? path.clusterId
    return typeof where === 'string' && typeof label === 'string' ? bucketKey(where, label) : undefined
  },
  bare: () => ({}),
  closable: true,
  draw: () => ({ acl: 'private', cors_enabled: false }),
}

/** Fixtures as the table holds them. */
export const bucketsOf = (fixtures: readonly BucketFixture[] | undefined) =>
  fixtures?.map((fixture) => ({ ...fixture, clusterId: fixture.cluster }))

/** Accounts whose Object Storage has been cancelled. */
export const cancellations: Table<{ cancelled: boolean }> = {
  name: 'object-storage-cancellations',
  fields: [],
  identify: () => undefined,
  closable: false,
}
