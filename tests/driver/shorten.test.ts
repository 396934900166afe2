// A finding is told by the fewest calls, about the fewest resources and with the fewest members, as the target itself shows.
import { expect, test } from 'vitest'
import { planProgram } from '../../arbitraries/plan.js'
import { runProgram } from '../../driver/programs.js'
import { triesOf } from '../../driver/shorten.js'
import type { Made } from '../../models/language/plan.js'
import { volumes } from '../../models/volumes/record.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'
import { spares } from '../models/faulty.js'

const far = 103

/** The calls of the finding that a copy of a copy, attached to a node in another region, leads to. */
const toldOf = async (isSpared: (tags: readonly string[]) => boolean) => {
  const fault = spares<{ refs: { volumeId: { tags: readonly string[] } } }>(
    'volumes.attach',
    'same-region',
    ({ refs }) => isSpared(refs.volumeId.tags),
  )
  const { session } = inProcess({ environment: embeddedEnvironment(), fault })
  const program = planProgram('a copy of a copy', session.context, (plan) => {
    const tags = [plan.name()]
    const copied = ({ id }: Made): Made =>
      plan.call('volumes.clone', { path: { volumeId: id }, body: { label: plan.name() } })
    const third = copied(copied(plan.make(volumes, { region: 'r1', size: 21, tags })))
    plan.check('volumes.attach', { path: { volumeId: third.id }, body: { node_id: far } })
  })
  const { findings } = await runProgram(session, program)
  return findings.map(({ clause, steps }) => [
    clause,
    steps.map(({ call }) => [call.operation, ...Object.keys(call.body ?? {})].join(' ')),
  ])
}

test('a copy is told by its original where that does as well, with no more than it takes', async () => {
  expect(await toldOf(() => true)).toEqual([
    ['volumes.attach.same-region', ['volumes.create label region', 'volumes.attach node_id']],
  ])
})

test('what it takes stays', async () => {
  expect(await toldOf((tags) => tags.length > 0)).toEqual([
    ['volumes.attach.same-region', ['volumes.create label region tags', 'volumes.attach node_id']],
  ])
})

test('programs are sent again to make findings plainer only so often for one and in a run, and for so long', () => {
  const { session } = inProcess({ environment: embeddedEnvironment() })
  let now = 0
  const timed = { ...session, options: { ...session.options, clock: () => now } }
  const taken = (mayTry: () => boolean): number => {
    let times = 0
    while (times < 1000 && mayTry()) times += 1
    return times
  }
  const late = triesOf(timed)
  expect(late()).toBe(true)
  now = 60_000
  expect(late()).toBe(false)
  const each = [1, 2, 3, 4, 5, 6, 7].map(() => taken(triesOf(timed)))
  expect(each).toEqual([24, 24, 24, 24, 23, 0, 0])
})
