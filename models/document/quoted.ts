// What the document says that a clause rests on, as one text; the build puts the texts themselves here, so that no command looks for them.
import type { Clause } from '../language/derive.js'
import type { Operation } from '../language/operation.js'
import { passagesFor } from './quotes.js'

/** What the document says that a clause rests on, word for word, up to a semicolon or the end of the sentence; a cell of a table after what its row is about. */
export const quoteOf = (op: Operation, clause: Clause): string =>
  passagesFor(op, clause)
    .map(({ row, text }, index, all) => {
      const isSaid = row === undefined || row === all[index - 1]?.row || text.startsWith(`${row}: `)
      const said = text.replace(/;$/, '')
      return isSaid ? said : `${row}: ${said}`
    })
    .join(' … ')
