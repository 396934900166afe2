import { test } from 'vitest'
import { operations } from '../models/index.js'
import { isOperationSelected } from './filter.js'
import { randomWalks } from './random-walks.js'
import { tell } from './register.js'
import { randomTasks } from './tasks.js'
import { useWorker } from './worker.js'

tell('random', randomTasks)

test('random programs over everything, until the time or the number asked for is reached', async (context) => {
  const worker = await useWorker('random')
  const { fuzz, filters, programs } = worker.context.options
  const selected = operations.filter((op) => isOperationSelected(filters, op))
  if (!fuzz || selected.length === 0) return context.skip()
  await randomWalks(worker, 'everything', selected, programs)
})
