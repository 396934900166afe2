// Which passages of the document a clause rests on, found by its source and its words; it quotes, it judges nothing.

import { type Clause, slugOf } from '../language/derive.js'
import { getOrInsert } from '../language/get-or-insert.js'
import { memoised, memoisedByText } from '../language/memoised.js'
import type { Operation } from '../language/operation.js'
import type { Constraint } from '../language/schema.js'
import { type Passage, passages } from './passages.js'

type Some = readonly Passage[]

/** A passage as it is looked up: without capitals. */
interface Lowered {
  readonly passage: Passage
  readonly text: string
  /** What names its place. */
  readonly places: ReadonlySet<string>
}

const lowered: readonly Lowered[] = passages.map((passage) => {
  const { section, table, row, column, text } = passage
  const places = [section, section.replace(/^Endpoints \/ /, ''), table, row, column]
  return {
    passage,
    text: text.toLowerCase(),
    places: new Set(places.flatMap((one) => one?.toLowerCase() ?? [])),
  }
})

const having = (...texts: readonly string[]): Some => holding(texts.join('\n').toLowerCase())

/** The passages that hold one of some lines. */
const holding = memoisedByText((lines): Some => {
  const wanted = lines.split('\n')
  return lowered.filter(({ text }) => wanted.some((one) => text.includes(one))).map(({ passage }) => passage)
})

/** Parts of a source: sections and rows, with quoted titles and words kept whole. */
const partsOf = (source: string, by: ',' | ';'): readonly string[] => {
  const parts = source.match(by === ',' ? /(?:"[^"]*"|[^",])+/g : /(?:"[^"]*"|[^";])+/g) ?? []
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

const plain = (text: string): string => text.replaceAll('"', '').replace(/ …$/, '').trim()

/** The values by the texts that each has. */
const indexed = <T>(
  values: Iterable<T>,
  textsOf: (value: T) => readonly string[],
): ReadonlyMap<string, readonly T[]> => {
  const index = new Map<string, T[]>()
  for (const value of values) for (const text of new Set(textsOf(value))) getOrInsert(index, text, () => []).push(value)
  return index
}

/** A row may be about several things. */
const namesIn = ({ row }: Pick<Passage, 'row'>): readonly string[] => row?.split(', ') ?? []

const rows = indexed(passages, ({ row }) => (row === undefined ? [] : [row]))
const rowsByCase = indexed(rows.keys(), (row) => [row.toLowerCase()])
const rowsByName = indexed(rows.keys(), (row) => namesIn({ row }))
const byName = indexed(passages, namesIn)

/** `GET …/object-acl` stands for the whole path, and `{address}` for all that ends in it. */
const rowsOf = (wanted: string): readonly string[] => {
  const [method = '', end] = wanted.split(' …')
  if (end !== undefined) return [...rows.keys()].filter((row) => row.startsWith(`${method} `) && row.endsWith(end))
  const ending = wanted.startsWith('{') ? [...rows.keys()].filter((row) => row.endsWith(wanted)) : []
  return [...(rowsByCase.get(wanted.toLowerCase()) ?? []), ...ending]
}

const isPlace = (wanted: string): ((one: Lowered) => boolean) => {
  const name = wanted.toLowerCase()
  const rest = wanted.replace(/^.*: /, '')
  const named = new Set<string | undefined>([...rowsOf(wanted), ...rowsOf(rest), ...(rowsByName.get(wanted) ?? [])])
  return ({ passage: { row }, places }) => places.has(name) || named.has(row)
}

/** The passages in the place that a part of a source names, or, where it names none, those with its words. */
const placeOf = memoisedByText((token): ReadonlySet<Passage> => {
  const wanted = plain(token)
  const inPlace = lowered.filter(isPlace(wanted)).map(({ passage }) => passage)
  const isQuoted = /^".*"$/.test(token)
  return new Set(inPlace.length > 0 || !isQuoted ? inPlace : having(wanted))
})

const sections = new Set(passages.map(({ section }) => section.toLowerCase()))

const namesSection = (token: string): boolean =>
  sections.has(plain(token).toLowerCase()) || sections.has(`endpoints / ${plain(token).toLowerCase()}`)

const references = new Map<string, Some>()

/** What one reference of a source names, in that row. */
const placed = (reference: string, row: string): Some =>
  getOrInsert(references, `${row} ${reference}`, () => placedIn(reference, row))

