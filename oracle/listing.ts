// Reads the reply of a list: its records, and whether they are all there are; nothing is judged here.

import { isObject } from '../models/language/objects.js'
import { type AnyTable, isListed, type Operation } from '../models/language/operation.js'
import type { WireRecord } from '../models/language/world.js'
import type { Read } from './facts.js'

export interface Listing {
  readonly records: readonly unknown[]
  /** Whether these are all records, as far as the envelope tells. */
  readonly whole: boolean
}

/** The most records of a page that are compared. No page whose bounds the document shows has as many. */
export const mostCompared = 2000

/** @param query what was asked for: by a parameter that the document does not have, it may have been a part */
export const listingOf = (op: Operation, body: unknown, query: object = {}): Listing | undefined => {
  const listing = wholeListingOf(op, body)
  if (!listing || (listing.records.length <= mostCompared && Object.keys(query).every((name) => isKnown(op, name))))
    return listing
  return { records: listing.records.slice(0, mostCompared), whole: false }
}

const isKnown = ({ query }: Operation, name: string): boolean =>
  ['page', 'page_size', ...Object.keys(query?.properties ?? {})].includes(name)

const wholeListingOf = (op: Operation, body: unknown): Listing | undefined => {
  const isFree = op.reply.kind === 'records'
  if (Array.isArray(body)) return isFree && !areNames(body) ? { records: body, whole: true } : undefined
  if (!isObject(body)) return undefined
  const name = listIn(body, isFree)
  if (name === undefined) return undefined
  const { [name]: data, page, pages, results: _, ...more } = body
  // A list whose envelope the document does not show may continue by other means than pages.
  const isOpen = isFree && Object.values(more).some((value) => value !== null)
  const isOnePage =
    (pages === undefined || pages === 0 || pages === 1) && (page === undefined || page === 0 || page === 1)
  return { records: data as readonly unknown[], whole: isOnePage && !isOpen }
}

/** The member in which the records stand. */
const listIn = (body: WireRecord, isFree: boolean): string | undefined => {
  if (Array.isArray(body.data)) return isFree && areNames(body.data) ? undefined : 'data'
  return isFree ? onlyListIn(body) : undefined
}

/** Where the envelope is not shown, neither is it that records are objects. */
const areNames = (items: unknown): boolean =>
  Array.isArray(items) && items.length > 0 && items.every((item) => typeof item === 'string')

/** The member of an envelope that is not shown in which the records stand: the only array in it, of nothing but objects. */
const onlyListIn = (body: WireRecord): string | undefined => {
  const arrays = Object.keys(body).filter((name) => Array.isArray(body[name]))
  const [name] = arrays
  return arrays.length === 1 && name !== undefined && (body[name] as readonly unknown[]).every(isObject)
    ? name
    : undefined
}

interface Named {
  readonly table: AnyTable
  readonly read: Pick<Read, 'facts'>
  readonly records: readonly WireRecord[]
  /** Those that do not tell which entity they show. */
  readonly unnamed: readonly WireRecord[]
}

/**
 * How many of the unnamed records have null, or what surely is no identity, in a member by which others of the list tell which entity they
 * show: they show none.
 */
export const blanksIn = ({ table, read, records, unnamed }: Named): number => {
  const { path, account } = read.facts
  const isTold = (name: string): boolean =>
    records.some(
      ({ [name]: value }) =>
        value !== null && value !== undefined && table.identify({ [name]: value }, path, account) !== undefined,
    )
  const isBlank = (value: unknown): boolean =>
    value === null || (typeof value === 'string' && table.misnames?.(value) === true)
  return unnamed.filter((record) => Object.keys(record).some((name) => isBlank(record[name]) && isTold(name))).length
}

/** Whether a list is empty, in whatever envelope. */
export const isEmptyList = (op: Operation, body: unknown): boolean => {
  if (!isListed(op.reply)) return false
  const listing = listingOf(op, body)
  if (listing) return listing.records.length === 0
  const inner = op.reply.kind === 'records' && isObject(body) ? Object.values(body).filter(Array.isArray) : []
  return inner.length > 0 && inner.every((records) => records.length === 0)
}
