// Cloning a volume: "Endpoints / Volumes" and "Volume status".

import { lacksGlobal, ofWriters } from '../language/access.js'
import { forget, put } from '../language/changes.js'
import { known, or } from '../language/clause.js'
import { aFixture, aToken, together } from '../language/needs.js'
import { operation, record } from '../language/operation.js'
import type { Plan } from '../language/plan.js'
import { isPlainName } from '../language/promises.js'
import { withTags } from '../language/reach.js'
import { object } from '../language/schema.js'
import { unseen } from '../language/unseen.js'
import {
  calmNode,
  createdNow,
  endpoints,
  isBusy,
  isGranted,
  isResizing,
  isTaken,
  label,
  needSize,
  restrictedUse,
  sizeNow,
  volumeId,
} from './common.js'
import { grantedBoth } from './grants.js'
import { type Volume, volumes } from './record.js'

export const cloneVolume = operation({
  id: 'volumes.clone',
  area: 'volumes',
  method: 'POST',
  path: '/volumes/{volumeId}/clone',
  reach: { in: 'volumes', alone: false, lent: 'volumes', concerns: withTags },
  source: endpoints,
  summary: 'Creates a volume of the same size and data.',
  scopes: ['volumes:read_write'],
  params: volumeId,
  owned: ofWriters,
  body: object({ label: label() }),
  reply: record(volumes),
  shows: 'made',
  makes: volumes,
  draft: (plan) => ({
    path: { volumeId: plan.make(volumes, { tags: [plan.tag()] }).id },
    body: { label: plan.name() },
  }),
  refusals: [
    {
      id: 'volumes.clone.add-volumes',
      source: `${endpoints}, POST /volumes/{volumeId}/clone; Authentication, "needs the add_volumes grant"`,
      text: 'A restricted user clones a volume only with the add_volumes grant.',
      when: ({ caller }) => lacksGlobal(caller, 'add_volumes'),
      probe: (plan) => {
        const { id, permission } = cloneable(plan)
        const as = plan.token({
          restricted: true,
          grant: { name: 'add_volumes', held: false },
          has: ['volumes:read_write'],
          permission,
        })
        const args = { path: { volumeId: id }, body: { label: plan.name() } }
        plan.probe('volumes.clone', { ...args, as })
        plan.twin('volumes.clone', args)
      },
    },
    {
      id: 'volumes.clone.active-only',
      source: 'Volume status, Clone; Errors, "cloning or resizing a volume whose status is not active"',
      text: 'Only a volume whose status is active is cloned.',
      when: ({ refs }) => isBusy(refs.volumeId),
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes).id }
        const body = { label: plan.name() }
        plan.probe('volumes.clone', { path, body, unsettled: true })
        plan.twin('volumes.clone', { path, body })
      },
    },
    {
      id: 'volumes.clone.active-only-resizing',
      source: 'Volume status, Clone; Errors, "cloning or resizing a volume whose status is not active"',
      text: 'A volume that is being resized is not cloned.',
      when: ({ refs }) => isResizing(refs.volumeId),
      probe: (plan) => {
        needSize(plan, 21)
        const path = { volumeId: plan.make(volumes).id }
        const body = { label: plan.name() }
        plan.call('volumes.resize', { path, body: { size: 21 } })
        plan.probe('volumes.clone', { path, body, unsettled: true })
        plan.twin('volumes.clone', { path, body })
      },
    },
  ],
  silences: [
    {
      id: 'volumes.clone.label-characters',
      source: 'Volume, label',
      text: 'Which characters a label may have is not said.',
      fields: ['label'],
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes).id }
        plan.check('volumes.clone', { path, body: { label: plan.oddText(32) } })
      },
      when: ({ body }) => !isPlainName(body.label),
    },
    {
      id: 'volumes.clone.label-reused',
      source: 'Volume, label',
      text: 'Whether two volumes may have the same label, be it one after the other, is not said.',
      fields: ['label'],
      probe: (plan) => {
        const { id, field } = plan.make(volumes)
        plan.check('volumes.clone', { path: { volumeId: id }, body: { label: field('label') } })
      },
      when: ({ world, account, body }) => isTaken(world, account, body.label),
    },
    {
      id: 'volumes.clone.busy',
      source: 'Volume status, Clone',
      text: 'Whether a migrating or an attached volume can be cloned is not said.',
      probe: (plan) => {
        const source = plan.make(volumes, { region: undefined, node_id: calmNode(plan).id })
        plan.check('volumes.clone', { path: { volumeId: source.id }, body: { label: plan.name() } })
      },
      when: ({ refs }) =>
        or(
          refs.volumeId.migrating,
          known(refs.volumeId.node_id, null, (a) => a !== null),
        ),
    },
    restrictedUse('volumes.clone'),
  ],
  statements: [
    unseen(
      'volumes.clone.same-data',
      'Volume status, Clone, "same size and data"',
      'The clone has the data of its source.',
      'no operation shows what is on a volume',
    ),
    unseen(
      'volumes.clone.vlan-support',
      'Errors, "to a data center without VLAN support"',
      'A clone to a data center without VLAN support does not start while a VLAN is attached.',
      'a clone names no data center, and no operation attaches a VLAN',
    ),
    createdNow('volumes.clone'),
    {
      id: 'volumes.clone.granted',
      source: `${endpoints}, POST /volumes/{volumeId}/clone; Authentication, "needs the add_volumes grant"`,
      text: 'A restricted user with the add_volumes grant, and read_write on the volume, clones it.',
      holds: ({ caller, refs }) => isGranted(caller, refs.volumeId) || undefined,
      probe: (plan) => {
        const { volume, as } = grantedBoth(plan, { name: 'add_volumes', held: true })
        plan.call('volumes.view', { path: { volumeId: volume.id } })
        plan.check('volumes.clone', { path: { volumeId: volume.id }, body: { label: plan.name() }, as })
      },
    },
    {
      id: 'volumes.clone.same-size',
      source: 'Volume status, Clone',
      text: 'The clone has the size of its source.',
      holds: ({ refs, reply }) => known(sizeNow(refs.volumeId), (reply as Volume).size, (a, b) => a === b),
      probe: (plan) => {
        needSize(plan, 23)
        const path = { volumeId: plan.make(volumes, { size: 22 }).id }
        plan.check('volumes.clone', { path, body: { label: plan.name() } })
        plan.call('volumes.resize', { path, body: { size: 23 } })
        plan.check('volumes.clone', { path, body: { label: plan.name() } })
      },
    },
  ],
  choices: [
    {
      id: 'volumes.clone.tags',
      text: 'Tags of a clone.',
      source: 'Volume status, Clone',
      values: ['kept', 'dropped'],
      observe: ({ refs, reply }) =>
        (reply as Volume).tags.length > 0 ? 'kept' : refs.volumeId.tags?.length ? 'dropped' : undefined,
    },
  ],
  draws: ({ refs }) => ({ region: refs.volumeId.region, tags: refs.volumeId.tags }),
  // The reply shows the clone; whether its source is busy for a while is not shown.
  apply: ({ world, body, refs, made, account, caller }) => {
    const size = sizeNow(refs.volumeId)
    return put(forget(world, volumes, refs.volumeId.key, ['status']), volumes, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      label: body.label,
      ...(size !== undefined && { size }),
      migrating: false,
    })
  },
})

/** A volume that a restricted user without add_volumes may use otherwise, so that the grant alone is lacking. */
const cloneable = (plan: Plan) => {
  const { fixtures, users } = plan.environment
  const lacking = users.filter(({ restricted, grants }) => restricted && !grants?.global?.includes('add_volumes'))
  const granted = fixtures.volumes?.find(
    ({ id, migrating }) => migrating !== true && lacking.some(({ grants }) => grants?.volumes?.[id] === 'read_write'),
  )
  plan.need(
    granted !== undefined,
    together(
      'a volume that is not migrating, with read_write for a restricted user without the add_volumes grant',
      aFixture('volumes', 'a volume'),
      aToken({
        restricted: true,
        grant: { name: 'add_volumes', held: false },
        has: ['volumes:read_write'],
        permission: [{ kind: 'volumes', id: 0, write: true }],
      }),
    ),
  )
  const { id } = granted ?? { id: 0 }
  return { id, permission: [{ kind: 'volumes' as const, id, write: true }] }
}
