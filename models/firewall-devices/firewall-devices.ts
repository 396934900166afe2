// The four firewall device operations: sections "Firewall", "Firewall status", "Endpoints / Networking" and "Limits" of the document.

import { type Firewall, firewalls } from '../firewalls/record.js'
import {
  calmNode,
  deniedNodebalancers,
  deniedNodes,
  deviceIn,
  hasActiveFirewall,
  hasDevice,
  hasMigratingFixture,
  hasMigratingNode,
  isFor,
  isForeign,
  isGone,
  isMigrating,
  isOnMigrating,
  lacksService,
  migratingNode,
  orphaned,
  otherCalmNode,
  restrictedUse,
  serviceOf,
  spareNode,
  tableOf,
  twoNodebalancers,
} from '../firewalls/services.js'
import { ofWriters, type Principal } from '../language/access.js'
import { drop, forget, put, unbury } from '../language/changes.js'
import { and, known, not, type Ternary } from '../language/clause.js'
import { nodebalancers, nodes } from '../language/facts.js'
import { anything, operation, page, record, ref } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import type { Made, Plan } from '../language/plan.js'
import { itself } from '../language/reach.js'
import { integer, object, oneOf, tried, without } from '../language/schema.js'
import { foreignNode, foreignNodebalancer } from '../language/strangers.js'
import {
  type Entity,
  find,
  gone,
  isClosed,
  isLatent,
  live,
  type Path,
  type WireRecord,
  type World,
} from '../language/world.js'
import { deviceKey, entityOf, firewallDevices, type Service } from './record.js'

const endpoints = 'Endpoints / Networking'
const devices = '/networking/firewalls/{firewallId}/devices'
const deviceRow = (method: string) => `${endpoints}, ${method} ${devices}/{deviceId}`
const states = 'States and transitions, "Firewall status"'
const firewallId = { firewallId: ref(firewalls) }
const both = {
  ...firewallId,
  deviceId: ref(firewallDevices, {
    key: (path) => deviceKey(path.firewallId, path.deviceId),
    within: (device, path) => deviceIn(device, path.firewallId),
    whole: (world, path) =>
      find(world, firewalls, path.firewallId)?.devicesKnown === true &&
      live(world, firewallDevices).every(
        (device) => !isLatent(device.key) || deviceIn(device, path.firewallId) === false,
      ),
    field: 'id',
  }),
}

type Device = Entity<{ readonly firewallId: string; readonly entity: Service }>

/** A disabled firewall may be assigned to a service whatever else protects it, so it never is in a program's way. */
const disabledFirewall = (plan: Plan): Made => {
  const made = plan.make(firewalls)
  plan.call('firewalls.update', { path: { firewallId: made.id }, body: { status: 'disabled' } })
  return made
}

const asNode = (id: number) => ({ id, type: 'node' as const })
const asNodebalancer = (id: number) => ({ id, type: 'nodebalancer' as const })

const add = (plan: Plan, firewall: Made, service: Service): Made =>
  plan.call('firewall-devices.create', { path: { firewallId: firewall.id }, body: { ...service } })

const addressOf = (firewall: Made, device: Made) => ({
  path: { firewallId: firewall.id, deviceId: device.field('id') },
})

/** Whether the caller has made the firewall, and so hardly lacks a grant on it. */
const isOwnMaking = ({ user }: Principal, { maker }: Entity<Firewall>): boolean =>
  maker !== undefined && maker === user?.name

/** An id that surely names nothing. */
const nowhere = 999_999_937

interface Page {
  readonly data: readonly WireRecord[]
  readonly page: number
  readonly pages: number
}

/** The records of a reply that tells everything at once and gives every record an id. */
const wholeOf = (reply: unknown, path: Path): readonly WireRecord[] | undefined => {
  const { data, page: number, pages } = (reply ?? {}) as Partial<Page>
  return Array.isArray(data) && number === 1 && (pages ?? 2) <= 1 && data.every((one) => keyOf(one, path) !== undefined)
    ? data
    : undefined
}

const keyOf = (one: unknown, path: Path): string | undefined =>
  typeof one === 'object' && one !== null ? firewallDevices.identify(one as WireRecord, path, undefined) : undefined

const spell = (service: Service | undefined): string => (service ? `${service.type} ${service.id}` : 'a service')

