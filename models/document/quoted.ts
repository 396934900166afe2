// What the document says that a clause rests on, as one text; the build puts the texts themselves here, so that no command looks for them.
import type { Clause } from '../language/derive.js'
import type { Operation } from '../language/operation.js'
import type { Passage } from './passages.js'
import { passagesFor, wholeRow } from './quotes.js'

/** Fewer words tell nothing to a reader who does not have the document beside them. */
const fewestWords = 7

/**
 * What the document says that a clause rests on, word for word, up to a semicolon or the end of the sentence; a cell of a table after
 * what its row is about. Where that is a few words, such as "integer" or "Paginated", the rest of the row and the name of the table
 * stand with them.
 */
export const quoteOf = (op: Operation, clause: Clause): string => {
  const some = passagesFor(op, clause)
  const words = some.flatMap(({ text }) => text.split(' ')).length
  return words < fewestWords ? said([...new Set(some.flatMap(wholeRow))], named) : said(some)
}

const said = (some: readonly Passage[], nameOf: (passage: Passage) => string = ({ row = '' }) => row): string =>
  some
    .map((passage, index, all) => {
      const { row, text } = passage
      const isSaid = row === undefined || row === all[index - 1]?.row || text.startsWith(`${row}: `)
      return isSaid ? text.replace(/;$/, '') : `${nameOf(passage)}: ${text.replace(/;$/, '')}`
    })
    .join(' … ')

/** A row with its table; one that is named by a call is known by that. */
const named = ({ section, table, row = '' }: Passage): string => {
  const place = table ?? (section.startsWith('Endpoints / ') ? undefined : section)
  return place === undefined ? row : `${place}, ${row}`
}
