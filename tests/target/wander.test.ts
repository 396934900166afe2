import fc from 'fast-check'
import { expect, test } from 'vitest'
import { programSeed } from '../../arbitraries/programs.js'
import { operations } from '../../models/index.js'
import { inProcess } from '../../target/in-process.js'
import { survey } from '../../target/session.js'
import { embeddedSetting } from '../../target/setting.js'
import { wander } from '../../target/wander.js'

test('random programs over all operations find nothing on the reference implementation', async () => {
  const { session, lines } = inProcess({ setting: embeddedSetting() })
  await survey(session)
  let n = 0
  await fc.assert(
    fc.asyncProperty(programSeed(operations, 30), async (seeds) => {
      n += 1
      const { findings } = await wander(session, `random ${n}`, seeds)
      expect(
        findings.map(({ id, summary, because, steps }) => ({
          id,
          summary,
          because,
          steps: steps.map(({ line }) => line),
        })),
      ).toEqual([])
    }),
    { seed: 1, numRuns: 60, endOnFailure: true },
  )
  const steps = lines.flatMap((line) => (line.type === 'step' ? [line] : []))
  expect(steps.filter(({ expects }) => expects === 'refuse').length).toBeGreaterThan(steps.length / 50)
}, 120_000)
