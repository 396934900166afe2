import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { judgeFiles } from '../../cli/judge.js'
import type { RecordLine } from '../../history/record.js'
import { operationById, operations } from '../../models/index.js'
import { aToken } from '../../models/language/needs.js'
import type { Operation } from '../../models/language/operation.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { parseRecord } from '../../reports/read.js'
import type { Results } from '../../reports/results-schema.js'
import {
  baseUrl,
  type Exchange,
  exchangeOf,
  firstLine,
  harOf,
  linesOf,
  named,
  page,
  secretOf,
  stepsOf,
  told,
  volume,
} from '../oracle/traffic.js'

const as = 'owner'
const contact = (name: string) => ({
  id: 5,
  name,
  email: 'a@b.test',
  group: null,
  phone: { primary: null, secondary: null },
})
const creates = told('managed-contacts.create', { as, body: { name: 'ann', email: 'a@b.test' } }, 200, contact('ann'))
const conforming: readonly Exchange[] = [
  creates,
  told('managed-contacts.view', { as, path: { contactId: 5 } }, 200, contact('ann')),
]
const broken: readonly Exchange[] = [
  creates,
  told('managed-contacts.view', { as, path: { contactId: 5 } }, 200, contact('bob')),
  told('managed-contacts.view', { as, path: { contactId: 5 } }, 200, contact('ann')),
]

type Start = Extract<RecordLine, { readonly type: 'start' }>

let folder = ''
let shown = ''
let notes = ''

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'judge-'))
  shown = ''
  notes = ''
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    shown += String(text)
    return true
  })
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    notes += String(text)
    return true
  })
})

afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true })
})

const file = (name: string, content: unknown): string => {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return name
}
const end: RecordLine = { type: 'end', durationMs: 1, verdict: 'conforms' }
/** The record of a run that has ended. */
const record = (name: string, lines: readonly RecordLine[]): string =>
  file(name, [...lines, end].map((line) => `${JSON.stringify(line)}\n`).join(''))

const judge = (files: readonly string[], more: object = {}) =>
  judgeFiles(files, { cwd: folder, out: 'out', json: false, level: 'must', reports: ['json'], ...more })

const results = (): Results => JSON.parse(readFileSync(join(folder, 'out/results.json'), 'utf8'))
const written = () => [...parseRecord(readFileSync(join(folder, 'out/run.ndjson'), 'utf8'), 'run.ndjson')]

const target = {
  baseUrl,
  users: [{ name: 'owner', restricted: false }],
  tokens: [{ name: 'owner', scopes: '*', secret: secretOf('owner') }],
}

const elsewhere = (exchange: Exchange): Exchange => ({
  ...exchange,
  url: `https://proxy.example.test/v4${exchange.url}`,
})
const views = (name: string) => told('managed-contacts.view', { as, path: { contactId: 5 } }, 200, contact(name))
const renames = (name: string) =>
  told('managed-contacts.update', { as, path: { contactId: 5 }, body: { name } }, 200, contact(name))

test('a record is held to the level by which it was judged before, unless another is named', async () => {
  const tooLong = { name: 'a'.repeat(65), email: 'a@b.test' }
  const fails = told('managed-contacts.create', { as, body: tooLong }, 500, { errors: [{ reason: 'Oops' }] })
  const asBefore = { level: undefined }
  expect(await judge([file('one.har', harOf([...conforming, fails]))], asBefore)).toBe(0)
  expect(results().findings.map(({ level }) => level)).toEqual(['should'])
  expect(await judge(['one.har'], { level: 'should' })).toBe(1)
  expect(await judge(['out/run.ndjson'], { out: 'again', ...asBefore })).toBe(1)
  expect(await judge(['out/run.ndjson'], { out: 'again', level: 'must' })).toBe(0)
})

