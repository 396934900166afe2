import { describe, expect, test } from 'vitest'
import { pageOf, refusal, type Told, told } from './stories.js'

const closed = ['volumes', 'nodes']
const prefix = '/dev/disk/by-id/scsi-0Node_Volume_'
const volume = (members: object = {}) => ({
  id: 7,
  label: 'disk-7',
  status: 'active',
  size: 20,
  region: 'r1',
  hardware_type: 'nvme',
  filesystem_path: `${prefix}disk-7`,
  node_id: null,
  node_label: null,
  tags: [],
  created: '2024-01-01T00:00:00',
  updated: '2024-01-01T00:00:00',
  ...members,
})
const numbered = (id: number, members: object = {}) =>
  volume({ id, label: `disk-${id}`, filesystem_path: `${prefix}disk-${id}`, ...members })

const create = (body: object, reply: object = {}, status = 200): Told => [
  'volumes.create',
  { body: { label: 'disk-7', region: 'r1', ...body } as never },
  status,
  status === 200 ? volume(reply) : reply,
]
const made = create({})
const view = (reply: object, status = 200, as = 'owner'): Told => [
  'volumes.view',
  { path: { volumeId: 7 }, as },
  status,
  reply,
]
const update = (body: object, reply: object, status = 200): Told => [
  'volumes.update',
  { path: { volumeId: 7 }, body: body as never },
  status,
  reply,
]
const attach = (id: number, body: object, reply: object, status = 200, as = 'owner'): Told => [
  'volumes.attach',
  { path: { volumeId: id }, body: body as never, as },
  status,
  reply,
]
const attached = { node_id: 107, node_label: 'spare-1' }

/** Volumes attached to node 107 one after another, past its profile or through it. */
const crowd = (from: number, count: number, past: boolean): readonly Told[] =>
  Array.from({ length: count }, (_, i) => from + i).flatMap((id): Told[] => [
    ['volumes.create', { body: { label: `disk-${id}`, region: 'r1' } }, 200, numbered(id)],
    attach(id, { node_id: 107, ...(past && { persist_across_boots: false }) }, numbered(id, attached)),
  ])
const further = (id: number, past: boolean): readonly Told[] => [
  ['volumes.create', { body: { label: `disk-${id}`, region: 'r1' } }, 200, numbered(id)],
  attach(id, { node_id: 107, ...(past && { persist_across_boots: false }) }, numbered(id, attached)),
]

const deviations = (steps: readonly Told[]) => told(steps, { closed }).deviations
const musts = (steps: readonly Told[]) => deviations(steps).filter((one) => one.startsWith('must'))

