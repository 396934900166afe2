import { describe, expect, test } from 'vitest'
import { pageOf, refusal, type Told, told } from './stories.js'

const closed = ['firewalls', 'nodes', 'nodebalancers']
const rules = { inbound_policy: 'DROP', outbound_policy: 'ACCEPT' }
const node = (id: number) => ({ id, type: 'node' })
const nodebalancer = (id: number) => ({ id, type: 'nodebalancer' })

/** Firewall `id`, made with these devices. */
const firewall = (id: number, devices?: object): Told => [
  'firewalls.create',
  { body: { label: `fw-${id}`, rules, ...(devices && { devices }) } },
  200,
  { id },
]
const disable = (firewallId: number): Told => [
  'firewalls.update',
  { path: { firewallId }, body: { status: 'disabled' } },
  200,
  {},
]
const add = (firewallId: number, service: object, reply: object, status = 200, as = 'owner'): Told => [
  'firewall-devices.create',
  { path: { firewallId }, body: service as never, as },
  status,
  reply,
]
const list = (firewallId: number, ...devices: readonly object[]): Told => [
  'firewall-devices.list',
  { path: { firewallId } },
  200,
  pageOf(...devices),
]
const view = (firewallId: number, deviceId: number, reply: object, status = 200): Told => [
  'firewall-devices.view',
  { path: { firewallId, deviceId } },
  status,
  reply,
]
const remove = (firewallId: number, deviceId: number, reply: object = {}, status = 200): Told => [
  'firewall-devices.delete',
  { path: { firewallId, deviceId } },
  status,
  reply,
]
const device = (id: number, entity: object) => ({ id, entity })
const textual = { id: '101', entity: node(101) }

const deviations = (steps: readonly Told[]) => told(steps, { closed }).deviations
const musts = (steps: readonly Told[]) => deviations(steps).filter((one) => one.startsWith('must'))

describe('in recorded traffic, a device of a creation may be viewed before it is listed', () => {
  const web = device(31, { ...node(101), label: 'web-1' })
  const balancer = device(32, nodebalancer(301))
  const seen = [firewall(7, { nodes: [101], nodebalancers: [301] }), view(7, 31, web)]
  const stories: Readonly<Record<string, readonly Told[]>> = {
    'and is listed then': [...seen, list(7, web, balancer)],
    'and is gone once it is removed': [
      ...seen,
      list(7, web, balancer),
      remove(7, 31),
      add(7, nodebalancer(301), balancer),
      remove(7, 32),
      list(7),
    ],
  }

  test.each(Object.entries(stories))('%s', (_, steps) => {
    expect(told(steps, { closed, adopting: true }).deviations).toEqual([])
  })
})

