import { describe, expect, it } from 'vitest'
import { fold } from '../../reports/fold.js'
import { htmlReport } from '../../reports/html.js'
import { merge } from '../../reports/merge.js'
import { created, end, onlyUp, resized, sample, start } from './sample.js'

const refused = { ...resized, n: 4, expects: 'refuse' as const, outcome: { status: 403 }, verdict: 'pass' as const }
const nobody = { ...refused, n: 5, findings: [], call: { ...resized.call, as: null }, outcome: { status: 401 } }
const lines = [start, created, resized, refused, nobody, { type: 'finding', finding: onlyUp }, end] as const

describe('who called what', () => {
  it('counts what was accepted and refused for each token, and what of it was wrong', () => {
    expect(fold(lines).access).toEqual([
      { operation: 'volumes.create', as: 'owner', accepted: 1, refused: 0, wrong: 0 },
      { operation: 'volumes.resize', as: 'owner', accepted: 1, refused: 1, wrong: 1 },
      { operation: 'volumes.resize', as: null, accepted: 0, refused: 1, wrong: 0 },
    ])
  })

  it('takes a reply for wrong only where what it showed has become a finding', () => {
    const without = lines.filter(({ type }) => type !== 'finding')
    expect(fold(without).access.map(({ wrong }) => wrong)).toEqual([0, 0, 0])
  })

  it('leaves out replies that say neither, and lost ones', () => {
    const neither = [
      { ...resized, outcome: { status: 500 } },
      { ...resized, outcome: { lost: 'timeout' as const } },
    ]
    expect(fold([start, ...neither, end]).access).toEqual([])
  })

  it('is added up where shards are merged', () => {
    const results = fold(lines)
    expect(merge([results, results]).access[1]).toEqual({ ...results.access[1], accepted: 2, refused: 2, wrong: 2 })
  })

  it('leaves out operations that the run was not about', () => {
    const results = fold(lines)
    const clauses = results.clauses.map((one) =>
      one.operation === 'volumes.create' ? { ...one, verdict: 'not-selected' as const } : one,
    )
    const named = (page: string): readonly string[] => {
      const table = page.slice(page.indexOf('id="access"'), page.indexOf('id="untestable"'))
      return Array.from(table.matchAll(/<code>(volumes[^<]*)/g), ([, id]) => String(id))
    }
    expect(named(htmlReport(results))).toEqual(['volumes.create', 'volumes.resize'])
    expect(named(htmlReport({ ...results, clauses }))).toEqual(['volumes.resize'])
  })

  it('is a table on the page, wrong cells marked', () => {
    expect(htmlReport(fold(sample))).toMatch(/<td class="wrong" data-caller="owner">✗1 ✓1<\/td>/)
  })
})

describe('the time of a clause', () => {
  it('is that of the requests that were sent to show it', () => {
    const clause = 'volumes.resize.only-up'
    const results = fold([start, { ...created, clause }, { ...resized, clause }, end])
    expect(results.clauses.find(({ id }) => id === clause)?.ms).toBe(created.ms + resized.ms)
    expect(results.clauses.filter(({ ms }) => ms !== undefined)).toHaveLength(1)
  })
})
