// The nine volume operations: sections "Volume", "Volume status", "Endpoints / Volumes" and "Limits" of the document.
import { isRestricted, lacksGlobal, lacksWrite, type Principal } from './access.js'
import { and, known, not, or, type Ternary } from './clause.js'
import { empty, operation, page, record, ref } from './operation.js'
import type { Plan } from './plan.js'
import { arePlainTags, isPlainName } from './promises.js'
import { anyValue, array, boolean, integer, object, optional, text } from './schema.js'
import type { NodeFixture } from './setting.js'
import { nodes } from './tables/facts.js'
import { mentionTags, releaseTags } from './tables/tags.js'
import { momentOf, type Volume, volumes } from './tables/volumes.js'
import { attaching, calm, grantedBoth, grantedVolume, lackingDetach, otherNodes, pairsFor } from './volume-grants.js'
import { atLeast, drop, type Entity, exists, find, forget, live, patch, put, type World } from './world.js'

const endpoints = 'Endpoints / Volumes'
const paging = object({ page: optional(integer()), page_size: optional(integer()) })
/** What a page of one volume would be is not said, so that any text may be passed over. */
const viewPaging = object({ page: optional(anyValue()), page_size: optional(anyValue()) })
const label = () => text({ min: 1, max: 32 })
const volumeId = { volumeId: ref(volumes) }

/** Sizes in GiB that any target takes: the default and somewhat more; neither bound is shown. */
const isPlainSize = (size: number | undefined): boolean => size === undefined || (size >= 20 && size <= 40)

const isTaken = (world: World, account: string | undefined, name: string | undefined): Ternary =>
  name === undefined
    ? false
    : exists(world, volumes, account, (volume) => known(volume.label, name, (a, b) => a === b), name)

const profileLimit = 8
const mostVolumes = 64
const ramLimit = (node: Entity<NodeFixture>): number | undefined =>
  node.memoryGiB === undefined ? undefined : Math.min(node.memoryGiB, mostVolumes)

type Node = Entity<NodeFixture> | undefined

/** Whether a volume is attached to the node; the one that is to be attached does not stand in its own way. */
const isOn = (node: Entity<NodeFixture>, except?: string) => (volume: Entity<Volume>) =>
  volume.key === except ? false : volume.node_id === undefined ? undefined : volume.node_id === node.id

/** Whether eight volumes are attached to the node through its profile. */
const isProfileFull = (world: World, account: string | undefined, node: Node, except?: string): Ternary =>
  node &&
  atLeast(world, volumes, account, profileLimit, (volume) =>
    and(isOn(node, except)(volume), volume.profile === undefined ? undefined : volume.profile === true),
  )

/** Whether any reading of the limits could count the node as full: eight or more volumes attached in whatever way. */
const isNearFull = (world: World, account: string | undefined, node: Node): Ternary =>
  node ? atLeast(world, volumes, account, profileLimit, isOn(node)) : false

/** Whether as many volumes as the node has GB of RAM, or 64, are attached past the profile. */
const isMemoryFull = (world: World, account: string | undefined, node: Node, except?: string): Ternary => {
  const limit = node && ramLimit(node)
  if (!node || limit === undefined) return undefined
  if (limit < 16) return false
  return atLeast(world, volumes, account, limit, (volume) =>
    and(isOn(node, except)(volume), volume.profile === undefined ? undefined : volume.profile === false),
  )
}

const isLarge = (node: Node): Ternary => node && known(node.memoryGiB, mostVolumes, (a, b) => a >= b)

const hasConfig = (node: Entity<NodeFixture> | undefined, config: number): Ternary => node?.configs?.includes(config)

/** A target may keep the first of several alone. */
const twoTags = (plan: Plan): readonly string[] => [plan.tag(), plan.tag()]

const calmNode = (plan: Plan) => plan.node(calm, 'a node with one configuration profile and no live migration')

export const listVolumes = operation({
  id: 'volumes.list',
  area: 'volumes',
  method: 'GET',
  path: '/volumes',
  source: endpoints,
  summary: 'Lists the volumes of the account.',
  scopes: ['volumes:read_only'],
  params: {},
  query: paging,
  reply: page(volumes, 'not-shown'),
  draft: () => ({}),
  silences: [restrictedUse('volumes.list')],
})

