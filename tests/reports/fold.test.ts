import { describe, expect, it } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { unsent } from '../../history/unsent.js'
import { fold, foldStream } from '../../reports/fold.js'
import type { Results } from '../../reports/results-schema.js'
import { exitCode } from '../../reports/verdicts.js'
import { clean, created, end, middle, notJson, onlyUp, onlyUpCause, sample, start } from './sample.js'

const clauseOf = (results: Results, id: string) => results.clauses.find((clause) => clause.id === id)
const endWith = (verdict: 'conforms' | 'inconclusive'): RecordLine => ({ type: 'end', durationMs: 1, verdict })

it('counts no call that was not sent among the requests', () => {
  const outcome = unsent('the run is over')
  const { requests, operations, access } = fold([start, created, { ...created, n: 9, outcome }, end])
  expect(requests).toBe(1)
  expect(operations.find(({ id }) => id === created.call.operation)).toMatchObject({ requests: 1, replies: { 200: 1 } })
  expect(access).toMatchObject([{ accepted: 1 }])
})

describe('the verdict of a clause', () => {
  const results = fold(sample)
  it.each([
    ['volumes.create.label.maxLength', { verdict: 'pass', exercised: 3, lastStep: 3 }],
    ['volumes.resize.only-up', { verdict: 'finding', exercised: 0, lastStep: 3 }],
    ['volumes.create.not-json', { verdict: 'finding', level: 'should' }],
    ['volumes.create.unknown-member', { verdict: 'observed', exercised: 0 }],
    ['volumes.resize.active-only', { verdict: 'untested', reason: 'the volume was active before it could be probed' }],
    [
      'tags.create.domains',
      { verdict: 'untestable', reason: 'no fixture "domains"', remedy: 'list a domain under fixtures.domains' },
    ],
  ])('of %s follows from its lines', (id, expected) => {
    expect(clauseOf(results, id)).toMatchObject(expected)
  })

  it('is a finding although the clause was exercised as well', () => {
    const lines = [
      start,
      { type: 'exercised', clause: onlyUp.clause, step: 1 } as const,
      { type: 'finding', finding: onlyUp } as const,
      end,
    ]
    expect(clauseOf(fold(lines), onlyUp.clause)?.verdict).toBe('finding')
  })

  it('is no finding where that was withdrawn, and the run is not nonconforming for it', () => {
    const lines = [start, { type: 'finding', finding: onlyUp }, { type: 'withdrawn', finding: onlyUp.id }] as const
    const folded = fold([...lines, endWith('inconclusive')])
    expect([clauseOf(folded, onlyUp.clause)?.verdict, folded.findings, folded.verdict]).toEqual([
      'untested',
      [],
      'inconclusive',
    ])
  })

  it('is a pass although it was called untestable, when it was exercised after all', () => {
    const id = 'tags.create.domains'
    const pass = clauseOf(fold([...sample, { type: 'exercised', clause: id, step: 1 }]), id)
    expect(pass).toMatchObject({ verdict: 'pass' })
    expect(pass).not.toHaveProperty('reason')
  })

  it('is "nothing decided it" where no line speaks of the clause', () => {
    expect(clauseOf(fold([start, end]), 'volumes.resize.only-up')).toMatchObject({
      verdict: 'untested',
      reason: 'nothing decided it',
    })
  })

  it('says of a member that no accepted reply of the operation showed it', () => {
    const id = 'volumes.create.shows.tags'
    const [first] = start.clauses
    if (!first) throw new Error('no clause')
    const listing = { ...start, clauses: [{ ...first, id }] }
    const reasons = [[created], []].map((steps) => clauseOf(fold([listing, ...steps, end]), id)?.reason)
    expect(reasons).toEqual(['no reply showed tags where its value was known', 'nothing decided it'])
  })

  it('is untested for a must clause of which only a choice was seen', () => {
    const id = 'volumes.resize.only-up'
    expect(clauseOf(fold([start, { type: 'choice', id, value: 'x', step: 1 }, end]), id)?.verdict).toBe('untested')
  })
})

