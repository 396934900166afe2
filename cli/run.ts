// `touchstone run` and `touchstone fuzz`: vitest runs the suites, in this thread where there is one worker; shows and concludes.
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Vitest } from 'vitest/node'
import type { Results } from '../history/record.js'
import { exitCode, summary } from '../reports/index.js'
import { countTasks, hearAdvance } from '../suites/advance.js'
import { isIdle, type Stage, stagesFor, suitesFor } from '../suites/filter.js'
import type { RunContext, RunOptions } from '../suites/options.js'
import { ownThread } from '../suites/pool.js'
import { type OpenRun, openIdle, openRun } from '../suites/run.js'
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
  if (isIdle(command.filters)) return idle(command)
  const strays = onStray()
  const opened = await openRun(command)
  const stages = stagesFor(command)
  const progress = createProgress(opened, countTasks(stages), { quiet: command.quiet })
  const close = hearAdvance(opened.context, progress.advance)
  const interrupted = onInterrupt(opened, progress)
  const troubles: string[] = []
  for (const stage of stages) troubles.push(...(await runSuites(opened.context, stage, progress)))
  const results = await opened.close([...new Set([...troubles, ...progress.defects(), ...strays])])
  close()
  progress.end()
  show(results, command)
  return interrupted() ? 130 : exitCode(results)
}

/** A shard that has nothing to do sends nothing, and writes what merging looks for all the same. */
const idle = async (command: RunCommand): Promise<number> => {
  const [index, count] = command.filters.shard
  process.stderr.write(`touchstone: nothing of this run is in shard ${index} of ${count}; another one has it\n`)
  await (await openIdle(command)).close()
  return 0
}

const show = (results: Results, { json, out }: RunCommand): void => {
  const color = process.stdout.isTTY === true && !process.env.NO_COLOR
  process.stdout.write(json ? `${JSON.stringify(results)}\n` : `${summary(results, { color })}\n\nreports in ${out}\n`)
}

/** The first Ctrl-C lets the worker finish and clean up; the second ends everything at once. */
const onInterrupt = ({ stop }: OpenRun, progress: Progress): (() => boolean) => {
  let count = 0
  // Vitest takes the place of `process.exit` while it runs.
  const exit = process.exit.bind(process)
  const handle = (): void => {
    count += 1
    if (count > 1) exit(130)
    stop()
    progress.say('interrupted: finishing the program under way and removing what it made; press again to stop at once')
  }
  for (const signal of signals) process.on(signal, handle)
  return () => count > 0
}

/** Errors outside of any call, such as those of a target file's own code, are told at the end of the run, and do not end it. */
const onStray = (): readonly string[] => {
  const strays: string[] = []
  for (const event of errors) process.on(event, (error: unknown) => strays.push(defect(error)))
  return strays
}

/** Vitest's own listeners would end the process at once, with reports unwritten and what was made left behind; ours stay. */
const keepOff = (event: string | symbol, listener: (...args: unknown[]) => void): void => {
  if (endings.includes(String(event))) queueMicrotask(() => process.off(event, listener))
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const errors = ['uncaughtException', 'unhandledRejection']
const endings = [...signals, ...errors]

/** Errors come as such, or as what is left of them after the way from the worker. */
const defect = (error: unknown): string => {
  const message = typeof error === 'object' && error !== null && 'message' in error ? error.message : error
  return `suite defect: ${String(message)}`
}

/** Errors that vitest met outside of tests are the suite's own. */
const runSuites = async (
  context: RunContext,
  { filters, workers }: Stage,
  progress: Progress,
): Promise<readonly string[]> => {
  const { createVitest } = await import('vitest/node')
  const root = fileURLToPath(new URL('..', import.meta.url))
  const isCompiled = existsSync(new URL('../suites/volumes.test.js', import.meta.url))
  const { exit, exitCode: before } = process
  process.on('newListener', keepOff)
  const vitest: Vitest = await createVitest('test', {
    root,
    config: false,
    watch: false,
    include: suitesFor(filters).map((name) => `suites/${name}.test.${isCompiled ? 'js' : 'ts'}`),
    exclude: [],
    reporters: [progress.reporter],
    pool: isCompiled && workers === 1 ? ownThread() : 'threads',
    isolate: false,
    fileParallelism: workers > 1,
    maxWorkers: workers,
    sequence: { sequencer: SuiteSequencer },
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    provide: { run: { ...context, options: { ...context.options, filters, workers } } },
    passWithNoTests: true,
    cache: false,
    // What is compiled needs none of vite's transforms; they take longer than loading it, and hold as much memory as the run.
    server: { deps: { external: [/(?<!\.test)\.js$/] } },
  } as never)
  const failed = await vitest.start().then(
    () => [],
    (error: unknown) => [defect(error)],
  )
  const met = vitest.state.getUnhandledErrors().map(defect)
  const broken = vitest.state
    .getFiles()
    .flatMap((file) => (file.result?.errors ?? []).map(({ message }) => `suite defect: ${file.name}: ${message}`))
  await vitest.close()
  process.off('newListener', keepOff)
  Object.assign(process, { exit, exitCode: before })
  return [...failed, ...met, ...broken]
}
