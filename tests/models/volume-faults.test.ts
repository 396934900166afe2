// Targets whose volumes have one fault each that no derived mutant has, run against the probe of one clause.
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { operationById } from '../../models/index.js'
import type { Principal } from '../../models/language/access.js'
import { drop, patch } from '../../models/language/changes.js'
import { clausesOf } from '../../models/language/derive.js'
import { nodes } from '../../models/language/facts.js'
import type { Operation } from '../../models/language/operation.js'
import { find, live, type World } from '../../models/language/world.js'
import { type Volume, volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'
import { secondOrderOf } from '../../reference/mutants/second-order.js'
import {
  findingsOf,
  instead,
  leaves,
  misjudges,
  omits,
  outcomeOf,
  refuses,
  replies,
  spares,
  sparesAgain,
} from './faulty.js'
import { pageOf, told } from './stories.js'

/** A rule that a target applies to plain calls alone: not to those that give such a member. */
const unless = (id: string, member: string): readonly [string, string, Fault] => {
  const [area, verb, rule = ''] = id.split('.')
  return [
    `does not ask for ${rule} where ${member} is given`,
    id,
    spares(`${area}.${verb}`, rule, ({ body }: { readonly body: object }) => member in body),
  ]
}

/** Counts no volumes that came to their node by such a call. */
const uncounted = (id: string, by: string): readonly [string, string, Fault] => [
  `counts no volumes that are attached by ${by}`,
  `${id}.eight-per-node`,
  misjudges(id, 'eight-per-node', (facts: { readonly world: World }, rule) => {
    const { world } = facts
    const others = live(world, volumes).filter(({ since }) => since?.node_id?.by === by)
    return rule({ ...facts, world: others.reduce((left, { key }) => drop(left, volumes, key), world) } as never)
  }),
]

interface Resizing {
  readonly body: { readonly size: number }
  readonly refs: { readonly volumeId: Volume }
}

/** What a call has just attached counts as attached past the profile. */
const pastProfile = (after: World, before: World): World =>
  live(after, volumes)
    .filter(({ key, node_id }) => node_id !== find(before, volumes, key)?.node_id)
    .reduce((world, { key }) => patch(world, volumes, key, { profile: false }), after)

const early = '2020-01-01T00:00:00'

const faults: readonly (readonly [string, string, Fault])[] = [
  ...['volumes.clone', 'volumes.resize'].map(
    (id) =>
      [
        `takes ${id} while a resize is under way`,
        `${id}.active-only-resizing`,
        spares(id, 'active-only-resizing', () => true),
      ] as const,
  ),
  [
    'compares sizes as texts',
    'volumes.resize.only-up',
    misjudges(
      'volumes.resize',
      'only-up',
      ({ body, refs }: Resizing) => String(body.size) <= String(refs.volumeId.size),
    ),
  ],
  unless('volumes.create.region-or-node', 'tags'),
  unless('volumes.create.config-of-node', 'size'),
  unless('volumes.create.selectable-config', 'tags'),
  unless('volumes.create.eight-per-node', 'region'),
  unless('volumes.attach.eight-per-node', 'config_id'),
  ...['volumes.create', 'volumes.attach'].flatMap((id) => [
    uncounted(id, 'volumes.create'),
    uncounted(id, 'volumes.attach'),
  ]),
  ...['volumes.create', 'volumes.attach'].flatMap((id) =>
    ['volumes.create', 'volumes.attach'].map(
      (by) =>
        [
          `takes a volume for one past the profile where ${by} names the profile`,
          `${id}.eight-per-node`,
          leaves(by, (after, before, { body }: { readonly body: { readonly config_id?: number } }) =>
            body.config_id === undefined ? after : pastProfile(after, before),
          ),
        ] as const,
    ),
  ),
  ...['volumes.create', 'volumes.attach'].flatMap((id): readonly (readonly [string, string, Fault])[] => [
    [
      'takes a volume for one past the profile that was said to persist',
      `${id}.eight-per-node`,
      leaves(
        'volumes.attach',
        (after, before, { body }: { readonly body: { readonly persist_across_boots?: boolean } }) =>
          body.persist_across_boots === true ? pastProfile(after, before) : after,
      ),
    ],
    [
      'counts no volume whose label was changed',
      `${id}.eight-per-node`,
      leaves(
        'volumes.update',
        (after, _, { refs }: { readonly refs: { readonly volumeId: { readonly key: string } } }) =>
          patch(after, volumes, refs.volumeId.key, { profile: false }),
      ),
    ],
  ]),
  unless('volumes.attach.node-grant', 'config_id'),
  unless('volumes.attach.volume-grant', 'config_id'),
  [
    'attaches a volume to a node in another region while it is being created',
    'volumes.attach.same-region',
    spares(
      'volumes.attach',
      'same-region',
      ({ refs }: { readonly refs: { readonly volumeId: Partial<Volume> } }) => refs.volumeId.status === 'creating',
    ),
  ],
  ['attaches a volume to a node of another account', 'volumes.attach.node-owned', omits('volumes.attach.node-owned')],
  ['deletes a migrating volume at the second try', 'volumes.delete.migrating', sparesAgain('volumes.delete.migrating')],
  ...['volumes.create', 'volumes.clone'].map(
    (id) =>
      [
        `tells of a creation long ago by ${id}`,
        `${id}.created`,
        replies(id, (volume) => ({ ...volume, created: early })),
      ] as const,
  ),
  ...['volumes.view', 'volumes.attach', 'volumes.resize'].map(
    (id) =>
      [
        `shows an earlier update by ${id}`,
        `${id}.updated`,
        replies(id, (volume) => ({ ...volume, updated: early })),
      ] as const,
  ),
  [
    'shows an earlier update in the list',
    'volumes.list.updated',
    replies('volumes.list', (page) => ({
      ...page,
      data: (page.data as readonly object[]).map((volume) => ({ ...volume, updated: early })),
    })),
  ],
]

for (const [what, id, fault] of faults)
  test(`a target that ${what} breaks ${id}`, async () => {
    expect(await findingsOf(id, fault)).toContain(id)
    expect(await findingsOf(id, {})).toEqual([])
  })

/** What a reply shows of a volume, last changed by a machine whose clock is six seconds behind. */
const behind = (volume: Readonly<Record<string, unknown>>) => ({
  ...volume,
  updated: new Date(Date.parse(String(volume.updated)) - 6000).toISOString().slice(0, 19),
})

test.each(['volumes.view', 'volumes.attach', 'volumes.resize'])(
  'a time of the last update by a clock some seconds behind does not break %s.updated',
  async (id) => expect(await findingsOf(`${id}.updated`, replies(id, behind))).toEqual([]),
)

test('a time of the last update by a clock some seconds behind does not break volumes.list.updated', async () => {
  const fault = replies('volumes.list', (page) => ({
    ...page,
    data: (page.data as readonly Readonly<Record<string, unknown>>[]).map(behind),
  }))
  expect(await findingsOf('volumes.list.updated', fault)).toEqual([])
})

test('a volume that the hook has migrating is not deleted where the target file names none', async () => {
  const id = 'volumes.delete.migrating'
  const { fixtures, ...rest } = embeddedEnvironment()
  const environment = { ...rest, fixtures: { ...fixtures, volumes: [] } }
  expect(
    await findingsOf(
      id,
      spares('volumes.delete', 'migrating', () => true),
      environment,
    ),
  ).toEqual([id])
  expect(await findingsOf(id, {}, environment)).toEqual([])
})

test.each(['volumes.attach', 'volumes.detach', 'volumes.clone'])(
  'a target that refuses %s to restricted users who have the grants is found where the target file does not say that a volume rests',
  async (id) => {
    const { fixtures, ...rest } = embeddedEnvironment()
    const lent = (fixtures.volumes ?? []).filter(({ migrating }) => !migrating).map(({ migrating: _, ...one }) => one)
    const environment = { ...rest, fixtures: { ...fixtures, volumes: lent } }
    const barring = refuses(id, ({ caller }: { readonly caller: Principal }) => caller.user?.restricted === true)
    expect(await findingsOf(`${id}.granted`, barring, environment)).toEqual([`${id}.accepts`])
    expect(await findingsOf(`${id}.granted`, {}, environment)).toEqual([])
  },
)

const grown = [
  {
    operation: 'volumes.resize',
    method: 'POST',
    url: '/volumes/603/resize',
    as: 'owner',
    path: { volumeId: '603' },
    query: {},
    body: { size: 40 },
  },
] as const

test('a target that resizes a large volume for a user who may only read it breaks volumes.resize.volume-grant', async () => {
  const id = 'volumes.resize.volume-grant'
  const reading = ({ caller }: { readonly caller: Principal }) => caller.user?.grants?.volumes?.[603] === 'read_only'
  const onLarge = async (fault: Fault) => (await outcomeOf(id, fault, embeddedEnvironment(), grown)).findings
  const found = await onLarge(spares('volumes.resize', 'volume-grant', reading))
  expect(found.map(({ clause }) => clause)).toContain(id)
  expect(await onLarge({})).toEqual([])
})

test('a volume that a user may only read is asked for no more than the largest size that the target file allows', async () => {
  const id = 'volumes.resize.volume-grant'
  const asked: number[] = []
  const hears = spares('volumes.resize', 'volume-grant', ({ body }: { readonly body: { readonly size: number } }) => {
    asked.push(body.size)
    return false
  })
  const environment = embeddedEnvironment()
  await outcomeOf(id, hears, { ...environment, safety: { ...environment.safety, maxVolumeGiB: 40 } }, grown)
  expect(asked.length).toBeGreaterThan(0)
  expect(Math.max(...asked)).toBe(40)
})

/** A target that shows after an update the time of the last one that it has told before. */
const keepsUpdated = (): Fault => {
  const told = new Map<unknown, unknown>()
  return {
    body: (body, op) => {
      const { id, updated, data } = body as { id?: unknown; updated?: unknown; data?: readonly Partial<Volume>[] }
      if (op.id === 'volumes.update' && told.has(id)) return { ...(body as object), updated: told.get(id) }
      for (const shown of data ?? [{ id, updated }]) told.set(shown.id, shown.updated)
      return body
    },
  }
}

test('a target that keeps the time of the last update when tags change breaks volumes.update.updated-when-tagged', async () => {
  const id = 'volumes.update.updated-when-tagged'
  const { findings } = await outcomeOf(id, keepsUpdated())
  expect(findings.map(({ level, clause }) => `${level} ${clause}`)).toContain(`should ${id}`)
  expect((await outcomeOf(id, {})).findings).toEqual([])
})

test('a target that detaches another volume as well is found where many are attached past the profile', async () => {
  const fault = leaves('volumes.detach', (after, _, { refs }: Resizing) => {
    const other = live(after, volumes).find(
      ({ key, node_id, profile }) =>
        key !== String(refs.volumeId.id) && node_id === refs.volumeId.node_id && profile === false,
    )
    return other ? patch(after, volumes, other.key, { node_id: null, profile: null }) : after
  })
  const { findings } = await outcomeOf('volumes.attach.one-per-gigabyte', fault)
  // The judge needs no detachment to see that the other one is gone; the target does.
  expect(findings[0]?.steps.map(({ call }) => call.operation)).toEqual([
    'volumes.create',
    'volumes.create',
    'volumes.attach',
    'volumes.attach',
    'volumes.detach',
    'volumes.view',
  ])
  expect(findings[0]?.confirmed).toBe(true)
})

test('a call that only another one needed is left out with it', async () => {
  const fault = leaves('tags.delete', (after, before, { path }: { readonly path: { readonly tagLabel: string } }) =>
    live(before, volumes)
      .filter(({ account, tags }) => account !== 'main' && tags?.includes(path.tagLabel))
      .reduce<World>(
        (left, { key, tags }) =>
          patch(left, volumes, key, { tags: tags?.filter((tag) => tag !== path.tagLabel) ?? [] }),
        after,
      ),
  )
  const { findings } = await outcomeOf('tags.delete.untags-volumes', fault)
  // Neither the volume that is given the tag by an update, nor the update.
  expect(findings[0]?.steps.map(({ call }) => call.operation)).toEqual([
    'volumes.create',
    'volumes.create',
    'volumes.create',
    'tags.create',
    'tags.delete',
    'volumes.view',
  ])
})

const volume = {
  status: 'active',
  size: 20,
  region: 'r1',
  hardware_type: 'nvme',
  node_id: null,
  node_label: null,
  tags: [],
  created: early,
  updated: early,
}

const listed = (page_size: number, volumes: number): readonly string[] => {
  const page = pageOf(
    ...Array.from({ length: volumes }, (_, i) => {
      const label = `v-${i}`
      return { ...volume, id: i + 1, label, filesystem_path: `/dev/disk/by-id/scsi-0Node_Volume_${label}` }
    }),
  )
  return told([['volumes.list', { query: { page_size } }, 200, page]]).deviations.filter((one) => /heeds/.test(one))
}

test.each([
  [25, 26, ['should volumes.list.heeds-page-size']],
  [25, 25, []],
  [500, 501, ['should volumes.list.heeds-page-size']],
  // Beyond the standard sizes another one may be taken in its place.
  [24, 26, []],
  [501, 502, []],
])('a page_size of %i answered with %i volumes deviates by %j', (size, volumes, deviations) => {
  expect(listed(size, volumes)).toEqual(deviations)
})

test('a target that asks for no add_volumes where a node is given breaks volumes.create.add-volumes', async () => {
  const id = 'volumes.create.add-volumes'
  const fault = spares('volumes.create', 'add-volumes', ({ body }: { readonly body: object }) => 'node_id' in body)
  const environment = embeddedEnvironment()
  // The first restricted user without that grant has none on a node either.
  const writer = {
    name: 'writer',
    account: 'main',
    restricted: true,
    grants: { global: [], nodes: { 101: 'read_write' } },
  } as const
  const token = { name: 'writer', user: 'writer', scopes: '*' } as const
  const { users, tokens } = environment
  const peopled = { ...environment, users: [...users, writer], tokens: [...tokens, token] }
  expect(await findingsOf(id, fault, peopled)).toContain(id)
  expect(await findingsOf(id, {}, peopled)).toEqual([])
})

/** The embedded target with a node of 32 GB before those of the target file. */
const withLarger = () => {
  const environment = embeddedEnvironment()
  const nodes = environment.fixtures.nodes ?? []
  const small = nodes.find(({ memoryGiB }) => memoryGiB === 16)
  if (!small) throw new Error('no node of 16 GB')
  const large = { ...small, id: 990_032, memoryGiB: 32, configs: [990_033] }
  return {
    small,
    large,
    environment: { ...environment, fixtures: { ...environment.fixtures, nodes: [large, ...nodes] } },
  }
}

const perGigabyte = 'volumes.attach.one-per-gigabyte'

test('a node of 16 GB is taken for small: the limit is tried first where it changes, however many larger nodes stand before it', () => {
  const { small, large, environment } = withLarger()
  const probe = clausesOf(operationById('volumes.attach') as Operation).find((one) => one.id === perGigabyte)
  const planned = probe && probeFor(probe, inProcess({ environment }).session.context)
  if (planned?.kind !== 'program') throw new Error('no program')
  const used = planned.program.steps.flatMap((step) =>
    'operation' in step && step.operation === 'volumes.attach' ? [(step.body as { node_id?: number }).node_id] : [],
  )
  expect([...new Set(used)]).toEqual([small.id, large.id])
})

test('a target that takes one number for the limit of all nodes from 16 GB on is found where a larger node is lent', async () => {
  const { large, environment } = withLarger()
  const isLarge = ({ body }: { readonly body: { readonly node_id: number } }): boolean => body.node_id === large.id
  const sixteen = refuses('volumes.attach', ({ world, ...facts }: Attaching) => {
    const there = live(world, volumes).filter(({ node_id, profile }) => node_id === large.id && profile === false)
    return isLarge(facts) && there.length >= 16
  })
  expect(await findingsOf(perGigabyte, sixteen, environment)).not.toEqual([])
  expect(await findingsOf(perGigabyte, spares('volumes.attach', 'one-per-gigabyte', isLarge), environment)).toContain(
    perGigabyte,
  )
  expect(await findingsOf(perGigabyte, {}, environment)).toEqual([])
})

/** The first node of another region once more, in a region whose id begins like that of the first, and once more with much memory. */
const withFar = () => {
  const environment = embeddedEnvironment()
  const { nodes = [], regions = [] } = environment.fixtures
  const [near] = nodes
  const far = nodes.find(({ region, liveMigration }) => region !== near?.region && liveMigration !== true)
  if (!near || !far) throw new Error('no two regions')
  const alike = { ...far, id: 990_101, region: `${near.region}0`, configs: [990_102] }
  const large = { ...far, id: 990_201, memoryGiB: 512, configs: [990_202] }
  const fixtures = {
    ...environment.fixtures,
    regions: [...regions, { id: alike.region, vlans: true }],
    nodes: [...nodes, large, alike],
  }
  return { ...environment, fixtures }
}

interface Attaching {
  readonly world: World
  readonly body: { readonly node_id: number }
  readonly refs: { readonly volumeId: { readonly region?: string } }
}

test.each([
  [
    'compares regions by how they begin',
    ({ world, body, refs }: Attaching) =>
      find(world, nodes, body.node_id)?.region?.startsWith(refs.volumeId.region ?? '') === true,
  ],
  [
    'looks at no region where the node is large',
    ({ world, body }: Attaching) => (find(world, nodes, body.node_id)?.memoryGiB ?? 0) >= 128,
  ],
] as const)('a target that %s breaks volumes.attach.same-region', async (_, isSpared) => {
  const id = 'volumes.attach.same-region'
  const environment = withFar()
  expect(await findingsOf(id, spares('volumes.attach', 'same-region', isSpared), environment)).toContain(id)
  expect(await findingsOf(id, {}, environment)).toEqual([])
})

test('a target that lists no attached volume under a tag breaks tags.view.all-objects', async () => {
  const id = 'tags.view.all-objects'
  const hides = replies('tags.view', (page, before) => {
    const data = (page.data as readonly { readonly type: string; readonly data: { readonly id: number } }[]).filter(
      (one) => one.type !== 'volume' || find(before, volumes, one.data.id)?.node_id === null,
    )
    return { ...page, data, results: data.length }
  })
  expect(await findingsOf(id, hides)).toContain(id)
  expect(await findingsOf(id, {})).toEqual([])
})

test('a target that lists what another account has under a tag of that name breaks tags.view.all-objects', async () => {
  const id = 'tags.view.all-objects'
  const everybodys = instead('tags.view', ({ render }) => ({
    render: ((facts: Viewing) => {
      const own = (render as unknown as (facts: Viewing) => { readonly data: readonly object[] })(facts)
      const theirs = live(facts.after, volumes).filter(
        ({ account, tags = [] }) => account !== facts.account && tags.includes(facts.path.tagLabel),
      )
      const data = [...own.data, ...theirs.map((volume) => ({ type: 'volume', data: { id: volume.id } }))]
      return { ...own, data, results: data.length }
    }) as never,
  }))
  expect(await findingsOf(id, everybodys)).toContain(id)
})

interface Viewing {
  readonly after: World
  readonly account: string
  readonly path: { readonly tagLabel: string }
}

test('a node in a creation spares nobody the add_volumes grant, whether the node is granted or not', async () => {
  const id = 'volumes.create.add-volumes'
  const fault = spares('volumes.create', 'add-volumes', ({ body }: { readonly body: object }) => 'node_id' in body)
  expect(await findingsOf(id, fault)).toContain(id)
})

test('a node that may only be read, and has several profiles, is tried for the grant on it', async () => {
  const environment = embeddedEnvironment()
  const { users, tokens, fixtures } = environment
  const [first] = fixtures.nodes ?? []
  if (!first) throw new Error('no node')
  const twofold = { ...first, id: 990_301, configs: [990_302, 990_303] }
  const reader = {
    name: 'node-reader',
    account: 'main',
    restricted: true,
    grants: { global: [], volumes: { 602: 'read_write' }, nodes: { [twofold.id]: 'read_only' } },
  } as const
  const token = { name: 'node-reader', user: 'node-reader', scopes: '*' } as const
  const extended = {
    ...environment,
    users: [...users.filter(({ restricted }) => !restricted), reader],
    tokens: [...tokens, token],
    fixtures: { ...fixtures, nodes: [...(fixtures.nodes ?? []), twofold] },
  }
  const id = 'volumes.attach.node-grant'
  const fault = spares('volumes.attach', 'node-grant', ({ body }: Attaching) => body.node_id === twofold.id)
  expect(await findingsOf(id, fault, extended)).toContain(id)
  expect(await findingsOf(id, {}, extended)).toEqual([])
})

interface Creating {
  readonly world: World
  readonly body: { readonly node_id?: number }
}

test('a node with several profiles is asked for one of another node', async () => {
  const id = 'volumes.create.config-of-node'
  const fault = spares(
    'volumes.create',
    'config-of-node',
    ({ world, body }: Creating) => (find(world, nodes, body.node_id)?.configs?.length ?? 0) > 1,
  )
  expect(await findingsOf(id, fault)).toContain(id)
})

test('a target that writes paths in small letters is found by a label that has others', async () => {
  const inSmall = (path: unknown): string => String(path).replace(/(?<=Volume_).*/, (label) => label.toLowerCase())
  const fault = replies('volumes.view', (volume) => ({ ...volume, filesystem_path: inSmall(volume.filesystem_path) }))
  expect(await findingsOf('volumes.create.label-characters', fault)).toContain('volumes.view.shows.filesystem_path')
})

test('a resize that puts back what was before the volume was attached is found right after that', async () => {
  const resize = operationById('volumes.resize') as Operation
  const mutant = secondOrderOf(resize).find(
    ({ id }) => id === 'volumes.resize: puts back what was before volumes.attach',
  )
  const armed = mutant?.arm()
  expect(await findingsOf('volumes.resize.migrating', armed?.fault ?? {})).toContain('volumes.view.shows.node_id')
})

interface Called {
  readonly caller: Principal
}

test('a user whose grant is read_write and whose update is refused is a doubt', async () => {
  const id = 'volumes.update.granted'
  const fault = refuses('volumes.update', ({ caller }: Called) => caller.user?.restricted === true)
  const { findings } = await outcomeOf(id, fault)
  expect(findings.map(({ clause, level }) => ({ clause, level }))).toEqual([{ clause: id, level: 'should' }])
})

test('a region that is refused beside its own node is a doubt and hides no other rule', async () => {
  const fault = refuses(
    'volumes.create',
    ({ body }: { readonly body: { readonly region?: string; readonly node_id?: number } }) =>
      body.region !== undefined && body.node_id !== undefined,
  )
  const told = async (id: string) => (await outcomeOf(id, fault)).findings.map(({ clause, level }) => [clause, level])
  const id = 'volumes.create.region-of-node'
  expect(await told(id)).toEqual([[id, 'should']])
  expect(await told('volumes.create.region-or-node')).toEqual([])
})

test('a user whose grant is read_write and whose update is lost is found', async () => {
  const fault = leaves('volumes.update', (after, before, { caller }: Called) =>
    caller.user?.restricted ? before : after,
  )
  expect(await findingsOf('volumes.update.granted', fault)).toContain('volumes.update.shows.label')
})

interface Tagging extends Called {
  readonly body: { readonly tags?: unknown }
}

test.each(['volumes.update.granted', 'volumes.update.tag-grant'])(
  'a target that lets no restricted user change tags shows no fault in %s',
  async (id) => {
    const fault = refuses(
      'volumes.update',
      ({ caller, body }: Tagging) => caller.user?.restricted === true && body.tags !== undefined,
    )
    expect((await outcomeOf(id, fault)).findings).toEqual([])
  },
)

test.each(['volumes.create.eight-per-node', 'volumes.attach.eight-per-node'])(
  '%s is shown on a target that changes nothing that is attached',
  async (id) => {
    const fault = refuses(
      'volumes.update',
      ({ refs }: { readonly refs: { readonly volumeId: Volume } }) => refs.volumeId.node_id !== null,
    )
    const { findings, exercised } = await outcomeOf(id, fault)
    expect([findings, exercised]).toEqual([[], true])
  },
)

test.each(['volumes.create', 'volumes.update'])(
  'a target that keeps two of three tags by %s shows no third',
  async (id) => {
    const fault = leaves(id, (after) =>
      live(after, volumes).reduce(
        (world, { key, tags = [] }) => patch(world, volumes, key, { tags: tags.slice(0, 2) }),
        after,
      ),
    )
    expect(await findingsOf(`${id}.accepts`, fault)).toContain(`${id}.shows.tags`)
    expect(await findingsOf(`${id}.accepts`, {})).toEqual([])
  },
)
