// `touchstone run` and `touchstone fuzz`: vitest runs the suites in one worker thread, this process shows and concludes.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import type { Vitest } from 'vitest/node'
import type { Results } from '../checker/record.js'
import { exitCode, loadWriters, summary } from '../reports/index.js'
import { suitesFor } from '../suites/filter.js'
import type { RunOptions } from '../suites/options.js'
import { type OpenRun, openRun } from '../suites/run.js'
import { SuiteSequencer } from '../suites/sequencer.js'
import { createProgress, type Progress } from './progress.js'

export interface RunCommand extends RunOptions {
  readonly quiet: boolean
  readonly json: boolean
  /** List what would be tested, send nothing. */
  readonly dryRun: boolean
}

/**
 * Runs the suites and writes the reports into `out`.
 * @returns the exit code: 0 conforms, 1 nonconforming, 3 inconclusive, 130 interrupted
 * @throws TargetError where the target file is no good
 */
export const run = async (command: RunCommand): Promise<number> => {
  if (command.dryRun) return (await import('./rehearse.js')).rehearse(command)
  const opened = await openRun(command)
  const progress = createProgress(opened, command.quiet)
  const interrupted = onInterrupt(opened, progress)
  const troubles = await runSuites(opened, progress)
  const results = await opened.close(troubles)
  progress.end()
  show(results, command)
  return interrupted() ? 130 : exitCode(results)
}

const show = (results: Results, { json, out }: RunCommand): void => {
  const color = process.stdout.isTTY === true && !process.env.NO_COLOR
  process.stdout.write(json ? `${JSON.stringify(results)}\n` : `${summary(results, { color })}\n\nreports in ${out}\n`)
}

/** The first Ctrl-C lets the worker finish and clean up; the second ends everything at once. */
const onInterrupt = ({ stop }: OpenRun, progress: Progress): (() => boolean) => {
  let count = 0
  const handle = (): void => {
    count += 1
    if (count > 1) process.exit(130)
    stop()
    progress.say('interrupted: finishing the program under way and removing what it made; press again to stop at once')
  }
  for (const signal of signals) process.on(signal, handle)
  return () => count > 0
}

const signals = ['SIGINT', 'SIGTERM'] as const

/** Errors that vitest met outside of tests are the suite's own. */
const runSuites = async ({ context }: OpenRun, progress: Progress): Promise<readonly string[]> => {
  // The young generation of the worker's heap: a run keeps little of what it makes, and need not hold more of it at a time.
  setFlagsFromString('--max-semi-space-size=4')
  const { createVitest } = await import('vitest/node')
  const root = fileURLToPath(new URL('..', import.meta.url))
  const extension = existsSync(new URL('../suites/volumes.test.js', import.meta.url)) ? 'js' : 'ts'
  const { workers, filters } = context.options
  const before = process.exitCode
  const heard = signals.flatMap((signal) => process.listeners(signal))
  const vitest: Vitest = await createVitest('test', {
    root,
    config: false,
    watch: false,
    include: suitesFor(filters).map((name) => `suites/${name}.test.${extension}`),
    exclude: [],
    reporters: [progress.reporter],
    pool: 'threads',
    isolate: false,
    fileParallelism: workers > 1,
    maxWorkers: workers,
    sequence: { sequencer: SuiteSequencer },
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    provide: { run: context },
    passWithNoTests: true,
    cache: false,
    // What is compiled needs none of vite's transforms; they take longer than loading it, and hold as much memory as the run.
    server: { deps: { external: [/(?<!\.test)\.js$/] } },
  } as never)
  // Its own listeners would end the process at once, with reports unwritten and what was made left behind.
  for (const signal of signals)
    for (const listener of process.listeners(signal)) if (!heard.includes(listener)) process.off(signal, listener)
  const failing = vitest.start().then(
    () => [],
    (error: unknown) => [`suite defect: ${error instanceof Error ? error.message : String(error)}`],
  )
  // While the worker works there is time for it.
  await loadWriters(context.options.reports)
  const failed = await failing
  const errors = vitest.state
    .getUnhandledErrors()
    .map((error) => `suite defect: ${error instanceof Error ? error.message : String(error)}`)
  const broken = vitest.state
    .getFiles()
    .flatMap((file) => (file.result?.errors ?? []).map(({ message }) => `suite defect: ${file.name}: ${message}`))
  await vitest.close()
  process.exitCode = before
  return [...new Set([...failed, ...errors, ...broken, ...progress.defects()])]
}