/** What one reference of a source names; nothing where it names no place of the document. */
const placedIn = (reference: string, row: string): Some => {
  const tokens = partsOf(reference, ',')
  let some: Some = passages
  let isNarrow = false
  for (const token of tokens) {
    const there = placeOf(token)
    const within = some.filter((passage) => there.has(passage))
    if (within.length === 0) continue
    isNarrow ||= !namesSection(token)
    some = within
  }
  if (some === passages) return []
  const own = some.filter((passage) => passage.row === row)
  return !isNarrow && own.length > 0 ? own : some
}

const ignored = new Set(
  'a an and are as be by for has have is it its in of on or that the to with not no whether what'.split(' '),
)

const wordsOf = memoisedByText(
  (text): ReadonlySet<string> =>
    new Set(
      (text.toLowerCase().match(/[a-z_]+|\d+/g) ?? [])
        .filter((word) => !ignored.has(word))
        .map((word) => (word.length > 4 ? word.replace(/(?:s|ed|es|ing|e)$/, '') : word)),
    ),
)

const wordsAbout = memoised(({ text, row = '' }: Passage) => wordsOf(`${text} ${row}`))

/** How many of the words a passage shares, rare ones counting more, long passages less. */
const likeness = (words: ReadonlySet<string>, passage: Passage): number => {
  const known = wordsAbout(passage)
  let shared = 0
  for (const word of words) if (known.has(word)) shared += 1
  return shared / Math.sqrt(known.size + 4)
}

/** Those that share the most words, as far as they come near the first. */
const best = (some: Some, words: ReadonlySet<string>, most: number): Some => {
  const ranked = some
    .filter(({ column = '' }) => !keyColumns.has(column) && column !== 'Scope')
    .map((passage) => ({ passage, score: likeness(words, passage) }))
    .sort((a, b) => b.score - a.score)
  const least = (ranked[0]?.score ?? 0) / 2
  return ranked
    .filter(({ score }, i) => i === 0 || (score > 0 && score >= least))
    .slice(0, most)
    .map(({ passage }) => passage)
}

/** Columns that name a row, and say nothing by themselves. */
export const keyColumns: ReadonlySet<string> = new Set([
  'Field',
  'Name',
  'Path',
  'Operation',
  'Event kind',
  'From',
  'Trigger',
])

const inRow = (row: string, column?: string): Some =>
  (rows.get(row) ?? []).filter((passage) => column === undefined || passage.column === column)

/** What the row of a passage says, in its order, with what it refers to by name; of a sentence, itself. */
export const wholeRow = (passage: Passage): Some => {
  const { section, table, row, column } = passage
  if (row === undefined || column === undefined) return [passage]
  const cells = inRow(row).filter((one) => one.section === section && one.table === table)
  const telling = cells.filter((one) => !keyColumns.has(one.column ?? '') && one.column !== 'Scope')
  // "Contact body" is what a sentence tells that begins so.
  return telling.flatMap((one) => [one, ...inRow(one.text).filter((other) => other.column === undefined)])
}

/** What the source of an operation names beside the table of calls, such as the table of its body. */
export const besideCalls = (op: Operation): Some =>
  placed(op.source, callOf(op)).filter(({ row }) => row !== callOf(op))

/** The cells about an operation; one that is called equivalent to another has the other's too. */
const rowOf = ({ method, path }: Operation, column?: string): Some => {
  const own = inRow(`${method} ${path}`, column)
  const other = own.flatMap(({ text }) => /^Equivalent to (.*)$/.exec(text)?.[1] ?? [])
  return [...own, ...other.flatMap((row) => inRow(row, column))]
}

const fieldOf = (name: string, ...places: readonly string[]): Some =>
  (byName.get(name) ?? []).filter(
    ({ section, table, column }) =>
      (places.includes(section) || (table !== undefined && places.includes(table))) && !keyColumns.has(column ?? ''),
  )

const envelope = (...names: readonly string[]): Some => names.flatMap((name) => fieldOf(name, 'Collection envelope'))

const paging = [
  ...having('Standard pagination query parameters'),
  ...having('Pagination: page integer', 'page_size integer 25..500, default 100 ('),
]

const ofLists: Readonly<Record<string, Some>> = {
  envelope: [...envelope('data', 'page', 'pages', 'results'), ...having('Lists marked (paginated)')],
  page: envelope('page'),
  pages: [...envelope('pages'), ...paging],
  'page-size': [...envelope('data'), ...paging],
  results: envelope('results'),
}

