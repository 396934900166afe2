import { describe, expect, test } from 'vitest'
import { refusal, type Told, told } from './stories.js'

const body = { label: 'shop-1', service_type: 'url', address: 'https://example.org/shop', timeout: 30 }
const path = { serviceId: 7 }
const create = (change: object, status = 200, reply: unknown = { id: 7 }) =>
  told([['managed-services.create', { body: { ...body, ...change } }, status, reply]], { closed: ['managed-services'] })
const created: Told = ['managed-services.create', { body }, 200, { id: 7, ...body }]
const following = (...steps: readonly Told[]) => told([created, ...steps], { closed: ['managed-services'] })
const update = (change: Readonly<Record<string, unknown>>, status: number, reply: unknown): Told => [
  'managed-services.update',
  { path, body: change },
  status,
  reply,
]

describe('region and address', () => {
  test.each([
    ['an IPv4 address of RFC 1918', 'http://192.168.128.8/'],
    ['a private address and a port', '10.1.2.3:443'],
  ])('%s needs a region', (_, address) =>
    expect(create({ address }).deviations).toEqual(['must managed-services.create.region-required']),
  )
  test('a private address of a node is taken with the region of that node', () =>
    expect(create({ address: 'http://192.168.128.8/', region: 'r1' }, 400, refusal('region')).deviations).toEqual([
      'must managed-services.create.accepts',
    ]))
  test('a private address that no node is known to have may be refused in any region', () =>
    expect(create({ address: 'http://10.9.9.9/', region: 'r1' }, 400, refusal('region')).deviations).toEqual([]))
  test('a name takes no region', () =>
    expect(create({ region: 'r1' }).deviations).toEqual(['must managed-services.create.region-forbidden']))
  test.each([
    'http://127.0.0.1/',
    'http://203.0.113.5/',
    'http://[fe80::1]/',
    'http://[fd12:3456:789a::1]/',
    'http://intranet/',
  ])('whether %s counts as private is free', (address) => {
    expect(create({ address }).expects).toBe('either')
    expect(create({ address, region: 'r1' }).expects).toBe('either')
  })
  test('a service with a public address is not given a region', () =>
    expect(following(update({ region: 'r1' }, 200, { id: 7 })).deviations).toEqual([
      'must managed-services.update.region-forbidden',
    ]))
  test('an update to a private address without a region is free', () => {
    const change = { address: 'http://192.168.128.8/' }
    expect(following(update(change, 200, { id: 7 })).deviations).toEqual([])
    expect(following(update(change, 400, refusal('region'))).deviations).toEqual([])
  })
})

describe('address', () => {
  test('a query is kept', () =>
    expect(
      create({ address: 'https://example.org/?a=1&b=2' }, 200, { id: 7, address: 'https://example.org/?a=1' })
        .deviations,
    ).toEqual(['must managed-services.create.query-preserved']))
  test.each([
    ['may repeat what was sent', 'https://example.org/x#part', []],
    ['is no other address with it', 'https://example.org/y#part', ['must managed-services.create.fragment-dropped']],
  ])('a fragment is dropped: a reply %s', (_, address, deviations) =>
    expect(create({ address: 'https://example.org/x#part' }, 200, { id: 7, address }).deviations).toEqual(deviations),
  )
  test('a fragment does not show later either', () =>
    expect(
      told([
        ['managed-services.create', { body: { ...body, address: 'https://example.org/x#part' } }, 200, { id: 7 }],
        ['managed-services.view', { path }, 200, { id: 7, address: 'https://example.org/x#part' }],
      ]).deviations,
    ).toEqual(['must managed-services.view.shows.address']))
  test('a fragment may be a reason to refuse, and a query is none', () => {
    const refused = (address: string) => create({ address }, 400, refusal('address')).deviations
    expect(refused('https://example.org/x#part')).toEqual([])
    expect(refused('https://example.org/x?a=1#part')).toEqual([])
    expect(refused('https://example.org/x?a=1')).toEqual(['must managed-services.create.accepts'])
  })
  test.each(['https://EXAMPLE.org:443/shop', 'https://example.org/shop/'])('%s is the same address', (address) =>
    expect(create({}, 200, { id: 7, address }).deviations).toEqual([]),
  )
  test.each([
    ['example.org/shop', []],
    ['EXAMPLE.ORG', []],
    ['undefined', ['must managed-services.view.shows.address']],
    ['', ['must managed-services.view.shows.address']],
  ])('shown as %j it is the same only if the host is named', (address, deviations) =>
    expect(
      told([
        ['managed-services.create', { body }, 200, { id: 7 }],
        ['managed-services.view', { path }, 200, { id: 7, address }],
      ]).deviations,
    ).toEqual(deviations),
  )
  test('words are no address', () =>
    expect(create({ address: 'not a url' }).deviations).toEqual(['must managed-services.create.address-form']))
  test('an address without a scheme may be refused', () =>
    expect(create({ address: 'example.org/shop' }, 400, refusal('address')).deviations).toEqual([]))
  test.each(['example.org:443', 'tcp://example.org:443', 'https://example.org:443/'])(
    'a service of the type tcp may refuse %s',
    (address) => expect(create({ service_type: 'tcp', address }, 400, refusal('address')).deviations).toEqual([]),
  )
})

