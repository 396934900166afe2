// The suite's probes, journeys, sequences, walks, races and random programs, run in this process against a harbour; the only file here that knows the suite.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { journeys, nodeDeletion } from '../../../arbitraries/journeys.js'
import { planProgram } from '../../../arbitraries/plan.js'
import { probeFor } from '../../../arbitraries/probes.js'
import { programSeed } from '../../../arbitraries/programs.js'
import { sequences } from '../../../arbitraries/sequences.js'
import { type defineTarget, loadTarget, type Target } from '../../../config/target-file.js'
import { reportRest } from '../../../driver/findings.js'
import { runProgram } from '../../../driver/programs.js'
import { contend, contests, race, racers } from '../../../driver/race.js'
import { randomWalk } from '../../../driver/random-walk.js'
import type { Session } from '../../../driver/session.js'
import { survey } from '../../../driver/upkeep.js'
import { standing, walkAsItIs, walkable, walkList } from '../../../driver/walk.js'
import type { Finding, RecordLine } from '../../../history/record.js'
import { allClauses, allTables, makerOf, operations } from '../../../models/index.js'
import { clausesOf } from '../../../models/language/derive.js'
import type { Area } from '../../../models/language/operation.js'
import { connect } from '../../../suites/connect.js'
import { ACCOUNTS, TOKENS, USERS } from './fixtures.js'
import { hash, type Options } from './options.js'
import { type Harbour, openHarbour } from './server.js'

export type { Area, Finding }

export interface Shape {
  readonly exclusive: boolean
  /** `few`: one account, one token and two nodes. */
  readonly fixtures: 'few' | 'many'
  readonly hooks: boolean
}

export interface Selection {
  readonly areas: readonly Area[]
  /** Clauses to probe before all others. */
  readonly first?: RegExp
  /** Whether only those are probed. */
  readonly only?: boolean
  /** Probe one clause in so many, which ones depends on the seed; all where it is left out. */
  readonly oneIn?: number
  /** Random programs for each area. */
  readonly programs: number
  readonly walks: boolean
  /** Races for each resource, and bouts of each contest. */
  readonly races: number
  /** Journeys, and sequences of writes. */
  readonly journeys: boolean
  /** When to stop: at the first finding that gates, with no regard to what is said of it, or at none. */
  readonly until: 'found' | 'done'
}

export interface Examination {
  readonly findings: readonly Finding[]
  /** Suite defects, and what was inconclusive. */
  readonly troubles: readonly string[]
  readonly requests: number
  /** How often the fault took effect. */
  readonly struck: number
}

export const AREAS: readonly Area[] = ['volumes', 'networking', 'managed', 'support', 'tags', 'object-storage']

/** Everything that the suite finds on a harbour with these options. */
export const examine = async (options: Options, shape: Shape, selection: Selection): Promise<Examination> => {
  const harbour = await openHarbour(options, shape.fixtures)
  const folder = mkdtempSync(join(tmpdir(), 'harbour-'))
  const lines: RecordLine[] = []
  const isOver = (): boolean => selection.until === 'found' && gating(findingsOf(lines)).length > 0
  try {
    const target = await load(harbour, folder, options, shape)
    const files = [join(folder, 'run.ndjson'), join(folder, 'ledger.ndjson')] as const
    const { session, close } = await connect(target, ...files, {
      nonce: `ts-h${options.seed}q`,
      watch: (line) => void lines.push(line),
    })
    await survey(session)
    await probe(session, selection, options.seed, isOver)
    if (selection.journeys) await travel(session, selection, shape, isOver)
    if (selection.walks) await walk(session, selection, isOver)
    await compete(session, selection, options.seed, isOver)
    await roam(session, selection, options.seed, isOver)
    await reportRest(session)
    await close()
  } finally {
    await harbour.close()
    rmSync(folder, { recursive: true, force: true })
  }
  const troubles = lines.flatMap((line) => (line.type === 'trouble' ? [`${line.kind}: ${line.text}`] : []))
  return { findings: findingsOf(lines), troubles, requests: harbour.requests(), struck: harbour.rules.struck() }
}

export const gating = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ level }) => level === 'must' || level === 'pinned')

const findingsOf = (lines: readonly RecordLine[]): readonly Finding[] =>
  lines.flatMap((line) => (line.type === 'finding' ? [line.finding] : []))

const load = async (harbour: Harbour, folder: string, options: Options, shape: Shape): Promise<Target> => {
  const path = join(folder, 'touchstone.config.json')
  writeFileSync(path, JSON.stringify(targetFile(harbour, options, shape)))
  const target = await loadTarget({ target: path, cwd: folder, env: {} })
  if (!target) throw new Error('the target file was not read')
  return { ...target, hooks: shape.hooks ? hooksOf(harbour) : {} }
}

type TargetFile = Parameters<typeof defineTarget>[0]

