// Causes that lie in a call before the one whose reply shows them; the programs of the findings are written down here.
import { describe, expect, it, test } from 'vitest'
import type { Finding, RecordedStep } from '../../history/record.js'
import { operationById } from '../../models/index.js'
import { diagnose } from '../../oracle/diagnosis/diagnose.js'

interface Sent {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly reply?: unknown
  readonly status?: number
  readonly made?: string
}

const step = (n: number, operation: string, sent: Sent = {}): RecordedStep => {
  const { path = {}, query = {}, body, reply = {}, status = 200, made } = sent
  const method = operationById(operation)?.method ?? 'GET'
  return {
    n,
    call: { operation, method, url: '/', as: 'owner', path, query, ...(body !== undefined && { body }) },
    outcome: { status, body: reply },
    line: operation,
    ...(made !== undefined && { made }),
  }
}

const found = (clause: string, kind: string, steps: readonly RecordedStep[], more: Partial<Finding> = {}): Finding => ({
  id: `${clause}:${kind}`,
  clause,
  operation: clause.split('.').slice(0, 2).join('.'),
  level: 'must',
  source: '',
  summary: '',
  requires: '',
  expected: '',
  received: '',
  because: [],
  steps: [...steps],
  shrunkFrom: steps.length,
  replay: 'touchstone replay',
  confirmed: true,
  ...more,
})

const notFound = (field: string): Sent => ({ status: 404, reply: { errors: [{ field, reason: 'not found' }] } })

/** Everything else held. */
const causesOf = (...findings: readonly Finding[]) =>
  diagnose(findings, new Set(['volumes.view.token', 'managed-services.view.token', 'buckets.delete.token'])).map(
    ({ id }) => id,
  )

describe('a write that has nothing to do with what is gone, and without which it is not, has taken it along', () => {
  const two = [step(1, 'volumes.create', { made: '7' }), step(2, 'volumes.create', { made: '8' })]
  const facts = [{ step: 2, by: 'volumes.create', field: 'label' }]
  const unforeseen = [1, 3]
  const gone = (deleted: string) =>
    found(
      'volumes.view.accepts',
      'refused',
      [
        ...two,
        step(3, 'volumes.delete', { path: { volumeId: deleted } }),
        step(4, 'volumes.view', { path: { volumeId: '8' }, ...notFound('volumeId') }),
      ],
      { facts, unforeseen },
    )

  it('is named, and not the view that misses it', () => {
    expect(causesOf(gone('7'))).toEqual(['volumes.delete: changes something else'])
  })

  it('is not, where nothing tells that the target needs it', () => {
    const { unforeseen: _, ...untried } = gone('7')
    for (const one of [untried, { ...untried, unforeseen: [1] }])
      expect(causesOf(one)).toEqual(['volumes.view: breaks volumes.view.accepts'])
  })

  it('is not, where another one that it makes possible has done so', () => {
    const removed = step(5, 'tags.delete', { path: { tagLabel: 'a' } })
    const one = gone('7')
    const steps = [...one.steps.slice(0, -1), removed, ...one.steps.slice(-1)]
    expect(causesOf({ ...one, steps, unforeseen: [1, 3, 5] })).toEqual(['tags.delete: changes something else'])
  })

  it('is not, where it names what is gone', () => {
    expect(causesOf(gone('8'))).toEqual(['volumes.view: breaks volumes.view.accepts'])
  })

  it('is named where a list misses it', () => {
    const removal = step(3, 'volumes.delete', { path: { volumeId: '7' } })
    const list = step(4, 'volumes.list', { reply: { data: [], page: 1, pages: 1, results: 0 } })
    const missed = (...steps: readonly RecordedStep[]) =>
      found('volumes.list.complete', 'missing', steps, { facts, unforeseen })
    expect(causesOf(missed(...two, removal, list))).toEqual(['volumes.delete: changes something else'])
    expect(causesOf(missed(...two, list))).toEqual(['volumes.list: loses the last record and its count'])
  })

  it('is not where the target file tells what a list lacks, which counts it', () => {
    const reply = { data: [{ id: 'c1' }], page: 1, pages: 1, results: 2 }
    const list = step(1, 'clusters.list', { reply })
    const causes = causesOf(
      found('clusters.list.pages', 'pages', [list]),
      found('clusters.list.available', 'broken', [list]),
    )
    expect(causes).toEqual(['clusters.list: loses the last record'])
  })

  it('is named where it removes what another resource used', () => {
    const steps = [
      step(1, 'managed-credentials.create', { made: '5' }),
      step(2, 'managed-services.create', { body: { credentials: [5] }, made: '6' }),
      step(3, 'managed-credentials.revoke', { path: { credentialId: '5' } }),
      step(4, 'managed-services.view', { path: { serviceId: '6' }, ...notFound('serviceId') }),
    ]
    expect(causesOf(found('managed-services.view.accepts', 'refused', steps, { unforeseen: [1, 3] }))).toEqual([
      'managed-credentials.revoke: changes something else',
    ])
  })

  it('is named where it has no effect at all, whatever it names', () => {
    const path = { clusterId: 'a', bucket: 'b' }
    const steps = [
      step(1, 'buckets.create', { made: 'a/b' }),
      step(2, 'object-urls.create', { path, body: { name: 'a.txt', method: 'PUT' } }),
      step(3, 'buckets.delete', { path, status: 409, reply: { errors: [{ field: '', reason: 'not empty' }] } }),
    ]
    expect(causesOf(found('buckets.delete.accepts', 'refused', steps, { unforeseen: [2] }))).toEqual([
      'object-urls.create: changes something else',
    ])
  })
})