export const listFirewallDevices = operation({
  id: 'firewall-devices.list',
  area: 'networking',
  method: 'GET',
  path: '/networking/firewalls/{firewallId}/devices',
  reach: { in: 'firewalls', alone: true, lent: 'looks', concerns: itself },
  source: endpoints,
  summary: 'Lists the devices of a firewall: the services that it is assigned to.',
  scopes: ['firewall:read_only'],
  params: firewallId,
  query: standardPaging,
  reply: page(firewallDevices),
  lists: ({ world, path }, device: Device) => (isGone(world, device) ? undefined : deviceIn(device, path.firewallId)),
  draft: (plan) => ({ path: { firewallId: plan.make(firewalls).id } }),
  silences: [restrictedUse('firewall-devices.list')],
  statements: [
    {
      id: 'firewall-devices.list.created-with',
      source: `${endpoints}, "Firewall create body", devices`,
      text: 'A firewall has a device for each service that its creation names.',
      holds: ({ after, path, reply, refs: { firewallId: firewall } }) =>
        wholeOf(reply, path) && firewall.devicesKnown === true
          ? areListed(after, firewall.key, 'firewalls.create')
          : undefined,
      probe: (plan) => {
        const node = calmNode(plan)
        const devices = { nodes: [node.id, otherCalmNode(plan, node).id], nodebalancers: [plan.nodebalancer().id] }
        plan.check('firewall-devices.list', { path: { firewallId: plan.make(firewalls, { devices }).id } })
      },
    },
    {
      id: 'firewall-devices.list.assigned',
      source: `Firewall; ${endpoints}, POST ${devices}`,
      text: 'A firewall has a device for each service that it was assigned to.',
      holds: ({ after, path, reply, refs: { firewallId: firewall } }) =>
        wholeOf(reply, path) && firewall.devicesKnown === true
          ? areListed(after, firewall.key, 'firewall-devices.create')
          : undefined,
      probe: (plan) => {
        const firewall = disabledFirewall(plan)
        const path = { firewallId: firewall.id }
        const node = calmNode(plan)
        const device = add(plan, firewall, asNode(node.id))
        plan.check('firewall-devices.list', { path })
        const other = spareNode(plan, node)
        if (!other) return
        add(plan, firewall, asNode(other.id))
        plan.call('firewall-devices.delete', addressOf(firewall, device))
        plan.check('firewall-devices.list', { path })
      },
    },
    {
      id: 'firewall-devices.list.no-others',
      source: 'Firewall; States and transitions, "Firewall status", Firewall delete',
      text: 'A firewall has devices for the services that it was assigned to, and for no others.',
      holds: ({ after, path, reply, refs: { firewallId: firewall } }) => {
        const whole = wholeOf(reply, path)
        if (!whole || firewall.devicesKnown !== true) return undefined
        const stranger = whole.find((one) => {
          const key = keyOf(one, path) ?? ''
          return !find(after, firewallDevices, key) && !gone(after, firewallDevices, key)
        })
        return stranger ? `device ${String(stranger.id)}, which nothing added` : true
      },
      probe: (plan) => {
        const node = calmNode(plan)
        const firewall = plan.make(firewalls, { devices: { nodes: [node.id] } })
        plan.make(firewalls, { devices: { nodes: [otherCalmNode(plan, node).id] } })
        plan.check('firewall-devices.list', { path: { firewallId: firewall.id } })
        // One that was deleted may have an empty list; one that never was has none.
        plan.check('firewall-devices.list', { path: { firewallId: nowhere } })
      },
    },
    {
      id: 'firewall-devices.list.others-stay',
      source: deviceRow('DELETE'),
      text: 'When one firewall is taken from a service, or deleted, other firewalls stay on it.',
      holds: ({ world, path, reply, refs: { firewallId: firewall } }) => {
        const whole = wholeOf(reply, path)
        if (!whole) return undefined
        const left = leftBy(world, firewall.key)
        const listed = new Set(whole.map((one) => keyOf(one, path)))
        const lost = left.find(({ key }) => !listed.has(key))
        if (lost) return `no device for ${spell(lost.entity)}, which another firewall was taken from`
        return left.length > 0 || undefined
      },
      probe: (plan) => {
        const service = asNode(calmNode(plan).id)
        const [first, second, third] = [disabledFirewall(plan), disabledFirewall(plan), disabledFirewall(plan)]
        const device = add(plan, first, service)
        add(plan, second, service)
        add(plan, third, service)
        plan.call('firewall-devices.delete', addressOf(first, device))
        plan.check('firewall-devices.list', { path: { firewallId: second.id } })
        plan.call('firewalls.delete', { path: { firewallId: second.id } })
        plan.check('firewall-devices.list', { path: { firewallId: third.id } })
      },
    },
  ],
})

