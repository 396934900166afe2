import { test } from 'vitest'
import { fuzz } from './fuzz.js'
import { assertClean, crossing, runWorker } from './register.js'

crossing('random')

test('random programs over everything, until the time or the number asked for is reached', async (context) => {
  const worker = await runWorker()
  const findings = await fuzz(worker)
  if (!findings) return context.skip()
  assertClean(worker, findings)
})
