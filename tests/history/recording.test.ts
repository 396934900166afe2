import { describe, expect, test } from 'vitest'
import { RecordingError } from '../../history/recording.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { variations } from '../../reference/variations.js'
import {
  type Exchange,
  exchangeOf,
  firstLine,
  gating,
  judgeExchanges,
  judgeRun,
  linesOf,
  named,
  page,
  stepsOf,
  told,
  volume,
} from '../oracle/traffic.js'
import { partOf } from '../parts.js'
import { runIn } from './recorded.js'

const as = 'owner'
const path = { volumeId: 7 }
const create = (reply: object = volume(), more: Partial<Exchange> = {}) =>
  told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, reply, more)
const rename = (label: string, more: Partial<Exchange> = {}) =>
  told('volumes.update', { as, path, body: { label } }, 200, named(label), more)
const view = (reply: object = volume(), more: Partial<Exchange> = {}) =>
  told('volumes.view', { as, path }, 200, reply, more)
const resize = (size: number, more: Partial<Exchange> = {}) =>
  told('volumes.resize', { as, path, body: { size } }, 200, volume({ size, status: 'resizing' }), more)
const remove = (more: Partial<Exchange> = {}) => told('volumes.delete', { as, path }, 200, {}, more)
const list = (...data: readonly object[]) => told('volumes.list', { as }, 200, page(...data))
const refusal = { errors: [{ field: '', reason: 'no' }] }
const absent = told('volumes.view', { as, path }, 404, refusal)
const allocate = (status: number, reply: object) =>
  told('ips.allocate', { as, body: { node_id: 101, type: 'ipv4', public: true } }, status, reply)

describe('the record of a run', () => {
  test('judged again, every step has the verdict that it had', async () => {
    const lines = await linesOf({ programs: 12, races: 12 })
    const recording = runIn(JSON.parse(JSON.stringify(lines)))
    const { steps, found } = judgeRun(recording)
    expect(steps.length).toBeGreaterThan(200)
    const recorded = [...stepsOf(lines)].sort((a, b) => a.n - b.n)
    expect(recorded.filter(({ program }) => program.startsWith('race on')).length).toBeGreaterThan(30)
    expect(steps.map(({ n, verdict }) => [n, verdict])).toEqual(recorded.map(({ n, verdict }) => [n, verdict]))
    expect(found).toEqual([])
  })

  test('of a broken target shows the finding that the run showed, ending with the step that deviates', async () => {
    const op = operationById('volumes.update') as Operation
    const [mutant] = mutantsOf(op).filter(({ kind }) => kind === 'loses its effect')
    const lines = await linesOf({
      fault: mutant?.arm().fault as never,
      near: [op, operationById('volumes.view') as Operation],
    })
    const then = lines.flatMap((line) => (line.type === 'finding' ? [line.finding.id] : []))
    const { found } = judgeRun(runIn(lines))
    expect(then).toContain('volumes.update.takes-effect:label')
    const again = found.find(({ id }) => id === 'volumes.update.takes-effect:label')
    expect(again?.steps.length).toBeLessThanOrEqual(4)
    expect(again?.steps.at(-1)?.deviations.map(({ clause }) => clause)).toContain('volumes.update.takes-effect')
  })

  test.each<[string, readonly unknown[], RegExp]>([
    [
      'a step before the start',
      [{ type: 'end', durationMs: 1, verdict: 'conforms' }],
      /run\.ndjson:1: expected the first line to be of type "start"/,
    ],
    ['no line', [], /expected a first line of type "start", received an empty file/],
    ['two starts', [firstLine(), firstLine()], /run\.ndjson:2: expected one line of type "start"/],
    [
      'a step without a path',
      [
        firstLine(),
        {
          type: 'step',
          n: 1,
          at: 0,
          ms: 0,
          program: '',
          call: { operation: 'volumes.view', method: 'GET', url: '/', as: null },
          outcome: { status: 200 },
          expects: 'accept',
          verdict: 'pass',
        },
      ],
      /run\.ndjson:2: \/call\/path of a "step" line: expected an object of texts, received nothing/,
    ],
    [
      'a start with fixtures of another shape',
      [
        {
          ...firstLine(),
          setting: {
            ...(firstLine() as { setting: object }).setting,
            fixtures: { nodes: [{ ipv4: { public: 7 } }] },
          },
        },
      ],
      /run\.ndjson:1: \/setting\/fixtures/,
    ],
  ])('with %s is no record, and the message says where', (_, lines, message) => {
    expect(() => runIn(lines)).toThrow(RecordingError)
    expect(() => runIn(lines)).toThrow(message)
  })

  test('keeps judging where an operation is not known any more, and counts it', () => {
    const step = { type: 'step', n: 1, at: 0, ms: 0, program: '', verdict: 'pass', expects: 'accept' }
    const call = { operation: 'nothing.known', method: 'GET', url: '/', as: null, path: {}, query: {} }
    const recording = runIn([firstLine(), { ...step, call, outcome: { status: 200 } }])
    expect(recording.events).toEqual([])
    expect(Object.values(recording.ignored)).toEqual([1])
  })
})

