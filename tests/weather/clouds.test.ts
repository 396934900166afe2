// A part of the weather, another one with each seed: a clean target behind it gives no finding, and a broken one is caught all the same.
import { describe, expect, test } from 'vitest'
import { operations } from '../../models/index.js'
import { diagnose } from '../../oracle/diagnosis/diagnose.js'
import type { Fault } from '../../reference/handler.js'
import { mutantsOf } from '../../reference/mutants/mutants.js'
import { secondOrderOf } from '../../reference/mutants/second-order.js'
import { seed } from '../seed.js'
import { type CloudName, clouds, runBehind, saying } from './clouds.js'

/** Of the others, some answer as no target may, and some have tests of their own. */
const broken = [
  'bodies lost',
  'objects emptied',
  'bodies of views of volumes lost',
  'reads of another state',
  'two states at random',
  'pages in place of tags',
  'replies swapped',
  'replies cached for any token',
  'a limit by 403 for good',
  'a third of writes done 1 s after a 504',
  'a restart that forgets all',
]
const names = Object.keys(clouds).filter((name) => name !== 'clean' && !broken.includes(name)) as CloudName[]
const areas = ['tags', 'volumes', 'networking', 'managed', 'support', 'object-storage']

/** All of them in turn, from one seed to the next. */
const some = [0, 1, 2].map(
  (i) => [names[(3 * seed + i) % names.length] as CloudName, areas[(seed + i) % areas.length] as string, seed] as const,
)

describe('a clean target', () => {
  test.each(some)('behind %s, in %s, with TOUCHSTONE_SEED=%i, gives no finding', async (cloud, area, seed) => {
    const { findings, troubles, held, requests, ms } = await runBehind({
      cloud,
      areas: [area],
      seed,
      width: 1,
      oneIn: 16,
    })
    expect(findings.map(({ id, received }) => `${id}: ${received}`)).toEqual([])
    expect(troubles).toEqual([])
    expect(held.length).toBeGreaterThan(5)
    expect(requests).toBeGreaterThan(20)
    expect(ms).toBeLessThan(300_000)
  })
})

test('an address that was allocated by a call whose reply was lost is none that nobody asked for, nor is it looked for for ever', async () => {
  const tasks = /^ips\.(allocate|list)/
  const asked = { areas: ['networking'], tasks, seed: 2, width: 1 }
  const clean = await runBehind({ ...asked, cloud: 'clean' })
  const { findings, requests } = await runBehind({ ...asked, cloud: 'replies lost' })
  expect(findings).toEqual([])
  expect(requests).toBeLessThan(1.4 * clean.requests)
})

test('a range whose creation had no reply is removed, though an earlier one that had none might have made it', async () => {
  const asked = { areas: ['networking'], tasks: /^ipv6-ranges\./, seed: 2, width: 1 }
  const clean = await runBehind({ ...asked, cloud: 'clean' })
  const { findings, held } = await runBehind({ ...asked, cloud: 'two creations of ranges lost' })
  const missing = clean.held.filter(({ id }) => !held.some((one) => one.id === id)).map(({ id }) => id)
  expect([findings, missing]).toEqual([[], []])
})

test('a bucket whose creation had no reply is removed from the cluster that it is in', async () => {
  const asked = { areas: ['object-storage'], tasks: /^buckets\.(create|list)/, seed: 3, width: 1 } as const
  const { findings, astray, requests } = await runBehind({ ...asked, cloud: 'every eighth reply lost', oneIn: 3 })
  expect([findings, astray.filter((url) => url.includes('//'))]).toEqual([[], []])
  expect(requests).toBeGreaterThan(50)
})

test('a bucket whose creation had no reply is not taken for another one whose creation had none either', async () => {
  const asked = { areas: ['object-storage'], tasks: /^buckets\.create/, seed: 3, width: 8 } as const
  const { findings, misnamed } = await runBehind({ ...asked, cloud: 'gateways with an envelope', met: 8 })
  expect([findings, misnamed]).toEqual([[], []])
})

