// Tells whether a recording was made without queries, as exporters do that keep paths alone; nothing is judged.

import { grouped } from '../models/language/grouped.js'
import { isObject } from '../models/language/objects.js'
import { outcomeOf } from './har-content.js'
import type { HarEntry } from './har-entries.js'

/** Queries were left out where no entry has one, though replies to the same request show pages of several numbers. */
export const areQueriesLeftOut = (entries: readonly HarEntry[]): boolean => {
  if (entries.some(hasQuery)) return false
  const reads = grouped(
    entries.filter(({ method }) => method === 'GET'),
    ({ request }) => String(request.url),
  )
  return [...reads.values()].some((own) => new Set(own.flatMap(pageOf)).size > 1)
}

const hasQuery = ({ url, request }: HarEntry): boolean =>
  (url?.search ?? '') !== '' || (Array.isArray(request.queryString) && request.queryString.length > 0)

const pageOf = ({ response, entry }: HarEntry): readonly number[] => {
  const outcome = outcomeOf(response, entry)
  const page = 'body' in outcome && isObject(outcome.body) ? outcome.body.page : undefined
  return typeof page === 'number' ? [page] : []
}
