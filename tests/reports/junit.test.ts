import { DOMParser, type Element as XmlElement } from '@xmldom/xmldom'
import { describe, expect, it } from 'vitest'
import { applyExpected } from '../../reports/expected.js'
import { findingText } from '../../reports/finding-text.js'
import { fold } from '../../reports/fold.js'
import { junit } from '../../reports/junit.js'
import { clean, created, end, HOSTILE, hostile, notJson, onlyUp, onlyUpCause, sample, start } from './sample.js'

interface Element {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly Element[]
  readonly text: string
}

/** The document as a tree, by a parser that throws at whatever is not well formed. */
function parse(xml: string): Element {
  const onError = (_: unknown, message: string): never => {
    throw new Error(message)
  }
  const root = new DOMParser({ onError }).parseFromString(xml, 'text/xml').documentElement
  if (root === null) throw new Error('no root element')
  return elementOf(root)
}

const elementOf = (node: XmlElement): Element => ({
  name: node.tagName,
  attributes: Object.fromEntries(Array.from(node.attributes, ({ name, value }) => [name, value])),
  children: Array.from(node.childNodes)
    .filter((child) => child.nodeType === 1)
    .map((child) => elementOf(child as XmlElement)),
  text: node.textContent ?? '',
})

const caseOf = (xml: string, name: string): Element => {
  const found = parse(xml)
    .children.flatMap(({ children }) => children)
    .find(({ attributes }) => attributes.name === name)
  if (found === undefined) throw new Error(`no testcase "${name}"`)
  return found
}

describe('JUnit', () => {
  const xml = junit(fold(sample))

  it('has a suite per operation and a case per clause, and one suite for the run', () => {
    const suites = parse(xml).children
    expect(suites.map(({ attributes }) => attributes.name)).toEqual([
      'touchstone.run',
      'volumes.create',
      'volumes.resize',
      'tags.create',
    ])
    expect(suites.map(({ attributes }) => attributes.tests)).toEqual(['1', '3', '2', '1'])
    expect(parse(xml).attributes).toMatchObject({ tests: '7', failures: '1', errors: '0', skipped: '3', time: '0.150' })
  })

  it('fails the clause of a finding that gates, with the whole text of the finding', () => {
    const [failure, ...others] = caseOf(xml, onlyUp.clause).children
    expect(others).toEqual([])
    expect(failure).toMatchObject({ name: 'failure', attributes: { message: onlyUpCause.summary } })
    expect(failure?.text).toContain(`\n${findingText(onlyUp)}\n  cause      ${onlyUpCause.id}`)
  })

  it('passes the clause of a finding that does not gate, with a note', () => {
    const [note, ...others] = caseOf(xml, notJson.clause).children
    expect(others).toEqual([])
    expect(note?.name).toBe('system-out')
    expect(note?.text).toContain('level should, which does not gate')
    expect(note?.text).toContain(findingText(notJson))
  })

  it('fails it as well when should gates', () => {
    const lines = [{ ...start, level: 'should' } as const, ...sample.slice(1)]
    expect(caseOf(junit(fold(lines)), notJson.clause).children[0]?.name).toBe('failure')
  })

  it.each([
    ['tags.create.domains', 'untestable: no fixture "domains"; to test it: list a domain under fixtures.domains'],
    ['volumes.resize.active-only', 'untested: the volume was active before it could be probed'],
    ['volumes.create.unknown-member', 'observed, not judged: accepted'],
  ])('skips %s with its reason', (id, message) => {
    expect(caseOf(xml, id).children).toMatchObject([{ name: 'skipped', attributes: { message } }])
  })

  it('says nothing more of a clause that passed', () => {
    expect(caseOf(xml, 'volumes.create.label.maxLength').children).toEqual([])
  })

  it('names an expected finding in a case that passes', () => {
    const results = applyExpected(fold(sample), [{ id: onlyUp.id, reason: 'known' }])
    expect(caseOf(junit(results), onlyUp.clause).children).toMatchObject([
      { name: 'system-out', text: expect.stringContaining('An expected finding (known)') },
    ])
  })

  it('fails for a stale expected finding', () => {
    const results = applyExpected(fold(clean), ['volumes.create.label.maxLength:x'])
    expect(caseOf(junit(results), 'expected finding volumes.create.label.maxLength:x').children[0]?.name).toBe(
      'failure',
    )
  })

  it('has an error for each trouble, so that an inconclusive run is not green', () => {
    const root = parse(junit(fold(clean.slice(0, -1))))
    expect(root.attributes.errors).toBe('1')
  })

  it('reports a finding whose clause is not listed', () => {
    const finding = { ...onlyUp, clause: 'no.such-clause' }
    const report = junit(fold([start, created, { type: 'finding', finding }, end]))
    expect(caseOf(report, 'no.such-clause').children[0]?.name).toBe('failure')
  })

  it('stays well formed, and keeps its shape, whatever a target sends', () => {
    const report = junit(fold(hostile))
    expect(report).not.toMatch(/[^\P{C}\n]/u)
    expect(report).not.toContain('<script')
    expect(caseOf(report, onlyUp.clause).children[0]?.text).toContain('</script><script>alert(1)</script>')
    expect(parse(report).children).toHaveLength(4)
    expect(HOSTILE).toContain(']]>')
  })
})
