// Firewall targets that are changed in one respect which no derived mutant has: in what the document allows, and in what it does not.
import { describe, expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { firewallDevices } from '../../models/firewall-devices/record.js'
import type { Rule } from '../../models/firewall-rules/record.js'
import { type Firewall, firewalls } from '../../models/firewalls/record.js'
import { operationById } from '../../models/index.js'
import type { Principal } from '../../models/language/access.js'
import { drop, patch } from '../../models/language/changes.js'
import { clausesOf } from '../../models/language/derive.js'
import { nodes } from '../../models/language/facts.js'
import { type Entity, find, live, type World } from '../../models/language/world.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { both, findingsOf, leaves, misjudges, omits, refuses, replies, spares } from './faulty.js'

const allowed: readonly (readonly [string, string, Fault])[] = [
  [
    'answers every assignment with nothing',
    'firewall-devices.create.again',
    replies('firewall-devices.create', () => ({})),
  ],
]

interface Naming {
  readonly world: World
  readonly body: { readonly label?: string }
}

interface Updating {
  readonly world: World
  readonly body: Partial<Firewall>
  readonly refs: { readonly firewallId: Entity<Firewall> }
}

const devicesOf = (world: World, { key }: Entity<Firewall>) =>
  live(world, firewallDevices).filter(({ firewallId }) => firewallId === key)

/** Takes such labels, whatever the rule says. */
const takesLabels = (rule: string, such: RegExp): Fault =>
  both(
    ...['firewalls.create', 'firewalls.update'].map((id) =>
      spares(id, rule, ({ body }: Naming) => such.test(body.label ?? '')),
    ),
  )

interface Assigning {
  readonly caller: Principal
  readonly body: { readonly id?: number; readonly devices?: Partial<Record<string, readonly number[]>> }
}

/** Whether the caller may read the services of that kind which the call names. */
const mayRead =
  (kind: 'nodes' | 'nodebalancers') =>
  ({ caller, body: { id, devices } }: Assigning): boolean =>
    (devices?.[kind] ?? [id ?? 0]).some((one) => caller.user?.grants?.[kind]?.[one] === 'read_only')

const takesNumbers: Fault = both(
  ...['firewalls.create', 'firewall-rules.update'].map((id) =>
    spares(id, 'ports-form', ({ body }: { readonly body: object }) =>
      /"ports":"(?:1e3|\+80)"/.test(JSON.stringify(body)),
    ),
  ),
)

const faults: readonly (readonly [string, string, Fault])[] = [
  ...[
    'firewalls.create.nodes-owned',
    'firewalls.create.nodebalancers-owned',
    'firewall-devices.create.service-owned',
  ].map((id) => [`asks not whose a service is: ${id}`, id, omits(id)] as const),
  ...(['nodes', 'nodebalancers'] as const).flatMap((kind): (readonly [string, string, Fault])[] => [
    [
      `takes read_only on ${kind} for enough`,
      'firewalls.create.device-grant',
      spares('firewalls.create', 'device-grant', mayRead(kind)),
    ],
    [
      `takes read_only on ${kind} for enough`,
      'firewall-devices.create.service-grant',
      spares('firewall-devices.create', 'service-grant', mayRead(kind)),
    ],
  ]),
  [
    'asks for no balancer beside a node',
    'firewalls.create.device-grant',
    spares(
      'firewalls.create',
      'device-grant',
      ({ caller, body: { devices } }: Assigning) =>
        devices?.nodebalancers !== undefined &&
        devices.nodes?.every((id) => caller.user?.grants?.nodes?.[id] === 'read_write') === true,
    ),
  ],
  [
    'takes read_only on nodes for enough',
    'firewall-devices.create.service-grant-for-own-firewall',
    spares('firewall-devices.create', 'service-grant-for-own-firewall', mayRead('nodes')),
  ],
  [
    'counts no rules where a direction is left out',
    'firewall-rules.update.rules-25',
    spares('firewall-rules.update', 'rules-25', ({ body }: { readonly body: object }) => !('outbound' in body)),
  ],
  ...['firewalls.create', 'firewall-rules.update'].map((id): readonly [string, string, Fault] => [
    'reads ports as numbers',
    `${id}.ports-form`,
    takesNumbers,
  ]),
  ...['firewalls.create', 'firewalls.update'].flatMap((id): (readonly [string, string, Fault])[] => [
    ['takes what lies between Z and a', `${id}.label-characters`, takesLabels('label-characters', /[[^`]/)],
    ['takes a plus sign', `${id}.label-characters`, takesLabels('label-characters', /[+]/)],
    ['looks at no mark but its own at the ends', `${id}.label-ends`, takesLabels('label-ends', /^[^\w.-]|[^\w.-]$/)],
    [
      'lets a label be that of a disabled firewall',
      `${id}.label-unique`,
      spares(id, 'label-unique', ({ world, body }: Naming) =>
        live(world, firewalls).some(({ label, status }) => label === body.label && status === 'disabled'),
      ),
    ],
  ]),
  ...[
    [
      'counts no node balancer',
      ({ body, refs, world }: Updating) =>
        body.status === 'enabled' &&
        devicesOf(world, refs.firewallId).every(({ entity }) => entity?.type === 'nodebalancer'),
    ],
    [
      'counts no device that was added',
      ({ refs, world }: Updating) =>
        devicesOf(world, refs.firewallId).every(({ since }) => since?.entity?.by !== 'firewalls.create'),
    ],
  ].map(([what, such]): readonly [string, string, Fault] => [
    what as string,
    'firewalls.update.one-active',
    spares('firewalls.update', 'one-active', such as (facts: Updating) => boolean),
  ]),
  [
    'counts devices that were removed',
    'firewalls.update.one-active',
    refuses(
      'firewalls.update',
      ({ body, refs, world }: Updating) =>
        body.status === 'enabled' &&
        devicesOf(world, refs.firewallId).some(({ entity }) =>
          world.tables
            .get('firewall-devices')
            ?.gone.some(
              ({ entity: buried, by }) =>
                by === 'firewall-devices.delete' && (buried.entity as typeof entity)?.id === entity?.id,
            ),
        ),
    ),
  ],
  ...['firewalls.update', 'firewalls.delete', 'firewall-rules.update'].map((id): readonly [string, string, Fault] => [
    'looks at the nodes of the creation alone',
    `${id}.live-migration`,
    spares(id, 'live-migration', ({ refs, world }: Updating) =>
      devicesOf(world, refs.firewallId).every(
        ({ entity, since }) =>
          since?.entity?.by !== 'firewalls.create' || find(world, nodes, entity?.id)?.liveMigration !== true,
      ),
    ),
  ]),
  [
    'keeps earlier tags',
    'firewalls.update.replaces-tags',
    leaves(
      'firewalls.update',
      (
        after,
        _,
        {
          body,
          refs: {
            firewallId: { key, tags = [] },
          },
        }: Updating,
      ) => patch(after, firewalls, key, { ...(body.tags && { tags: [...tags, ...body.tags] }) }),
    ),
  ],
  [
    'takes no tags for none given',
    'firewalls.update.replaces-tags',
    leaves(
      'firewalls.update',
      (
        after,
        _,
        {
          body,
          refs: {
            firewallId: { key, tags = [] },
          },
        }: Updating,
      ) => patch(after, firewalls, key, { ...(body.tags?.length === 0 && { tags }) }),
    ),
  ],
  [
    'enables a firewall with any update',
    'firewalls.update.keeps-status',
    leaves('firewalls.update', (after, _, { body, refs }: Updating) =>
      patch(after, firewalls, refs.firewallId.key, { status: body.status ?? 'enabled' }),
    ),
  ],
  [
    'enables a firewall with its rules',
    'firewall-rules.update.nothing-else',
    leaves('firewall-rules.update', (after, _, { refs }: Updating) =>
      patch(after, firewalls, refs.firewallId.key, { status: 'enabled' }),
    ),
  ],
  [
    'sets the status deleted of a disabled firewall',
    'firewalls.update.status-deleted',
    {
      ...spares('firewalls.update', 'status-deleted', ({ refs }: Updating) => refs.firewallId?.status === 'disabled'),
      ...omits('firewalls.update.body.status.enum'),
    },
  ],
  [
    'takes away tags with the rules',
    'firewall-rules.update.nothing-else',
    leaves('firewall-rules.update', (after, _, { refs }: Updating) =>
      patch(after, firewalls, refs.firewallId.key, { tags: [] }),
    ),
  ],
  [
    'lets a rule keep the description of the one it replaces',
    'firewall-rules.view.replaced',
    leaves(
      'firewall-rules.update',
      (
        after,
        _,
        {
          refs: {
            firewallId: { key, inbound = [] },
          },
        }: Updating,
      ) =>
        patch(after, firewalls, key, {
          inbound: (find(after, firewalls, key)?.inbound ?? []).map((rule, i) => ({
            ...(inbound[i]?.description !== undefined && { description: inbound[i].description }),
            ...rule,
          })),
        }),
    ),
  ],
]

/** Forgets the label of what is assigned to something. */
const forgetsAssigned = (id: string): Fault =>
  misjudges(id, 'label-unique', (facts: { readonly world: World }, when) =>
    when({
      ...facts,
      world: live(facts.world, firewalls)
        .filter((one) => devicesOf(facts.world, one).length > 0)
        .reduce((world, { key }) => drop(world, firewalls, key), facts.world),
    }),
  )

describe('a label stays taken', () => {
  for (const id of ['firewalls.create', 'firewalls.update'])
    test(`${id} finds a target that forgets the label of a firewall with devices`, async () =>
      expect(await findingsOf(`${id}.label-unique`, forgetsAssigned(id))).toContain(`${id}.label-unique`))
})

describe('a fault is found', () => {
  for (const [what, id, fault] of faults)
    test(`a target that ${what} breaks a clause in the probe of ${id}`, async () => {
      expect(await findingsOf(id, fault)).not.toEqual([])
      expect(await findingsOf(id, {})).toEqual([])
    })
})

describe('a target may differ', () => {
  for (const [what, id, fault] of allowed)
    test(`a target that ${what} breaks nothing in the probe of ${id}`, async () =>
      expect(await findingsOf(id, fault)).toEqual([]))
})

test('a wrong value is tried in the first of several items and in the last', () => {
  const { session } = inProcess({ environment: embeddedEnvironment() })
  const op = operationById('firewalls.create')
  const clause = op && clausesOf(op).find(({ id }) => id === 'firewalls.create.body.rules.inbound[].protocol.enum')
  const probe = clause && probeFor(clause, session.context)
  const bodies =
    probe?.kind === 'program' ? probe.program.steps.flatMap((step) => ('body' in step ? [step.body] : [])) : []
  const protocols = bodies.map((body) =>
    (body as { rules: { inbound: Rule[] } }).rules.inbound.map(({ protocol }) => protocol),
  )
  expect(protocols).toEqual(
    expect.arrayContaining([
      ['no-such-value', 'TCP'],
      ['TCP', 'no-such-value'],
      ['tcp', 'TCP'],
    ]),
  )
})

test('a target that takes no label with which another one begins breaks firewalls.create.label-unique', async () => {
  const id = 'firewalls.create.label-unique'
  const shorter = refuses('firewalls.create', ({ world, body }: Naming) =>
    live(world, firewalls).some(({ label }) => label !== body.label && label?.startsWith(body.label ?? '?') === true),
  )
  expect(await findingsOf(id, shorter)).not.toEqual([])
})

test.each(['firewalls.create', 'firewalls.update'])(
  'a target that compares the first 31 characters of labels alone breaks the unique label of %s',
  async (id) => {
    const clipped = refuses(id, ({ world, body }: Naming) =>
      live(world, firewalls).some(
        ({ label }) => label !== body.label && label?.length === 32 && label.slice(0, 31) === body.label?.slice(0, 31),
      ),
    )
    expect(await findingsOf(`${id}.label-unique`, clipped)).not.toEqual([])
  },
)

test('a target that counts the node balancers of a firewall with one device alone breaks firewall-devices.create.one-nodebalancer', async () => {
  const id = 'firewall-devices.create.one-nodebalancer'
  const fault = spares(
    'firewall-devices.create',
    'one-nodebalancer',
    ({ world, refs }: Updating) => devicesOf(world, refs.firewallId).length > 1,
  )
  expect(await findingsOf(id, fault)).toContain(id)
  expect(await findingsOf(id, {})).toEqual([])
})