describe('a target is left its freedom', () => {
  const stories: Readonly<Record<string, readonly Told[]>> = {
    'the id of a device is not that of its service': [
      firewall(7),
      add(7, node(101), { id: 31, entity: { id: 101, type: 'node', label: 'web-1' } }),
      view(7, 31, { id: 31, type: 'node' }),
    ],
    'a device may be answered with its firewall': [
      firewall(7),
      add(7, node(101), { id: 7, label: 'fw-7', status: 'enabled', tags: [] }),
      list(7, device(31, node(101))),
      view(7, 31, device(31, node(101))),
      remove(7, 31),
    ],
    'a device may be answered with a job that tells what it is about': [
      firewall(7),
      add(7, node(101), { id: 990001, status: 'queued', firewall_id: 7 }),
      list(7, device(31, node(101))),
      view(7, 31, device(31, node(101))),
    ],
    'a device may tell its id and nothing else': [
      firewall(7, { nodes: [101], nodebalancers: [301] }),
      list(7, { id: 31 }, { id: 32 }),
      remove(7, 31),
      list(7, { id: 32 }),
    ],
    'devices that tell their ids alone do not tell which service is free again': [
      firewall(7, { nodes: [101, 102] }),
      list(7, { id: 31 }, { id: 32 }),
      remove(7, 31),
      firewall(8, { nodes: [102] }),
    ],
    'a device may be told by its type alone': [
      firewall(7, { nodes: [101], nodebalancers: [301] }),
      list(7, { id: 31, type: 'nodebalancer' }, { id: 32, type: 'node' }),
      view(7, 31, { id: 31, entity: { id: 301 } }),
    ],
    'devices of two firewalls on one service keep apart': [
      firewall(7, { nodes: [101] }),
      disable(7),
      firewall(8, { nodes: [101] }),
      list(8, device(41, node(101))),
      list(7, device(31, node(101))),
    ],
    'the ids of devices may be those of their firewall alone': [
      firewall(7),
      firewall(8),
      disable(8),
      add(7, node(101), { id: 1 }),
      add(8, node(101), { id: 1 }),
      view(8, 1, device(1, node(101))),
      remove(7, 1),
      view(8, 1, device(1, node(101))),
      list(8, device(1, node(101))),
      list(7),
    ],
    'the ids of devices may be texts, and those of their firewall alone': [
      firewall(7),
      firewall(8),
      disable(8),
      add(7, node(101), textual),
      add(8, node(101), textual),
      list(8, textual),
      remove(7, 101),
      remove(7, 101, refusal(), 404),
      view(8, 101, textual),
      list(8, textual),
    ],
    'the id of a device may be that of its service': [
      firewall(7),
      firewall(8),
      disable(8),
      add(7, node(101), { id: 101, type: 'node' }),
      add(8, node(101), { id: 101, type: 'node' }),
    ],
    'a service may be refused a second time': [
      firewall(7),
      add(7, node(101), { id: 31 }),
      add(7, node(101), refusal('id'), 400),
    ],
    'a service that is assigned again may be answered with nothing, and have one device': [
      firewall(7),
      add(7, node(101), { id: 31 }),
      add(7, node(101), {}),
      list(7, device(31, node(101))),
    ],
    'a service that is assigned again may be answered with nothing, and have two devices': [
      firewall(7),
      add(7, node(101), { id: 31 }),
      add(7, node(101), {}),
      list(7, device(31, node(101)), device(32, node(101))),
    ],
    'a service that is assigned again may have its device replaced': [
      firewall(7),
      add(7, node(101), { id: 31 }),
      add(7, node(101), { id: 32 }),
      list(7, device(32, node(101))),
    ],
    'a service that is assigned again may have a second device': [
      firewall(7),
      add(7, node(101), { id: 31 }),
      add(7, node(101), { id: 32 }),
      list(7, device(31, node(101)), device(32, node(101))),
    ],
    'a service that a creation names twice may have two devices': [
      firewall(7, { nodes: [101, 101] }),
      list(7, device(31, node(101)), device(32, node(101))),
    ],
    'devices of a deleted firewall may be refused': [
      firewall(7, { nodes: [101] }),
      ['firewalls.delete', { path: { firewallId: 7 } }, 200, {}],
      ['firewall-devices.list', { path: { firewallId: 7 } }, 404, refusal()],
    ],
  }
  for (const [name, steps] of Object.entries(stories)) test(name, () => expect(musts(steps)).toEqual([]))
})

describe('what the document promises has to be accepted', () => {
  const stories: Readonly<Record<string, readonly Told[]>> = {
    'a disabled firewall beside an active one': [
      firewall(7, { nodes: [101] }),
      firewall(8),
      disable(8),
      add(8, node(101), refusal(), 400),
    ],
    'a service that a firewall was taken from': [
      firewall(7),
      add(7, node(101), { id: 31 }),
      remove(7, 31),
      firewall(8),
      add(8, node(101), refusal(), 400),
    ],
    'a node balancer in place of another': [
      firewall(7),
      add(7, nodebalancer(301), { id: 31 }),
      remove(7, 31),
      add(7, nodebalancer(302), refusal(), 400),
    ],
    'many nodes': [firewall(7, { nodes: [101, 102] }), add(7, node(104), refusal(), 400)],
  }
  for (const [name, steps] of Object.entries(stories))
    test(name, () => expect(musts(steps)).toEqual(['must firewall-devices.create.accepts']))
})

