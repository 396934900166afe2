import fc from 'fast-check'
import { test } from 'vitest'
import { contend, contests, race, racers } from '../driver/race.js'
import type { Finding } from '../history/record.js'
import { allTables, makerOf } from '../models/index.js'
import { isOperationSelected } from './filter.js'
import { assertClean } from './register.js'
import { useWorker } from './worker.js'

/** Two or three lanes of up to two calls: more orders than that say no more and cost much. */
const lanes = fc.array(fc.array(fc.nat(20), { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 })
const races = 7

for (const table of allTables().filter((one) => makerOf(one) && makerOf(one)?.guarded === undefined))
  test(`races on ${table.name}`, async (context) => {
    const worker = await useWorker()
    const { fuzz, filters, seed } = worker.context.options
    const maker = makerOf(table)
    const over = worker.over()
    if (over !== undefined || fuzz || filters.clauses.length > 0 || !maker || !isOperationSelected(filters, maker))
      return context.skip(over)
    if (racers(worker.session, table).length < 2)
      return context.skip('fewer than two operations need this resource alone')
    const findings: Finding[] = []
    for (const one of fc.sample(lanes, { seed, numRuns: races })) {
      if (worker.over() !== undefined) break
      findings.push(...(await race(worker.session, table, one)).findings)
      worker.flush()
    }
    assertClean(worker, findings)
  })

/** So often that a target which looks first and writes later is caught by its delay, not by luck. */
const bouts = 4

for (const contest of contests())
  test(contest.name, async (context) => {
    const worker = await useWorker()
    const { fuzz, filters } = worker.context.options
    const over = worker.over()
    if (over !== undefined || fuzz || filters.clauses.length > 0 || !isOperationSelected(filters, contest.op))
      return context.skip(over)
    const findings: Finding[] = []
    for (let bout = 0; bout < bouts && findings.length === 0; bout += 1) {
      if (worker.over() !== undefined) break
      const outcome = await contend(worker.session, contest)
      worker.flush()
      if (outcome.untested !== undefined) return context.skip(outcome.untested)
      findings.push(...outcome.findings)
    }
    assertClean(worker, findings)
  })
