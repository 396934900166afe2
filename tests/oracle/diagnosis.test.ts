import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import type { Finding, RecordedStep } from '../../history/record.js'
import { operationById, operations } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { diagnose } from '../../oracle/diagnosis/diagnose.js'
import type { Fault } from '../../reference/handler.js'
import { families } from '../../reference/mutants/families.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { type Examined, examine } from '../../reference/mutants/trial.js'
import { partOf } from '../parts.js'
import { seed } from '../seed.js'

const mutants = operations.flatMap(mutantsOf)

const armed = (id: string): Fault => {
  const mutant = mutants.find((one) => one.id === id)
  if (!mutant) throw new Error(`no mutant ${id}`)
  return mutant.arm().fault
}

const familyNamed = (id: string): Fault => {
  const found = families().find((one) => one.id === id)
  if (!found) throw new Error(`no family ${id}`)
  return found.fault()
}

const of = (...resources: readonly string[]): readonly Operation[] =>
  operations.filter(({ id }) => resources.some((resource) => id.startsWith(`${resource}.`)))

const causesOf = ({ findings, passed }: Examined) => diagnose(findings, passed)

describe('a fault across operations is one cause', () => {
  const cases: readonly (readonly [family: string, ...resources: string[]])[] = [
    ['*: drops token', 'vlans', 'managed-issues'],
    ['*: drops body', 'managed-contacts'],
    ['*: leaves out field', 'managed-issues', 'vlans'],
    ['*: calls errors something else', 'managed-issues', 'vlans'],
    ['*: refuses with another status', 'managed-issues', 'vlans'],
    ['*: ignores page_size', 'managed-issues', 'vlans'],
    ['*: counts a page too many', 'managed-issues', 'vlans'],
    ['volumes: shows a wrong filesystem_path', 'volumes'],
    ['vlans.list: refuses every call', 'vlans'],
    ['tickets.create: refuses every call', 'tickets', 'tags'],
    ['object-keys.create: refuses every call', 'object-keys'],
  ]
  test.each(cases)('%s', async (id, ...resources) => {
    const examined = await examine(familyNamed(id), of(...resources), 0)
    expect(examined.findings.length).toBeGreaterThan(0)
    const causes = causesOf(examined)
    expect(causes.map((cause) => cause.id)).toEqual([id])
    expect(causes[0]?.findings.length).toBe(examined.findings.length)
  })

  it('is said of one area where it holds in the others', () => {
    const findings = operations.filter(({ area }) => area === 'managed').map(({ id }) => dropped(id))
    const held = operations.filter(({ area }) => area === 'tags').map(({ id }) => `${id}.token`)
    const idsOf = (passed: readonly string[]) => diagnose(findings, new Set(passed)).map(({ id }) => id)
    expect(idsOf([])).toEqual(['*: drops token'])
    expect(idsOf(held)).toEqual(['managed: drops token'])
    expect(diagnose(findings, new Set(held))[0]?.summary).toMatch(
      /^The operations on managed behave as if tokens were not checked: \d+ operations$/,
    )
  })

  it('is not, where most of what it would break holds', () => {
    const [one, other] = ['tags.list', 'vlans.list'].map((op) => dropped(op)) as [Finding, Finding]
    const held = operations.map(({ id }) => `${id}.token`).filter((id) => id !== one.clause && id !== other.clause)
    const idsOf = (passed: readonly string[]) => diagnose([one, other], new Set(passed)).map(({ id }) => id)
    expect(idsOf([])).toEqual(['*: drops token'])
    expect(idsOf(held)).toEqual(['tags.list: drops tags.list.token', 'vlans.list: drops vlans.list.token'])
  })
})

test('an operation that checks no token takes one under any scheme as well, and one that only does that checks its tokens', () => {
  const token = dropped('tags.list')
  const scheme = { ...token, id: 'tags.list.token.scheme:accepted', clause: 'tags.list.token.scheme' }
  const idsOf = (findings: readonly Finding[], ...passed: readonly string[]) =>
    diagnose(findings, new Set(passed)).map(({ id }) => id)
  expect(idsOf([token, scheme])).toEqual(['tags.list: drops tags.list.token'])
  expect(idsOf([scheme])).toEqual(['tags.list: drops tags.list.token.scheme'])
  expect(idsOf([scheme], 'tags.list.token')).toEqual(['tags.list: drops tags.list.token.scheme'])
})

