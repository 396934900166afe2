// Writes docs/concordance.md: the document passage by passage, each with what carries it; it holds nothing that is not derived.

import { otherwise } from '../models/document/otherwise.js'
import { type Passage, passages } from '../models/document/passages.js'
import { keyColumns, passagesFor } from '../models/document/quotes.js'
import { interfaceVersion, operations } from '../models/index.js'
import { type Clause, clausesOf, slugOf } from '../models/language/derive.js'

/** The clauses that rest on each passage, by anchor. */
export const carriers = (): ReadonlyMap<string, readonly Clause[]> => {
  const found = new Map<string, Clause[]>()
  for (const op of operations)
    for (const clause of clausesOf(op))
      for (const { anchor } of passagesFor(op, clause)) {
        const known = found.get(anchor)
        if (known) known.push(clause)
        else found.set(anchor, [clause])
      }
  return found
}

/** Whether a passage names what its row is about; the row's other cells say what is required of it. */
export const isName = ({ column = '' }: Passage): boolean => keyColumns.has(column)

/** Passages that no clause rests on, that no other thing is named for, and that name no row which one rests on. */
export const uncarried = (): readonly Passage[] => {
  const carried = carriers()
  const isHeld = ({ anchor }: Passage): boolean => carried.has(anchor) || anchor in otherwise
  const rows = new Set(passages.filter(isHeld).map(rowOf))
  return passages.filter((passage) => !isHeld(passage) && !(isName(passage) && rows.has(rowOf(passage))))
}

const rowOf = ({ section, table, row }: Passage): string => [section, table, row].join(' / ')

/** The content of `docs/concordance.md`. */
export const concordancePage = (): string => {
  const carried = carriers()
  return `${[
    '<!-- Generated from models/ by scripts/concordance.ts; `npx vitest run tests/cli/concordance.test.ts -u` writes it anew. -->',
    '# Concordance',
    `The interface document, version ${interfaceVersion}, from its first sentence to its last: ${passages.length} sentences and cells, word for word, each with what carries it. Read it beside the document. What is in **bold** are clauses of the level must; the others follow by inference or are choices, in *italics*. A clause that every operation has is given once, with the number of operations. [clauses.md](clauses.md) has every clause beside its sentences, [readings.md](readings.md) how doubtful ones were read, and \`touchstone explain CLAUSE\` how one is checked.`,
    ...sectionsOf().flatMap(([section, some]) => [
      `## ${section}`,
      ...groupsOf(some).flatMap(([table, own]) => [
        ...(table === undefined ? [] : [`### ${table}`]),
        own.some(({ column }) => column !== undefined) ? rows(own, carried) : sentences(own, carried),
      ]),
    ]),
  ].join('\n\n')}\n`
}

type Carried = ReadonlyMap<string, readonly Clause[]>

const runs = <T>(
  all: readonly T[],
  nameOf: (one: T) => string | undefined,
): readonly (readonly [string | undefined, readonly T[]])[] => {
  const found: [string | undefined, T[]][] = []
  for (const one of all) {
    const last = found.at(-1)
    if (last && last[0] === nameOf(one)) last[1].push(one)
    else found.push([nameOf(one), [one]])
  }
  return found
}

const sectionsOf = () => runs(passages, ({ section }) => section)

/** Tables apart from sentences. */
const groupsOf = (some: readonly Passage[]) =>
  runs(some, (one) => `${one.table ?? ''}|${one.column === undefined}`).map(([, own]) => [own[0]?.table, own] as const)

const sentences = (some: readonly Passage[], carried: Carried): string =>
  table(
    ['the document says', 'carried by'],
    some.map((one) => [`${anchored(one)}${cell(one.text)}`, carriedBy(one, carried)]),
  )

const rows = (some: readonly Passage[], carried: Carried): string =>
  table(
    ['about', 'the document says', 'carried by'],
    some
      .filter((one) => !isName(one))
      .map((one, i, all) => [
        one.row === all[i - 1]?.row ? '' : code(one.row ?? ''),
        `${anchored(one)}${cell(one.text)}`,
        carriedBy(one, carried),
      ]),
  )

const anchored = ({ anchor }: Passage): string => `<a id="${anchor.replaceAll('/', '-')}"></a>`

const carriedBy = (passage: Passage, carried: Carried): string => {
  const { clauses = [], reading, defects = [], because } = otherwise[passage.anchor] ?? {}
  const own = carried.get(passage.anchor) ?? []
  return [
    ...grouped(own),
    ...clauses.map(code),
    ...defects.map((id) => `defect ${code(id)}`),
    ...(reading === undefined ? [] : ['[readings](readings.md)']),
    ...(because === undefined ? [] : [because]),
  ].join('<br>')
}

const mostAlike = 2
const mostForms = 20

const operationsOf = (clauses: readonly Clause[]): readonly string[] => [
  ...new Set(clauses.map(({ operation }) => operation)),
]

/** Clauses of many operations with one name and level are told once; of one operation each by itself. */
const grouped = (clauses: readonly Clause[]): readonly string[] => {
  const byName = new Map<string, Clause[]>()
  for (const clause of clauses) {
    // The form of one record is one thing, however many keywords it has.
    const isForm = clause.kind === 'shape' && clauses.filter((one) => one.kind === 'shape').length > mostForms
    const slug = isForm ? 'reply.*' : slugOf(clause)
    const name = `${clause.level} ${slug}`
    byName.set(name, [...(byName.get(name) ?? []), clause])
  }
  return [...byName].flatMap(([name, alike]) => {
    const [first] = alike as [Clause]
    if (name.endsWith(' reply.*'))
      return styled(first, `${operationsOf(alike).length > 1 ? '*' : first.operation}.reply.*`)
    return alike.length > mostAlike
      ? `${styled(first, `*.${slugOf(first)}`)} of ${alike.length} operations`
      : alike.map((one) => styled(one, one.id))
  })
}

const styled = ({ level }: Clause, text: string): string =>
  level === 'must' ? `**${code(text)}**` : level === 'choice' ? `*${code(text)}*` : code(text)

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('<', '&lt;')

const table = (head: readonly string[], lines: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