describe('calls of one token at two addresses are judged', () => {
  test('as those of one target where they only fit together', async () => {
    const calls = [creates, elsewhere(renames('bob')), views('bob'), elsewhere(renames('ann')), views('ann')]
    expect(await judge([file('one.har', harOf(calls))])).toBe(0)
    expect(notes).toContain('5 calls of')
    expect(results().assumed).toMatchObject([{ explanation: 'origins', times: 1 }])
    expect(results().assumed[0]?.text).toContain('https://api.example.test and https://proxy.example.test')
  })
  test('as those of two targets where the target file says that addresses are no names of one', async () => {
    const calls = [creates, elsewhere(renames('bob')), views('bob'), elsewhere(renames('ann')), views('ann')]
    const har = file('one.har', harOf(calls))
    for (const origins of [true, false]) {
      const explanations = { origins, gap: false, interference: false }
      const own = file('t.json', { ...target, baseUrl: 'https://third.example.test/v4', explanations })
      expect(await judge([har], { target: own })).toBe(origins ? 0 : 1)
    }
  })
  test('with a finding where the target is wrong in either reading', async () => {
    const calls = [creates, elsewhere(renames('bob')), views('bob'), elsewhere(renames('ann')), elsewhere(views('bob'))]
    const explanations = { gap: false, interference: false, lag: false }
    const own = file('t.json', { ...target, baseUrl: 'https://third.example.test/v4', explanations })
    expect(await judge([file('one.har', harOf(calls))], { target: own })).toBe(1)
    expect(results().findings.map(({ id }) => id)).toEqual(['managed-contacts.update.takes-effect:name'])
    expect(await judge([file('right.har', harOf(calls.slice(0, -1)))], { target: own })).toBe(0)
  })
  test('as those of two targets where they do not fit together', async () => {
    const bob = told('managed-contacts.create', { as, body: { name: 'bob', email: 'a@b.test' } }, 200, contact('bob'))
    const calls = [creates, elsewhere(bob), views('ann'), elsewhere(views('bob')), views('ann')]
    expect(await judge([file('two.har', harOf(calls))])).toBe(0)
    expect(notes).toMatch(/3 calls of .*\n.*2 calls of/)
  })
})

/** Two files of which the second shows a volume after the first deleted it, unless their clocks differ. */
const byTwoClocks = (): readonly string[] => {
  const disk = { as, path: { volumeId: 7 } }
  const writes: readonly Exchange[] = [
    { ...told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume()), at: 0 },
    { ...told('volumes.delete', disk, 200, {}), at: 3000 },
  ]
  const looks = [2900, 3100].map((at): Exchange => ({ ...told('volumes.view', disk, 200, volume()), at }))
  return [file('one.har', harOf(writes)), file('other.har', harOf(looks))]
}

