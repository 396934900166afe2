// A run from its start line to its reports, in the main process: opens the target and the record, closes both.
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { HttpProxy } from '../config/proxy.js'
import { defaults } from '../config/schema.js'
import { loadTarget, type Target, TargetError } from '../config/target-file.js'
import { guardHooks } from '../driver/hooks.js'
import type { Swept } from '../driver/leftovers.js'
import { createNonce, isMark } from '../driver/nonce.js'
import type { Expectation, RecordLine } from '../history/record.js'
import { allClauses } from '../models/index.js'
import { embeddedEnvironment } from '../reference/environment.js'
import { plannedEmbedded } from '../reference/serve.js'
import { applyExpected, foldStream, readRecordFile, writeResults } from '../reports/index.js'
import { outputNames } from '../reports/names.js'
import type { Results } from '../reports/results-schema.js'
import { awaitTarget } from './await-target.js'
import { claimFolder } from './claim.js'
import { dropEarlier, keepEarlier } from './earlier.js'
import { isSelected } from './filter.js'
import { makeFolder } from './folder.js'
import { beginLedger, tidy } from './ledger.js'
import type { RunContext, RunOptions } from './options.js'
import { pinPlaces } from './pin-places.js'
import { type Preflight, preflight } from './preflight.js'
import { startLine } from './start-line.js'
import { targetOf } from './target.js'
import { graceMs, steadyNow } from './time.js'
import { appendText } from './writer.js'

export interface OpenRun {
  readonly context: RunContext
  readonly name: string
  readonly baseUrl: string
  readonly proxy?: HttpProxy
  /** Ends the record, writes the reports and stops the embedded target. */
  readonly close: (troubles?: readonly string[]) => Promise<Results>
  /** Asks the worker to come to an end. */
  readonly stop: () => void
}

const areasOf = ({ filters }: RunOptions): ReadonlySet<string> =>
  new Set(allClauses().flatMap((clause) => (isSelected(filters, clause) ? [clause.area] : [])))

/** @throws TargetError where the target file is no good. */
export const openRun = async (options: RunOptions): Promise<OpenRun> => {
  const loaded = await loadFor(options)
  if (loaded) {
    // What checks them is loaded only where there is a target file.
    const { refuseUnknownNames } = await import('./names.js')
    refuseUnknownNames(loaded)
    await awaitTarget(loaded, { waitMs: options.waitMs, say: (text) => console.info(`touchstone: ${text}`) })
  }
  return inFolder(options, async () => {
    const startedAt = steadyNow()
    if (loaded) await resetTarget(loaded, options)
    const { maxTimeMs = Number.POSITIVE_INFINITY } = options
    const withinMs = Math.max(0, startedAt + maxTimeMs - steadyNow())
    const { wrong, ...flight }: Preflight = loaded ? await preflight(loaded, areasOf(options), { withinMs }) : {}
    if (wrong !== undefined) throw new TargetError(wrong)
    return begin(options, loaded, flight, startedAt)
  })
}

/** A run that sends nothing. */
export const openIdle = async (options: RunOptions): Promise<OpenRun> =>
  inFolder(options, async () => begin(options, await loadFor(options), {}, steadyNow()))

/**
 * Claims the folder before anything is sent, since a reset would end another run that writes there. Frees it when the run
 * is closed, or could not be opened.
 */
const inFolder = async ({ out }: RunOptions, open: () => Promise<OpenRun>): Promise<OpenRun> => {
  makeFolder(out)
  const free = await claimFolder(out)
  try {
    const run = await open()
    return { ...run, close: (troubles) => run.close(troubles).finally(free) }
  } catch (error) {
    free()
    throw error
  }
}

const loadFor = async ({ given, target, cwd }: RunOptions): Promise<Target | undefined> =>
  given ?? loadTarget({ target, cwd, env: process.env })

