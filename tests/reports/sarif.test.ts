import { describe, expect, it } from 'vitest'
import type { RecordLine } from '../../history/record.js'
import { applyExpected } from '../../reports/expected.js'
import { fold } from '../../reports/fold.js'
import { findingFile } from '../../reports/names.js'
import { sarif } from '../../reports/sarif.js'
import { clean, hostile, hostileFinding, notJson, onlyUp, sample, start } from './sample.js'

const run = (results: ReturnType<typeof fold>) => JSON.parse(sarif(results)).runs[0]

describe('SARIF', () => {
  it('has a result per finding, which points to its rule and its file', () => {
    const { results, tool } = run(fold(sample))
    expect(results).toHaveLength(2)
    for (const result of results) expect(tool.driver.rules[result.ruleIndex].id).toBe(result.ruleId)
    expect(results[0]).toMatchObject({
      ruleId: onlyUp.clause,
      level: 'error',
      partialFingerprints: { 'findingId/v1': onlyUp.id },
      locations: [{ physicalLocation: { artifactLocation: { uri: 'findings/volumes.resize.only-up.json' } } }],
    })
  })

  it('shows the line of the target file that pins what was found otherwise', () => {
    const pinned = { ...onlyUp, level: 'pinned' as const }
    const pinnedIn = { file: 'ci/a target.json', lines: { [onlyUp.clause]: 12 } }
    const lines = sample.map((line): RecordLine => (line.type === 'finding' ? { ...line, finding: pinned } : line))
    const relatedOf = (more: object) =>
      run(fold([{ ...start, ...more }, ...lines.slice(1)])).results[0].relatedLocations
    expect(relatedOf({ pinnedIn })).toMatchObject([
      { id: 0, physicalLocation: { artifactLocation: { uri: 'ci/a%20target.json' }, region: { startLine: 12 } } },
    ])
    expect(relatedOf({})).toBeUndefined()
  })

  it('warns of a should finding, which is an error when should gates', () => {
    const levelOf = (lines: typeof sample) =>
      run(fold(lines)).results.find(({ ruleId }: { ruleId: string }) => ruleId === notJson.clause).level
    expect(levelOf(sample)).toBe('warning')
    expect(levelOf([{ ...start, level: 'should' }, ...sample.slice(1)])).toBe('error')
  })

  it('suppresses an expected finding with its reason', () => {
    const [result] = run(applyExpected(fold(sample), [{ id: onlyUp.id, reason: 'known' }])).results.filter(
      ({ ruleId }: { ruleId: string }) => ruleId === onlyUp.clause,
    )
    expect(result.suppressions).toEqual([{ kind: 'external', justification: 'known' }])
  })

  it('says that a run cut short was not successful, and why', () => {
    expect(run(fold(clean)).invocations[0]).toMatchObject({ executionSuccessful: true, toolExecutionNotifications: [] })
    expect(run(fold(clean.slice(0, -1))).invocations[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [{ descriptor: { id: 'cut-short' } }],
    })
  })

  it('shows nothing deceptive, and names a file that exists', () => {
    const text = sarif(fold(hostile))
    expect(
      JSON.parse(text)
        .runs[0].results.map((result: { message: { text: string } }) => result.message.text)
        .join(''),
    ).not.toMatch(/[^\P{C}\n]/u)
    expect(text).toContain(findingFile(hostileFinding.id))
  })
})
