// Buckets: section "Endpoints / Object Storage" and what the rest says of them; their creation is apart.

import { drop } from '../language/changes.js'
import { known } from '../language/clause.js'
import { clusters } from '../language/facts.js'
import { aFixture } from '../language/needs.js'
import { anything, operation, page, record, records, ref } from '../language/operation.js'
import { inferredPaging } from '../language/pagination.js'
import type { Entity } from '../language/world.js'
import { bucketPath, endpoints, filledBucket, fullBucket, newBucket, ofOwner, onBucket, shown } from './common.js'
import { createBucket } from './create.js'
import { type Bucket, buckets, commonSilences, namesCluster } from './record.js'

export const listBuckets = operation({
  id: 'buckets.list',
  area: 'object-storage',
  method: 'GET',
  path: '/object-storage/buckets',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the buckets of the account.',
  scopes: ['object_storage:read_only'],
  params: {},
  query: inferredPaging,
  reply: page(buckets, 'not-shown'),
  draft: () => ({}),
  silences: commonSilences('buckets.list'),
})

export const listBucketsInCluster = operation({
  id: 'buckets.list-in-cluster',
  area: 'object-storage',
  method: 'GET',
  path: '/object-storage/buckets/{clusterId}',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the buckets that the account has in a cluster.',
  scopes: ['object_storage:read_only'],
  params: { clusterId: ref(clusters, { type: 'string' }) },
  reply: records(buckets),
  vacant: true,
  lists: ({ path }, bucket: Entity<Bucket>) => known(bucket.cluster, path.clusterId, (a, b) => a === b),
  draft: (plan) => {
    const near = plan.cluster()
    const { clusterId } = newBucket(plan, { cluster: near.id })
    return { path: { clusterId } }
  },
  silences: commonSilences('buckets.list-in-cluster'),
  statements: [
    {
      id: 'buckets.list-in-cluster.this-cluster',
      source: endpoints,
      text: 'The list holds buckets of that cluster alone.',
      holds: ({ world, path, reply }) => {
        const entries: unknown = Array.isArray(reply) ? reply : shown(reply, 'data')
        if (!Array.isArray(entries)) return undefined
        const places = entries.map((entry) => shown(entry, 'cluster')).filter((place) => namesCluster(world, place))
        const stray = places.find((place) => place !== path.clusterId)
        return stray === undefined ? places.length > 0 || undefined : `a bucket of cluster ${stray}`
      },
      probe: (plan) => {
        const near = plan.cluster()
        const far = plan.cluster(({ id }) => id !== near.id, aFixture('clusters', 'a second cluster', { id: 'c2' }, 2))
        plan.make(buckets, { cluster: near.id })
        plan.make(buckets, { cluster: far.id, acl: 'public-read', cors_enabled: true })
        plan.check('buckets.list-in-cluster', { path: { clusterId: near.id } })
        plan.check('buckets.list-in-cluster', { path: { clusterId: far.id } })
      },
    },
  ],
  choices: [
    {
      id: 'buckets.list-in-cluster.envelope',
      text: 'What the buckets of a cluster come in.',
      source: `${endpoints}, no "(paginated)"`,
      values: ['array', 'collection', 'other'],
      observe: ({ reply }) =>
        Array.isArray(reply) ? 'array' : Array.isArray(shown(reply, 'data')) ? 'collection' : 'other',
    },
  ],
})

export const viewBucket = operation({
  id: 'buckets.view',
  area: 'object-storage',
  method: 'GET',
  path: bucketPath,
  reach: { in: 'object-storage', alone: true, lent: false },
  source: endpoints,
  summary: 'Shows one bucket.',
  scopes: ['object_storage:read_only'],
  params: onBucket,
  owned: ofOwner,
  reply: record(buckets),
  shows: 'bucket',
  draft: (plan) => ({ path: newBucket(plan) }),
  silences: commonSilences('buckets.view'),
})

export const deleteBucket = operation({
  id: 'buckets.delete',
  area: 'object-storage',
  method: 'DELETE',
  path: bucketPath,
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Deletes a bucket that holds no object.',
  scopes: ['object_storage:read_write'],
  params: onBucket,
  owned: ofOwner,
  reply: anything,
  removes: 'bucket',
  draft: (plan) => ({ path: newBucket(plan) }),
  refusals: [
    {
      id: 'buckets.delete.empty-first',
      source: `${endpoints}, DELETE /object-storage/buckets/{clusterId}/{bucket}`,
      text: 'A bucket is deleted only when no object is left in it.',
      when: ({ refs }) => refs.bucket.objects && refs.bucket.objects.length > 0,
      probe: (plan) => {
        plan.probe('buckets.delete', { path: fullBucket(plan).path })
        // One object is enough, be it in what looks like a folder.
        const one = plan.attempt(() => filledBucket(plan, 1))
        if (one) plan.probe('buckets.delete', { path: one.path })
        const label = plan.name()
        const path = newBucket(plan, { label })
        // A bucket that begins with that name is another.
        const longer = newBucket(plan, { cluster: path.clusterId, label: `${label}-b` })
        plan.twin('buckets.delete', { path })
        plan.check('buckets.view', { path: longer })
      },
    },
  ],
  silences: [
    {
      id: 'buckets.delete.certificate',
      source: endpoints,
      text: 'Whether a bucket can be deleted while it has a certificate is not said.',
      when: ({ refs }) => (refs.bucket.objects?.length ? false : refs.bucket.certificate),
      probe: (plan) => {
        const path = newBucket(plan)
        plan.call('bucket-certificates.upload', { path, body: plan.certificate() })
        plan.check('buckets.delete', { path })
        // Neither is it a certificate of the bucket that takes the name next.
        plan.check('buckets.create', { body: { cluster: path.clusterId, label: path.bucket } })
        plan.check('bucket-certificates.view', { path })
      },
    },
    ...commonSilences('buckets.delete'),
  ],
  apply: ({ world, refs }) => drop(world, buckets, refs.bucket.key),
})

export const bucketOperations = [listBuckets, createBucket, listBucketsInCluster, viewBucket, deleteBucket]
