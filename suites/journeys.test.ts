import { test } from 'vitest'
import { journeys } from '../arbitraries/journeys.js'
import { planProgram } from '../arbitraries/plan.js'
import { runProgram } from '../driver/programs.js'
import { isLentTo } from './filter.js'
import { assertClean } from './register.js'
import { useWorker } from './worker.js'

for (const { name, write } of journeys)
  test(name, async (context) => {
    const worker = await useWorker()
    const { fuzz, filters } = worker.context.options
    const isNarrow = filters.areas.length + filters.operations.length + filters.clauses.length > 0
    const over = worker.over()
    if (over !== undefined || fuzz || isNarrow || !isLentTo(filters)) return context.skip(over)
    const program = planProgram(`journey: ${name}`, worker.session.context, write)
    if (program.missing.length > 0) return context.skip(`needs ${program.missing.join('; ')}`)
    const { findings } = await runProgram(worker.session, program)
    worker.flush()
    assertClean(worker, findings)
  })
