// `npm run mutants`: the conformance run against every mutant of the registry, in process; prints a table and every survivor. With
// `--order 2` those of the second order, by their kind; with `--sample 3/10` one in ten, beginning with the fourth.
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { operationById, operations } from '../models/index.js'
import type { Operation } from '../models/language/operation.js'
import { explanationOf } from '../reference/mutants/equivalent.js'
import { type Mutant, mutantsOf } from '../reference/mutants/mutants.js'
import { secondOrderOf } from '../reference/mutants/second-order.js'
import { type MutantResult, tryMutant } from '../reference/mutants/trial.js'
import { positiveNumber, readFlags, shareOf } from './flags.js'

/** A result without its functions, so that it crosses threads. */
interface Row {
  readonly id: string
  readonly operation: string
  readonly kind: string
  readonly clause: string | undefined
  readonly verdict: MutantResult['verdict']
  readonly findings: readonly string[]
  readonly activations: number
}

/** Mutants of an operation, by their ids. */
interface Share {
  readonly operation: string
  readonly ids: readonly string[]
}

interface Hand {
  readonly shares: readonly Share[]
  readonly order: 1 | 2
}

const mutantsIn = (op: Operation, order: 1 | 2): readonly Mutant[] => (order === 2 ? secondOrderOf(op) : mutantsOf(op))

const work = async ({ shares, order }: Hand): Promise<void> => {
  for (const { operation, ids } of shares) {
    const op = operationById(operation)
    for (const mutant of op ? mutantsIn(op, order).filter(({ id }) => ids.includes(id)) : []) {
      const { verdict, findings, activations } = await tryMutant(mutant, { order })
      const { id, kind, clause } = mutant
      parentPort?.postMessage({ id, operation, kind, clause, verdict, findings, activations } satisfies Row)
    }
  }
}

/** One in so many of all mutants, by their operations. */
const sampled = (ops: readonly Operation[], order: 1 | 2, [at = 0, of = 1]: readonly number[]): readonly Share[] => {
  let n = -1
  const isMeant = (): boolean => {
    n += 1
    return n % of === at % of
  }
  return ops
    .map((op) => ({
      operation: op.id,
      ids: mutantsIn(op, order)
        .filter(isMeant)
        .map(({ id }) => id),
    }))
    .filter(({ ids }) => ids.length > 0)
}

const runHand = (hand: Hand, onRow: (row: Row) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: hand })
    worker.on('message', onRow)
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })

const usage = `usage: npm run mutants -- [prefix] [flags]
  prefix        only the mutants of operations whose id begins so
  --order 2     those of the second order
  --sample i/n  one in n, beginning with the i-th, counted from 0
  --hands n     how many threads try them`

const main = async (): Promise<void> => {
  const { values, positionals, refuse } = readFlags(
    usage,
    {
      order: { type: 'string' },
      sample: { type: 'string', default: '0/1' },
      hands: { type: 'string', default: String(availableParallelism()) },
    },
    1,
  )
  const hands = positiveNumber(values.hands, '--hands', refuse)
  const order = values.order === '2' ? 2 : 1
  const wanted = operations.filter(({ id }) => id.startsWith(positionals[0] ?? ''))
  const shares = sampled(wanted, order, shareOf(values.sample, '--sample', refuse))
  const all = shares.flatMap(({ ids }) => ids).length
  if (all === 0) refuse('no mutant is meant by that')
  const rows: Row[] = []
  const startedAt = Date.now()
  const onRow = (row: Row): void => {
    rows.push(row)
    if (!row.verdict.startsWith('caught')) process.stderr.write(`${row.verdict} (${row.activations}): ${row.id}\n`)
    if (rows.length % 25 === 0) process.stderr.write(`${rows.length} of ${all}\n`)
  }
  await Promise.all(
    Array.from({ length: hands }, (_, hand) =>
      runHand({ shares: shares.filter((_, i) => i % hands === hand), order }, onRow),
    ),
  )
  const code = print(rows, order === 2 ? 'kind' : 'operation', Date.now() - startedAt)
  if (rows.length < all) process.stderr.write(`${all - rows.length} of ${all} mutants were not tried\n`)
  process.exitCode = rows.length < all ? 1 : code
}

const print = (rows: readonly Row[], by: 'operation' | 'kind', durationMs: number): number => {
  const count = (group: string, verdict: Row['verdict']): number =>
    rows.filter((row) => row[by] === group && row.verdict === verdict).length
  process.stdout.write(`${by.padEnd(36)} caught  as should  never activated  survived\n`)
  for (const group of [...new Set(rows.map((row) => row[by]))].sort())
    process.stdout.write(
      `${group.padEnd(36)} ${String(count(group, 'caught')).padStart(6)}  ${String(count(group, 'caught as should')).padStart(9)}  ${String(count(group, 'never activated')).padStart(15)}  ${String(count(group, 'survived')).padStart(8)}\n`,
    )
  const left = rows
    .filter(({ verdict }) => verdict === 'survived' || verdict === 'never activated')
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  for (const { id, verdict, activations } of left)
    process.stdout.write(`${verdict} (${activations}): ${id}: ${explanationOf(id) ?? 'NOT EXPLAINED'}\n`)
  const caught = rows.filter(({ verdict }) => verdict.startsWith('caught')).length
  const named = rows.filter(
    ({ clause, findings }) => clause !== undefined && findings.some((id) => id.startsWith(`${clause}:`)),
  ).length
  const nameable = rows.filter(({ clause, verdict }) => clause !== undefined && verdict.startsWith('caught')).length
  const unexplained = left.filter(({ id }) => explanationOf(id) === undefined).length
  process.stdout.write(
    `${rows.length} mutants, ${caught} caught, ${named} of ${nameable} by the very clause, ${left.length} not caught, ${unexplained} of them not explained; ${Math.round(durationMs / 1000)} s\n`,
  )
  return unexplained === 0 ? 0 : 1
}

await (isMainThread ? main() : work(workerData as Hand))