export const targetFile = (harbour: Harbour, options: Options, { exclusive, fixtures }: Shape): object => ({
  name: 'harbour',
  baseUrl: harbour.baseUrl,
  exclusive,
  accounts: ACCOUNTS.slice(0, fixtures === 'few' ? 1 : undefined),
  users: USERS.slice(0, fixtures === 'few' ? 1 : undefined).map(({ grants, ...user }) =>
    user.restricted ? { ...user, grants } : user,
  ),
  tokens: TOKENS.slice(0, fixtures === 'few' ? 1 : undefined),
  fixtures: harbour.fixtures,
  safety: { allow: ['object-storage.cancel'] },
  pace: {
    requestTimeoutMs: 5_000,
    settleMs: options.settling === 'slow' ? 4_000 : 500,
    concurrency: 4,
    ...(options.lagMs > 0 && { listLagMs: 4 * options.lagMs }),
  },
})

export const hooksOf = (harbour: Harbour): NonNullable<TargetFile['hooks']> => ({
  reset: async () => harbour.reset(),
  deleteNode: async (id: number) => harbour.deleteNode(id),
  setLiveMigration: async (id: number, on: boolean) => harbour.setLiveMigration(id, on),
  setVolumeMigrating: async (id: number, on: boolean) => harbour.setVolumeMigrating(id, on),
  putObjects: async (cluster: string, bucket: string, names: readonly string[]) =>
    harbour.putObjects(cluster, bucket, names),
  readEvents: async (since: Date) => harbour.readEvents(since),
})

/** What removes everything comes last. */
const own = ({ areas }: Selection) =>
  operations
    .filter(({ area }) => areas.includes(area))
    .toSorted((a, b) => Number(a.id === 'object-storage.cancel') - Number(b.id === 'object-storage.cancel'))

const probe = async (session: Session, selection: Selection, seed: number, isOver: () => boolean): Promise<void> => {
  const { first, only = false, oneIn = 1 } = selection
  const all = own(selection).flatMap(clausesOf)
  const isFirst = ({ id }: { readonly id: string }): boolean => first?.test(id) ?? false
  const some = all.filter((clause) => !isFirst(clause) && !only && hash(`${seed} ${clause.id}`) % oneIn === 0)
  for (const clause of [...all.filter(isFirst), ...some]) {
    if (isOver()) return
    const found = probeFor(clause, session.context)
    if (found.kind !== 'program' || found.program.missing.length > 0) continue
    const { untested } = await runProgram(session, found.program, clause)
    if (untested !== undefined) session.options.emit({ type: 'untested', clause: clause.id, reason: untested })
  }
}

const travel = async (
  session: Session,
  { areas }: Selection,
  { exclusive, hooks }: Shape,
  isOver: () => boolean,
): Promise<void> => {
  for (const { name, operations: own, write } of sequences()) {
    const isMeant = !isOver() && own.some(({ area }) => areas.includes(area))
    const program = isMeant ? planProgram(name, session.context, write) : undefined
    if (program?.missing.length === 0) await runProgram(session, program)
  }
  for (const { name, write } of journeys) {
    const program = planProgram(`journey: ${name}`, session.context, write)
    if (!isOver() && program.missing.length === 0) await runProgram(session, program)
  }
  const clause = allClauses().find(({ id }) => id === nodeDeletion.clause)
  const program = planProgram(nodeDeletion.clause, session.context, nodeDeletion.write)
  if (!isOver() && exclusive && hooks && clause && program.missing.length === 0)
    await runProgram(session, program, clause)
}

const walk = async (session: Session, selection: Selection, isOver: () => boolean): Promise<void> => {
  for (const op of own(selection).filter(walkable))
    for (const sizes of [
      { records: 27, pageSizes: [25] },
      { records: 102, pageSizes: [undefined] },
    ]) {
      const isPermanent = op.reply.kind === 'page' && op.reply.table.permanent === true
      const isLeftOut = sizes.records > 30 && (isPermanent || op.fill !== undefined)
      const most = session.options.environment.safety.maxLive.default ?? 20
      if (!isOver() && !isLeftOut && most >= sizes.records) await walkList(session, { op, ...sizes })
    }
  for (const op of own(selection).filter(standing)) if (!isOver()) await walkAsItIs(session, op, 25)
}

const lanes = fc.array(fc.array(fc.nat(20), { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 })

const compete = async (
  session: Session,
  { areas, races }: Selection,
  seed: number,
  isOver: () => boolean,
): Promise<void> => {
  for (const table of allTables()) {
    const maker = makerOf(table)
    if (races === 0 || !maker || maker.guarded !== undefined || !areas.includes(maker.area)) continue
    if (racers(session, table).length < 2) continue
    for (const one of fc.sample(lanes, { seed, numRuns: races })) if (!isOver()) await race(session, table, one)
  }
  for (const contest of contests().filter(({ op }) => areas.includes(op.area)))
    for (let bout = 0; bout < races && !isOver(); bout += 1) await contend(session, contest)
}

const roam = async (
  session: Session,
  { areas, programs }: Selection,
  seed: number,
  isOver: () => boolean,
): Promise<void> => {
  for (const area of areas) {
    const some = operations.filter((op) => op.area === area)
    if (programs === 0) return
    for (const seeds of fc.sample(programSeed(some, 20), { seed, numRuns: programs }))
      if (!isOver()) await randomWalk(session, `random programs over ${area}`, seeds)
  }
}
