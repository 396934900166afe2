// `npm run faults`: the run against a target that was written from the document alone, with each of its faults or, with --clean, with none.
// With --record FILE every row is written as it comes, and those that stand there are not tried again. With --quick only what should tell
// is tried, and what that misses is left for a run without it.
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { AREAS, examine } from '../tests/targets/harbour/examine.js'
import { FAULTS } from '../tests/targets/harbour/faults.js'
import { drawn } from '../tests/targets/harbour/options.js'
import { tryFault, type Verdict } from '../tests/targets/harbour/trial.js'
import { UNMET } from '../tests/targets/harbour/unmet.js'
import { positiveNumber, readFlags, shareOf, wholeNumber } from './flags.js'

interface FaultRow {
  readonly kind: 'fault'
  readonly name: string
  readonly seed: number
  readonly operator: string
  readonly breaks: string
  readonly verdict: Verdict
  /** The first clauses that told of it. */
  readonly told: readonly string[]
  readonly struck: number
  /** Only what should tell was tried. */
  readonly quick?: true
}

interface CleanRow {
  readonly kind: 'clean'
  readonly seed: number
  readonly requests: number
  readonly findings: readonly string[]
}

type Row = FaultRow | CleanRow
type Task = { readonly fault: string; readonly seed: number; readonly quick?: boolean } | { readonly clean: number }

const perform = async (task: Task): Promise<Row> => {
  if ('clean' in task) return clean(task.clean)
  const fault = FAULTS.find(({ name }) => name === task.fault)
  if (!fault) throw new Error(`no fault ${task.fault}`)
  const { verdict, told, struck } = await tryFault(fault, task.seed, task.quick)
  return {
    kind: 'fault',
    name: fault.name,
    seed: task.seed,
    operator: fault.operator,
    breaks: fault.breaks,
    verdict,
    told,
    struck,
    ...(task.quick && { quick: true }),
  }
}

const clean = async (seed: number): Promise<CleanRow> => {
  const shape = { exclusive: seed % 3 > 0, fixtures: seed % 7 === 0 ? 'few' : 'many', hooks: seed % 5 > 0 } as const
  const without = seed % 4 === 0 ? [] : ['pagination']
  const selection = { areas: AREAS, programs: 10, without, until: 'done' } as const
  const { findings, troubles, requests } = await examine(drawn(seed), shape, selection)
  const defects = troubles.filter((text) => text.includes('suite defect'))
  const told = findings.map(({ id, level, received }) => `${level} ${id}: ${received}`)
  return { kind: 'clean', seed, requests, findings: [...told, ...defects] }
}

const runHand = (tasks: readonly Task[], onRow: (row: Row) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: tasks })
    worker.on('message', onRow)
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })

const usage = `usage: npm run faults -- [prefix] [flags]
  prefix         only the faults whose name begins so
  --sample i/n   one in n, beginning with the i-th, counted from 0
  --seeds a,b    the seeds of the runs
  --clean n      n sets of legal options in place of faults
  --quick        end each run at its first finding
  --record file  go on from there, and note there what was tried
  --hands n      how many threads try them`