describe('a HAR of a conforming target', () => {
  const names = ['all-422', 'hidden-403', 'descending', 'extra-fields', 'strict', 'bare', 'everything'] as const
  for (const name of partOf(names, 3))
    test(`has no finding that gates, with and without a target file, whole and cut mid-stream: ${name}`, async () => {
      const all = stepsOf(await linesOf({ programs: 8, seed: 4, ...variations[name] })).map(exchangeOf)
      expect(new Set(all.map((one) => one.as)).size).toBeGreaterThan(2)
      for (const from of [0, 0.4, 0.8]) {
        const part = all.slice(Math.floor(all.length * from))
        for (const isKnown of [true, false]) {
          expect(gating(judgeExchanges(part, isKnown))).toEqual([])
          expect(
            gating(
              judgeExchanges(
                part.map((one) => ({ ...one, as: undefined })),
                isKnown,
              ),
            ),
          ).toEqual([])
        }
      }
    })

  const conforming: Readonly<Record<string, readonly Exchange[]>> = {
    'a stream that begins in the middle': [view(), rename('b'), view(named('b')), list(named('b'))],
    'an unknown id that is refused': [absent, list(), absent],
    'a resource of somebody else that changes between two reads': [view(), view(named('other')), list(named('third'))],
    'a resource that somebody else deletes': [view(), list(volume()), absent, list()],
    'a resource that is missing from a list of others': [list(volume({ id: 8 })), list(volume({ id: 9 }))],
    'a volume that comes to rest between reads': [
      create(volume({ status: 'creating' })),
      view(volume({ status: 'creating' })),
      view(),
      resize(40),
      view(volume({ size: 20, status: 'resizing' })),
      view(volume({ size: 40 })),
    ],
    'a volume that is resized before its size was seen': [
      told('volumes.resize', { as, path, body: { size: 40 } }, 200, volume({ size: 20, status: 'resizing' })),
      view(volume({ size: 20, status: 'resizing' })),
      view(volume({ size: 40 })),
    ],
    'a restricted user who has made the volume before': [
      told('volumes.view', { as: 'limited', path }, 200, volume()),
      told('volumes.detach', { as: 'limited', path }, 200, {}),
    ],
    'a creation that times out and took effect': [
      told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 0),
      list(volume()),
      view(),
    ],
    'a creation that times out, did not take effect and is sent again': [
      told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 0),
      list(),
      create(),
      list(volume()),
    ],
    'a deletion that is sent again after a 504': [
      create(),
      told('volumes.delete', { as, path }, 504),
      told('volumes.delete', { as, path }, 404, refusal),
      absent,
    ],
    'an update that times out and lands late': [
      create(),
      told('volumes.update', { as, path, body: { label: 'late' } }, 0),
      view(),
      view(named('late')),
      list(named('late')),
    ],
    'calls that are told to come later': [
      create(),
      told('volumes.update', { as, path, body: { label: 'b' } }, 429, refusal),
      told('volumes.update', { as, path, body: { label: 'b' } }, 503),
      rename('b'),
      view(named('b')),
    ],
    'pages of a list': [
      told('volumes.list', { as, query: { page: 2, page_size: 1 } }, 200, {
        data: [volume({ id: 8 })],
        page: 2,
        pages: 2,
        results: 2,
      }),
      told('tags.list', { as }, 200, page({ label: 'x' })),
    ],
    'a creation that a quota refuses': [allocate(403, refusal), allocate(403, refusal)],
    'a node that was deleted since the target file was written': [
      create(),
      told('volumes.attach', { as, path, body: { node_id: 101 } }, 400, refusal),
    ],
    'a bucket that is filled and emptied by the S3 API': [
      told('buckets.create', { as, body: { cluster: 'c1', label: 'made' } }, 200, { cluster: 'c1', label: 'made' }),
      told('bucket-objects.list', { as, path: { clusterId: 'c1', bucket: 'made' } }, 200, {
        data: [{ name: 'a' }],
        next_marker: null,
      }),
      told('buckets.delete', { as, path: { clusterId: 'c1', bucket: 'made' } }, 400, refusal),
      told('bucket-objects.list', { as, path: { clusterId: 'c1', bucket: 'made' } }, 200, {
        data: [],
        next_marker: null,
      }),
      told('buckets.delete', { as, path: { clusterId: 'c1', bucket: 'made' } }, 200, {}),
    ],
    'a write by another credential that is not known': [
      create(),
      rename('b', { as: 'stranger' }),
      view(named('b')),
      remove({ as: 'stranger' }),
      absent,
    ],
  }
  for (const [what, exchanges] of Object.entries(conforming))
    for (const isKnown of [true, false])
      test(`is not accused for ${what}, ${isKnown ? 'with' : 'without'} a target file`, () => {
        expect(gating(judgeExchanges(exchanges, isKnown))).toEqual([])
        expect(gating(judgeExchanges(exchanges.slice(1), isKnown))).toEqual([])
      })
})

