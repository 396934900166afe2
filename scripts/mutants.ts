// `npm run mutants`: the conformance run against every mutant of the registry, in process; prints a table and every survivor; with `--order 2` those of the second order, by their kind.
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { operationById, operations } from '../models/index.js'
import { explanationOf } from '../reference/equivalent-mutants.js'
import { mutantsOf } from '../reference/mutants.js'
import { type MutantResult, tryMutant } from '../reference/mutation.js'
import { secondOrderOf } from '../reference/second-order.js'

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

interface Hand {
  readonly ids: readonly string[]
  readonly order: 1 | 2
}

const work = async ({ ids, order }: Hand): Promise<void> => {
  for (const id of ids) {
    const op = operationById(id)
    if (!op) continue
    const rows: Row[] = []
    for (const mutant of order === 2 ? secondOrderOf(op) : mutantsOf(op)) {
      const { verdict, findings, activations } = await tryMutant(mutant, { order })
      rows.push({
        id: mutant.id,
        operation: op.id,
        kind: mutant.kind,
        clause: mutant.clause,
        verdict,
        findings,
        activations,
      })
    }
    parentPort?.postMessage(rows)
  }
}

const deal = (ids: readonly string[], hands: number): readonly (readonly string[])[] =>
  Array.from({ length: hands }, (_, hand) => ids.filter((_, i) => i % hands === hand))

const runHand = (hand: Hand, onRows: (rows: readonly Row[]) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: hand })
    worker.on('message', onRows)
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })

const main = async (): Promise<void> => {
  const { values, positionals } = parseArgs({ options: { order: { type: 'string' } }, allowPositionals: true })
  const order = values.order === '2' ? 2 : 1
  const wanted = positionals[0] ?? ''
  const ids = operations.map(({ id }) => id).filter((id) => id.startsWith(wanted))
  const rows: Row[] = []
  const startedAt = Date.now()
  await Promise.all(
    deal(ids, availableParallelism()).map((hand) =>
      runHand({ ids: hand, order }, (some) => {
        rows.push(...some)
        process.stderr.write(`${some[0]?.operation}: ${some.length} mutants, ${rows.length} so far\n`)
      }),
    ),
  )
  process.exitCode = print(rows, order === 2 ? 'kind' : 'operation', Date.now() - startedAt)
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
