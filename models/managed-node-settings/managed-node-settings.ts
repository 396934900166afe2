// The three operations on per-node access settings: section "Managed", "Node SSH settings body", of the document.

import { ownNodes as nodesOfPlan } from '../ips/fixtures.js'
import { addressKey, ips, isIpv4 } from '../ips/record.js'
import { and, known, not, type Ternary } from '../language/clause.js'
import { nodes } from '../language/facts.js'
import { addressed, aNode } from '../language/needs.js'
import { isObject } from '../language/objects.js'
import { operation, page, record, ref } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import type { Plan } from '../language/plan.js'
import { isPlainName } from '../language/promises.js'
import { boolean, integer, nullable, object, optional, text } from '../language/schema.js'
import { find, live, sure, type World } from '../language/world.js'
import {
  endpoints,
  ofTheAccount,
  reading,
  shown,
  withoutManaged,
  withoutManagedShown,
  writing,
} from '../managed/common.js'
import { changeSsh, defaultSsh, isSameHost, type NodeSsh, nodeSettings, noteShownId, sameAsViewed } from './record.js'

const source = `${endpoints}, "Node SSH settings body"`
const nodeId = { nodeId: ref(nodeSettings) }
const sshMembers = ['access', 'ip', 'port', 'user'] as const

const anyNode = (plan: Plan) =>
  plan.node((node) => node.liveMigration !== true, aNode('a node without live migration', { liveMigration: false }))

const update = (plan: Plan, ssh: Readonly<Record<string, unknown>>) => ({
  path: { nodeId: anyNode(plan).id },
  body: { ssh },
})

/** An address that is surely taken as ip of that node. */
const addressOf = (plan: Plan): string => {
  const [address] = anyNode(plan).ipv4?.public ?? []
  plan.need(address !== undefined, aNode('a node with a public IPv4 address', addressed(1)))
  return address ?? 'any'
}

/** Every member is given, since what an update does to those left out is not said. */
const full = (plan: Plan) => {
  reset(plan)
  return update(plan, { access: false, ip: addressOf(plan), port: 2222, user: plan.name() })
}

const defaults = { access: true, ip: 'any', port: null, user: null }

/** Afterwards the node has its defaults again: but for ip, where the target does not take the word any. */
const reset = (plan: Plan): void => {
  plan.restore('managed-node-settings.update', update(plan, defaults))
  plan.restore('managed-node-settings.update', update(plan, { ...defaults, ip: addressOf(plan) }))
}

/** Shows an update of these members. */
const check = (plan: Plan, ssh: Readonly<Record<string, unknown>>): void => {
  reset(plan)
  plan.check('managed-node-settings.update', update(plan, ssh))
}

/** Whether it is a public IPv4 address that the node has now. */
const isAddressOf = (world: World, key: string, ip: string): Ternary => {
  const address = find(world, ips, addressKey(ip))
  return and(
    isIpv4(ip),
    address?.public,
    known(sure(address, 'node_id'), Number(key), (a, b) => a === b),
  )
}

/** How an entry of the list names its node: by `node_id`, else perhaps by its own id. */
const namesOf = (reply: unknown, member: 'node_id' | 'id'): readonly number[] | undefined => {
  const data = isObject(reply) && Array.isArray(reply.data) ? (reply.data as unknown[]) : []
  const ids = data.map((entry) => shown(entry, member)).filter((id) => typeof id === 'number')
  return data.length > 0 && ids.length === data.length ? ids : undefined
}

/** Whether an id is the node's or the entry's own, no two entries of an account have the same one. */
const repeatedIn = (ids: readonly number[]): number | undefined => ids.find((id, i) => ids.indexOf(id) < i)

const isWhole = (reply: unknown): boolean => isObject(reply) && reply.page === 1 && reply.pages === 1

const ownNodes = (world: World, account: string | undefined) =>
  account === undefined ? [] : live(world, nodes, account).filter((node) => node.account === account && !node.stub)

const isOfAnother = (world: World, account: string | undefined, id: number): boolean => {
  const node = find(world, nodes, id)
  return node !== undefined && !node.stub && account !== undefined && node.account !== account
}

const missingFrom = (ids: readonly number[], world: World, account: string | undefined): readonly string[] =>
  ownNodes(world, account)
    .map(({ key }) => key)
    .filter((key) => !ids.includes(Number(key)))

interface OfNode {
  readonly path: Readonly<Record<'nodeId', string>>
  readonly reply: unknown
}

const unnamed = 'only settings without a node_id decide it, and that there are such is not shown'

