import { describe, test } from 'vitest'
import { standing, walkAsItIs, walkable, walkList } from '../driver/walk.js'
import { operations } from '../models/index.js'
import { isOperationSelected } from './filter.js'
import { assertClean } from './register.js'
import { useWorker } from './worker.js'

/** Enough for two pages of the smallest size, and of the default one. */
const walks = [
  { records: 27, pageSize: 25 },
  { records: 102, pageSize: undefined },
]

for (const { records, pageSize } of walks)
  describe(pageSize === undefined ? 'pages of the default size' : `pages of ${pageSize}`, () => {
    for (const op of operations.filter(walkable))
      test(op.id, async (context) => {
        const worker = await useWorker()
        const { options } = worker.context
        const { environment } = worker.session.options
        const over = worker.over()
        const most =
          environment.safety.maxLive[op.id.slice(0, op.id.indexOf('.'))] ?? environment.safety.maxLive.default ?? 20
        const isPermanent = op.reply.kind === 'page' && op.reply.table.permanent === true
        if (
          over !== undefined ||
          options.fuzz ||
          options.filters.clauses.length > 0 ||
          !isOperationSelected(options.filters, op)
        )
          return context.skip(over)
        if (most < records || (isPermanent && (records > 30 || !environment.exclusive)))
          return context.skip(`needs safety.maxLive of ${records} or more`)
        const outcome = await walkList(worker.session, { op, records, pageSize })
        worker.flush()
        assertClean(worker, outcome.findings)
        if (outcome.untested !== undefined) context.skip(outcome.untested)
      })
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