describe('more writes than can be followed, done a second after they were answered 504,', () => {
  const cloud = 'a third of writes done 1 s after a 504'

  test.each([3, 4])('are held against nobody, seed %i', async (fixed) => {
    const { findings } = await runBehind({ cloud, areas: ['managed'], seed: fixed, width: 1, oneIn: 8 })
    expect(findings).toEqual([])
  })

  test('excuse no update that is lost for ever', async () => {
    const fault = operations
      .flatMap(mutantsOf)
      .find(({ id }) => id === 'managed-node-settings.update: loses its effect')
      ?.arm().fault as Fault
    const { findings } = await runBehind({
      cloud,
      areas: ['managed'],
      tasks: /^managed-node-settings\.update\.accepts/,
      met: 8,
      seed: 1,
      width: 1,
      target: { fault },
    })
    expect(findings.map(({ id }) => id).filter((id) => id.startsWith('managed-node-settings.update.'))).not.toEqual([])
  })
})

describe('removals that are sent twice on their way', () => {
  const asked = {
    cloud: 'removals sent twice',
    areas: ['volumes', 'tags'],
    tasks: /delete|list|attach/,
    seed: 5,
    width: 1,
  } as const

  test('now and then are held against nobody, and cost no clause', async () => {
    const clean = await runBehind({ ...asked, cloud: 'clean' })
    const { findings, troubles, held } = await runBehind(asked)
    expect([findings, troubles]).toEqual([[], []])
    expect(held.map(({ id }) => id)).toEqual(expect.arrayContaining(clean.held.map(({ id }) => id)))
  })

  test.each([
    ['volumes', 41],
    ['tags', 7],
    ['networking', 218838996],
  ])(
    'as early as the target may not have shown what it made are not blamed on other calls either: %s, seed %i',
    async (area, seed) => {
      const { findings, troubles } = await runBehind({ cloud: asked.cloud, areas: [area], seed, width: 1, oneIn: 16 })
      expect([findings, troubles]).toEqual([[], []])
    },
  )

  test('always are what the target does', async () => {
    const { findings } = await runBehind({ ...asked, areas: ['tags'], met: 1 })
    expect(findings.map(({ id }) => id)).toContain('tags.delete.accepts:refused')
  })
})

