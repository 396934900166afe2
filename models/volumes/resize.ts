// Resizing a volume: "Endpoints / Volumes" and "Volume status".
import { ofWriters } from '../language/access.js'
import { forget, patch } from '../language/changes.js'
import { known, or } from '../language/clause.js'
import { operation, record } from '../language/operation.js'
import { withTags } from '../language/reach.js'
import { integer, object } from '../language/schema.js'
import {
  calmNode,
  endpoints,
  grantedWrite,
  isBusy,
  isPlainSize,
  isResizing,
  keepsUpdated,
  largestPlain,
  needSize,
  sizeNow,
  volumeId,
  writeGrant,
} from './common.js'
import { type Volume, volumes } from './record.js'

export const resizeVolume = operation({
  id: 'volumes.resize',
  area: 'volumes',
  method: 'POST',
  path: '/volumes/{volumeId}/resize',
  reach: { in: 'volumes', alone: true, lent: 'volumes', concerns: withTags },
  source: endpoints,
  summary: 'Makes a volume larger.',
  scopes: ['volumes:read_write'],
  params: volumeId,
  owned: ofWriters,
  body: object({ size: integer() }),
  reply: record(volumes),
  shows: 'volumeId',
  draft: (plan) => {
    const size = 21 + plan.turn('volumes.resize')
    needSize(plan, size)
    return { path: { volumeId: plan.make(volumes, { tags: [plan.tag()] }).id }, body: { size } }
  },
  refusals: [
    // Comes first, so that it is told where the next two are broken as well: a status moves by itself, a size does not.
    {
      id: 'volumes.resize.only-up',
      source: 'Volume status, Resize; Errors, "resizing a volume down"',
      text: 'The new size is larger than the present one.',
      fields: ['size'],
      when: ({ body, refs }) => known(body.size, sizeNow(refs.volumeId), (a, b) => a <= b),
      probe: (plan) => {
        needSize(plan, 24)
        const path = { volumeId: plan.make(volumes, { size: 22 }).id }
        plan.probe('volumes.resize', { path, body: { size: 21 } })
        plan.probe('volumes.resize', { path, body: { size: 22 } })
        plan.twin('volumes.resize', { path, body: { size: 23 } })
        // The present size is the one that it was given last.
        plan.probe('volumes.resize', { path, body: { size: 23 } })
        plan.twin('volumes.resize', { path, body: { size: 24 } })
        plan.call('volumes.view', { path })
        // Fewer digits, and a higher first one: compared as text, 9 is more than 24. It may also be refused for being too small.
        plan.check('volumes.resize', { path, body: { size: 9 } })
        // Nor does a volume shrink that is attached and tagged, which may be refused for being attached.
        const rich = plan.richly(() => plan.make(volumes, { size: 22 }))
        if (rich) plan.check('volumes.resize', { path: { volumeId: rich.id }, body: { size: 21 } })
      },
    },
    {
      id: 'volumes.resize.active-only',
      source: 'Volume status, Resize; Errors, "cloning or resizing a volume whose status is not active"',
      text: 'Only a volume whose status is active is resized.',
      when: ({ refs }) => isBusy(refs.volumeId),
      probe: (plan) => {
        needSize(plan, 22)
        const path = { volumeId: plan.make(volumes).id }
        plan.probe('volumes.resize', { path, body: { size: 22 }, unsettled: true })
        plan.twin('volumes.resize', { path, body: { size: 22 } })
      },
    },
    {
      id: 'volumes.resize.active-only-resizing',
      source: 'Volume status, Resize; Errors, "cloning or resizing a volume whose status is not active"',
      text: 'A volume that is being resized is not resized again.',
      when: ({ refs }) => isResizing(refs.volumeId),
      probe: (plan) => {
        needSize(plan, 22)
        const path = { volumeId: plan.make(volumes).id }
        plan.call('volumes.resize', { path, body: { size: 21 } })
        plan.probe('volumes.resize', { path, body: { size: 22 }, unsettled: true })
        plan.twin('volumes.resize', { path, body: { size: 22 } })
      },
    },
    writeGrant(
      'volumes.resize',
      (plan) => plan.draft('volumes.resize'),
      // How large a volume is that the target file lends is not known before it is looked at.
      (plan, volumeId) => {
        const { exclusive, safety } = plan.environment
        if (!exclusive || safety.maxVolumeGiB < largestPlain) return undefined
        const size = plan.call('volumes.view', { path: { volumeId } }).field('size')
        return { body: { size: { ...size, plus: 1, most: safety.maxVolumeGiB } } }
      },
    ),
  ],
  silences: [
    grantedWrite('volumes.resize'),
    {
      id: 'volumes.resize.size-bounds',
      source: 'Limits, "Volume label"',
      text: 'The largest size of a volume is not shown.',
      unprobed: 'the largest size would be met by paying for it',
      when: ({ body }) => !isPlainSize(body.size),
    },
    {
      id: 'volumes.resize.migrating',
      source: 'Volume status, Resize',
      text: 'Whether a migrating or an attached volume can be resized is not said.',
      probe: (plan) => {
        const node = calmNode(plan)
        const path = { volumeId: plan.make(volumes, { region: node.region }).id }
        needSize(plan, 21)
        plan.call('volumes.attach', { path, body: { node_id: node.id } })
        plan.check('volumes.resize', { path, body: { size: 21 } })
      },
      when: ({ refs }) =>
        or(
          refs.volumeId.migrating,
          known(refs.volumeId.node_id, null, (a) => a !== null),
        ),
    },
  ],
  statements: [keepsUpdated('volumes.resize')],
  choices: [
    {
      id: 'volumes.resize.shown-status',
      text: 'Status in the reply to a resize.',
      source: 'Volume status',
      values: ['creating', 'active', 'resizing'],
      observe: ({ reply }) => (reply as Volume).status,
    },
  ],
  draws: () => ({ status: 'resizing' }),
  trails: ['size'],
  apply: ({ world, body, refs }) =>
    patch(forget(world, volumes, refs.volumeId.key, ['status']), volumes, refs.volumeId.key, {
      size: body.size,
      sizeBefore: refs.volumeId.size ?? null,
    }),
})