export const createVolume = operation({
  id: 'volumes.create',
  area: 'volumes',
  method: 'POST',
  path: '/volumes',
  source: `${endpoints}, "Volume create body"`,
  summary: 'Creates a volume, attached to a node or not.',
  scopes: ['volumes:read_write'],
  params: {},
  body: object({
    label: label(),
    size: optional(integer()),
    region: optional(text({ ref: 'regions' })),
    node_id: optional(integer({ ref: 'nodes' })),
    config_id: optional(integer()),
    tags: optional(array(text())),
  }),
  reply: record(volumes),
  shows: 'made',
  makes: volumes,
  names: ({ body }) => (body.node_id === undefined ? [] : [{ table: nodes, key: body.node_id }]),
  draft: (plan) => ({ body: { label: plan.name(), size: 20, region: plan.region().id } }),
  full: (plan) => {
    const node = calmNode(plan)
    // Not the default, where that may be.
    const size = plan.setting.safety.maxVolumeGiB > 20 ? 21 : 20
    return {
      body: { label: plan.name(), size, node_id: node.id, config_id: node.configs?.[0], tags: twoTags(plan) },
    }
  },
  refusals: [
    {
      id: 'volumes.create.add-volumes',
      source: `${endpoints}, POST /volumes; Authentication`,
      text: 'A restricted user creates a volume only with the add_volumes grant.',
      when: ({ caller }) => lacksGlobal(caller, 'add_volumes'),
      probe: (plan) => {
        const draft = plan.draft('volumes.create')
        const as = plan.token({
          restricted: true,
          grant: { name: 'add_volumes', held: false },
          has: ['volumes:read_write'],
        })
        const granted = plan.token({
          restricted: true,
          grant: { name: 'add_volumes', held: true },
          has: ['volumes:read_write'],
        })
        plan.probe('volumes.create', { ...draft, as })
        plan.twin('volumes.create', { ...draft, as: granted })
      },
    },
    {
      id: 'volumes.create.region-or-node',
      source: `${endpoints}, "Volume create body", region`,
      text: 'Without a node_id a region is required.',
      fields: ['region', 'node_id'],
      when: ({ body }) => body.region === undefined && body.node_id === undefined,
      probe: (plan) => {
        const { id, region } = calmNode(plan)
        const name = plan.name()
        plan.probe('volumes.create', { body: { label: name } })
        plan.twin('volumes.create', { body: { label: name, region } })
        plan.twin('volumes.create', { body: { label: plan.name(), node_id: id } })
        plan.twin('volumes.create', { body: { label: plan.name(), node_id: id, region } })
      },
    },
    {
      id: 'volumes.create.config-of-node',
      source: `${endpoints}, "Volume create body", config_id`,
      text: 'A config_id belongs to the node given by node_id.',
      fields: ['config_id', 'node_id'],
      when: ({ world, body }) =>
        body.config_id === undefined || body.node_id === undefined
          ? false
          : not(hasConfig(find(world, nodes, body.node_id), body.config_id)),
      probe: (plan) => {
        const node = calmNode(plan)
        const other = plan.node(
          (n) => n.id !== node.id && (n.configs?.length ?? 0) > 0,
          'a second node with a configuration profile',
        )
        const name = plan.name()
        plan.probe('volumes.create', { body: { label: name, node_id: node.id, config_id: other.configs?.[0] } })
        plan.twin('volumes.create', { body: { label: name, node_id: node.id, config_id: node.configs?.[0] } })
      },
    },
    {
      id: 'volumes.create.selectable-config',
      source: `${endpoints}, "Volume create body", config_id; Errors`,
      text: 'Creation with a node_id fails where no configuration profile can be selected for the attachment.',
      when: ({ world, body }) => {
        const node = body.node_id === undefined ? undefined : find(world, nodes, body.node_id)
        return body.node_id === undefined
          ? false
          : body.config_id === undefined
            ? node?.configs && node.configs.length === 0
            : false
      },
      probe: (plan) => {
        const bare = plan.node(
          (n) => n.configs?.length === 0 && n.liveMigration !== true,
          'a node without configuration profiles',
        )
        const node = calmNode(plan)
        const name = plan.name()
        plan.probe('volumes.create', { body: { label: name, node_id: bare.id } })
        plan.twin('volumes.create', { body: { label: name, node_id: node.id } })
      },
    },
    {
      id: 'volumes.create.eight-per-node',
      source: 'Limits, "Volumes per node"',
      text: 'At most eight volumes are attached to a node through its configuration profile.',
      when: ({ world, account, body }) =>
        body.node_id === undefined ? false : isProfileFull(world, account, find(world, nodes, body.node_id)),
      probe: (plan) => {
        const node = calmNode(plan)
        const created = Array.from({ length: profileLimit }, () =>
          plan.make(volumes, { region: undefined, node_id: node.id }),
        )
        const name = plan.name()
        plan.probe('volumes.create', { body: { label: name, node_id: node.id } })
        plan.probe('volumes.create', { body: { label: name, node_id: node.id, config_id: node.configs?.[0] } })
        // What one node holds is nothing to another.
        const others = (plan.setting.fixtures.nodes ?? []).filter(
          (other) => other.id !== node.id && other.account === node.account && calm(other),
        )
        for (const { id } of others.slice(0, 1))
          plan.twin('volumes.create', { body: { label: plan.name(), node_id: id } })
        plan.call('volumes.detach', { path: { volumeId: (created[0] as (typeof created)[0]).id } })
        plan.twin('volumes.create', { body: { label: name, node_id: node.id } })
      },
    },
  ],
  silences: [
    {
      id: 'volumes.create.label-characters',
      source: 'Volume, label',
      text: 'Which characters a label may have is not said.',
      when: ({ body }) => !isPlainName(body.label),
      probe: (plan) =>
        void plan.check('volumes.create', {
          body: { ...plan.draft('volumes.create').body, label: `${plan.name()} Ä` },
        }),
    },
    {
      id: 'volumes.create.label-reused',
      source: 'Volume, label',
      text: 'Whether two volumes may have the same label is not said.',
      when: ({ world, account, body }) => isTaken(world, account, body.label),
      probe: (plan) => {
        const first = plan.make(volumes)
        plan.check('volumes.create', { body: { ...plan.draft('volumes.create').body, label: first.field('label') } })
      },
    },
    {
      id: 'volumes.create.size-bounds',
      source: 'Limits, "Volume label"',
      text: 'The smallest and the largest size of a volume are not shown.',
      when: ({ body }) => !isPlainSize(body.size),
      probe: (plan) => void plan.check('volumes.create', { body: { ...plan.draft('volumes.create').body, size: 1 } }),
    },
    {
      id: 'volumes.create.tag-characters',
      source: 'Volume, tags',
      text: 'Which tags a volume may carry, and how many, is not said.',
      when: ({ body }) => !arePlainTags(body.tags),
      probe: (plan) =>
        void plan.check('volumes.create', { body: { ...plan.draft('volumes.create').body, tags: ['A b'] } }),
    },
    {
      id: 'volumes.create.region-beside-node',
      source: `${endpoints}, "Volume create body", region`,
      text: 'What happens when both region and node_id are given and they disagree is not said.',
      probe: (plan) => {
        const node = calmNode(plan)
        const other = plan.region(({ id }) => id !== node.region, 'a second region')
        plan.check('volumes.create', { body: { label: plan.name(), region: other.id, node_id: node.id } })
      },
      when: ({ world, body }) =>
        body.node_id === undefined || body.region === undefined
          ? false
          : known(find(world, nodes, body.node_id)?.region, body.region, (a, b) => a !== b),
    },
    {
      id: 'volumes.create.config-without-node',
      source: `${endpoints}, "Volume create body", config_id`,
      text: 'What a config_id without a node_id means is not said.',
      probe: (plan) => {
        const { body } = plan.draft('volumes.create')
        plan.check('volumes.create', { body: { ...body, config_id: calmNode(plan).configs?.[0] } })
      },
      when: ({ body }) => body.config_id !== undefined && body.node_id === undefined,
    },
    {
      id: 'volumes.create.config-selection',
      source: `${endpoints}, "Volume create body", config_id`,
      text: 'How a profile is selected where the node has several and none is named is not said.',
      probe: (plan) => {
        const { id } = plan.node(
          (node) => (node.configs?.length ?? 0) > 1,
          'a node with several configuration profiles',
        )
        plan.check('volumes.create', { body: { label: plan.name(), node_id: id } })
      },
      when: ({ world, body }) => {
        const node = body.node_id === undefined ? undefined : find(world, nodes, body.node_id)
        if (body.node_id === undefined || body.config_id !== undefined) return false
        return node?.configs && node.configs.length > 1
      },
    },
    {
      id: 'volumes.create.busy-node',
      source: `${endpoints}, "Volume create body", node_id`,
      text: 'Whether a volume can be attached to a node under live migration, or beside volumes past the profile, is not said.',
      probe: (plan) => {
        const { id } = plan.node((node) => node.liveMigration === true, 'a node under live migration')
        plan.check('volumes.create', { body: { label: plan.name(), node_id: id } })
      },
      when: ({ world, account, body }) => {
        const node = body.node_id === undefined ? undefined : find(world, nodes, body.node_id)
        if (body.node_id === undefined) return false
        const besides = and(isNearFull(world, account, node), not(isProfileFull(world, account, node)))
        return or(node?.liveMigration === true, besides)
      },
    },
    {
      id: 'volumes.create.node-grant',
      source: 'Authentication, "Permission rules beyond scopes"',
      text: 'Whether a restricted user needs a grant on the node to create a volume on it, or to tag, is not said.',
      unprobed: 'whether a restricted user lacks what it takes cannot be told, so neither answer shows it',
      when: ({ caller, body }) =>
        body.node_id === undefined && body.tags === undefined ? false : lacksWrite(caller, 'nodes', undefined),
    },
  ],
  statements: [
    {
      id: 'volumes.create.default-size',
      source: `${endpoints}, "Volume create body", size; Limits`,
      text: 'Without a size the volume has 20 GB.',
      holds: ({ body, reply }) => (body.size === undefined ? (reply as Volume).size === 20 : undefined),
      probe: (plan) => void plan.check('volumes.create', { body: { label: plan.name(), region: plan.region().id } }),
    },
    {
      id: 'volumes.create.unattached',
      source: `${endpoints}, "Volume create body", node_id`,
      text: 'Without a node_id the volume is created unattached.',
      holds: ({ body, reply }) => (body.node_id === undefined ? (reply as Volume).node_id === null : undefined),
      probe: (plan) => void plan.check('volumes.create', plan.draft('volumes.create')),
    },
    {
      id: 'volumes.create.attached',
      source: `${endpoints}, "Volume create body", node_id`,
      text: 'With a node_id the volume is attached to that node.',
      holds: ({ body, reply }) => (body.node_id === undefined ? undefined : (reply as Volume).node_id === body.node_id),
      probe: (plan) => {
        const near = calmNode(plan)
        const far = (plan.setting.fixtures.nodes ?? []).filter(
          (node) => node.region !== near.region && node.account === near.account && calm(node),
        )
        for (const { id } of [near, ...far.slice(0, 1)])
          plan.check('volumes.create', { body: { label: plan.name(), node_id: id } })
      },
    },
  ],
  choices: [
    {
      id: 'volumes.create.first-status',
      text: 'Status in the reply to a creation.',
      source: 'Volume status',
      observe: ({ reply }) => (reply as Volume).status,
    },
    {
      id: 'volumes.create.hardware',
      text: 'Hardware type that a new volume gets.',
      source: 'Volume, hardware_type',
      observe: ({ reply }) => (reply as Volume).hardware_type,
    },
  ],
  apply: ({ world, body, made, account, caller }) => {
    const node = body.node_id === undefined ? undefined : find(world, nodes, body.node_id)
    // Where the two disagree, or might, the reply tells.
    const isClear = body.node_id === undefined || body.region === undefined || body.region === node?.region
    const region = isClear ? (node?.region ?? body.region) : undefined
    return put(mentionTags(world, account, body.tags), volumes, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      label: body.label,
      size: body.size ?? 20,
      ...(region !== undefined && { region }),
      node_id: body.node_id ?? null,
      profile: body.node_id === undefined ? null : true,
      // Which tags a volume has that is given none is not said.
      ...(body.tags && { tags: body.tags }),
      migrating: false,
    })
  },
})