export const createFirewallDevice = operation({
  id: 'firewall-devices.create',
  area: 'networking',
  method: 'POST',
  path: '/networking/firewalls/{firewallId}/devices',
  reach: { in: 'firewalls', alone: false, lent: 'firewalls', concerns: itself },
  source: endpoints,
  summary: 'Assigns a firewall to a service.',
  scopes: ['firewall:read_write'],
  params: firewallId,
  owned: ofWriters,
  body: object({ id: integer(), type: without(tried(oneOf('node', 'nodebalancer'), 'node'), 'nodes', 'volume') }),
  reply: record(firewallDevices),
  shows: 'made',
  makes: firewallDevices,
  // A reply that repeats the request has the service's id, and one that shows the firewall has that one's; the list then tells.
  answersElse: ({ path, body }, { id, entity }) =>
    String(id) === String(body.id) || (entity === undefined && String(id) === String(path.firewallId)),
  // Where the firewall is assigned to the service already, nothing may have been added; it is a success all the same.
  emits: [
    {
      event: 'firewall_device_add',
      when: ({ world, body, refs }) => hasDevice(world, refs.firewallId, isFor(body)) === false || undefined,
    },
  ],
  names: ({ body }) => [{ table: body.type === 'node' ? nodes : nodebalancers, key: body.id }],
  draft: (plan) => ({ path: { firewallId: disabledFirewall(plan).id }, body: asNode(calmNode(plan).id) }),
  sole: ['id'],
  full: (plan) => ({
    path: { firewallId: plan.make(firewalls, { tags: [plan.tag('web')] }).id },
    body: asNodebalancer(plan.nodebalancer().id),
  }),
  contest: (plan) => {
    const path = { firewallId: disabledFirewall(plan).id }
    const [one, other] = twoNodebalancers(plan)
    return {
      rivals: [
        { path, body: asNodebalancer(one.id) },
        { path, body: asNodebalancer(other.id) },
      ],
    }
  },
  refusals: [
    {
      id: 'firewall-devices.create.service-grant',
      source: 'Authentication, "firewall device creation needs read_write grants"',
      text: 'A restricted caller needs read_write on the service.',
      when: ({ world, caller, body, refs }) =>
        isOwnMaking(caller, refs.firewallId) ? false : lacksService(world, caller, body),
      probe: (plan) => {
        const path = { firewallId: disabledFirewall(plan).id }
        const second = { firewallId: disabledFirewall(plan).id }
        const denied = [
          ...deniedNodes(plan).map(({ id, as }) => ({ path, body: asNode(id), as })),
          // A firewall takes one node balancer.
          ...deniedNodebalancers(plan).map(({ id, as }, i) => ({
            path: i === 0 ? path : second,
            body: asNodebalancer(id),
            as,
          })),
        ]
        for (const one of denied) plan.probe('firewall-devices.create', one)
        for (const { path: to, body } of denied) plan.twin('firewall-devices.create', { path: to, body })
      },
    },
    {
      id: 'firewall-devices.create.service-grant-for-own-firewall',
      source: 'Authentication, "firewall device creation needs read_write grants"',
      text: 'A restricted caller needs read_write on the service, also for a firewall that is their own making.',
      when: ({ world, caller, body, refs }) =>
        isOwnMaking(caller, refs.firewallId) ? lacksService(world, caller, body) : false,
      probe: (plan) => {
        const [first, ...others] = deniedNodes(plan)
        const as = first?.as ?? null
        const nodes = [first, ...others.filter((one) => one.as === as)].flatMap((one) => one?.id ?? [])
        // Whatever else may be asked of a restricted user, there is nothing to be missed on it.
        const path = { firewallId: plan.make(firewalls, {}, { as }).id }
        for (const id of nodes) plan.probe('firewall-devices.create', { path, body: asNode(id), as })
        for (const id of nodes) plan.twin('firewall-devices.create', { path, body: asNode(id) })
      },
    },
    {
      id: 'firewall-devices.create.service-owned',
      source: 'Authentication, "firewall device creation needs read_write grants"',
      text: 'Nobody has read_write on a service of another account.',
      fields: ['id', 'type'],
      orNone: true,
      when: ({ world, account, body }) => isForeign(world, account, body),
      probe: (plan) => {
        const path = { firewallId: disabledFirewall(plan).id }
        const nodebalancer = plan.attempt(() => foreignNodebalancer(plan))
        plan.probe('firewall-devices.create', { path, body: asNode(foreignNode(plan).id) })
        if (nodebalancer) plan.probe('firewall-devices.create', { path, body: asNodebalancer(nodebalancer.id) })
        plan.twin('firewall-devices.create', { path, body: asNode(calmNode(plan).id) })
      },
    },
    {
      id: 'firewall-devices.create.service-exists',
      level: 'should',
      source: endpoints,
      text: 'The service exists.',
      fields: ['id', 'type'],
      when: ({ world, account, body }) =>
        serviceOf(world, body) === undefined && (isClosed(world, tableOf(body), account) || undefined),
      probe: (plan) => {
        const path = { firewallId: disabledFirewall(plan).id }
        plan.need(plan.environment.exclusive, 'an exclusive target')
        for (const body of [asNode(nowhere), asNodebalancer(nowhere)])
          plan.probe('firewall-devices.create', { path, body })
        plan.twin('firewall-devices.create', { path, body: asNode(calmNode(plan).id) })
      },
    },
    {
      id: 'firewall-devices.create.one-nodebalancer',
      source: 'Limits, "Firewall"',
      text: 'A firewall that is assigned to a node balancer takes no second one.',
      when: ({ world, body, refs }) =>
        body.type === 'node'
          ? false
          : hasDevice(world, refs.firewallId, (device) =>
              and(
                known(entityOf(device), body, ({ type }) => type === 'nodebalancer'),
                not(isFor(body)(device)),
              ),
            ),
      probe: (plan) => {
        const [first, second] = twoNodebalancers(plan)
        const born = { firewallId: plan.make(firewalls, { devices: { nodebalancers: [first.id] } }).id }
        plan.call('firewalls.update', { path: born, body: { status: 'disabled' } })
        plan.probe('firewall-devices.create', { path: born, body: asNodebalancer(second.id) })
        const grown = disabledFirewall(plan)
        const device = add(plan, grown, asNodebalancer(first.id))
        const path = { firewallId: grown.id }
        // With a node beside it too.
        plan.twin('firewall-devices.create', { path, body: asNode(calmNode(plan).id) })
        plan.probe('firewall-devices.create', { path, body: asNodebalancer(second.id) })
        plan.call('firewall-devices.delete', addressOf(grown, device))
        plan.twin('firewall-devices.create', { path, body: asNodebalancer(second.id) })
      },
    },
    {
      id: 'firewall-devices.create.one-active',
      source: 'Limits, "Firewall"; Errors, "enabling a firewall while another active firewall is assigned"',
      text: 'An enabled firewall is not assigned to a service that another enabled one is assigned to; a disabled one may be.',
      when: ({ world, body, refs: { firewallId: firewall } }) =>
        and(
          known(firewall.status, 'enabled', (a, b) => a === b),
          hasActiveFirewall(world, firewall.account, body, firewall),
        ),
      probe: (plan) => {
        // A plain assignment, to the first node, still shows that no quota refuses others.
        const node = calmNode(plan)
        const service = asNode((spareNode(plan, node) ?? node).id)
        const balanced = asNodebalancer(plan.nodebalancer().id)
        const first = plan.make(firewalls, {
          devices: { nodes: [service.id], nodebalancers: [balanced.id] },
        })
        const path = { firewallId: plan.make(firewalls).id }
        plan.probe('firewall-devices.create', { path, body: service })
        plan.probe('firewall-devices.create', { path, body: balanced })
        plan.call('firewalls.update', { path, body: { status: 'disabled' } })
        plan.twin('firewall-devices.create', { path, body: service })
        plan.call('firewalls.delete', { path: { firewallId: first.id } })
        plan.call('firewalls.update', { path, body: { status: 'enabled' } })
        const third = plan.make(firewalls)
        const device = plan.twin('firewall-devices.create', { path: { firewallId: third.id }, body: balanced })
        plan.probe('firewall-devices.create', { path, body: balanced })
        plan.call('firewall-devices.delete', addressOf(third, device))
        plan.twin('firewall-devices.create', { path, body: balanced })
      },
    },
    {
      id: 'firewall-devices.create.live-migration',
      source: `${states}; Errors, "firewall operations on nodes with an ongoing live migration"`,
      text: 'A firewall is not assigned to a node with a live migration under way.',
      when: ({ world, account, body }) => and(not(isForeign(world, account, body)), isMigrating(world, body, account)),
      probe: (plan) => {
        const { id } = calmNode(plan)
        const path = { firewallId: disabledFirewall(plan).id }
        const paths = [path, { firewallId: plan.make(firewalls).id }]
        const probe = (node: number): void => {
          for (const one of paths) plan.probe('firewall-devices.create', { path: one, body: asNode(node) })
        }
        if (hasMigratingFixture(plan)) probe(migratingNode(plan).id)
        else {
          plan.hook('setLiveMigration', id, true)
          probe(id)
          plan.hook('setLiveMigration', id, false)
        }
        plan.twin('firewall-devices.create', { path, body: asNode(id) })
      },
    },
  ],
  silences: [
    {
      id: 'firewall-devices.create.again',
      source: endpoints,
      text: 'Whether a firewall can be assigned to a service that it is assigned to already is not said.',
      when: ({ world, body, refs }) => hasDevice(world, refs.firewallId, isFor(body)),
      probe: (plan) => {
        const firewall = disabledFirewall(plan)
        const service = asNode(calmNode(plan).id)
        add(plan, firewall, service)
        plan.check('firewall-devices.create', { path: { firewallId: firewall.id }, body: { ...service } })
      },
    },
    {
      id: 'firewall-devices.create.migrating-neighbour',
      source: states,
      text: 'Whether a firewall takes a further service while a node that it is assigned to is migrating can be read either way.',
      when: ({ world, refs }) => hasMigratingNode(world, refs.firewallId),
      probe: (plan) => {
        const node = calmNode(plan)
        const firewall = disabledFirewall(plan)
        add(plan, firewall, asNode(node.id))
        const path = { firewallId: firewall.id }
        plan.hook('setLiveMigration', node.id, true)
        plan.check('firewall-devices.create', { path, body: asNode(otherCalmNode(plan, node).id) })
        plan.hook('setLiveMigration', node.id, false)
      },
    },
    restrictedUse('firewall-devices.create'),
  ],
  apply: ({ world, body, refs: { firewallId: firewall }, made, caller }) => {
    const isAgain = hasDevice(world, firewall, isFor(body))
    // Whether it then has one device for the service or two is not said, so of one that is not told nothing is believed.
    if (isAgain !== false && isLatent(made))
      return unbury(
        forget(world, firewalls, firewall.key, ['devicesKnown']),
        firewallDevices,
        ({ firewallId: of }) => of === firewall.key,
      )
    return put(doubted(world, firewall, body), firewallDevices, {
      key: made,
      account: firewall.account,
      ...(caller.user && { maker: caller.user.name }),
      firewallId: firewall.key,
      entity: { id: body.id, type: body.type },
    })
  },
})