describe('judging a HAR', () => {
  test('of a conforming target exits with 0 and writes a record that can be judged again', async () => {
    expect(await judge([file('a.har', harOf(conforming))])).toBe(0)
    expect(written().map(({ type }) => type)).toContain('exercised')
    expect(written().at(0)).toMatchObject({ type: 'start', command: 'touchstone judge a.har' })
    expect(written().at(-1)).toMatchObject({ type: 'end', verdict: 'conforms' })
    expect(shown).toContain('conforms')
    expect(notes).toContain('a.har: 2 calls of https://api.example.test/v4 judged')
    writeFileSync(join(folder, 'again.ndjson'), readFileSync(join(folder, 'out/run.ndjson')))
    expect(await judge(['again.ndjson'])).toBe(0)
  })

  test('of several recorders whose clocks nothing compares is also read one by one, which its record says', async () => {
    const own = file('t.json', { ...target, explanations: { lag: false } })
    expect(await judge(byTwoClocks(), { target: own })).toBe(0)
    expect(results().assumed).toMatchObject([
      {
        explanation: 'clocks',
        text: 'the clocks of recorders differ, and nothing tells by how much; first: clocks of 2 files',
      },
    ])
    const { assumed } = results()
    writeFileSync(join(folder, 'again.ndjson'), readFileSync(join(folder, 'out/run.ndjson')))
    expect(await judge(['again.ndjson'])).toBe(0)
    expect(results().assumed).toEqual(assumed)
  })
  test('is read one by one only where the target file lets clocks differ', async () => {
    const files = byTwoClocks()
    for (const clocks of [true, false]) {
      const own = file('t.json', { ...target, explanations: { clocks, gap: false, interference: false, lag: false } })
      expect(await judge(files, { target: own })).toBe(clocks ? 0 : 1)
    }
  })
  test('of which calls are missing, or hold too little, is judged again as what it is', async () => {
    const unknownRename = { ...renames('bob'), body: undefined }
    const { log } = harOf([creates, unknownRename, views('bob')])
    const entries = log.entries.map((entry, i) =>
      i === 1 ? { ...entry, request: { ...(entry.request as object), bodySize: 14 } } : entry,
    )
    const har = file('a.har', { log: { ...log, entries } })
    const explanations = { gap: false, interference: false, lag: false }
    const own = file('t.json', { ...target, explanations })
    const lacking = file('b.har', harOf([creates, views('bob'), views('bob')]))
    for (const [one, more] of [
      [har, { target: own }],
      [lacking, {}],
    ] as const) {
      expect(await judge([one], more)).toBe(0)
      writeFileSync(join(folder, 'again.ndjson'), readFileSync(join(folder, 'out/run.ndjson')))
      expect(await judge(['again.ndjson'])).toBe(0)
    }
  })
  test('in which times go back says in its record and its report that a clock is taken to have been set back', async () => {
    const disk = { path: { volumeId: 7 } }
    const lists = Array.from(
      { length: 12 },
      (_, i): Exchange => ({ ...told('tags.list', { as }, 200, page()), at: i * 570 }),
    )
    const later = (by: number) => lists.map((one): Exchange => ({ ...one, at: (one.at ?? 0) + by }))
    const calls: readonly Exchange[] = [
      { ...told('volumes.create', { as, body: { label: 'disk', region: 'r1' } }, 200, volume()), at: 0 },
      ...later(300),
      { ...told('volumes.view', { as, ...disk }, 200, named('disk')), at: 7500 },
      { ...told('volumes.update', { as, ...disk, body: { label: 'b' } }, 200, named('b')), at: 8000 },
      // By the clock that is then set back this comes before the update.
      { ...told('volumes.view', { as, ...disk }, 200, named('b')), at: 6500 },
      ...later(6800),
    ]
    expect(await judge([file('back.har', harOf(calls))], { reports: ['json', 'html'] })).toBe(0)
    const [clock] = results().assumed
    expect(clock).toMatchObject({ explanation: 'clock', times: 1 })
    expect(clock?.text).toMatch(/^the times of a recording are .* set back; first: clock of \d+ entries$/)
    expect(readFileSync(join(folder, 'out/report.html'), 'utf8')).toContain('or of one that was set back')
    writeFileSync(join(folder, 'again.ndjson'), readFileSync(join(folder, 'out/run.ndjson')))
    expect(await judge(['again.ndjson'])).toBe(0)
    await judge([file('plain.har', harOf(conforming))])
    expect(results().assumed).toEqual([])
  })

  test('of a broken target exits with 1, names the operation, and holds the recorded calls without their secrets', async () => {
    expect(await judge([file('a.har', harOf(broken))], { target: file('t.json', target) })).toBe(1)
    const [finding] = results().findings
    expect(finding).toMatchObject({ id: 'managed-contacts.view.shows.name:name', operation: 'managed-contacts.view' })
    expect(finding).not.toHaveProperty('confirmed')
    expect(finding?.steps.map(({ call }) => [call.operation, call.as])).toEqual([
      ['managed-contacts.create', 'owner'],
      ['managed-contacts.view', 'owner'],
    ])
    expect(readdirSync(join(folder, 'out/findings'))).toHaveLength(2)
    expect(readFileSync(join(folder, 'out/run.ndjson'), 'utf8')).not.toContain(secretOf('owner'))
  })

  test('leaves no report of an earlier judgement beside its own', async () => {
    await judge([file('a.har', harOf(conforming))], { reports: ['json', 'sarif', 'ctrf'] })
    expect(readdirSync(join(folder, 'out'))).toContain('sarif.json')
    await judge([file('a.har', harOf(conforming))])
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(['results.json', 'run.ndjson'])
  })

  test('gates on an expected finding only once it is gone', async () => {
    const expected = [{ id: 'managed-contacts.view.shows.name:name' }]
    expect(await judge([file('a.har', harOf(broken))], { expected })).toBe(0)
    expect(await judge([file('b.har', harOf(conforming))], { expected })).toBe(1)
  })

  test("translates a target's own words back", async () => {
    const theirs = (exchange: Exchange) => JSON.parse(JSON.stringify(exchange).replaceAll('"name"', '"full_name"'))
    const har = harOf(broken.map(theirs))
    const named = file('t.json', { ...target, vocabulary: { name: 'full_name' } })
    expect(await judge([file('a.har', har)], { target: named })).toBe(1)
    expect(results().findings.map(({ id }) => id)).toEqual(['managed-contacts.view.shows.name:name'])
  })

  test('with no call of the interface judges nothing and exits with 3', async () => {
    const har = harOf([{ method: 'GET', url: 'https://cdn.example.test/a.png', status: 200 }])
    expect(await judge([file('a.har', har)])).toBe(3)
    expect(notes).toContain('1 entry: names no operation of the interface')
  })

  test('of a target that lies near by name only is judged without its target file', async () => {
    file('touchstone.config.json', { ...target, baseUrl: 'https://elsewhere.test/other/v4' })
    expect(await judge([file('a.har', harOf(conforming))])).toBe(0)
    expect(results().requests).toBe(2)
  })
})

