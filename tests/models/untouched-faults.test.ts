// Targets on which a call touches members that it was not given, or what it is not about; each against the probe of one clause.
import { expect, test } from 'vitest'
import { firewalls } from '../../models/firewalls/record.js'
import { type Ip, ips, shares } from '../../models/ips/record.js'
import { patch } from '../../models/language/changes.js'
import { array, integer, object, optional, text } from '../../models/language/schema.js'
import { type Entity, find, live } from '../../models/language/world.js'
import { services } from '../../models/managed-services/record.js'
import { objectKeys } from '../../models/object-keys/record.js'
import { kindNames } from '../../models/tags/common.js'
import { volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { both, findingsOf, instead, leaves, refuses, spares } from './faulty.js'

interface Named {
  readonly path: Readonly<Record<string, string>>
}

interface Naming {
  readonly body: { readonly rdns: string | null }
  readonly refs: { readonly address: Entity<Ip> }
}

const faults: readonly (readonly [string, string, string, Fault])[] = [
  [
    'takes the credentials of a service that is disabled',
    'managed-services.disable.accepts',
    'managed-services.view.shows.credentials',
    leaves('managed-services.disable', (after, _, { path }: Named) =>
      patch(after, services, path.serviceId ?? '', { credentials: [] }),
    ),
  ],
  [
    'takes the tags of a firewall whose rules are replaced',
    'firewall-rules.update.accepts',
    'firewalls.view.shows.tags',
    leaves('firewall-rules.update', (after, _, { path }: Named) =>
      patch(after, firewalls, path.firewallId ?? '', { tags: [] }),
    ),
  ],
  [
    'takes the buckets of a key that is renamed',
    'object-keys.update.accepts',
    'object-keys.update.shows.bucket_access',
    leaves('object-keys.update', (after, _, { path }: Named) =>
      patch(after, objectKeys, path.keyId ?? '', { access: [] }),
    ),
  ],
  [
    'adds credentials to those that a service has',
    'managed-services.update.no-field-required',
    'managed-services.update.shows.credentials',
    leaves('managed-services.update', (after, before, { path: { serviceId = '' }, body }: Named & Body) =>
      body.credentials?.length
        ? patch(after, services, serviceId, {
            credentials: [...(find(before, services, serviceId)?.credentials ?? []), ...body.credentials],
          })
        : after,
    ),
  ],
  [
    'counts only the rules that an update gives, and keeps the others',
    'firewall-rules.view.at-most-25',
    'firewall-rules.view.at-most-25',
    leaves('firewall-rules.update', (after, before, { path: { firewallId = '' }, body }: Named & Body) =>
      body.inbound
        ? after
        : patch(after, firewalls, firewallId, { inbound: find(before, firewalls, firewallId)?.inbound ?? [] }),
    ),
  ],
  [
    'takes the tags of a firewall that is given a device',
    'firewall-devices.create.accepts',
    'firewalls.view.shows.tags',
    leaves('firewall-devices.create', (after, _, { path }: Named) =>
      patch(after, firewalls, path.firewallId ?? '', { tags: [] }),
    ),
  ],
  [
    'gives up what is shared when another address moves',
    'ips.assign.shared-swap',
    'ips.assign.shared-swap',
    leaves('ips.assign', (after) =>
      live(after, shares).reduce((world, { key }) => patch(world, shares, key, { surely: [] }), after),
    ),
  ],
  [
    'tags volumes of every account',
    'tags.create.tags-volumes',
    'volumes.list.shows.tags',
    leaves('tags.create', (after, _, { body }: { readonly body: { readonly label: string } }) =>
      live(after, volumes).reduce(
        (world, { key, account, tags = [] }) =>
          account === 'other' ? patch(world, volumes, key, { tags: [...tags, body.label] }) : world,
        after,
      ),
    ),
  ],
  [
    'takes all credentials of a service with one that is revoked',
    'managed-services.update.no-field-required',
    'managed-services.view.shows.credentials',
    leaves('managed-credentials.revoke', (after) =>
      live(after, services).reduce((world, { key }) => patch(world, services, key, { credentials: [] }), after),
    ),
  ],
  [
    'takes the groups of all services with a contact',
    'managed-services.update.no-field-required',
    'managed-services.view.shows.consultation_group',
    leaves('managed-contacts.delete', (after) =>
      live(after, services).reduce((world, { key }) => patch(world, services, key, { consultation_group: '' }), after),
    ),
  ],
  [
    'tags the first two volumes of several alone',
    'tags.create.tags-volumes',
    'tags.create.tags-volumes',
    leaves('tags.create', (after, _, { body }: Tagging) =>
      (body.volumes ?? []).slice(2).reduce((world, id) => patch(world, volumes, id, { tags: [] }), after),
    ),
  ],
  [
    'removes every tag that begins like the one deleted',
    'tags.delete.untags-volumes',
    'volumes.view.shows.tags',
    leaves('tags.delete', (after, _, { path: { tagLabel = '' } }: Named) =>
      live(after, volumes).reduce(
        (world, { key, tags = [] }) =>
          patch(world, volumes, key, { tags: tags.filter((tag) => !tag.startsWith(tagLabel)) }),
        after,
      ),
    ),
  ],
]

interface Tagging {
  readonly body: { readonly volumes?: readonly number[] }
}

interface Body {
  readonly body: { readonly credentials?: readonly number[]; readonly inbound?: readonly object[] }
}

for (const [what, id, clause, fault] of faults)
  test(`a target that ${what} is found out by the probe of ${id}`, async () => {
    expect(await findingsOf(id, fault)).toContain(clause)
    expect(await findingsOf(id, {})).toEqual([])
  })

test('a target that gives every address its default name when one is reset is found out where two have names', async () => {
  const { fixtures, ...environment } = embeddedEnvironment()
  const dns = [...(fixtures.dns ?? []), { name: 'spare.example.org', address: '203.0.113.13' }]
  const named = { ...environment, fixtures: { ...fixtures, dns } }
  const resetsAll = leaves('ips.update', (after, _, { body }: { readonly body: { readonly rdns: string | null } }) =>
    body.rdns === null
      ? live(after, ips).reduce((world, { key }) => patch(world, ips, key, { rdns: 'all.default.example.net' }), after)
      : after,
  )
  expect(await findingsOf('ips.update.resets', resetsAll, named)).toContain('ips.view.shows.rdns')
  expect(await findingsOf('ips.update.resets', {}, named)).toEqual([])
})

test('a target that gives no address another name while it has one is found out where one may have two', async () => {
  const { fixtures, ...environment } = embeddedEnvironment()
  const [first] = fixtures.dns ?? []
  const dns = [...(fixtures.dns ?? []), { name: 'second.example.org', address: String(first?.address) }]
  const named = { ...environment, fixtures: { ...fixtures, dns } }
  const onlyOnce = refuses(
    'ips.update',
    ({ body, refs }: Naming) =>
      body.rdns !== null && refs.address.isDefault === false && refs.address.rdns !== body.rdns,
  )
  expect(await findingsOf('ips.update.resets', onlyOnce, named)).not.toEqual([])
  expect(await findingsOf('ips.update.resets', {}, named)).toEqual([])
})

test('a target that asks for the first of several nodes alone whether it may be tagged is found out', async () => {
  const id = 'tags.create.nodes-writable'
  const hasOwn = ({ body }: { readonly body: { readonly nodes?: readonly number[] } }) => (body.nodes?.length ?? 0) > 1
  const firstOnly = spares('tags.create', 'nodes-writable', hasOwn)
  const body = object({
    label: text({ min: 3, max: 50 }),
    ...Object.fromEntries(kindNames.map((kind) => [kind, optional(array(integer()))])),
  })
  const untold = instead('tags.create', () => ({ body }))
  expect(await findingsOf(id, both(firstOnly, untold))).toContain(id)
  expect(await findingsOf(id, {})).toEqual([])
})