describe('a target is left its freedom', () => {
  test.each(['2', 'many'])('to take page %s of one volume, or to refuse it', (page) => {
    const paged = (reply: object, status: number): Told => [
      'volumes.view',
      { path: { volumeId: 7 }, query: { page } },
      status,
      reply,
    ]
    expect(told([made, paged(volume(), 200)], { closed }).deviations).toEqual([])
    expect(told([made, paged(refusal('page'), 400)], { closed }).deviations).toEqual([])
  })
  test.each(['1e2', '50.0', '+50'])('to read %s as the integer that it is, or to refuse it', (size) => {
    const sized = (reply: object, status: number): Told => [
      'firewalls.list',
      { query: { page_size: size } },
      status,
      reply,
    ]
    expect(deviations([sized(pageOf(), 200)])).toEqual([])
    expect(deviations([sized(refusal('page_size'), 400)])).toEqual([])
    expect(deviations([['firewalls.list', { query: { page_size: `${size}x` } }, 200, pageOf()]])).not.toEqual([])
  })
  test.each(['node_id', 'config_id'])('to blame %s where there is no such node', (field) => {
    expect(deviations([create({ node_id: 999, config_id: 501 }, refusal(field), 400)])).toEqual([])
  })
  test.each([
    ['node_id', []],
    ['', []],
    ['region', []],
    ['config_id', ['must volumes.attach.refusal.field']],
  ])('takes %j for what to blame where node and volume are apart', (field, findings) => {
    const far = attach(7, { node_id: 101 }, refusal(field), 400)
    expect(deviations([create({ region: 'r2' }, { region: 'r2' }), far])).toEqual(findings)
  })
  const stories: Readonly<Record<string, readonly Told[]>> = {
    'a restricted user may be refused a look at a volume': [made, view(refusal(), 403, 'guest')],
    'a restricted user may be refused the list': [['volumes.list', { as: 'guest' }, 403, refusal()]],
    'the label of a deleted volume may be refused': [
      made,
      ['volumes.delete', { path: { volumeId: 7 } }, 200, {}],
      create({}, refusal('label'), 409),
    ],
    'a volume that is not active may be left as it is': [
      create({}, { status: 'creating' }),
      update({ tags: ['web'] }, refusal('tags'), 400),
    ],
    'odd tags may be kept in another form': [
      create({ tags: ['A b', 'web'] }, { tags: ['a-b', 'web'] }),
      view(volume({ tags: ['a-b', 'web'] })),
    ],
    'an odd label may be trimmed': [
      create({ label: ' disk ' }, { label: 'disk', filesystem_path: `${prefix}disk` }),
      view(volume({ label: 'disk', filesystem_path: `${prefix}disk` })),
    ],
    'an odd label may be trimmed in the path as well, whatever words it has': [
      create({ label: 'alpha seven ' }, { label: 'alpha seven ', filesystem_path: `${prefix}alpha seven` }),
      view(volume({ label: 'alpha seven ', filesystem_path: `${prefix}alpha\\x20seven` })),
    ],
    'the moment of creation may be written otherwise': [
      create({}, { created: '2024-01-01T00:00:00.250' }),
      view(volume({ created: '2024-01-01T00:00:00Z' })),
    ],
    'where node and region disagree, the volume is where the target says': [
      create({ node_id: 101, region: 'r2' }, { region: 'r2', node_id: 101, node_label: 'web-1' }),
    ],
    'a volume may be busy once it is detached, or once it was cloned': [
      ...crowd(11, 1, false),
      ['volumes.detach', { path: { volumeId: 11 } }, 200, {}],
      ['volumes.clone', { path: { volumeId: 11 }, body: { label: 'disk-12' } }, 400, refusal()],
      ['volumes.view', { path: { volumeId: 11 } }, 200, numbered(11)],
      ['volumes.clone', { path: { volumeId: 11 }, body: { label: 'disk-12' } }, 200, numbered(12)],
      ['volumes.resize', { path: { volumeId: 11 }, body: { size: 30 } }, 400, refusal()],
    ],
    'how large a volume may become is not shown': [
      create({}, {}),
      ['volumes.resize', { path: { volumeId: 7 }, body: { size: 30 } }, 400, refusal('size')],
    ],
    'one of eight volumes may be attached again': [
      ...crowd(11, 8, false),
      attach(11, { node_id: 107 }, numbered(11, attached)),
    ],
    'volumes through the profile may count by themselves': [...crowd(11, 8, false), ...crowd(31, 57, true)],
    'a full profile may be told by the member that fills it': [
      ...crowd(11, 8, false),
      ...(further(19, false).slice(0, 1) as Told[]),
      attach(19, { node_id: 107 }, refusal('persist_across_boots'), 400),
    ],
    'a missing grant need not be told by a member': [attach(602, { node_id: 102 }, refusal(''), 403, 'limited')],
    'a page beyond the last may be answered with another one': [
      made,
      ['volumes.list', { query: { page: 9 } }, 200, pageOf(volume(), numbered(601), numbered(602), numbered(603))],
    ],
  }
  for (const [name, steps] of Object.entries(stories)) test(name, () => expect(musts(steps)).toEqual([]))
})

