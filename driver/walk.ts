// Walks a list over several pages and looks at the whole: nothing lost between pages, nothing doubled.

import { planProgram } from '../arbitraries/plan.js'
import { besides } from '../arbitraries/subjects.js'
import { pagesOf } from '../history/pages.js'
import type { WireCall } from '../history/wire.js'
import { listerOf, makerOf, operationById, removerOf, viewerOf } from '../models/index.js'
import { isObject } from '../models/language/objects.js'
import type { AnyTable, Operation } from '../models/language/operation.js'
import { pageSizes } from '../models/language/pagination.js'
import type { Args, CallStep, Plan } from '../models/language/plan.js'
import { lastTableOf } from '../models/language/references.js'
import { idIn, live } from '../models/language/world.js'
import { judgeWalks, keysOf } from '../oracle/walks.js'
import { clean } from './clean-up.js'
import { finish, type ProgramOutcome } from './conduct.js'
import { accountOf, pathOfList, pathTo } from './paths.js'
import { shift } from './random-walk.js'
import { begin, type Running } from './running.js'
import type { Sent, Session } from './session.js'
import { perform } from './step.js'

export interface Walk {
  readonly op: Operation
  /** Records to have at least, so that there are several pages. */
  readonly records: number
  /** Walked by pages of each; undefined: the default size. */
  readonly pageSizes: readonly (number | undefined)[]
  /** Records to have where they came as one page, which is then of a size that nobody asked for. */
  readonly orElse?: number
}

/** A list that a program walks. */
interface List {
  readonly running: Running
  readonly op: Operation
  readonly path: Path
}

type Path = WireCall['path']

/** Fills a list, walks it, and removes what it made. */
export const walkList = async (session: Session, { op, records, pageSizes, orElse }: Walk): Promise<ProgramOutcome> => {
  const running = begin(session, `${op.id}, pages of ${records}`)
  const table = tableOf(op)
  // A record is added before each further walk, since pages may be wrong at some totals alone.
  const first = records - (pageSizes.length - 1)
  const path = op.fill ? await fillAsSaid(running, op, first) : await fill(running, table, first)
  if (path === undefined)
    return finish(running, `no ${records} ${table.name} could be made, or none of them be removed again`)
  const list: List = { running, op, path }
  const pages = await walk(list, pageSizes, () => fillUp(running, table, path, 1))
  if (orElse !== undefined && pages === 1 && (await fillUp(running, table, path, orElse - records)))
    await walk(list, [undefined])
  if (op.fill) await removeNamed(list)
  return finish(running)
}

/** Walks a list that is long enough as it is. Of a shorter one the first and the last record are viewed. */
export const walkAsItIs = async (session: Session, op: Operation, pageSize: number): Promise<ProgramOutcome> => {
  const running = begin(session, `${op.id}, pages of ${pageSize}`)
  const list: List = { running, op, path: {} }
  const first = await ask(list, pageSize)
  if (Number(pageOf(first)?.results ?? 0) <= pageSize) await viewEnds(list, [first])
  else await walk(list, [pageSize])
  return finish(running)
}

/** Walks by pages of each size, with something done between two walks. Tells as how many pages of the first size the list came. */
const walk = async (list: List, pageSizes: Walk['pageSizes'], between?: () => Promise<unknown>): Promise<number> => {
  let pages = 0
  for (const [at, pageSize] of pageSizes.entries()) {
    if (at > 0) await between?.()
    await list.running.session.hold({ op: list.op, args: argsOf(list) }, async () => {
      const [first = []] = await walkAt(list, pageSize)
      if (at > 0) return
      pages = first.length
      await fillPage(list, first)
      await viewEnds(list, first)
    })
  }
  return pages
}

/** Removes what a list was about, and looks at all that was made for it: however many there are, each shows that. */
const removeNamed = async ({ running, op, path }: List): Promise<void> => {
  const named = lastTableOf(op)
  const remover = named && removerOf(named)
  if (!remover || remover.guarded !== undefined) return
  const made = new Set(running.subjects.flatMap((subject) => subject?.table ?? []))
  await perform(running, {
    role: 'check',
    operation: remover.id,
    path,
    as: running.session.mainToken,
    unwatched: true,
  })
  for (const lister of [...made].flatMap((table) => listerOf(table) ?? []))
    if (Object.keys(lister.params).length === 0) await look(running, lister, {})
}

/** Walks by pages of one size, again if one walk does not tell. */
const walkAt = async (list: List, pageSize: number | undefined): Promise<readonly (readonly Sent[])[]> => {
  const { session, origin } = list.running
  const again = (): Promise<readonly Sent[]> => walkOnce(list, pageSize)
  const isOpen = (walks: readonly (readonly Sent[])[]): boolean => judgeWalks(session.world(), walks).isOpen
  const walks = [await session.untilShown(await again(), (pages) => isOpen([pages]), again)]
  while (isOpen(walks)) walks.push(await again())
  session.walked({ instance: origin.instance, walks: walks.map((pages) => pages.map(({ n }) => n)) })
  return walks
}

const tableOf = (op: Operation): AnyTable => {
  if (op.reply.kind !== 'page') throw new Error(`suite defect: ${op.id} is not paginated`)
  return op.reply.table
}