/** A finding of an operation that takes calls without a token. */
const dropped = (operation: string): Finding => ({
  id: `${operation}.token:accepted`,
  clause: `${operation}.token`,
  operation,
  level: 'must',
  source: 'Authentication',
  summary: 'accepted without a token',
  requires: 'A call without a valid bearer token is refused.',
  expected: 'a refusal',
  received: '200 {}',
  because: [],
  steps: [
    {
      n: 1,
      call: { operation, method: 'GET', url: '/', as: null, path: {}, query: {} },
      outcome: { status: 200, body: {} },
      line: operation,
    },
  ],
  shrunkFrom: 1,
  replay: 'touchstone replay',
})

describe('reads that are answered as they were for another token', () => {
  const across = '*: serves replies across tokens'
  const broken = (operation: string, slug: string, kind: string): Finding => {
    const clause = `${operation}.${slug}`
    return { ...dropped(operation), id: `${clause}:${kind}`, clause }
  }
  const [step] = dropped('managed-contacts.list').steps as [RecordedStep]
  const stepAs = (as: string): RecordedStep => ({ ...step, call: { ...step.call, as } })
  const list = {
    ...broken('managed-contacts.list', 'only-live', 'foreign'),
    steps: [stepAs('owner'), stepAs('other')],
  }
  const ofThings = ['managed-contacts', 'managed-services'].flatMap((resource) => {
    const param = resource === 'managed-contacts' ? 'contactId' : 'serviceId'
    return ['exists', 'owned'].map((slug) => broken(`${resource}.view`, `path.${param}.${slug}`, 'accepted'))
  })
  const checked = new Set(['managed-issues.view.path.issueId.exists', 'managed-issues.view.token'])
  const idsOf = (...findings: readonly Finding[]) => diagnose(findings, checked).map(({ id }) => id)

  test('are told as one cause where the token itself was not checked either', () => {
    expect(idsOf(list, ...ofThings, dropped('managed-contacts.list'))).toEqual([across])
  })

  test('are not where the target only does not keep the accounts apart', () => {
    expect(idsOf(list, ...ofThings)).not.toContain(across)
    expect(idsOf(list, ...ofThings.filter(({ clause }) => clause.endsWith('owned')))).not.toContain(across)
  })
})

test.each([
  ['firewall_enable', 'silent', 200, 'does not emit firewall_enable'],
  ['firewall_enable.alone', 'loud', 200, 'emits though nothing changes firewall_enable'],
  ['firewall_enable.alone', 'loud', 400, 'emits though refused firewall_enable'],
  ['firewall_enable.alone', 'repeated', 200, 'emits twice firewall_enable'],
] as const)('of %s, what is %s after %i is a cause of its own: %s', (event, kind, status, cause) => {
  const clause = `firewalls.update.emits.${event}`
  const like = dropped('firewalls.update')
  const body = status === 200 ? {} : { errors: [{ field: 'status', reason: 'no' }] }
  const steps = like.steps.map((step) => ({ ...step, outcome: { status, body } }))
  const found = diagnose([{ ...like, id: `${clause}:${kind}`, clause, steps }], new Set())
  expect(found.map(({ id }) => id)).toEqual([`firewalls.update: ${cause}`])
})

describe('a fault of one operation is one cause, which names it', () => {
  test.each([
    ['managed-contacts.create: loses its effect', 'managed-contacts'],
    ['managed-contacts.view: shows a wrong name', 'managed-contacts'],
    ['buckets.create: demands cors_enabled', 'buckets'],
    ['vlans.list: loses the last record and its count', 'vlans'],
    ['managed-contacts.create: takes effect though refused', 'managed-contacts'],
    ['managed-contacts.create: counts bytes for managed-contacts.create.body.name.characters', 'managed-contacts'],
  ])('%s', async (id, resource) => {
    const causes = causesOf(await examine(armed(id), of(resource), 0))
    expect(causes.map((cause) => cause.id)).toEqual([id])
  })
})

test('a member that several statements read is told as one cause', async () => {
  const fault = 'volumes.create: shows a wrong node_id'
  const examined = await examine(armed(fault), [operationById('volumes.create') as Operation], 0)
  expect(examined.findings.map(({ clause }) => clause)).toContain('volumes.create.attached')
  expect(causesOf(examined).map((cause) => cause.id)).toEqual([fault])
})

