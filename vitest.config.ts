import { defineConfig } from 'vitest/config'
import { SuiteSequencer } from './suites/sequencer.js'
import { seed } from './tests/seed.js'

// For all workers, and for the run of the conformance project.
process.env.TOUCHSTONE_SEED ||= String(seed)

/** For what never ends. A slow machine takes its time. */
const endedMs = 600_000

/** Tests of code that changes nothing of the process, so that they can share its modules. */
const sharing = [
  'models',
  'arbitraries',
  'history',
  'oracle',
  'reference',
  'driver',
  'reports',
  'library',
  'config',
  'targets',
  'suites',
  'guard',
  'scripts',
].map((room) => `tests/${room}/**/*.test.ts`)

const unit = {
  // One core is left idle otherwise, which is half of a machine with two.
  maxWorkers: '100%',
  sequence: { groupOrder: 1 },
  testTimeout: endedMs,
  hookTimeout: endedMs,
}

export default defineConfig({
  test: {
    // Vitest heeds it here alone, and not in a project.
    sequence: { sequencer: SuiteSequencer },
    projects: [
      {
        test: {
          ...unit,
          name: 'unit',
          include: ['tests/**/*.test.ts'],
          exclude: sharing,
          globalSetup: ['tests/setup.ts'],
        },
      },
      {
        test: {
          ...unit,
          name: 'unit without isolation',
          include: sharing,
          // Loading the models anew for each file would take a fifth of the time.
          isolate: false,
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
