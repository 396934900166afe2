import { test } from 'vitest'
import { planProgram } from '../arbitraries/plan.js'
import { sequences } from '../arbitraries/sequences.js'
import { runProgram } from '../driver/programs.js'
import { isOperationSelected } from './filter.js'
import { assertClean } from './register.js'
import { useWorker } from './worker.js'

for (const { name, operations, write } of sequences())
  test(name, async (context) => {
    const worker = await useWorker()
    const { fuzz, filters } = worker.context.options
    const over = worker.over()
    const isSelected = operations.some((op) => isOperationSelected(filters, op))
    if (over !== undefined || fuzz || filters.clauses.length > 0 || !isSelected) return context.skip(over)
    const program = planProgram(name, worker.session.context, write)
    if (program.missing.length > 0) return context.skip(`needs ${program.missing.join('; ')}`)
    const { findings } = await runProgram(worker.session, program)
    worker.flush()
    assertClean(worker, findings)
  })