test('what a refused call leaves behind is told by a program with that call', async () => {
  const { findings } = await examine(
    armed('managed-contacts.create: takes effect though refused'),
    of('managed-contacts'),
    0,
  )
  const { steps } = findings.find(({ clause }) => clause === 'managed-contacts.create.refusal.unchanged') as Finding
  expect(steps.map(({ call }) => call.operation)).toEqual(['managed-contacts.create', 'managed-contacts.list'])
})

describe('a few mutants', () => {
  test.each(partOf(mutants, 797).map(({ id, operation }) => [id, operation] as const))(
    '%s has at most three causes, which share out its findings',
    async (id, operation) => {
      const near = of(operation.slice(0, operation.lastIndexOf('.')))
      const { findings, passed } = await examine(armed(id), near, 0)
      const causes = diagnose(findings, passed)
      expect(causes.length).toBeLessThanOrEqual(3)
      const told = causes.flatMap((cause) => cause.findings)
      expect(told.toSorted()).toEqual(findings.map((finding) => finding.id).sort())
    },
  )
})

describe('two faults at once', async () => {
  const ids = ['tags.delete: drops tags.delete.token', 'vlans.list: counts a page too many'] as const
  const both: Examined[] = []
  for (const id of ids)
    both.push(await examine(armed(id), [operationById(id.slice(0, id.indexOf(':'))) as Operation], 0))
  const findings = both.flatMap((one) => one.findings)

  it('are two causes', () => {
    expect(diagnose(findings).map(({ id }) => id)).toEqual([...ids])
  })

  it('are the same causes in whatever order they are found', () => {
    const before = diagnose(findings)
    fc.assert(
      fc.property(fc.shuffledSubarray([...findings], { minLength: findings.length }), fc.nat(1000), (some, n) => {
        const later = some.map((one) => ({ ...one, steps: one.steps.map((step) => ({ ...step, n: step.n + n })) }))
        const plain = ({ program: _, ...cause }: (typeof before)[number]) => cause
        expect(diagnose(later).map(plain)).toEqual(before.map(plain))
      }),
      { seed },
    )
  })
})

test('what was wrongly accepted has happened: a label that is too long is one finding', async () => {
  const fault = armed('volumes.create: raises volumes.create.body.label.maxLength')
  const near = [operationById('volumes.create'), operationById('volumes.list')] as readonly Operation[]
  const { findings } = await examine(fault, near, 0)
  expect(findings.map(({ id }) => id)).toEqual(['volumes.create.body.label.maxLength:accepted'])
})

test('seven faults at once have a cause each', async () => {
  const ids = [
    'volumes.update: drops volumes.update.body.label.minLength',
    'volumes.attach: drops volumes.attach.same-region',
    'volumes.resize: drops volumes.resize.only-up',
    'volumes.delete: loses its effect',
    'volumes.list: counts a result too many',
    'volumes.clone: shows a wrong size',
    'volumes.view: drops volumes.view.token',
  ]
  const all: Finding[] = []
  for (const id of ids)
    all.push(...(await examine(armed(id), [operationById(id.slice(0, id.indexOf(':'))) as Operation], 0)).findings)
  expect(
    diagnose(all)
      .map(({ id }) => id)
      .sort(),
  ).toEqual([...ids].sort())
})

test('a removal after which a list has what it removed, and the same cannot be made again, has no effect', () => {
  const step = (n: number, operation: string, method: string, status: number): Finding['steps'][number] => ({
    n,
    call: { operation, method, url: '/', as: 'owner', path: {}, query: {} },
    outcome: { status, body: {} },
    line: '',
  })
  const listed: Finding = {
    ...dropped('tags.list'),
    id: 'tags.list.only-live:deleted',
    clause: 'tags.list.only-live',
    facts: [{ step: 2, by: 'tags.delete' }],
    steps: [
      step(1, 'tags.create', 'POST', 200),
      step(2, 'tags.delete', 'DELETE', 200),
      step(3, 'tags.list', 'GET', 200),
    ],
  }
  const refused: Finding = {
    ...dropped('tags.create'),
    id: 'tags.create.accepts:refused',
    clause: 'tags.create.accepts',
    steps: [
      step(1, 'tags.create', 'POST', 200),
      step(2, 'tags.delete', 'DELETE', 200),
      step(3, 'tags.create', 'POST', 400),
    ],
  }
  expect(diagnose([listed, refused]).map(({ id }) => id)).toEqual(['tags.delete: loses its effect'])
  expect(diagnose([listed]).map(({ id }) => id)).toEqual(['tags.list: lists what does not belong in it'])
})

