// The access settings of a bucket, by POST and by PUT: section "Endpoints / Object Storage", "Bucket access body".

import { forget, patch } from '../language/changes.js'
import { anything, operation } from '../language/operation.js'
import { boolean, object, oneOf, optional, without } from '../language/schema.js'
import { find } from '../language/world.js'
import { bucketPath, endpoints, newBucket, ofOwner, onBucket } from './common.js'
import { acls, type Bucket, buckets, commonSilences } from './record.js'

const source = `${endpoints}, "Bucket access body"`

/** The two calls differ in their method alone. */
const access = (id: string, method: 'POST' | 'PUT', summary: string) =>
  operation({
    id,
    area: 'object-storage',
    method,
    path: `${bucketPath}/access`,
    reach: { in: 'object-storage', alone: false, lent: false },
    source,
    summary,
    scopes: ['object_storage:read_write'],
    params: onBucket,
    owned: ofOwner,
    body: object({
      acl: optional(without(oneOf(...acls, 'custom'), 'bucket-owner-read')),
      cors_enabled: optional(boolean()),
    }),
    reply: anything,
    draft: (plan) => ({ path: newBucket(plan), body: { acl: 'public-read', cors_enabled: true } }),
    silences: [
      {
        id: `${id}.each-alone`,
        source,
        text: 'Whether acl and cors_enabled may each be given without the other is not said.',
        when: ({ body }) => (body.acl === undefined) !== (body.cors_enabled === undefined),
        probe: (plan) => {
          const path = newBucket(plan)
          plan.check(id, { path, body: { acl: 'public-read' } })
          for (const cors_enabled of [true, false]) plan.check(id, { path, body: { cors_enabled } })
        },
      },
      {
        id: `${id}.nothing`,
        source,
        text: 'Whether a call that sets neither acl nor cors_enabled is refused is not said.',
        when: ({ body }) => body.acl === undefined && body.cors_enabled === undefined,
        probe: (plan) => void plan.check(id, { path: newBucket(plan), body: {} }),
      },
      ...commonSilences(id),
    ],
    statements: [
      {
        id: `${id}.custom`,
        source,
        text: 'custom is among the ACLs that a bucket can be set to.',
        holds: ({ body }) => (body.acl === 'custom' ? true : undefined),
        probe: (plan) => void plan.check(id, { path: newBucket(plan), body: { acl: 'custom', cors_enabled: true } }),
      },
      {
        id: `${id}.cors-for-all-origins`,
        source,
        text: 'cors_enabled turns CORS on for all origins.',
        holds: () => undefined,
        unprobed: 'it shows only at the address of the bucket itself, which the document does not give',
      },
    ],
    // A member that is left out may stay as it is or be reset, and what custom does is not said: reads tell.
    apply: ({ world, body: { acl, cors_enabled }, refs: { bucket } }) => {
      const settled: Partial<Bucket> = {
        ...(acl !== undefined && acl !== 'custom' && { acl }),
        ...(cors_enabled !== undefined && { cors_enabled }),
      }
      const open = (['acl', 'cors_enabled', 'objectAcls'] as const).filter((field) => !(field in settled))
      return patch(forget(world, buckets, bucket.key, open), buckets, bucket.key, settled)
    },
    render: ({ after, body, refs }) => {
      const { acl, cors_enabled } = find(after, buckets, refs.bucket.key) ?? {}
      return { acl: body.acl ?? acl, cors_enabled }
    },
  })

export const allowBucketAccess = access(
  'bucket-access.allow',
  'POST',
  'Sets who may use a bucket and whether CORS is on.',
)
export const updateBucketAccess = access(
  'bucket-access.update',
  'PUT',
  'Changes who may use a bucket and whether CORS is on.',
)

export const bucketAccessOperations = [allowBucketAccess, updateBucketAccess]
