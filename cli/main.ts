#!/usr/bin/env node
// The command `touchstone`: hands the command line over, and ends the process with the exit code.

import { packageVersion } from '../config/version.js'

/** What is asked most often by scripts needs nothing to be loaded. */
const asksVersion = (args: readonly string[]): boolean =>
  args.length === 1 && ['--version', '-v'].includes(args[0] ?? '')

const run = async (args: readonly string[]): Promise<number> => {
  if (asksVersion(args)) {
    process.stdout.write(`${packageVersion()}\n`)
    return 0
  }
  const { execute } = await import('./execute.js')
  return execute(args)
}

// A reader that has seen enough (`| head`) is no error, and must not change the exit code.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined)
const exitCode = await run(process.argv.slice(2))
// What still holds the process open by then (idle connections) is not waited for; what was written is.
process.stdout.write('', () => process.stderr.write('', () => process.exit(exitCode)))
