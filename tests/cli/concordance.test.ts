// The document is carried whole: every sentence and every cell by something, and every clause by a sentence.
import { expect, test } from 'vitest'
import { defects } from '../../models/defects.js'
import { otherwise } from '../../models/document/otherwise.js'
import { passages } from '../../models/document/passages.js'
import { quoteOf } from '../../models/document/quoted.js'
import { passagesFor } from '../../models/document/quotes.js'
import { documentText } from '../../models/document/text.js'
import { allClauses, operationById, operations } from '../../models/index.js'
import { type Clause, clausesOf } from '../../models/language/derive.js'
import { carriers, concordancePage, uncarried } from '../../scripts/concordance.js'

const squeezed = (text: string): string => text.replaceAll(/[\s|#-]+/g, '')

test('the passages are the document, word for word and in its order', () => {
  let at = 0
  const whole = squeezed(documentText)
  for (const { text, anchor, column } of passages) {
    const part = squeezed(column === 'Path' ? text.replace(/^\w+ /, '') : text)
    const found = whole.indexOf(part, at)
    expect({ anchor, isThere: found >= 0 }).toEqual({ anchor, isThere: true })
    at = found + part.length
  }
})

test('every passage has an anchor of its own', () => {
  expect(new Set(passages.map(({ anchor }) => anchor)).size).toBe(passages.length)
})

test('every sentence and every cell of the document is carried by something', () => {
  expect(uncarried().map(({ anchor, text }) => `${anchor}: ${text}`)).toEqual([])
})

test('what is named for a passage is there, and the passage has no clause that would do', () => {
  const known = new Set([...allClauses(), ...defects].map(({ id }) => id))
  const anchors = new Set(passages.map(({ anchor }) => anchor))
  const carried = carriers()
  for (const [anchor, { clauses = [], defects: odd = [] }] of Object.entries(otherwise)) {
    const own = (carried.get(anchor) ?? []).map(({ id }) => id)
    expect([anchor, anchors.has(anchor), own]).toEqual([anchor, true, []])
    expect([...clauses, ...odd].filter((id) => !known.has(id))).toEqual([])
  }
})

const quoted = (id: string): string => {
  const clause = allClauses().find((one) => one.id === id) as Clause
  return quoteOf(operationById(clause.operation) as never, clause)
}

test('every clause quotes the document', () => {
  const bare = operations.flatMap((op) => clausesOf(op).filter((clause) => passagesFor(op, clause).length === 0))
  expect(bare.map(({ id }) => id)).toEqual([])
})

test('no quote leaves it at what stands below', () => {
  const pointing = /\bbelow(?:[.;]?$| … (?!\w[\w ]* body: \w))/
  expect(allClauses().filter(({ id }) => pointing.test(quoted(id)))).toEqual([])
  expect(quoted('ipv6-ranges.create.new')).toContain('Body below … IPv6 range create body: prefix_length')
  expect(quoted('volumes.attach.takes-effect')).toContain('Volume attach body: node_id, config_id')
})

test('no quote breaks off at a semicolon', () => {
  const cut = allClauses().filter(({ id }) => /;(?: …|$)/.test(quoted(id)))
  expect(cut.map(({ id }) => id)).toEqual([])
})

test('a quote says once what its row is about', () => {
  const twice = allClauses().filter(({ id }) => /(?:^|… )([^:…]+): \1: /.test(quoted(id)))
  expect(twice.map(({ id }) => id)).toEqual([])
  expect(quoted('volumes.list.pages')).toMatch(/ … Pagination: page integer/)
})

test('what the Errors and Authentication sections say of a rule is quoted, not found by likeness', () => {
  const rules = allClauses().filter(({ kind }) => kind === 'refusal' || kind === 'statement')
  const vague = rules.filter(({ source }) => /\b(?:Errors|Authentication)(?!, ")/.test(source))
  expect(rules.length).toBeGreaterThan(300)
  expect(vague.map(({ id }) => id)).toEqual([])
})

test.each([
  ['volumes.resize.only-up', 'resizing a volume down'],
  ['volumes.detach.volume-grant', 'attach and detach need read_write permission on both'],
  ['tags.create.volumes-writable', 'tag create lacking read_write on a listed object'],
  ['volumes.resize.only-up', 'new size must be larger (volumes can only be resized up)'],
  ['volumes.clone.body.label.maxLength', 'Body: label (string 1..32, required).'],
  ['tickets.create.body.description.maxLength', 'string 1..65000, required'],
  ['ips.share.empty-removes', 'an empty array removes all shared addresses'],
  ['firewalls.create.label-ends', 'begins and ends alphanumeric'],
  ['object-urls.create.missing-object', 'object need not exist and no error if it does not'],
  ['tags.create.refusal.unchanged', 'otherwise the tag is not created'],
  ['volumes.create.body.size.type', 'Volume create body, size: integer … Default 20, in GB'],
  ['volumes.create.shows.size', 'Volume, size: integer … Size in GiB'],
  ['managed-contacts.create.takes-effect', 'Contact body: email (string, email format)'],
  ['tags.list.complete', 'Lists marked (paginated) return the collection envelope.'],
])('%s quotes: %s', (id, words) => expect(quoted(id)).toContain(words))

test('what is told of several operations at once has one level in all of them', () => {
  const line = concordancePage()
    .split('\n')
    .find((one) => one.includes('the node must be configured to allow extra addresses'))
  expect(line).toContain('**`ips.allocate.extra-addresses`**')
  expect(line).toContain('*`*.extra-addresses`* of 4 operations')
})

test('docs/concordance.md says what the registry says', async () => {
  await expect(concordancePage()).toMatchFileSnapshot('../../docs/concordance.md')
})