describe('a write that names what it leaves alone, and without which that is not told wrongly, has changed it', () => {
  const made = step(1, 'volumes.create', { made: '7' })
  const path = { volumeId: '7' }
  const view = step(3, 'volumes.view', { path, reply: { id: 7 } })
  const wrong = (field: string, write: RecordedStep, by = 'volumes.create', at = 1) =>
    found(`volumes.view.shows.${field}`, field, [made, write, view], {
      facts: [{ step: at, by, field }],
      unforeseen: [2],
    })

  test.each([
    ['its source', 'tags', step(2, 'volumes.clone', { path, body: { label: 'b' }, made: '8' })],
    ['the time of its creation', 'created', step(2, 'volumes.attach', { path, body: { node_id: 1 } })],
    ['what it lost its node for', 'label', step(2, 'volumes.detach', { path })],
  ])('as a copy does to %s', (_, field, write) => {
    expect(causesOf(wrong(field, write))).toEqual([`${write.call.operation}: changes something else`])
  })

  test('but not where the member follows from what it sends', () => {
    const renamed = step(2, 'volumes.update', { path, body: { label: 'b' } })
    expect(causesOf(wrong('filesystem_path', renamed))).toEqual(['volumes.view: shows a wrong filesystem_path'])
  })

  test('whatever type it gives that', () => {
    const reply = { id: 7, size: null }
    const steps = [made, step(2, 'volumes.update', { path, body: {} }), step(3, 'volumes.view', { path, reply })]
    const cleared = found('volumes.view.reply.size.type', 'shape', steps, { unforeseen: [2] })
    expect(causesOf(cleared)).toEqual(['volumes.update: changes something else'])
    expect(causesOf({ ...cleared, unforeseen: [] })).toEqual(['volumes.view: shows an ill-typed size'])
    const listed = { reply: { data: [reply], page: 1, pages: 1, results: 1 } }
    const others = [step(3, 'volumes.list', listed), step(3, 'volumes.update', { path, body: {}, reply })]
    const seen = others.map((last) =>
      found(`${last.call.operation}.reply.size.type`, 'shape', [...steps.slice(0, 2), last], { unforeseen: [2] }),
    )
    expect(causesOf(cleared, ...seen)).toEqual(['volumes.update: changes something else'])
  })

  test('but has lost its effect where it was to change the member, and shows nothing of it', () => {
    const detached = step(2, 'volumes.detach', { path })
    expect(causesOf(wrong('node_id', detached, 'volumes.detach', 2))).toEqual(['volumes.detach: loses its effect'])
  })

  test('though it sends a member of that name, which is of what it makes', () => {
    const ticket = { ticketId: '3' }
    const steps = [
      step(1, 'tickets.create', { body: { summary: 'a', description: 'b' }, made: '3' }),
      step(2, 'ticket-replies.create', { path: ticket, body: { description: 'c' }, made: '4' }),
      step(3, 'tickets.view', { path: ticket, reply: { id: 3 } }),
    ]
    const facts = [{ step: 1, by: 'tickets.create', field: 'description' }]
    expect(causesOf(found('tickets.view.shows.description', 'description', steps, { facts, unforeseen: [2] }))).toEqual(
      ['ticket-replies.create: changes something else'],
    )
  })

  test('but not where it is about what that was made of', () => {
    const resized = step(2, 'volumes.resize', { path, body: { size: 30 } })
    const cloned = step(3, 'volumes.clone', { path, body: { label: 'b' }, made: '8' })
    const steps = [made, resized, cloned, step(4, 'volumes.view', { path: { volumeId: '8' }, reply: { id: 8 } })]
    const facts = [{ step: 3, by: 'volumes.clone', field: 'size' }]
    expect(causesOf(found('volumes.view.shows.size', 'size', steps, { facts, unforeseen: [2] }))).toEqual([
      'volumes.view: shows a wrong size',
    ])
  })

  test('nor where a call is refused that asks for what it asked for', () => {
    const attached = (n: number, volumeId: string, more: Sent = {}) =>
      step(n, 'volumes.attach', { path: { volumeId }, body: { node_id: 101 }, ...more })
    const full = { status: 400, reply: { errors: [{ field: 'node_id', reason: 'full' }] } }
    const steps = [
      step(1, 'volumes.create', { made: '7' }),
      step(2, 'volumes.create', { made: '8' }),
      attached(3, '7'),
      attached(4, '8', full),
    ]
    expect(causesOf(found('volumes.attach.accepts', 'refused', steps, { unforeseen: [1, 3] }))).toEqual([
      'volumes.attach: breaks volumes.attach.accepts',
    ])
  })
})

