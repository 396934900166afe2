// What a random program sends, step by step.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type StepSeed, stepSeed } from '../../arbitraries/programs.js'
import { randomWalk } from '../../driver/random-walk.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

test('an operation that comes again on the same resource has other values, where each has to go beyond the one before', async () => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1, restAfter: 1 })
  const [seed] = fc.sample(stepSeed([operationById('volumes.resize') as Operation]), { seed: 1, numRuns: 1 })
  const plain = { ...(seed as StepSeed), reuses: true, edge: null, caller: null, stale: false, borrowed: null }
  await randomWalk(session, 'program', [plain, plain, plain])
  const resized = lines.flatMap((line) =>
    line.type === 'step' && line.call.operation === 'volumes.resize'
      ? [[line.call.path?.volumeId, line.call.body, 'status' in line.outcome && line.outcome.status]]
      : [],
  )
  const [volume] = resized[0] ?? []
  expect(resized).toEqual([21, 22, 23].map((size) => [volume, { size }, 200]))
})

test('an operation that comes again has other choices, and gives one of what it may leave out where that is asked for', async () => {
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1, restAfter: 1 })
  const [seed] = fc.sample(stepSeed([operationById('bucket-access.update') as Operation]), { seed: 1, numRuns: 1 })
  const plain = {
    ...(seed as StepSeed),
    reuses: true,
    edge: null,
    caller: null,
    stale: false,
    borrowed: null,
    full: true,
  }
  await randomWalk(session, 'program', [plain, plain, plain, { ...plain, only: 0 }, { ...plain, only: 1 }])
  const [first, second, third, ...alone] = lines.flatMap((line) =>
    line.type === 'step' && line.call.operation === 'bucket-access.update' ? [line.call.body as object] : [],
  )
  const changed = (one: object = {}, other: object = {}): number =>
    Object.entries(one).filter(([name, value]) => Reflect.get(other, name) !== value).length
  expect([changed(first, second), changed(second, third)]).toEqual([1, 2])
  expect(alone.map((body) => Object.keys(body)).sort()).toEqual([['acl'], ['cors_enabled']])
})

test('random programs make no more of what nothing removes than may be alive, all together', async () => {
  const plainly = embeddedEnvironment()
  const environment = { ...plainly, safety: { ...plainly.safety, maxLive: { default: 20, ips: 3, tickets: 2 } } }
  const { session, lines } = inProcess({ environment, seed: 1, restAfter: 1 })
  const chosen = ['ips.allocate', 'tickets.create'].map((id) => operationById(id) as Operation)
  const seeds = fc.sample(stepSeed(chosen), { seed: 1, numRuns: 40 })
  for (const seed of seeds)
    await randomWalk(session, 'program', [{ ...seed, edge: null, caller: null, borrowed: null }])
  const made = (id: string): number =>
    lines.filter(
      (line) =>
        line.type === 'step' && line.call.operation === id && 'status' in line.outcome && line.outcome.status === 200,
    ).length
  expect([made('ips.allocate'), made('tickets.create')]).toEqual([3, 2])
})