describe('the verdict of a run', () => {
  it('is nonconforming with a must finding', () => {
    expect(fold(sample).verdict).toBe('nonconforming')
  })

  it('is conforms with a should finding, unless should gates', () => {
    const lines: RecordLine[] = [
      ...middle.filter(({ type }) => type !== 'finding'),
      { type: 'finding', finding: notJson },
      endWith('conforms'),
    ]
    expect(fold([start, ...lines]).verdict).toBe('conforms')
    expect(fold([{ ...start, level: 'should' }, ...lines]).verdict).toBe('nonconforming')
  })

  it('is nonconforming with a pinned finding', () => {
    const finding = { ...onlyUp, level: 'pinned' } as const
    expect(fold([start, created, { type: 'finding', finding }, end]).verdict).toBe('nonconforming')
  })

  it('has passed a pinned choice where the target was seen to keep to it', () => {
    const [clause] = start.clauses
    const pinned = {
      ...start,
      setting: { ...start.setting, pins: { 'tags.list.status': 200 } },
      clauses: [
        ...start.clauses,
        { ...(clause as NonNullable<typeof clause>), id: 'tags.list.status', level: 'pinned' as const },
      ],
      choices: [{ id: 'tags.list.status', text: 'Status.', pinned: 200 }],
    }
    const verdictWith = (value: string) =>
      fold([pinned, created, { type: 'choice', id: 'tags.list.status', value, step: 1 }, end]).clauses.at(-1)?.verdict
    expect([verdictWith('200'), verdictWith('204')]).toEqual(['pass', 'untested'])
  })

  it.each(['suite-defect', 'unreachable', 'cut-short', 'inconclusive'] as const)(
    'is inconclusive with a trouble of kind %s',
    (kind) => {
      expect(fold([...clean, { type: 'trouble', kind, text: 'x' }]).verdict).toBe('inconclusive')
    },
  )

  it('stays nonconforming when there is trouble besides a finding', () => {
    expect(fold([...sample, { type: 'trouble', kind: 'cut-short', text: 'x' }]).verdict).toBe('nonconforming')
  })

  it('is inconclusive when nothing was judged, and says so', () => {
    const results = fold([start, endWith('conforms')])
    expect(results.verdict).toBe('inconclusive')
    expect(results.troubles.map(({ text }) => text).join()).toContain('nothing was judged')
  })

  it('is inconclusive without an end line, and says so', () => {
    const results = fold(clean.filter(({ type }) => type !== 'end'))
    expect(results.verdict).toBe('inconclusive')
    expect(results.troubles).toEqual([expect.objectContaining({ kind: 'cut-short' })])
    expect(results.durationMs).toBe(102)
  })

  it('without an end line asks for a sweep only where something may have stayed', () => {
    const adviceFor = (line: RecordLine): string =>
      fold([line, ...clean.slice(1, -1)])
        .troubles.map(({ text }) => text.split('; ').at(-1))
        .join()
    expect(adviceFor(start)).toBe('sweep what it left with touchstone sweep, then run it again')
    expect(adviceFor({ ...start, leaves: false })).toBe('run it again')
  })

  it('tells the advice of a run that was cut short with the run, and not with each clause', () => {
    const [text, advice] = ['the time given with --max-time is over', 'give it more']
    const { clauses, troubles } = fold([start, { type: 'trouble', kind: 'cut-short', text, advice }, end])
    expect(troubles[0]).toEqual({ kind: 'cut-short', text: `${text}; ${advice}` })
    const reasons = clauses.flatMap(({ verdict, reason }) => (verdict === 'untested' ? [reason] : []))
    expect([...new Set(reasons)]).toEqual([text])
  })

  it('is never better than the one that the run gave itself', () => {
    expect(fold([...clean.slice(0, -1), endWith('conforms')]).verdict).toBe('conforms')
    expect(fold([...clean.slice(0, -1), endWith('inconclusive')]).verdict).toBe('inconclusive')
    expect(fold([...clean.slice(0, -1), end])).toMatchObject({
      verdict: 'inconclusive',
      troubles: [{ text: 'the run called itself nonconforming, but no line of its record shows a finding that gates' }],
    })
  })

  it('is inconclusive when the record has evidence for a clause that it does not list', () => {
    const results = fold([...clean, { type: 'exercised', clause: 'no.such-clause', step: 1 }])
    expect(results.verdict).toBe('inconclusive')
    expect(results.troubles[0]?.text).toMatch(/^suite defect: .*"no\.such-clause"/)
  })

  it('gives exit code 0, 1 or 3, and 1 for a stale expected finding in a run that conforms', () => {
    expect(exitCode({ verdict: 'conforms' })).toBe(0)
    expect(exitCode({ verdict: 'nonconforming' })).toBe(1)
    expect(exitCode({ verdict: 'inconclusive' })).toBe(3)
    expect(exitCode({ verdict: 'conforms', stale: ['x'] })).toBe(1)
    expect(exitCode({ verdict: 'conforms', stale: [] })).toBe(0)
  })
})

