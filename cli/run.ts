// `touchstone run` and `touchstone fuzz`: opens the run, has the suites done, shows and concludes.
import { Console } from 'node:console'
import { Writable } from 'node:stream'
import { exitCode } from '../reports/index.js'
import { countTasks } from '../suites/advance.js'
import { isIdle } from '../suites/filter.js'
import type { RunOptions } from '../suites/options.js'
import { defectOf, performSuites } from '../suites/perform.js'
import { openIdle, openRun } from '../suites/run.js'
import { onInterrupt } from './interrupt.js'
import { printResults, reportsLine, tell } from './print.js'
import { createProgress } from './progress.js'

export interface RunCommand extends RunOptions {
  readonly quiet: boolean
  readonly json: boolean
  /** Say what would be tested, send nothing. */
  readonly dryRun: boolean
  /** Say it clause by clause. */
  readonly verbose?: boolean
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
  if (command.quiet) {
    const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
    globalThis.console = new Console(nowhere, nowhere)
  }
  const opened = await openRun(command)
  const progress = createProgress(opened, countTasks(command.filters), { quiet: command.quiet })
  // The worker finishes its program and cleans up.
  const stop = (): void => {
    opened.stop()
    progress.say('interrupted: finishing the program under way and removing what it made; press again to stop at once')
  }
  const interrupt = onInterrupt(stop, { hangUp: true })
  try {
    const troubles = await performSuites(opened.context, progress.advance)
    const results = await opened.close([...new Set([...troubles, ...strays])])
    progress.end()
    printResults(results, command.json, reportsLine(command.out, command.reports))
    return interrupt.came() ? 130 : exitCode(results)
  } finally {
    interrupt.release()
  }
}

/** A shard that has nothing to do sends nothing, and writes what merging looks for all the same. */
const idle = async (command: RunCommand): Promise<number> => {
  const [index, count] = command.filters.shard
  tell(command, `nothing of this run is in shard ${index} of ${count}; another one has it`)
  const results = await (await openIdle(command)).close()
  if (command.json) printResults(results, true)
  return 0
}

/** Errors outside of any call, such as those of a target file's own code, are told at the end of the run, and do not end it. */
const onStray = (): readonly string[] => {
  const strays: string[] = []
  for (const event of errors) process.on(event, (error: unknown) => strays.push(defectOf(error)))
  return strays
}

const errors = ['uncaughtException', 'unhandledRejection']
