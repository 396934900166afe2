// Judges the envelope of a page and its arithmetic: page, pages, results and the number of records; which records they are stands in lists.ts.

import { isObject } from '../models/language/objects.js'
import type { Operation } from '../models/language/operation.js'
import { defaultPageSize } from '../models/language/pagination.js'
import type { WireRecord } from '../models/language/world.js'
import { clauseOf, surelyClauseOf } from './clauses.js'
import type { Read } from './facts.js'
import { brief, type Deviation, deviation } from './judgement.js'

interface JudgedPage {
  readonly deviations: readonly Deviation[]
  readonly held: readonly string[]
  /** Whether the envelope can be read at all. */
  readonly isPage: boolean
}

export const judgePage = (op: Operation, read: Read, body: unknown): JudgedPage => {
  const clause = surelyClauseOf(op, 'envelope')
  const broken = envelopeFault(body)
  if (broken) return { deviations: [deviation(clause, 'envelope', clause.text, broken)], held: [], isPage: false }
  const { deviations, held } = arithmeticOf(op, read, body as Page)
  return { deviations, held: [clause.id, ...held], isPage: true }
}

/** The collection envelope of the document. */
export interface Page {
  readonly data: readonly WireRecord[]
  readonly page: number
  readonly pages: number
  readonly results: number
}

/** What keeps a body from being a page. */
export const envelopeFault = (body: unknown): string | undefined => {
  if (!isObject(body)) return brief(body)
  if (!Array.isArray(body.data)) return `data is ${brief(body.data)}`
  if (!body.data.every(isObject)) return 'data holds something that is no object'
  const name = ['page', 'pages', 'results'].find((member) => !Number.isInteger(body[member]))
  return name && `${name} is ${brief(body[name])}`
}

/** One thing that an envelope says of itself or of its records. */
interface Check {
  readonly slug: 'page' | 'pages' | 'page-size'
  readonly holds: boolean
  readonly expected: string
  readonly received: string
}

const check = (slug: Check['slug'], holds: boolean, expected: string, received: string): Check => ({
  slug,
  holds,
  expected,
  received,
})

/** Constraints between page, pages, results and the number of records. */
const arithmeticOf = (op: Operation, read: Read, envelope: Page): Omit<JudgedPage, 'isPage'> => {
  const query = read.facts.query as PageQuery
  const checks = read.repeated.length > 0 ? [] : checksOf(op, query, envelope)
  const isWhole = envelope.page <= 1 && envelope.data.length === envelope.results
  // If a parameter is only inferred for this list, the target may not have it: it then shows its first page and says so.
  const isInferred = query.page !== undefined && op.query?.properties.page?.level !== undefined
  const isUnheeded = isInferred && envelope.page === 1
  return {
    deviations: checks
      .filter(({ slug, holds }) => !holds && !(isUnheeded && slug === 'page'))
      .map(({ slug, expected, received }) => {
        const found = deviation(surelyClauseOf(op, slug), slug, expected, received)
        return isInferred && slug === 'page' ? { ...found, level: 'should' } : found
      }),
    held: [
      ...checks.filter(({ holds }) => holds).map(({ slug }) => `${op.id}.${slug}`),
      ...(isWhole && clauseOf(op, 'results') ? [`${op.id}.results`] : []),
    ],
  }
}

interface PageQuery {
  /** Text where it is no number. */
  readonly page?: number | string
  readonly page_size?: number
}

const checksOf = (op: Operation, query: PageQuery, envelope: Page): readonly Check[] => {
  const { page } = envelope
  const isStandard = op.reply.kind === 'page' && op.reply.bounds === 'standard'
  const wanted = isStandard || !mayCountFrom0(query, envelope) ? pageWanted(query, envelope) : page
  return [
    check('page', page === wanted, `page ${wanted}`, `page ${page}`),
    ...(isStandard
      ? sizedChecks(envelope, wanted, query.page_size ?? defaultPageSize)
      : unsizedChecks(query, envelope)),
  ]
}