describe('folding', () => {
  it('counts requests and replies per operation, lost ones among them', () => {
    const lost: RecordLine = { ...created, at: 200, ms: 1_000, outcome: { lost: 'timeout' } }
    const results = fold([start, ...middle, lost, end])
    expect(results.requests).toBe(3)
    expect(results.operations[0]).toMatchObject({
      requests: 2,
      replies: { 200: 1, lost: 1 },
      totalMs: 1_030,
      slowestMs: 1_000,
    })
    expect(results.operations[2]).toMatchObject({ id: 'tags.create', requests: 0, replies: {} })
    expect(results.timeline.slices.reduce((sum, slice) => sum + slice.requests, 0)).toBe(3)
  })

  it('lists an operation that the record names without having announced it', () => {
    const stray: RecordLine = { ...created, call: { ...created.call, operation: 'strange.view', url: '/strange?x=1' } }
    expect(fold([start, stray, end]).operations.at(-1)).toMatchObject({
      id: 'strange.view',
      area: 'other',
      path: '/strange',
      requests: 1,
    })
  })

  it('puts the most frequent value of a choice first', () => {
    expect(fold(sample).choices).toEqual([
      { id: 'refusal.status', text: 'status of a refusal for a bad value', observed: ['400', '422'], pinned: null },
      {
        id: 'volumes.create.unknown-member',
        text: 'whether an unknown member is refused',
        observed: ['accepted'],
        pinned: null,
      },
    ])
  })

  it('keeps one finding of an id: the confirmed one, then the one with the shorter program', () => {
    const { confirmed: _, ...untried } = onlyUp
    const long = { ...onlyUp, steps: [...onlyUp.steps, ...onlyUp.steps] }
    const short = { ...untried, steps: onlyUp.steps.slice(1) }
    const lines = [long, short, onlyUp].map((finding) => ({ type: 'finding', finding }) as const)
    expect(fold([start, created, ...lines, end]).findings).toEqual([{ ...onlyUp, cause: onlyUpCause.id }])
  })

  it('lists findings that gate before those that do not', () => {
    const lines = [notJson, onlyUp].map((finding) => ({ type: 'finding', finding }) as const)
    expect(fold([start, created, ...lines, end]).findings.map(({ level }) => level)).toEqual(['must', 'should'])
  })

  it('gives the same results for the same lines, arriving at once or bit by bit', async () => {
    async function* bits() {
      yield* sample
    }
    expect(await foldStream(bits())).toEqual(fold(sample))
    expect(JSON.stringify(fold(sample))).toBe(JSON.stringify(fold(structuredClone(sample))))
  })

  it('refuses a record that does not begin with its start line, is empty, or holds two runs', () => {
    expect(() => fold([end])).toThrow(/first line .* "start", received "end"/)
    expect(() => fold([])).toThrow(/empty/)
    expect(() => fold([...sample, start])).toThrow(/two runs/)
  })
})
