// The four firewall device operations: sections "Firewall", "Firewall status", "Endpoints / Networking" and "Limits" of the document.
import { firewalls } from '../firewalls/record.js'
import {
  calmNode,
  deviceIn,
  hasMigratingNode,
  isGone,
  isOnMigrating,
  orphaned,
  otherCalmNode,
  restrictedUse,
  spareNode,
} from '../firewalls/services.js'
import { ofWriters } from '../language/access.js'
import { drop } from '../language/changes.js'
import { and, known, not, type Ternary } from '../language/clause.js'
import { anything, operation, page, record, ref } from '../language/operation.js'
import { standardPaging } from '../language/pagination.js'
import { itself } from '../language/reach.js'
import { type Entity, find, gone, isLatent, live, type Path, type WireRecord, type World } from '../language/world.js'
import { add, addressOf, asNode, devices, disabledFirewall, endpoints, firewallId, nowhere, states } from './common.js'
import { createFirewallDevice } from './create.js'
import { deviceKey, entityOf, firewallDevices, type Service } from './record.js'

const deviceRow = (method: string) => `${endpoints}, ${method} ${devices}/{deviceId}`

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

/** Whether the devices that an operation has given a firewall are all among those it is known to have; a text names one that is not. */
const areListed = (world: World, firewall: string, by: string): Ternary | string => {
  const own = live(world, firewallDevices).filter(
    (device) =>
      deviceIn(device, firewall) === true &&
      !device.stub &&
      !isGone(world, device) &&
      device.since?.firewallId?.by === by,
  )
  const unlisted = own.filter(({ key }) => isLatent(key))
  const shown = live(world, firewallDevices).filter(
    (device) => deviceIn(device, firewall) !== false && !isLatent(device.key),
  )
  // A device that was seen by its id before may be the one: it tells the same service, or none.
  const missing = unlisted.find(
    ({ entity }) =>
      !shown.some((device) => [undefined, spell(entity)].includes(entityOf(device) && spell(device.entity))),
  )
  if (missing) return `no device for ${spell(missing.entity)}`
  return unlisted.length === 0 && own.length > 0 ? true : undefined
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
