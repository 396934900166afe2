import { describe, expect, it } from 'vitest'
import { applyExpected, parseExpected, staleText } from '../../reports/expected.js'
import { fold } from '../../reports/fold.js'
import { exitCode } from '../../reports/verdicts.js'
import { clean, onlyUp, sample } from './sample.js'

describe('an expected finding', () => {
  it('does not gate, and is marked with its reason', () => {
    const results = applyExpected(fold(sample), [{ id: onlyUp.id, reason: 'known since May' }])
    expect(results.verdict).toBe('conforms')
    expect(exitCode(results)).toBe(0)
    expect(results.findings.find(({ id }) => id === onlyUp.id)).toMatchObject({
      expectedFinding: true,
      expectedReason: 'known since May',
    })
    expect(results.stale).toEqual([])
  })

  it('does not hide another finding of the same clause', () => {
    expect(applyExpected(fold(sample), [`${onlyUp.id}:another-kind`]).verdict).toBe('nonconforming')
  })

  it('does not turn trouble into success', () => {
    const results = fold([...sample, { type: 'trouble', kind: 'cut-short', text: 'x' }])
    expect(applyExpected(results, [onlyUp.id]).verdict).toBe('inconclusive')
  })

  it('is stale when its clause was judged and did not show it', () => {
    const results = applyExpected(fold(clean), ['volumes.create.label.maxLength:accepted'])
    expect(results.stale).toEqual(['volumes.create.label.maxLength:accepted'])
    expect(exitCode(results)).toBe(1)
  })

  it('is not stale when its clause was not reached, since nothing is known', () => {
    const results = applyExpected(fold(clean), ['volumes.resize.only-up', 'tags.create.domains:refused'])
    expect(results.stale).toEqual([])
    expect(exitCode(results)).toBe(0)
  })

  it('is stale when it names no clause at all', () => {
    expect(applyExpected(fold(clean), ['volumes.resize.onyl-up', 'volumes.resize.only-upwards']).stale).toHaveLength(2)
  })

  it('is told apart where it was fixed, where it shows in another way, and where there is no such thing', () => {
    const passed = applyExpected(fold(clean), [])
    expect(staleText(passed, 'volumes.create.label.maxLength:accepted')).toMatch(
      / was not shown; take it off the list$/,
    )
    expect(staleText(fold(sample), `${onlyUp.clause}:changed`)).toMatch(
      new RegExp(` was not shown, but ${onlyUp.id}; correct it`),
    )
    for (const id of ['volumes.resize.onyl-up', 'volume: drops token'])
      expect(staleText(passed, id)).toMatch(
        / names no clause and no cause of interface .*: it was renamed or is misspelt/,
      )
    expect(staleText(passed, 'volumes: drops token')).toMatch(/ was not shown;/)
  })

  it('gates again from the date until which it was expected', () => {
    expect(applyExpected(fold(sample), [{ id: onlyUp.id, until: '2026-02-01' }]).verdict).toBe('conforms')
    expect(applyExpected(fold(sample), [{ id: onlyUp.id, until: '2026-01-31' }]).verdict).toBe('nonconforming')
    const { startedAt } = fold(sample)
    expect(applyExpected(fold(sample), [{ id: onlyUp.id, until: startedAt }]).verdict).toBe('nonconforming')
  })

  it('leaves no mark from an earlier list', () => {
    const marked = applyExpected(fold(sample), [{ id: onlyUp.id, reason: 'x' }])
    expect(applyExpected(marked, [])).toEqual({ ...fold(sample), stale: [] })
  })
})

describe('the file of expected findings', () => {
  it('may list ids and objects', () => {
    expect(parseExpected('["a", {"id": "b", "reason": "r", "until": "2026-01-31"}]', 'e.json')).toEqual([
      { id: 'a' },
      { id: 'b', reason: 'r', until: '2026-01-31' },
    ])
  })

  it.each([
    ['{', /^e\.json: expected a JSON list of ids of findings or causes, received text that is not JSON/],
    ['{}', /^e\.json: expected a JSON list of ids of findings or causes, received an object/],
    ['[1]', /^e\.json: \/0: expected a finding id or/],
    ['["a", {"reason": "x"}]', /^e\.json: \/1: expected an "id"/],
    ['[{"id": 1}]', /^e\.json: \/0\/id: expected a string, received a number/],
    ['[{"id": "a", "untill": "x"}]', /^e\.json: \/0\/untill: .*unknown key/],
    ['[{"id": "a", "until": "soon"}]', /^e\.json: \/0\/until: expected a date/],
  ])('is refused with its place when it is %s', (text, message) => {
    expect(() => parseExpected(text, 'e.json')).toThrow(message)
  })
})
