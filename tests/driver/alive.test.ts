// What a run made and could not remove stays below what the target file allows.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { probeFor } from '../../arbitraries/probes.js'
import { programSeed, type StepSeed, stepSeed } from '../../arbitraries/programs.js'
import { createAlive } from '../../driver/alive.js'
import { runProgram } from '../../driver/programs.js'
import { randomWalk } from '../../driver/random-walk.js'
import { walkList } from '../../driver/walk.js'
import { allClauses, operationById } from '../../models/index.js'
import type { AnyTable, Operation } from '../../models/language/operation.js'
import { live } from '../../models/language/world.js'
import { tags } from '../../models/tags/record.js'
import { volumes } from '../../models/volumes/record.js'
import { createAfar } from '../../reference/afar.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const environment = { ...embeddedEnvironment(), exclusive: false }
const limited = { ...environment, safety: { ...environment.safety, maxLive: { default: 20, volumes: 3 } } }
const create = operationById('volumes.create') as Operation
const clone = operationById('volumes.clone') as Operation

test('whatever operation makes them, no more are made once some stay and the limit is reached', () => {
  const alive = createAlive(limited)
  for (const key of ['1', '2', '?3']) alive.hear({ event: 'created', kind: 'volumes', key })
  expect(alive.bars(create)).toBe(undefined)
  alive.hear({ event: 'left', kind: 'volumes', key: '?3' })
  expect([alive.bars(create), alive.bars(clone)]).toEqual(
    Array(2).fill('3 volumes of the run may be alive, some of which could not be removed, and safety.maxLive allows 3'),
  )
  expect(alive.bars(operationById('firewalls.create') as Operation)).toBe(undefined)
  // It was made under an unknown id, and is removed under its own.
  alive.hear({ event: 'removed', kind: 'volumes', key: '77' })
  expect(alive.bars(create)).toBe(undefined)
})

test('what was not asked to go keeps nothing from being made, nor what had to stay; what should have gone does', () => {
  const alive = createAlive(environment)
  const makes = operationById('buckets.create') as Operation
  const leave = (key: string, isStuck?: true) =>
    alive.hear({ event: 'left', kind: 'buckets', key, ...(isStuck && { isStuck }) })
  for (const key of ['a', 'b', 'c']) leave(key)
  expect(alive.stops(makes)).toBe(undefined)
  for (const key of ['a', 'b', 'c']) leave(key, true)
  expect(alive.stops(makes)).toBe('the latest 3 buckets of the run could not be removed')
})

test('a target of whose creations no reply can be read holds no more of them than it may, and the run says why', async () => {
  const { session, embedded, lines } = inProcess({ environment: limited, seed: 1 }, 'ts-t', (options) => ({
    ...options,
    transport: {
      send: async (call, n) => {
        const outcome = await options.transport.send(call, n)
        return 'body' in outcome ? { status: outcome.status, text: '\ufeff{}' } : outcome
      },
    },
  }))
  const before = live(embedded.world(), volumes).length
  for (const slug of ['accepts', 'shows.size', 'shows.label', 'shows.region', 'body.size.default', 'json']) {
    const clause = allClauses().find(({ id }) => id === `volumes.create.${slug}`)
    const probe = probeFor(
      clause ?? (allClauses().find(({ id }) => id === 'volumes.create.accepts') as never),
      session.context,
    )
    if (probe.kind === 'program') await runProgram(session, probe.program)
  }
  expect(live(embedded.world(), volumes).length - before).toBe(3)
  expect(lines.flatMap((line) => (line.type === 'trouble' ? [line.text] : []))).toEqual([
    expect.stringMatching(/^volumes\.create is not sent any more: 3 volumes of the run may be alive/),
  ])
})

test('random programs give what they make no more tags than there may be', async () => {
  const few = { ...environment, safety: { ...environment.safety, maxLive: { default: 20, tags: 3 } } }
  const { session, embedded } = inProcess({ environment: few, seed: 1 }, 'ts-t', (options) => ({
    ...options,
    transport: {
      send: async (call, n) => {
        const outcome = await options.transport.send(call, n)
        most = Math.max(most, live(embedded.world(), tags).length - before)
        return outcome
      },
    },
  }))
  const before = live(embedded.world(), tags).length
  let most = 0
  const chosen = ['volumes.create', 'volumes.update', 'firewalls.create', 'tags.create'].map(
    (id) => operationById(id) as Operation,
  )
  const programs = fc.sample(programSeed(chosen, 20), { seed: 5, numRuns: 8 })
  for (const [n, seeds] of programs.entries()) await randomWalk(session, `program ${n}`, seeds)
  expect(most).toBeGreaterThan(0)
  expect(most).toBeLessThanOrEqual(3)
})

