// However the suites are started, what cannot be brought back comes last, so that nothing is left untested for it.
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { createVitest } from 'vitest/node'

it('puts the suites that use up the target last, also where vitest is started by itself', async () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const vitest = await createVitest('test', { root, project: ['conformance'], watch: false, run: true, reporters: [] })
  try {
    const { sequencer } = vitest.config.sequence
    const sorted = await new sequencer(vitest).sort(await vitest.globTestSpecifications())
    const names = sorted.map(({ moduleId }) => moduleId.replace(/^.*\//, ''))
    expect(names.slice(-2)).toEqual(['object-storage.test.ts', 'node-deletion.test.ts'])
    expect(names.length).toBeGreaterThan(30)
  } finally {
    await vitest.close()
  }
})