export const viewVolume = operation({
  id: 'volumes.view',
  area: 'volumes',
  method: 'GET',
  path: '/volumes/{volumeId}',
  source: endpoints,
  summary: 'Shows one volume.',
  scopes: ['volumes:read_only'],
  params: volumeId,
  query: viewPaging,
  undecided: { 'refusal.field': 'its parameters may hold anything' },
  reply: record(volumes),
  shows: 'volumeId',
  draft: (plan) => ({ path: { volumeId: plan.make(volumes).id } }),
  silences: [restrictedUse('volumes.view')],
  statements: [
    {
      id: 'volumes.view.detached-from-deleted',
      source: 'Volume status, Detach',
      text: 'A volume is detached by itself from a node that is deleted.',
      holds: ({ refs, reply }) =>
        refs.volumeId.since?.node_id?.by === 'hook deleteNode' && refs.volumeId.node_id === null
          ? (reply as Volume).node_id === null
          : undefined,
      unprobed: 'a node is deleted at the end of a run alone, where the target file has the hooks deleteNode and reset',
    },
  ],
})

export const updateVolume = operation({
  id: 'volumes.update',
  area: 'volumes',
  method: 'PUT',
  path: '/volumes/{volumeId}',
  source: endpoints,
  summary: 'Changes the label and the tags of a volume.',
  scopes: ['volumes:read_write'],
  params: volumeId,
  body: object({ label: optional(label()), tags: optional(array(text())) }),
  reply: record(volumes),
  shows: 'volumeId',
  draft: (plan) => ({ path: { volumeId: plan.make(volumes).id }, body: { label: plan.name(), tags: twoTags(plan) } }),
  silences: [
    {
      id: 'volumes.update.label-characters',
      source: 'Volume, label',
      text: 'Which characters a label may have is not said.',
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes).id }
        plan.check('volumes.update', { path, body: { label: `${plan.name()} Ä` } })
      },
      when: ({ body }) => body.label !== undefined && !isPlainName(body.label),
    },
    {
      id: 'volumes.update.label-reused',
      source: 'Volume, label',
      text: 'Whether two volumes may have the same label is not said.',
      probe: (plan) => {
        const label = plan.make(volumes).field('label')
        plan.check('volumes.update', { path: { volumeId: plan.make(volumes).id }, body: { label } })
      },
      when: ({ world, account, body }) => isTaken(world, account, body.label),
    },
    {
      id: 'volumes.update.tag-characters',
      source: 'Volume, tags',
      text: 'Which tags a volume may carry, and how many, is not said.',
      probe: (plan) =>
        void plan.check('volumes.update', { path: { volumeId: plan.make(volumes).id }, body: { tags: ['A b'] } }),
      when: ({ body }) => !arePlainTags(body.tags),
    },
    {
      id: 'volumes.update.nothing',
      source: endpoints,
      text: 'Whether an update that changes nothing is refused is not said.',
      probe: (plan) => void plan.check('volumes.update', { path: { volumeId: plan.make(volumes).id }, body: {} }),
      when: ({ body }) => body.label === undefined && body.tags === undefined,
    },
    {
      id: 'volumes.update.busy',
      source: 'Volume status, "Transitions: not shown"',
      text: 'Whether a volume can be changed before it is active, while it migrates or while it is attached is not said.',
      when: ({ refs }) =>
        or(
          refs.volumeId.migrating,
          known(refs.volumeId.node_id, null, (a) => a !== null),
          known(refs.volumeId.status, 'active', (a, b) => a !== b),
        ),
    },
    restrictedUse('volumes.update'),
  ],
  draws: (_, dice) => ({ updated: dice.now() }),
  statements: [
    {
      id: 'volumes.update.updated',
      source: 'Volume, updated',
      text: 'updated is the time of the last update: not before anything that is known to have happened earlier.',
      slow: true,
      holds: ({ world, account, reply }) => {
        const { updated } = reply as Volume
        const latest = latestMoment(world, account, updated)
        return (
          latest === undefined ||
          momentOf(latest) <= momentOf(updated) + slackMs(latest, updated) ||
          `updated ${updated}, after ${latest}`
        )
      },
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes).id }
        plan.later(1600)
        // Its creation tells the target's time.
        plan.make(volumes)
        plan.check('volumes.update', { path, body: { label: plan.name() } })
      },
    },
  ],
  apply: ({ world, account, body, refs }) => {
    const { tags: before } = refs.volumeId
    const mentioned = mentionTags(world, account, before, body.tags)
    return patch(
      forget(
        releaseTags(mentioned, account, before, body.tags),
        volumes,
        refs.volumeId.key,
        body.tags ? ['updated'] : ['updated', 'tags'],
      ),
      volumes,
      refs.volumeId.key,
      {
        ...(body.label !== undefined && { label: body.label }),
        ...(body.tags && { tags: body.tags }),
      },
    )
  },
})

