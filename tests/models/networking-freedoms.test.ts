// Targets that use what the document leaves open about Networking and Managed: no must-level finding may come of it.
import { describe, expect, test } from 'vitest'
import { finish, performAll } from '../../driver/conduct.js'
import { begin } from '../../driver/running.js'
import { operationById } from '../../models/index.js'
import { nodes } from '../../models/language/facts.js'
import { find } from '../../models/language/world.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { both, findingsOf, instead, outcomeOf, replies } from './faulty.js'
import { pageOf, refusal, type Told, told } from './stories.js'

/** Gives what it makes the same id every time, which is free once the former is deleted, and does not tell it. */
const reusing = (id: string, key: string) =>
  both(
    instead(id, () => ({ makes: { ...operationById(id)?.makes, mint: () => key } as never })),
    replies(id, () => ({})),
  )

describe('ids of what was deleted are given again, untold', () => {
  test.each([
    ['managed-contacts.update.path.contactId.exists', 'managed-contacts.create', '7'],
    ['managed-credentials.update.path.credentialId.exists', 'managed-credentials.create', '7'],
    ['ipv6-ranges.view.path.range.exists', 'ipv6-ranges.create', '2001:db8:7::'],
  ])('%s', async (clause, create, key) => expect(await findingsOf(clause, reusing(create, key))).toEqual([]))

  test('a range that was made since may be shown where one was deleted', () => {
    const body = { prefix_length: 64, node_id: 101 }
    const path = { range: '2001:db8:7::' }
    const story: readonly Told[] = [
      ['ipv6-ranges.create', { body }, 200, { range: '2001:db8:7::/64' }],
      ['ipv6-ranges.delete', { path }, 200, {}],
      ['ipv6-ranges.create', { body }, 204, undefined],
      ['ipv6-ranges.view', { path }, 200, { range: '2001:db8:7::/64' }],
      ['ipv6-ranges.list', {}, 200, pageOf({ range: '2001:db8:7::/64' })],
    ]
    expect(told(story, { closed: ['ipv6-ranges'] }).deviations).toEqual([])
  })
})

test('a service that is no more may be listed beside one that was made like it', () => {
  const body = { label: 'web', service_type: 'url', address: 'https://example.org/', timeout: 30 }
  const story: readonly Told[] = [
    ['managed-services.create', { body }, 200, { id: 61, ...body }],
    ['managed-services.delete', { path: { serviceId: 61 } }, 200, {}],
    ['managed-services.create', { body }, 200, 63],
    ['managed-services.list', {}, 200, pageOf({ id: 61, label: 'web', status: 'stopped' }, { id: 63, label: 'web' })],
    ['managed-services.delete', { path: { serviceId: 63 } }, 200, {}],
  ]
  expect(told(story, { closed: ['managed-services'] }).deviations).toEqual([])
})

