import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { applyExpected } from '../../reports/expected.js'
import { fold } from '../../reports/fold.js'
import { merge } from '../../reports/merge.js'
import type { Results } from '../../reports/results-schema.js'
import { seed } from '../seed.js'
import { clean, created, end, largeRecord, middle, onlyUp, onlyUpCause, sample, start } from './sample.js'

const shard = (...lines: RecordLine[]): Results =>
  fold([start, ...lines, { type: 'end', durationMs: 10, verdict: 'conforms' }])

describe('merging shards', () => {
  it('has nothing to sweep only where none of the shards has', () => {
    const leftBy = (...starts: RecordLine[]) =>
      merge(starts.map((line) => fold([line, ...clean.slice(1)]))).configuration.leaves
    const embedded = { ...start, leaves: false } as const
    expect([leftBy(embedded, embedded), leftBy(embedded, start), leftBy(embedded, embedded, start)]).toEqual([
      false,
      undefined,
      undefined,
    ])
  })

  it('shows of every clause what one record of the whole run shows', () => {
    const lines = [...middle, ...middle]
    fc.assert(
      fc.property(fc.array(fc.nat(2), { minLength: lines.length, maxLength: lines.length }), (lanes) => {
        const parts = [0, 1, 2].map((lane) => shard(...lines.filter((_, index) => lanes[index] === lane)))
        const [merged, whole] = [merge(parts), shard(...lines)]
        expect(merged.clauses).toEqual(whole.clauses)
        expect(merged.operations).toEqual(whole.operations)
        expect(merged.findings).toEqual(whole.findings)
        expect(merged.requests).toBe(whole.requests)
        expect(merged.timeline).toEqual(whole.timeline)
        expect(merged.choices.map(({ observed }) => new Set(observed))).toEqual(
          whole.choices.map(({ observed }) => new Set(observed)),
        )
      }),
      { seed },
    )
  })

  it('changes nothing about a single shard', () => {
    for (const lines of [sample, clean, largeRecord(300)]) expect(merge([fold(lines)])).toEqual(fold(lines))
  })

  it.each([
    ['conforms', [clean, clean]],
    ['inconclusive', [clean, clean.slice(0, -1)]],
    ['nonconforming', [clean.slice(0, -1), sample]],
  ] as const)('gives the worst verdict: %s', (verdict, records) => {
    expect(merge(records.map((lines) => fold(lines))).verdict).toBe(verdict)
  })

  it('reports a finding of several shards once, in its best form', () => {
    const { confirmed: _, ...untried } = onlyUp
    const merged = merge([
      shard(created, { type: 'finding', finding: untried }),
      shard(created, { type: 'finding', finding: onlyUp }),
    ])
    expect(merged.findings).toEqual([{ ...onlyUp, cause: onlyUpCause.id }])
  })

  it('drops a stale expected finding that another shard shows', () => {
    const id = 'volumes.create.label.maxLength:x'
    const finding = { ...onlyUp, id, clause: 'volumes.create.label.maxLength' }
    const resizes = { type: 'exercised', clause: onlyUp.clause, step: 2 } as const
    const passed = applyExpected(fold(clean), [id])
    const shown = applyExpected(shard(created, resizes, { type: 'finding', finding }), [id])
    expect(passed.stale).toEqual([id])
    expect(merge([passed, shown])).toMatchObject({ stale: [], verdict: 'conforms' })
    expect(merge([passed, passed]).stale).toEqual([id])
  })

  const passedOnce: RecordLine = { type: 'exercised', clause: 'volumes.create.label.maxLength', step: 1 }
  const part = (index: number, count: number): Results =>
    fold([
      { ...start, shard: [index, count] },
      created,
      passedOnce,
      { type: 'end', durationMs: 10, verdict: 'conforms' },
    ])

  it('names the shards that are missing, and is inconclusive without them', () => {
    const merged = merge([part(1, 4), part(3, 4)])
    expect(merged.troubles).toEqual([
      { kind: 'cut-short', text: 'shard 2 of 4, shard 4 of 4 missing: merge the results of all shards' },
    ])
    expect(merged.verdict).toBe('inconclusive')
    expect(merge([part(1, 2), part(2, 2)])).toMatchObject({ troubles: [], verdict: 'conforms' })
  })

  it('refuses the same shard twice', () => {
    expect(() => merge([part(1, 2), part(2, 2), part(1, 2)])).toThrow('result 3: expected another shard than 1/2')
  })

  it('puts shards of the embedded target together, each of which started its own', () => {
    const at = (baseUrl: string, name = 'embedded'): Results =>
      fold([{ ...start, target: { name, baseUrl } }, created, end])
    const [one, two] = [at('http://127.0.0.1:4001/v4'), at('http://127.0.0.1:4002/v4')]
    expect(merge([one, two]).target.baseUrl).toBe('http://127.0.0.1:4001/v4')
    expect(() => merge([one, at('https://127.0.0.1:4002/v4')])).toThrow('base URL')
    expect(() => merge([at('http://127.0.0.1:4001/v4', 'mine'), at('http://127.0.0.1:4002/v4', 'mine')])).toThrow(
      'base URL',
    )
  })

  it('refuses results of different targets or suites, and none at all', () => {
    const other = fold([{ ...start, target: { name: 'production', baseUrl: start.target.baseUrl } }, end])
    expect(() => merge([fold(sample), other])).toThrow(
      'result 2: expected target "staging" as in the first, received "production"',
    )
    const newer = fold([{ ...start, suite: { version: '9.0.0' } }, end])
    expect(() => merge([fold(sample), fold(sample), newer])).toThrow(/result 3: expected suite version/)
    expect(() => merge([])).toThrow(/expected one result or more/)
  })
})