describe('other members', () => {
  test.each(['label', 'service_type', 'address', 'timeout'])('%s is required', (member) =>
    expect(create({ [member]: undefined }).deviations).toEqual([
      `must managed-services.create.body.${member}.required`,
    ]),
  )
  test.each([
    ['timeout', 0],
    ['timeout', 256],
    ['label', 'ab'],
    ['body', 'x'.repeat(101)],
    ['consultation_group', 'x'.repeat(51)],
    ['service_type', 'udp'],
  ])('%s may not be %s', (member, value) =>
    expect(create({ [member]: value }).deviations).toMatchObject([
      expect.stringMatching(new RegExp(`^must managed-services.create.body.${member}.`)),
    ]),
  )
  test('notes and body may be null', () =>
    expect(create({ notes: null, body: null }, 400, refusal('notes')).deviations).toEqual([
      'must managed-services.create.accepts',
    ]))
  test('notes may be refused that are longer than an expected text may be, and a shorter one may not', () => {
    const refused = (length: number) => create({ notes: 'x'.repeat(length) }, 400, refusal('notes')).deviations
    expect([refused(100), refused(101)]).toEqual([['must managed-services.create.accepts'], []])
  })
  test('notes that are taken are shown whole', () => {
    const notes = 'x'.repeat(1000)
    const view: Told = ['managed-services.view', { path }, 200, { id: 7, ...body, notes: notes.slice(0, 255) }]
    expect(following(update({ notes }, 200, {}), view).deviations).toEqual(['must managed-services.view.shows.notes'])
  })
  test('a group to which nobody belongs may be refused', () =>
    expect(create({ consultation_group: 'nobody' }, 400, refusal('consultation_group')).deviations).toEqual([]))
  test('credentials may be shown in another order, or as objects', () => {
    const credential = (id: number): Told => [
      'managed-credentials.create',
      { body: { label: `c-${id}`, password: 'Aa1-correct-horse-Zz9!' } },
      200,
      { id },
    ]
    const call: Told = ['managed-services.create', { body: { ...body, credentials: [1, 2] } }, 200, { id: 7 }]
    const view = (credentials: unknown): Told => ['managed-services.view', { path }, 200, { id: 7, credentials }]
    expect(told([credential(1), credential(2), call, view([2, 1])]).deviations).toEqual([])
    expect(told([credential(1), credential(2), call, view([{ id: 1, label: 'c-1' }, { id: 2 }])]).deviations).toEqual(
      [],
    )
    for (const other of [[2], [{ id: 1 }], [{ id: 1 }, { id: 99 }]])
      expect(told([credential(1), credential(2), call, view(other)]).deviations).toEqual([
        'must managed-services.view.shows.credentials',
      ])
  })
})

describe('an update', () => {
  test.each([{ label: 'shop-2' }, { timeout: 255 }, { notes: null }, { address: 'https://example.org/' }])(
    '%o alone is enough',
    (change) =>
      expect(following(update(change, 400, refusal('label'))).deviations).toEqual([
        'must managed-services.update.accepts',
      ]),
  )
  test('to null may leave a text of the target, as an inference, but none that was there before', () => {
    const shown = (notes: unknown) => following(update({ notes: null }, 200, { id: 7, notes })).deviations
    expect(shown('none')).toEqual(['should managed-services.update.null-shown'])
    const noted = update({ notes: 'call us' }, 200, { id: 7, notes: 'call us' })
    const view = (notes: unknown): Told => ['managed-services.view', { path }, 200, { id: 7, notes }]
    const emptied = (notes: unknown) => following(noted, update({ notes: null }, 200, {}), view(notes)).deviations
    expect(emptied('none')).toEqual([])
    expect(emptied('call us')).toEqual(['must managed-services.update.takes-effect'])
  })
  test('of nothing at all may be refused', () =>
    expect(following(update({}, 400, refusal('label'))).deviations).toEqual([]))
  test('of the timeout leaves the label', () =>
    expect(following(update({ timeout: 31 }, 200, { id: 7, label: 'shop-2', timeout: 31 })).deviations).toEqual([
      'must managed-services.update.no-field-required',
    ]))
  test('may reset notes that it leaves out', () =>
    expect(
      told([
        ['managed-services.create', { body: { ...body, notes: 'call ada' } }, 200, { id: 7, notes: 'call ada' }],
        update({ timeout: 31 }, 200, { id: 7, notes: null }),
        ['managed-services.view', { path }, 200, { id: 7, notes: null }],
      ]).deviations,
    ).toEqual([]))
})