describe('a HAR of a broken target', () => {
  test.each<[string, string, readonly Exchange[]]>([
    ['a lost update', 'volumes.update.takes-effect:label', [create(), view(), rename('b'), view(), view()]],
    ['a wrong field', 'volumes.view.shows.size:size', [list(), create(), absent, view(volume({ size: 21 }))]],
    [
      'a shrunk volume',
      'volumes.resize.only-up:accepted',
      [create(volume({ size: 40 })), view(volume({ size: 40 })), resize(30)],
    ],
    ['a resurrection', 'volumes.delete.takes-effect:still-there', [create(), view(), remove(), view()]],
    ['an ill-typed reply', 'volumes.view.reply.size.type:shape', [view(volume({ size: '20' }))]],
    [
      'a record that speaks against itself',
      'volumes.view.shows.filesystem_path:filesystem_path',
      [view(volume({ filesystem_path: '/dev/disk/by-id/scsi-0Node_Volume_other' }))],
    ],
    ['a reply that is no JSON', 'volumes.list.envelope:envelope', [told('volumes.list', { as }, 200, [])]],
  ])('shows %s, by name and with no more calls than it needs', (_, id, exchanges) => {
    for (const isKnown of [true, false]) {
      const { found } = judgeExchanges(exchanges, isKnown)
      const finding = found.find((one) => one.id === id)
      expect(finding, found.map((one) => one.id).join()).toBeDefined()
      expect(finding?.steps.length).toBeLessThanOrEqual(3)
      expect(finding?.steps.at(-1)?.deviations.map((one) => `${one.clause}:${one.kind}`)).toContain(id)
    }
  })

  const broken = ['volumes.view', 'firewalls.update', 'managed-contacts.create', 'object-keys.view', 'tickets.view']
  for (const id of broken)
    test(`names ${id} where that alone is broken`, async () => {
      const op = operationById(id) as Operation
      const near = [
        op,
        ...['create', 'view', 'list'].flatMap((verb) => operationById(`${id.split('.')[0]}.${verb}`) ?? []),
      ]
      const mutants = mutantsOf(op).filter(
        ({ kind, clause }) => /calls errors|shows a wrong|leaves out/.test(kind) && clause !== `${id}.shows.id`,
      )
      let caught = 0
      for (const mutant of mutants) {
        const { fault, activations } = mutant.arm()
        const steps = stepsOf(await linesOf({ programs: 5, near, fault }))
        const ids = gating(judgeExchanges(steps.map(exchangeOf), true))
        if (ids.length > 0) caught += 1
        // Of two replies that disagree about what no request told, the later one is named.
        const shown = /\.shows\.\w+$/.exec(mutant.clause ?? '')?.[0] ?? '.shows.none'
        const isNamed = (finding: string): boolean => finding.startsWith(`${id}.`) || finding.includes(`${shown}:`)
        if (activations() > 0) expect(ids.filter((finding) => !isNamed(finding))).toEqual([])
      }
      expect(caught).toBeGreaterThan(0)
    })

  const key = { id: 5, label: 'k' }
  const makesKey = told('object-keys.create', { as, body: { label: 'k' } }, 200, key)
  test.each<[string, string, readonly Exchange[]]>([
    [
      'an access key that is not found',
      'object-keys.view.accepts:refused',
      [makesKey, told('object-keys.view', { as, path: { keyId: 5 } }, 404, refusal)],
    ],
    [
      'a clone with the id of its source',
      'volumes.clone.new:not-new',
      [create(), view(), told('volumes.clone', { as, path, body: { label: 'copy' } }, 200, named('copy'))],
    ],
    [
      'a change by a refused update, in the list that follows',
      'volumes.update.refusal.unchanged:changed',
      [create(), told('volumes.update', { as, path, body: { label: '' } }, 400, refusal), list(named('b'))],
    ],
    [
      'a list that is refused after something else was',
      'managed-contacts.list.accepts:refused',
      [
        told('managed-contacts.create', { as, body: { name: 'x' } }, 400, {
          errors: [{ field: 'name', reason: 'no' }],
        }),
        told('managed-contacts.list', { as }, 400, refusal),
      ],
    ],
  ])('whose callers are known shows %s', (_, id, exchanges) => {
    expect(gating(judgeExchanges(exchanges, true))).toEqual([id])
  })

  test('is told of a refused creation only where the same is taken later with nothing removed in between', () => {
    const taken = allocate(200, { address: '198.51.100.99' })
    const no = allocate(403, refusal)
    expect(gating(judgeExchanges([no, taken], true))).toEqual(['ips.allocate.accepts:refused'])
    const removes = told('ipv6-ranges.delete', { as, path: { range: '2001:db8::' } }, 200, {})
    expect(gating(judgeExchanges([no, removes, taken], true))).toEqual([])
    expect(gating(judgeExchanges([no, { ...taken, as: 'limited' }], true))).toEqual([])
    expect(judgeExchanges([no], true).steps[0]?.verdict).toBe('inconclusive')
    expect(judgeExchanges([no, taken], true).steps[0]?.verdict).toBe('finding')
  })
})

