import { expect, test } from 'vitest'
import { judge } from '../../checker/judge.js'
import { operationById, operations } from '../../models/index.js'
import { startWorld } from '../../models/start.js'
import { firewallDevices } from '../../models/tables/firewall-devices.js'
import { firewalls } from '../../models/tables/firewalls.js'
import { ips } from '../../models/tables/ips.js'
import { ranges } from '../../models/tables/ipv6-ranges.js'
import { nodeSettings } from '../../models/tables/managed-node-settings.js'
import { tags } from '../../models/tables/tags.js'
import { vlans } from '../../models/tables/vlans.js'
import { volumes } from '../../models/tables/volumes.js'
import { close, live, put, type World } from '../../models/world.js'
import { buildCall, recorded } from '../../target/calls.js'
import { embeddedSetting } from '../../target/setting.js'

const junk = [
  null,
  0,
  -1.5,
  'x',
  '',
  true,
  [],
  [null],
  ['x', 5],
  [[]],
  {},
  { id: null },
  { a: [1] },
  [{}],
  [{ addresses: null }],
  { addresses: { ipv4: 5 } },
  [{ addresses: { ipv4: [5, null] }, ports: 7, label: 5 }],
  { ip: 5 },
  { id: {}, type: 5 },
]
const rule = { action: 'ACCEPT', protocol: 'TCP', addresses: { ipv4: ['192.0.2.0/24'] }, ports: '80' }
const rs = {
  inbound: [rule, { ...rule, protocol: 'UDP' }],
  inbound_policy: 'DROP',
  outbound: [rule],
  outbound_policy: 'ACCEPT',
}
const calls: any[] = []
const c = (op: string, args: any = {}) => calls.push([op, args])
c('volumes.list')
c('volumes.create', { body: { label: 'ts-t-a', size: 20, node_id: 101, config_id: 1, tags: ['abc'] } })
c('volumes.create', { body: { label: 'ts-t-a', region: 'r1' } })
const v = { volumeId: 7 }
c('volumes.view', { path: v })
c('volumes.update', { path: v, body: { label: 'abc' } })
c('volumes.update', { path: v, body: { tags: ['abc', 'x'] } })
c('volumes.delete', { path: v })
c('volumes.attach', { path: v, body: { node_id: 101 } })
c('volumes.attach', { path: v, body: { node_id: 101, config_id: 5, persist_across_boots: false } })
c('volumes.detach', { path: v })
c('volumes.clone', { path: v, body: { label: 'q' } })
c('volumes.resize', { path: v, body: { size: 30 } })
const f = { firewallId: 7 }
c('firewalls.list')
c('firewalls.view', { path: f })
c('firewalls.create', {
  body: { label: 'ts-t-fw', rules: rs, devices: { nodes: [101, 102], nodebalancers: [301] }, tags: ['abc'] },
})
for (const body of [
  {},
  { status: 'enabled' },
  { status: 'disabled', label: 'ts-t-q', tags: ['abc'] },
  { status: 'deleted' },
])
  c('firewalls.update', { path: f, body })
c('firewalls.delete', { path: f })
c('firewall-rules.view', { path: f })
c('firewall-rules.update', { path: f, body: rs })
c('firewall-rules.update', { path: f, body: { inbound: [rule] } })
c('firewall-devices.list', { path: f })
c('firewall-devices.create', { path: f, body: { id: 101, type: 'node' } })
c('firewall-devices.create', { path: f, body: { id: 301, type: 'nodebalancer' } })
const d = { ...f, deviceId: 7 }
c('firewall-devices.view', { path: d })
c('firewall-devices.delete', { path: d })
c('ips.list')
c('ips.list', { query: { skip_ipv6_rdns: true }, body: { skip_ipv6_rdns: true } })
c('ips.allocate', { body: { node_id: 101, public: true, type: 'ipv4' } })
c('ips.allocate', { body: { node_id: 101, public: false, type: 'ipv4' } })
const world0 = startWorld(embeddedSetting(), { nonce: 'ts-t' })
const own = live(world0, ips)
  .filter((i) => i.account === 'main' && i.public && i.region === 'r1')
  .slice(0, 3)
  .map((i) => i.key)