export const viewFirewallDevice = operation({
  id: 'firewall-devices.view',
  area: 'networking',
  method: 'GET',
  path: '/networking/firewalls/{firewallId}/devices/{deviceId}',
  reach: { in: 'firewalls', alone: true, lent: 'looks', concerns: itself },
  source: endpoints,
  summary: 'Shows one device of a firewall.',
  scopes: ['firewall:read_only'],
  params: both,
  reply: record(firewallDevices),
  shows: 'deviceId',
  draft: (plan) => {
    const firewall = disabledFirewall(plan)
    return addressOf(firewall, add(plan, firewall, asNode(calmNode(plan).id)))
  },
  silences: [orphaned('firewall-devices.view'), restrictedUse('firewall-devices.view')],
})

export const deleteFirewallDevice = operation({
  id: 'firewall-devices.delete',
  area: 'networking',
  method: 'DELETE',
  path: '/networking/firewalls/{firewallId}/devices/{deviceId}',
  reach: { in: 'firewalls', alone: false, lent: 'firewalls', concerns: itself },
  source: endpoints,
  summary: 'Takes a firewall from a service.',
  scopes: ['firewall:read_write'],
  params: both,
  owned: ofWriters,
  reply: anything,
  removes: 'deviceId',
  emits: [{ event: 'firewall_device_remove' }],
  draft: (plan) => {
    const firewall = disabledFirewall(plan)
    return addressOf(firewall, add(plan, firewall, asNode(calmNode(plan).id)))
  },
  refusals: [
    {
      id: 'firewall-devices.delete.live-migration',
      source: `${states}; Errors, "firewall operations on nodes with an ongoing live migration"`,
      text: 'A firewall is not taken from a node with a live migration under way.',
      when: ({ world, refs: { deviceId: device } }) =>
        known(entityOf(device), world, () => isOnMigrating(world, device) === true),
      probe: (plan) => {
        const { id } = calmNode(plan)
        const firewall = disabledFirewall(plan)
        const address = addressOf(firewall, add(plan, firewall, asNode(id)))
        const probe = (): void => {
          plan.hook('setLiveMigration', id, true)
          plan.probe('firewall-devices.delete', address)
          plan.hook('setLiveMigration', id, false)
        }
        probe()
        plan.call('firewalls.update', { path: { firewallId: firewall.id }, body: { status: 'enabled' } })
        probe()
        plan.twin('firewall-devices.delete', address)
      },
    },
  ],
  silences: [
    {
      id: 'firewall-devices.delete.migrating-neighbour',
      source: states,
      text: 'Whether a firewall can be taken from a service while another node that it is assigned to is migrating can be read either way.',
      when: ({ world, refs: { deviceId: device, firewallId: firewall } }) =>
        and(hasMigratingNode(world, firewall), not(isOnMigrating(world, device))),
      probe: (plan) => {
        const node = calmNode(plan)
        const other = otherCalmNode(plan, node)
        const firewall = disabledFirewall(plan)
        add(plan, firewall, asNode(node.id))
        const address = addressOf(firewall, add(plan, firewall, asNode(other.id)))
        plan.hook('setLiveMigration', node.id, true)
        plan.check('firewall-devices.delete', address)
        plan.hook('setLiveMigration', node.id, false)
      },
    },
    orphaned('firewall-devices.delete'),
    restrictedUse('firewall-devices.delete'),
  ],
  apply: ({ world, refs }) => drop(world, firewallDevices, refs.deviceId.key),
})

