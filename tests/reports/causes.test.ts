import { describe, expect, it } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { toldCauses } from '../../reports/causes.js'
import { compare } from '../../reports/compare.js'
import { ctrf } from '../../reports/ctrf.js'
import { applyExpected } from '../../reports/expected.js'
import { fold } from '../../reports/fold.js'
import { harmOf } from '../../reports/harm.js'
import { htmlReport } from '../../reports/html.js'
import { junit } from '../../reports/junit.js'
import { merge } from '../../reports/merge.js'
import { sarif } from '../../reports/sarif.js'
import { summary } from '../../reports/summary.js'
import { exitCode } from '../../reports/verdicts.js'
import { created, end, onlyUp, onlyUpCause, resized, sample, start } from './sample.js'

const [entry] = start.clauses
/** A symptom of the same fault: what was wrongly accepted shows in the list. */
const symptom = {
  ...onlyUp,
  id: 'volumes.list.shows.size:size',
  clause: 'volumes.list.shows.size',
  operation: 'volumes.list',
  summary: 'the list shows another size',
  steps: [...onlyUp.steps, { ...onlyUp.steps[0], call: { ...created.call, operation: 'volumes.list' } }],
} as typeof onlyUp

const clauses = [
  ...start.clauses,
  { ...entry, id: symptom.clause, operation: 'volumes.list' } as (typeof start.clauses)[0],
]
const lines: readonly RecordLine[] = [
  { ...start, clauses },
  created,
  resized,
  { type: 'exercised', clause: 'volumes.create.label.maxLength', step: 1 },
  { type: 'finding', finding: onlyUp },
  { type: 'finding', finding: symptom },
  end,
]
const results = fold(lines)