describe('disable and enable', () => {
  const disable: Told = ['managed-services.disable', { path }, 200, {}]
  const enable: Told = ['managed-services.enable', { path }, 200, {}]
  const no = refusal()
  test('a service that is monitored can be disabled', () =>
    expect(following(['managed-services.disable', { path }, 400, no]).deviations).toEqual([
      'must managed-services.disable.accepts',
    ]))
  test('a service that is disabled can be enabled', () =>
    expect(following(disable, ['managed-services.enable', { path }, 400, no]).deviations).toEqual([
      'must managed-services.enable.accepts',
    ]))
  test.each([
    ['disabled twice', disable, ['managed-services.disable', { path }, 400, no]],
    ['enabled when it is', enable, ['managed-services.enable', { path }, 400, no]],
    ['deleted while it is disabled', disable, ['managed-services.delete', { path }, 400, no]],
  ] as const)('whether a service can be %s is free', (_, first, second) =>
    expect(following(first, second as Told).deviations).toEqual([]),
  )
  const remove: Told = ['managed-services.delete', { path }, 204, undefined]
  test('a service that is deleted is gone', () =>
    expect(following(remove, ['managed-services.view', { path }, 200, { id: 7, ...body }]).deviations).toEqual([
      'must managed-services.delete.takes-effect',
    ]))
  test.each([
    { status: 'stopped' },
    { state: 'Unmonitored' },
    { deleted: '2026-01-01T00:00:00' },
    { disabled: true },
    { monitored: false },
    { monitoring: false },
    { monitoring_enabled: false },
  ])('or its record says %o, as its monitoring is what is stopped', (said) => {
    const remains = { id: 7, ...body, ...said }
    expect(following(remove, ['managed-services.view', { path }, 200, remains]).deviations).toEqual([])
    expect(following(remove, ['managed-services.list', {}, 200, { data: [remains] }]).deviations).toEqual([])
  })
  describe('while it is disabled', () => {
    const create: Told = [
      'managed-services.create',
      { body: { ...body, label: 'shop-2' } },
      200,
      { ...body, label: 'shop-2', id: 8 },
    ]
    const other = { path: { serviceId: '8' } }
    const gone: readonly Told[] = [create, ['managed-services.delete', other, 204, undefined]]
    const viewOf = (at: object, told: object): Told => ['managed-services.view', at, 200, { ...body, ...told }]
    const left = [disable, remove, viewOf({ path }, { id: 7, status: 'disabled' })]
    test('may be shown as before', () => expect(following(...left).deviations).toEqual([]))
    test('is gone as others are that were deleted', () =>
      expect(following(...gone, ['managed-services.view', other, 404, no], ...left).deviations).toEqual([
        'should managed-services.delete.takes-effect',
      ]))
    test.each([{ status: 'deleted' }, { deleted_at: '2026-01-01T00:00:00' }])('or its record says %o', (said) => {
      const shown = viewOf({ path }, { id: 7, status: 'disabled', ...said })
      expect(following(...gone, ['managed-services.view', other, 404, no], disable, remove, shown).deviations).toEqual(
        [],
      )
    })
    test('may be shown as others are that were deleted for a while', () => {
      const shown = viewOf(other, { id: 8, label: 'shop-2', status: 'disabled' })
      const later: Told = ['managed-services.view', other, 404, no]
      expect(following(...gone, shown, later, ...left).deviations).toEqual([])
    })
  })
})

test('a creation may be answered with a job, whatever numbers that has', () => {
  const job = { id: 990, status: 'queued', created: '2026-01-01T10:30:45', progress: 30 }
  const steps: readonly Told[] = [
    ['managed-services.create', { body }, 200, job],
    ['managed-services.view', { path: { serviceId: 990 } }, 404, refusal()],
  ]
  expect(told(steps, { closed: ['managed-services'] }).deviations).toEqual([])
})

describe('a list', () => {
  const listed = (reply: unknown) => following(['managed-services.list', {}, 200, reply]).deviations
  const other = { id: 7, label: 'shop-9' }
  test.each([
    ['in an array', (one: object) => [one]],
    ['in data', (one: object) => ({ data: [one] })],
    ['under another name', (one: object) => ({ services: [one] })],
    ['under another name, beside a number', (one: object) => ({ services: [one], total: 1 })],
  ])('is judged by its records %s', (_, envelope) => {
    expect(listed(envelope({ id: 7, label: body.label }))).toEqual([])
    expect(listed(envelope(other))).toEqual(['must managed-services.list.shows.label'])
  })
  test('lacks a service under whatever name its records stand', () =>
    expect(listed({ services: [] })).toEqual(['must managed-services.list.complete']))
  test.each([
    ['several arrays', { services: [other], more: [other] }],
    ['an array of texts', { services: ['shop-9'] }],
    ['records in an object', { services: { 7: other } }],
  ])('of %s tells nothing', (_, reply) => expect(listed(reply)).toEqual([]))
})
