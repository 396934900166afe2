// Volumes listed, viewed and deleted: sections "Volume", "Volume status" and "Endpoints / Volumes" of the document.

import { ofWriters } from '../language/access.js'
import { drop } from '../language/changes.js'
import { known } from '../language/clause.js'
import { empty, operation, page, record } from '../language/operation.js'
import { withTags } from '../language/reach.js'
import { anyValue, integer, object, optional } from '../language/schema.js'
import { unseen } from '../language/unseen.js'
import { find } from '../language/world.js'
import { mentionTags, releaseTags } from '../tags/record.js'
import { attachVolume } from './attach.js'
import { cloneVolume } from './clone.js'
import {
  calmNode,
  doesNotGoBack,
  endpoints,
  grantedWrite,
  isNoEarlier,
  keepsUpdated,
  onlyExclusive,
  restrictedUse,
  volumeId,
  writeGrant,
} from './common.js'
import { createVolume } from './create.js'
import { detachVolume } from './detach.js'
import { type Volume, volumes } from './record.js'
import { resizeVolume } from './resize.js'
import { updateVolume } from './update.js'

const paging = object({ page: optional(integer()), page_size: optional(integer()) })
/** What a page of one volume would be is not said, so that any text may be passed over. */
const viewPaging = object({ page: optional(anyValue()), page_size: optional(anyValue()) })

export const listVolumes = operation({
  id: 'volumes.list',
  area: 'volumes',
  method: 'GET',
  path: '/volumes',
  reach: { in: 'volumes', alone: false, lent: 'looks', concerns: withTags },
  source: endpoints,
  summary: 'Lists the volumes of the account.',
  scopes: ['volumes:read_only'],
  params: {},
  query: paging,
  reply: page(volumes, 'not-shown'),
  draft: () => ({}),
  silences: [restrictedUse('volumes.list')],
  statements: [
    {
      id: 'volumes.list.heeds-page-size',
      level: 'should',
      source: `${endpoints}, GET /volumes; Limits, "Pagination"`,
      text: 'A page holds no more volumes than the page_size that was asked for, where that is a standard one of 25 to 500.',
      holds: ({ query, reply }) => {
        const { page_size: size } = query
        const { data } = (reply ?? {}) as { readonly data?: unknown }
        if (typeof size !== 'number' || size < 25 || size > 500 || !Array.isArray(data)) return undefined
        return data.length <= size || `${data.length} volumes on a page of ${size}`
      },
      probe: (plan) => void plan.check('volumes.list', { query: { page_size: 25 } }),
    },
    {
      id: 'volumes.list.updated',
      source: 'Volume, updated',
      text: doesNotGoBack,
      holds: ({ world, reply }) => {
        const { data } = (reply ?? {}) as { readonly data?: unknown }
        const records = (Array.isArray(data) ? data : []) as readonly (Partial<Volume> | null)[]
        const told = records.map((one) => isNoEarlier(find(world, volumes, one?.id)?.updated, one?.updated))
        const early = records[told.indexOf(false)]
        return early ? `volume ${early.id} with updated ${early.updated}` : told.includes(true) || undefined
      },
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes).id }
        plan.call('volumes.update', { path, body: { label: plan.name() } })
        plan.check('volumes.list')
      },
    },
  ],
})