describe('a fault is found', () => {
  const stories: Readonly<Record<string, readonly [readonly Told[], string]>> = {
    'a second active firewall': [
      [firewall(7, { nodes: [101] }), firewall(8), add(8, node(101), { id: 41 })],
      'must firewall-devices.create.one-active',
    ],
    'a second node balancer': [
      [firewall(7, { nodebalancers: [301] }), add(7, nodebalancer(302), { id: 31 })],
      'must firewall-devices.create.one-nodebalancer',
    ],
    'a migrating node': [[firewall(7), add(7, node(105), { id: 31 })], 'must firewall-devices.create.live-migration'],
    'a node that the user may not write': [
      [firewall(7), add(7, node(102), { id: 31 }, 200, 'limited')],
      'must firewall-devices.create.service-grant',
    ],
    'a node of another account': [
      [firewall(7), add(7, node(201), { id: 31 })],
      'must firewall-devices.create.service-owned',
    ],
    'a device for another service than was asked for': [
      [firewall(7), add(7, node(101), device(31, node(102)))],
      'must firewall-devices.create.shows.entity',
    ],
    'a second device of a firewall with the id of the first': [
      [firewall(7), add(7, node(101), { id: 1 }), add(7, node(102), { id: 1 })],
      'must firewall-devices.create.new',
    ],
    'a device of another type': [
      [firewall(7), add(7, node(101), { id: 31, type: 'nodebalancer' })],
      'must firewall-devices.create.shows.type',
    ],
    'a creation that loses one of its devices': [
      [firewall(7, { nodes: [101, 102] }), list(7, device(31, node(101)))],
      'must firewall-devices.list.created-with',
    ],
    'a creation that loses a device beside one that was viewed': [
      [firewall(7, { nodes: [101, 102] }), view(7, 31, device(31, node(101))), list(7, device(31, node(101)))],
      'must firewall-devices.list.created-with',
    ],
    'a creation that loses its only device': [
      [firewall(7, { nodebalancers: [301] }), list(7)],
      'must firewall-devices.list.created-with',
    ],
    'an assignment that is answered with nothing and has no effect': [
      [firewall(7), add(7, node(101), {}), list(7)],
      'must firewall-devices.list.assigned',
    ],
    'a device that nothing added': [
      [firewall(7), list(7, device(31, node(101)))],
      'must firewall-devices.list.no-others',
    ],
    'a device that was removed and stays': [
      [firewall(7), add(7, node(101), { id: 31 }), remove(7, 31), list(7, device(31, node(101)))],
      'must firewall-devices.list.only-live',
    ],
    'a removal that takes other firewalls from the service too': [
      [
        firewall(7),
        add(7, node(101), { id: 31 }),
        disable(7),
        firewall(8),
        add(8, node(101), { id: 41 }),
        remove(7, 31),
        list(8),
      ],
      'must firewall-devices.list.others-stay',
    ],
  }
  for (const [name, [steps, clause]] of Object.entries(stories))
    test(name, () => expect(deviations(steps)).toContain(clause))

  test('a device under another firewall is not there', () =>
    expect(deviations([firewall(7), firewall(8), add(7, node(101), { id: 31 }), view(8, 31, { id: 31 })])).toEqual([
      'should firewall-devices.view.path.deviceId.exists',
    ]))
})

describe('the event of a device', () => {
  test('is due where the service is new to the firewall', () =>
    expect(told([firewall(1), add(1, node(101), { id: 5 })], { closed }).emits).toEqual(['firewall_device_add']))
  test('is not due where the firewall may be assigned to the service already', () =>
    expect(told([add(1, node(101), { id: 5 })]).emits).toBeUndefined())
  test('is not due where the firewall is assigned to the service already', () =>
    expect(
      told([firewall(1), add(1, node(101), { id: 5 }), add(1, node(101), { id: 5 })], { closed }).emits,
    ).toBeUndefined())
  test('is not due either where records of devices do not tell the type of the service', () => {
    const shown = device(5, { id: 301 })
    const again = add(1, nodebalancer(301), shown)
    const steps = [firewall(1, { nodebalancers: [301] }), list(1, shown), again, list(1, shown), again]
    expect(told(steps, { closed }).emits).toBeUndefined()
    expect(deviations([...steps, view(1, 5, device(5, nodebalancer(301))), list(1, shown)])).toEqual([])
  })
})

test('a device that no reply told may have the id of one that is gone', () => {
  const made = device(31, { id: 101 })
  const untold = add(1, node(101), { data: made })
  const begun = [firewall(1), untold, list(1, made), untold, remove(1, 31)]
  expect(told([...begun, untold, list(1, made)]).deviations).toEqual([])
  expect(told([...begun, list(1, made)]).deviations).toEqual(['must firewall-devices.list.only-live'])
})
test('a firewall is known by its id to the devices that it was made with, once a list has told it', () => {
  const listed = (...ids: readonly number[]): Told => [
    'firewalls.list',
    {},
    200,
    pageOf(...ids.map((id) => ({ id, label: `fw-${id}` }))),
  ]
  const untold = (id: number, devices: object): Told => ['firewalls.create', firewall(id, devices)[1], 200, {}]
  const { world } = told(
    [
      untold(1, { nodebalancers: [301] }),
      listed(1),
      disable(1),
      untold(2, {}),
      listed(1, 2),
      disable(2),
      // Were it not known that the first one has the other device, this one might have it already.
      add(2, nodebalancer(301), {}),
      list(2, device(6, nodebalancer(301))),
    ],
    { closed },
  )
  expect([...(world.tables.get('firewall-devices')?.live.keys() ?? [])]).toContain('2/6')
})

test('a type that says device may be that of the record', () => {
  const shown = (type: string) => ({ id: 5, type, attributes: { entity: node(101) } })
  expect(told([firewall(1, { nodes: [101] }), list(1, shown('device'))], { closed }).deviations).toEqual([])
  expect(
    told([firewall(1), add(1, node(101), { id: 5 }), list(1, shown('nodebalancer'))], { closed }).deviations,
  ).toEqual(['must firewall-devices.list.shows.type'])
})