describe('a write without which the target does not show it has changed what another one did', () => {
  const path = (volumeId: string) => ({ path: { volumeId } })
  const two = [step(1, 'volumes.create', { made: '7' }), step(2, 'volumes.create', { made: '8' })]

  test('where the effect of an earlier one is gone', () => {
    const attached = (n: number, id: string) => step(n, 'volumes.attach', { ...path(id), body: { node_id: 1 } })
    const view = step(6, 'volumes.view', { ...path('7'), reply: { id: 7 } })
    const steps = [...two, attached(3, '7'), attached(4, '8'), step(5, 'volumes.detach', path('8')), view]
    const facts = [{ step: 3, by: 'volumes.attach', field: 'node_id' }]
    const gone = (unforeseen: number[]) => found('volumes.attach.takes-effect', 'node_id', steps, { facts, unforeseen })
    expect(causesOf(gone([2, 4, 5]))).toEqual(['volumes.detach: changes something else'])
    expect(causesOf(gone([]))).toEqual(['volumes.attach: loses its effect'])
  })

  test('where the same operation was to change that one as well, and what else it did to others', () => {
    const updated = (n: number, id: string) => step(n, 'volumes.update', { ...path(id), body: { label: `${id}-b` } })
    const list = step(5, 'volumes.list', { reply: { data: [{ id: 7 }, { id: 8 }], page: 1, pages: 1, results: 2 } })
    const steps = [...two, updated(3, '7'), updated(4, '8'), list]
    const facts = [{ step: 3, by: 'volumes.update', field: 'label' }]
    const label = found('volumes.list.shows.label', 'label', steps, { facts, unforeseen: [2, 4] })
    const tagged = found('tags.view.all-objects', 'broken', steps, { unforeseen: [4] })
    expect(causesOf(label, tagged)).toEqual(['volumes.update: changes something else'])
  })
})

