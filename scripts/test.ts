// `npm test`: the project's own tests, then the conformance run against the embedded target, and how many passed; not a test.

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Results } from '../reports/results-schema.js'

interface Counts {
  readonly passed: number
  readonly failed: number
}

interface Ended extends Counts {
  readonly exitCode: number
}

/** What is read of vitest's JSON report. */
interface Report {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly success: boolean
}

const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs')
const folder = mkdtempSync(join(tmpdir(), 'touchstone-test-'))

const exitCodeOf = (args: readonly string[], level: 'must' | 'should'): Promise<number> =>
  new Promise((resolve, reject) => {
    spawn(process.execPath, args, { stdio: 'inherit', env: { ...process.env, TOUCHSTONE_LEVEL: level } })
      .once('error', reject)
      .once('exit', (code) => resolve(code ?? 1))
  })

/** A project that ended without a report, or in error although no test failed, counts as one failure. */
const countsOf = (file: string, exitCode: number): Counts => {
  try {
    const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(file, 'utf8')) as Report
    return { passed: numPassedTests, failed: exitCode !== 0 && numFailedTests === 0 ? 1 : numFailedTests }
  } catch {
    return { passed: 0, failed: 1 }
  }
}

const runProject = async (project: string, level: 'must' | 'should'): Promise<Ended> => {
  const file = join(folder, `${project}.json`)
  const exitCode = await exitCodeOf(
    [vitest, 'run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${file}`],
    level,
  )
  return { exitCode, ...countsOf(file, exitCode) }
}

/** On the embedded target everything can be tested, so what was not is a failure. */
const untested = (): readonly string[] => {
  const { clauses } = JSON.parse(readFileSync('touchstone-report/results.json', 'utf8')) as Pick<Results, 'clauses'>
  return clauses.filter(({ verdict }) => verdict === 'untested').map(({ id, reason }) => `${id}: ${reason}`)
}

// The embedded target conforms at every level.
const ended = [await runProject('unit*', 'must'), await runProject('conformance', 'should')]
rmSync(folder, { recursive: true, force: true })

const sum = (count: keyof Counts): number => ended.reduce((total, one) => total + one[count], 0)
const missed = untested()
for (const text of missed) process.stdout.write(`untested on the embedded target: ${text}\n`)
process.stdout.write(`\n${sum('passed')} passed, ${sum('failed') + missed.length} failed\n`)
process.exitCode = ended.find(({ exitCode }) => exitCode !== 0)?.exitCode ?? (sum('failed') + missed.length > 0 ? 1 : 0)