const sent = (n: number, operation: string, body: object, reply: Finding['steps'][number]['outcome']) =>
  ({
    n,
    call: { operation, method: 'POST', url: '/', as: 'owner', path: {}, query: {}, body },
    outcome: reply,
    line: '',
  }) as Finding['steps'][number]

test('an error of the server is told as that, and as nothing that the operation asks for', () => {
  const failed: Finding = {
    ...dropped('volumes.create'),
    id: 'volumes.create.accepts:server-error',
    clause: 'volumes.create.accepts',
    steps: [sent(1, 'volumes.create', {}, { status: 500, body: { errors: [{ field: '', reason: 'oops' }] } })],
  }
  expect(diagnose([failed]).map(({ id }) => id)).toEqual(['volumes.create: fails'])
})

test('too few pages are told as that, whatever is missed by those who stop after the last of them', () => {
  const page = { page: 1, pages: 1, results: 104, data: Array.from({ length: 100 }, (_, id) => ({ id })) }
  const listed = (slug: string, kind: string): Finding => ({
    ...dropped('object-keys.list'),
    id: `object-keys.list.${slug}:${kind}`,
    clause: `object-keys.list.${slug}`,
    steps: [
      sent(1, 'object-keys.create', {}, { status: 400, body: { errors: [] } }),
      sent(2, 'object-keys.list', {}, { status: 200, body: page }),
    ],
  })
  const all = [
    listed('complete', 'missing'),
    listed('complete', 'missing-over-pages'),
    listed('results', 'results-over-pages'),
    listed('pages', 'pages'),
  ]
  expect(diagnose(all).map(({ id }) => id)).toEqual(['object-keys.list: counts a page too many'])
})

test('a list that shows a record twice is told by that, and not by the record that is missed for it', async () => {
  const { findings, passed } = await examine(armed('vlans.list: shows the first record twice'), of('vlans'), 0)
  const [cause] = diagnose(findings, passed)
  expect(cause?.id).toBe('vlans.list: shows the first record twice')
  expect(cause?.findings.length).toBeGreaterThan(1)
  expect(cause?.findings[0]).toMatch(/^vlans\.list\.no-duplicates:/)
})

test('what an empty share should have taken back is told as its failing, and not as that of the assignment', () => {
  const refused = (clause: string, operation: string): Finding => ({
    ...dropped(operation),
    id: `${clause}:refused-within`,
    clause,
    steps: [
      sent(1, 'ips.share', { ips: ['192.0.2.1'] }, { status: 200, body: {} }),
      sent(2, 'ips.share', { ips: [] }, { status: 200, body: {} }),
      sent(3, 'ips.assign', {}, { status: 400, body: { errors: [{ field: 'assignments', reason: 'shared' }] } }),
    ],
  })
  const all = [refused('ips.share.empty-removes', 'ips.share'), refused('ips.assign.after-sharing', 'ips.assign')]
  expect(diagnose(all).map(({ id }) => id)).toEqual(['ips.share: loses its effect'])
})

const shown = (clause: string, member: string, ...steps: readonly string[]): Finding => ({
  ...dropped(clause.split('.').slice(0, 2).join('.')),
  id: `${clause}:${member}`,
  clause,
  steps: steps.map((id, i) => sent(i + 1, id, {}, { status: 200, body: {} })),
})

test.each([
  [
    'volumes.update: shows a wrong label',
    [
      shown('volumes.update.shows.label', 'label', 'volumes.create', 'volumes.update'),
      shown('volumes.update.shows.filesystem_path', 'filesystem_path', 'volumes.create', 'volumes.update'),
    ],
  ],
  [
    'volumes.attach: shows a wrong node_id',
    [
      shown('volumes.attach.shows.node_id', 'node_id', 'volumes.create', 'volumes.attach'),
      shown('volumes.view.shows.node_label', 'node_label', 'volumes.create', 'volumes.attach', 'volumes.view'),
    ],
  ],
  [
    'firewall-rules.update: shows a wrong outbound_policy',
    [
      shown('firewall-rules.update.shows.outbound_policy', 'outbound_policy', 'firewall-rules.update'),
      shown('firewalls.view.shows.rules', 'rules', 'firewall-rules.update', 'firewalls.view'),
    ],
  ],
] as const)('what follows from a member has no cause of its own: %s', (cause, findings) => {
  expect(diagnose(findings).map(({ id }) => id)).toEqual([cause])
})

