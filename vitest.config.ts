import { defineConfig } from 'vitest/config'
import { SuiteSequencer } from './suites/sequencer.js'

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
          testTimeout: 60_000,
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
          testTimeout: 600_000,
          hookTimeout: 600_000,
        },
      },
    ],
  },
})
