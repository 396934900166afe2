import { describe, expect, it } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { compare } from '../../reports/compare.js'
import { comparisonHtml } from '../../reports/comparison-html.js'
import { comparisonText } from '../../reports/comparison-text.js'
import { fold } from '../../reports/fold.js'
import { clean, created, end, HOSTILE, hostile, notJson, onlyUp, sample, start } from './sample.js'

const run = (name: string, ...lines: RecordLine[]) => ({ name, results: fold([start, created, ...lines, end]) })
const shows: RecordLine = { type: 'finding', finding: onlyUp }
const passes: RecordLine = { type: 'exercised', clause: onlyUp.clause, step: 2 }

describe('comparing runs', () => {
  it.each([
    ['new', [passes], [shows]],
    ['persisting', [shows], [shows]],
    ['fixed', [shows], [passes]],
    ['not retested', [shows], []],
  ] as const)('calls a finding %s by what the first and the last run show of it', (change, before, now) => {
    expect(compare([run('1', ...before), run('2', ...now)]).findings).toMatchObject([{ change }])
  })

  it('calls a finding flaky that comes and goes over the nights', () => {
    const [finding] = compare([run('1', shows), run('2', passes), run('3', shows)]).findings
    expect(finding).toMatchObject({ change: 'flaky', shown: [true, false, true] })
  })

  it('does not call a finding flaky for a run in between that did not judge its clause', () => {
    const [finding] = compare([run('1', shows), run('2'), run('3', shows)]).findings
    expect(finding).toMatchObject({ change: 'persisting', shown: [true, false, true] })
  })

  it('draws what is new from run to run, of one target', () => {
    const nights = [run('monday', passes), run('tuesday', shows), run('wednesday', shows)]
    const page = comparisonHtml(compare(nights))
    expect(page).toContain('aria-label="Findings from run to run: run 1 0, 0 new; run 2 1, 1 new; run 3 1, 0 new"')
    expect(comparisonHtml(compare(nights.slice(1)))).not.toContain('Findings from run to run')
  })

  it('draws a finding as new once, though a run in between did not show it', () => {
    const page = comparisonHtml(compare([run('monday', shows), run('tuesday'), run('wednesday', shows)]))
    expect(page).toContain('run 1 1, 0 new; run 2 0, 0 new; run 3 1, 0 new')
    const last = [...page.matchAll(/<rect x="([\d.]+)" width="([\d.]+)"[^>]*class="bar-untestable"/g)].at(-1)
    // Above the end of the line, where its name stands.
    expect(Number(last?.[1]) + Number(last?.[2])).toBe(Number(/x2="(\d+)"/.exec(page)?.[1]))
  })

  it('lists new findings before persisting and fixed ones', () => {
    const other: RecordLine = { type: 'finding', finding: notJson }
    const changes = compare([
      run('1', shows, other),
      run('2', passes, other, { type: 'finding', finding: { ...onlyUp, id: 'x' } }),
    ]).findings
    expect(changes.map(({ change }) => change)).toEqual(['new', 'persisting', 'fixed'])
  })

  it('lists causes of one change the worst first, as a report does', () => {
    const results = fold(sample)
    const [finding, cause] = [results.findings[0], results.causes[0]]
    if (!finding || !cause) throw new Error('the sample has no cause')
    const harmful = [
      ['tags.list: drops tags.list.token', 'tags.list.token:accepted'],
      ['tags.create: loses its effect', 'tags.view.envelope:envelope'],
      ['tags.view: shows a wrong label', 'tags.view.shows.label:label'],
    ] as const
    const findings = harmful.map(([id, symptom]) => ({ ...finding, id: symptom, cause: id }))
    const causes = harmful.map(([id, symptom]) => ({ ...cause, id, findings: [symptom] })).toReversed()
    const now = { name: '2', results: { ...results, findings, causes } }
    for (const before of [run('1'), { ...now, name: '1' }])
      expect(compare([before, now]).causes.map((one) => one.cause.id)).toEqual(harmful.map(([id]) => id))
  })

  it('tells no change between different targets', () => {
    const other = {
      name: 'b',
      results: fold([{ ...start, target: { name: 'b', baseUrl: 'https://b' } }, created, shows, end]),
    }
    const comparison = compare([run('a', passes), other])
    expect(comparison.sameTarget).toBe(false)
    expect(comparison.findings[0]).not.toHaveProperty('change')
  })

  it('has a row for every clause of any run, and marks those that differ', () => {
    const shorter = { name: 'old', results: fold([{ ...start, clauses: start.clauses.slice(1) }, created, end]) }
    const { clauses } = compare([shorter, { name: 'new', results: fold(clean) }])
    expect(clauses).toHaveLength(start.clauses.length)
    expect(clauses[0]).toMatchObject({ verdicts: [undefined, 'pass'], differs: true })
    expect(clauses.find(({ clause }) => clause.id === onlyUp.clause)).toMatchObject({
      verdicts: ['untested', 'untested'],
      differs: false,
    })
  })

  it('refuses to compare one run with nothing', () => {
    expect(() => compare([run('1')])).toThrow('expected two results or more, received 1')
  })

  it('is told as text: runs, causes, and clauses that differ otherwise', () => {
    expect(comparisonText(compare([run('night 1', shows), run('night 2', passes)]))).toBe(
      [
        'runs',
        '  [1] night 1: nonconforming, staging, 2026-01-31 12:00:00 UTC, 1 request in 0.1 s',
        '  [2] night 2: inconclusive, staging, 2026-01-31 12:00:00 UTC, 1 request in 0.1 s',
        '',
        'causes (1), with 1 finding',
        '  fixed        volumes.resize: drops volumes.resize.only-up  [1]',
        '    volumes.resize behaves as if this were not checked: The new size is larger than the present one.',
        '',
        'clauses that differ otherwise (0 of 6)',
        '',
      ].join('\n'),
    )
  })

  it('tells of a finding in the text where it came and went otherwise than its cause', () => {
    const again = (id: string): RecordLine => ({ type: 'finding', finding: { ...onlyUp, id } })
    const text = comparisonText(compare([run('1', shows, again('x')), run('2', shows), run('3', shows, again('x'))]))
    expect(text).toContain('causes (1), with 2 findings\n  persisting ')
    expect(text).toContain('findings that differ from their cause (1)\n  flaky        x  [1] [3]\n')
  })

  it('ends lists of the text that are too long, saying how many lines are left', () => {
    const many = Array.from(
      { length: 50 },
      (_, i): RecordLine => ({ type: 'finding', finding: { ...onlyUp, id: `x${i}` } }),
    )
    const text = comparisonText(compare([run('1', shows), run('2', shows, ...many)]))
    expect(text).toContain('findings that differ from their cause (50)\n')
    expect(text).toContain('\n  and 30 more\n')
    expect(text.split('\n').length).toBeLessThan(60)
  })

  it('says on its first screen what has changed', () => {
    const page = comparisonHtml(compare([run('1', passes), run('2', shows)]))
    const first = page.slice(0, page.indexOf('<nav'))
    expect(first).toContain('<strong>The last run: nonconforming.</strong> Causes: 1 new.')
    expect(first).toContain('<li><b>new</b> volumes.resize behaves as if this were not checked')
    expect(first).toContain('2 runs against interface 4.175.0, 2026-01-31;')
  })

  it('says on its first screen of each implementation how it stands, and what it has alone', () => {
    const other = fold([{ ...start, target: { name: 'rival', baseUrl: 'https://rival' } }, created, passes, end])
    const page = comparisonHtml(compare([run('ours', shows), { name: 'theirs', results: other }]))
    const first = page.slice(0, page.indexOf('<nav'))
    expect(first).toContain('<b class="foreign">staging</b> (ours): nonconforming, 1 cause, 1 in no other run</li>')
    expect(first).toMatch(/<b class="foreign">rival<\/b> \(theirs\): \w+, 0 causes<\/li>/)
  })

  it('keeps hostile names and findings out of the markup', () => {
    const page = comparisonHtml(
      compare([
        { name: HOSTILE, results: fold(hostile) },
        { name: 'b', results: fold(sample) },
      ]),
    )
    expect(page).not.toMatch(/<script>alert|<img|[^\P{C}\n]/u)
    expect(page.match(/<\/script>/g)).toHaveLength(1)
    expect(comparisonText(compare([{ name: HOSTILE, results: fold(hostile) }, run('b')]))).not.toMatch(/[^\P{C}\n]/u)
  })
})
