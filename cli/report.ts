// `touchstone report`: renders one record anew, merges the shards of a run, or puts several runs side by side.

import { existsSync, realpathSync } from 'node:fs'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  applyExpected,
  attest,
  badge,
  type Comparison,
  compare,
  comparisonHtml,
  comparisonText,
  type ExpectedFinding,
  exitCode,
  faultOf,
  merge,
  type ReportKind,
  writeResults,
} from '../reports/index.js'
import { outputNames } from '../reports/names.js'
import type { Results } from '../reports/results-schema.js'
import { makeFolder } from '../suites/folder.js'
import { resultsOf } from './content.js'
import { asUsage, UsageError } from './errors.js'
import { printResults, reportsLine, tell } from './print.js'

export interface ReportOptions {
  readonly out: string
  readonly reports: readonly ReportKind[]
  /** The files are shards of one run. */
  readonly merge: boolean
  readonly expected?: readonly ExpectedFinding[] | undefined
  /** Where the verdict is drawn. */
  readonly badge?: string | undefined
  /** Where a signed summary of the one file is written. */
  readonly attest?: string | undefined
  /** A signed summary that is checked in place of rendering anything. */
  readonly verify?: string | undefined
  /** File of the key that signs or checks. */
  readonly key?: string | undefined
  readonly json: boolean
  readonly quiet: boolean
}

/**
 * @param named files of results or records, or folders of runs
 * @throws UsageError where a file is no record, or the files do not go together
 */
export const report = async (named: readonly string[], options: ReportOptions): Promise<number> => {
  assertTogether(named, options)
  const files = await Promise.all(named.map(fileOf))
  if (options.verify !== undefined) return verifyFile(files[0] ?? '', options.verify, options.key)
  assertNoneLost(files, options)
  const all = await Promise.all(files.map(async (file) => ({ file, results: await read(file, options.expected) })))
  const [first] = all
  if (all.length > 1 && !options.merge) return compareAll(all, options)
  if (!first) throw new UsageError('report: expected one file or more, received none.')
  const results = all.length === 1 ? first.results : mergeAll(all, options.expected)
  makeFolder(options.out)
  await writeResults(options.out, results, options.reports)
  if (options.badge !== undefined) await writeFile(options.badge, badge(results))
  if (options.attest !== undefined) await attestFile(results, files[0] ?? '', options.attest, options.key)
  printResults(results, options.json)
  for (const file of [options.badge, options.attest]) if (file !== undefined) tell(options, `wrote ${file}`)
  tell(options, reportsLine(options.out, options.reports))
  return exitCode(results)
}

/** What is about one run takes one, and what is checked is neither rendered nor signed. */
const assertTogether = (named: readonly string[], options: ReportOptions): void => {
  const one = (['badge', 'attest', 'verify'] as const).filter((flag) => options[flag] !== undefined)
  const flags = one.map((flag) => `--${flag}`).join(' and ')
  if (named.length > 1 && (one.includes('attest') || one.includes('verify') || (one.length > 0 && !options.merge)))
    throw new UsageError(`${flags}: expected one file, received ${named.length}. Give each a command of its own.`)
  if (options.verify !== undefined && (options.merge || one.length > 1))
    throw new UsageError(`${options.merge ? `--merge and ${flags}` : flags}: expected --verify alone. Leave one out.`)
}

/** What is drawn or signed is written over nothing that it is made of, and over no file of a run. */
const assertNoneLost = (files: readonly string[], { badge, attest, key, out }: ReportOptions): void => {
  const folders = [out, ...files.map((file) => dirname(file))]
  const ofRuns = folders.flatMap((folder) => [...outputNames, 'ledger.ndjson'].map((name) => join(folder, name)))
  const kept = [...files, ...(key === undefined ? [] : [key]), ...ofRuns].map(placeOf)
  const written = Object.entries({ badge, attest }).flatMap(([flag, file]) =>
    file === undefined ? [] : [{ flag, file }],
  )
  for (const { flag, file } of written) {
    if (kept.includes(placeOf(file)) || kept.includes(dirname(placeOf(file))))
      throw new UsageError(
        `--${flag}: expected a file to write, received ${file}, which holds what is needed. Name another.`,
      )
    kept.push(placeOf(file))
  }
}

const placeOf = (file: string): string => (existsSync(file) ? realpathSync(file) : resolve(file))

/** A folder of a run stands for its results. */
const fileOf = async (named: string): Promise<string> => {
  const file = (await isFolder(named)) ? join(named, 'results.json') : named
  if (existsSync(file)) return file
  throw new UsageError(
    `report: cannot open ${file}: there is no such file. Name another path; or, where a run was to write it, see what that said: it ended before it had results, or wrote them elsewhere (--out).`,
  )
}

