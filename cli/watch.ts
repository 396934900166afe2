// `touchstone watch`: beside a developer of an implementation, the causes of the last run first, then the rest, on every change.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, fstatSync, readFileSync, statSync } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { watch as watchFiles } from 'chokidar'
import { loadTarget } from '../config/target-file.js'
import { count, visibleLine } from '../reports/index.js'
import type { Results } from '../reports/results-schema.js'
import { UsageError } from './errors.js'

export interface WatchOptions {
  readonly target?: string | undefined
  readonly cwd: string
  readonly out: string
  /** Files and folders whose changes count. */
  readonly paths: readonly string[]
  /** What starts the target, in a shell; nothing is started where it is left out. */
  readonly start?: string | undefined
  /** Flags that every run gets, such as `--area volumes`. */
  readonly runFlags: readonly string[]
  /** Ends the watch. */
  readonly until: AbortSignal
  /** Where lines go. */
  readonly say: (line: string) => void
}

/** How long a burst of changes may last, and how long a target may take to answer after its start, and to end when it is asked to. */
const settleMs = 100
const startWithinMs = 60_000
const stopWithinMs = 5000
/** The most causes that are tried again before a run, and named after it. */
const mostCauses = 20

/**
 * Runs until `until` is aborted; every change ends the round under way and begins another.
 * @returns 0
 * @throws UsageError where there is no target file, or a path to watch is not there
 */
export const watch = async (options: WatchOptions): Promise<number> => {
  const { cwd, paths, until, say } = options
  const target = await loadTarget({ target: options.target, cwd, env: process.env })
  if (!target)
    throw new UsageError('watch: expected a target file; write one with touchstone init, or name it with --target.')
  for (const path of paths)
    if (!existsSync(resolve(cwd, path)))
      throw new UsageError(`watch: ${path} is not there; name files or folders to watch.`)
  const server = createServer(options, target.baseUrl)
  const changes = createChanges(options)
  try {
    while (!until.aborted) {
      const ended = AbortSignal.any([until, changes.next()])
      if (await server.restart(ended)) await playRound(options, ended)
      if (!ended.aborted) say('waiting for a change')
      await aborted(ended)
    }
  } finally {
    await changes.close()
    await server.stop()
  }
  return 0
}

const aborted = (signal: AbortSignal): Promise<void> =>
  signal.aborted
    ? Promise.resolve()
    : new Promise((resolved) => signal.addEventListener('abort', () => resolved(), { once: true }))

/** A signal for each round, aborted by the first change after it began. */
const createChanges = ({ cwd, paths, out, say }: WatchOptions) => {
  const ignored = [resolve(cwd, out), resolve(cwd, 'node_modules'), resolve(cwd, '.git')]
  const isIgnored = (path: string): boolean =>
    ignored.some((folder) => path === folder || path.startsWith(`${folder}${sep}`)) ||
    path.includes(`${sep}node_modules${sep}`)
  let current = new AbortController()
  let timer: NodeJS.Timeout | undefined
  const watcher = watchFiles([...paths], { cwd, ignoreInitial: true, ignored: (path) => isIgnored(resolve(cwd, path)) })
  watcher.on('all', (_, path) => {
    if (isOwnOutput(resolve(cwd, path))) return
    clearTimeout(timer)
    timer = setTimeout(() => {
      say(`${path} changed`)
      current.abort()
    }, settleMs)
  })
  return {
    next: (): AbortSignal => {
      current = new AbortController()
      return current.signal
    },
    close: async (): Promise<void> => {
      clearTimeout(timer)
      await watcher.close()
    },
  }
}

/** Whether that is the file that our output goes to: what is said of a change would be the next one. */
const isOwnOutput = (path: string): boolean => {
  const file = statSync(path, { throwIfNoEntry: false })
  return [1, 2].some((output) => {
    const { dev, ino } = fstatSync(output)
    return file?.ino === ino && file.dev === dev
  })
}