describe('calls that overlap', () => {
  test('are legal where some order explains them, and illegal where none does', () => {
    const both = [create(volume(), { at: 0 }), rename('b', { at: 100, ms: 50 }), rename('c', { at: 110, ms: 50 })]
    expect(gating(judgeExchanges([...both, view(named('b'), { at: 300 })], true))).toEqual([])
    expect(gating(judgeExchanges([...both, view(named('c'), { at: 300 })], true))).toEqual([])
    expect(gating(judgeExchanges([...both, view(named('disk'), { at: 300 })], true))).not.toEqual([])
    const settled = [...both, view(named('b'), { at: 300 }), view(named('c'), { at: 400 })]
    expect(gating(judgeExchanges(settled, true))).not.toEqual([])
  })

  test('by no more than the times are rounded are judged as if they did not', () => {
    const kept = { path: { contactId: 3 }, as }
    const contact = { id: 3, name: 'crew', email: 'crew@x.example' }
    const found = (ms: number, at: number) =>
      gating(
        judgeExchanges(
          [
            told('managed-contacts.create', { as, body: { name: 'crew' } }, 200, contact, { at: 0 }),
            told('managed-contacts.update', { ...kept, body: { name: 'crew' } }, 200, contact, { at: 100, ms }),
            told('managed-contacts.delete', kept, 400, refusal, { at, ms: 1 }),
          ],
          true,
        ),
      )
    expect(found(1, 101)).toEqual(['managed-contacts.delete.accepts:refused'])
    expect(found(50, 120)).toEqual([])
  })

  test('are put in order however many there are, where they have nothing to do with each other', () => {
    const ids = Array.from({ length: 12 }, (_, i) => i + 1)
    const contact = (id: number, name: string) => ({ id, name, email: 'a@b.example' })
    const made = ids.map((id) =>
      told('managed-contacts.create', { as, body: { name: 'ann' } }, 200, contact(id, 'ann'), { at: id, ms: 500 }),
    )
    const renamed = ids.map((id) =>
      told('managed-contacts.update', { as, path: { contactId: id }, body: { name: 'bob' } }, 200, contact(id, 'bob'), {
        at: 1000 + id,
        ms: 500,
      }),
    )
    const seen = (name: string) =>
      told('managed-contacts.view', { as, path: { contactId: 3 } }, 200, contact(3, name), { at: 2000 })
    const judged = judgeExchanges([...made, ...renamed, seen('bob')], true)
    expect(judged.unordered).toEqual([])
    expect(gating(judged)).toEqual([])
    expect(gating(judgeExchanges([...made, ...renamed, seen('ann')], true))).toEqual([
      'managed-contacts.update.takes-effect:name',
    ])
  })

  test('too much to be put in order are still held against what is wrong in itself', () => {
    const many = Array.from({ length: 9 }, (_, i) => rename(`l${i}`, { at: 100 + i, ms: 500 }))
    const odd = view(volume({ size: '20' }), { at: 300, ms: 20 })
    expect(gating(judgeExchanges([...many, odd], true))).toEqual(['volumes.view.reply.size.type:shape'])
  })

  test('are inconclusive where too many do, and what follows is judged afresh', () => {
    const many = Array.from({ length: 9 }, (_, i) => rename(`l${i}`, { at: 100 + i, ms: 500 }))
    const judged = judgeExchanges([create(volume(), { at: 0 }), ...many, view(named('else'), { at: 900 })], true)
    expect(judged.unordered).toHaveLength(9)
    expect(gating(judged)).toEqual([])
    expect(judged.steps.at(-1)?.verdict).toBe('pass')
  })
})
