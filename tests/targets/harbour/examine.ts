// The tasks of a run, in this process, against a harbour; the only file here that knows the suite.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type defineTarget, loadTarget, type Target } from '../../../config/target-file.js'
import { reportRest } from '../../../driver/findings.js'
import { runInTurn, runJobs } from '../../../driver/schedule.js'
import type { Session } from '../../../driver/session.js'
import { survey } from '../../../driver/survey.js'
import type { Finding, RecordLine } from '../../../history/record.js'
import type { Area } from '../../../models/language/operation.js'
import { stagesOf, tasksOf } from '../../../suites/catalog.js'
import { connect, makeCertificate } from '../../../suites/connect.js'
import { suitesFor } from '../../../suites/filter.js'
import type { Filters } from '../../../suites/options.js'
import type { Setting, Task } from '../../../suites/tasks.js'
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
  /** What comes before all else. */
  readonly first?: (task: Task) => boolean
  /** Whether nothing else is done. */
  readonly only?: boolean
  /** Show one clause in so many, which ones depends on the seed; all where it is left out. */
  readonly oneIn?: number
  /** Suites to leave out. */
  readonly without?: readonly string[]
  /** Random programs for each area. */
  readonly programs: number
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

/** As in a run. */
const longestInTurnMs = 2000
const concurrency = 4

let certificate: ReturnType<typeof makeCertificate> | undefined

/** Made once, which takes as long as many calls. */
const sharedCertificate = (): ReturnType<typeof makeCertificate> => {
  certificate ??= makeCertificate()
  return certificate
}

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
      seed: options.seed,
      certificate: await sharedCertificate(),
      watch: (line) => void lines.push(line),
    })
    await survey(session)
    await conduct(session, selection, options.seed, isOver)
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
    concurrency,
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

/** What a run does, in its order and as it does it together; in each stage what is to come first does so. */
const conduct = async (session: Session, selection: Selection, seed: number, isOver: () => boolean): Promise<void> => {
  const { areas, programs, first = () => false } = selection
  const filters: Filters = { areas, operations: [], clauses: [], shard: [1, 1] }
  const { emit } = session.options
  const setting: Setting = {
    session,
    options: { filters, fuzz: false, seed, programs },
    isEmbedded: false,
    width: 1,
    emit,
  }
  // Journeys cross the areas.
  const across: Setting = { ...setting, options: { ...setting.options, filters: { ...filters, areas: [] } } }
  const isBetterBeside = (): boolean => session.waitedMs() > longestInTurnMs
  const onEnd = (): void => undefined
  for (const suites of stagesOf(suitesFor(filters))) {
    const tasks = suites.flatMap(tasksOf).filter((task) => isMeant(task, selection, seed))
    const inOrder = [...tasks.filter(first), ...tasks.filter((task) => !first(task))]
    const jobs = inOrder.flatMap((task) => {
      const planned = task.plan(task.suite === 'journeys' ? across : setting)
      return 'skip' in planned ? [] : planned
    })
    const left = await runInTurn(session, jobs, { isOver, onEnd, isBetterBeside })
    if (left.length > 0) await runJobs(session, left, { isOver, onEnd, width: concurrency })
  }
}

const isMeant = (task: Task, { first, only, oneIn = 1, without = [] }: Selection, seed: number): boolean => {
  if (first?.(task)) return true
  if (only || without.includes(task.suite)) return false
  return !task.clause || hash(`${seed} ${task.clause.id}`) % oneIn === 0
}
