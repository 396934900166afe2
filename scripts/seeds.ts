// `npm run seeds`: every probe and random programs over everything with many seeds, under every legal variation in turn; any finding fails.
import { availableParallelism } from 'node:os'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import fc from 'fast-check'
import { planProgram } from '../arbitraries/plan.js'
import { probeFor } from '../arbitraries/probes.js'
import { programSeed } from '../arbitraries/programs.js'
import { sequences } from '../arbitraries/sequences.js'
import { runProgram } from '../driver/programs.js'
import { randomWalk } from '../driver/random-walk.js'
import { survey } from '../driver/survey.js'
import { allClauses, operations } from '../models/index.js'
import type { EmbeddedOptions } from '../reference/embedded.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { inProcess } from '../reference/in-process.js'
import { variations } from '../reference/variations.js'

interface Report {
  readonly seed: number
  readonly variation: string
  readonly steps: number
  readonly findings: readonly string[]
}

/** Half of the seeds meet the plain target, the others one variation after another. */
const variationOf = (seed: number): readonly [name: string, options: Partial<EmbeddedOptions>] => {
  const all = Object.entries(variations)
  return (seed % 2 === 0 ? undefined : all[((seed - 1) / 2) % all.length]) ?? ['plain', {}]
}

const runSeed = async (seed: number): Promise<Report> => {
  const [variation, options] = variationOf(seed)
  const { session, lines } = inProcess(
    { environment: embeddedEnvironment(), seed, ...options },
    `ts-s${seed.toString(36)}`,
  )
  await survey(session)
  for (const clause of allClauses()) {
    const probe = probeFor(clause, session.context)
    if (probe.kind === 'program' && probe.program.missing.length === 0) await runProgram(session, probe.program, clause)
  }
  for (const { name, write } of sequences()) {
    const program = planProgram(name, session.context, write)
    if (program.missing.length === 0) await runProgram(session, program)
  }
  for (const seeds of fc.sample(programSeed(operations, 25), { seed, numRuns: 30 }))
    await randomWalk(session, 'random', seeds)
  const findings = lines.flatMap((line) =>
    line.type === 'finding' && (line.finding.level !== 'should' || variation === 'plain') ? [line.finding.id] : [],
  )
  const defects = lines.flatMap((line) => (line.type === 'trouble' && line.kind === 'suite-defect' ? [line.text] : []))
  return {
    seed,
    variation,
    steps: lines.filter(({ type }) => type === 'step').length,
    findings: [...findings, ...defects],
  }
}

const main = async (): Promise<void> => {
  const count = Number(process.argv[2] ?? 200)
  const hands = availableParallelism()
  const seeds = Array.from({ length: count }, (_, i) => i + 1)
  let steps = 0
  let done = 0
  let bad = 0
  const onReport = (report: Report): void => {
    steps += report.steps
    done += 1
    if (report.findings.length > 0) {
      bad += 1
      process.stdout.write(`seed ${report.seed}, ${report.variation}: ${report.findings.join(', ')}\n`)
    }
    if (done % 10 === 0) process.stderr.write(`${done} of ${count} seeds\n`)
  }
  await Promise.all(
    Array.from(
      { length: hands },
      (_, hand) =>
        new Promise<void>((resolve, reject) => {
          const worker = new Worker(new URL(import.meta.url), {
            workerData: seeds.filter((_, i) => i % hands === hand),
          })
          worker.on('message', onReport)
          worker.on('error', reject)
          worker.on('exit', () => resolve())
        }),
    ),
  )
  process.stdout.write(`${count} seeds, ${steps} steps, ${bad} seeds with findings\n`)
  process.exitCode = bad === 0 && done === count ? 0 : 1
}

const work = async (seeds: readonly number[]): Promise<void> => {
  for (const seed of seeds) parentPort?.postMessage(await runSeed(seed))
}

await (isMainThread ? main() : work(workerData as readonly number[]))