describe('a fault is found', () => {
  const stories: Readonly<Record<string, readonly [readonly Told[], string]>> = {
    'an owner who is refused a look': [[made, view(refusal(), 403)], 'must volumes.view.accepts'],
    'an active volume that takes no tags': [
      [made, update({ tags: ['web'] }, refusal('tags'), 400)],
      'must volumes.update.accepts',
    ],
    'plain tags in another form': [[create({ tags: ['web'] }, { tags: ['Web'] })], 'must volumes.create.shows.tags'],
    'another plain label': [[create({}, { label: 'disk' })], 'must volumes.create.shows.label'],
    'a path that does not begin as it must': [
      [create({ label: ' disk ' }, { label: 'disk', filesystem_path: '/dev/disk' })],
      'must volumes.create.shows.filesystem_path',
    ],
    'another moment of creation': [
      [made, view(volume({ created: '2024-01-01T00:00:02' }))],
      'must volumes.view.shows.created',
    ],
    'a region other than that of the node': [
      [create({ node_id: 101, region: undefined }, { region: 'r2', node_id: 101, node_label: 'web-1' })],
      'must volumes.create.shows.region',
    ],
    'a volume at rest that is not resized': [
      [made, ['volumes.resize', { path: { volumeId: 7 }, body: { size: 24 } }, 400, refusal('size')]],
      'must volumes.resize.accepts',
    ],
    'a volume that shrinks, though it may not be at rest either': [
      [
        made,
        [
          'volumes.resize',
          { path: { volumeId: 7 }, body: { size: 30 } },
          200,
          volume({ status: 'resizing', size: 30 }),
        ],
        ['volumes.resize', { path: { volumeId: 7 }, body: { size: 25 } }, 200, volume({ size: 25 })],
      ],
      'must volumes.resize.only-up',
    ],
    'a ninth volume through the profile': [
      [...crowd(11, 8, false), ...further(19, false)],
      'must volumes.attach.eight-per-node',
    ],
    'a 65th volume past the profile': [
      [...crowd(11, 64, true), ...further(99, true)],
      'must volumes.attach.sixty-four',
    ],
    'another page than the first, unasked': [
      [made, ['volumes.list', {}, 200, { ...pageOf(volume()), page: 2, pages: 2 }]],
      'must volumes.list.page',
    ],
  }
  for (const [name, [steps, clause]] of Object.entries(stories))
    test(name, () => expect(deviations(steps)).toContain(clause))

  test('a volume that stays attached to a node that was deleted', async () => {
    const { applyHook } = await import('../../models/hooks.js')
    const { judge } = await import('../../oracle/judge.js')
    const { operationById } = await import('../../models/index.js')
    const { buildCall } = await import('../../history/calls.js')
    const { world } = told(crowd(11, 1, false), { closed })
    const after = applyHook({ ...world, step: 9, operation: 'hook deleteNode' }, 'deleteNode', [107])
    const op = operationById('volumes.view') as NonNullable<ReturnType<typeof operationById>>
    const call = buildCall(op, { as: 'owner', path: { volumeId: 11 } })
    const look = (body: object) =>
      judge(after, op, call, { status: 200, body }, 10).deviations.map(({ clause }) => clause)
    expect(look(numbered(11, attached))).toContain('volumes.view.detached-from-deleted')
    expect(look(numbered(11))).toEqual([])
  })
})

test("the id of a volume is no other volume's, in whichever account", () => {
  const [operation, args, status, reply] = create(
    { label: 'disk-8' },
    { label: 'disk-8', filesystem_path: `${prefix}disk-8` },
  )
  expect(told([made, [operation, { ...args, as: 'other' }, status, reply]]).deviations).toEqual([
    'must volumes.create.new',
  ])
})

describe('a volume that grows after the reply to its resize', () => {
  const resize = (size: number, reply: object): Told => [
    'volumes.resize',
    { path: { volumeId: 7 }, body: { size } as never },
    200,
    volume(reply),
  ]
  const clone = (size: number): Told => [
    'volumes.clone',
    { path: { volumeId: 7 }, body: { label: 'disk-8' } as never },
    200,
    numbered(8, { size }),
  ]
  const begun = [made, resize(21, {})]

  test.each([
    ['cloned as it was', clone(20)],
    ['cloned as it is going to be', clone(21)],
    ['renamed', update({ label: 'disk-7' }, volume())],
    ['resized once more', resize(22, {})],
  ])('may be %s as long as nothing has shown it grown', (_, next) =>
    expect(told([...begun, next], { closed }).deviations).toEqual([]),
  )

  test.each([
    ['cloned as it was', clone(20), ['must volumes.clone.same-size']],
    ['renamed', update({ label: 'disk-7' }, volume()), ['must volumes.update.shows.size']],
  ])('is not %s once it has been seen', (_, next, deviations) =>
    expect(told([...begun, view(volume({ size: 21 })), next], { closed }).deviations).toEqual(deviations),
  )

  test('is seen grown', () =>
    expect(told([...begun, view(volume())], { closed }).deviations).toEqual(['must volumes.resize.takes-effect']))
})
