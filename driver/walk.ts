// Walks a list over several pages and looks at the whole: nothing lost between pages, nothing doubled.
import isEqual from 'fast-deep-equal'
import { planProgram } from '../arbitraries/plan.js'
import { makerOf, removerOf } from '../models/index.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { type AnyEntity, idIn, isClosed, live, type WireRecord } from '../models/language/world.js'
import { clauseOf } from '../oracle/due.js'
import { type Deviation, deviation } from '../oracle/judgement.js'
import { begin, finish, type ProgramOutcome, perform, type Running } from './conduct.js'
import { shift } from './random-walk.js'
import type { Sent, Session } from './session.js'

export interface Walk {
  readonly op: Operation
  /** Records to have at least, so that there are several pages. */
  readonly records: number
  /** Left out: the default size. */
  readonly pageSize: number | undefined
}

/** Fills a list, walks it, and empties it again. */
export const walkList = async (session: Session, { op, records, pageSize }: Walk): Promise<ProgramOutcome> => {
  const running = begin(
    session,
    `${op.id}, ${pageSize === undefined ? 'pages of the default size' : `pages of ${pageSize}`}`,
  )
  const table = tableOf(op)
  const path = await fill(running, table, records)
  if (path === undefined) return finish(running, `no ${records} ${table.name} could be made`)
  // While it is walked, no other program changes it.
  const list = { op, args: { path: ownPath(op, path), as: session.mainToken } }
  await session.undisturbed(list, () => look(running, op, path, pageSize))
  return finish(running)
}

/** Walks the list, and says what is amiss with it. */
const look = async (
  running: Running,
  op: Operation,
  path: Readonly<Record<string, string>>,
  pageSize: number | undefined,
): Promise<void> => {
  const { session } = running
  const first = await pagesOf(running, op, path, pageSize)
  await fillPage(running, op, path, first)
  const found = lacking(session, op, tableOf(op), first)
  const again = found.length > 0 ? await confirmed(running, op, path, pageSize, first) : []
  for (const one of again) running.deviations.push({ deviation: one, at: running.sent.length - 1 })
  if (found.length === 0 && isWhole(first))
    session.held(
      ['complete', 'no-duplicates', 'pages', 'page-size', 'results'].map((slug) => `${op.id}.${slug}`),
      running.sent.at(-1)?.n ?? 0,
    )
}

/** In an open world others change the list while it is walked, so it is walked again until nobody has. */
const mostWalks = 4

/** What is amiss in two walks of the same records; in a closed world in the first, whatever the second shows. */
const confirmed = async (
  running: Running,
  op: Operation,
  path: Readonly<Record<string, string>>,
  pageSize: number | undefined,
  first: readonly Sent[],
): Promise<readonly Deviation[]> => {
  const { session } = running
  const table = tableOf(op)
  const isAlone = isClosed(session.world(), table, accountOf(session))
  let before = first
  for (let walks = 1; walks < mostWalks; walks += 1) {
    const pages = await pagesOf(running, op, path, pageSize)
    if (isAlone || isEqual(allKeys(session, table, before), allKeys(session, table, pages))) {
      // No order is promised: where it changes from call to call, pages lose and double records although none is amiss.
      const isSteady = isEqual(keysOf(session, table, before[0]), keysOf(session, table, pages[0]))
      const amiss = lacking(session, op, table, isAlone ? first : pages)
      return amiss.filter(({ kind }) => isSteady || kind.endsWith('s-over-pages'))
    }
    before = pages
  }
  return []
}

const tableOf = (op: Operation): AnyTable => {
  if (op.reply.kind !== 'page') throw new Error(`suite defect: ${op.id} is not paginated`)
  return op.reply.table
}

const accountOf = ({ options: { environment } }: Session): string | undefined => environment.accounts[0]?.name

