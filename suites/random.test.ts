import { test } from 'vitest'
import { operations } from '../models/index.js'
import { isOperationSelected } from './filter.js'
import { fuzz } from './fuzz.js'
import { crossing } from './register.js'
import { useWorker } from './worker.js'

crossing('random')

test('random programs over everything, until the time or the number asked for is reached', async (context) => {
  const worker = await useWorker()
  const { fuzz: isNight, filters, programs } = worker.context.options
  const selected = operations.filter((op) => isOperationSelected(filters, op))
  if (!isNight || selected.length === 0) return context.skip()
  await fuzz(worker, selected, programs)
})