describe('a write on what a look shows wrongly, without which it does not,', () => {
  const shownAfter = (body: unknown, unforeseen: number[]) => {
    const path = { path: { serviceId: '7' } }
    const steps = [
      step(1, 'managed-services.create', { body: { label: 'web' }, made: '7' }),
      step(2, 'managed-services.update', { ...path, body: { label: 'shop' }, reply: { id: 7, label: 'shop' } }),
      step(3, 'managed-services.update', { ...path, body, reply: { id: 7, label: 'shop' } }),
      step(4, 'managed-services.view', { ...path, reply: { id: 7, label: null } }),
    ]
    const facts = [{ step: 2, by: 'managed-services.update', field: 'label' }]
    return causesOf(found('managed-services.view.shows.label', 'label', steps, { facts, unforeseen }))
  }
  test('has changed something else where it does not send that member', () =>
    expect(shownAfter({ timeout: 31 }, [3])).toEqual(['managed-services.update: changes something else']))
  test('has set something else where it does', () =>
    expect(shownAfter({ label: 'shop' }, [3])).toEqual(['managed-services.update: loses its effect']))
  test('has not where the target does not need it', () =>
    expect(shownAfter({ label: 'shop' }, [])).toEqual(['managed-services.view: shows a wrong label']))
})

test('what an earlier call of an operation made tells nothing of its latest one', () => {
  const made = (n: number, id: string, node: number | null) =>
    step(n, 'volumes.create', { made: id, reply: { id: Number(id), node_id: node } })
  const data = [
    { id: 7, node_id: 101 },
    { id: 8, node_id: 101 },
  ]
  const list = step(3, 'volumes.list', { reply: { data, page: 1, pages: 1, results: 2 } })
  const facts = (n: number) => ({ facts: [{ step: n, by: 'volumes.create', field: 'node_id' }] })
  const causes = (n: number) =>
    causesOf(found('volumes.list.shows.node_id', 'node_id', [made(1, '7', null), made(2, '8', 101), list], facts(n)))
  expect(causes(1)).toEqual(['volumes.list: shows a wrong node_id'])
  expect(causes(2)).toEqual(['volumes.create: loses its effect'])
})

test('a call that was accepted before another one had its effect is not refused for want of it', () => {
  const path = { path: { serviceId: '7' } }
  const enable = (n: number, more: Sent = {}) => step(n, 'managed-services.enable', { ...path, ...more })
  const made = step(1, 'managed-services.create', { made: '7' })
  const other = enable(2, { path: { serviceId: '8' } })
  const disabled = step(3, 'managed-services.disable', path)
  const refused = enable(4, { status: 409, reply: { errors: [{ field: '', reason: 'no' }] } })
  const causes = (...before: readonly RecordedStep[]) =>
    causesOf(found('managed-services.enable.accepts', 'refused', [...before, disabled, refused]))
  expect(causes(made, enable(2))).toEqual(['managed-services.enable: breaks managed-services.enable.accepts'])
  expect(causes(made, other)).toEqual(['managed-services.disable: loses its effect'])
})

test('a refused call without which the target does not show it has taken effect, whatever shows it', () => {
  const steps = [
    step(1, 'volumes.create', { made: '7' }),
    step(2, 'tags.create', { body: { label: 'a', volumes: [7], domains: [1] }, ...notFound('domains') }),
    step(3, 'volumes.view', { path: { volumeId: '7' }, reply: { id: 7, tags: ['a'] } }),
  ]
  const tagged = (unforeseen: number[]) =>
    found('volumes.view.shows.tags', 'tags', steps, {
      facts: [{ step: 1, by: 'volumes.create', field: 'tags' }],
      unforeseen,
    })
  expect(causesOf(tagged([2]))).toEqual(['tags.create: takes effect though refused'])
  expect(causesOf(tagged([]))).toEqual(['volumes.view: shows a wrong tags'])
})

