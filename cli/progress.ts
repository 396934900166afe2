// Progress on standard error: a live bar on a terminal, a plain line now and then elsewhere.
import cliProgress from 'cli-progress'
import type { Reporter, TestCase, TestModule } from 'vitest/node'
import type { OpenRun } from '../suites/run.js'

export interface Progress {
  readonly reporter: Reporter
  readonly say: (text: string) => void
  readonly end: () => void
  /** Tests that failed for another reason than a finding. */
  readonly defects: () => readonly string[]
}

const plainEveryMs = 5000

const countTests = (modules: readonly TestModule[]): number =>
  modules.reduce((sum, module) => sum + [...module.children.allTests()].length, 0)

export const createProgress = (run: OpenRun, quiet: boolean): Progress => {
  const isLive = process.stderr.isTTY === true && !quiet
  const bar = new cliProgress.SingleBar(
    {
      format: '{bar} {value}/{total}  {findings}  {name}',
      stream: process.stderr,
      clearOnComplete: true,
      hideCursor: true,
    },
    cliProgress.Presets.shades_classic,
  )
  const defects: string[] = []
  let total = 0
  let done = 0
  let failed = 0
  let spokenAt = Date.now()
  const say = (text: string): void => void (quiet || process.stderr.write(`${isLive ? '\n' : ''}touchstone: ${text}\n`))
  say(`testing ${run.name} at ${run.baseUrl}, seed ${run.context.options.seed}`)
  const tally = (): string => (failed === 0 ? 'no findings' : `${failed} with findings`)

  const onResult = (test: TestCase): void => {
    done += 1
    if (test.result().state === 'failed') failed += 1
    defects.push(...defectsOf(test))
    if (quiet) return
    if (isLive) bar.update(done, { findings: tally(), name: test.name })
    else if (Date.now() - spokenAt > plainEveryMs) {
      spokenAt = Date.now()
      say(`${done} of ${total} tests, ${tally()}`)
    }
  }

  return {
    say,
    end: () => bar.stop(),
    defects: () => defects,
    reporter: {
      onTestModuleCollected: (module) => {
        total += countTests([module])
        if (!isLive) return
        if (done === 0 && !bar.isActive) bar.start(total, 0, { findings: tally(), name: '' })
        else bar.setTotal(total)
      },
      onTestCaseResult: onResult,
      // What hooks print is for who wrote them; standard output is the result's.
      onUserConsoleLog: ({ content }) => void (quiet || process.stderr.write(content)),
    },
  }
}

/** Failures of a test that are the suite's own doing. */
const defectsOf = (test: TestCase): readonly string[] => {
  const { state, errors = [] } = test.result()
  if (state !== 'failed') return []
  return errors
    .filter(({ name }) => name !== 'Nonconforming')
    .map(({ message }) => `suite defect: ${test.fullName}: ${message}`)
}
