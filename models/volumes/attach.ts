// Attaching a volume to a node: "Endpoints / Volumes", Volume attach body, and the limits of a node.

import { isOfAnother, lacksWrite, ofWriters } from '../language/access.js'
import { patch } from '../language/changes.js'
import { and, known, not, or } from '../language/clause.js'
import { nodeBeyond } from '../language/distance.js'
import type { NodeFixture } from '../language/environment.js'
import { nodes } from '../language/facts.js'
import { aNode, profiled } from '../language/needs.js'
import { operation, record } from '../language/operation.js'
import type { Args, Plan } from '../language/plan.js'
import { withTags } from '../language/reach.js'
import { boolean, integer, object, optional } from '../language/schema.js'
import { foreignNode } from '../language/strangers.js'
import { atLeast, find } from '../language/world.js'
import { calmNode, endpoints, hasConfig, isGranted, keepsUpdated, volumeId, volumePlaces } from './common.js'
import { attaching, calm, grantedBoth, grantedVolume, nodeWriter, otherNodes, pairsFor } from './grants.js'
import {
  fillProfile,
  isLarge,
  isMemoryFull,
  isNearFull,
  isOn,
  isProfileFull,
  isSmallFull,
  memoryProbe,
  mostVolumes,
  ownKey,
  profileLimit,
  ramLimit,
} from './limits.js'
import { volumes } from './record.js'

const unpersisted = { persist_across_boots: false }

/** What a body that attaches to a node may say of its profile: nothing, which one, or that the volume stays out of it. */
const ways: readonly ((node: Pick<NodeFixture, 'configs'>) => Readonly<Record<string, unknown>>)[] = [
  () => ({}),
  ({ configs }) => ({ config_id: configs?.[0] }),
  () => unpersisted,
]

/** The largest node and the last one of other regions than that of a node, where they are not the one that is taken already. */
const furtherBeyond = (plan: Plan, near: NodeFixture, far: NodeFixture): readonly NodeFixture[] => {
  const beyond = (plan.environment.fixtures.nodes ?? []).filter(
    (node) => node.region !== near.region && node.account === near.account && node.id !== far.id && calm(node),
  )
  const [largest] = beyond.toSorted((a, b) => (b.memoryGiB ?? 0) - (a.memoryGiB ?? 0))
  const last = beyond.findLast((node) => node !== largest)
  return [largest, last].flatMap((node) => node ?? [])
}

const largeNode = (plan: Plan): NodeFixture =>
  plan.node(
    (node) => calm(node) && (node.memoryGiB ?? 0) >= 16,
    aNode('a node with 16 GB of RAM and one configuration profile', { ...profiled, memoryGiB: 16 }),
  )

/** Attaches one volume more than a profile holds to a node that takes more past it, each within the profile or past it. */
const attachNine = (plan: Plan, isWithin: (isLast: boolean) => boolean): void => {
  const node = largeNode(plan)
  const made = Array.from({ length: profileLimit + 1 }, () => plan.make(volumes, { region: node.region }))
  for (const [i, volume] of made.entries()) {
    const isLast = i === profileLimit
    const body = { node_id: node.id, persist_across_boots: isWithin(isLast) }
    plan[isLast ? 'check' : 'call']('volumes.attach', { path: { volumeId: volume.id }, body })
  }
}

/** Whether a volume is not added to the profile of the node. */
const isPast = ({ persist_across_boots: persists }: { readonly persist_across_boots?: boolean }): boolean =>
  persists === false