export const deleteVolume = operation({
  id: 'volumes.delete',
  area: 'volumes',
  method: 'DELETE',
  path: '/volumes/{volumeId}',
  source: endpoints,
  summary: 'Deletes a volume for good.',
  scopes: ['volumes:read_write'],
  params: volumeId,
  reply: empty,
  removes: 'volumeId',
  draft: (plan) => ({ path: { volumeId: plan.make(volumes).id } }),
  refusals: [
    {
      id: 'volumes.delete.migrating',
      source: 'Volume status, Delete; Errors',
      text: 'A volume that is migrating is not deleted.',
      when: ({ refs }) => (refs.volumeId.stub ? undefined : refs.volumeId.migrating),
      probe: (plan) => {
        const volume = plan.volumeFixture((v) => v.migrating === true, 'a volume that is migrating')
        plan.probe('volumes.delete', { path: { volumeId: volume.id } })
        plan.twin('volumes.delete', { path: { volumeId: plan.make(volumes).id } })
      },
    },
  ],
  silences: [
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
    },
    restrictedUse('volumes.delete'),
  ],
  apply: ({ world, account, refs }) =>
    drop(
      releaseTags(mentionTags(world, account, refs.volumeId.tags), account, refs.volumeId.tags),
      volumes,
      refs.volumeId.key,
    ),
})