export const viewVolume = operation({
  id: 'volumes.view',
  area: 'volumes',
  method: 'GET',
  path: '/volumes/{volumeId}',
  reach: { in: 'volumes', alone: true, lent: 'looks', concerns: withTags },
  source: endpoints,
  summary: 'Shows one volume.',
  scopes: ['volumes:read_only'],
  params: volumeId,
  query: viewPaging,
  reply: record(volumes),
  shows: 'volumeId',
  draft: (plan) => ({ path: { volumeId: plan.make(volumes).id } }),
  silences: [restrictedUse('volumes.view')],
  statements: [
    keepsUpdated('volumes.view', (plan) => {
      const path = { volumeId: plan.make(volumes).id }
      plan.call('volumes.update', { path, body: { label: plan.name() } })
      plan.check('volumes.view', { path })
    }),
    {
      id: 'volumes.view.detached-from-deleted',
      source: 'Volume status, Detach',
      text: 'A volume is detached by itself from a node that is deleted.',
      holds: ({ refs, reply }) =>
        refs.volumeId.since?.node_id?.by === 'hook deleteNode' && refs.volumeId.node_id === null
          ? (reply as Volume).node_id === null
          : undefined,
      unprobed:
        'a node is deleted at the end of a run alone, where the target file is exclusive and has the hooks deleteNode and reset',
    },
  ],
})

export const deleteVolume = operation({
  id: 'volumes.delete',
  area: 'volumes',
  method: 'DELETE',
  path: '/volumes/{volumeId}',
  reach: { in: 'volumes', alone: true, lent: 'volumes' },
  source: endpoints,
  summary: 'Deletes a volume for good.',
  scopes: ['volumes:read_write'],
  params: volumeId,
  owned: ofWriters,
  reply: empty,
  removes: 'volumeId',
  draft: (plan) => ({ path: { volumeId: plan.make(volumes).id } }),
  refusals: [
    {
      id: 'volumes.delete.migrating',
      source: 'Volume status, Delete; Errors, "deleting a migrating volume"',
      text: 'A volume that is migrating is not deleted.',
      when: ({ refs }) => (refs.volumeId.stub ? undefined : refs.volumeId.migrating),
      probe: (plan) => {
        const lent = plan.attempt(() => plan.volumeFixture((v) => v.migrating === true))
        const { id } = plan.make(volumes)
        if (!lent) plan.hook('setVolumeMigrating', id, true)
        plan.probe('volumes.delete', { path: { volumeId: lent?.id ?? id } })
        if (!lent) plan.hook('setVolumeMigrating', id, false)
        plan.twin('volumes.delete', { path: { volumeId: id } })
      },
    },
    writeGrant(
      'volumes.delete',
      (plan) => plan.draft('volumes.delete'),
      (plan) => onlyExclusive(plan, {}),
    ),
  ],
  silences: [
    grantedWrite('volumes.delete'),
    {
      id: 'volumes.delete.attached',
      source: 'Volume status, Delete',
      text: 'Whether a volume can be deleted while it is attached is not said.',
      when: ({ refs }) => known(refs.volumeId.node_id, null, (a) => a !== null),
      probe: (plan) =>
        void plan.check('volumes.delete', {
          path: { volumeId: plan.make(volumes, { region: undefined, node_id: calmNode(plan).id }).id },
        }),
    },
    {
      id: 'volumes.delete.busy',
      source: 'Volume status, "Transitions: not shown"',
      text: 'Whether a volume can be deleted before it is active is not said.',
      when: ({ refs }) => known(refs.volumeId.status, 'active', (a, b) => a !== b),
      probe: (plan) =>
        void plan.check('volumes.delete', { path: { volumeId: plan.make(volumes).id }, unsettled: true }),
    },
  ],
  statements: [
    unseen(
      'volumes.delete.irreversible',
      'Volume status, Delete, "irreversible"',
      'A deletion cannot be taken back.',
      'no operation brings back what was deleted',
    ),
    unseen(
      'volumes.delete.billing',
      'Volume status, Delete, "billing stops"',
      'Billing stops with the deletion.',
      'no reply shows charges',
    ),
  ],
  apply: ({ world, account, refs }) =>
    drop(
      releaseTags(mentionTags(world, account, refs.volumeId.tags), account, refs.volumeId.tags),
      volumes,
      refs.volumeId.key,
    ),
})

export const volumeOperations = [
  listVolumes,
  createVolume,
  viewVolume,
  updateVolume,
  deleteVolume,
  attachVolume,
  detachVolume,
  cloneVolume,
  resizeVolume,
]