const main = async (): Promise<void> => {
  const { values, positionals, refuse } = readFlags(
    usage,
    {
      sample: { type: 'string', default: '0/1' },
      seeds: { type: 'string', default: '1' },
      clean: { type: 'string' },
      record: { type: 'string' },
      quick: { type: 'boolean', default: false },
      hands: { type: 'string', default: String(availableParallelism()) },
    },
    1,
  )
  const hands = positiveNumber(values.hands, '--hands', refuse)
  const [at, of] = shareOf(values.sample, '--sample', refuse)
  const wanted = FAULTS.filter(({ name }, i) => name.startsWith(positionals[0] ?? '') && i % of === at % of)
  const seeds = values.seeds.split(',').map((seed) => wholeNumber(seed, '--seeds', refuse))
  const tasks: readonly Task[] = values.clean
    ? Array.from({ length: positiveNumber(values.clean, '--clean', refuse) }, (_, i) => ({
        clean: (seeds[0] ?? 1) + i,
      }))
    : seeds.flatMap((seed) => wanted.map(({ name }) => ({ fault: name, seed, quick: values.quick })))
  if (tasks.length === 0) refuse('no fault is meant by that')
  const isKnown = (row: Row): boolean => values.quick || row.kind === 'clean' || !row.quick || isCaught(row)
  const known = values.record && existsSync(values.record) ? rowsOf(values.record).filter(isKnown) : []
  const rows: Row[] = known.filter((row) => tasks.some((task) => nameOf(task) === nameOf(taskOf(row))))
  const isOpen = (task: Task): boolean => !rows.some((row) => nameOf(taskOf(row)) === nameOf(task))
  const open = tasks.filter(isOpen)
  const onRow = (row: Row): void => {
    rows.push(row)
    if (values.record) appendFileSync(values.record, `${JSON.stringify(row)}\n`)
    tell(row, rows.length, tasks.length)
  }
  await Promise.all(
    Array.from({ length: hands }, (_, hand) =>
      runHand(
        open.filter((_, i) => i % hands === hand),
        onRow,
      ),
    ),
  )
  const code = values.clean ? concludeClean(rows) : concludeFaults(rows)
  const left = tasks.filter(isOpen).length
  if (left > 0) process.stderr.write(`${left} of ${tasks.length} were not tried\n`)
  process.exitCode = left > 0 ? 1 : code
}

const isCaught = ({ verdict }: FaultRow): boolean => verdict === 'expected' || verdict === 'another'

const rowsOf = (path: string): readonly Row[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)

const taskOf = (row: Row): Task => (row.kind === 'clean' ? { clean: row.seed } : { fault: row.name, seed: row.seed })

const nameOf = (task: Task): string => ('clean' in task ? `${task.clean}` : `${task.seed} ${task.fault}`)

const tell = (row: Row, done: number, all: number): void => {
  if (row.kind === 'clean')
    process.stdout.write(
      `seed ${row.seed}: ${row.findings.length} findings\n${row.findings.map((text) => `  ${text}\n`).join('')}`,
    )
  else if (row.verdict !== 'expected')
    process.stdout.write(
      `${row.verdict} (${row.struck}): ${row.name}: ${row.breaks} [${row.told.slice(0, 3).join(', ')}]\n`,
    )
  if (done % 25 === 0) process.stderr.write(`${done} of ${all}\n`)
}

const concludeClean = (rows: readonly Row[]): number => {
  const bad = rows.filter((row) => row.kind === 'clean' && row.findings.length > 0).length
  process.stdout.write(`${rows.length} sets of options, ${bad} with findings\n`)
  return bad === 0 ? 0 : 1
}

const VERDICTS: readonly Verdict[] = ['expected', 'another', 'should', 'missed', 'never struck']

const concludeFaults = (all: readonly Row[]): number => {
  const rows = all.filter((row) => row.kind === 'fault')
  const line = (name: string, some: readonly FaultRow[]): void => {
    const counts = VERDICTS.map((verdict) => some.filter((row) => row.verdict === verdict).length)
    process.stdout.write(
      `${name.padEnd(20)}${[some.length, ...counts].map((count) => String(count).padStart(14)).join('')}\n`,
    )
  }
  process.stdout.write(`${'operator'.padEnd(20)}${['faults', ...VERDICTS].map((name) => name.padStart(14)).join('')}\n`)
  for (const operator of [...new Set(rows.map((row) => row.operator))].sort())
    line(
      operator,
      rows.filter((row) => row.operator === operator),
    )
  line('all', rows)
  return rows.every((row) => isCaught(row) || UNMET.includes(row.name)) ? 0 : 1
}

const work = async (tasks: readonly Task[]): Promise<void> => {
  for (const task of tasks) parentPort?.postMessage(await perform(task))
}

await (isMainThread ? main() : work(workerData as readonly Task[]))