/** Whether a record that says which node it is of says so of the right one. */
const ofThatNode = (id: string, probe: (plan: Plan) => void) => [
  {
    id: `${id}.of-node`,
    source: `${endpoints}, GET /managed/linode-settings/{nodeId}`,
    text: 'Settings that carry a node_id carry that of the node that was asked for.',
    holds: ({ path, reply }: OfNode) => known(shown(reply, 'node_id'), path.nodeId, (a, b) => String(a) === b),
    probe,
  },
  {
    id: `${id}.by-id`,
    level: 'should' as const,
    source: `${endpoints}, GET /managed/linode-settings/{nodeId}`,
    text: 'Settings that carry only an id carry that of the node.',
    holds: ({ path, reply }: OfNode) =>
      // What a write answers is not shown: it may be a job, with an id of its own.
      shown(reply, 'node_id') === undefined && ['ssh', 'access'].some((name) => shown(reply, name) !== undefined)
        ? known(shown(reply, 'id'), path.nodeId, (a, b) => String(a) === b)
        : undefined,
    unprobed: unnamed,
  },
]

export const listNodeSettings = operation({
  id: 'managed-node-settings.list',
  area: 'managed',
  method: 'GET',
  path: '/managed/linode-settings',
  reach: { in: 'addresses', alone: false, lent: 'looks' },
  source: endpoints,
  summary: 'Lists the access settings of every node of the account.',
  scopes: reading,
  unrestrictedOnly: true,
  params: {},
  query: standardPaging,
  reply: page(nodeSettings),
  // How an entry names its node is not shown, so that completeness is judged by the statements below.
  lists: () => undefined,
  draft: () => ({}),
  silences: [withoutManagedShown('managed-node-settings.list')],
  statements: [
    {
      id: 'managed-node-settings.list.one-per-node',
      source: `${endpoints}, GET /managed/linode-settings`,
      text: 'There is an entry for every node of the account, and no entry stands there twice.',
      holds: ({ world, account, reply }) => {
        const own = ownNodes(world, account)
        const results = shown(reply, 'results')
        if (own.length === 0 || typeof results !== 'number') return undefined
        if (results < own.length) return `${results} entries for at least ${own.length} nodes`
        const named = isWhole(reply) ? namesOf(reply, 'node_id') : undefined
        const twice = isWhole(reply) ? repeatedIn(named ?? namesOf(reply, 'id') ?? []) : undefined
        if (twice !== undefined) return `two entries of ${twice}`
        const missing = named ? missingFrom(named, world, account) : []
        return missing.length === 0 || `no entry for node ${missing.join(', ')}`
      },
      probe: (plan) => void plan.check('managed-node-settings.list'),
    },
    {
      id: 'managed-node-settings.list.no-more',
      // A target file need not name every node, and an entry may have an id of its own.
      level: 'should',
      source: `${endpoints}, GET /managed/linode-settings`,
      text: 'There is no entry for a node of another account, as far as the target file names them.',
      holds: ({ world, account, reply }) => {
        const ids = namesOf(reply, 'id') ?? []
        const named = namesOf(reply, 'node_id') ?? (missingFrom(ids, world, account).length === 0 ? ids : [])
        const others = named.filter((id) => isOfAnother(world, account, id))
        if (others.length > 0) return `an entry for node ${others.join(', ')} of another account`
        return ownNodes(world, account).length > 0 && isWhole(reply) ? true : undefined
      },
      probe: (plan) => void plan.check('managed-node-settings.list'),
    },
    {
      id: 'managed-node-settings.list.as-viewed',
      source: `${endpoints}, GET /managed/linode-settings`,
      text: 'An entry that has the id which the view of a node shows has the settings of that node.',
      holds: ({ world, account, reply }) => {
        // Where others use the account, they may have changed the settings since the view.
        if (!world.environment.exclusive) return undefined
        const data = isObject(reply) && Array.isArray(reply.data) ? reply.data.filter(isObject) : []
        const compared = data.map((entry) => sameAsViewed(world, account, entry))
        const wrong = data[compared.indexOf(false)]
        return wrong
          ? `${JSON.stringify(wrong.ssh)} for the node whose entry has the id ${wrong.id}`
          : compared.includes(true) || undefined
      },
      // Where entries carry a node_id, that tells whose they are.
      unprobed: unnamed,
    },
    {
      id: 'managed-node-settings.list.by-id',
      level: 'should',
      source: `${endpoints}, GET /managed/linode-settings`,
      text: 'Where entries have only an id, it is that of the node, and every node has an entry.',
      holds: ({ world, account, reply }) => {
        const ids = isWhole(reply) && !namesOf(reply, 'node_id') ? namesOf(reply, 'id') : undefined
        if (!ids || ownNodes(world, account).length === 0) return undefined
        const missing = missingFrom(ids, world, account)
        return missing.length === 0 || `no entry for node ${missing.join(', ')}`
      },
      unprobed: unnamed,
    },
  ],
})

