// Judges walks over all pages of a list: no record is lost or doubled between pages, and each page tells the same counts; sends nothing.

import isEqual from 'fast-deep-equal'
import { firstPageOf, mostPages } from '../history/pages.js'
import { accountOf } from '../models/language/access.js'
import { slugIn } from '../models/language/derive.js'
import type { AnyTable, Facts, Operation, Replied } from '../models/language/operation.js'
import {
  type AnyEntity,
  idIn,
  isClosed,
  isLatent,
  live,
  type WireRecord,
  type World,
} from '../models/language/world.js'
import { clauseOf } from './clauses.js'
import { readCall } from './facts.js'
import { type Deviation, deviation, type Judged } from './judgement.js'
import { envelopeFault, type Page } from './page.js'

/** The pages of one walk, in order. */
export type Walked = readonly Judged[]

/** In an open world others change the list while it is walked, so it is walked again until nobody has. */
const mostWalks = 4

export interface JudgedWalks {
  readonly deviations: readonly Deviation[]
  readonly held: readonly string[]
  /** Whether another walk would tell more. */
  readonly isOpen: boolean
}

/** Deviations that two walks of the same records show; in a closed world those of the first walk, whatever the second shows. */
export const judgeWalks = (world: World, walks: readonly Walked[]): JudgedWalks => {
  const [first] = walks
  const [page] = first ?? []
  if (!first || !page || page.op.reply.kind !== 'page') return { deviations: [], held: [], isOpen: false }
  if (amissIn(world, first, true).length === 0) {
    const held = isWhole(first) ? wholeSlugs.flatMap((slug) => clauseOf(page.op, slug)?.id ?? []) : []
    return { deviations: [], held, isOpen: false }
  }
  const isAlone = isClosed(world, page.op.reply.table, accountOf(world.environment, page.call.as))
  const same = walks.findIndex((pages, i) => i > 0 && (isAlone || isEqual(allKeys(walks[i - 1] ?? []), allKeys(pages))))
  if (same === -1) return { deviations: [], held: [], isOpen: walks.length < mostWalks }
  // The document promises no order. If it changes from call to call, pages lose and double records on a correct target.
  const isSteady = isEqual(keysOf(walks[same - 1]?.[0]), keysOf(walks[same]?.[0]))
  return { deviations: amissIn(world, isAlone ? first : (walks[same] as Walked), isSteady), held: [], isOpen: false }
}

const wholeSlugs = ['complete', 'no-duplicates', 'pages', 'page-size', 'results']

/** Keys of a page's records, in their order. */
export const keysOf = (sent: Judged | undefined): readonly unknown[] => {
  if (sent?.op.reply.kind !== 'page') return []
  const { table } = sent.op.reply
  const account = accountOf(sent.judgement.world.environment, sent.call.as)
  return bodyOf(sent)?.data.map((record) => table.identify(record, sent.call.path, account)) ?? []
}

/** Keys of the records of all pages, sorted. */
const allKeys = (pages: Walked): readonly unknown[] => pages.flatMap(keysOf).sort()

/** Whether a reply is a page. Another reply is reported by itself and tells nothing about the whole list. */
const bodyOf = ({ judgement, outcome }: Judged): Page | undefined =>
  judgement.accepted === true && 'body' in outcome && envelopeFault(outcome.body) === undefined
    ? (outcome.body as Page)
    : undefined

/** Judges the counts that pages tell: each page tells the same, and as many pages and records as there are. */
const miscounted = (op: Operation, pages: readonly Page[], records: number): readonly Deviation[] => {
  const differing = (slug: 'pages' | 'results', count: number, why = ''): readonly Deviation[] => {
    const rule = clauseOf(op, slug)
    const other = pages.find((page) => page[slug] !== count)
    if (!rule || !other) return []
    const told = `${slug} ${other[slug]} on page ${pages.indexOf(other) + 1} of ${pages.length}`
    return [deviation(rule, `${slug}-over-pages`, `${slug} ${count}${why}`, told)]
  }
  return [...differing('pages', pages.length), ...differing('results', records, ', as many as the pages hold')]
}

/** Whether pages of the same records tell different numbers of pages. */
const disagreeing = (op: Operation, pages: readonly Page[]): readonly Deviation[] => {
  const rule = clauseOf(op, 'pages')
  const [first] = pages
  const other = pages.find((page) => page.results === first?.results && page.pages !== first.pages)
  return other && first && rule
    ? [deviation(rule, 'pages-over-pages', `pages ${first.pages}, as on page 1`, `pages ${other.pages} later on`)]
    : []
}

