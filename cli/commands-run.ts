// The commands that run the suites, `run` and `fuzz`: their flags, and the options that they make of them.

import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import { allClauses } from '../models/index.js'
import { defaultOptions } from '../suites/defaults.js'
import { isSelected } from '../suites/filter.js'
import type { RunOptions } from '../suites/options.js'
import { type AddCommands, declare } from './command.js'
import { asUsage, UsageError } from './errors.js'
import { expectedIn } from './expected-findings.js'
import type { FlagName, SharedFlags } from './flags.js'
import { onInterrupt } from './interrupt.js'
import { integerBetween, list, once } from './values.js'

const shared: readonly FlagName[] = [
  'target',
  'out',
  'seed',
  'area',
  'operation',
  'clause',
  'level',
  'wait',
  'maxTime',
  'maxRequests',
  'maxFindings',
  'expectedFindings',
  'report',
  'workers',
  'rate',
  'shard',
  'json',
  'quiet',
  'dryRun',
]

export const runCommands: AddCommands = (program, surroundings) => {
  const { command, finish } = surroundings
  declare(program, {
    name: 'run',
    summary: 'the conformance run',
    description:
      'Runs every clause that can be tested on the target, then random programs, and writes the reports. Without a target file it starts the embedded target and runs against that. The names that it gives begin with the prefix of the target file; what it creates is removed again, or closed where nothing removes it.',
    flags: [...shared, 'verbose'],
    examples: [
      ['run', 'all of it, against the nearest target file or the embedded target'],
      ['run --target staging.json --max-time 30m', 'against that target, for half an hour at most'],
      ["run --operation 'volumes.*' --level should", 'the operations on volumes, stricter'],
      ['run --shard 2/4 --out report-2', 'the second of four machines'],
      ['run --max-requests 2000', 'the 2000 requests that tell most'],
      ['run --dry-run', 'what would be run and how much it takes, without a request'],
    ],
  }).action(async (given: SharedFlags, self: Command) => {
    if (self.getOptionValueSource('verbose') === 'cli' && !given.dryRun)
      throw new UsageError('--verbose lists what a dry run would do, clause by clause; add --dry-run, or leave it out.')
    const options = await optionsOf(given, command)
    const { run } = await import('./run.js')
    const { quiet, json, dryRun, verbose } = given
    finish(await run({ ...options, quiet, json, dryRun, verbose }))
  })

  declare(program, {
    name: 'fuzz',
    summary: 'random programs, for as long as you like',
    description:
      "Sends random programs in place of the clauses' own, until --max-time, --max-requests or --max-programs. Meant for the night: another seed finds other things. With --corpus, programs that reached something new are kept; the next night tries those with findings first, then mutates and extends the others.",
    flags: shared,
    examples: [
      ['fuzz --max-time 2h', 'for two hours, with a seed that is printed'],
      ['fuzz --max-time 2h --corpus corpus', 'going on from what earlier nights reached'],
      ['fuzz --max-programs 500 --seed 7 --area volumes', 'the same 500 programs every time'],
    ],
  })
    .addOption(
      once(new Option('--max-programs <n>', `programs in all; ${unboundedText}`), integerBetween(1, 1_000_000)),
    )
    .addOption(
      new Option('--corpus <dir>', 'folder of programs that reached something new, kept from night to night').env(
        'TOUCHSTONE_CORPUS',
      ),
    )
    .action(async (given: SharedFlags & { readonly maxPrograms?: number; readonly corpus?: string }) => {
      const options = await optionsOf(given, command)
      const programs = given.maxPrograms ?? (isBounded(given) ? manyPrograms : fewPrograms)
      const { run } = await import('./run.js')
      const { quiet, json, dryRun, corpus } = given
      const folder = corpus && resolve(corpus)
      // A corpus that is no good is told of before anything is sent.
      if (folder && !dryRun) await opened(folder)
      finish(await run({ ...options, corpus: folder, fuzz: true, programs, quiet, json, dryRun }))
    })

  watching(program, surroundings)
}

const opened = async (folder: string): Promise<unknown> => {
  const { openCorpus } = await import('../suites/corpus.js')
  return asUsage('--corpus', () => openCorpus(folder))
}

const watching: AddCommands = (program, { finish }) => {
  declare(program, {
    name: 'watch',
    summary: 'runs again on every change of a local target',
    description:
      'For work on an implementation: on every change under --watch it starts the target anew with --start, tries the causes of the last run again, each by one finding, then runs the selection. If a file changes meanwhile, it begins anew. Ctrl-C ends it.',
    flags: ['target', 'out', 'area', 'operation', 'clause', 'level', 'seed'],
    examples: [
      ["watch --start 'npm start' --watch src", 'restarts the target on every change under src'],
      ['watch --area volumes', 'the target restarts by itself'],
    ],
  })
    .option('--start <command>', 'what starts the target, in a shell')
    .option(
      '--watch <paths>',
      'files and folders whose changes count, with commas between (default: the working directory)',
      list(() => undefined),
    )
    .action(async (given: SharedFlags & { readonly start?: string; readonly watch?: readonly string[] }) => {
      const { watch } = await import('./watch.js')
      const ending = new AbortController()
      const interrupt = onInterrupt(() => ending.abort())
      const { start, out, level, seed } = given
      finish(
        await watch({
          target: given.target,
          start,
          cwd: process.cwd(),
          out,
          // Not the default of a flag whose uses add up.
          paths: given.watch ?? ['.'],
          runFlags: [
            ...(['area', 'operation', 'clause'] as const).flatMap((name) =>
              given[name].flatMap((glob) => [`--${name}`, glob]),
            ),
            ...['--level', level],
            ...(seed === undefined ? [] : ['--seed', String(seed)]),
          ],
          until: ending.signal,
          say: (line) => void process.stdout.write(`touchstone: ${line}\n`),
        }).finally(interrupt.release),
      )
    })
}

/** What `fuzz` does where nothing bounds it, and where time or requests do. */
const fewPrograms = 200
const manyPrograms = 1_000_000
const unboundedText = `${fewPrograms} where neither --max-time nor --max-requests is given`

const isBounded = ({ maxTime, maxRequests }: SharedFlags): boolean => maxTime !== undefined || maxRequests !== undefined

/** @throws UsageError where they ask for nothing, or name a file that is no good */
const optionsOf = async (given: SharedFlags, command: string): Promise<RunOptions> => {
  const { target, wait, maxTime, maxRequests, maxFindings, rate, workers, out, level, report } = given
  const filters = { areas: given.area, operations: given.operation, clauses: given.clause, shard: given.shard }
  if (!allClauses().some((clause) => isSelected({ ...filters, shard: [1, 1] }, clause)))
    throw new UsageError('--area, --operation and --clause together select no clause; leave one of them out.')
  return {
    ...defaultOptions(command, given.seed),
    target,
    waitMs: wait,
    maxTimeMs: maxTime,
    maxRequests,
    maxFindings,
    expected: await expectedIn(given.expectedFindings),
    perSecond: rate,
    workers,
    out,
    level,
    filters,
    reports: report,
  }
}
