// Creating a volume: "Endpoints / Volumes", Volume create body.

import { lacksGlobal, lacksWrite } from '../language/access.js'
import { put } from '../language/changes.js'
import { and, known, not, or } from '../language/clause.js'
import { nodes } from '../language/facts.js'
import { sparesNamesake } from '../language/namesakes.js'
import { aFixture, aNode, profiled } from '../language/needs.js'
import { isObject } from '../language/objects.js'
import { operation, record } from '../language/operation.js'
import { arePlainTags, isPlainName } from '../language/promises.js'
import { withItsTags } from '../language/reach.js'
import { array, integer, object, optional, text } from '../language/schema.js'
import { unseen } from '../language/unseen.js'
import { find } from '../language/world.js'
import { mentionTags } from '../tags/record.js'
import { calmNode, createdNow, endpoints, hasConfig, isPlainSize, isTaken, label, severalTags } from './common.js'
import { calm, nodeWriterWithout, writableNode } from './grants.js'
import { fillProfile, isNearFull, isProfileFull } from './limits.js'
import { defaultSizeGiB, type Volume, volumes } from './record.js'

export const createVolume = operation({
  id: 'volumes.create',
  area: 'volumes',
  method: 'POST',
  path: '/volumes',
  reach: { in: 'volumes', alone: false, lent: 'volumes', concerns: withItsTags },
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
  room: (body) => (isObject(body) && typeof body.size === 'number' ? body.size : defaultSizeGiB),
  names: ({ body }) => (body.node_id === undefined ? [] : [{ table: nodes, key: body.node_id }]),
  draft: (plan) => ({ body: { label: plan.label(32), size: 20, region: plan.region().id } }),
  full: (plan) => {
    const node = calmNode(plan)
    // Not the default, where that may be.
    const size = plan.environment.safety.maxVolumeGiB > 20 ? 21 : 20
    return {
      body: { label: plan.name(), size, node_id: node.id, config_id: node.configs?.[0], tags: severalTags(plan) },
    }
  },
  refusals: [
    {
      id: 'volumes.create.add-volumes',
      source: `${endpoints}, POST /volumes; Authentication, "needs the add_volumes grant"`,
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
        // A grant on the node is none to add volumes.
        const writer = nodeWriterWithout(plan, 'add_volumes') ?? as
        const node = writableNode(plan, writer)
        if (node) plan.probe('volumes.create', { body: { label: plan.name(), node_id: node.id }, as: writer })
        // Who has none is refused as well, be it for that.
        const other = node ? undefined : plan.attempt(() => calmNode(plan))
        if (other) plan.check('volumes.create', { body: { label: plan.name(), node_id: other.id }, as })
        plan.twin('volumes.create', { ...draft, as: granted })
        // Nor is a clone made, whatever else may be lacking for it.
        const path = { volumeId: plan.make(volumes).id }
        plan.check('volumes.clone', { path, body: { label: plan.name() }, as })
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
        // One with several profiles where there is one: an attachment asks a node with one.
        const many = plan.attempt(() => plan.node((n) => n.liveMigration !== true && (n.configs?.length ?? 0) > 1))
        const node = many ?? calmNode(plan)
        const other = plan.node(
          (n) => n.id !== node.id && (n.configs?.length ?? 0) > 0,
          aNode('a second node with a configuration profile', profiled, 2),
        )
        const name = plan.name()
        const body = { label: name, node_id: node.id, config_id: other.configs?.[0] }
        plan.probe('volumes.create', { body })
        plan.check('volumes.create', { body: { ...body, region: node.region } })
        plan.twin('volumes.create', { body: { label: name, node_id: node.id, config_id: node.configs?.[0] } })
      },
    },
    {
      id: 'volumes.create.selectable-config',
      source: `${endpoints}, "Volume create body", config_id; Errors, "no selectable configuration"`,
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
          aNode('a node without configuration profiles', { configs: [], liveMigration: false }),
        )
        const node = calmNode(plan)
        const name = plan.name()
        plan.probe('volumes.create', { body: { label: name, node_id: bare.id } })
        plan.check('volumes.create', { body: { label: name, node_id: bare.id, region: bare.region } })
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
        const first = fillProfile(plan, node)
        const name = plan.name()
        plan.probe('volumes.create', { body: { label: name, node_id: node.id } })
        plan.probe('volumes.create', { body: { label: name, node_id: node.id, config_id: node.configs?.[0] } })
        plan.check('volumes.create', { body: { label: name, node_id: node.id, region: node.region } })
        // What one node holds is nothing to another.
        const others = (plan.environment.fixtures.nodes ?? []).filter(
          (other) => other.id !== node.id && other.account === node.account && calm(other),
        )
        for (const { id } of others.slice(0, 1))
          plan.twin('volumes.create', { body: { label: plan.name(), node_id: id } })
        plan.call('volumes.detach', { path: { volumeId: first.id } })
        plan.twin('volumes.create', { body: { label: name, node_id: node.id } })
      },
    },
  ],
  silences: [
    {
      id: 'volumes.create.label-characters',
      source: 'Volume, label',
      text: 'Which characters a label may have is not said.',
      fields: ['label'],
      when: ({ body }) => !isPlainName(body.label),
      probe: (plan) => {
        const { body } = plan.draft('volumes.create')
        for (const label of [plan.oddText(32), `${plan.name()}_B.C`])
          plan.check('volumes.create', { body: { ...body, label } })
      },
    },
    {
      id: 'volumes.create.label-reused',
      source: 'Volume, label',
      text: 'Whether two volumes may have the same label, be it one after the other, is not said.',
      fields: ['label'],
      when: ({ world, account, body }) => isTaken(world, account, body.label),
      probe: (plan) => {
        const first = plan.make(volumes)
        const body = { ...plan.draft('volumes.create').body, label: first.field('label') }
        sparesNamesake(plan, { resource: 'volumes', param: 'volumeId' }, first, plan.check('volumes.create', { body }))
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
      fields: ['tags'],
      when: ({ body }) => !arePlainTags(body.tags),
      probe: (plan) =>
        void plan.check('volumes.create', {
          body: { ...plan.draft('volumes.create').body, tags: [`${plan.tag()} B`] },
        }),
    },
    {
      id: 'volumes.create.region-beside-node',
      source: `${endpoints}, "Volume create body", region`,
      text: 'What happens when both region and node_id are given and they disagree is not said.',
      probe: (plan) => {
        const node = calmNode(plan)
        const other = plan.region(
          ({ id }) => id !== node.region,
          aFixture('regions', 'a second region', { id: 'r2' }, 2),
        )
        plan.check('volumes.create', { body: { label: plan.name(), region: other.id, node_id: node.id } })
      },
      when: ({ world, body }) =>
        body.node_id === undefined || body.region === undefined
          ? false
          : known(find(world, nodes, body.node_id)?.region, body.region, (a, b) => a !== b),
    },
    {
      id: 'volumes.create.region-of-node',
      source: `${endpoints}, "Volume create body", region`,
      text: 'A region that is not required beside a node_id is taken beside it where it is that of the node.',
      level: 'should',
      fields: ['region', 'node_id'],
      probe: (plan) => {
        const { id, region } = calmNode(plan)
        plan.check('volumes.create', { body: { label: plan.name(), node_id: id, region } })
      },
      when: ({ world, body }) =>
        body.node_id === undefined || body.region === undefined
          ? false
          : known(find(world, nodes, body.node_id)?.region, body.region, (a, b) => a === b),
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
          aNode('a node with several configuration profiles', { configs: [0, 1] }),
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
        const { id } = plan.node(
          (node) => node.liveMigration === true,
          aNode('a node under live migration', { liveMigration: true }),
        )
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
    unseen(
      'volumes.create.charges',
      `${endpoints}, POST /volumes, "Starts charges"`,
      'Charges start with the creation.',
      'no reply shows charges',
    ),
    unseen(
      'volumes.create.in-profile',
      `${endpoints}, "Volume create body", config_id, "Configuration profile to include the volume in"`,
      'The volume is included in the configuration profile that config_id names.',
      'no operation shows configuration profiles',
    ),
    createdNow('volumes.create'),
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
      sets: { field: 'node_id', to: (node) => node !== null },
      holds: ({ body, reply }) => {
        const { node_id: node } = reply as Volume
        return body.node_id === undefined || node === null ? undefined : node === body.node_id
      },
      probe: (plan) => {
        const near = calmNode(plan)
        const far = (plan.environment.fixtures.nodes ?? []).filter(
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
      values: ['creating', 'active', 'resizing'],
      observe: ({ reply }) => (reply as Volume).status,
    },
    {
      id: 'volumes.create.hardware',
      text: 'Hardware type that a new volume gets.',
      source: 'Volume, hardware_type',
      values: ['hdd', 'nvme'],
      observe: ({ reply }) => (reply as Volume).hardware_type,
    },
  ],
  trails: ['node_id'],
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
      size: body.size ?? defaultSizeGiB,
      ...(region !== undefined && { region }),
      node_id: body.node_id ?? null,
      profile: body.node_id === undefined ? null : true,
      // Which tags a volume has that is given none is not said.
      ...(body.tags && { tags: body.tags }),
      migrating: false,
    })
  },
})
