// `npm run rejudge`: tries every mutant and judges the record of each again; findings, evidence and choices must be the same.
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { operations } from '../models/index.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { mutantsOf } from '../reference/mutants/mutants.js'
import { tryMutant } from '../reference/mutants/trial.js'
import { startLine } from '../suites/start-line.js'
import { type Shown, shownAgain, shownIn } from '../tests/oracle/shown.js'
import { positiveNumber, readFlags } from './flags.js'

const firstLine = () =>
  startLine(
    { options: { seed: 1, level: 'must', command: 'npm run rejudge' }, startedAt: 0 },
    { environment: embeddedEnvironment(), baseUrl: 'https://api.example.test/v4' },
  )

/** What one has and the other has not. */
const differences = (then: Shown, now: Shown): readonly string[] =>
  (['findings', 'held', 'choices'] as const).flatMap((kind) => [
    ...then[kind].filter((id) => !now[kind].includes(id)).map((id) => `- ${id}`),
    ...now[kind].filter((id) => !then[kind].includes(id)).map((id) => `+ ${id}`),
  ])

const work = async ({ from, step }: { readonly from: number; readonly step: number }): Promise<void> => {
  const mutants = operations.flatMap(mutantsOf)
  for (let i = from; i < mutants.length; i += step) {
    const mutant = mutants[i]
    if (!mutant) continue
    const { lines } = await tryMutant(mutant, { programs: 2 })
    const record = [firstLine(), ...lines]
    parentPort?.postMessage({ id: mutant.id, amiss: differences(shownIn(record), shownAgain(record, 'ts-t')) })
  }
}

const usage = `usage: npm run rejudge -- [n]
  n  every nth mutant (1)`

const main = async (): Promise<void> => {
  const { positionals, refuse } = readFlags(usage, {}, 1)
  const stride = positiveNumber(positionals[0] ?? '1', 'n', refuse)
  const hands = availableParallelism()
  let done = 0
  let bad = 0
  const one = (hand: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL(import.meta.url), {
        workerData: { from: hand * stride, step: hands * stride },
      })
      worker.on('message', ({ id, amiss }: { readonly id: string; readonly amiss: readonly string[] }) => {
        done += 1
        if (amiss.length === 0) return
        bad += 1
        process.stdout.write(`${id}: ${amiss.join(', ')}\n`)
      })
      worker.on('error', reject)
      worker.on('exit', () => resolve())
    })
  await Promise.all(Array.from({ length: hands }, (_, hand) => one(hand)))
  process.stdout.write(`${done} mutants, ${bad} of them judged otherwise from the record\n`)
  process.exitCode = bad === 0 && done > 0 ? 0 : 1
}

await (isMainThread ? main() : work(workerData as { readonly from: number; readonly step: number }))