const begin = async (
  options: RunOptions,
  loaded: Target | undefined,
  flight: Omit<Preflight, 'wrong'>,
  startedAt: number,
): Promise<OpenRun> => {
  const earlier = flight.unreachable === undefined ? undefined : keepEarlier(options.out)
  if (earlier !== undefined) console.info(`touchstone: the reports of the run before are in ${earlier}`)
  else dropEarlier(options.out)
  for (const name of outputNames) rmSync(join(options.out, name), { recursive: true, force: true })
  const { prefix } = (loaded?.environment ?? embeddedEnvironment()).safety
  const context: RunContext = {
    options,
    nonce: createNonce(prefix, startedAt),
    startedAt,
    stopFile: join(options.out, '.stop'),
    ...flight,
    ...(!loaded && { embedded: await plannedEmbedded() }),
  }
  rmSync(context.stopFile, { force: true })
  const target = await targetOf(context)
  beginLedger(ledgerOf(context), context.nonce, loaded && target.baseUrl)
  const append: Append = (line) => appendText(recordOf(context), `${JSON.stringify(line)}\n`)
  const pinnedIn = pinPlaces(target, options.cwd)
  append({ ...startLine(context, target), expects: expectationOf(options, target), ...(pinnedIn && { pinnedIn }) })
  return {
    context,
    name: target.environment.name,
    baseUrl: target.baseUrl,
    ...(target.proxy && { proxy: target.proxy }),
    stop: () => appendText(context.stopFile, ''),
    close: async (troubles = []) => {
      if (loaded && flight.unreachable === undefined) await removeLeft(context, target, append)
      for (const text of troubles) append({ type: 'trouble', kind: 'suite-defect', text })
      const results = await endRecord(context, append)
      if (existsSync(context.stopFile)) rmSync(context.stopFile)
      return results
    },
  }
}

type Append = (line: RecordLine) => void

const recordOf = ({ options }: RunContext): string => join(options.out, 'run.ndjson')
const ledgerOf = ({ options }: RunContext): string => join(options.out, 'ledger.ndjson')

/** Removes what the run has left on the target, and records what could not be removed. */
const removeLeft = async (context: RunContext, target: Target, append: Append): Promise<void> => {
  for (const swept of await tidy(target, context.nonce, ledgerOf(context), tidyMsOf(context)))
    if (swept.result !== 'returned' && !(isMark(swept.name ?? '') && swept.result === 'removed')) append(leftBy(swept))
}

/** Ends the record with its verdict, and writes the reports. */
const endRecord = async (context: RunContext, append: Append): Promise<Results> => {
  const { options, startedAt } = context
  const durationMs = steadyNow() - startedAt
  const folded = await foldStream(withEnd(readRecordFile(recordOf(context)), durationMs))
  append({ type: 'end', durationMs, verdict: folded.verdict })
  const results = options.expected ? applyExpected(folded, options.expected) : folded
  await writeResults(options.out, results, options.reports)
  return results
}

/** How long a run that ended by itself looks for what it has left; one that was ended does so in any case, and for what is left of its grace. */
const mostTidyMs = 5 * 60_000
const leastTidyMs = 3000

const tidyMsOf = ({ options, startedAt, stopFile }: RunContext): number => {
  const overMs = Math.max(
    steadyNow() - startedAt - (options.maxTimeMs ?? Number.POSITIVE_INFINITY),
    existsSync(stopFile) ? Date.now() - statSync(stopFile).mtimeMs : Number.NEGATIVE_INFINITY,
  )
  return overMs > 0 ? Math.max(leastTidyMs, graceMs - overMs) : mostTidyMs
}

/** What a run left of its making, or no longer does. */
const leftBy = ({ kind, key, result, reason = 'it was still there at the end' }: Swept): RecordLine =>
  result === 'removed' ? { type: 'left', kind, key, reason, gone: true } : { type: 'left', kind, key, reason }

/** Brings the target back to its first state, where it has a hook for that and nobody else is at it. */
const resetTarget = async (
  { hooks: given, environment, path, pace }: Target,
  { filters }: RunOptions,
): Promise<void> => {
  const hooks = guardHooks(given, pace.hooks ?? defaults.pace.hooks)
  if (!hooks.reset || !environment.exclusive || filters.shard[1] > 1) return
  try {
    await hooks.reset()
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TargetError(`${path}: ${why}. See that the target is up, or correct the hook.`)
  }
}

async function* withEnd(lines: AsyncIterable<RecordLine>, durationMs: number): AsyncGenerator<RecordLine> {
  yield* lines
  yield { type: 'end', durationMs, verdict: 'conforms' }
}

/** What a run has to show; a narrowed one is not held to the number that the target file gives for all. */
const expectationOf = ({ filters, fuzz }: RunOptions, { leastPassed }: Target): Expectation => {
  const selected = fuzz ? [] : allClauses().filter((clause) => isSelected({ ...filters, shard: [1, 1] }, clause))
  return {
    areas: [...new Set(selected.map(({ area }) => area))],
    ...(leastPassed !== undefined && selected.length === allClauses().length && { passed: leastPassed }),
    ...(filters.shard[1] > 1 && { shard: true as const }),
  }
}
