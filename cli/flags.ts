// The flags that commands share, each defined once with its variable and its reader; not which command has which.

import { type Command, Option } from 'commander'
import { variables } from '../config/env.js'
import { slipOf } from '../config/errors.js'
import type { ReportKind } from '../reports/index.js'
import { mostSeed } from '../suites/seeds.js'
import { duration, globs, integerBetween, notEmpty, once, oneOf, rate, reportKinds, shard } from './values.js'

/** Values of the shared flags, as a command that has them all gets them. */
export interface SharedFlags {
  readonly target?: string
  readonly out: string
  readonly seed?: number
  readonly area: readonly string[]
  readonly operation: readonly string[]
  readonly clause: readonly string[]
  readonly level: 'must' | 'should'
  readonly wait?: number
  readonly maxTime?: number
  readonly maxRequests?: number
  readonly maxFindings?: number
  readonly expectedFindings?: string
  readonly report: readonly ReportKind[]
  readonly workers?: number
  readonly rate?: number
  readonly shard: readonly [number, number]
  readonly json: boolean
  readonly quiet: boolean
  readonly dryRun: boolean
  readonly verbose: boolean
}

const flag = (flags: string, text: string, variable: string): Option => new Option(flags, text).env(variable)

const gatingLevels = ['must', 'should'] as const

const makers = {
  // Its variable TOUCHSTONE_TARGET is read with the target file, which then says where a wrong value came from.
  target: () =>
    once(
      new Option(
        '-t, --target <file|url>',
        'the target file, or the URL of the target (env: TOUCHSTONE_TARGET); by default touchstone.config.* upward from here',
      ),
      notEmpty,
    ),
  out: () =>
    once(flag('-o, --out <dir>', 'folder of the record and the reports', 'TOUCHSTONE_OUT'), notEmpty).default(
      'touchstone-report',
    ),
  seed: () =>
    once(
      flag('--seed <n>', 'what random choices start from; a run prints its own', 'TOUCHSTONE_SEED'),
      integerBetween(0, mostSeed),
    ),
  area: () =>
    flag('--area <globs>', 'only these areas, such as volumes,tags', 'TOUCHSTONE_AREA')
      .argParser(globs('area'))
      .default([], 'all'),
  operation: () =>
    flag('--operation <globs>', "only these operations, such as 'volumes.*'", 'TOUCHSTONE_OPERATION')
      .argParser(globs('operation'))
      .default([], 'all'),
  clause: () =>
    flag('--clause <globs>', "only these clauses, such as 'volumes.resize.*'", 'TOUCHSTONE_CLAUSE')
      .argParser(globs('clause'))
      .default([], 'all'),
  level: () =>
    once(
      flag('--level <level>', 'the level that decides the verdict; should adds to must', 'TOUCHSTONE_LEVEL').choices(
        gatingLevels,
      ),
      oneOf(gatingLevels),
    ).default('must'),
  wait: () =>
    once(
      flag('--wait <time>', 'wait so long for a target that is still starting, such as 60s', 'TOUCHSTONE_WAIT'),
      duration,
    ),
  maxTime: () =>
    once(
      flag('--max-time <time>', 'end after this time, planning included, such as 30m', 'TOUCHSTONE_MAX_TIME'),
      duration,
    ),
  maxRequests: () =>
    once(
      flag(
        '--max-requests <n>',
        'send at most this many requests; what tells most goes first',
        'TOUCHSTONE_MAX_REQUESTS',
      ),
      integerBetween(1, 1_000_000_000),
    ),
  maxFindings: () =>
    once(
      flag('--max-findings <n>', 'end after this many findings', 'TOUCHSTONE_MAX_FINDINGS'),
      integerBetween(1, 1_000_000),
    ),
  expectedFindings: () =>
    once(
      flag(
        '--expected-findings <file>',
        'findings or causes that are known and do not count: a JSON array of ids',
        'TOUCHSTONE_EXPECTED_FINDINGS',
      ),
      notEmpty,
    ),
  report: () => {
    const usual: readonly string[] = ['html', 'junit', 'json']
    return flag('--report <kinds>', 'reports to write: html, junit, json, ctrf, sarif', 'TOUCHSTONE_REPORT')
      .argParser((text: string, before: readonly string[]) => reportKinds(text, before === usual ? [] : before))
      .default(usual, usual.join())
  },
  workers: () =>
    once(
      flag(
        '--workers <n>',
        'programs at a time; by default one, and as many as pace.concurrency says where that saves waiting',
        'TOUCHSTONE_WORKERS',
      ),
      integerBetween(1, 64),
    ),
  rate: () =>
    once(
      flag('--rate <rate>', "the most requests, such as 5/s; in place of the target file's", 'TOUCHSTONE_RATE'),
      rate,
    ),
  shard: () =>
    once(
      flag('--shard <i/n|auto>', 'the i-th of n parts of the run; auto: as the CI system tells it', 'TOUCHSTONE_SHARD'),
      shard,
    ).default([1, 1], '1/1'),
  json: () => flag('--json', 'the result as JSON on standard output', 'TOUCHSTONE_JSON').default(false),
  quiet: () => flag('-q, --quiet', 'no progress on standard error', 'TOUCHSTONE_QUIET').default(false),
  verbose: () => flag('--verbose', 'with --dry-run: clause by clause', 'TOUCHSTONE_VERBOSE').default(false),
  dryRun: () => flag('--dry-run', 'show what would be done, and change nothing', 'TOUCHSTONE_DRY_RUN').default(false),
} as const satisfies Readonly<Record<keyof SharedFlags, () => Option>>

export type FlagName = keyof typeof makers

/** New options of these names. */
export const flags = (...names: readonly FlagName[]): readonly Option[] => names.map((name) => makers[name]())

const switches = ['TOUCHSTONE_JSON', 'TOUCHSTONE_QUIET', 'TOUCHSTONE_DRY_RUN', 'TOUCHSTONE_VERBOSE']

/**
 * Prepares the variables for commander: an empty one counts as not set, and a switch is off where it says so.
 * @returns the name of a switch that says neither, for the message
 */
export const tidyVariables = (env: NodeJS.ProcessEnv): string | undefined => {
  for (const name of Object.keys(env)) if (name.startsWith('TOUCHSTONE_') && env[name] === '') delete env[name]
  for (const name of switches) if (['0', 'false'].includes(env[name] ?? '')) delete env[name]
  return switches.find((name) => !['1', 'true', undefined].includes(env[name]))
}

const ofNoFlag = ['TOUCHSTONE_TARGET', 'TOUCHSTONE_DEBUG', 'TOUCHSTONE_SIGNING_KEY']

/**
 * The variables that nothing reads and that are a slip of one that is read. Others may be a target file's own, such as its secrets.
 * @returns each with the variable that was probably meant
 */
export const misspeltVariables = (
  env: NodeJS.ProcessEnv,
  { commands }: Command,
): readonly { readonly name: string; readonly meant: string }[] => {
  const ofFlags = commands.flatMap(({ options }) => options.flatMap(({ envVar }) => envVar ?? []))
  const known = [...new Set([...ofFlags, ...variables.map(({ name }) => name), ...ofNoFlag])]
  const unknown = Object.keys(env).filter((name) => name.startsWith('TOUCHSTONE_') && !known.includes(name))
  return unknown.flatMap((name) => {
    const meant = known.find((one) => joined(one) === joined(name)) ?? slipOf(name, known)
    return meant === undefined ? [] : [{ name, meant }]
  })
}

const joined = (name: string): string => name.replaceAll('_', '')