test('of two refused calls without which the target does not show it, the later one has taken effect', () => {
  const path = { clusterId: 'c1', bucket: 'b' }
  const refused = (n: number, operation: string) => step(n, operation, { path, ...notFound('bucket') })
  const steps = [
    step(1, 'buckets.create', { made: 'c1/b' }),
    refused(2, 'bucket-certificates.delete'),
    refused(3, 'bucket-certificates.upload'),
    step(4, 'bucket-certificates.view', { path, reply: { ssl: true } }),
  ]
  const shown = found('bucket-certificates.view.none-at-first', 'broken', steps, { unforeseen: [2, 3] })
  expect(causesOf(shown)).toEqual(['bucket-certificates.upload: takes effect though refused'])
})

test('what a view shows otherwise than a call has made it, whose reply does not show it, is the doing of that call', () => {
  const steps = (by: string) => [
    step(1, 'volumes.create', { made: '7' }),
    step(2, by, { body: { label: 'a', volumes: [7] } }),
    step(3, 'volumes.view', { path: { volumeId: '7' }, reply: { id: 7, tags: [] } }),
  ]
  const tags = (by: string) =>
    found('volumes.view.shows.tags', 'tags', steps(by), { facts: [{ step: 2, by, field: 'tags' }] })
  expect(causesOf(tags('tags.create'))).toEqual(['tags.create: loses its effect'])
  expect(causesOf(tags('volumes.update'))).toEqual(['volumes.view: shows a wrong tags'])
})

test('what a view shows as the reply to the write did, though the write was to keep it otherwise, is the doing of that write', () => {
  const path = { serviceId: '6' }
  const viewed = (kept: string) => {
    const update = step(2, 'managed-services.update', { path, body: { address }, reply: { id: 6, address } })
    const view = step(3, 'managed-services.view', { path, reply: { id: 6, address: kept } })
    const facts = [{ step: 2, by: 'managed-services.update', field: 'address' }]
    const steps = [step(1, 'managed-services.create', { made: '6' }), update, view]
    return found('managed-services.view.shows.address', 'address', steps, { facts })
  }
  const address = 'https://example.org/a#b'
  expect(causesOf(viewed(address))).toEqual(['managed-services.update: loses its effect'])
  expect(causesOf(viewed('https://example.org/c'))).toEqual(['managed-services.view: shows a wrong address'])
})

test('a record that is missing from the last page is told as that, and not as a wrong number of results', () => {
  const page = step(1, 'volumes.list', { reply: { data: [], page: 2, pages: 2, results: 34 } })
  const results = found('volumes.list.results', 'results-over-pages', [page])
  const missing = found('volumes.list.complete', 'missing-over-pages', [page])
  expect(causesOf(results, missing)).toEqual(['volumes.list: loses the last record'])
  expect(causesOf(results)).toEqual(['volumes.list: counts a result too many'])
})

test('results that are another on a later page are told as that, whatever number of pages goes with them', () => {
  const page = step(1, 'volumes.list', { reply: { data: [], page: 2, pages: 2, results: 1 } })
  const results = found('volumes.list.results', 'results-over-pages', [page])
  const pages = found('volumes.list.pages', 'pages', [page])
  expect(causesOf(pages, results)).toEqual(['volumes.list: counts a result too many'])
  expect(causesOf(pages)).toEqual(['volumes.list: counts a page too many'])
})