test('random programs name what they make as something else is named', async () => {
  const { session, lines } = inProcess({ environment, seed: 1 })
  const [seed] = fc.sample(stepSeed([operationById('firewalls.create') as Operation]), { seed: 1, numRuns: 1 })
  const plain = { ...(seed as StepSeed), full: false, edge: null, caller: null, borrowed: null }
  const refusals = async (borrowed: number | null): Promise<number> => {
    const from = lines.length
    await randomWalk(session, 'program', [plain, { ...plain, borrowed }])
    return lines.slice(from).filter((line) => line.type === 'step' && line.expects === 'refuse').length
  }
  expect([await refusals(null), await refusals(0)]).toEqual([0, 1])
})

test('random programs take no id from what they have made: it may be that of something else', async () => {
  const { session, lines } = inProcess({ environment, seed: 1 })
  const [seed] = fc.sample(stepSeed([operationById('firewall-devices.create') as Operation]), { seed: 1, numRuns: 1 })
  const steps = [0, 1, 2, 3].map((borrowed) => ({ ...(seed as StepSeed), edge: null, caller: null, borrowed }))
  await randomWalk(session, 'program', steps)
  const given = lines.flatMap((line) =>
    line.type === 'step' && line.call.operation === 'firewall-devices.create'
      ? [(line.call.body as { id: number }).id]
      : [],
  )
  const lent = [...(environment.fixtures.nodes ?? []), ...(environment.fixtures.nodebalancers ?? [])].map(
    ({ id }) => id,
  )
  expect(given.length).toBeGreaterThan(1)
  expect(given.filter((id) => !lent.includes(id))).toEqual([])
})

test('after a few in a row that could not be removed, of one kind or of all, no more are made until one is removed', () => {
  const alive = createAlive(environment)
  const createTag = operationById('tags.create') as Operation
  const leave = (kind: string, ...keys: readonly string[]): void => {
    for (const key of keys) {
      alive.hear({ event: 'created', kind, key })
      alive.hear({ event: 'left', kind, key, isStuck: true })
    }
  }
  leave('volumes', '1', '2')
  alive.hear({ event: 'left', kind: 'volumes', key: '2', isStuck: true })
  expect(alive.stops(create)).toBe(undefined)
  leave('volumes', '3')
  expect([alive.stops(create), alive.stops(createTag)]).toEqual([
    'the latest 3 volumes of the run could not be removed',
    undefined,
  ])
  leave('firewalls', '4', '5')
  expect(alive.stops(createTag)).toBe('the latest 5 things of the run could not be removed')
  alive.hear({ event: 'removed', kind: 'firewalls', key: '5' })
  expect(alive.stops(createTag)).toBe(undefined)
  expect(alive.stops(create)).not.toBe(undefined)
  alive.hear({ event: 'removed', kind: 'volumes', key: '1' })
  expect(alive.stops(create)).toBe(undefined)
})

test('to show findings again a few more are made, though not without an end', () => {
  const alive = createAlive(environment)
  const leave = (key: number): void => {
    alive.hear({ event: 'created', kind: 'volumes', key: `${key}` })
    alive.hear({ event: 'left', kind: 'volumes', key: `${key}`, isStuck: true })
  }
  // Nothing is left yet.
  alive.spare()
  for (const key of [1, 2, 3]) leave(key)
  expect(alive.stops(create)).toBe('the latest 3 volumes of the run could not be removed')
  alive.spare()
  expect(alive.stops(create)).toBe(undefined)
  for (let key = 4; key < 100; key += 1) {
    leave(key)
    alive.spare()
  }
  expect(alive.stops(create)).toBe('the latest 15 volumes of the run could not be removed')
})