describe('judging several files', () => {
  const view = (name: string, more: Partial<Exchange> = {}) =>
    told('managed-contacts.view', { as, path: { contactId: 5 } }, 200, contact(name), { at: 1000, ...more })

  test('of one target takes them as one history, whatever their order', async () => {
    expect(
      await judge([file('b.har', harOf([view('bob'), view('ann', { at: 2000 })])), file('a.har', harOf([creates]))]),
    ).toBe(1)
    expect(results().findings[0]?.steps.map(({ n }) => n)).toEqual([1, 2])
    expect(await judge([file('b.har', harOf([view('ann')])), file('a.har', harOf(conforming))])).toBe(0)
    expect(results().requests).toBe(3)
  })

  test('of two targets takes the calls of each as one history, in whatever order a file with calls of both comes', async () => {
    const other = 'https://other.example.test/v4/managed/contacts'
    const made = told(
      'managed-contacts.create',
      { as, body: { name: 'ann', email: 'a@b.test' } },
      200,
      contact('ann'),
      {
        url: other,
      },
    )
    const seen = (name: string, at: number) => view(name, { url: `${other}/5`, at })
    const files = [
      file('a.har', harOf([creates])),
      file('b.har', harOf([made])),
      file('both.har', harOf([view('ann'), seen('bob', 1000), seen('ann', 2000)])),
    ]
    for (const order of [files, [...files].reverse()]) {
      expect(await judge(order)).toBe(1)
      expect(results().findings.map(({ steps }) => steps.length)).toEqual([2])
    }
  })

  test('of several targets does not take what one shows for something that the next one knows', async () => {
    const elsewhere = view('bob', { url: 'https://other.example.test/v4/managed/contacts/5' })
    expect(await judge([file('a.har', harOf(conforming)), file('b.har', harOf([elsewhere]))])).toBe(0)
    expect(stepsOf(written()).map(({ n }) => n)).toEqual([1, 2, 3])
  })
})