test('a call that is refused shows no member wrongly, whatever its clause goes by', () => {
  const refused = step(2, 'firewalls.update', { status: 409, reply: { errors: [{ field: 'label', reason: 'no' }] } })
  expect(causesOf(found('firewalls.update.own-label', 'refused', [refused]))).toEqual([
    'firewalls.update: breaks firewalls.update.own-label',
  ])
})

describe('a call that is refused beside what a check is to refuse', () => {
  const sent = { body: { label: 'x'.repeat(32), rules: {} }, status: 400 }
  const refused = (field: string) =>
    found('firewalls.create.label-unique', 'refused-within', [
      step(1, 'firewalls.create', { ...sent, reply: { errors: [{ field, reason: 'no' }] } }),
    ])
  const idsOf = (finding: Finding, ...passed: readonly string[]) =>
    diagnose([finding], new Set(['firewalls.create.enabled', ...passed])).map(({ id }) => id)
  const beyond = 'firewalls.create: goes beyond firewalls.create.label-unique'

  it('tells that the check refuses more than that', () => {
    expect(idsOf(refused('other'))).toEqual([beyond])
  })

  it('tells that of a bound only where no other call shows that the bound is as it should be', () => {
    const bound = 'firewalls.create.body.label.maxLength'
    expect(idsOf(refused('label'))).toEqual([`firewalls.create: lowers ${bound}`])
    expect(idsOf(refused('label'), bound)).toEqual([beyond])
  })
})

describe('a time that goes back', () => {
  const record = (updated: string) => ({ id: 7, updated })
  const listed = (updated: string) => ({ data: [record(updated)], page: 1, pages: 1, results: 1 })
  const back = (before: string, told: string, last: string, operation = 'volumes.attach') =>
    found(
      `${operation}.updated`,
      'broken',
      [
        step(1, 'volumes.create', { reply: record(before), made: '7' }),
        step(2, 'volumes.list', { reply: listed(told) }),
        step(3, operation, { path: { volumeId: '7' }, reply: record(last) }),
      ],
      { facts: [{ step: 2, by: 'volumes.list', field: 'updated' }] },
    )

  it('was wrong in the list, where what came before and after go together', () => {
    expect(causesOf(back('2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z', '2026-01-01T10:00:01Z'))).toEqual([
      'volumes.list: shows a wrong updated',
    ])
  })

  it('is wrong in the last reply, where that goes with nothing before it', () => {
    const now = '2026-01-01T10:00:00Z'
    expect(causesOf(back(now, now, '2001-01-01T00:00:00Z'))).toEqual(['volumes.attach: shows a wrong updated'])
  })

  it('was wrong in the one read that several writes contradict', () => {
    const [now, later] = ['2026-01-01T10:00:00Z', '2026-01-01T11:00:00Z']
    const withoutMaker = (one: Finding): Finding => ({ ...one, steps: one.steps.slice(1) })
    const all = ['volumes.attach', 'volumes.update'].map((id) => withoutMaker(back(now, later, now, id)))
    expect(causesOf(...all)).toEqual(['volumes.list: shows a wrong updated'])
  })
})

test('a page that is too long by a record that stands on it twice is told by that', () => {
  const twice = { name: 'b.t', size: 3 }
  const reply = { data: [twice, twice], next_marker: null, is_truncated: false }
  const listed = (slug: string, query: Sent['query']) =>
    found(`bucket-objects.list.${slug}`, 'broken', [step(1, 'bucket-objects.list', { query: query ?? {}, reply })])
  expect(causesOf(listed('no-duplicates', { delimiter: 't' }), listed('page-size', { page_size: '25' }))).toEqual([
    'bucket-objects.list: shows the first record twice',
  ])
})

