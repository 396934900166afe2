// Detaching a volume from its node: "Endpoints / Volumes".
import { lacksWrite, ofWriters } from '../language/access.js'
import { forget, patch } from '../language/changes.js'
import { known, or } from '../language/clause.js'
import { nodes } from '../language/facts.js'
import { empty, operation } from '../language/operation.js'
import { withTags } from '../language/reach.js'
import { find } from '../language/world.js'
import { calmNode, endpoints, isGranted, volumeId, volumePlaces } from './common.js'
import { grantedBoth, grantedVolume, lackingDetach, nodeWriter, otherNodes, pairsFor } from './grants.js'
import { volumes } from './record.js'

export const detachVolume = operation({
  id: 'volumes.detach',
  area: 'volumes',
  method: 'POST',
  path: '/volumes/{volumeId}/detach',
  reach: { in: 'volumes', alone: true, lent: 'volumes', concerns: withTags },
  source: endpoints,
  summary: 'Detaches a volume from its node.',
  scopes: ['volumes:read_write', 'nodes:read_write'],
  params: volumeId,
  places: volumePlaces,
  owned: ofWriters,
  reply: empty,
  draft: (plan) => {
    const attached = plan.make(volumes, { region: undefined, node_id: calmNode(plan).id, tags: [plan.tag()] })
    return { path: { volumeId: attached.id } }
  },
  // One that stands in no configuration profile is detached as well.
  full: (plan) => {
    const node = calmNode(plan)
    const path = { volumeId: plan.make(volumes, { region: node.region }).id }
    plan.call('volumes.attach', { path, body: { node_id: node.id, persist_across_boots: false } })
    return { path }
  },
  refusals: [
    {
      id: 'volumes.detach.volume-grant',
      source: 'Authentication, "attach and detach need read_write permission on both"',
      text: 'A restricted caller needs read_write on the volume.',
      when: ({ caller, refs }) => lacksWrite(caller, 'volumes', refs.volumeId),
      probe: (plan) => {
        const node = calmNode(plan)
        const as = nodeWriter(plan, node)
        const path = { volumeId: plan.make(volumes, { region: undefined, node_id: node.id }).id }
        plan.probe('volumes.detach', { path, as })
        plan.twin('volumes.detach', { path })
        for (const readable of pairsFor(plan, 'read_only', 'read_write').slice(0, 1)) lackingDetach(plan, readable)
      },
    },
    {
      id: 'volumes.detach.node-grant',
      source: 'Authentication, "attach and detach need read_write permission on both"',
      text: 'A restricted caller needs read_write on the node.',
      when: ({ world, caller, refs }) =>
        refs.volumeId.node_id === null ? false : lacksWrite(caller, 'nodes', find(world, nodes, refs.volumeId.node_id)),
      probe: (plan) => {
        const { volume, node, as } = grantedVolume(plan)
        const path = { volumeId: volume.id }
        plan.call('volumes.attach', { path, body: { node_id: node.id } })
        plan.probe('volumes.detach', { path, as })
        plan.twin('volumes.detach', { path })
        for (const other of otherNodes(plan, { node, as })) lackingDetach(plan, other)
      },
    },
  ],
  silences: [
    {
      id: 'volumes.detach.unattached',
      source: endpoints,
      text: 'Whether a volume that is not attached can be detached is not said.',
      when: ({ refs }) => known(refs.volumeId.node_id, null, (a) => a === null),
      probe: (plan) => void plan.check('volumes.detach', { path: { volumeId: plan.make(volumes).id } }),
    },
    {
      id: 'volumes.detach.busy',
      source: 'Volume status, "Transitions: not shown"',
      text: 'Whether a volume can be detached before it is active, while it migrates, or from a node under live migration is not said.',
      when: ({ world, refs }) =>
        or(
          refs.volumeId.migrating,
          known(refs.volumeId.status, 'active', (a, b) => a !== b),
          refs.volumeId.node_id ? find(world, nodes, refs.volumeId.node_id)?.liveMigration === true : false,
        ),
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes, { region: undefined, node_id: calmNode(plan).id }).id }
        plan.check('volumes.detach', { path, unsettled: true })
      },
    },
  ],
  statements: [
    {
      id: 'volumes.detach.granted',
      source: 'Authentication, "attach and detach need read_write permission on both"',
      text: 'A restricted caller with read_write on the volume and on the node detaches it.',
      holds: ({ world, caller, refs }) =>
        isGranted(caller, refs.volumeId, find(world, nodes, refs.volumeId.node_id ?? undefined)) || undefined,
      probe: (plan) => {
        const { volume, node, as } = grantedBoth(plan)
        plan.call('volumes.view', { path: { volumeId: volume.id } })
        plan.call('volumes.attach', { path: { volumeId: volume.id }, body: { node_id: node.id } })
        plan.check('volumes.detach', { path: { volumeId: volume.id }, as })
      },
    },
  ],
  // The reply shows no status, and which transitions there are is not shown.
  apply: ({ world, refs }) =>
    patch(forget(world, volumes, refs.volumeId.key, ['status']), volumes, refs.volumeId.key, {
      node_id: null,
      profile: null,
    }),
})