describe('judging the record of a run', () => {
  test('finds in it what the run found', async () => {
    const op = operationById('managed-contacts.update') as Operation
    const fault = mutantsOf(op)
      .find(({ kind }) => kind === 'loses its effect')
      ?.arm().fault
    const near = ['create', 'update', 'view'].map((verb) => operationById(`managed-contacts.${verb}`) as Operation)
    const lines = await linesOf({ near, ...(fault && { fault }) })
    const then = lines.flatMap((line) =>
      line.type === 'finding' && line.finding.level === 'must' ? [line.finding.id] : [],
    )
    expect(await judge([record('run.ndjson', lines)])).toBe(1)
    expect(results().findings.map(({ id }) => id)).toEqual(expect.arrayContaining([...new Set(then)]))
    expect(stepsOf(written()).map(({ verdict }) => verdict)).toEqual(stepsOf(lines).map(({ verdict }) => verdict))
    const withdrawn = results().findings.map(({ id }): RecordLine => ({ type: 'withdrawn', finding: id }))
    expect(await judge([record('withdrawn.ndjson', [...lines.slice(0, -1), ...withdrawn, ...lines.slice(-1)])])).toBe(3)
    expect(results().findings).toEqual([])
    writeFileSync(join(folder, 'again.ndjson'), readFileSync(join(folder, 'out/run.ndjson')))
    expect(await judge(['again.ndjson'])).toBe(3)
    expect(results().findings).toEqual([])
  })

  test('beside a record of traffic is a history of its own, also when both are judged again', async () => {
    expect(await judge([file('a.har', harOf([creates, renames('bob'), views('bob')]))])).toBe(0)
    writeFileSync(join(folder, 'traffic.ndjson'), readFileSync(join(folder, 'out/run.ndjson')))
    expect(await judge(['traffic.ndjson', record('run.ndjson', await linesOf({ programs: 3 }))])).toBe(0)
    const kinds = () => written().flatMap(({ type }) => (type === 'step' || type === 'traffic' ? [type] : []))
    const then = kinds()
    expect([then.indexOf('traffic'), then.lastIndexOf('step')]).toEqual([then.length - 4, then.length - 1])
    writeFileSync(join(folder, 'again.ndjson'), readFileSync(join(folder, 'out/run.ndjson')))
    expect(await judge(['again.ndjson'])).toBe(0)
    expect(kinds()).toEqual(then)
  })
  test('does not call a record complete that was cut off, and takes one of several runs at once in any order', async () => {
    const lines = await linesOf({ programs: 3 })
    const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('')
    expect(await judge([file('cut.ndjson', text.slice(0, -20))])).toBe(3)
    expect(results().troubles).toMatchObject([{ kind: 'cut-short', text: expect.stringContaining('no end line') }])
    const steps = stepsOf(lines).filter(({ program }) => program !== 'survey')
    const open = {
      ...lines[0],
      setting: { ...(lines[0] as { setting: object }).setting, exclusive: false },
    } as RecordLine
    const twice = steps.map((step) => ({ ...step, n: 1 }))
    expect(await judge([record('two.ndjson', [open, ...twice.slice(9), ...twice.slice(0, 9)])])).toBe(0)
  })
})

test('What a run could not test on its target is untestable in its judgement too, with the reason', async () => {
  const lines = await linesOf({ programs: 1 })
  const [clause, reason, remedy] = ['volumes.list.restricted', 'needs a restricted user', 'add one']
  const needs = [aToken({ restricted: true })]
  const told: RecordLine = { type: 'untestable', clause, reason, remedy, needs }
  await judge([record('run.ndjson', [...lines.slice(0, -1), told, ...lines.slice(-1)])])
  expect(results().clauses.find(({ id }) => id === clause)).toMatchObject({
    verdict: 'untestable',
    reason,
    remedy,
    needs,
  })
})

