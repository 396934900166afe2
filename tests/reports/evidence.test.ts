// A run conforms only where something was judged.
import { expect, it } from 'vitest'
import type { Expectation, RecordLine } from '../../history/record.js'
import { scarcity } from '../../reports/evidence.js'
import { fold } from '../../reports/fold.js'
import { merge } from '../../reports/merge.js'
import { clean, created, start } from './sample.js'

const [, ...rest] = clean
const run = (expects: Expectation, lines: readonly RecordLine[] = rest) => fold([{ ...start, expects }, ...lines])
const texts = ({ troubles }: ReturnType<typeof fold>) => troubles.map(({ text }) => text).join()
const ended: RecordLine = { type: 'end', durationMs: 1, verdict: 'conforms' }

it('conforms where a clause of every selected area passed', () => {
  expect(run({ areas: ['Volumes'] })).toMatchObject({ verdict: 'conforms', troubles: [] })
})

it('is inconclusive where nothing passed, although calls were judged', () => {
  const results = run({ areas: ['Volumes'] }, [created, ended])
  expect(results.verdict).toBe('inconclusive')
  expect(texts(results)).toMatch(/^nothing was judged: no clause passed/)
})

it('is inconclusive where nothing of a selected area passed, and names the area and the commonest reason', () => {
  const results = run({ areas: ['Volumes', 'Tags'] })
  expect(results.verdict).toBe('inconclusive')
  expect(texts(results)).toMatch(/^nothing was judged of Tags: .* mostly since: no fixture "domains"/)
})

it('is inconclusive where fewer clauses passed than the target file expects', () => {
  expect(texts(run({ areas: [], passed: 2 }))).toMatch(/^1 clauses passed, and the target file expects 2/)
  expect(run({ areas: [], passed: 1 }).verdict).toBe('conforms')
})

it('holds shards to it together, not each by itself', () => {
  const expects = { areas: ['Volumes'], passed: 1, shard: true } as const
  const [one, other] = [run(expects), run(expects, [created, ended])]
  expect([one.verdict, other.verdict, merge([one, other]).verdict]).toEqual(['conforms', 'conforms', 'conforms'])
  expect(merge([other, other]).verdict).toBe('inconclusive')
})

it('is inconclusive where more of an area is untested than decided', () => {
  const judged = (untested: number, passed: number) => {
    const { clauses, configuration } = run({ areas: ['Volumes'] })
    const [one] = clauses
    if (!one) throw new Error('no clause')
    const all = [...Array(untested).fill('untested'), ...Array(passed).fill('pass')]
    return scarcity({
      configuration,
      requests: 1,
      clauses: all.map((verdict) => ({ ...one, area: 'Volumes', verdict, reason: 'the id of what was made' })),
    })
  }
  expect(judged(130, 70)).toMatch(
    /^too little was judged of Volumes: 130 clauses are untested.* the id of what was made/,
  )
  expect(judged(70, 70)).toBeUndefined()
  expect(judged(12, 2)).toBeUndefined()
})