test('what is made under another name than it was given is missed, and unknown, in the list for it', () => {
  const made = [step(1, 'tags.create', { body: { label: 'abc' }, reply: { label: 'ab' }, made: 'ab' })]
  const list = step(2, 'tags.list', { reply: { data: [{ label: 'ab' }], page: 1, pages: 1, results: 1 } })
  const all = [
    found('tags.create.shows.label', 'label', made, { member: 'label' }),
    found('tags.list.only-live', 'unknown', [...made, list]),
    found('tags.list.complete', 'missing', [...made, list]),
  ]
  expect(causesOf(...all)).toEqual(['tags.create: shows a wrong label'])
  // Another label, which a target may keep in another form: the list contradicts the form that was told.
  const lost = found('tags.create.takes-effect', 'lost', [...made, list])
  expect(causesOf(...all, lost)).toEqual(['tags.create: shows a wrong label'])
  expect(causesOf(lost)).toEqual(['tags.create: loses its effect'])
})

test('that a call is not let in is told as a matter of scopes only where its status may be about that', () => {
  const refused = (status: number) =>
    found('tags.delete.accepts', 'refused', [
      step(1, 'tags.create', { body: { label: 'abc' }, reply: { label: 'abc' }, made: 'abc' }),
      step(2, 'tags.delete', { path: { tagLabel: 'abc' }, status, reply: { errors: [{ reason: 'no' }] } }),
    ])
  const causes = (status: number) => diagnose([refused(status)], new Set(['tags.delete.token'])).map(({ id }) => id)
  expect(causes(403)).toEqual(['tags.delete: demands a further scope'])
  expect(causes(404)).toEqual(['tags.delete: breaks tags.delete.accepts'])
})

test('a member that a creation shows otherwise than it was sent is told once, whatever shows it then', () => {
  const made = step(1, 'object-keys.create', { made: '9' })
  const all = [
    found('object-keys.create.limited', 'broken', [made], {
      requires: 'A reply that carries bucket_access shows those.',
    }),
    found('object-keys.view.shows.bucket_access', 'bucket_access', [
      made,
      step(2, 'object-keys.view', { path: { keyId: '9' } }),
    ]),
  ]
  expect(causesOf(...all)).toEqual(['object-keys.create: breaks object-keys.create.limited'])
})

test('one reply that breaks two clauses of its operation is one cause', () => {
  const steps = (n: number) => [step(n, 'tags.view', { path: { tagLabel: 'a' } })]
  const two = (n: number) => [
    found('tags.view.all-objects', 'broken', steps(3)),
    found('tags.view.names-objects', 'broken', steps(n)),
  ]
  expect(causesOf(...two(3))).toHaveLength(1)
  expect(causesOf(...two(4))).toHaveLength(2)
})

test('the example of a cause is a program that makes the call at fault, be it longer', () => {
  const facts = [{ step: 1, by: 'firewalls.delete', text: 'it was removed' }]
  const listed = found('firewalls.list.only-live', 'deleted', [step(9, 'firewalls.list')], { facts })
  const viewed = found('firewalls.delete.takes-effect', 'still-there', [
    step(3, 'firewalls.create', { made: '7' }),
    step(4, 'firewalls.delete'),
    step(5, 'firewalls.view'),
  ])
  const [cause, ...rest] = diagnose([listed, viewed])
  expect([cause?.id, cause?.findings, rest]).toEqual(['firewalls.delete: loses its effect', [viewed.id, listed.id], []])
})

test('refusals as for what is not there are one cause, and not of scopes, whoever calls', () => {
  const within = found('tags.delete.scope.account-read_write', 'refused-within', [
    step(3, 'tags.create', { made: 'b' }),
    step(4, 'tags.delete', notFound('')),
  ])
  const plain = found('tags.delete.accepts', 'refused', [
    step(1, 'tags.create', { made: 'a' }),
    step(2, 'tags.delete', notFound('')),
  ])
  const passed = new Set(['tags.delete.takes-effect'])
  const form = { ...plain, id: 'tags.delete.refusal.field-present:absent', clause: 'tags.delete.refusal.field-present' }
  const causes = diagnose([within, plain, form], passed)
  expect(causes.map(({ id, findings }) => [id, findings])).toEqual([
    ['tags.delete: breaks tags.delete.accepts', [plain.id, within.id]],
    ['tags.delete: leaves out field', [form.id]],
  ])
  expect(diagnose([plain, form], passed).map(({ id }) => id)).toEqual([
    'tags.delete: breaks tags.delete.accepts',
    'tags.delete: leaves out field',
  ])
})

