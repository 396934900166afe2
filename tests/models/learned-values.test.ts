import { expect, test } from 'vitest'
import { buildCall } from '../../history/calls.js'
import { firewallDevices } from '../../models/firewall-devices/record.js'
import { firewalls } from '../../models/firewalls/record.js'
import { operationById } from '../../models/index.js'
import { ips } from '../../models/ips/record.js'
import { ranges } from '../../models/ipv6-ranges/record.js'
import { put } from '../../models/language/changes.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import type { Args } from '../../models/language/plan.js'
import { close, find, type World } from '../../models/language/world.js'
import { nodeSettings } from '../../models/managed-node-settings/record.js'
import { startWorld } from '../../models/start.js'
import { tags } from '../../models/tags/record.js'
import { volumes } from '../../models/volumes/record.js'
import { judge } from '../../oracle/judge.js'
import { embeddedEnvironment } from '../../reference/environment.js'

/** Values that a faulty target may show in the place of any field. */
const oddities: readonly unknown[] = [null, -1.5, 'x', [null, 5], [{ addresses: { ipv4: [5] }, ports: 7 }], { id: {} }]

const own = '203.0.113.7'
const rule = { action: 'ACCEPT', protocol: 'TCP', addresses: { ipv4: ['192.0.2.0/24'] }, ports: '80' }
const rules = { inbound: [rule, { ...rule, action: 'DROP' }], inbound_policy: 'DROP', outbound_policy: 'ACCEPT' }
const entities: readonly (readonly [table: AnyTable, key: string, fields: object])[] = [
  [volumes, '7', { id: 7, label: 'disk', status: 'active', size: 20, region: 'r1', node_id: null, tags: ['web'] }],
  [firewalls, '7', { id: 7, label: 'wall', status: 'enabled', tags: ['web'], devicesKnown: true, ...rules }],
  [firewallDevices, '7/7', { id: 7, firewallId: '7', entity: { id: 101, type: 'node' } }],
  [ranges, '2001:db8:7::', { region: 'r1' }],
  [tags, 'main/web', { label: 'web', created: true, objectsKnown: true }],
  [nodeSettings, '101', { id: 101 }],
  [ips, own, { address: own, public: true, node_id: 101, region: 'r1' }],
]

const volume = { volumeId: 7 }
const firewall = { firewallId: 7 }
const device = { ...firewall, deviceId: 7 }
const address = { address: own }
const range = { range: '2001:db8:7::' }
const assignments = [
  { address: own, node_id: 102 },
  { address: '2001:db8:7::/64', node_id: 102 },
]
const calls: readonly (readonly [operation: string, args: Args])[] = [
  ['volumes.list', {}],
  ['volumes.create', { body: { label: 'new', node_id: 101, config_id: 501, tags: ['web'] } }],
  ['volumes.view', { path: volume }],
  ['volumes.update', { path: volume, body: { label: 'new', tags: ['web'] } }],
  ['volumes.delete', { path: volume }],
  ['volumes.attach', { path: volume, body: { node_id: 101, persist_across_boots: false } }],
  ['volumes.attach', { path: volume, body: { node_id: 101, config_id: 501 } }],
  ['volumes.detach', { path: volume }],
  ['volumes.clone', { path: volume, body: { label: 'new' } }],
  ['volumes.resize', { path: volume, body: { size: 30 } }],
  ['firewalls.list', {}],
  ['firewalls.create', { body: { label: 'new', rules, devices: { nodes: [101], nodebalancers: [301] } } }],
  ['firewalls.view', { path: firewall }],
  ['firewalls.update', { path: firewall, body: { label: 'new', status: 'enabled' } }],
  ['firewalls.delete', { path: firewall }],
  ['firewall-rules.view', { path: firewall }],
  ['firewall-rules.update', { path: firewall, body: rules }],
  ['firewall-devices.list', { path: firewall }],
  ['firewall-devices.create', { path: firewall, body: { id: 101, type: 'node' } }],
  ['firewall-devices.create', { path: firewall, body: { id: 301, type: 'nodebalancer' } }],
  ['firewall-devices.view', { path: device }],
  ['firewall-devices.delete', { path: device }],
  ['ips.list', { query: { skip_ipv6_rdns: true }, body: { skip_ipv6_rdns: true } }],
  ['ips.allocate', { body: { node_id: 101, public: false, type: 'ipv4' } }],
  ['ips.view', { path: address }],
  ['ips.update', { path: address, body: { rdns: 'host.example.org' } }],
  ['ips.update', { path: address, body: { rdns: null } }],
  ['ips.assign', { body: { region: 'r1', assignments } }],
  ['ipv4.share', { body: { ips: [own, '2001:db8:7::'], node_id: 102 } }],
  ['ipv6-ranges.list', {}],
  ['ipv6-ranges.create', { body: { prefix_length: 64, node_id: 101 } }],
  ['ipv6-ranges.view', { path: range }],
  ['ipv6-ranges.delete', { path: range }],
  ['tags.list', {}],
  ['tags.create', { body: { label: 'web', nodes: [101], volumes: [7] } }],
  ['tags.view', { path: { tagLabel: 'web' } }],
  ['tags.delete', { path: { tagLabel: 'web' } }],
]

const known = entities.reduce<World>(
  (world, [table, key, fields]) =>
    close(put(world, table, { key, account: 'main', ...fields } as never), table, 'main'),
  startWorld(embeddedEnvironment()),
)
const plain = Object.assign(
  { id: 7, range: '2001:db8:7::', rdns: 'a.example', rules },
  ...entities.map(([, , all]) => all),
)

for (const [table, key] of entities)
  test(`whatever is believed or shown of ${table.name} can be judged`, () => {
    for (const field of table.fields)
      for (const odd of oddities) {
        const entity = find(known, table, key) as object
        const world = put(known, table, { ...entity, [field]: odd } as never)
        for (const record of [plain, { ...plain, [field]: odd }])
          for (const [id, args] of calls) {
            const op = operationById(id) as Operation
            const call = buildCall(op, { as: 'owner', ...args })
            const body = op.reply.kind === 'page' ? { data: [record], page: 1, pages: 1, results: 1 } : record
            const { defects = [] } = judge(world, op, call, { status: 200, body }, 1)
            expect(defects).toEqual([])
          }
      }
  })
