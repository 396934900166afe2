import { defineConfig } from 'vitest/config'
import { SuiteSequencer } from './suites/sequencer.js'

// What is drawn is the same every time, so that a test fails for everybody or for nobody; another seed draws anew.
process.env.TOUCHSTONE_SEED ||= '7'

/** For what never ends. A slow machine takes its time. */
const endedMs = 600_000

export default defineConfig({
  test: {
    // Vitest heeds it here alone, and not in a project.
    sequence: { sequencer: SuiteSequencer },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          // One core is left idle otherwise, which is half of a machine with two.
          maxWorkers: '100%',
          sequence: { groupOrder: 1 },
          testTimeout: endedMs,
          hookTimeout: endedMs,
        },
      },
      {
        test: {
          name: 'conformance',
          include: ['suites/**/*.test.ts'],
          globalSetup: ['suites/setup.ts'],
          // One worker keeps one belief of the target; its tests share the session.
          pool: 'threads',
          isolate: false,
          fileParallelism: false,
          maxWorkers: 1,
          testTimeout: endedMs,
          hookTimeout: endedMs,
        },
      },
    ],
  },
})