/** What a list holds as a whole, whatever the page. */
const ofWholeLists: ReadonlySet<string> = new Set(['complete', 'only-live', 'no-duplicates'])
const collections: Some = [...having('Lists marked (paginated)'), ...envelope('data', 'results')]

const ofRefusals: Some = [
  ...passages.filter(({ section, column }) => section === 'Error envelope' && !keyColumns.has(column ?? '')),
  ...having('Error responses carry the error envelope'),
]

const outcomes: Readonly<Record<string, Some>> = {
  json: having('Request and response bodies are JSON unless stated'),
  'refusal.envelope': ofRefusals,
  'refusal.field': ofRefusals,
  'refusal.field-present': ofRefusals,
  'refusal.status': having('HTTP status codes for each error condition'),
  'refusal.unchanged': having('Conditions that produce an error'),
}

const ofOmissions = passages.filter(({ section }) => section === 'Resources whose response fields are not fully given')

const notGiven = (op: Operation): Some =>
  best(ofOmissions, wordsOf(`${op.id.replaceAll(/[-.]/g, ' ')} ${op.path.replaceAll(/[/{}-]/g, ' ')}`), 1)

/** Rows and sentences about a member of the body, at any depth. */
const ofMember = (op: Operation, path: readonly string[], source: string): Some => {
  const names = path.filter((name) => name !== '[]')
  const last = names.at(-1) ?? ''
  const inRule =
    /^firewall/.test(op.id) && names.some((name) => name === 'inbound' || name === 'outbound') && names.length > 1
  const isRule = inRule && last !== 'inbound' && last !== 'outbound'
  const nested = names.slice(-2).join('.')
  if (isRule) {
    const own = fieldOf(nested, 'Firewall rule')
    return own.length > 0 ? own : fieldOf(last, 'Firewall rule')
  }
  const word = new RegExp(`\\b${last}\\b`)
  const own = rowOf(op, 'Payload').filter(({ text }) => word.test(text))
  const named = own.length > 0 ? own : placed(`${source}, ${names[0]}`, `${op.method} ${op.path}`)
  const nestedIn = /^(?:ips|ipv4)\.assign$/.test(op.id) && names.length > 1 ? fieldOf(last, 'IP assignment object') : []
  const all = [...nestedIn, ...named]
  const naming = all.filter(({ text, row }) => word.test(`${text} ${row ?? ''}`))
  return naming.length > 0 ? naming : all
}

const limitRows: Readonly<Record<Operation['area'], RegExp>> = {
  volumes: /^Volume/,
  'object-storage': /^Pre-signed/,
  managed: /^Managed/,
  networking: /^(?:Firewall|IPv6)/,
  support: /^Support/,
  tags: /^Tags/,
}

const limits = passages.filter(({ section }) => section === 'Limits')

/** The sentence among the limits that repeats a bound. */
const limitsOf = ({ area, id }: Operation, { path, keyword, value }: Constraint): Some => {
  if (!/^(?:min|max|enum)/.test(keyword)) return []
  const number = new RegExp(`(?<!\\d)${[value].flat().at(-1)}(?!\\d)`)
  const [name = ''] = wordsOf(path.filter((one) => one !== '[]').at(-1) ?? '')
  const isRule = path.length > 2
  const some = limits.filter(
    ({ row, text }) =>
      limitRows[area].test(row ?? '') &&
      number.test(text) &&
      (wordsOf(text).has(name) || (name.startsWith('prefix') && text.startsWith('prefix'))) &&
      (area !== 'networking' || isRule === text.startsWith('rule ')),
  )
  return best(some, wordsOf(`${id.replaceAll(/[-.]/g, ' ')} ${path.join(' ')}`), 1)
}

const ofParam = (op: Operation, param: string): Some => {
  const word = new RegExp(`\\b${param}\\b`)
  const home = rowOf(op)[0]?.section
  const naming = passages.filter(
    ({ text, section, column }) => section === home && column !== 'Path' && word.test(text),
  )
  return naming.length > 0 ? naming : rowOf(op, 'Path')
}

/** How the document's tables name an operation. */
const callOf = ({ method, path }: Operation): string => `${method} ${path}`

type Constrained = Extract<Clause, { readonly kind: 'constraint' | 'names' }>