/** Makes records as the operation says how; its path, or undefined where they cannot be made. */
const fillAsSaid = async (
  running: Running,
  { id, fill: write }: Operation,
  records: number,
): Promise<Path | undefined> => {
  const { steps, missing } = planProgram(
    'fill',
    running.session.context,
    (plan) => void plan.check(id, write?.(plan, records)),
  )
  if (missing.length > 0) return undefined
  const kinds = new Set(
    steps.flatMap((step) => ('operation' in step ? (operationById(step.operation)?.makes ?? []) : [])),
  )
  for (const kind of kinds) if (!(await isRemovable(running, kind, {}))) return undefined
  for (const step of steps) if ((await perform(running, step)) !== undefined) return undefined
  return running.sent.findLast(({ op }) => op.id === id)?.call.path
}

/** Makes records, without looking at each; the list's path, or undefined where they cannot be made. */
const fill = async (running: Running, table: AnyTable, records: number): Promise<Path | undefined> => {
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
  if (parents > 0 && Object.keys(maker.params).length === 0) return undefined
  if (!(await isRemovable(running, table, pattern.call.path))) return undefined
  if (!(await fillUp(running, table, pattern.call.path, records - 1))) return undefined
  await fillOut(running, maker)
  return pattern.call.path
}

/** Whether what is made goes again, where any operation ends it: before many are made, one has to have gone. */
const isRemovable = async ({ session, ...running }: Running, table: AnyTable, path: Path): Promise<boolean> => {
  if (!(removerOf(table) ?? table.retire) || session.wasRemoved(table.name)) return true
  const from = session.creations.length
  await fillUp({ session, ...running }, table, path, 1)
  await clean(session, { ...running.origin, phase: 'clean-up' }, from)
  return session.wasRemoved(table.name)
}

/** Makes so many more records, all at once where programs run side by side; whether all could be made. */
const fillUp = async ({ session, origin }: Running, table: AnyTable, path: Path, records: number): Promise<boolean> => {
  const maker = makerOf(table)
  if (!maker) return false
  const make = async (): Promise<boolean> => {
    const next = planProgram('fill', session.context, (plan) => void plan.call(maker.id, plan.draft(maker.id)))
    const args = { ...(next.steps.at(-1) as CallStep), path }
    const sent = await session.send({ ...origin, phase: 'fill' }, maker, args, 'read')
    return sent.judgement.accepted === true
  }
  return (await session.each(Array.from({ length: records }), make)).every(Boolean)
}

/** Makes a record with everything given that any number may have, so that the first page and the last have one, whichever the order. */
const fillOut = async (running: Running, maker: Operation): Promise<void> => {
  const { steps, missing } = planProgram('fill', running.session.context, (plan) => fullRecord(plan, maker))
  if (steps.length === 0) return
  const offset = running.subjects.length
  if (missing.length > 0) return
  for (const step of steps) if ((await perform(running, shift(step, offset))) !== undefined) return
}

/** A record with everything given that any number may have; nothing where the record is a part of another. */
export const fullRecord = (plan: Plan, maker: Operation): void => {
  if (maker.full && Object.keys(maker.params).length === 0) plan.call(maker.id, besides(plan, maker))
}

const walkOnce = async (list: List, pageSize: number | undefined): Promise<readonly Sent[]> => {
  const pages: Sent[] = []
  for await (const sent of pagesOf((page) => ask(list, pageSize, page), pageOf)) pages.push(sent)
  return pages
}

const pageOf = ({ judgement, outcome }: Sent): Readonly<Record<string, unknown>> | undefined =>
  judgement.accepted === true && 'body' in outcome && isObject(outcome.body) ? outcome.body : undefined

const ask = (list: List, pageSize: number | undefined, page: { readonly page?: number } = {}): Promise<Sent> => {
  const query = { ...(pageSize !== undefined && { page_size: pageSize }), ...page }
  return look(list.running, list.op, { ...argsOf(list), query })
}

/** The path of a list, from that of what it shows. */
const argsOf = ({ running, op, path }: List): Args => ({
  path: pathOfList(op, path),
  as: running.session.mainToken,
})

const look = async ({ session, origin, sent }: Running, op: Operation, args: Args): Promise<Sent> => {
  const one = await session.send(origin, op, { ...args, as: session.mainToken }, 'read')
  sent.push(one)
  return one
}

/** Views the first and the last record of all: each must be as the list shows it. */
const viewEnds = async ({ running, op }: List, pages: readonly Sent[]): Promise<void> => {
  const table = tableOf(op)
  const viewer = viewerOf(table)
  const [first] = pages
  if (!viewer || !first) return
  const keys = pages.flatMap(keysOf)
  const known = live(running.session.world(), table, accountOf(running.session, first.call))
  for (const key of new Set([keys[0], keys.at(-1)])) {
    const entity = known.find((one) => idIn(one.key) === key)
    if (entity && !entity.stub) await look(running, viewer, { path: pathTo(viewer, table, entity, first.call.path) })
  }
}

/** Asks for pages that the records fill exactly, where a number of pages is easily one too many. */
const fillPage = async (list: List, pages: readonly Sent[]): Promise<void> => {
  const last = pages.at(-1)
  const results = last && pageOf(last)?.results
  if (typeof results === 'number' && results >= pageSizes.min && results <= pageSizes.max) await walkOnce(list, results)
}

/** Lists that may be long without creations. */
export const standing = (op: Operation): boolean =>
  op.reply.kind === 'page' && Object.keys(op.params).length === 0 && !walkable(op)

/** Lists that can be filled: paginated, with an operation that makes records and one that removes them. */
export const walkable = (op: Operation): boolean => {
  if (op.reply.kind !== 'page') return false
  if (op.fill) return true
  const maker = makerOf(op.reply.table)
  const isGivenBack = removerOf(op.reply.table) !== undefined || op.reply.table.permanent === true
  return maker !== undefined && isGivenBack && op.reply.table.nameless !== true
}
