import { describe, expect, it } from 'vitest'
import { findingRows, findingText, outcomeLine, sentLine } from '../../reports/finding-text.js'
import { HOSTILE, hostileFinding, onlyUp, resized } from './sample.js'

describe('a finding as text', () => {
  it('has the form that every report shows', () => {
    expect(findingText(onlyUp)).toBe(
      [
        'volumes.resize.only-up  (must; States / Volume status)',
        "  requires   a volume's size never goes down",
        '  sent       POST /volumes/7/resize {"size":10}   as owner',
        '  expected   4xx, errors[].field "size"',
        '  received   200 {"id":7,"size":10}',
        '  because    volume 7 has 20 GiB since step 2',
        '  program    1. volumes.create({"label":"a","size":20})',
        '             2. volumes.resize(step 1, {"size":10})',
        '             (2 of 31 steps left after shrinking)',
        '  replay     touchstone replay findings/volumes.resize.only-up.json',
      ].join('\n'),
    )
  })

  it('says when the program did not show it again', () => {
    expect(findingText({ ...onlyUp, confirmed: false, shrunkFrom: 2 })).toContain(
      '(2 steps; not shown again when tried once more)',
    )
  })

  it('puts each fact on a line of its own, in the column of the first', () => {
    expect(findingText({ ...onlyUp, because: ['one', 'two'] })).toContain('  because    one\n             two\n')
  })

  it('leaves out a row that has nothing to say', () => {
    expect(findingRows({ ...onlyUp, because: [] }).map(([label]) => label)).not.toContain('because')
  })

  it('says so when no credential was sent, or an unknown one', () => {
    const sent = (as: string | null) =>
      findingText({ ...onlyUp, steps: [{ n: 1, line: 'x', call: { ...resized.call, as }, outcome: resized.outcome }] })
    expect(sent(null)).toContain('as nobody (no token)')
    expect(sent('?')).toContain('as an unknown token')
  })

  it('can not be extended by what a target replies with', () => {
    const text = findingText(hostileFinding)
    expect(text).not.toMatch(/[^\P{C}\n]/u)
    const heads = text.split('\n').filter((line) => !line.startsWith(' '))
    expect(heads).toHaveLength(1)
  })

  it('stays short whatever was received', () => {
    expect(findingText({ ...onlyUp, received: 'x'.repeat(1e6) }, 600).length).toBeLessThan(2_000)
  })
})

describe('a call and its reply', () => {
  it('are a line each', () => {
    expect(sentLine(resized.call)).toBe('POST /volumes/7/resize {"size":10}')
    expect(sentLine({ ...resized.call, file: { field: 'file', name: 'a.txt', bytes: 12 } })).toBe(
      'POST /volumes/7/resize file=@a.txt (12 bytes)',
    )
    expect(outcomeLine({ status: 204 })).toBe('204 without a body')
    expect(outcomeLine({ status: 200, body: null })).toBe('200 null')
    expect(outcomeLine({ status: 502, text: 'Bad\nGateway' })).toBe('502 Bad Gateway')
    expect(outcomeLine({ lost: 'reset', detail: HOSTILE })).toMatch(/^no reply \(reset: .*\)$/)
  })
})
