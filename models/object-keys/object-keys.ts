// The five operations on object storage access keys: sections "Endpoints / Object Storage" and "Events" of the document.

import { commonSilences } from '../buckets/record.js'
import { ofWriters } from '../language/access.js'
import { drop, forget, patch } from '../language/changes.js'
import { known, or } from '../language/clause.js'
import { byId } from '../language/facts.js'
import { hashOf } from '../language/hash.js'
import { textsIn } from '../language/objects.js'
import { anything, operation, page, record } from '../language/operation.js'
import { inferredPaging } from '../language/pagination.js'
import { object, optional, text } from '../language/schema.js'
import { type Entity, find, type WireRecord } from '../language/world.js'
import { accessTo, endpoints, isPlainLabel, isTaken, keyId } from './common.js'
import { createObjectKey } from './create.js'
import { type ObjectKey, objectKeys } from './record.js'

export const listObjectKeys = operation({
  id: 'object-keys.list',
  area: 'object-storage',
  method: 'GET',
  path: '/object-storage/keys',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Lists the access keys of the account.',
  scopes: ['object_storage:read_only'],
  params: {},
  query: inferredPaging,
  reply: page(objectKeys, 'not-shown'),
  draft: () => ({}),
  silences: commonSilences('object-keys.list'),
  statements: [
    {
      ...noSecret('object-keys.list'),
      holds: ({ world, reply }) => {
        const { data } = (reply ?? {}) as { readonly data?: unknown }
        if (!Array.isArray(data)) return undefined
        const told = data.map((entry) => tellsSecret(find(world, objectKeys, byId((entry ?? {}) as WireRecord)), entry))
        return told.find((one) => typeof one === 'string') ?? (told.includes(true) ? true : undefined)
      },
      probe: (plan) => {
        plan.make(objectKeys)
        plan.check('object-keys.list', { query: { page_size: 500 } })
      },
    },
  ],
})

export const viewObjectKey = operation({
  id: 'object-keys.view',
  area: 'object-storage',
  method: 'GET',
  path: '/object-storage/keys/{keyId}',
  reach: { in: 'object-storage', alone: true, lent: false },
  source: endpoints,
  summary: 'Shows one access key.',
  scopes: ['object_storage:read_only'],
  params: keyId,
  reply: record(objectKeys),
  shows: 'keyId',
  draft: (plan) => ({ path: { keyId: plan.make(objectKeys).id } }),
  silences: commonSilences('object-keys.view'),
  statements: [
    {
      ...noSecret('object-keys.view'),
      holds: ({ refs, reply }) => tellsSecret(refs.keyId, reply),
      probe: (plan) => void plan.check('object-keys.view', { path: { keyId: plan.make(objectKeys).id } }),
    },
  ],
})

export const updateObjectKey = operation({
  id: 'object-keys.update',
  area: 'object-storage',
  method: 'PUT',
  path: '/object-storage/keys/{keyId}',
  reach: { in: 'object-storage', alone: false, lent: false },
  source: endpoints,
  summary: 'Changes the label of an access key.',
  scopes: ['object_storage:read_write'],
  params: keyId,
  owned: ofWriters,
  body: object({ label: optional(text()) }),
  reply: record(objectKeys),
  shows: 'keyId',
  emits: [
    {
      event: 'obj_access_key_update',
      // What changes nothing may be no update.
      when: ({ body, refs }) =>
        or(
          known(refs.keyId.label, body.label, (a, b) => a !== b),
          undefined,
        ),
      alone: 'should',
    },
  ],
  draft: (plan) => ({
    path: { keyId: plan.make(objectKeys, { bucket_access: [accessTo(plan, 'read_only')] }).id },
    body: { label: plan.name() },
  }),
  silences: [
    ...commonSilences('object-keys.update'),
    {
      id: 'object-keys.update.label-form',
      source: `${endpoints}, PUT /object-storage/keys/{keyId}`,
      text: 'Which characters a label may have, and how many, is not said.',
      fields: ['label'],
      when: ({ body }) => !isPlainLabel(body.label),
      probe: (plan) =>
        void plan.check('object-keys.update', {
          path: { keyId: plan.make(objectKeys).id },
          body: { label: plan.oddText(50) },
        }),
    },
    {
      id: 'object-keys.update.label-reused',
      source: `${endpoints}, PUT /object-storage/keys/{keyId}`,
      text: 'Whether two keys may have the same label, or a key be given the one it has, is not said.',
      when: ({ world, account, body }) => isTaken(world, account, body.label),
      probe: (plan) => {
        const first = plan.make(objectKeys)
        plan.check('object-keys.update', {
          path: { keyId: plan.make(objectKeys).id },
          body: { label: first.field('label') },
        })
      },
    },
    {
      id: 'object-keys.update.nothing',
      source: `${endpoints}, PUT /object-storage/keys/{keyId}`,
      text: 'Whether an update that changes nothing is refused is not said.',
      when: ({ body }) => body.label === undefined,
      probe: (plan) => void plan.check('object-keys.update', { path: { keyId: plan.make(objectKeys).id }, body: {} }),
    },
  ],
  statements: [
    {
      ...noSecret('object-keys.update'),
      holds: ({ refs, reply }) => tellsSecret(refs.keyId, reply),
      probe: (plan) =>
        void plan.check('object-keys.update', {
          path: { keyId: plan.make(objectKeys).id },
          body: { label: plan.name() },
        }),
    },
  ],
  // The row foresees the label alone; what a target makes of a bucket_access is not said.
  apply: ({ world, body, refs }) =>
    patch(
      'bucket_access' in body ? forget(world, objectKeys, refs.keyId.key, ['access']) : world,
      objectKeys,
      refs.keyId.key,
      body.label === undefined ? {} : { label: body.label },
    ),
})

export const deleteObjectKey = operation({
  id: 'object-keys.delete',
  area: 'object-storage',
  method: 'DELETE',
  path: '/object-storage/keys/{keyId}',
  reach: { in: 'object-storage', alone: true, lent: false },
  source: endpoints,
  summary: 'Revokes an access key.',
  scopes: ['object_storage:read_write'],
  params: keyId,
  owned: ofWriters,
  reply: anything,
  removes: 'keyId',
  emits: [{ event: 'obj_access_key_delete', alone: 'should' }],
  draft: (plan) => ({ path: { keyId: plan.make(objectKeys).id } }),
  silences: commonSilences('object-keys.delete'),
  apply: ({ world, refs }) => drop(world, objectKeys, refs.keyId.key),
})

/** That a secret is shown once is not in the document, but a secret that every reader gets is none. */
function noSecret(id: string) {
  return {
    id: `${id}.no-secret`,
    level: 'should' as const,
    source: `${endpoints}; by inference: a secret is not echoed`,
    text: 'The secret that the creation of a key showed is not shown again.',
  }
}

/** True where a reply about the key does not tell its secret; undefined where the secret was never shown. */
function tellsSecret(key: Entity<ObjectKey> | undefined, reply: unknown): true | string | undefined {
  if (key?.secretMark === undefined) return undefined
  return textsIn(reply).every((one) => hashOf(one) !== key.secretMark) || `key ${key.key} with its secret`
}

export const objectKeyOperations = [listObjectKeys, createObjectKey, viewObjectKey, updateObjectKey, deleteObjectKey]
