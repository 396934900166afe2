// `npm run seeds`: every probe and random programs over everything with many seeds, plain and under legal variations, single and several at once; any finding at any level fails.
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
import { combined, namedVariations, type VariationName } from '../reference/variations.js'
import { positiveNumber, readFlags } from './flags.js'

interface Report {
  readonly seed: number
  readonly variation: string
  readonly steps: number
  readonly findings: readonly string[]
}

const all = Object.keys(namedVariations) as VariationName[]

/** One seed in three meets the plain target, one a single variation, and one up to a dozen at once. */
const variationsOf = (seed: number): readonly VariationName[] => {
  const one = all[Math.floor(seed / 3) % all.length]
  if (seed % 3 === 0 || !one) return []
  return seed % 3 === 1
    ? [one]
    : fc.sample(fc.subarray(all, { minLength: 2, maxLength: 12 }), { seed, numRuns: 1 }).flat()
}

/** Of all variations one is no more than nearly legal: errors that leave their field out. */
const isPermitted = (clause: string, { variation }: Partial<EmbeddedOptions>): boolean =>
  variation?.omitField === true && clause.endsWith('.refusal.field-present')

const runSeed = async (seed: number): Promise<Report> => {
  const names = variationsOf(seed)
  const options = combined(names.map((name) => namedVariations[name].options))
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
    line.type === 'finding' && !isPermitted(line.finding.clause, options) ? [line.finding.id] : [],
  )
  const defects = lines.flatMap((line) => (line.type === 'trouble' && line.kind === 'suite-defect' ? [line.text] : []))
  return {
    seed,
    variation: names.join(' + ') || 'plain',
    steps: lines.filter(({ type }) => type === 'step').length,
    findings: [...findings, ...defects],
  }
}

const usage = `usage: npm run seeds -- [n]
  n  how many seeds every program is tried with (200)`

const main = async (): Promise<void> => {
  const { positionals, refuse } = readFlags(usage, {}, 1)
  const count = positiveNumber(positionals[0] ?? '200', 'n', refuse)
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
  process.exitCode = bad === 0 && done === count && done > 0 ? 0 : 1
}

const work = async (seeds: readonly number[]): Promise<void> => {
  for (const seed of seeds) parentPort?.postMessage(await runSeed(seed))
}

await (isMainThread ? main() : work(workerData as readonly number[]))
