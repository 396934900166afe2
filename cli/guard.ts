// `touchstone guard`: a proxy in front of a target until it is interrupted; findings as they are seen, reports at the end.

import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, resolve } from 'node:path'
import { loadTarget, type Target, TargetError } from '../config/target-file.js'
import { lossOfConnecting } from '../driver/reachable.js'
import { type RecordedTarget, recordedTargetOf } from '../guard/har-options.js'
import type { JudgingOptions, Outcome } from '../guard/judging.js'
import { createProxy } from '../guard/proxy.js'
import { judgeInThread, type OpenJudging } from '../guard/thread.js'
import { createWatcher, type Watcher } from '../guard/watcher.js'
import { type ExpectedFinding, findingText, type ReportKind, visibleLine } from '../reports/index.js'
import { makeFolder } from '../suites/folder.js'
import { refuseUnknownNames } from '../suites/names.js'
import { wrongConnection } from '../suites/preflight.js'
import { UsageError } from './errors.js'
import { interrupted } from './interrupt.js'
import { printResults, reportsLine, tell } from './print.js'
import type { Listen } from './values.js'

export interface GuardOptions {
  readonly target?: string | undefined
  readonly cwd: string
  readonly out: string
  readonly listen: Listen
  readonly har?: string | undefined
  readonly level: 'must' | 'should'
  readonly reports: readonly ReportKind[]
  readonly expected?: readonly ExpectedFinding[] | undefined
  readonly maxTimeMs?: number | undefined
  readonly json: boolean
  readonly quiet: boolean
  readonly command: string
}

/**
 * @param until when to end; by default when the process is asked to
 * @returns the exit code: 0 conforms, 1 nonconforming, 3 inconclusive, or nothing was judged
 * @throws UsageError where it can't listen, TargetError where the target file is no good
 */
export const guard = async (
  options: GuardOptions,
  until: (origin: string) => Promise<unknown> = interrupted,
  open: OpenJudging = judgeInThread,
): Promise<number> => {
  const target = await targetOf(options)
  await checkConnection(target)
  const startedAt = Date.now()
  const from = performance.now()
  const clock = (): number => performance.now() - from
  let watcher: Watcher | undefined
  const judging = open(judgingOptions(options, recordedTargetOf(target), startedAt), {
    finding: (finding) => print(options, `${findingText(finding)}\n`),
    taken: () => watcher?.taken(),
    failed: (error) => {
      watcher?.stop()
      process.stderr.write(`suite defect: judging has ended: ${error.message}; requests go on being passed\n`)
    },
  })
  watcher = createWatcher(judging, clock)
  const { begin, isKeeping } = watcher
  const server = createProxy({ origin: new URL(target.baseUrl).origin, tls: target.tls, begin, isKeeping })
  const origin = await listen(server, options.listen)
  // Whoever reads that it listens may tell it to end at once.
  const told = until(origin)
  tell(options, `guard of ${target.baseUrl}: point clients at ${origin}${new URL(target.baseUrl).pathname}`)
  await Promise.race([told, ...(options.maxTimeMs === undefined ? [] : [after(options.maxTimeMs)])])
  const outcome = watcher.close()
  const gone = closed(server)
  const exitCode = conclude(options, await outcome)
  await gone
  return exitCode
}

const targetOf = async ({ target: given, cwd }: GuardOptions): Promise<Target> => {
  const target = await loadTarget({ target: given, cwd, env: process.env, secrets: 'optional', connects: true })
  if (!target) throw new UsageError('guard: expected a target; name its URL or its target file with --target.')
  refuseUnknownNames(target)
  return target
}

/** A target that is not up yet may come; one that will not be spoken to will not. */
const checkConnection = async (target: Target): Promise<void> => {
  const lost = await lossOfConnecting(target)
  const wrong = lost && wrongConnection(target.baseUrl, lost)
  if (wrong !== undefined) throw new TargetError(wrong)
}

const judgingOptions = (
  { cwd, out, har, level, reports, command, expected, target: targetFlag }: GuardOptions,
  target: RecordedTarget,
  startedAt: number,
): JudgingOptions => {
  const path = har === undefined ? undefined : resolve(cwd, har)
  if (path !== undefined) {
    makeFolder(dirname(path))
    // One that cannot be written is told of before anybody is sent here.
    closeSync(openSync(path, 'a', 0o600))
  }
  return {
    target,
    targetFlag,
    out: resolve(cwd, out),
    ...(path !== undefined && { har: path }),
    level,
    reports,
    ...(expected && { expected }),
    command,
    startedAt,
  }
}

const listen = async (server: Server, { host, port }: Listen): Promise<string> => {
  const listening = once(server, 'listening')
  server.listen(port, host)
  await listening.catch((error: Error) => {
    throw new UsageError(
      `--listen: cannot listen on ${host}:${port}: ${error.message}. Name another address, or another port: 0 is any that is free.`,
    )
  })
  const { address, port: taken } = server.address() as AddressInfo
  return `http://${address.includes(':') ? `[${address}]` : address}:${taken}`
}

/** What is under way is broken off. */
const closed = (server: Server): Promise<void> =>
  new Promise((resolved) => {
    server.close(() => resolved())
    server.closeAllConnections()
  })

const after = (ms: number): Promise<void> => new Promise((resolved) => void setTimeout(resolved, ms))

const conclude = ({ out, json, reports }: GuardOptions, { exitCode, results, notes }: Outcome): number => {
  for (const text of notes) process.stderr.write(`${visibleLine(text)}\n`)
  printResults(results, json, reportsLine(out, reports))
  return exitCode
}

/** With --json standard output holds the result alone. */
const print = ({ json }: GuardOptions, text: string): void => void (json ? process.stderr : process.stdout).write(text)