export const attachVolume = operation({
  id: 'volumes.attach',
  area: 'volumes',
  method: 'POST',
  path: '/volumes/{volumeId}/attach',
  reach: { in: 'volumes', alone: false, lent: 'volumes', concerns: withTags },
  source: `${endpoints}, "Volume attach body"`,
  summary: 'Attaches a volume to a node.',
  scopes: ['volumes:read_write', 'nodes:read_write'],
  params: volumeId,
  places: volumePlaces,
  owned: ofWriters,
  body: object({
    node_id: integer({ ref: 'nodes' }),
    config_id: optional(integer()),
    persist_across_boots: optional(boolean()),
  }),
  reply: record(volumes),
  shows: 'volumeId',
  names: ({ body }) => [{ table: nodes, key: body.node_id }],
  draft: (plan) => {
    const node = calmNode(plan)
    const tagged = plan.make(volumes, { region: node.region, tags: [plan.tag()] })
    return { path: { volumeId: tagged.id }, body: { node_id: node.id } }
  },
  full: (plan) => {
    const node = calmNode(plan)
    return {
      path: { volumeId: plan.make(volumes, { region: node.region }).id },
      body: { node_id: node.id, config_id: node.configs?.[0], persist_across_boots: true },
    }
  },
  contest: (plan) => {
    const node = plan.node(calm, aNode('a node with one configuration profile', profiled))
    const attaching = (where: Readonly<Record<string, unknown>>): Args => ({
      path: { volumeId: plan.make(volumes, where).id },
      body: { node_id: node.id },
    })
    const rivals = [attaching({ region: node.region }), attaching({ region: node.region })] as const
    const others = Array.from({ length: profileLimit - 1 }, () => attaching({ region: undefined, node_id: node.id }))
    const [left] = others as [Args]
    // A creation on the node wants the place as well.
    const again = () => {
      plan.call('volumes.detach', { path: left.path ?? {} })
      return [
        ['volumes.create', { body: { label: plan.name(), node_id: node.id } }],
        ['volumes.attach', left],
      ] as const
    }
    return { rivals, again }
  },
  refusals: [
    {
      id: 'volumes.attach.same-region',
      source: `${endpoints}, "Volume attach body", node_id; Errors, "attaching a volume to a node in another region"`,
      text: 'A volume is attached only to a node in its own region.',
      fields: ['node_id'],
      orNone: true,
      when: ({ world, body, refs }) =>
        known(find(world, nodes, body.node_id)?.region, refs.volumeId.region, (a, b) => a !== b),
      probe: (plan) => {
        const near = calmNode(plan)
        const far = nodeBeyond(
          plan,
          near.region,
          calm,
          aNode('a node in a second region', { ...profiled, region: 'r2' }, 2),
        )
        const volume = plan.make(volumes, { region: near.region })
        // Each on another node where there are several: one may be let through for its size, or for what its region is called.
        const others = [far, ...furtherBeyond(plan, near, far)]
        for (const [i, way] of ways.entries()) {
          const node = others[i % others.length] ?? far
          plan.probe('volumes.attach', { path: { volumeId: volume.id }, body: { node_id: node.id, ...way(node) } })
        }
        // Nor is one that has only just been made, whether or not it may be attached before it is active.
        const tagged = plan.make(volumes, { region: near.region, tags: [plan.name()] })
        plan.check('volumes.attach', { path: { volumeId: tagged.id }, body: { node_id: far.id }, unsettled: true })
        // It is on another node of its own region while the volume is attached, and stays there.
        const other = plan.attempt(() => plan.node((n) => n.region === near.region && n.id !== near.id && calm(n)))
        if (other) plan.call('volumes.attach', { path: { volumeId: tagged.id }, body: { node_id: other.id } })
        plan.twin('volumes.attach', { path: { volumeId: volume.id }, body: { node_id: near.id } })
        if (other) plan.check('volumes.view', { path: { volumeId: tagged.id } })
        // Where others attach volumes too, only this tells that the node has room.
        const there = plan.environment.exclusive ? undefined : plan.make(volumes, { region: far.region })
        if (there) plan.twin('volumes.attach', { path: { volumeId: there.id }, body: { node_id: far.id } })
      },
    },
    {
      id: 'volumes.attach.volume-grant',
      source: `${endpoints}, "Volume attach body", node_id; Authentication, "attach and detach need read_write permission on both"`,
      text: 'A restricted caller needs read_write on the volume.',
      when: ({ caller, refs }) => lacksWrite(caller, 'volumes', refs.volumeId),
      probe: (plan) => {
        const node = calmNode(plan)
        const as = nodeWriter(plan, node)
        const args = { path: { volumeId: plan.make(volumes, { region: node.region }).id }, body: { node_id: node.id } }
        for (const way of ways) plan.probe('volumes.attach', { ...args, body: { ...args.body, ...way(node) }, as })
        for (const readable of pairsFor(plan, 'read_only', 'read_write').slice(0, 1))
          plan.probe('volumes.attach', attaching(readable))
        plan.twin('volumes.attach', args)
      },
    },
    {
      id: 'volumes.attach.node-grant',
      source: `${endpoints}, "Volume attach body", node_id; Authentication, "attach and detach need read_write permission on both"`,
      text: 'A restricted caller needs read_write on the node.',
      when: ({ world, caller, body }) => lacksWrite(caller, 'nodes', find(world, nodes, body.node_id)),
      probe: (plan) => {
        const { volume, node, as } = grantedVolume(plan)
        const args = { path: { volumeId: volume.id }, body: { node_id: node.id } }
        for (const way of ways) plan.probe('volumes.attach', { ...args, body: { ...args.body, ...way(node) }, as })
        for (const other of otherNodes(plan, { node, as })) plan.probe('volumes.attach', attaching(other))
        plan.twin('volumes.attach', args)
        plan.call('volumes.detach', { path: { volumeId: volume.id } })
      },
    },
    {
      id: 'volumes.attach.node-owned',
      source: `${endpoints}, "Volume attach body", node_id; Authentication, "attach and detach need read_write permission on both"`,
      text: 'Nobody has read_write on a node of another account.',
      fields: ['node_id'],
      orNone: true,
      instead: 'body.node_id.exists',
      when: ({ world, account, body }) => isOfAnother(find(world, nodes, body.node_id), account),
      probe: (plan) => {
        const theirs = foreignNode(plan)
        const own = plan.node(
          (node) => calm(node) && node.region === theirs.region,
          aNode('a node with one configuration profile in the region of a node of another account', profiled),
        )
        const path = { volumeId: plan.make(volumes, { region: own.region }).id }
        plan.probe('volumes.attach', { path, body: { node_id: theirs.id } })
        plan.twin('volumes.attach', { path, body: { node_id: own.id } })
      },
    },
    {
      id: 'volumes.attach.config-of-node',
      source: `${endpoints}, "Volume attach body", config_id`,
      text: 'A config_id names a configuration profile of the node.',
      fields: ['config_id', 'node_id'],
      when: ({ world, body, refs }) => {
        if (body.config_id === undefined) return false
        // It may be ignored past the profile, and where the node has the volume already.
        const isForeign = not(hasConfig(find(world, nodes, body.node_id), body.config_id))
        const isElsewhere = known(refs.volumeId.node_id, body.node_id, (a, b) => a !== b)
        return (isPast(body) || isElsewhere !== true) && isForeign ? undefined : isForeign
      },
      probe: (plan) => {
        const node = calmNode(plan)
        const other = plan.node(
          (n) => n.id !== node.id && (n.configs?.length ?? 0) > 0,
          aNode('a second node with a configuration profile', profiled, 2),
        )
        const path = { volumeId: plan.make(volumes, { region: node.region }).id }
        plan.probe('volumes.attach', { path, body: { node_id: node.id, config_id: other.configs?.[0] } })
        plan.twin('volumes.attach', { path, body: { node_id: node.id, config_id: node.configs?.[0] } })
      },
    },
    {
      id: 'volumes.attach.eight-per-node',
      source: 'Limits, "Volumes per node"',
      text: 'At most eight volumes are attached to a node through its configuration profile.',
      when: ({ world, account, body, refs }) =>
        isPast(body) ? false : isProfileFull(world, account, find(world, nodes, body.node_id), ownKey(refs.volumeId)),
      probe: (plan) => {
        const node = largeNode(plan)
        const last = plan.make(volumes, { region: node.region })
        const first = fillProfile(plan, node)
        plan.probe('volumes.attach', { path: { volumeId: last.id }, body: { node_id: node.id } })
        plan.probe('volumes.attach', {
          path: { volumeId: last.id },
          body: { node_id: node.id, config_id: node.configs?.[0] },
        })
        // Past the profile there is room, which the eight do not take.
        const past = { node_id: node.id, persist_across_boots: false }
        plan.check('volumes.attach', { path: { volumeId: last.id }, body: past })
        plan.call('volumes.detach', { path: { volumeId: last.id } })
        plan.call('volumes.detach', { path: { volumeId: first.id } })
        plan.twin('volumes.attach', {
          path: { volumeId: last.id },
          body: { node_id: node.id, persist_across_boots: true },
        })
      },
    },
    {
      id: 'volumes.attach.one-per-gigabyte',
      source: 'Limits, "Volumes per node"',
      text: 'Past the profile a node of 16 GB or more takes as many volumes as it has GB of RAM, and no more.',
      when: ({ world, account, body, refs }) => {
        const node = find(world, nodes, body.node_id)
        return isPast(body) ? and(not(isLarge(node)), isMemoryFull(world, account, node, ownKey(refs.volumeId))) : false
      },
      probe: (plan) => {
        const need = aNode('a node with 16 to 63 GB of RAM and one configuration profile', {
          ...profiled,
          memoryGiB: 16,
        })
        const first = memoryProbe(plan, (memory) => memory >= 16 && memory < mostVolumes, need)
        // One number for all such nodes shows only at a node of another memory.
        plan.attempt(() => memoryProbe(plan, (memory) => memory > first && memory < mostVolumes, need))
      },
    },
    {
      id: 'volumes.attach.eight-below-16',
      level: 'should',
      source: 'Limits, "Volumes per node"',
      text: 'The limit changes from 16 GB of RAM on: a node of less takes no more than eight volumes past the profile either.',
      when: ({ world, account, body, refs }) =>
        isPast(body) ? isSmallFull(world, account, find(world, nodes, body.node_id), ownKey(refs.volumeId)) : false,
      probe: (plan) =>
        memoryProbe(
          plan,
          (memory) => memory > 0 && memory < 16,
          aNode('a node with less than 16 GB of RAM and one configuration profile', { ...profiled, memoryGiB: 8 }),
        ),
    },
    {
      id: 'volumes.attach.sixty-four',
      source: 'Limits, "Volumes per node"',
      text: 'However much RAM it has, a node takes no more than 64 volumes past the profile.',
      when: ({ world, account, body, refs }) => {
        const node = find(world, nodes, body.node_id)
        return isPast(body) ? and(isLarge(node), isMemoryFull(world, account, node, ownKey(refs.volumeId))) : false
      },
      probe: (plan) =>
        memoryProbe(
          plan,
          (memory) => memory > mostVolumes,
          aNode('a node with more than 64 GB of RAM and one configuration profile', { ...profiled, memoryGiB: 96 }),
        ),
    },
  ],
  silences: [
    {
      id: 'volumes.attach.attached',
      source: endpoints,
      text: 'Whether a volume that is attached can be attached again is not said.',
      when: ({ refs }) => known(refs.volumeId.node_id, null, (a) => a !== null),
      probe: (plan) => {
        const node = calmNode(plan)
        const volume = plan.make(volumes, { region: undefined, node_id: node.id })
        plan.check('volumes.attach', { path: { volumeId: volume.id }, body: { node_id: node.id } })
      },
    },
    {
      id: 'volumes.attach.busy',
      source: 'Volume status, "Transitions: not shown"',
      text: 'Whether a volume can be attached before it is active, while it migrates, or to a node under live migration is not said.',
      when: ({ world, body, refs }) =>
        or(
          refs.volumeId.migrating,
          known(refs.volumeId.status, 'active', (a, b) => a !== b),
          find(world, nodes, body.node_id)?.liveMigration === true,
        ),
      probe: (plan) => {
        const node = calmNode(plan)
        const path = { volumeId: plan.make(volumes, { region: node.region }).id }
        plan.check('volumes.attach', { path, body: { node_id: node.id }, unsettled: true })
      },
    },
    {
      id: 'volumes.attach.config-selection',
      source: `${endpoints}, "Volume attach body", config_id`,
      text: 'What happens where the node has no profile, or several and none is named, is not said.',
      probe: (plan) => {
        const node = plan.node(
          ({ configs = [] }) => configs.length > 1,
          aNode('a node with several configuration profiles', { configs: [0, 1] }),
        )
        const path = { volumeId: plan.make(volumes, { region: node.region }).id }
        plan.check('volumes.attach', { path, body: { node_id: node.id } })
      },
      when: ({ world, body }) => {
        const configs = find(world, nodes, body.node_id)?.configs
        return body.config_id !== undefined ? false : configs && configs.length !== 1
      },
    },
    {
      id: 'volumes.attach.config-past-profile',
      source: `${endpoints}, "Volume attach body", persist_across_boots`,
      text: 'What a config_id means for a volume that is not added to the profile is not said.',
      probe: (plan) => {
        const { id, region, configs } = calmNode(plan)
        const path = { volumeId: plan.make(volumes, { region }).id }
        const body = { node_id: id, config_id: configs?.[0], persist_across_boots: false }
        plan.check('volumes.attach', { path, body })
      },
      when: ({ body }) => body.config_id !== undefined && isPast(body),
    },
    {
      id: 'volumes.attach.mixed-limit',
      source: 'Limits, "Volumes per node"',
      text: 'How volumes within and past the profile count together, and the limit past the profile below 16 GB, is not said.',
      probe: (plan) => attachNine(plan, (isLast) => isLast),
      when: ({ world, account, body }) => {
        const node = find(world, nodes, body.node_id)
        const limit = isPast(body) && node ? ramLimit(node) : undefined
        return limit !== undefined && limit >= 16 && node
          ? and(atLeast(world, volumes, account, limit, isOn(node)), not(isMemoryFull(world, account, node)))
          : and(
              isNearFull(world, account, node),
              not(isPast(body) ? isSmallFull(world, account, node) : isProfileFull(world, account, node)),
            )
      },
    },
  ],
  statements: [
    keepsUpdated('volumes.attach'),
    {
      id: 'volumes.attach.granted',
      source: `${endpoints}, "Volume attach body", node_id; Authentication, "attach and detach need read_write permission on both"`,
      text: 'A restricted caller with read_write on the volume and on the node attaches it.',
      holds: ({ world, caller, body, refs }) =>
        isGranted(caller, refs.volumeId, find(world, nodes, body.node_id)) || undefined,
      probe: (plan) => {
        const { volume, node, as } = grantedBoth(plan)
        plan.call('volumes.view', { path: { volumeId: volume.id } })
        plan.check('volumes.attach', { path: { volumeId: volume.id }, body: { node_id: node.id }, as })
        plan.call('volumes.detach', { path: { volumeId: volume.id } })
      },
    },
    {
      id: 'volumes.attach.more-past-profile',
      source: 'Limits, "Volumes per node"',
      text: 'Past the profile a node of 16 GB or more takes more than eight volumes.',
      holds: ({ world, account, body }) => {
        const node = find(world, nodes, body.node_id)
        return isPast(body) && node && (ramLimit(node) ?? 0) >= 16 && isNearFull(world, account, node) === true
          ? true
          : undefined
      },
      probe: (plan) => attachNine(plan, () => false),
    },
  ],
  trails: ['node_id'],
  apply: ({ world, body, refs }) =>
    patch(world, volumes, refs.volumeId.key, { node_id: body.node_id, profile: body.persist_across_boots !== false }),
})