test('a member that follows from one which is right has a cause of its own', () => {
  const path = shown('volumes.view.shows.filesystem_path', 'filesystem_path', 'volumes.update', 'volumes.view')
  expect(diagnose([path]).map(({ id }) => id)).toEqual(['volumes.view: shows a wrong filesystem_path'])
})

test('what a lost effect leaves in the way of another program is told as its doing', () => {
  const lost = {
    ...shown('volumes.detach.takes-effect', 'node_id', 'volumes.create', 'volumes.attach', 'volumes.detach'),
  }
  const full = {
    ...shown('volumes.attach.sixty-four', 'refused-within'),
    steps: [
      sent(1, 'volumes.create', {}, { status: 200, body: {} }),
      sent(2, 'volumes.attach', {}, { status: 400, body: { errors: [{ field: '', reason: 'full' }] } }),
    ],
  }
  expect(diagnose([lost, full]).map(({ id }) => id)).toEqual(['volumes.detach: loses its effect'])
})

const accepted = (clause: string): Finding => ({
  ...shown(clause, 'accepted', clause.split('.').slice(0, 2).join('.')),
  level: clause.endsWith('.type') ? 'should' : 'must',
})

test.each([
  [
    'managed-contacts.create: drops body.phone.primary',
    ['managed-contacts.create.body.phone.primary.format', 'managed-contacts.create.body.phone.primary.type'],
  ],
  [
    'volumes.attach: drops scopes',
    ['volumes.attach.scope.volumes-read_write', 'volumes.attach.scope.nodes-read_write'],
  ],
] as const)('two symptoms are of one check that is missing where nothing else of it held: %s', (cause, clauses) => {
  expect(diagnose(clauses.map(accepted)).map(({ id }) => id)).toEqual([cause])
})

test('two symptoms of different members, or of a member that is checked otherwise, have causes of their own', () => {
  const two = ['managed-contacts.create.body.name.maxLength', 'managed-contacts.create.body.email.format']
  expect(diagnose(two.map(accepted))).toHaveLength(2)
  const both = ['volumes.create.body.label.minLength', 'volumes.create.body.label.maxLength']
  const held = new Set(['volumes.create.body.label.required', 'volumes.create.body.label.type'])
  expect(diagnose(both.map(accepted), held)).toHaveLength(2)
})

/** A finding that a step contradicts what another one has told of a member before. */
const contradicting = (operation: string, known: number, seen: number, shown: Partial<Finding> = {}): Finding => {
  const { steps, ...rest } = dropped(operation)
  return {
    ...rest,
    id: `${operation}.refusal.unchanged:changed`,
    clause: `${operation}.refusal.unchanged`,
    confirmed: false,
    shownAs: 'missing',
    facts: [{ step: known, by: 'volumes.create', field: 'label' }],
    steps: steps.map((step) => ({ ...step, n: seen })),
    ...shown,
  }
}
const forgets = '*: forgets all that it held'
const causesIn = (...findings: readonly Finding[]) => diagnose(findings).map(({ id }) => id)

test.each([
  ['in several areas', ['volumes.update', 'firewalls.update'], 'missing'],
  ['in one', ['volumes.update', 'volumes.resize'], 'missing'],
  ['of members', ['volumes.update', 'volumes.resize'], 'label'],
])(
  'what one moment contradicts, and what is tried once more does not, was forgotten: %s',
  (_, [one, other], shownAs) => {
    const two = (known: number, seen: number, shown: Partial<Finding> = {}) =>
      causesIn(
        contradicting(one as string, 3, 6, { shownAs, ...shown }),
        contradicting(other as string, known, seen, { shownAs, ...shown }),
      )
    expect(two(4, 8)).toEqual([forgets])
    const told = [contradicting(one as string, 3, 6, { shownAs }), contradicting(other as string, 4, 8, { shownAs })]
    const over = (seen: number) =>
      contradicting('tags.list', 0, seen, {
        id: 'tags.list.complete:missing-over-pages',
        clause: 'tags.list.complete',
        facts: [],
      })
    expect(causesIn(...told, over(9))).toEqual([forgets])
    expect(causesIn(...told, over(2))).toHaveLength(2)
    // Not that of two moments, or of what stands in the target file; and not what a program shows that makes it anew.
    expect(two(7, 8)).not.toContain(forgets)
    expect(two(4, 8, { facts: [{ step: 0, by: 'target file', field: 'label' }] })).not.toContain(forgets)
    expect(two(4, 8, { confirmed: true })).not.toContain(forgets)
  },
)

