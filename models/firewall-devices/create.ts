// Giving a firewall a service: "Endpoints / Networking", Device create body, and "at most one firewall".

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
  isMigrating,
  lacksService,
  migratingNode,
  otherCalmNode,
  restrictedUse,
  serviceOf,
  spareNode,
  tableOf,
  twoNodebalancers,
} from '../firewalls/services.js'
import { ofWriters } from '../language/access.js'
import { forget, put, unbury } from '../language/changes.js'
import { and, known, not } from '../language/clause.js'
import { nodebalancers, nodes } from '../language/facts.js'
import { exclusiveNeed } from '../language/needs.js'
import { operation, record } from '../language/operation.js'
import { itself } from '../language/reach.js'
import { integer, object, oneOf, tried, without } from '../language/schema.js'
import { foreignNode, foreignNodebalancer } from '../language/strangers.js'
import { type Entity, isClosed, isLatent, live, type World } from '../language/world.js'
import {
  add,
  addressOf,
  asNode,
  asNodebalancer,
  disabledFirewall,
  endpoints,
  firewallId,
  isOwnMaking,
  nowhere,
  states,
} from './common.js'
import { entityOf, firewallDevices, type Service } from './record.js'

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
        plan.need(plan.environment.exclusive, exclusiveNeed())
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

/** The devices that a firewall has for the service may stay, or give way to a new one. */
const doubted = (world: World, firewall: Entity<Firewall>, service: Service): World =>
  live(world, firewallDevices, firewall.account)
    .filter((device) => deviceIn(device, firewall.key) === true && isFor(service)(device) === true)
    .reduce((before, device) => put(before, firewallDevices, { ...device, stub: true }), world)
