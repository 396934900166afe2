// Targets of Managed and Support with one fault each that no derived mutant has, run against the probe of one clause.
import { expect, test } from 'vitest'
import { drop, patch } from '../../models/language/changes.js'
import { parseAddress } from '../../models/language/formats.js'
import { type Entity, live, type WireRecord, type World } from '../../models/language/world.js'
import { type Credential, credentials } from '../../models/managed-credentials/record.js'
import { defaultSsh, nodeSettings } from '../../models/managed-node-settings/record.js'
import { type Service, services } from '../../models/managed-services/record.js'
import { subjects } from '../../models/tickets/record.js'
import type { Fault } from '../../reference/handler.js'
import { both, findingsOf, leaves, outcomeOf, refuses, replies, spares } from './faulty.js'

interface Body {
  readonly body: Readonly<Record<string, unknown>>
}

interface Addressed {
  readonly body: { readonly address: string; readonly region?: string }
}

const withoutRegion = (start: string): Fault =>
  spares('managed-services.create', 'region-required', ({ body }: Addressed) => body.address.includes(start))

/** Takes texts in the body for others. */
const readsAs = (operation: string, pattern: RegExp, instead: string): Fault => {
  const read = (value: unknown): unknown => {
    if (typeof value === 'string') return value.replace(pattern, instead)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, read(inner)]))
  }
  return { call: (call) => (call.operation === operation ? { ...call, body: read(call.body) } : call) }
}
const withRegion = (host: string): Fault =>
  spares('managed-services.create', 'region-forbidden', ({ body }: Addressed) => body.address.includes(host))

interface Updating extends Body {
  readonly refs: { readonly serviceId: Entity<Service> }
}

interface Revoking {
  readonly refs: { readonly credentialId: Entity<Credential> }
}

const faults: readonly (readonly [string, string, Fault])[] = [
  [
    'decodes the query of an address',
    'managed-services.create.query-preserved',
    readsAs('managed-services.create', /%26/, '&'),
  ],
  [
    'takes no longest summary beside a longest description',
    'tickets.create.accepts',
    refuses(
      'tickets.create',
      ({ body }: Body) => String(body.summary).length === 64 && String(body.description).length === 65_000,
    ),
  ],
  ...[...subjects, 'managed_issue'].map(
    (name) =>
      [
        `takes a region beside ${name}`,
        name === 'managed_issue' ? 'tickets.create.managed-without-subject' : 'tickets.create.region-only-vlan',
        spares('tickets.create', 'region-only-vlan', ({ body }: Body) => body[name] !== undefined),
      ] as const,
  ),
  [
    'refuses whatever names managed_issue beside an ID',
    'tickets.create.managed-without-subject',
    refuses(
      'tickets.create',
      ({ body }: Body) => body.managed_issue !== undefined && subjects.some((name) => body[name] !== undefined),
    ),
  ],
  ...(['node_id', 'firewall_id', 'domain_id'] as const).map(
    (name) =>
      [
        `refuses managed_issue beside ${name} though it is false`,
        'tickets.create.managed-without-subject',
        refuses('tickets.create', ({ body }: Body) => body.managed_issue === false && body[name] !== undefined),
      ] as const,
  ),
  [
    'refuses whatever names managed_issue on an account without Managed',
    'tickets.create.managed-enabled',
    refuses(
      'tickets.create',
      ({ body, caller }: Body & { readonly caller: { readonly account?: { readonly managed?: boolean } } }) =>
        body.managed_issue !== undefined && caller.account?.managed === false,
    ),
  ],
  ...['//10.', '//172.16.', '//172.31.', ':8080'].map(
    (start) =>
      [`takes ${start} without a region`, 'managed-services.create.region-required', withoutRegion(start)] as const,
  ),
  ...['8.8.8.8', '172.32.0.1', '11.0.0.1'].map(
    (host) => [`takes a region beside ${host}`, 'managed-services.create.region-forbidden', withRegion(host)] as const,
  ),
  ...['create', 'update'].map(
    (verb) =>
      [
        `takes what ends with @ for an address of mail in ${verb}`,
        `managed-contacts.${verb}.body.email.format`,
        readsAs(`managed-contacts.${verb}`, /@$/, '@example.org'),
      ] as const,
  ),
  [
    "deletes another account's contact",
    'managed-contacts.delete.path.contactId.owned',
    { call: (call) => (call.operation === 'managed-contacts.delete' ? { ...call, as: 'owner' } : call) },
  ],
  [
    'sets the user of every node with that of one',
    'managed-node-settings.update.address',
    leaves('managed-node-settings.update', (after, _, { body }: { body: { ssh?: { user?: string | null } } }) =>
      live(after, nodeSettings).reduce(
        (world, { key, ssh }) =>
          patch(world, nodeSettings, key, { ssh: { ...ssh, user: body.ssh?.user ?? null } as never }),
        after,
      ),
    ),
  ],
  [
    'takes any four numbers with dots for an address of a node',
    'managed-node-settings.update.body.ssh.ip.format',
    readsAs('managed-node-settings.update', /^256\./, '10.'),
  ],
  [
    'gives the access settings of one node to the others, whose entries in lists are not told apart',
    'managed-node-settings.update.address',
    both(
      leaves(
        'managed-node-settings.update',
        (after, _, { refs }: { readonly refs: { readonly nodeId: { readonly key: string } } }) =>
          live(after, nodeSettings)
            .filter(({ key }) => key !== refs.nodeId.key)
            .reduce(
              (world, { key }) => patch(world, nodeSettings, key, { ssh: { ...defaultSsh, port: 65535 } }),
              after,
            ),
      ),
      replies('managed-node-settings.list', (body) => ({
        ...body,
        data: (body.data as readonly WireRecord[]).map(({ node_id, ...entry }) => entry),
      })),
    ),
  ],
  ...['create', 'update'].map(
    (verb) =>
      [
        `keeps groups in small letters in ${verb}`,
        `managed-contacts.${verb}.characters`,
        readsAs(`managed-contacts.${verb}`, /B\.C$/, 'b.c'),
      ] as const,
  ),
  [
    'leaves contacts without a group out of the list',
    'managed-contacts.create.accepts',
    replies('managed-contacts.list', (body) => ({
      ...body,
      data: (body.data as readonly WireRecord[]).filter(({ group }) => group !== null),
    })),
  ],
  [
    'takes a region beside a new public address',
    'managed-services.update.region-forbidden',
    spares(
      'managed-services.update',
      'region-forbidden',
      ({ body }: Addressed) => body.address !== undefined && parseAddress(body.address) === null,
    ),
  ],
  [
    'deletes the services that name a credential with it',
    'managed-credentials.revoke.in-use',
    leaves('managed-credentials.revoke', (after, before, { refs: { credentialId: credential } }: Revoking) =>
      live(before, services)
        .filter(({ credentials: named }) => JSON.stringify(named ?? []).includes(credential.key))
        .reduce<World>((world, { key }) => drop(world, services, key), after),
    ),
  ],
  ...['label', 'notes'].map(
    (name) =>
      [
        `stores the address without its query when it is given the ${name}`,
        'managed-services.update.no-field-required',
        leaves('managed-services.update', (after, _, { body, refs: { serviceId: service } }: Updating) =>
          body[name] === undefined
            ? after
            : patch(after, services, service.key, { address: String(service.address).replace(/\?.*$/, '') }),
        ),
      ] as const,
  ),
  ...['region', 'consultation_group'].map(
    (name) =>
      [
        `takes no update of the ${name} alone`,
        'managed-services.update.no-field-required',
        refuses(
          'managed-services.update',
          ({ body }: Body) => Object.keys(body).length === 1 && body[name] !== undefined,
        ),
      ] as const,
  ),
]