/** The devices that a firewall has for the service may stay, or give way to a new one. */
const doubted = (world: World, firewall: Entity<Firewall>, service: Service): World =>
  live(world, firewallDevices, firewall.account)
    .filter((device) => deviceIn(device, firewall.key) === true && isFor(service)(device) === true)
    .reduce((before, device) => put(before, firewallDevices, { ...device, stub: true }), world)

/** Whether the devices that an operation has given a firewall are all among those it is known to have; a text names one that is not. */
const areListed = (world: World, firewall: string, by: string): Ternary | string => {
  const own = live(world, firewallDevices).filter(
    (device) =>
      deviceIn(device, firewall) === true &&
      !device.stub &&
      !isGone(world, device) &&
      device.since?.firewallId?.by === by,
  )
  const unlisted = own.find(({ key }) => isLatent(key))
  // A device that was seen before without telling its service may be the one.
  const isNameless = (device: Device): boolean =>
    deviceIn(device, firewall) !== false && !isLatent(device.key) && entityOf(device) === undefined
  if (unlisted && live(world, firewallDevices).some(isNameless)) return undefined
  return unlisted ? `no device for ${spell(unlisted.entity)}` : own.length > 0 || undefined
}

/** Devices of a firewall on services that another firewall has been taken from. */
const leftBy = (world: World, firewall: string) => {
  const buried = (world.tables.get(firewallDevices.name)?.gone ?? []).map(({ entity }) => entity as Device)
  return live(world, firewallDevices).filter(
    (device) =>
      device.firewallId === firewall &&
      !isLatent(device.key) &&
      !device.stub &&
      !isGone(world, device) &&
      buried.some(
        ({ firewallId, entity }) =>
          firewallId !== firewall && entity?.id === entityOf(device)?.id && entity?.type === entityOf(device)?.type,
      ),
  )
}

export const firewallDeviceOperations = [
  listFirewallDevices,
  createFirewallDevice,
  viewFirewallDevice,
  deleteFirewallDevice,
]