/** Makes records, without looking at each; the list's path, or undefined where they cannot be made. */
const fill = async (
  running: Running,
  table: AnyTable,
  records: number,
): Promise<Readonly<Record<string, string>> | undefined> => {
  const { session } = running
  const maker = makerOf(table)
  if (!maker) return undefined
  const program = planProgram('fill', session.context, (plan) => void plan.call(maker.id, plan.draft(maker.id)))
  if (program.missing.length > 0) return undefined
  const parents = program.steps.length - 1
  await fillOut(running, maker)
  const offset = running.subjects.length
  for (const step of program.steps) if ((await perform(running, shift(step, offset))) !== undefined) return undefined
  const pattern = running.sent.findLast(({ op, role }) => op === maker && role === 'arrange')
  if (!pattern) return undefined
  for (let made = 1; made < records; made += session.width) {
    const nexts = Array.from({ length: Math.min(session.width, records - made) }, () =>
      planProgram('fill', session.context, (plan) => void plan.call(maker.id, plan.draft(maker.id))).steps.at(-1),
    )
    if (nexts.some((next) => !next || 'hook' in next) || (parents > 0 && Object.keys(maker.params).length === 0))
      return undefined
    const sent = await Promise.all(
      nexts.map((next) => session.send(running.name, maker, { ...next, path: pattern.call.path } as never, 'read')),
    )
    running.sent.push(...sent)
    if (sent.some(({ judgement }) => judgement.accepted !== true)) return undefined
  }
  await fillOut(running, maker)
  return pattern.call.path
}

/** Makes a record with everything given, so that the first page and the last have one, whichever the order. */
const fillOut = async (running: Running, { id, full, params }: Operation): Promise<void> => {
  if (!full || Object.keys(params).length > 0) return
  const { steps, missing } = planProgram('fill', running.session.context, (plan) => void plan.call(id, full(plan)))
  const offset = running.subjects.length
  if (missing.length > 0) return
  for (const step of steps) if ((await perform(running, shift(step, offset))) !== undefined) return
}

/** What of the path of a record's creation its list has as well. */
const ownPath = (op: Operation, path: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.keys(op.params).map((name) => [name, path[name] ?? '']))

const pagesOf = async (
  running: Running,
  op: Operation,
  path: Readonly<Record<string, string>>,
  pageSize: number | undefined,
): Promise<readonly Sent[]> => {
  const { session } = running
  const own = ownPath(op, path)
  const pages: Sent[] = []
  for (let page = 1; page <= 1000; page += 1) {
    const query = { ...(pageSize !== undefined && { page_size: pageSize }), ...(page > 1 && { page }) }
    const sent = await session.send(running.name, op, { path: own, query, as: session.mainToken }, 'read')
    running.sent.push(sent)
    for (const found of sent.judgement.deviations)
      running.deviations.push({ deviation: found, at: running.sent.length - 1 })
    pages.push(sent)
    const body = bodyOf(sent)
    if (!body || page >= body.pages) break
  }
  return pages
}

/** Keys of a page's records, in their order. */
const keysOf = (session: Session, table: AnyTable, sent: Sent | undefined): readonly unknown[] =>
  (sent && bodyOf(sent)?.data.map((record) => table.identify(record, sent.call.path, accountOf(session)))) ?? []

/** Keys of the records of all pages, in an order of their own. */
const allKeys = (session: Session, table: AnyTable, pages: readonly Sent[]): readonly unknown[] =>
  pages.flatMap((page) => keysOf(session, table, page)).sort()

/** Asks for a page that all records fill to the last: where the number of pages is easily one too many. */
const fillPage = async (
  running: Running,
  op: Operation,
  path: Readonly<Record<string, string>>,
  pages: readonly Sent[],
): Promise<void> => {
  const results = pages.at(-1) && (bodyOf(pages.at(-1) as Sent) as { readonly results?: unknown } | undefined)?.results
  if (typeof results === 'number' && results >= 25 && results <= 500) await pagesOf(running, op, path, results)
}

interface Page {
  readonly data: readonly WireRecord[]
  readonly page: number
  readonly pages: number
  readonly results: number
}

const bodyOf = ({ judgement, outcome }: Sent): Page | undefined =>
  judgement.accepted === true && 'body' in outcome ? (outcome.body as Page) : undefined