describe('a view that shows what was before', () => {
  const path = { volumeId: '7' }
  const [old, now] = [
    { id: 7, label: 'a', size: 20 },
    { id: 7, label: 'b', size: 30 },
  ]
  const made = step(1, 'volumes.create', { made: '7', reply: old })
  const shows = (field: string, writer: string, shown: object) =>
    found(
      `volumes.view.shows.${field}`,
      field,
      [made, step(2, writer, { path, reply: now }), step(3, 'volumes.view', { path, reply: shown })],
      { facts: [{ step: 2, by: writer, field }], member: field },
    )
  const label = shows('label', 'volumes.update', old)
  const size = shows('size', 'volumes.resize', old)
  const stale = ['volumes.view: shows what was before']

  it('is one cause for all members that it shows so', () => {
    expect(causesOf(label, size)).toEqual(stale)
  })

  it('is the cause as well of what a later reply tells otherwise, and of a refused call that seems to have changed it', () => {
    const cloned = found(
      'volumes.clone.shows.size',
      'size',
      [
        made,
        step(3, 'volumes.view', { path, reply: old }),
        step(4, 'volumes.clone', { path, reply: { ...now, id: 8 } }),
      ],
      { facts: [{ step: 3, by: 'volumes.view', field: 'size' }] },
    )
    const refused = { path, body: { label: '' }, ...notFound('label'), status: 400 }
    const looks = [step(2, 'volumes.update', refused), step(3, 'volumes.view', { path, reply: now })]
    const unchanged = found('volumes.update.refusal.unchanged', 'changed', [made, ...looks], { level: 'should' })
    expect(causesOf(label, size, cloned, unchanged)).toEqual(stale)
  })

  it('is not, where it shows what nothing has told before', () => {
    const other = { id: 7, label: 'x', size: 1 }
    expect(causesOf(shows('label', 'volumes.update', other), shows('size', 'volumes.resize', other))).toEqual([
      'volumes.view: shows a wrong label',
      'volumes.view: shows a wrong size',
    ])
  })

  it('is not, where a single member is told: it may be that one alone', () => {
    expect(causesOf(label)).toEqual(['volumes.view: shows a wrong label'])
  })
})

describe('what a write has changed for good beside what it names', () => {
  const path = { volumeId: '601' }
  const reply = { id: 601, tags: ['b'] }
  const write = step(2, 'volumes.update', { path: { volumeId: '7' }, body: { tags: ['b'] } })
  const bracketed = found(
    'volumes.view.shows.tags',
    'tags',
    [step(1, 'volumes.view', { path, reply: { id: 601, tags: [] } }), write, step(3, 'volumes.view', { path, reply })],
    { facts: [{ step: 1, by: 'volumes.view', field: 'tags' }], unforeseen: [2], confirmed: false },
  )
  const listed = (more: Partial<Finding> = {}) =>
    found(
      'volumes.list.shows.tags',
      'tags',
      [
        step(4, 'volumes.view', { path, reply: { id: 601, tags: [] } }),
        step(5, 'volumes.list', { reply: { data: [reply], page: 1, pages: 1, results: 1 } }),
      ],
      { facts: [{ step: 4, by: 'volumes.view', field: 'tags' }], confirmed: false, ...more },
    )

  it('is its doing, also where looks alone show it since, and did not once more', () => {
    expect(causesOf(bracketed, listed())).toEqual(['volumes.update: changes something else'])
  })

  it('is not what looks show each time without it', () => {
    expect(causesOf(bracketed, listed({ confirmed: true }))).toHaveLength(2)
  })
})