test('what a hook brought about cannot be tried once more, so that nothing of it was forgotten', () => {
  const after = (by: string) =>
    ['volumes.view', 'volumes.list'].map((operation, i) =>
      contradicting(operation, 3, 6 + i, {
        id: `${operation}.shows.node_label:node_label`,
        clause: `${operation}.shows.node_label`,
        shownAs: 'node_label',
        facts: [{ step: 3, by, field: 'node_id' }],
      }),
    )
  expect(causesIn(...after('volumes.detach'))).toEqual([forgets])
  expect(causesIn(...after('hook deleteNode'))).not.toContain(forgets)
})

/** A finding that shows whenever it is tried, about what was known long before. */
const lasting = (operation: string, slug: string, kind: string): Finding =>
  contradicting(operation, 1, 9, {
    id: `${operation}.${slug}:${kind}`,
    clause: `${operation}.${slug}`,
    shownAs: undefined as never,
    confirmed: true,
  })

test.each([
  ['a query that was to be refused', 'tags.list', 'query.page_size.maximum', 'accepted'],
  ['a caller who was to be let in', 'ips.update', 'scope.ips-read_write', 'refused-within'],
])('what shows once, and %s, are not what one moment has forgotten', (_, operation, slug, kind) => {
  const once = contradicting('volumes.update', 3, 6, { shownAs: 'label' })
  expect(causesIn(once, lasting(operation, slug, kind))).not.toContain(forgets)
  expect(causesIn(once, contradicting('volumes.resize', 4, 8))).toEqual([forgets])
})

test('what one operation shows wrongly now and then is its own fault, and nothing was forgotten', () => {
  const wrong = (member: string, known: number, seen: number): Finding =>
    contradicting('volumes.view', known, seen, {
      id: `volumes.view.shows.${member}:${member}`,
      clause: `volumes.view.shows.${member}`,
      shownAs: member,
      facts: [{ step: known, by: 'volumes.create', field: member }],
    })
  expect(causesIn(wrong('label', 3, 6), wrong('size', 4, 8))).toEqual([
    'volumes.view: shows a wrong label',
    'volumes.view: shows a wrong size',
  ])
})

test('where ids are given again in several areas, and what bore one is gone, all was forgotten, also where each shows whenever it is tried', () => {
  const gone = (operation: string, seen: number, kind: string): Finding =>
    contradicting(operation, 2, seen, {
      id: `${operation}.new:${kind}`,
      clause: `${operation}.new`,
      confirmed: true,
    })
  const inOne = [gone('volumes.list', 5, 'missing'), gone('volumes.create', 7, 'not-new')]
  const inAnother = [gone('ips.list', 6, 'missing'), gone('ips.allocate', 8, 'not-new')]
  expect(causesIn(...inOne, ...inAnother)).toEqual([forgets])
  expect(causesIn(...inOne)).not.toContain(forgets)
  expect(causesIn(...inOne, ...inAnother.slice(1))).toEqual([forgets])
  expect(causesIn(...inOne, ...inAnother.slice(0, 1))).not.toContain(forgets)
  expect(causesIn(...inOne.slice(1), ...inAnother.slice(1))).not.toContain(forgets)
})

test('what is gone and what is back, each shown by a read alone, is an earlier state; what a program makes for it is not', () => {
  const read = (operation: string, kind: string, makes = false): Finding => {
    const { steps, ...rest } = dropped(operation)
    const last = steps.slice(-1).map((step) => ({ ...step, n: 5 }))
    const first = last.map((step) => ({ ...step, n: 1, made: '1' }))
    const facts = [{ step: 1, by: operation, field: 'label' }]
    const clause = `${operation}.list`
    return { ...rest, id: `${clause}:${kind}`, clause, steps: makes ? [...first, ...last] : last, facts }
  }
  const idsOf = causesIn
  const gone = read('ips.list', 'missing')
  const back = read('buckets.list', 'deleted')
  expect(idsOf(gone, back, read('volumes.list', 'unknown'))).toEqual([forgets])
  expect(idsOf(gone, read('buckets.list', 'deleted', true))).not.toContain(forgets)
  expect(idsOf(gone, read('tags.list', 'missing'))).not.toContain(forgets)
  expect(idsOf(gone, read('vlans.list', 'deleted'))).not.toContain(forgets)
})