describe('a cause', () => {
  it('has every finding that follows from it, which stay findings of their own', () => {
    expect(results.causes).toMatchObject([{ id: onlyUpCause.id, findings: [onlyUp.id, symptom.id] }])
    expect(results.causes[0]?.operations).toEqual(['volumes.list', 'volumes.resize'])
    expect(results.causes[0]?.program).toEqual(onlyUp.steps)
    expect(results.findings.map(({ id, cause }) => [id, cause])).toEqual([
      [onlyUp.id, onlyUpCause.id],
      [symptom.id, onlyUpCause.id],
    ])
  })

  it('is told once in the summary, with its symptoms below it', () => {
    const text = summary(results, { color: false })
    expect(text.match(/ {2}received/g)).toHaveLength(1)
    expect(text).toContain('  also       volumes.list  shows.size:size')
    expect(text).toMatch(/\nnonconforming: 2 findings at must or pinned, from 1 cause\n$/)
  })

  it('is told once on the page, and every finding below it', () => {
    const page = htmlReport(results)
    expect(page.match(/<section class="cause"/g)).toHaveLength(1)
    expect(page.match(/<article /g)).toHaveLength(2)
    expect(page).toMatch(/1 cause breaks 2 requirements of the document\.<ol class="index"><li>.*>2 findings/)
  })

  it('stands before another that gates and does less harm', () => {
    const harmful = [
      [
        'firewall-devices.create: drops firewall-devices.create.service-grant-for-own-firewall',
        'firewall-devices.create.service-grant-for-own-firewall:accepted',
      ],
      ['tags.create: loses its effect', 'tags.view.envelope:envelope'],
      ['volumes.resize: drops volumes.resize.only-up', 'volumes.resize.only-up:accepted'],
      ['volumes.view: shows a wrong size', 'volumes.view.shows.size:size'],
      ['tags.create: blames another field', 'tags.create.refusal.field:body.label.type'],
    ] as const
    const [[first], [only]] = [results.findings, results.causes]
    if (!first || !only) throw new Error('there is no cause')
    const findings = harmful.map(([, id]) => ({ ...first, id }))
    const causes = harmful.map(([id, finding]) => ({ ...only, id, findings: [finding] }))
    const told = toldCauses({ ...results, findings, causes: causes.toReversed() })
    expect(told.map(({ cause }) => cause.id)).toEqual(harmful.map(([id]) => id))
    expect(harmOf('tags.list: drops tags.list.token', 'tags.list.token:accepted')).toBe(0)
  })

  it('names two ways in which one clause is broken apart, on the page as well', () => {
    const [told, first] = results.findings
    if (!told || !first) throw new Error('the cause has lost its symptom')
    const second = { ...first, id: `${first.clause}:other` }
    const findings = [told, first, second]
    const causes = results.causes.map((cause) => ({ ...cause, findings: findings.map(({ id }) => id) }))
    const page = htmlReport({ ...results, findings, causes })
    expect(page).toMatch(/>shows\.size:size<\/a>, <a [^>]*>shows\.size:other<\/a>/)
  })

  it('fails one case of JUnit and one test of CTRF, and the other clauses name it', () => {
    expect(junit(results).match(/<failure /g)).toHaveLength(1)
    expect(junit(results)).toContain(`message="a symptom, told with ${onlyUp.clause}: `)
    const tests: { status: string; name: string; message?: string }[] = JSON.parse(ctrf(results)).results.tests
    expect(tests.filter(({ status }) => status === 'failed').map(({ name }) => name)).toEqual([onlyUp.clause])
    expect(tests.find(({ name }) => name === symptom.clause)?.message).toMatch(/^a symptom, told with/)
  })

  it('is one result of SARIF, with its symptoms as related locations', () => {
    const [result, ...others] = JSON.parse(sarif(results)).runs[0].results
    expect(others).toEqual([])
    expect(result.partialFingerprints).toEqual({ 'causeId/v1': onlyUpCause.id, 'findingId/v1': onlyUp.id })
    expect(result.relatedLocations).toHaveLength(1)
  })

  it('may be expected by its id, with all that follows from it', () => {
    const expected = applyExpected(results, [{ id: onlyUpCause.id, reason: 'known' }])
    expect(expected).toMatchObject({ verdict: 'conforms', stale: [] })
    expect(expected.findings.map(({ expectedReason }) => expectedReason)).toEqual(['known', 'known'])
  })

  it('is stale where what it is about was judged without showing it, and not where it was not', () => {
    const staleOf = (id: string) => applyExpected(results, [id]).stale
    expect(staleOf('volumes.list: drops volumes.list.shows.size')).toHaveLength(1)
    expect(staleOf('volumes.resize: drops volumes.resize.active-only')).toEqual([])
    expect(staleOf('*: drops token')).toEqual(['*: drops token'])
    expect(staleOf('tags.create: loses its effect')).toEqual([])
    const narrowed = fold([{ ...start, clauses: clauses.map(unselected('Tags')) }, ...lines.slice(1)])
    expect(applyExpected(narrowed, ['*: drops token']).stale).toEqual([])
  })

  it('is compared from night to night', () => {
    const clean = fold([
      { ...start, clauses },
      created,
      { type: 'exercised', clause: onlyUp.clause, step: 2 },
      { type: 'exercised', clause: symptom.clause, step: 2 },
      { ...end, verdict: 'conforms' } as RecordLine,
    ])
    const changeOf = (...runs: readonly (typeof clean)[]) =>
      compare(runs.map((run, i) => ({ name: String(i), results: run }))).causes.map(({ change }) => change)
    expect(changeOf(results, clean)).toEqual(['fixed'])
    expect(changeOf(clean, results)).toEqual(['new'])
    expect(changeOf(results, results)).toEqual(['persisting'])
    expect(changeOf(results, fold(sample.slice(0, 2)))).toEqual(['not retested'])
  })
})

const unselected =
  (area: string) =>
  (clause: (typeof start.clauses)[number]): (typeof start.clauses)[number] =>
    clause.area === area ? { ...clause, selected: false } : clause

