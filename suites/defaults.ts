// The options of a run for which nothing else is asked.
import { REPORT_KINDS } from '../reports/index.js'
import type { RunOptions } from './options.js'
import { defaultSeed } from './seeds.js'

/** `command` is what was typed, for the record. */
export const defaultOptions = (command: string, seed = defaultSeed()): RunOptions => ({
  cwd: process.cwd(),
  out: 'touchstone-report',
  seed,
  level: process.env.TOUCHSTONE_LEVEL === 'should' ? 'should' : 'must',
  filters: { areas: [], operations: [], clauses: [], shard: [1, 1] },
  reports: REPORT_KINDS.filter((kind) => kind === 'html' || kind === 'junit' || kind === 'json'),
  programs: 8,
  fuzz: false,
  command,
})