for (const [what, id, fault] of faults)
  test(`a target that ${what} breaks a clause in the probe of ${id}`, async () => {
    expect(await findingsOf(id, fault)).not.toEqual([])
    expect(await findingsOf(id, {})).toEqual([])
  })

test('a target that shows the password of a credential by another name is found out', async () => {
  const hinting = replies('managed-credentials.view', (body, before) => ({
    ...body,
    hint: live(before, credentials).at(-1)?.password,
  }))
  const { findings } = await outcomeOf('managed-credentials.view.password-hidden', hinting)
  expect(findings.map((one) => one.clause)).toContain('managed-credentials.view.password-hidden')
})

/** A target whose refusals repeat a member of what was sent. */
const repeating = (id: string, member: string): Fault => {
  let sent: unknown
  return {
    call: (call) => {
      sent = (call.body as Readonly<Record<string, unknown>> | undefined)?.[member]
      return call
    },
    body: (body, op) =>
      op.id === id && 'errors' in (body as object)
        ? { errors: [{ field: 'label', reason: `not with ${sent}` }] }
        : body,
  }
}

test.each([
  ['managed-credentials.create', 'password', 'unique-label', 'password-hidden'],
  ['bucket-certificates.upload', 'private_key', 'body.certificate.required', 'no-secret'],
])('a target whose refusals of %s repeat the %s breaks a should', async (id, member, shownBy, slug) => {
  const { findings } = await outcomeOf(`${id}.${shownBy}`, repeating(id, member))
  expect(findings.map(({ level, clause }) => `${level} ${clause}`)).toContain(`should ${id}.${slug}`)
  expect((await outcomeOf(`${id}.${shownBy}`, {})).findings).toEqual([])
})

test('a target that takes no label with which another one begins breaks managed-credentials.create.unique-label', async () => {
  const id = 'managed-credentials.create.unique-label'
  const shorter = refuses('managed-credentials.create', ({ world, body }: { world: World; body: { label: string } }) =>
    live(world, credentials).some(({ label }) => label !== body.label && label?.startsWith(body.label) === true),
  )
  expect(await findingsOf(id, shorter)).not.toEqual([])
  expect(await findingsOf(id, {})).toEqual([])
})