describe('a clause that a run is not about', () => {
  const narrowed = fold([{ ...start, clauses: start.clauses.map(unselected('Tags')) }, ...sample.slice(1)])
  const idOfTags = 'tags.create.domains'

  it('is not selected, whatever was seen of it in passing, unless it was broken', () => {
    const verdictOf = (id: string) => narrowed.clauses.find((clause) => clause.id === id)?.verdict
    expect(verdictOf(idOfTags)).toBe('not-selected')
    const volumes = fold([{ ...start, clauses: start.clauses.map(unselected('Volumes')) }, ...sample.slice(1)])
    expect(volumes.clauses.map(({ verdict }) => verdict)).toEqual([
      'not-selected',
      'not-selected',
      'finding',
      'finding',
      'not-selected',
      'untestable',
    ])
  })

  it('stands in no count, case, page or comparison', () => {
    expect(summary(narrowed, { color: false })).not.toContain('Tags')
    expect(junit(narrowed)).not.toContain(idOfTags)
    expect(ctrf(narrowed)).not.toContain(idOfTags)
    expect(htmlReport(narrowed)).not.toContain(`<td><code>${idOfTags}</code></td>`)
    expect(htmlReport(narrowed)).toContain('that this run was about; 1 were not selected')
    const { clauses: compared } = compare([
      { name: 'all', results: fold(sample) },
      { name: 'some', results: narrowed },
    ])
    expect(compared.filter(({ differs }) => differs)).toEqual([])
  })

  it('has the verdict of the shard that was about it', () => {
    const other = fold([{ ...start, clauses: start.clauses.map(unselected('Volumes')) }, created, end])
    const verdicts = (all: Parameters<typeof merge>[0]) => merge(all).clauses.map(({ verdict }) => verdict)
    expect(verdicts([narrowed, other])).toEqual(verdicts([fold(sample)]).with(-1, 'untested'))
    expect(verdicts([narrowed, narrowed]).at(-1)).toBe('not-selected')
  })

  it('counts as passed where one shard saw it in passing and another was about it', () => {
    const seen = fold([
      { ...start, clauses: start.clauses.map(unselected('Tags')) },
      created,
      { type: 'exercised', clause: idOfTags, step: 2 },
      end,
    ])
    const about = fold([start, created, end])
    expect(merge([seen, about]).clauses.at(-1)).toMatchObject({ verdict: 'pass', exercised: 1 })
    expect(exitCode(merge([seen, about]))).toBe(3)
  })
})

describe('what was assumed', () => {
  const assumed = ['drift volumes 7 status', 'drift volumes 8 status', 'landing volumes.create of step 4']
  const explanations = [{ name: 'drift', text: 'a state had moved on by itself' }]
  const doubtful = fold([{ ...start, explanations }, { ...created, assumed }, end])

  it('is counted by explanation, with what it supposes and its first instance', () => {
    expect(doubtful.assumed).toEqual([
      { explanation: 'drift', times: 2, text: 'a state had moved on by itself; first: drift volumes 7 status' },
      { explanation: 'landing', times: 1, text: 'landing volumes.create of step 4' },
    ])
    expect(merge([doubtful, doubtful]).assumed.map(({ times }) => times)).toEqual([4, 2])
  })

  it('is counted where it was assumed only when the program was over', () => {
    const { assumed: counted } = fold([start, created, { type: 'assumed', n: 1, assumed: 'interference x' }, end])
    expect(counted).toEqual([{ explanation: 'interference', times: 1, text: 'interference x' }])
  })

  it.each([
    ['finding', []],
    ['pass', [{ explanation: 'lag', times: 2, text: 'lag volumes.update' }]],
    ['inconclusive', [{ explanation: 'lag', times: 3, text: 'lag volumes.update' }]],
  ] as const)('of a look that is sent again is counted unless that ends in a finding: %s', (verdict, counted) => {
    const look = { ...created, instance: 1, call: { ...created.call, method: 'GET' } } as const
    const late = { ...look, verdict: 'inconclusive', assumed: ['lag volumes.update'] } as const
    const last = verdict === 'inconclusive' ? late : { ...look, verdict }
    expect(fold([start, late, late, last, end]).assumed).toEqual(counted)
  })

  it('is shown, and nothing is where there was none', () => {
    expect(summary(doubtful, { color: false })).toContain(
      '  drift: 2 times  (a state had moved on by itself; first: drift volumes 7 status)',
    )
    expect(htmlReport(doubtful)).toContain('Assumed (2)')
    expect(htmlReport(fold(sample))).not.toContain('Assumed (')
  })
})