/** The target's own process, where the watch starts it. */
const createServer = ({ cwd, start, say }: WatchOptions, baseUrl: string) => {
  let server: ChildProcess | undefined
  const stop = async (): Promise<void> => {
    const before = server
    server = undefined
    if (before?.pid === undefined || hasEnded(before)) return
    // Its shell leads a group of processes of its own.
    const group = -before.pid
    process.kill(group, 'SIGTERM')
    const timer = setTimeout(() => process.kill(group, 'SIGKILL'), stopWithinMs)
    await new Promise((resolved) => before.once('exit', resolved))
    clearTimeout(timer)
  }
  const startAnew = async (command: string): Promise<void> => {
    await stop()
    server = spawn(command, { cwd, shell: true, detached: true, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  const restart = async (ended: AbortSignal): Promise<boolean> => {
    if (start !== undefined) await startAnew(start)
    const by = Date.now() + startWithinMs
    while (!ended.aborted && Date.now() < by && !hasFailed(server)) {
      if (await answers(baseUrl)) return true
      await new Promise((resolved) => setTimeout(resolved, 50))
    }
    if (hasFailed(server)) say(`the target ended with ${server.exitCode ?? server.signalCode} before it answered`)
    else if (!ended.aborted)
      say(`${baseUrl} does not answer: start the target, or name the command that does with --start`)
    return false
  }
  return { restart, stop }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

/** A command that leaves the target running in the background ends with 0. */
const hasFailed = (server: ChildProcess | undefined): server is ChildProcess =>
  server !== undefined && ((server.exitCode ?? 0) !== 0 || server.signalCode !== null)

/** Any answer will do. */
const answers = (baseUrl: string): Promise<boolean> =>
  fetch(baseUrl, { signal: AbortSignal.timeout(2000), redirect: 'manual' }).then(
    async (reply) => {
      await reply.body?.cancel()
      return true
    },
    () => false,
  )

/** The causes of the last run once more, each by the finding that tells it best, then a run. */
const playRound = async (options: WatchOptions, ended: AbortSignal): Promise<void> => {
  const { out, target, runFlags, say } = options
  const to = target === undefined ? [] : ['--target', target]
  for (const { id } of lastResults(options)?.causes.slice(0, mostCauses) ?? []) {
    const exitCode = await touchstone(options, ['replay', id, ...to, '--out', out, '--json'], ended)
    if (ended.aborted) return
    say(`${id}: ${exitCode === 1 ? 'still there' : exitCode === 0 ? 'gone' : 'could not be told'}`)
  }
  await touchstone(options, ['run', ...to, '--out', out, '--quiet', ...runFlags], ended)
  const results = ended.aborted ? undefined : lastResults(options)
  if (results) tellRun(results, join(out, 'report.html'), say)
}

const tellRun = (
  { verdict, causes, findings, clauses, requests }: Results,
  page: string,
  say: WatchOptions['say'],
): void => {
  for (const { id, summary } of causes.slice(0, mostCauses)) say(visibleLine(`${id}: ${summary}`))
  const further = causes.length - mostCauses
  if (further > 0) say(`and ${count(further, 'further cause')}`)
  const passed = clauses.filter((clause) => clause.verdict === 'pass').length
  const found = `${count(findings.length, 'finding')}${causes.length > 0 ? ` from ${count(causes.length, 'cause')}` : ''}`
  say(`${verdict}: ${count(passed, 'clause')} passed, ${found}, ${count(requests, 'request')}; see ${page}`)
}

const lastResults = ({ cwd, out }: WatchOptions): Results | undefined => {
  try {
    return JSON.parse(readFileSync(join(resolve(cwd, out), 'results.json'), 'utf8')) as Results
  } catch {
    // There was no run yet, or it was interrupted before its end.
    return undefined
  }
}

/** The command itself: of this build, or of the last one where this is a source. */
const main = ['../cli/main.js', '../dist/cli/main.js']
  .map((path) => fileURLToPath(new URL(path, import.meta.url)))
  .find((path) => existsSync(path))

/** A command of this suite in a process of its own; interrupted, it removes what it made. */
const touchstone = ({ cwd }: WatchOptions, args: readonly string[], ended: AbortSignal): Promise<number | null> =>
  new Promise((resolved, rejected) => {
    const child = spawn(process.execPath, [main ?? '', ...args], { cwd, stdio: ['ignore', 'ignore', 'inherit'] })
    const interrupt = (): void => void child.kill('SIGINT')
    if (ended.aborted) interrupt()
    ended.addEventListener('abort', interrupt, { once: true })
    child.once('error', rejected)
    child.once('exit', (code) => {
      ended.removeEventListener('abort', interrupt)
      resolved(code)
    })
  })
