// What the document says that a clause rests on, as one text; the build puts the texts themselves here, so that no command looks for them.
import type { Clause } from '../language/derive.js'
import type { Operation } from '../language/operation.js'
import type { Passage } from './passages.js'
import { besideCalls, passagesFor, wholeRow } from './quotes.js'

/** Fewer words tell nothing to a reader who does not have the document beside them. */
const fewestWords = 7

/**
 * What the document says that a clause rests on, word for word, up to a semicolon or the end of the sentence; a cell of a table after
 * what its row is about. Where that is a few words, such as "integer" or "Paginated", the rest of the row and the name of the table
 * stand with them. "Body below" says nothing by itself: other cells of the row say more, or else the table that is meant.
 */
export const quoteOf = (op: Operation, clause: Clause): string => {
  const some = passagesFor(op, clause)
  const words = some.flatMap(({ text }) => text.split(' ')).length
  if (words >= fewestWords) return said(pointed(op, some, some))
  return said(pointed(op, some, [...new Set(some.flatMap(wholeRow))]), named)
}

const unended = (text: string): string => text.replace(/\.$/, '')

const pointsBelow = ({ column, text }: Passage): boolean => column === 'Payload' && /\bbelow\.?$/.test(text)

/** @param own those that the clause rests on, of all that are to be quoted */
const pointed = (op: Operation, own: readonly Passage[], all: readonly Passage[]): readonly Passage[] =>
  all.flatMap((one) => {
    if (!pointsBelow(one)) return [one]
    const said = (own.includes(one) ? own : all).filter((other) => other.row === one.row && !pointsBelow(other))
    return said.length > 0 ? [] : [{ ...one, text: [one.text, ...outlineOf(besideCalls(op))].map(unended).join(' … ') }]
  })

/** A table by its name and what its rows are about; sentences, themselves. */
const outlineOf = (some: readonly Passage[]): readonly string[] => {
  const [first] = some
  if (first?.column === undefined) return some.map(({ text }) => text)
  const rows = new Set(some.flatMap(({ table, row }) => (table === first.table ? (row ?? []) : [])))
  return [`${first.table}: ${[...rows].join(', ')}`]
}

const said = (some: readonly Passage[], nameOf: (passage: Passage) => string = ({ row = '' }) => row): string =>
  some
    .map((passage, index, all) => {
      const { row, text } = passage
      const isSaid = row === undefined || row === all[index - 1]?.row || text.startsWith(`${row}: `)
      return isSaid ? text : `${nameOf(passage)}: ${text}`
    })
    .join(' … ')

/** A row with its table; one that is named by a call is known by that. */
const named = ({ section, table, row = '' }: Passage): string => {
  const place = table ?? (section.startsWith('Endpoints / ') ? undefined : section)
  return place === undefined ? row : `${place}, ${row}`
}
