import { test } from 'vitest'
import { operations } from '../models/index.js'
import type { Area } from '../models/language/operation.js'
import { isOperationSelected } from './filter.js'
import { fuzz } from './fuzz.js'
import { randomWalks } from './random-walks.js'
import { useWorker } from './worker.js'

const areas: readonly Area[] = ['volumes', 'object-storage', 'managed', 'networking', 'support', 'tags']

for (const area of areas)
  test(`random programs over ${area}`, async (context) => {
    const worker = await useWorker()
    const { fuzz: isNight, filters, programs } = worker.context.options
    const selected = operations.filter((op) => op.area === area && isOperationSelected(filters, op))
    const over = worker.over()
    if (isNight || over !== undefined || programs === 0 || selected.length === 0 || filters.clauses.length > 0)
      return context.skip(over)
    await randomWalks(worker, area, selected, programs)
  })

test('random programs over everything, until the time or the number asked for is reached', async (context) => {
  const worker = await useWorker()
  const { fuzz: isNight, filters, programs } = worker.context.options
  const selected = operations.filter((op) => isOperationSelected(filters, op))
  if (!isNight || selected.length === 0) return context.skip()
  await fuzz(worker, selected, programs)
})
