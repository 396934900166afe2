import { validate } from 'ctrf'
import { describe, expect, it } from 'vitest'
import { ctrf } from '../../reports/ctrf.js'
import { findingText } from '../../reports/finding-text.js'
import { fold } from '../../reports/fold.js'
import { clean, hostile, largeRecord, onlyUp, onlyUpCause, sample } from './sample.js'

const report = (lines: typeof sample) => JSON.parse(ctrf(fold(lines)))

describe('CTRF', () => {
  it.each([
    ['the sample', sample],
    ['hostile replies', hostile],
    ['a large run', largeRecord(200)],
  ])('is valid for %s', (_, lines) => {
    expect(validate(report(lines))).toMatchObject({ valid: true })
  })

  it('has the status that the verdict of each clause calls for', () => {
    const tests: { name: string; status: string }[] = report(sample).results.tests
    expect(Object.fromEntries(tests.map(({ name, status }) => [name, status]))).toEqual({
      'touchstone.run': 'passed',
      'volumes.create.label.maxLength': 'passed',
      'volumes.create.unknown-member': 'other',
      'volumes.create.not-json': 'other',
      'volumes.resize.only-up': 'failed',
      'volumes.resize.active-only': 'skipped',
      'tags.create.domains': 'skipped',
    })
  })

  it('counts in its summary what is in its list', () => {
    const { summary, tests } = report(largeRecord(200)).results
    for (const status of ['passed', 'failed', 'skipped', 'pending', 'other'])
      expect(summary[status]).toBe(tests.filter((test: { status: string }) => test.status === status).length)
    expect(summary.tests).toBe(tests.length)
  })

  it('carries the whole text of a finding', () => {
    const tests: { name: string; trace?: string; message?: string }[] = report(sample).results.tests
    expect(tests.find(({ name }) => name === onlyUp.clause)).toMatchObject({
      message: onlyUpCause.summary,
      trace: expect.stringContaining(`\n${findingText(onlyUp)}\n  cause      ${onlyUpCause.id}`),
    })
  })

  it('fails a run that was cut short', () => {
    expect(report(clean.slice(0, -1)).results.tests[0]).toMatchObject({ name: 'touchstone.run', status: 'failed' })
  })
})