test.each([5, 7])(
  'replies that two calls swap are told as that, and held against no clause, seed %i',
  async (fixed) => {
    const asked = { areas: ['tags', 'volumes'], seed: fixed, width: 8 }
    const { findings, gone } = await runBehind({ ...asked, cloud: 'replies swapped' })
    expect(findings).toEqual([])
    expect(gone).toMatch(/^answers calls that are under way at once with each other's replies \(.* and .*; .*\): see/)
  },
)

describe('replies that lose their bodies now and then', () => {
  const asked = { areas: ['tags', 'volumes'], seed: 7, oneIn: 8 }
  const others = ['support', 'object-storage']

  test.each([
    ['bodies lost', 1, asked.areas],
    ['bodies lost', 8, asked.areas],
    ['objects emptied', 1, asked.areas],
    ['objects emptied', 8, asked.areas],
    ['objects emptied', 1, others],
  ] as const)('whatever was asked, as in %s, %i at a time, are held against nobody', async (cloud, width, areas) => {
    const { findings, assumed, held, ms } = await runBehind({ ...asked, areas, cloud, width })
    expect(findings.map(({ id, received }) => `${id}: ${received}`)).toEqual([])
    expect(assumed).toContain('gateway 200')
    expect(held.length).toBeGreaterThan(200)
    expect(ms).toBeLessThan(60_000)
  })

  test('where one operation alone is asked are what it does', async () => {
    const { findings } = await runBehind({ ...asked, cloud: 'bodies of views of volumes lost', width: 1 })
    expect(findings.map(({ operation }) => operation)).toContain('volumes.view')
  })
})

describe('states that are shown at random', () => {
  test.each([
    ['reads of another state', 1, 1],
    ['reads of another state', 1, 2],
    ['two states at random', 1, 2],
    ['two states at random', 8, 2],
  ] as const)('as in %s, %i at a time, seed %i, are soon told as that', async (cloud, width, seed) => {
    const { findings, gone, requests, ms } = await runBehind({
      cloud,
      areas: ['tags', 'volumes'],
      seed,
      width,
      oneIn: 8,
    })
    expect(findings).toEqual([])
    expect(gone).toMatch(/^shows .* as changed at one look and not at the next, as several targets do/)
    expect(requests).toBeLessThan(1500)
    expect(ms).toBeLessThan(60_000)
  })

  test.each([
    [102, ['tags', 'volumes']],
    [105, ['managed', 'support']],
    [143, ['object-storage', 'tags']],
  ])('by one call in ten are told as that, and nothing else, seed %i, in %s', async (seed, areas) => {
    const asked = { cloud: 'two states at random', met: 10, seed, width: 1, oneIn: 8 } as const
    const { findings, gone } = await runBehind({ ...asked, areas })
    expect(findings).toEqual([])
    expect(gone).toMatch(/^shows .* as changed at one look and not at the next, as several targets do/)
  })

  test('by one operation alone are its fault', async () => {
    const id = 'volumes.view: shows by turns what was before'
    const fault = operations
      .flatMap(secondOrderOf)
      .find((one) => one.id === id)
      ?.arm().fault as Fault
    const asked = { cloud: 'clean', areas: ['volumes'], seed: 1, width: 1, oneIn: 4, target: { fault } } as const
    const { findings, gone } = await runBehind(asked)
    expect(gone).toBeUndefined()
    expect(findings.map(({ level, operation }) => `${level} ${operation}`)).toContain('must volumes.view')
  })

  test('but for a replica that is behind, which is waited for', async () => {
    const asked = { areas: ['tags', 'volumes'], seed: 1, width: 8, oneIn: 16 }
    const { findings, gone, held } = await runBehind({ ...asked, cloud: 'every second read late' })
    expect([findings, gone]).toEqual([[], undefined])
    expect(held.length).toBeGreaterThan(200)
  })
})

test('updates that a proxy sends again later, after others, are held against nobody, and cost no clause', async () => {
  const asked = { areas: ['managed'], tasks: /^managed-node-settings/, seed: 7, width: 1 }
  const clean = await runBehind({ ...asked, cloud: 'clean' })
  const { findings, troubles, held } = await runBehind({ ...asked, cloud: 'updates sent again later' })
  expect([findings, troubles]).toEqual([[], []])
  expect(held.map(({ id }) => id)).toEqual(clean.held.map(({ id }) => id))
})

test('nor are two of them in one run of a program', async () => {
  const asked = { areas: ['managed'], seed: 20781, width: 1, oneIn: 16 }
  const { findings, troubles } = await runBehind({ ...asked, cloud: 'updates sent again later' })
  expect([findings, troubles]).toEqual([[], []])
})

test('pages in place of every reply of an operation are told, also where programs that need it are run as one', async () => {
  const asked = { areas: ['tags'], tasks: /^tags\.view/, seed: 7, width: 1 }
  const { findings } = await runBehind({ ...asked, cloud: 'pages in place of tags' })
  expect(findings.map(({ id }) => id)).toEqual(['tags.view.json:no-reply'])
})

test('a cache that ignores Authorization is told as that, and as nothing else', async () => {
  const tasks = /^(volumes|tags)\.(view|list|clone)/
  const { findings, held } = await runBehind({
    cloud: 'replies cached for any token',
    areas: ['volumes', 'tags'],
    tasks,
    seed: 3,
    width: 1,
  })
  const causes = diagnose(findings, new Set(held.map(({ id }) => id)))
  expect(causes.map(({ id }) => id)).toEqual(['*: serves replies across tokens'])
  expect(causes[0]?.summary).toContain('behaves as if replies were served across tokens')
})

test('a restart that forgets all, at a call drawn from the seed, is told as that, and as nothing else', async () => {
  const at = 103 + 23 * (seed % 26)
  const { findings, held } = await runBehind({
    cloud: 'a restart that forgets all',
    areas: ['networking', 'volumes'],
    tasks: /^(volumes|ips)\.(view|list|create|allocate|update)/,
    seed: 3,
    width: 1,
    restartsAfter: at,
  })
  expect(findings.length, `a restart at call ${at}`).toBeGreaterThan(1)
  const causes = diagnose(findings, new Set(held.map(({ id }) => id)))
  expect({ at, causes: causes.map(({ id }) => id) }).toEqual({ at, causes: ['*: forgets all that it held'] })
})

test('a proxy that drops long bodies costs the clauses that send one, and no other', async () => {
  const asked = { areas: ['support'], tasks: /^tickets\.create/, seed: 7, width: 1 }
  const clean = await runBehind({ ...asked, cloud: 'clean' })
  const { findings, held } = await runBehind({ ...asked, cloud: 'long bodies dropped' })
  const missing = clean.held.filter(({ id }) => !held.some((one) => one.id === id)).map(({ id }) => id)
  expect([findings, missing]).toEqual([
    [],
    ['maxLength', 'characters'].map((slug) => `tickets.create.body.description.${slug}`),
  ])
})

test('a maintenance of 20 s in the middle of a run costs that time, and no clause', async () => {
  const asked = { areas: ['tags'], tasks: /^tags\./, seed: 3, width: 1 }
  const clean = await runBehind({ ...asked, cloud: 'clean' })
  const { findings, troubles, held, requests, ms } = await runBehind({ ...asked, cloud: 'a maintenance' })
  expect([findings, troubles, held]).toEqual([[], [], clean.held])
  expect(requests).toBeLessThan(1.4 * clean.requests)
  expect(ms).toBeGreaterThan(20_000)
})

describe('a target that is not itself for 20 s', () => {
  const asked = { areas: ['tags', 'volumes'], tasks: /^(tags\.(create|list)|volumes\.(view|list))/, seed }

  test.each([
    ['a maintenance that says 200', 1],
    ['a maintenance that says it in a message', 8],
    ['a limit by 403', 8],
    ['a limit by 403', 1],
  ] as const)('as in %s, %i at a time, is waited for', async (cloud, width) => {
    const { findings, troubles, held, assumed, ms } = await runBehind({ ...asked, cloud, width })
    expect([findings, troubles]).toEqual([[], []])
    expect(assumed.some((one) => one.startsWith('gateway'))).toBe(true)
    expect(held.length).toBeGreaterThan(50)
    expect(ms).toBeGreaterThan(20_000)
  })

  test('is told where it stays so', async () => {
    for (const width of [1, 8]) {
      const { findings, gone } = await runBehind({ ...asked, cloud: 'a limit by 403 for good', width })
      expect(findings).toEqual([])
      expect(gone).toMatch(
        /^answers every call alike since step \d+, among them GET \/\S+, which it had given before \(403 /,
      )
    }
  })

  test('is not one that refuses or empties one operation alone', async () => {
    for (const [id, outcome] of [
      ['volumes.view', saying(403, { errors: [{ reason: 'Rate limit exceeded' }] })],
      ['volumes.create', saying(200, { status: 'maintenance' })],
    ] as const) {
      const { findings, gone } = await runBehind({
        ...asked,
        tasks: /^volumes\.view/,
        cloud: 'clean',
        width: 1,
        inPlaceOf: { [id]: outcome },
      })
      expect(findings.map(({ operation }) => operation)).toContain(id)
      expect(gone).toBe(undefined)
    }
  })
})

describe('a target that loses an update', () => {
  const forgetful = operations.flatMap(mutantsOf).find(({ id }) => id === 'volumes.update: loses its effect')

  test.each(some.slice(0, 1))('is caught behind %s', async (cloud) => {
    const fault = forgetful?.arm().fault as Fault
    const { findings } = await runBehind({
      cloud,
      areas: ['volumes'],
      tasks: /^volumes\.update\./,
      seed: 1,
      width: 1,
      target: { fault },
    })
    expect(findings.map(({ id }) => id).filter((id) => id.startsWith('volumes.update.'))).not.toEqual([])
  })
})