const find = (op: Operation, clause: Clause): Some => {
  const words = wordsOf(`${slugOf(clause).replaceAll(/[-.]/g, ' ')} ${clause.text}`)
  switch (clause.kind) {
    case 'token':
    case 'scheme':
      return [...having('Credentials travel in the request header'), ...rowOf(op, 'Scope')]
    case 'scope':
      return [
        ...rowOf(op, 'Scope'),
        ...having('Scopes are the oauth scopes listed for the endpoint'),
        ...having('An endpoint listing two scopes needs both').filter(() => (op.scopes?.length ?? 0) > 1),
      ]
    case 'unrestricted':
      return [
        ...having('all Managed and Tags endpoints are accessible only'),
        ...having('Managed and Tags endpoints used by'),
        ...having('(unrestricted account users only)').filter(({ section }) => section === rowOf(op)[0]?.section),
      ]
    case 'json':
      return having('Request and response bodies are JSON')
    case 'exists':
      return ofParam(op, clause.param)
    case 'constraint':
      if (clause.place === 'path') return ofParam(op, clause.constraint.path[0] as string)
      return clause.place === 'query' ? ofQuery(op, clause) : ofBody(op, clause, words)
    case 'names':
      return ofBody(op, clause, words)
    case 'emits':
      return [
        ...passages.filter((one) => one.row === clause.event && one.column === 'Emitted by'),
        ...having(clause.event).filter(({ column = '' }) => !keyColumns.has(column)),
      ]
    case 'shape':
      return [
        ...fieldOf(clause.constraint.path[0] as string, 'Volume').filter(
          ({ column }) => clause.constraint.keyword === 'required' || column === 'Type',
        ),
        ...rowOf(op, 'Payload').filter(({ text }) => text.startsWith('Returns')),
      ]
    case 'shows': {
      const own = 'table' in op.reply && op.reply.table.record ? fieldOf(clause.field, 'Volume') : []
      return own.length > 0 ? own : notGiven(op)
    }
    case 'general':
      return ofGeneral(op, slugOf(clause), words)
    default:
      return partsOf(clause.source, ';').flatMap((reference) => best(placed(reference, callOf(op)), words, 2))
  }
}

/** What is said of a member of the query; of paging where the operation says nothing of its own. */
const ofQuery = (op: Operation, { source, constraint }: Constrained): Some => {
  const name = constraint.path[0] as string
  const own = [
    ...placed(source, callOf(op)).filter(({ column }) => !keyColumns.has(column ?? '')),
    ...rowOf(op, 'Payload'),
  ]
  const isPaging = name.startsWith('page') && !own.some((one) => one.row === name)
  return isPaging ? [...best(rowOf(op, 'Payload'), wordsOf(name), 2), ...pagingOf(op)] : best(own, wordsOf(name), 2)
}

const ofBody = (op: Operation, { constraint }: Constrained, words: ReadonlySet<string>): Some => [
  ...best(ofMember(op, constraint.path, op.source), words, 2),
  ...limitsOf(op, constraint),
]

/** What is said of every operation alike. */
const ofGeneral = (op: Operation, slug: string, words: ReadonlySet<string>): Some => {
  if (ofLists[slug]) return ofLists[slug]
  if (slug === 'refusal.unchanged' && op.undone) return having('otherwise the tag is not created')
  if (outcomes[slug]) return outcomes[slug]
  if (slug === 'object') return notGiven(op)
  const said = rowOf(op, 'Payload')
  return [
    ...(said.length > 0 ? best(said, words, 2) : rowOf(op, 'Path')),
    ...(ofWholeLists.has(slug) && op.reply.kind === 'page' ? collections : []),
    ...(slug === 'accepts' ? acceptedBy(op) : []),
  ]
}

const pagingOf = (op: Operation): Some => {
  if (op.reply.kind !== 'page' || op.reply.bounds === 'standard')
    return [
      ...paging,
      ...having('take the standard page and page_size').filter(({ section }) => section === rowOf(op)[0]?.section),
    ]
  return op.area === 'volumes' ? having('For the volumes list and volume view') : paging
}

const acceptedBy = (op: Operation): Some =>
  op.scopes ? having('a personal access token is accepted on every endpoint') : rowOf(op, 'Scope')

const known = new WeakMap<Clause, Some>()

/** The passages that a clause rests on, the closest first. */
export const passagesFor = (op: Operation, clause: Clause): Some => {
  const hit = known.get(clause)
  if (hit) return hit
  const found = [...new Set(find(op, clause))]
  const some = found.length > 0 ? found : rowOf(op, 'Path')
  known.set(clause, some)
  return some
}
