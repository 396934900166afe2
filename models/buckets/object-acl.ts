// The ACL of one object in a bucket, read and written: section "Endpoints / Object Storage".

import { patch } from '../language/changes.js'
import { known, type Ternary } from '../language/clause.js'
import { isObject } from '../language/objects.js'
import { anything, operation } from '../language/operation.js'
import { object, oneOf, optional, text, without } from '../language/schema.js'
import { bucketPath, endpoints, fullBucket, newBucket, ofOwner, onBucket } from './common.js'
import { acls, buckets, commonSilences } from './record.js'

const objectAcls: readonly unknown[] = [...acls, 'custom']

const isThere = (objects: readonly string[] | undefined, name: string): Ternary => objects?.includes(name)

export const viewObjectAcl = operation({
  id: 'object-acl.view',
  area: 'object-storage',
  method: 'GET',
  path: `${bucketPath}/object-acl`,
  reach: { in: 'object-storage', alone: true, lent: 'looks' },
  source: endpoints,
  summary: 'Shows the ACL of an object.',
  scopes: ['object_storage:read_only'],
  params: onBucket,
  owned: ofOwner,
  query: object({ name: optional(text()) }),
  reply: anything,
  draft: (plan) => {
    const bucket = fullBucket(plan)
    return { path: bucket.path, query: { name: bucket.objects[0] ?? '' } }
  },
  silences: [
    {
      id: 'object-acl.view.no-name',
      source: `${endpoints}, GET …/object-acl`,
      text: 'Whether the name of the object is required is not said.',
      when: ({ query }) => query.name === undefined || query.name === '',
      probe: (plan) => void plan.check('object-acl.view', { path: fullBucket(plan).path }),
    },
    {
      id: 'object-acl.view.no-object',
      source: `${endpoints}, GET …/object-acl`,
      text: 'What is answered for an object that does not exist is not said.',
      when: ({ query, refs }) => {
        const there = query.name === undefined ? true : isThere(refs.bucket.objects, query.name)
        return there === undefined ? undefined : !there
      },
      probe: (plan) => void plan.check('object-acl.view', { path: newBucket(plan), query: { name: 'nothing.txt' } }),
    },
    ...commonSilences('object-acl.view'),
  ],
  statements: [
    {
      id: 'object-acl.view.of-object',
      source: `${endpoints}, GET …/object-acl`,
      text: 'The ACL that is returned is that of the object named.',
      holds: ({ query, reply, refs }) => {
        const seen = isObject(reply) ? reply.acl : typeof reply === 'string' ? reply : undefined
        const acl = query.name === undefined ? undefined : refs.bucket.objectAcls?.[query.name]
        return objectAcls.includes(seen) ? known(acl, seen, (a, b) => a === b) : undefined
      },
      probe: (plan) => {
        const { path, objects } = fullBucket(plan, 2)
        const [name = '', other = ''] = objects
        for (const one of [name, other])
          plan.restore('object-acl.update', { path, body: { acl: 'private', name: one } })
        // The last one is not what an object has whose ACL was lost.
        for (const acl of acls) {
          plan.call('object-acl.update', { path, body: { acl, name } })
          plan.check('object-acl.view', { path, query: { name } })
        }
        plan.call('object-acl.update', { path, body: { acl: 'authenticated-read', name: other } })
        plan.check('object-acl.view', { path, query: { name } })
        plan.check('object-acl.view', { path, query: { name: other } })
        // Nor does a change of the first one reach those after it.
        plan.call('object-acl.update', { path, body: { acl: 'public-read', name } })
        plan.check('object-acl.view', { path, query: { name: other } })
      },
    },
  ],
  choices: [
    {
      id: 'object-acl.view.member',
      text: 'Whether the ACL comes in a member acl.',
      source: `${endpoints}, "All endpoints"`,
      values: [true, false],
      observe: ({ reply }) => isObject(reply) && objectAcls.includes(reply.acl),
    },
  ],
  render: ({ query, refs }) => ({ acl: refs.bucket.objectAcls?.[query.name ?? ''] ?? 'private' }),
})

export const updateObjectAcl = operation({
  id: 'object-acl.update',
  area: 'object-storage',
  method: 'PUT',
  path: `${bucketPath}/object-acl`,
  reach: { in: 'object-storage', alone: false, lent: 'objects' },
  source: endpoints,
  summary: 'Sets the ACL of an object.',
  scopes: ['object_storage:read_write'],
  params: onBucket,
  owned: ofOwner,
  body: object({ acl: without(oneOf(...acls, 'custom'), 'bucket-owner-read'), name: text() }),
  reply: anything,
  // From another ACL to private; private is also how the fixture's object is left.
  draft: (plan) => {
    const { path, objects } = fullBucket(plan)
    const [name] = objects
    plan.restore('object-acl.update', { path, body: { acl: 'private', name } })
    plan.call('object-acl.update', { path, body: { acl: 'authenticated-read', name } })
    return { path, body: { acl: 'private', name } }
  },
  silences: [
    {
      id: 'object-acl.update.no-object',
      source: `${endpoints}, PUT …/object-acl`,
      text: 'Whether an ACL can be set for an object that does not exist is not said.',
      when: ({ body, refs }) => {
        if (body.name === undefined) return false
        const there = isThere(refs.bucket.objects, body.name)
        return there === undefined ? undefined : !there
      },
      probe: (plan) =>
        void plan.check('object-acl.update', { path: newBucket(plan), body: { acl: 'private', name: 'nothing.txt' } }),
    },
    ...commonSilences('object-acl.update'),
  ],
  statements: [
    {
      id: 'object-acl.update.custom',
      source: `${endpoints}, "Object ACL update uses the same acl enum including custom"`,
      text: 'custom is among the ACLs that an object can be set to.',
      holds: ({ body }) => (body.acl === 'custom' ? true : undefined),
      probe: (plan) => {
        const { path, objects } = fullBucket(plan)
        plan.restore('object-acl.update', { path, body: { acl: 'private', name: objects[0] } })
        plan.check('object-acl.update', { path, body: { acl: 'custom', name: objects[0] } })
      },
    },
  ],
  unshown: 'object-acl.view.of-object asks for it',
  looks: ({ body }) =>
    typeof body.name === 'string' ? [{ operation: 'object-acl.view', query: { name: body.name } }] : [],
  // What custom stands for is not said, so the object's ACL is then unknown.
  apply: ({ world, body: { acl, name }, refs: { bucket } }) => {
    const { [name]: _, ...others } = bucket.objectAcls ?? {}
    return patch(world, buckets, bucket.key, {
      objectAcls: { ...others, ...(acl !== 'custom' && isThere(bucket.objects, name) === true && { [name]: acl }) },
    })
  },
  render: ({ body: { acl } }) => ({ acl }),
})

export const objectAclOperations = [viewObjectAcl, updateObjectAcl]
