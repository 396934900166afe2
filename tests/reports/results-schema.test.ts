import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { applyExpected } from '../../reports/expected.js'
import { fold } from '../../reports/fold.js'
import { merge } from '../../reports/merge.js'
import { resultsSchema } from '../../reports/results-schema.js'
import { closed } from './closed.js'
import { hostile, largeRecord, onlyUp, sample } from './sample.js'

const ajv = new Ajv({ strict: false, allErrors: true })
const validate = ajv.compile(closed(JSON.parse(JSON.stringify(resultsSchema))) as object)

describe('the schema of results.json', () => {
  it.each([
    ['the sample', () => fold(sample)],
    ['a run cut short', () => fold(sample.slice(0, 4))],
    ['hostile replies', () => fold(hostile)],
    ['a large run', () => fold(largeRecord(300))],
    ['expected findings', () => applyExpected(fold(sample), [{ id: onlyUp.id, reason: 'x' }, 'no.such.clause'])],
    [
      'merged shards',
      () =>
        merge([
          fold(sample),
          fold(hostile.map((line) => (line.type === 'start' ? sample[0] : line) as (typeof hostile)[number])),
        ]),
    ],
  ])('knows every member that is written for %s', (_, make) => {
    validate(JSON.parse(JSON.stringify(make())))
    expect(validate.errors ?? []).toEqual([])
  })

  it('refuses results without a verdict', () => {
    const { verdict: _, ...rest } = fold(sample)
    expect(validate(rest)).toBe(false)
  })

  it('is the one that is published', async () => {
    await expect(`${JSON.stringify(resultsSchema, null, 2)}\n`).toMatchFileSnapshot('../../reports/results.schema.json')
  })
})