/** Whether a page is numbered 0; if there is only one page, that may stand for page 1. */
const mayCountFrom0 = (query: PageQuery, { page, pages }: Page): boolean =>
  page === 0 && (query.page === undefined || (query.page === 1 && pages === 1))

/** The number of the page that was asked for. */
const pageWanted = (query: PageQuery, { page, pages }: Page): number => {
  // A parameter that the document does not list for this operation stays text, and the target may ignore it.
  if (typeof query.page === 'string') return page
  const asked = query.page ?? 1
  // The document says nothing of a page beyond the last: another one may be answered in its place.
  const isOutside = query.page !== undefined && (asked < 1 || asked > Math.max(1, pages))
  return isOutside ? page : asked
}

/** Where the page size is known. */
const sizedChecks = ({ data, pages, results }: Page, wanted: number, size: number): readonly Check[] => {
  const needed = Math.ceil(results / size)
  const length = Math.max(0, Math.min(size, results - (wanted - 1) * size))
  const of = `${resultsOf(results)} at ${size} a page`
  const isEnough = pages === needed || (results === 0 && pages === 1)
  return [
    check('pages', isEnough, `pages ${needed} for ${of}`, `pages ${pages}`),
    check(
      'page-size',
      data.length === length,
      `${length} records on page ${wanted} of ${of}`,
      `${data.length} records`,
    ),
  ]
}

/**
 * Where the bounds are not shown, the first of several pages is still a full one. Pages may be counted from 0, so that page 1 need
 * not be the first.
 */
const unsizedChecks = (query: PageQuery, { data, pages, results }: Page): readonly Check[] => {
  const isEnough =
    results === 0 ? pages === 0 || pages === 1 : data.length > 0 && pages === Math.ceil(results / data.length)
  const wanted = pagesWanted(data.length, results)
  const size = check('page-size', data.length <= results, `at most ${results} records`, `${data.length} records`)
  // Whatever pages are counted from, one that holds all results is the only one, and the only one holds all.
  const isCounted = query.page === undefined || data.length === results || (pages <= 1 && data.length > 0)
  return isCounted ? [check('pages', isEnough, wanted, `pages ${pages}`), size] : [size]
}

const pagesWanted = (held: number, results: number): string => {
  if (results === 0) return 'pages 0 or 1 for no results'
  if (held === 0) return `some of the ${resultsOf(results)} that it tells`
  return `pages ${Math.ceil(results / held)}, since the page holds ${held} of ${resultsOf(results)}`
}

const resultsOf = (results: number): string => `${results} ${results === 1 ? 'result' : 'results'}`

/** Others may have made or removed so many meanwhile. */
const mostByOthers = 25

/**
 * Whether the counts of a page are right but for so many changes, and those of others: some targets count their records later than they
 * show them.
 */
export const mayBeMiscounted = (op: Operation, { facts }: Read, body: unknown, changes: number): boolean => {
  const query = facts.query as PageQuery
  const by = changes + (facts.world.environment.exclusive ? 0 : mostByOthers)
  if (op.reply.kind !== 'page' || envelopeFault(body) !== undefined) return false
  const envelope = body as Page
  const wanted = pageWanted(query, envelope)
  const isStandard = op.reply.bounds === 'standard'
  const checksAt = (results: number): readonly Check[] =>
    isStandard
      ? sizedChecks({ ...envelope, results }, wanted, query.page_size ?? defaultPageSize)
      : unsizedChecks(query, { ...envelope, results })
  const near = Array.from({ length: 2 * by + 1 }, (_, i) => Math.max(0, envelope.results + i - by)).map(checksAt)
  return ['pages', 'page-size'].every((slug) =>
    near.some((checks) => checks.every((one) => one.slug !== slug || one.holds)),
  )
}
