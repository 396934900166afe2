import { test } from 'vitest'
import { nodeDeletion } from '../arbitraries/journeys.js'
import { planProgram } from '../arbitraries/plan.js'
import { runProgram } from '../driver/programs.js'
import { allClauses } from '../models/index.js'
import { isSelected } from './filter.js'
import { assertClean } from './register.js'
import { useWorker } from './worker.js'

const clause = allClauses().find(({ id }) => id === nodeDeletion.clause)

test(`${nodeDeletion.clause}, when a node is deleted`, async (context) => {
  const worker = await useWorker()
  const { session } = worker
  const { fuzz, filters } = worker.context.options
  const over = worker.over()
  if (!clause || over !== undefined || fuzz || !isSelected(filters, clause)) return context.skip(over)
  const { hooks, environment } = session.options
  const isRestored =
    environment.exclusive &&
    filters.part === undefined &&
    (hooks.reset !== undefined || worker.context.embedded !== undefined)
  if (!hooks.deleteNode || !isRestored) return context.skip('needs the hooks deleteNode and reset')
  const program = planProgram(nodeDeletion.clause, session.context, nodeDeletion.write)
  if (program.missing.length > 0) return context.skip(`needs ${program.missing.join('; ')}`)
  const { findings, untested } = await runProgram(session, program, clause)
  if (untested !== undefined) worker.emit({ type: 'untested', clause: clause.id, reason: untested })
  worker.flush()
  assertClean(worker, findings)
})