const isFolder = async (path: string): Promise<boolean> => existsSync(path) && (await stat(path)).isDirectory()

/** The key in PEM, from a file or else from the environment. */
const keyFrom = async (file: string | undefined): Promise<string> => {
  const pem = file === undefined ? process.env.TOUCHSTONE_SIGNING_KEY : await readFile(file, 'utf8')
  if (pem) return pem
  throw new UsageError(
    'expected a key of Ed25519 in PEM: name its file with --key, or put it into TOUCHSTONE_SIGNING_KEY.',
  )
}

const attestFile = async (results: Results, file: string, to: string, key: string | undefined): Promise<void> => {
  const pem = await keyFrom(key)
  const bytes = await readFile(file)
  await writeFile(
    to,
    asUsage('--attest', () => attest(results, { name: basename(file), bytes }, pem)),
  )
}

const verifyFile = async (file: string, envelope: string, key: string | undefined): Promise<number> => {
  const pem = await keyFrom(key)
  const [text, bytes] = await Promise.all([readFile(envelope, 'utf8'), readFile(file)])
  const fault = asUsage('--verify', () => faultOf(text, { name: basename(file), bytes }, pem))
  process.stdout.write(
    fault === undefined ? `${envelope}: good, and of ${file}\n` : `${envelope}: not good: ${fault}\n`,
  )
  return fault === undefined ? 0 : 1
}

interface Named {
  readonly file: string
  readonly results: Results
}

const read = async (file: string, expected: ReportOptions['expected']): Promise<Results> => {
  try {
    return expecting(await resultsOf(file), expected)
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw error
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const expecting = (results: Results, expected: ReportOptions['expected']): Results =>
  expected === undefined ? results : applyExpected(results, expected)

/** Which findings are expected is asked once more of the whole: what is stale in a shard may show in another. */
const mergeAll = (all: readonly Named[], expected: ReportOptions['expected']): Results => {
  const seeds = new Set(all.flatMap(({ results: { seed } }) => seed ?? []))
  if (seeds.size > 1)
    throw new UsageError(
      `--merge: expected shards of one run, with one seed; received the seeds ${[...seeds].join(', ')}. Leave --merge out to compare them.`,
    )
  const again = all.find(({ results }, i) => all.slice(0, i).some((one) => isDeepStrictEqual(one.results, results)))
  if (again) throw new UsageError(`--merge: expected each run once, received that of ${again.file} twice.`)
  try {
    return expecting(merge(all.map(({ results }) => results)), expected)
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error))
  }
}

const compareAll = async (all: readonly Named[], options: ReportOptions): Promise<number> => {
  const names = namesOf(all.map(({ file }) => file))
  const comparison = compare(all.map(({ results }, index) => ({ name: names[index] ?? '', results })))
  makeFolder(options.out)
  const page = join(options.out, 'comparison.html')
  await writeFile(page, comparisonHtml(comparison), { mode: 0o600 })
  process.stdout.write(options.json ? `${JSON.stringify(briefly(comparison))}\n` : comparisonText(comparison))
  tell(options, `comparison in ${page}`)
  if (comparison.findings.some(({ shown }) => comparison.sameTarget && shown.at(-1) === true && shown[0] !== true))
    return 1
  return comparison.sameTarget && all.at(-1)?.results.verdict === 'inconclusive' ? 3 : 0
}

/** `monday` of `monday/results.json`, or of `nights/monday.json`, where that tells the files apart. */
const namesOf = (files: readonly string[]): readonly string[] => {
  const folders = files.map((file) => basename(dirname(file)))
  const own = files.map((file) => basename(file, extname(file)))
  return [folders, own].find((names) => new Set(names).size === files.length) ?? files
}

/** Without what all runs agree on. */
const briefly = ({ runs, sameTarget, clauses, findings, causes }: Comparison) => ({
  runs: runs.map(({ name, results }) => ({
    name,
    target: results.target,
    startedAt: results.startedAt,
    verdict: results.verdict,
  })),
  sameTarget,
  causes: causes.map(({ cause: { id, summary }, ...rest }) => ({ id, summary, ...rest })),
  findings: findings.map(({ finding, ...rest }) => ({
    id: finding.id,
    level: finding.level,
    summary: finding.summary,
    ...rest,
  })),
  clauses: clauses.filter(({ differs }) => differs).map(({ clause, verdicts }) => ({ id: clause.id, verdicts })),
})
