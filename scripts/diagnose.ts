// `npm run diagnose [prefix] [stride]`: every so many mutants, and every family of faults, run to their end; prints how often a diagnosis names them.
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import type { Finding } from '../history/record.js'
import { operationById, operations } from '../models/index.js'
import { diagnose } from '../oracle/diagnosis/diagnose.js'
import { families } from '../reference/mutants/families.js'
import { mutantsOf } from '../reference/mutants/mutants.js'
import { type Examined, examine, nearTo } from '../reference/mutants/trial.js'
import { positiveNumber, readFlags } from './flags.js'

interface Row {
  readonly id: string
  readonly isFamily: boolean
  readonly findings: number
  readonly causes: readonly string[]
  /** Whether a cause names the fault, or one with the very same findings. */
  readonly named: 'itself' | 'alike' | 'no'
}

const allMutants = () => operations.flatMap(mutantsOf)

const examineMutant = async (id: string): Promise<Examined | undefined> => {
  const mutant = allMutants().find((one) => one.id === id)
  const op = mutant && operationById(mutant.operation)
  return op && examine(mutant.arm().fault, nearTo(op))
}

const idsOf = (findings: readonly Finding[]): string => JSON.stringify(findings.map(({ id }) => id).sort())

const isAlike = async (findings: readonly Finding[], cause: string): Promise<boolean> => {
  const other = await examineMutant(cause)
  return other !== undefined && idsOf(other.findings) === idsOf(findings)
}

const rowOf = async (id: string): Promise<Row | undefined> => {
  const family = families().find((one) => one.id === id)
  const examined = family ? await examine(family.fault(), family.operations) : await examineMutant(id)
  if (!examined || examined.findings.length === 0) return undefined
  const { findings, passed } = examined
  const causes = diagnose(findings, passed).map((cause) => cause.id)
  const isNamed = causes.includes(id)
  const alike = isNamed || family ? [] : await Promise.all(causes.map((cause) => isAlike(findings, cause)))
  const named = isNamed ? 'itself' : alike.includes(true) ? 'alike' : 'no'
  return { id, isFamily: family !== undefined, findings: findings.length, causes, named }
}

const work = async (ids: readonly string[]): Promise<void> => {
  for (const id of ids) {
    const row = await rowOf(id)
    if (row) parentPort?.postMessage(row)
  }
}

const runHand = (ids: readonly string[], onRow: (row: Row) => void): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: ids })
    worker.on('message', onRow)
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })

/** Diagnoses of the same kind are counted together; whatever is not named is listed. */
const print = (rows: readonly Row[]): number => {
  const one = rows.filter(({ isFamily }) => !isFamily)
  const many = rows.filter(({ isFamily }) => isFamily)
  const count = (named: Row['named']): number => one.filter((row) => row.named === named).length
  for (const { id, findings, causes } of rows.filter(({ named }) => named === 'no'))
    process.stdout.write(`${id} (${findings} findings): ${causes.join(' | ')}\n`)
  const crowded = one.filter(({ causes }) => causes.length > 3)
  for (const { id, causes } of crowded) process.stdout.write(`${id}: ${causes.length} causes\n`)
  const told = many.filter(({ named, causes }) => named === 'itself' && causes.length === 1).length
  const share = Math.round((1000 * (count('itself') + count('alike'))) / Math.max(1, one.length)) / 10
  process.stdout.write(
    `${one.length} mutants with findings: ${count('itself')} named, ${count('alike')} named by one that behaves alike (${share} %), ${crowded.length} with more than 3 causes\n${many.length} families with findings: ${told} told as that one cause\n`,
  )
  return share >= 90 && crowded.length === 0 ? 0 : 1
}

const usage = `usage: npm run diagnose -- [prefix] [stride]
  prefix  only the mutants and families whose id begins so
  stride  every so many of the mutants (1)`

const main = async (): Promise<void> => {
  const { positionals, refuse } = readFlags(usage, {}, 2)
  const [prefix = '', every = '1'] = positionals
  const stride = positiveNumber(every, 'stride', refuse)
  const mutants = allMutants()
    .map(({ id }) => id)
    .filter((id) => id.startsWith(prefix))
    .filter((_, i) => i % stride === 0)
  const ids = [
    ...mutants,
    ...families()
      .map(({ id }) => id)
      .filter((id) => id.startsWith(prefix)),
  ]
  if (ids.length === 0) refuse('no mutant or family is meant by that')
  const hands = availableParallelism()
  const rows: Row[] = []
  await Promise.all(
    Array.from({ length: hands }, (_, hand) =>
      runHand(
        ids.filter((_, i) => i % hands === hand),
        (row) => {
          rows.push(row)
          if (rows.length % 50 === 0) process.stderr.write(`${rows.length} of ${ids.length}\n`)
        },
      ),
    ),
  )
  process.exitCode = print(rows)
}

await (isMainThread ? main() : work(workerData as readonly string[]))