/** A target before which nothing is let through that removes, for so long; probes of making volumes. */
const withoutRemovals = async (shutMs: number) => {
  const afar = createAfar(() => 1)
  const { session, embedded, lines } = inProcess({ environment, seed: 1, clock: afar.now }, 'ts-t', (options) =>
    afar.adapt({
      ...options,
      transport: {
        send: async (call, n) => {
          const isShut = call.method === 'DELETE' && afar.now() < shutMs
          return isShut
            ? { status: 405, text: '<h1>405</h1>', contentType: 'text/html' }
            : options.transport.send(call, n)
        },
      },
    }),
  )
  const before = live(embedded.world(), volumes).length
  const counts: number[] = []
  const clause = allClauses().find(({ id }) => id === 'volumes.create.accepts')
  for (let time = 0; clause && time < 10; time += 1) {
    const probe = probeFor(clause, session.context)
    if (probe.kind === 'program') await runProgram(session, probe.program, clause)
    await session.options.sleep(5000)
    counts.push(live(embedded.world(), volumes).length - before)
  }
  const left = lines.flatMap((line) => (line.type === 'left' && !line.gone ? [line.key] : []))
  const gone = lines.flatMap((line) => (line.type === 'left' && line.gone ? [line.key] : []))
  const troubles = lines.flatMap((line) => (line.type === 'trouble' ? [line.text] : []))
  return { counts, troubles, told: left, left: left.filter((key) => !gone.includes(key)) }
}

test('where no removal is let through, little is made, and all of it is told', async () => {
  const { counts, troubles, left } = await withoutRemovals(Number.POSITIVE_INFINITY)
  const most = Math.max(...counts)
  expect([most, new Set(left).size]).toEqual([counts.at(-1), most])
  expect(most).toBeLessThan(8)
  expect(troubles).toEqual([expect.stringContaining('could not be removed, though that was tried for 30 s')])
})

test('what could not be removed for a while is removed later', async () => {
  const { counts, troubles, told, left } = await withoutRemovals(25_000)
  expect(told.length).toBeGreaterThan(2)
  expect([counts.at(-1), left, troubles]).toEqual([0, [], []])
})

test.each([
  ['tags.list', tags, true, 30, 40],
  ['tags.list', tags, false, 1, 7],
  ['tags.view', volumes, true, 30, 40],
  ['tags.view', volumes, false, 0, 7],
] as const)(
  'before many of a kind are made to fill %s, one has to have been removed',
  async (list, kind, isRemovable, least, most) => {
    const { session, embedded } = inProcess({ environment, seed: 1 }, 'ts-t', (options) => ({
      ...options,
      transport: {
        send: async (call, n) => {
          const outcome =
            call.method === 'DELETE' && !isRemovable
              ? { status: 403, body: { message: 'Forbidden' }, contentType: 'application/json' }
              : await options.transport.send(call, n)
          made = Math.max(made, live(embedded.world(), kind as AnyTable).length - before)
          return outcome
        },
      },
    }))
    const before = live(embedded.world(), kind as AnyTable).length
    let made = 0
    const op = operationById(list) as Operation
    const { untested } = await walkList(session, { op, records: 30, pageSizes: [25] })
    expect(made).toBeGreaterThanOrEqual(least)
    expect(made).toBeLessThanOrEqual(most)
    if (!isRemovable) expect(untested).toMatch(/could be made, or none of them be removed again$/)
  },
)

test('a target whose records tell no ids is asked on, though nothing of that kind can be removed', async () => {
  const { session, lines } = inProcess({ environment, seed: 1 }, 'ts-t', (options) => ({
    ...options,
    transport: {
      send: async (call, n) => {
        const outcome = await options.transport.send(call, n)
        if (!('body' in outcome) || !call.operation.startsWith('managed-contacts')) return outcome
        const { id: _, ...body } = outcome.body as { readonly id?: number; readonly data?: readonly object[] }
        const data = body.data?.map(({ id: _own, ...record }: { readonly id?: number }) => record)
        return { ...outcome, body: data ? { ...body, data } : body }
      },
    },
  }))
  for (const id of ['managed-contacts.create.accepts', 'volumes.create.accepts']) {
    const clause = allClauses().find((one) => one.id === id)
    const probe = clause && probeFor(clause, session.context)
    if (probe?.kind === 'program') await runProgram(session, probe.program, clause)
  }
  const of = (operation: string) => lines.filter((line) => line.type === 'step' && line.call.operation === operation)
  expect(lines.filter((line) => line.type === 'left').length).toBeGreaterThan(4)
  expect(of('volumes.create').filter((line) => line.type === 'step' && 'lost' in line.outcome)).toEqual([])
  expect(of('volumes.create')).not.toEqual([])
})