export const attachVolume = operation({
  id: 'volumes.attach',
  area: 'volumes',
  method: 'POST',
  path: '/volumes/{volumeId}/attach',
  source: `${endpoints}, "Volume attach body"`,
  summary: 'Attaches a volume to a node.',
  scopes: ['volumes:read_write', 'nodes:read_write'],
  params: volumeId,
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
  refusals: [
    {
      id: 'volumes.attach.same-region',
      source: `${endpoints}, "Volume attach body", node_id; Errors`,
      text: 'A volume is attached only to a node in its own region.',
      fields: ['node_id', 'region', 'volumeId', 'volume_id'],
      when: ({ world, body, refs }) =>
        known(find(world, nodes, body.node_id)?.region, refs.volumeId.region, (a, b) => a !== b),
      probe: (plan) => {
        const near = calmNode(plan)
        const far = plan.node((n) => n.region !== near.region && calm(n), 'a node in a second region')
        const volume = plan.make(volumes, { region: near.region })
        const [config] = far.configs ?? []
        for (const how of [{}, { config_id: config }, { persist_across_boots: false }])
          plan.probe('volumes.attach', { path: { volumeId: volume.id }, body: { node_id: far.id, ...how } })
        plan.twin('volumes.attach', { path: { volumeId: volume.id }, body: { node_id: near.id } })
      },
    },
    {
      id: 'volumes.attach.volume-grant',
      source: `${endpoints}, "Volume attach body", node_id; Authentication`,
      text: 'A restricted caller needs read_write on the volume.',
      when: ({ caller, refs }) => lacksWrite(caller, 'volumes', refs.volumeId),
      probe: (plan) => {
        const node = calmNode(plan)
        const as = plan.token(
          {
            restricted: true,
            has: ['volumes:read_write', 'nodes:read_write'],
            permission: [{ kind: 'nodes', id: node.id, write: true }],
          },
          'a token of a restricted user with read_write on a node',
        )
        const args = { path: { volumeId: plan.make(volumes, { region: node.region }).id }, body: { node_id: node.id } }
        plan.probe('volumes.attach', { ...args, as })
        plan.probe('volumes.attach', { ...args, body: { ...args.body, persist_across_boots: false }, as })
        for (const readable of pairsFor(plan, 'read_only', 'read_write').slice(0, 1))
          plan.probe('volumes.attach', attaching(readable))
        plan.twin('volumes.attach', args)
      },
    },
    {
      id: 'volumes.attach.node-grant',
      source: `${endpoints}, "Volume attach body", node_id; Authentication`,
      text: 'A restricted caller needs read_write on the node.',
      when: ({ world, caller, body }) => lacksWrite(caller, 'nodes', find(world, nodes, body.node_id)),
      probe: (plan) => {
        const { volume, node, as } = grantedVolume(plan)
        const args = { path: { volumeId: volume.id }, body: { node_id: node.id } }
        plan.probe('volumes.attach', { ...args, as })
        plan.probe('volumes.attach', { ...args, body: { ...args.body, persist_across_boots: false }, as })
        for (const other of otherNodes(plan, { node, as })) plan.probe('volumes.attach', attaching(other))
        plan.twin('volumes.attach', args)
        plan.call('volumes.detach', { path: { volumeId: volume.id } })
      },
    },
    {
      id: 'volumes.attach.config-of-node',
      source: `${endpoints}, "Volume attach body", config_id`,
      text: 'A config_id names a configuration profile of the node.',
      fields: ['config_id', 'node_id'],
      when: ({ world, body }) =>
        body.config_id === undefined ? false : not(hasConfig(find(world, nodes, body.node_id), body.config_id)),
      probe: (plan) => {
        const node = calmNode(plan)
        const other = plan.node(
          (n) => n.id !== node.id && (n.configs?.length ?? 0) > 0,
          'a second node with a configuration profile',
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
        body.persist_across_boots === false
          ? false
          : isProfileFull(world, account, find(world, nodes, body.node_id), refs.volumeId.key),
      probe: (plan) => {
        const node = plan.node(
          (n) => calm(n) && (n.memoryGiB ?? 0) >= 16,
          'a node with 16 GB of RAM and one configuration profile',
        )
        const created = Array.from({ length: profileLimit + 1 }, () => plan.make(volumes, { region: node.region }))
        const last = created.pop() as (typeof created)[0]
        for (const volume of created)
          plan.call('volumes.attach', { path: { volumeId: volume.id }, body: { node_id: node.id } })
        plan.probe('volumes.attach', { path: { volumeId: last.id }, body: { node_id: node.id } })
        plan.call('volumes.detach', { path: { volumeId: (created[0] as typeof last).id } })
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
        return body.persist_across_boots === false
          ? and(not(isLarge(node)), isMemoryFull(world, account, node, refs.volumeId.key))
          : false
      },
      probe: (plan) =>
        memoryProbe(
          plan,
          (memory) => memory >= 16 && memory < mostVolumes,
          'a node with 16 to 63 GB of RAM and one configuration profile',
        ),
    },
    {
      id: 'volumes.attach.sixty-four',
      source: 'Limits, "Volumes per node"',
      text: 'However much RAM it has, a node takes no more than 64 volumes past the profile.',
      when: ({ world, account, body, refs }) => {
        const node = find(world, nodes, body.node_id)
        return body.persist_across_boots === false
          ? and(isLarge(node), isMemoryFull(world, account, node, refs.volumeId.key))
          : false
      },
      probe: (plan) =>
        memoryProbe(
          plan,
          (memory) => memory > mostVolumes,
          'a node with more than 64 GB of RAM and one configuration profile',
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
    },
    {
      id: 'volumes.attach.config-selection',
      source: `${endpoints}, "Volume attach body", config_id`,
      text: 'What happens where the node has no profile, or several and none is named, is not said.',
      probe: (plan) => {
        const node = plan.node(({ configs = [] }) => configs.length > 1, 'a node with several configuration profiles')
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
      when: ({ body }) => body.config_id !== undefined && body.persist_across_boots === false,
    },
    {
      id: 'volumes.attach.mixed-limit',
      source: 'Limits, "Volumes per node"',
      text: 'How volumes within and past the profile count together, and the limit past the profile below 16 GB, is not said.',
      unprobed: 'it takes more volumes on one node than a run makes',
      when: ({ world, account, body }) => {
        const node = find(world, nodes, body.node_id)
        const limit = body.persist_across_boots === false && node ? ramLimit(node) : undefined
        return limit !== undefined && limit >= 16 && node
          ? and(atLeast(world, volumes, account, limit, isOn(node)), not(isMemoryFull(world, account, node)))
          : and(isNearFull(world, account, node), not(isProfileFull(world, account, node)))
      },
    },
  ],
  statements: [
    {
      id: 'volumes.attach.granted',
      source: `${endpoints}, "Volume attach body", node_id; Authentication`,
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
        return body.persist_across_boots === false &&
          node &&
          (ramLimit(node) ?? 0) >= 16 &&
          isNearFull(world, account, node) === true
          ? true
          : undefined
      },
      probe: (plan) => {
        const node = plan.node(
          (n) => calm(n) && (n.memoryGiB ?? 0) >= 16,
          'a node with 16 GB of RAM and one configuration profile',
        )
        const made = Array.from({ length: profileLimit + 1 }, () => plan.make(volumes, { region: node.region }))
        for (const [i, volume] of made.entries())
          plan[i === profileLimit ? 'check' : 'call']('volumes.attach', {
            path: { volumeId: volume.id },
            body: { node_id: node.id, persist_across_boots: false },
          })
      },
    },
  ],
  apply: ({ world, body, refs }) =>
    patch(world, volumes, refs.volumeId.key, { node_id: body.node_id, profile: body.persist_across_boots !== false }),
})

export const detachVolume = operation({
  id: 'volumes.detach',
  area: 'volumes',
  method: 'POST',
  path: '/volumes/{volumeId}/detach',
  source: endpoints,
  summary: 'Detaches a volume from its node.',
  scopes: ['volumes:read_write', 'nodes:read_write'],
  params: volumeId,
  reply: empty,
  draft: (plan) => {
    const attached = plan.make(volumes, { region: undefined, node_id: calmNode(plan).id, tags: [plan.tag()] })
    return { path: { volumeId: attached.id } }
  },
  refusals: [
    {
      id: 'volumes.detach.volume-grant',
      source: 'Authentication, "Permission rules beyond scopes"',
      text: 'A restricted caller needs read_write on the volume.',
      when: ({ caller, refs }) => lacksWrite(caller, 'volumes', refs.volumeId),
      probe: (plan) => {
        const node = calmNode(plan)
        const as = plan.token(
          {
            restricted: true,
            has: ['volumes:read_write', 'nodes:read_write'],
            permission: [{ kind: 'nodes', id: node.id, write: true }],
          },
          'a token of a restricted user with read_write on a node',
        )
        const path = { volumeId: plan.make(volumes, { region: undefined, node_id: node.id }).id }
        plan.probe('volumes.detach', { path, as })
        plan.twin('volumes.detach', { path })
        for (const readable of pairsFor(plan, 'read_only', 'read_write').slice(0, 1)) lackingDetach(plan, readable)
      },
    },
    {
      id: 'volumes.detach.node-grant',
      source: 'Authentication, "Permission rules beyond scopes"',
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
    },
  ],
  statements: [
    {
      id: 'volumes.detach.granted',
      source: 'Authentication, "Permission rules beyond scopes"',
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

export const cloneVolume = operation({
  id: 'volumes.clone',
  area: 'volumes',
  method: 'POST',
  path: '/volumes/{volumeId}/clone',
  source: endpoints,
  summary: 'Creates a volume of the same size and data.',
  scopes: ['volumes:read_write'],
  params: volumeId,
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
      source: `${endpoints}, POST /volumes/{volumeId}/clone; Authentication`,
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
      source: 'Volume status, Clone; Errors',
      text: 'Only a volume whose status is active is cloned.',
      when: ({ refs }) => known(refs.volumeId.status, 'active', (a, b) => a !== b),
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes).id }
        const body = { label: plan.name() }
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
      probe: (plan) => {
        const path = { volumeId: plan.make(volumes).id }
        plan.check('volumes.clone', { path, body: { label: `${plan.name()} Ä` } })
      },
      when: ({ body }) => !isPlainName(body.label),
    },
    {
      id: 'volumes.clone.label-reused',
      source: 'Volume, label',
      text: 'Whether two volumes may have the same label is not said.',
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
    {
      id: 'volumes.clone.granted',
      source: `${endpoints}, POST /volumes/{volumeId}/clone; Authentication`,
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
      holds: ({ refs, reply }) => known(refs.volumeId.size, (reply as Volume).size, (a, b) => a === b),
      probe: (plan) => {
        plan.need(plan.setting.safety.maxVolumeGiB > 20, 'safety.maxVolumeGiB above 20')
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
      observe: ({ refs, reply }) =>
        (reply as Volume).tags.length > 0 ? 'kept' : refs.volumeId.tags?.length ? 'dropped' : undefined,
    },
  ],
  draws: ({ refs }) => ({ region: refs.volumeId.region, tags: refs.volumeId.tags }),
  // The reply shows the clone; whether its source is busy for a while is not shown.
  apply: ({ world, body, refs, made, account, caller }) =>
    put(forget(world, volumes, refs.volumeId.key, ['status']), volumes, {
      key: made,
      account,
      ...(caller.user && { maker: caller.user.name }),
      label: body.label,
      ...(refs.volumeId.size !== undefined && { size: refs.volumeId.size }),
      migrating: false,
    }),
})

export const resizeVolume = operation({
  id: 'volumes.resize',
  area: 'volumes',
  method: 'POST',
  path: '/volumes/{volumeId}/resize',
  source: endpoints,
  summary: 'Makes a volume larger.',
  scopes: ['volumes:read_write'],
  params: volumeId,
  body: object({ size: integer() }),
  reply: record(volumes),
  shows: 'volumeId',
  draft: (plan) => {
    plan.need(plan.setting.safety.maxVolumeGiB > 20, 'safety.maxVolumeGiB above 20')
    return { path: { volumeId: plan.make(volumes, { tags: [plan.tag()] }).id }, body: { size: 21 } }
  },
  refusals: [
    {
      id: 'volumes.resize.active-only',
      source: 'Volume status, Resize; Errors',
      text: 'Only a volume whose status is active is resized.',
      when: ({ refs }) => known(refs.volumeId.status, 'active', (a, b) => a !== b),
      probe: (plan) => {
        plan.need(plan.setting.safety.maxVolumeGiB > 20, 'safety.maxVolumeGiB above 20')
        const path = { volumeId: plan.make(volumes).id }
        plan.probe('volumes.resize', { path, body: { size: 22 }, unsettled: true })
        plan.twin('volumes.resize', { path, body: { size: 22 } })
      },
    },
    {
      id: 'volumes.resize.only-up',
      source: 'Volume status, Resize; Errors',
      text: 'The new size is larger than the present one.',
      fields: ['size'],
      when: ({ body, refs }) => known(body.size, refs.volumeId.size, (a, b) => a <= b),
      probe: (plan) => {
        plan.need(plan.setting.safety.maxVolumeGiB > 20, 'safety.maxVolumeGiB above 20')
        const path = { volumeId: plan.make(volumes, { size: 22 }).id }
        plan.probe('volumes.resize', { path, body: { size: 21 } })
        plan.probe('volumes.resize', { path, body: { size: 22 } })
        plan.twin('volumes.resize', { path, body: { size: 23 } })
        // The present size is the one that it was given last.
        plan.probe('volumes.resize', { path, body: { size: 23 } })
        plan.twin('volumes.resize', { path, body: { size: 24 } })
        plan.call('volumes.view', { path })
      },
    },
  ],
  silences: [
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
        const path = { volumeId: plan.make(volumes, { region: undefined, node_id: calmNode(plan).id }).id }
        plan.need(plan.setting.safety.maxVolumeGiB > 20, 'safety.maxVolumeGiB above 20')
        plan.check('volumes.resize', { path, body: { size: 21 } })
      },
      when: ({ refs }) =>
        or(
          refs.volumeId.migrating,
          known(refs.volumeId.node_id, null, (a) => a !== null),
        ),
    },
    restrictedUse('volumes.resize'),
  ],
  choices: [
    {
      id: 'volumes.resize.shown-status',
      text: 'Status in the reply to a resize.',
      source: 'Volume status',
      observe: ({ reply }) => (reply as Volume).status,
    },
  ],
  draws: () => ({ status: 'resizing' }),
  apply: ({ world, body, refs }) =>
    patch(forget(world, volumes, refs.volumeId.key, ['status']), volumes, refs.volumeId.key, {
      size: body.size,
      ...(refs.volumeId.size !== undefined && { sizeBefore: refs.volumeId.size }),
    }),
})

/** What a restricted user may do with a volume by this operation is not among the permission rules. */
function restrictedUse(id: string) {
  return {
    id: `${id}.restricted`,
    source: 'Authentication, "Permission rules beyond scopes"',
    text: 'Which grant on the volume a restricted user needs for this is not said; read_write is the most there is.',
    when: ({ caller, refs }: { readonly caller: Principal; readonly refs: { readonly volumeId?: Entity<Volume> } }) =>
      lacksWrite(caller, 'volumes', refs.volumeId),
    unprobed: 'whether a restricted user lacks what it takes cannot be told, so neither answer shows it',
  }
}

/** A volume that a restricted user without add_volumes may use otherwise, so that the grant alone is lacking; else a new one. */
const cloneable = (plan: Plan) => {
  const { fixtures, users } = plan.setting
  const lacking = users.filter(({ restricted, grants }) => restricted && !grants?.global?.includes('add_volumes'))
  const granted = fixtures.volumes?.find(
    ({ id, migrating }) => migrating !== true && lacking.some(({ grants }) => grants?.volumes?.[id] === 'read_write'),
  )
  return granted
    ? { id: granted.id, permission: [{ kind: 'volumes' as const, id: granted.id, write: true }] }
    : { id: plan.make(volumes).id, permission: [] }
}

/** By how much the clocks of a target's machines may differ; where one time is told finer than the other, it may be cut. */
const slackMs = (one: string, other: string): number => (one.includes('.') === other.includes('.') ? 500 : 1000)

/** The latest time that a volume is known to have been made or changed at, of those that are written as this one is. */
function latestMoment(world: World, account: string | undefined, like: string): string | undefined {
  const hasOffset = (time: string): boolean => /[Zz]|[+-]\d\d:?\d\d$/.test(time.slice(10))
  return live(world, volumes, account)
    .flatMap(({ created, updated }) => [created, updated])
    .filter((time) => time !== undefined && !Number.isNaN(momentOf(time)) && hasOffset(time) === hasOffset(like))
    .reduce((a, b) => (a === undefined || (b !== undefined && momentOf(b) > momentOf(a)) ? b : a), undefined)
}

/** Whether the caller is restricted, and may write what the call is about. */
function isGranted(
  caller: Principal,
  volume: Entity<Volume>,
  ...on: readonly (Entity<NodeFixture> | undefined)[]
): boolean {
  return (
    isRestricted(caller) === true &&
    lacksWrite(caller, 'volumes', volume) === false &&
    on.every((node) => node !== undefined && lacksWrite(caller, 'nodes', node) === false)
  )
}

const memoryProbe = (plan: Plan, fits: (memory: number) => boolean, what: string): void => {
  const node = plan.node((n) => calm(n) && fits(n.memoryGiB ?? 0), what)
  const limit = Math.min(node.memoryGiB ?? 1, 64)
  const made = Array.from({ length: limit + 1 }, () => plan.make(volumes, { region: node.region }))
  const past = { node_id: node.id, persist_across_boots: false }
  const last = made.pop() as (typeof made)[0]
  for (const [i, volume] of made.entries())
    plan[i < profileLimit ? 'call' : 'twin']('volumes.attach', { path: { volumeId: volume.id }, body: past })
  plan.probe('volumes.attach', { path: { volumeId: last.id }, body: past })
  plan.call('volumes.detach', { path: { volumeId: (made[0] as typeof last).id } })
  plan.twin('volumes.attach', { path: { volumeId: last.id }, body: past })
}

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
