#!/usr/bin/env node
// The command `touchstone`: hands the command line over, and ends the process with the exit code.

import nodeModule from 'node:module'
import { fileURLToPath } from 'node:url'
import { packageVersion, tooOldNode } from '../config/version.js'
import { cacheFolder, makeCacheFolder } from './cache-folder.js'
import { tooFewFiles } from './open-files.js'

/** What is asked most often by scripts needs nothing to be loaded. */
const asksVersion = (args: readonly string[]): boolean =>
  args.length === 1 && ['--version', '-v'].includes(args[0] ?? '')

const run = async (args: readonly string[]): Promise<number> => {
  if (asksVersion(args)) {
    process.stdout.write(`${packageVersion()}\n`)
    return 0
  }
  const old = tooOldNode(process.versions.node)
  if (old !== undefined) {
    process.stderr.write(`touchstone: ${old}\n`)
    return 2
  }
  const few = tooFewFiles(fileURLToPath(import.meta.url))
  if (few !== undefined) {
    process.stderr.write(`touchstone: ${few}\n`)
    return 2
  }
  keepCompiled()
  const { execute } = await import('./execute.js')
  return execute(args)
}

/** What Node.js compiles is kept from one command to the next, where it can do that (22.8 or newer): a tenth of the time of a short command. */
const keepCompiled = (): void => {
  const { enableCompileCache } = nodeModule as { readonly enableCompileCache?: (folder: string) => unknown }
  const folder = cacheFolder(process.env)
  if (enableCompileCache && folder !== undefined && makeCacheFolder(folder)) enableCompileCache(folder)
}

// A reader that has seen enough (`| head`) is no error, and must not change the exit code. A result that is lost otherwise is one.
let unwritten = 0
process.stderr.on('error', () => undefined)
process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE' || unwritten !== 0) return
  unwritten = 3
  process.stderr.write(`touchstone: cannot write to standard output: ${message}\n`)
})
let isOver = false
/** The exit code after a second signal, which ends a command at once. */
const interruptedTwice = 130
// Node.js ends with a code of its own after an error that nothing waits for, and with that of a target file that calls
// `process.exit`: either would be read as a verdict. A run takes such errors in by itself.
process.on('uncaughtException', async (error) => {
  if (process.listenerCount('uncaughtException') > 1) return
  const { endingOf, isDebugging } = await import('./errors.js')
  const { exitCode, message } = endingOf(error, isDebugging())
  if (message !== undefined) process.stderr.write(`${message}\n`)
  isOver = true
  process.exit(exitCode)
})
process.on('exit', (code) => {
  if (isOver || code === interruptedTwice) return
  process.stderr.write(
    'touchstone: ended before the command was done; does the target file or a hook end the process?\n',
  )
  process.exitCode = 3
})
const exitCode = await run(process.argv.slice(2))
// What still holds the process open by then (idle connections) is not waited for; what was written is, and what became of it.
const written = (stream: NodeJS.WriteStream): Promise<unknown> =>
  new Promise((done) => stream.write('', () => setImmediate(done)))
await written(process.stdout)
await written(process.stderr)
isOver = true
process.exit(exitCode || unwritten)
