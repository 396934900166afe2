import { describe, expect, it } from 'vitest'
import { applyExpected } from '../../reports/expected.js'
import { findingText } from '../../reports/finding-text.js'
import { fold } from '../../reports/fold.js'
import { summary } from '../../reports/summary.js'
import { clean, hostile, largeRecord, onlyUp, sample } from './sample.js'

/** The escape sequences that colour text. */
const COLOUR = new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, 'g')

const plain = (results: ReturnType<typeof fold>): string => summary(results, { color: false })

const pinned = { id: 'refusal.status', text: 'x', observed: ['400', '422'], pinned: '400' }

describe('the summary', () => {
  it('says what was tested, and ends with the verdict', () => {
    const text = plain(fold(sample))
    expect(text).toMatch(
      /^touchstone 0\.1\.0 \(0123456789ab\) · interface 4\.175\.0\nstaging · https:\/\/api\.staging\.example\/v4 · seed 42 · 2 requests in 0\.1 s\n/,
    )
    expect(text).toMatch(/\nnonconforming: 1 finding at must or pinned, from 1 cause\n$/)
    expect(plain(fold(clean))).toMatch(/\nconforms: 1 clause passed and none was broken\n$/)
  })

  it('shows a finding in the form that every report has', () => {
    expect(plain(fold(sample))).toContain(`\n${findingText(onlyUp)}\n`)
  })

  it('counts clauses by area', () => {
    const text = plain(fold(sample))
    expect(text).toContain('clauses        pass     finding    untested  untestable    observed')
    expect(text).toContain('Volumes           1           2           1           0           1')
    expect(text).toContain('all               1           2           1           1           1')
  })

  it('ranks what would make more testable, and says how much nothing would', () => {
    expect(plain(fold(sample))).toContain(
      'untestable (1): 1 for what the target file lacks\n     1  no fixture "domains"\n',
    )
    const needs = plain(fold(largeRecord(1_000))).match(/^ +\d+ {2}no fixture .*$/gm)
    expect(needs).toHaveLength(5)
    expect(plain(fold(largeRecord(1_000)))).toContain('and 1 further need: touchstone doctor')
  })

  it('counts choices, shows those that are pinned, and names what is left on the target', () => {
    const text = plain(fold(sample))
    expect(text).toContain('choices (2): what the document leaves open')
    expect(text).not.toContain('refusal.status: 400 | 422')
    expect(plain({ ...fold(sample), choices: [pinned] })).toContain('\n  refusal.status: 400 | 422  (pinned: 400)')
    expect(text).toContain('left on the target (1); remove with: touchstone sweep\n  volume 7: delete answered 500')
  })

  it('sends nobody to sweep what the embedded target took with it', () => {
    const { configuration, ...results } = fold(sample)
    const text = plain({ ...results, configuration: { ...configuration, leaves: false } })
    expect(text).toContain('left on the target (1)\n  volume 7: delete answered 500')
  })

  it('says why a run is inconclusive', () => {
    expect(plain(fold(clean.slice(0, -1)))).toMatch(
      /\ninconclusive: 1 trouble with the run itself; 1 clause passed, which is not enough to say that it conforms\n {2}cut-short {2}the run was cut short: .*; sweep what it left with touchstone sweep, then run it again/,
    )
  })

  it('says that nothing is proven only where nothing passed', () => {
    const nothing = clean.filter(({ type }) => type === 'start')
    expect(plain(fold(nothing))).toMatch(
      /\ninconclusive: \d troubles? with the run itself; nothing is proven either way\n/,
    )
  })

  it('names stale expected findings, and marks the others', () => {
    const text = plain(
      applyExpected(fold(sample), [{ id: onlyUp.id, reason: 'known' }, 'volumes.create.label.maxLength:x']),
    )
    expect(text).toContain('(must; States / Volume status)  expected: known')
    expect(text).toContain('stale  the expected finding volumes.create.label.maxLength:x was not shown')
  })

  it('says how many causes it left out', () => {
    expect(summary(fold(largeRecord(1_000)), { color: false, findings: 3 })).toContain(
      '… and 17 more causes in results.json',
    )
  })

  it('has colours only where they are wanted', () => {
    expect(plain(fold(sample))).not.toContain('\u001b')
    expect(summary(fold(sample), { color: true })).toContain('\u001b[31m')
    const uncoloured = summary(fold(sample), { color: true }).replaceAll(COLOUR, '')
    expect(uncoloured).toBe(plain(fold(sample)))
  })

  it('can not be made to send commands to the terminal', () => {
    expect(plain(fold(hostile))).not.toMatch(/[^\P{C}\n]/u)
    expect(summary(fold(hostile), { color: true }).replaceAll(COLOUR, '')).toBe(plain(fold(hostile)))
  })
})