/**
 * Whether these are all pages. A target may refuse a page whose bounds are not shown, or answer another one in its place; then nothing
 * can be said about the whole list.
 */
const isWhole = (pages: Walked): boolean =>
  pages.length < mostPages && pages.every((sent, i) => bodyOf(sent)?.page === i + firstPageOf(bodyOf(pages[0] ?? sent)))

/**
 * Whether pages that share out all results tell one number: a list that passes over the page which is asked for shows the same
 * records again.
 */
const misnumbered = (op: Operation, pages: Walked, told: readonly Page[]): readonly Deviation[] => {
  const rule = clauseOf(op, 'page')
  const [first] = told
  const held = told.reduce((sum, { data }) => sum + data.length, 0)
  const isShared = held === first?.results && new Set(allKeys(pages)).size === held
  const at = told.findIndex(({ page, data }, i) => i > 0 && page === first?.page && data.length > 0)
  return rule && first && isShared && at > 0
    ? [
        deviation(
          rule,
          'page-over-pages',
          `another page than ${first.page}, which page 1 tells`,
          `page ${first.page} on page ${at + 1}`,
        ),
      ]
    : []
}

/** What is wrong with the counts of pages, and with the records that they hold together if their order is steady. */
export const amissIn = (world: World, pages: Walked, isSteady: boolean): readonly Deviation[] => {
  const [first] = pages
  const told = pages.flatMap((sent) => bodyOf(sent) ?? [])
  if (first?.op.reply.kind !== 'page') return []
  const { op } = first
  const { table } = first.op.reply
  if (!isWhole(pages)) return [...disagreeing(op, told), ...(isSteady ? misnumbered(op, pages, told) : [])]
  const records = told.flatMap(({ data }) => data)
  const { path } = first.call
  const account = accountOf(world.environment, first.call.as)
  const keys = records.flatMap((record) => table.identify(record, path, account) ?? [])
  const counts = miscounted(op, told, records.length)
  if (!isSteady) return counts
  const facts = { ...readCall(world, op, first.call).facts, query: {} }
  const spoken = spokenOf(op, {
    ...facts,
    after: world,
    status: 200,
    reply: { data: records, results: records.length },
  })
  if (keys.length < records.length) return [...counts, ...spoken]
  return [...counts, ...spoken, ...missed(facts, op, table, pages, keys), ...doubled(op, pages, records, keys)]
}

const missed = (
  facts: Facts,
  op: Operation,
  table: AnyTable,
  pages: Walked,
  keys: readonly string[],
): readonly Deviation[] => {
  const rule = clauseOf(op, 'complete')
  const isMissing = (entity: AnyEntity): boolean =>
    !entity.stub &&
    !isLatent(entity.key) &&
    !keys.includes(idIn(entity.key)) &&
    (op.lists === undefined || op.lists(facts, entity) === true)
  const [one] = live(facts.world, table, facts.account).filter(isMissing)
  if (!one || !rule) return []
  const expected = `${table.name} ${one.key} on one of ${pages.length} pages`
  return [deviation(rule, 'missing-over-pages', expected, `${keys.length} records without it`)]
}

const doubled = (
  op: Operation,
  pages: Walked,
  records: readonly WireRecord[],
  keys: readonly string[],
): readonly Deviation[] => {
  const rule = clauseOf(op, 'no-duplicates')
  const seen = new Set<string>()
  const part = (i: number): string => (op.apart === undefined ? '' : String(records[i]?.[op.apart] ?? `of record ${i}`))
  const twice = keys.find((key, i) => seen.size === seen.add(`${key} ${part(i)}`).size)
  if (twice === undefined || !rule || op.reply.kind !== 'page') return []
  const name = `${op.reply.table.name} ${twice}`
  return [deviation(rule, 'doubled-over-pages', `${name} once`, `it is on two of ${pages.length} pages`)]
}

/** Asks the statements of the operation about all pages as if they were one. */
const spokenOf = (op: Operation, replied: Replied): readonly Deviation[] =>
  (op.statements ?? []).flatMap((rule) => {
    const clause = rule.overPages ? clauseOf(op, slugIn(op, rule.id)) : undefined
    const told = clause && rule.holds(replied)
    return clause && typeof told === 'string' ? [deviation(clause, 'order-over-pages', clause.text, told)] : []
  })
