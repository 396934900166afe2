import { describe, test } from 'vitest'
import { planProgram } from '../arbitraries/plan.js'
import { liveOf, locksOf } from '../driver/locks.js'
import { standing, type Walk, walkAsItIs, walkable, walkList } from '../driver/walk.js'
import { operations } from '../models/index.js'
import type { Operation } from '../models/language/operation.js'
import type { Task } from './agenda.js'
import { isOperationSelected } from './filter.js'
import { assertClean, performer } from './register.js'
import { useWorker } from './worker.js'

/** Enough for two pages of the smallest size, and of the default one. */
const walks = [
  { records: 27, pageSize: 25 },
  { records: 102, pageSize: undefined },
]

const taskOf = (op: Operation, { records, pageSize }: Omit<Walk, 'op'>): Task => ({
  plan: ({ context: { options }, session }) => {
    const { environment } = session.options
    const table = op.reply.kind === 'page' ? op.reply.table : undefined
    const most =
      environment.safety.maxLive[op.id.slice(0, op.id.indexOf('.'))] ?? environment.safety.maxLive.default ?? 20
    if (!table || options.fuzz || options.filters.clauses.length > 0 || !isOperationSelected(options.filters, op))
      return { skip: undefined }
    if (most < records || (table.permanent === true && (records > 30 || !environment.exclusive)))
      return { skip: `needs safety.maxLive of ${records} or more` }
    const { steps } = planProgram('records of a list', session.context, (plan) =>
      op.fill ? void op.fill(plan, records) : void plan.make(table),
    )
    // While it is walked, no other program makes or removes any.
    const whole = { key: liveOf(table.name), amount: 1, capacity: 1 }
    const locks = [...locksOf(steps, environment).filter(({ key }) => key !== whole.key), whole]
    return [{ name: op.id, locks, cost: records * 2, run: (own) => walkList(own, { op, records, pageSize }) }]
  },
})

/** What is not filled by its own creations is walked at the smallest size alone. */
const tests = walks.map((walk) =>
  operations
    .filter((op) => walkable(op) && (op.fill === undefined || walk.pageSize !== undefined))
    .map((op) => ({ op, task: taskOf(op, walk) })),
)
const perform = performer(tests.flat().map(({ task }) => task))

for (const [i, { pageSize }] of walks.entries())
  describe(pageSize === undefined ? 'pages of the default size' : `pages of ${pageSize}`, () => {
    for (const { op, task } of tests[i] ?? []) test(op.id, (context) => perform(task, context))
  })

describe('pages of what is there', () => {
  for (const op of operations.filter(standing))
    test(op.id, async (context) => {
      const worker = await useWorker()
      const { fuzz, filters } = worker.context.options
      const over = worker.over()
      if (over !== undefined || fuzz || filters.clauses.length > 0 || !isOperationSelected(filters, op))
        return context.skip(over)
      for (const pageSize of [25, 26]) {
        const { findings, untested } = await walkAsItIs(worker.session, op, pageSize)
        worker.flush()
        assertClean(worker, findings)
        if (untested !== undefined) return context.skip(untested)
      }
    })
})