/** What the pages say of how many pages and records there are: each the same, and as many as there are. */
const miscounted = (op: Operation, pages: readonly Page[], records: number): readonly Deviation[] => {
  const [pagesRule, resultsRule] = [clauseOf(op, 'pages'), clauseOf(op, 'results')]
  const otherPages = pages.find((page) => page.pages !== pages.length)
  const otherResults = pages.find((page) => page.results !== records)
  const told = (page: Page): string => `on page ${pages.indexOf(page) + 1} of ${pages.length}`
  return [
    ...(otherPages && pagesRule
      ? [
          deviation(
            pagesRule,
            'pages-over-pages',
            `pages ${pages.length}`,
            `pages ${otherPages.pages} ${told(otherPages)}`,
          ),
        ]
      : []),
    ...(otherResults && resultsRule
      ? [
          deviation(
            resultsRule,
            'results-over-pages',
            `results ${records}, as many as the pages hold`,
            `results ${otherResults.results} ${told(otherResults)}`,
          ),
        ]
      : []),
  ]
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
 * Whether these are all pages. One that was refused, as one may be whose bounds are not shown, leaves nothing to say of the whole;
 * so does another one in its place.
 */
const isWhole = (pages: readonly Sent[]): boolean => pages.every((sent, i) => bodyOf(sent)?.page === i + 1)

/** What the pages together lack or double. */
const lacking = (session: Session, op: Operation, table: AnyTable, pages: readonly Sent[]): readonly Deviation[] => {
  const told = pages.flatMap((sent) => bodyOf(sent) ?? [])
  if (!isWhole(pages)) return disagreeing(op, told)
  const records = pages.flatMap((sent) => (Array.isArray(bodyOf(sent)?.data) ? (bodyOf(sent)?.data ?? []) : []))
  const path = pages[0]?.call.path ?? {}
  const keys = records.flatMap((record) => table.identify(record, path, accountOf(session)) ?? [])
  const counts = miscounted(op, told, records.length)
  if (keys.length < records.length) return counts
  const complete = clauseOf(op, 'complete')
  const single = clauseOf(op, 'no-duplicates')
  const world = session.world()
  const facts = { world, path, account: accountOf(session), query: {}, body: {}, refs: {} }
  const missing = (live(world, table, accountOf(session)) as readonly AnyEntity[]).filter(
    (entity) =>
      !entity.stub &&
      !entity.key.startsWith('?') &&
      !keys.includes(idIn(entity.key)) &&
      (op.lists === undefined || op.lists(facts as never, entity) === true),
  )
  const doubled = keys.find((key, i) => keys.indexOf(key) !== i)
  return [
    ...counts,
    ...disordered(op, facts, records),
    ...(missing[0] && complete
      ? [
          deviation(
            complete,
            'missing-over-pages',
            `${table.name} ${missing[0].key} on one of ${pages.length} pages`,
            `${records.length} records without it`,
          ),
        ]
      : []),
    ...(doubled !== undefined && single
      ? [
          deviation(
            single,
            'doubled-over-pages',
            `${table.name} ${doubled} once`,
            `it is on two of ${pages.length} pages`,
          ),
        ]
      : []),
  ]
}

/** What the operation says of its list, where that has an order: asked of all pages as of one. */
const disordered = (op: Operation, facts: object, data: readonly WireRecord[]): readonly Deviation[] =>
  (op.sort ? (op.statements ?? []) : []).flatMap((rule) => {
    const clause = clauseOf(op, rule.id.slice(op.id.length + 1))
    const told = rule.holds({ ...facts, reply: { data } } as never)
    return clause && typeof told === 'string' ? [deviation(clause, 'order-over-pages', clause.text, told)] : []
  })

/** Lists that can be filled: paginated, with an operation that makes records and one that takes any number of them away. */
export const walkable = (op: Operation): boolean => {
  if (op.reply.kind !== 'page') return false
  const maker = makerOf(op.reply.table)
  const isGivenBack = removerOf(op.reply.table) !== undefined || op.reply.table.permanent === true
  return maker !== undefined && isGivenBack && op.reply.table.nameless !== true
}