for (const a of [own[0], '2001:db8:7::']) {
  c('ips.view', { path: { address: a } })
  c('ips.update', { path: { address: a }, body: { rdns: 'a.example.com' } })
  c('ips.update', { path: { address: a }, body: { rdns: null } })
}
for (const p of ['ips', 'ipv4']) {
  c(`${p}.assign`, {
    body: {
      region: 'r1',
      assignments: [
        { address: own[0], node_id: 101 },
        { address: own[1], node_id: 102 },
        { address: '2001:db8:7::/64', node_id: 102 },
      ],
    },
  })
  c(`${p}.share`, { body: { ips: [own[0], '2001:db8:7::'], node_id: 102 } })
  c(`${p}.share`, { body: { ips: [], node_id: 102 } })
}
c('ipv6-pools.list')
c('ipv6-ranges.list')
c('ipv6-ranges.create', { body: { prefix_length: 64, node_id: 101 } })
c('ipv6-ranges.create', { body: { prefix_length: 64, route_target: '2001:db8:0:1::1' } })
const r = { range: '2001:db8:7::' }
c('ipv6-ranges.view', { path: r })
c('ipv6-ranges.delete', { path: r })
c('vlans.list')
c('tags.list')
c('tags.create', { body: { label: 'abc', domains: [401], nodes: [101], nodebalancers: [301], volumes: [7] } })
c('tags.view', { path: { tagLabel: 'abc' } })
c('tags.delete', { path: { tagLabel: 'abc' } })
const tables: [any, string][] = [
  [volumes, '7'],
  [firewalls, '7'],
  [firewallDevices, '7'],
  [firewallDevices, '7/7'],
  [ips, own[0] as string],
  [ips, '2001:db8:7::'],
  [ranges, '2001:db8:7::'],
  [tags, 'main/abc'],
  [nodeSettings, '101'],
  [nodeSettings, '102'],
]
const bad = new Map<string, string>()
test('junk', () => {
  for (const [table, key] of tables)
    for (const field of [
      ...new Set([
        ...table.fields,
        ...(table.name === 'firewalls' ? ['inbound', 'outbound', 'inbound_policy', 'outbound_policy'] : []),
      ]),
    ])
      for (const value of junk)
        for (const close1 of [false, true]) {
          let w: World = world0
          const full: any = {
            volumes: { id: 7, label: 'vv', status: 'active', size: 20, region: 'r1', node_id: null, tags: ['abc'] },
            firewalls: { id: 7, label: 'ts-t-ff', status: 'enabled', tags: ['abc'], devicesKnown: true, ...rs },
            'firewall-devices': { id: 7, firewallId: '7', entity: { id: 101, type: 'node' } },
            ips: {},
            'ipv6-ranges': { region: 'r1' },
            tags: { label: 'abc', created: true, objectsKnown: true },
          }
          for (const [t, k] of tables)
            if (t !== ips || k.includes(':')) w = put(w, t, { key: k, account: 'main', ...full[t.name] } as never)
          if (close1) for (const t of tables) w = close(w, t[0], 'main')
          const old = live(w, table).find((e: any) => e.key === key) as any
          w = put(w, table, { ...old, [field]: value } as never)
          for (const [id, args] of calls) {
            const op = operationById(id) as any
            const call = recorded(buildCall(op, { as: 'owner', ...args }))
            const rec = {
              id: 7,
              label: 'abc',
              status: 'active',
              size: 20,
              tags: ['abc'],
              node_id: null,
              entity: { id: 101, type: 'node' },
              address: own[0],
              range: '2001:db8:7::',
              ...rs,
              [field]: value,
            }
            const good = {
              id: 7,
              label: 'abc',
              status: 'active',
              size: 20,
              region: 'r1',
              hardware_type: 'hdd',
              filesystem_path: '/dev/x',
              node_id: 101,
              node_label: 'x',
              tags: ['abc'],
              created: '2024-01-01T00:00:00',
              updated: '2024-01-01T00:00:00',
              entity: { id: 101, type: 'node' },
              address: own[0],
              range: '2001:db8:7::/64',
              route_target: '2001:db8::1',
              prefix_length: 64,
              rdns: 'a.b',
              public: true,
              ...rs,
              rules: rs,
              ssh: { ip: 'any' },
            }
            const page = { data: [rec, { ...rec, id: 9 }], page: 1, pages: 1, results: 2 }
            for (const reply of [
              { status: 200, body: rec },
              { status: 200, body: page },
              { status: 200, body: good },
              { status: 200, body: { ...page, data: [good] } },
              { status: 200, body: {} },
              { status: 400, body: { errors: [{ field: 'x', reason: 'r' }] } },
            ]) {
              try {
                const j = judge(w, op, call, reply as never, 3, operationById)
                for (const def of j.defects ?? []) bad.set(`${def} | ${table.name}.${field}`, JSON.stringify(value))
              } catch (e) {
                bad.set(
                  `${id} THROWS ${table.name}.${field} ${(e as Error).stack?.split('\n').slice(0, 3).join(' ')}`,
                  JSON.stringify(value),
                )
              }
            }
          }
        }
  console.log([...bad].map(([a, b]) => `${a} = ${b}`).join('\n'))
}, 600000)
test('ops known', () => {
  expect(calls.filter(([id]) => !operations.some((o) => o.id === id))).toEqual([])
})