describe('judging the record of a run that was asked for less', () => {
  const about = (area: string): Pick<Start, 'clauses'> => {
    const { clauses } = firstLine() as Start
    return { clauses: clauses.map((one) => (one.area === area ? one : { ...one, selected: false as const })) }
  }
  const asked = async (more: Partial<Start>): Promise<readonly RecordLine[]> => {
    const lines = await linesOf({ near: operations.filter(({ area }) => area === 'managed'), programs: 4 })
    return [{ ...(lines[0] as Start), ...more }, ...lines.slice(1)]
  }
  const historyIn = (lines: readonly RecordLine[]) =>
    lines.filter(({ type }) => ['step', 'hook', 'surveyed', 'events', 'walked', 'ended'].includes(type))
  const areasWith = (verdict: string) =>
    new Set(results().clauses.flatMap((clause) => (clause.verdict === verdict ? [clause.area] : [])))

  test('is about no more than the run, also when it is judged again', async () => {
    const lines = await asked({ ...about('managed'), seed: 5 })
    expect(await judge([record('run.ndjson', lines)])).toBe(0)
    const { clauses } = results()
    expect(areasWith('untested')).toEqual(new Set(['managed']))
    expect(clauses.filter(({ verdict }) => verdict === 'not-selected')).toHaveLength(
      clauses.filter(({ area }) => area !== 'managed').length,
    )
    expect(shown).toContain('seed 5')
    writeFileSync(join(folder, 'again.ndjson'), readFileSync(join(folder, 'out/run.ndjson')))
    expect(await judge(['again.ndjson'])).toBe(0)
    expect(results().clauses).toEqual(clauses)
    expect(historyIn(written())).toEqual(historyIn(lines))
  })

  test('is held to the areas of which the run had to show something', async () => {
    expect(
      await judge([record('run.ndjson', await asked({ ...about('support'), expects: { areas: ['support'] } }))]),
    ).toBe(3)
    expect(results().troubles[0]?.text).toContain('no clause passed')
  })

  test('is about all that any of several runs was about', async () => {
    const lines = await asked(about('managed'))
    const other = [{ ...lines[0], ...about('tags') } as RecordLine, ...lines.slice(1)]
    await judge([record('one.ndjson', lines), record('other.ndjson', other)])
    expect(areasWith('untested')).toEqual(new Set(['managed', 'tags']))
    await judge([record('one.ndjson', lines), file('a.har', harOf(conforming))])
    expect(areasWith('not-selected')).toEqual(new Set())
  })

  test('ended early where the target was no longer there, as the run did, also when it is judged again', async () => {
    const gone: RecordLine = { type: 'trouble', kind: 'unreachable', text: 'the target is gone' }
    expect(await judge([record('run.ndjson', [...(await asked({})), gone])])).toBe(3)
    writeFileSync(join(folder, 'again.ndjson'), readFileSync(join(folder, 'out/run.ndjson')))
    expect(await judge(['again.ndjson'])).toBe(3)
    expect(results().troubles).toMatchObject([gone].map(({ kind, text }) => ({ kind, text })))
  })

  test('says what kept the run from deciding clauses', async () => {
    const lines = await asked({})
    const because = 'no occasion came'
    const untested: RecordLine = { type: 'untested', clause: 'volumes.list.token.scheme', reason: because }
    const cut: RecordLine = { type: 'trouble', kind: 'cut-short', text: '9 requests, as many as --max-requests allows' }
    expect(await judge([record('run.ndjson', [...lines, untested, cut])])).toBe(3)
    expect(results().clauses.find(({ id }) => id === untested.clause)?.reason).toBe(because)
    expect(results().troubles).toEqual([{ kind: cut.kind, text: cut.text }])
  })
})

test('Recorded traffic has no seed, as nothing of it was drawn', async () => {
  await judge([file('a.har', harOf(conforming))])
  expect(results()).not.toHaveProperty('seed')
  expect(shown).not.toContain('seed')
})