describe('a record that stands within an object with a status of its own', () => {
  const rules = { inbound_policy: 'DROP', outbound_policy: 'ACCEPT' }
  const created: Told = ['firewalls.create', { body: { label: 'web', rules } }, 200, { id: 7, label: 'web' }]
  const within = (status: string) => ({ status: 'done', firewall: { id: 7, label: 'web', status, tags: [] } })
  const path = { firewallId: 7 }
  const view = (status: string): Told => ['firewalls.view', { path }, 200, within(status)]

  test('is not taken for that object', () => {
    const disabled: Told = ['firewalls.update', { path, body: { status: 'disabled' } }, 200, within('disabled')]
    for (const last of [view('enabled'), disabled]) expect(told([created, last]).deviations).toEqual([])
    const wrapped: Told = ['firewalls.create', { body: { label: 'mail', rules } }, 201, within('enabled')]
    expect(told([created, wrapped]).deviations).toEqual([])
  })
  test('is not sought in what has the id that was asked for', () => {
    const maker = { id: 3, label: 'ann', status: 'active', tags: [] }
    const shown: Told = ['firewalls.view', { path }, 200, { id: 7, created_by: maker }]
    expect(told([created, shown]).deviations.filter((one) => one.startsWith('must'))).toEqual([])
    const disabled: Told = ['firewalls.view', { path }, 200, { id: 7, status: 'disabled', created_by: maker }]
    expect(told([created, disabled]).deviations).toContain('must firewalls.view.shows.status')
  })
  test.each([
    ['has the id, too', { id: 7, status: 'ok', firewall: { id: 7, label: 'web', status: 'enabled', tags: [] } }],
    ['has the id alone', { type: 'firewall', id: '7', attributes: { label: 'web', status: 'enabled', tags: [] } }],
  ])('may be in what %s', (_, shown) => {
    expect(told([created, ['firewalls.view', { path }, 200, shown]]).deviations).toEqual([])
  })
  test('of a part may be in what has the id of the whole', () => {
    const steps: readonly Told[] = [
      created,
      ['firewall-devices.create', { path, body: { id: 101, type: 'node' } }, 200, { id: 12 }],
      ['firewall-devices.view', { path: { ...path, deviceId: 12 } }, 200, { id: 7, device: { id: 12 } }],
    ]
    expect(told(steps).deviations).toEqual([])
  })
  test('is judged as the record in a view', () =>
    expect(told([created, view('disabled')]).deviations).toEqual(['must firewalls.view.shows.status']))
  test('may be what is left of a service', () => {
    const body = { label: 'web', service_type: 'url', address: 'https://example.org/', timeout: 30 }
    const left = (status: string): readonly Told[] => [
      ['managed-services.create', { body }, 200, { id: 61, ...body }],
      ['managed-services.delete', { path: { serviceId: 61 } }, 200, {}],
      ['managed-services.view', { path: { serviceId: 61 } }, 200, { service: { id: 61, ...body, status }, meta: {} }],
    ]
    expect(told(left('stopped')).deviations).toEqual([])
    expect(told(left('ok')).deviations).toEqual(['must managed-services.delete.takes-effect'])
  })
})

test('a range in another region than the node is either one to blame', () => {
  const story: readonly Told[] = [
    ['ipv6-ranges.create', { body: { prefix_length: 64, node_id: 101 } }, 200, { range: '2001:db8:7::/64' }],
    ['ips.share', { body: { ips: ['2001:db8:7::'], node_id: 103 } }, 400, refusal('node_id')],
  ]
  expect(told(story, { closed: ['ipv6-ranges'] }).deviations).toEqual([])
})

test('a migration that a program has begun ends with it, wherever it stops', async () => {
  const { session } = inProcess({ environment: embeddedEnvironment() })
  const running = begin(session, 'a program that stops')
  const hook = 'setLiveMigration'
  const began = { role: 'arrange', hook, args: [101, true] } as const
  const stopped = await performAll(running, [began, { role: 'arrange', operation: 'none' }])
  expect(stopped).toBeDefined()
  expect(find(session.world(), nodes, '101')?.liveMigration).toBe(true)
  await finish(running, stopped)
  expect(find(session.world(), nodes, '101')?.liveMigration).toBe(false)
})

test('no node of the target file need migrate for creations to be refused while one does', async () => {
  const environment = embeddedEnvironment()
  const calm = (environment.fixtures.nodes ?? []).map((node) => ({ ...node, liveMigration: false }))
  const still = { ...environment, fixtures: { ...environment.fixtures, nodes: calm } }
  expect((await outcomeOf('firewalls.create.live-migration', {}, still)).exercised).toBe(true)
})

test('beside a name of what is not there, the refusal may blame what else may be wrong', () => {
  const rules = { inbound_policy: 'DROP', outbound_policy: 'ACCEPT' }
  const naming = (nodes: readonly number[]): Told => [
    'firewalls.create',
    { body: { label: 'web', rules, devices: { nodes, nodebalancers: [999999] } } },
    400,
    refusal('nodes'),
  ]
  expect(told([naming([101])], { closed: ['nodebalancers', 'nodes'] }).deviations).toEqual([])
})
