// `touchstone/vitest`: the conformance suites in a vitest run of one's own, a describe a resource, a test a clause; and what crosses them. It takes vitest 4 from where it is imported.

import { Type } from '@sinclair/typebox'
import { afterAll, beforeAll, describe } from 'vitest'
import { type TargetFile, targetFrom } from '../config/target-file.js'
import { allClauses, operations } from '../models/index.js'
import { defaultOptions } from '../suites/defaults.js'
import { isSelected } from '../suites/filter.js'
import { crossing as registerCrossing, conformance as registerResource } from '../suites/register.js'
import { openRun } from '../suites/run.js'
import { resourceOf } from '../suites/tasks.js'
import { openHere } from '../suites/worker.js'
import { check, flag, optionsOf, text, texts, whole } from './options.js'
import { refuseStray } from './stray.js'

export interface ConformanceOptions {
  /** A target file: its path, the URL of the target, or its content; a function where it is only known when tests begin. */
  readonly target: string | TargetFile | (() => string | TargetFile | Promise<string | TargetFile>)
  /** What to test, by globs such as `volumes.*`; everything when left out. What is not selected is not registered. */
  readonly select?: {
    readonly areas?: readonly string[]
    readonly operations?: readonly string[]
    readonly clauses?: readonly string[]
  }
  /**
   * Whether walks over pages, journeys, sequences of writes, races and random programs are registered as well, a describe a
   * kind; left out, they are where `select` is. Those that are not about what is selected are skipped.
   */
  readonly crossing?: boolean
  /** Ids of findings or of clauses that are known: their tests are expected to fail, and do fail once they pass. */
  readonly expectedFindings?: readonly string[]
  /** The level at which a finding fails a test: `must` when left out, or `should` for both. */
  readonly level?: 'must' | 'should'
  /** Folder of the record, the ledger and the reports; `touchstone-report/vitest` when left out. */
  readonly out?: string
  /** What random choices start from. */
  readonly seed?: number
}

/**
 * Registers the suites; call it at the top of a test file, once, and in one file at a time for each target. A clause that
 * can't be tested on the target is skipped with the reason. Tests share one session, so they run one after another.
 * @throws Error where nothing is selected, or a glob matches nothing, TypeError naming each option that is unknown or ill-typed
 * @example
 * conformance({ target: 'staging.json', select: { operations: ['volumes.*'] } })
 */
export const conformance = (options: ConformanceOptions): void => {
  check('conformance(options)', optionsSchema, options)
  const { target, select = {}, expectedFindings = [], level = 'must', out = 'touchstone-report/vitest', seed } = options
  const { areas = [], operations: ids = [], clauses = [] } = select
  const { crossing = areas.length + ids.length + clauses.length === 0 } = options
  const filters = { areas, operations: ids, clauses, shard: [1, 1] as const }
  const chosen = new Set(allClauses().filter((clause) => isSelected(filters, clause)))
  refuseStray('select.areas', 'area', areas)
  refuseStray('select.operations', 'operation', ids)
  refuseStray('select.clauses', 'clause', clauses)
  if (chosen.size === 0) throw new Error('select: no clause has such an id; `touchstone list clauses` shows all')
  let close: (() => Promise<unknown>) | undefined
  beforeAll(async () => {
    const file = typeof target === 'function' ? await target() : target
    const run = await openRun({
      ...defaultOptions('touchstone/vitest', seed),
      given: await targetFrom(file, process.cwd()),
      out,
      level,
      filters,
    })
    await openHere(run.context)
    close = run.close
  }, beforeMs)
  const resources = [...new Set(operations.map(resourceOf))]
  for (const resource of resources) {
    const own = operations.filter((op) => resourceOf(op) === resource)
    if (!own.some(({ id }) => [...chosen].some(({ operation }) => operation === id))) continue
    describe(resource, { timeout: testMs }, () =>
      registerResource(resource, { isSelected: (clause) => chosen.has(clause), expected: expectedFindings }),
    )
  }
  for (const suite of crossing ? crossingSuites : [])
    describe(suite, { timeout: testMs }, () => registerCrossing(suite, { expected: expectedFindings }))
  afterAll(async () => {
    await close?.()
  }, beforeMs)
}

const optionsSchema = optionsOf<ConformanceOptions>({
  target: Type.Unknown({ title: 'a target file, its path or a URL' }),
  select: Type.Optional(
    optionsOf<NonNullable<ConformanceOptions['select']>>({ areas: texts, operations: texts, clauses: texts }),
  ),
  crossing: flag,
  expectedFindings: texts,
  level: Type.Optional(Type.Unsafe<ConformanceOptions['level']>({ enum: ['must', 'should'] })),
  out: text,
  seed: whole,
})

/** What deletes nodes is left out: nothing brings them back for the tests that follow. */
const crossingSuites = ['pagination', 'journeys', 'sequences', 'races', 'random']

const beforeMs = 120_000
const testMs = 600_000