export const viewNodeSettings = operation({
  id: 'managed-node-settings.view',
  area: 'managed',
  method: 'GET',
  path: '/managed/linode-settings/{nodeId}',
  reach: { in: 'addresses', alone: false, lent: 'looks' },
  source: endpoints,
  summary: 'Shows the access settings of one node.',
  scopes: reading,
  unrestrictedOnly: true,
  params: nodeId,
  owned: ofTheAccount,
  reply: record(nodeSettings),
  shows: 'nodeId',
  draft: (plan) => ({ path: { nodeId: anyNode(plan).id } }),
  silences: [withoutManaged('managed-node-settings.view')],
  statements: ofThatNode(
    'managed-node-settings.view',
    (plan) => void plan.check('managed-node-settings.view', { path: { nodeId: anyNode(plan).id } }),
  ),
  // What is remembered is only how the entry is called, so that a list can be held against it.
  apply: ({ world, refs, chosen }) => noteShownId(world, refs.nodeId.key, chosen),
})

export const updateNodeSettings = operation({
  id: 'managed-node-settings.update',
  area: 'managed',
  method: 'PUT',
  path: '/managed/linode-settings/{nodeId}',
  reach: { in: 'addresses', alone: false, lent: 'settings' },
  source,
  summary: 'Changes how provider support staff reach a node by SSH.',
  scopes: writing,
  unrestrictedOnly: true,
  params: nodeId,
  owned: ofTheAccount,
  body: object({
    ssh: optional(
      object({
        access: optional(boolean()),
        ip: optional(text({ format: 'ip-or-any', example: 'any' })),
        port: optional(nullable(integer({ min: 1, max: 65535 }))),
        user: optional(nullable(text({ max: 32 }))),
      }),
    ),
  }),
  reply: record(nodeSettings),
  shows: 'nodeId',
  draft: full,
  silences: [
    withoutManaged('managed-node-settings.update'),
    {
      id: 'managed-node-settings.update.nothing',
      source,
      text: 'Whether an update without ssh, or with an empty one, is taken is not said.',
      when: ({ body }) => !body.ssh || sshMembers.every((name) => body.ssh?.[name] === undefined),
      probe: (plan) => void plan.check('managed-node-settings.update', update(plan, {})),
    },
    {
      id: 'managed-node-settings.update.partial',
      source,
      text: 'Whether members of ssh may be left out, and what becomes of them, is not said.',
      when: ({ body }) =>
        sshMembers.some((name) => body.ssh?.[name] !== undefined) &&
        sshMembers.some((name) => body.ssh?.[name] === undefined),
      probe: (plan) => {
        plan.call('managed-node-settings.update', full(plan))
        plan.check('managed-node-settings.update', update(plan, { access: true }))
      },
    },
    {
      id: 'managed-node-settings.update.user-characters',
      source,
      text: 'Which characters a user may have, and whether it may be empty, is not said.',
      fields: ['ssh', 'user'],
      when: ({ body }) => typeof body.ssh?.user === 'string' && !isPlainName(body.ssh.user),
      probe: (plan) => check(plan, { access: true, ip: addressOf(plan), port: null, user: 'Ä b' }),
    },
    {
      id: 'managed-node-settings.update.any-address',
      source: `${source}, ip`,
      text: 'Whether the default of ip, which is the word any, can be sent is not said.',
      when: ({ body }) => body.ssh?.ip === 'any',
      probe: (plan) => check(plan, defaults),
    },
    {
      id: 'managed-node-settings.update.other-address',
      source,
      text: 'Whether ip may be an address that is not a public IPv4 address of the node is not said.',
      fields: ['ssh', 'ip'],
      when: ({ world, body, refs }) => {
        const ip = body.ssh?.ip
        if (typeof ip !== 'string' || ip === 'any') return false
        return not(isAddressOf(world, refs.nodeId.key, ip))
      },
      probe: (plan) => {
        const other = plan.node(
          (node) => node.id !== anyNode(plan).id && (node.ipv4?.public?.length ?? 0) > 0,
          aNode('a second node with a public IPv4 address', addressed(1), 2),
        )
        check(plan, { access: true, ip: other.ipv4?.public?.[0], port: null, user: null })
      },
    },
    {
      id: 'managed-node-settings.update.busy-node',
      source,
      text: 'Whether the settings of a node under live migration can be changed is not said.',
      when: ({ world, refs }) => find(world, nodes, refs.nodeId.key)?.liveMigration === true,
      probe: (plan) => {
        const node = plan.node(
          ({ liveMigration }) => liveMigration === true,
          aNode('a node under live migration', { liveMigration: true }),
        )
        const path = { nodeId: node.id }
        const ip = node.ipv4?.public?.[0] ?? 'any'
        plan.restore('managed-node-settings.update', { path, body: { ssh: defaults } })
        plan.check('managed-node-settings.update', { path, body: { ssh: { ...defaults, ip, port: 2222 } } })
      },
    },
  ],
  statements: [
    ...ofThatNode('managed-node-settings.update', (plan) => check(plan, defaults)),
    {
      id: 'managed-node-settings.update.nullable',
      source,
      text: 'The port and the user may be null, which means 22 and root.',
      holds: ({ body, reply }) => {
        const ssh = shown(reply, 'ssh')
        const { port, user } = body.ssh ?? {}
        if (!isObject(ssh) || (port !== null && user !== null)) return undefined
        const isKept = (port !== null || (ssh.port ?? 22) === 22) && (user !== null || (ssh.user || 'root') === 'root')
        return isKept || `port ${JSON.stringify(ssh.port)} and user ${JSON.stringify(ssh.user)} after null was sent`
      },
      probe: (plan) => check(plan, { access: true, ip: addressOf(plan), port: null, user: null }),
    },
    {
      id: 'managed-node-settings.update.address',
      source,
      text: 'Where ip is an address of the node, that address is what is kept.',
      holds: ({ body, reply }) => {
        const ssh = shown(reply, 'ssh')
        const sent = body.ssh?.ip
        if (typeof sent !== 'string' || sent === 'any' || !isObject(ssh) || ssh.ip === undefined) return undefined
        return typeof ssh.ip === 'string' && isSameHost(sent, ssh.ip)
      },
      probe: (plan) => {
        const node = plan.node(
          ({ ipv4, liveMigration }) => (ipv4?.public?.length ?? 0) > 0 && liveMigration !== true,
          aNode('a node with a public IPv4 address', addressed(1)),
        )
        const path = { nodeId: node.id }
        const ip = node.ipv4?.public?.[0]
        plan.restore('managed-node-settings.update', { path, body: { ssh: defaults } })
        // Those of the other nodes, which stay; a list need not tell which node is which.
        const others = nodesOfPlan(plan).filter(({ id }) => id !== node.id)
        const neighbour = others.find(({ region }) => region === node.region) ?? others[0]
        plan.call('managed-node-settings.list')
        if (neighbour) plan.call('managed-node-settings.view', { path: { nodeId: neighbour.id } })
        plan.check('managed-node-settings.update', {
          path,
          body: { ssh: { access: false, ip, port: 65535, user: plan.name() } },
        })
        plan.check('managed-node-settings.view', { path })
        plan.check('managed-node-settings.list')
        if (neighbour) plan.check('managed-node-settings.view', { path: { nodeId: neighbour.id } })
      },
    },
    {
      id: 'managed-node-settings.update.staff-access',
      source: `${source}, access`,
      text: 'access decides whether support staff of the provider reach the node by SSH.',
      holds: () => undefined,
      unprobed: 'what support staff reach cannot be seen through the interface',
    },
  ],
  choices: [
    {
      id: 'managed-node-settings.update.left-out',
      source,
      text: 'What becomes of a member of ssh that an update leaves out.',
      values: ['kept', 'changed'],
      observe: ({ body, refs, reply }) => {
        const before = refs.nodeId.ssh
        const ssh = shown(reply, 'ssh')
        const name = sshMembers.find(
          (member) => body.ssh && body.ssh[member] === undefined && isSet(member, before?.[member]),
        )
        if (!name || !isObject(ssh) || ssh[name] === undefined) return undefined
        return ssh[name] === before?.[name] ? 'kept' : 'changed'
      },
    },
  ],
  chooses: ({ refs }) => ({ ssh: { ...defaultSsh, ...refs.nodeId.ssh } }),
  apply: ({ world, body, refs, chosen }) =>
    // Without ssh all of its members are left out.
    changeSsh(world, refs.nodeId.key, body.ssh ?? {}, chosen.ssh),
})

const isSet = (name: keyof NodeSsh, value: unknown): boolean =>
  value !== undefined && value !== null && value !== (name === 'ip' ? 'any' : name === 'access' ? true : undefined)

export const managedNodeSettingsOperations = [listNodeSettings, viewNodeSettings, updateNodeSettings]
