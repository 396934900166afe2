// What `vitest --project conformance` does around the suites when no command does it: the run against the nearest target.
import type { TestProject } from 'vitest/node'
import { exitCode, summary } from '../reports/index.js'
import { defaultOptions } from './defaults.js'
import type { RunContext } from './options.js'
import { openRun } from './run.js'

declare module 'vitest' {
  export interface ProvidedContext {
    run: RunContext
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const run = await openRun(defaultOptions('vitest --project conformance'))
  project.provide('run', run.context)
  return async () => {
    const results = await run.close()
    process.stdout.write(`${summary(results, { color: process.stdout.isTTY === true })}\n`)
    process.exitCode ||= exitCode(results)
  }
}
