// `touchstone list`: the registry as aligned text or JSON; it calls no target.

import { defects } from '../models/defects.js'
import { allClauses, operations } from '../models/index.js'
import { clausesOf } from '../models/language/derive.js'
import { allChoices } from '../suites/choices.js'
import { isOperationSelected, isSelected } from '../suites/filter.js'
import type { Filters } from '../suites/options.js'
import { UsageError } from './errors.js'
import { type Evidence, evidenceIn } from './evidence.js'
import type { Listing, ListKind } from './list-kinds.js'
import { questionnaire } from './questionnaire.js'
import { aligned } from './table.js'

export interface ListOptions {
  /** Folder whose results.json tells what the target did, where there is one. */
  readonly out: string
  readonly json: boolean
}

/**
 * Prints the list.
 * @throws UsageError where the filters leave nothing of it
 */
export const list = async (kind: ListKind, filters: Filters, { out, json }: ListOptions): Promise<number> => {
  const { items, rows } = listings[kind](filters, kind === 'choices' ? await evidenceIn(out) : undefined)
  if (items.length === 0) throw new UsageError(`the filters select none of the ${kind}; leave one of them out.`)
  process.stdout.write(json ? `${JSON.stringify(items, null, 1)}\n` : `${aligned(rows)}\n`)
  return 0
}

const listings: Readonly<Record<ListKind, (filters: Filters, evidence?: Evidence) => Listing>> = {
  operations: (filters) => {
    const items = operations
      .filter((op) => isOperationSelected(filters, op) && clausesOf(op).some((clause) => isSelected(filters, clause)))
      .map((op) => ({
        id: op.id,
        area: op.area,
        method: op.method,
        path: op.path,
        scopes: op.scopes ?? [],
        summary: op.summary,
        source: op.source,
        clauses: clausesOf(op).length,
      }))
    return { items, rows: items.map(({ id, method, path, summary }) => [id, method, path, summary]) }
  },
  clauses: (filters) => {
    const items = allClauses()
      .filter((clause) => isSelected(filters, clause))
      .map(({ id, area, operation, level, source, text }) => ({ id, area, operation, level, source, text }))
    return { items, rows: items.map(({ id, level, text }) => [id, level, text]) }
  },
  choices: (filters, evidence) => {
    const known = new Map(allClauses().map((clause) => [clause.id, clause]))
    const choices = allChoices().filter(({ id, operation = '', area = '' }) => {
      const clause = known.get(id)
      if (clause) return isSelected(filters, clause)
      return filters.clauses.length === 0 && isOperationSelected(filters, { id: operation, area })
    })
    return questionnaire(choices, evidence)
  },
  defects: () => ({
    items: defects,
    rows: defects.flatMap(({ id, source, text, reading }) => [
      [`${id}  (${source})`],
      [`  ${text}`],
      [`  read as: ${reading}`],
      [''],
    ]),
  }),
}