describe('a file that is no recording', () => {
  test.each([
    ['a.har', '{"log":{"entries":[{}]}}', /a\.har: \/log\/entries\/0\/request: expected an object, received nothing/],
    ['a.har', '<html>', /a\.har: expected a HAR or a run record \(run\.ndjson\), received text that is not JSON/],
    ['a.har', '', /a\.har: expected a HAR or a run record/],
    [
      'a.zip',
      'PK\u0003\u0004',
      /a\.zip: expected a HAR or .*, received a zip archive: unpack it, and name a file in it/,
    ],
    ['a.har', '[1]', /a\.har: \/log: expected a HAR/],
    ['run.ndjson', '{"type":"end","durationMs":1,"verdict":"conforms"}\n', /run\.ndjson:1: expected the first line/],
    ['run.ndjson', '{"type":"start"}\n', /run\.ndjson:1: \/format/],
    ['run.ndjson', '{"type":"new"}\nx\n', /run\.ndjson:1: expected "type" to be one of/],
  ])('is refused with its place and what was expected: %s %s', async (name, text, message) => {
    await expect(judge([file(name, text)])).rejects.toMatchObject({
      name: 'UsageError',
      message: expect.stringMatching(message),
    })
  })

  test.each([
    ['within an entry', (text: string) => text.slice(0, -60)],
    ['within a text that holds JSON', (text: string) => text.slice(0, text.lastIndexOf('\\"') + 1)],
    ['after an entry', (text: string) => text.slice(0, text.lastIndexOf(',{"startedDateTime"'))],
  ])('is judged up to where it was cut: %s', async (_, cut) => {
    const whole = JSON.stringify(harOf([...broken, ...conforming]))
    expect(await judge([file('cut.har', cut(whole))])).toBe(1)
    expect(notes).toContain('1 entry: was cut off with the file')
    expect(results().requests).toBe(broken.length + conforming.length - 1)
    await expect(judge([file('odd.har', cut(whole).replace('"method"', 'method'))])).rejects.toThrow('not JSON')
  })

  test('is judged whole where it was cut after its entries', async () => {
    const whole = JSON.stringify(harOf([...broken, ...conforming]))
    expect(await judge([file('cut.har', whole.slice(0, whole.lastIndexOf(']') + 1))])).toBe(1)
    expect(notes).not.toContain('cut off')
    expect(results().requests).toBe(broken.length + conforming.length)
    await expect(judge([file('odd.har', `${whole}}`)])).rejects.toThrow('not JSON')
  })

  test('is unpacked, and may be in UTF-16', async () => {
    writeFileSync(join(folder, 'a.har.gz'), gzipSync(JSON.stringify(harOf(conforming))))
    writeFileSync(
      join(folder, 'run.ndjson.gz'),
      gzipSync(readFileSync(join(folder, record('run.ndjson', await linesOf({}))))),
    )
    writeFileSync(join(folder, 'b.har'), `\ufeff${JSON.stringify(harOf(broken))}`, 'utf16le')
    expect(await judge(['a.har.gz', 'run.ndjson.gz'])).toBe(0)
    expect(await judge(['b.har'])).toBe(1)
  })

  test('may have its bodies in files beside it; of those that are not there nothing is known', async () => {
    const entries = harOf(broken).log.entries.map((entry, i) => {
      const { request, response } = entry as {
        request: { postData?: { text: string } }
        response: { content: { text: string } }
      }
      const attach = (part: { text: string } | undefined, name: string) => {
        if (!part) return undefined
        file(name, part.text)
        return { mimeType: 'application/json', text: '', _file: `elsewhere/${name}` }
      }
      const postData = attach(request.postData, `sent-${i}.json`)
      const content = attach(response.content, `reply-${i}.json`)
      return { ...entry, request: { ...request, postData }, response: { ...response, content } }
    })
    expect(await judge([file('a.har', { log: { version: '1.2', entries } })])).toBe(1)
    for (const name of readdirSync(folder).filter((one) => /^(sent|reply)-/.test(one))) rmSync(join(folder, name))
    expect(await judge(['a.har'])).toBe(3)
    expect(results().findings).toEqual([])
  })

  test('is told to be a folder, or damaged', async () => {
    await expect(judge(['.'])).rejects.toThrow(/expected a HAR or a run record \(run\.ndjson\), received a folder/)
    writeFileSync(join(folder, 'a.har.gz'), gzipSync('{"log": 1}').subarray(0, 12))
    await expect(judge(['a.har.gz'])).rejects.toThrow(/a\.har\.gz: expected .*, received a file packed by gzip that is/)
  })

  test('is refused before anything is written', async () => {
    await expect(judge([file('a.har', harOf(conforming)), file('b.har', '7')])).rejects.toThrow('b.har')
    expect(readdirSync(folder)).not.toContain('out')
  })

  test('is not overwritten by its own judgement', async () => {
    const lines = stepsOf(await linesOf({ programs: 1 })).map(exchangeOf)
    expect(await judge([file('a.har', harOf(lines))])).toBe(0)
    await expect(judge(['out/run.ndjson'])).rejects.toThrow(/Name another folder with --out/)
  })
})
