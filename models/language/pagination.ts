// The query parameters of lists: the standard ones, and those of lists for which no sentence gives their bounds.
import { integer, object, optional } from './schema.js'

/** The bounds of page_size. */
export const pageSizes = { min: 25, max: 500 } as const

/** page from 1, page_size from 25 to 500: what the document says of the lists that it names for it. */
export const standardPaging = object({
  page: optional(integer({ min: 1 })),
  page_size: optional(integer(pageSizes)),
})

/** How many records a page has where none is asked for, in lists whose bounds the document gives. */
export const defaultPageSize = 100

/**
 * The same for lists that are marked paginated and no more. The limits hold "where the endpoint documents them", so
 * whether they do here is not said.
 */
export const inferredPaging = object({
  page: optional(integer({ min: 1, level: 'choice' })),
  page_size: optional(integer({ ...pageSizes, level: 'choice' })),
})
