import { describe, expect, test } from 'vitest'
import { createEventWatch } from '../../driver/events.js'
import { operationById } from '../../models/index.js'
import type { Args } from '../../models/language/plan.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import type { Fault } from '../../reference/handler.js'
import { inProcess } from '../../reference/in-process.js'

/** What is found of a key that a target makes without an event. */
const silentFor = async (as: string): Promise<readonly string[]> => {
  const { session } = inProcess({ environment: embeddedEnvironment(), fault: { events: () => [] } })
  const op = operationById('object-keys.create')
  if (!op) throw new Error('no operation object-keys.create')
  const judged = await session.send({ program: 'program' }, op, { body: { label: 'ts-t-1' }, as }, 'check')
  expect(judged.judgement.accepted).toBe(true)
  return judged.deviations.map(({ clause, kind }) => `${clause}:${kind}`)
}

describe('an event that does not come', () => {
  test('is found after a call on the first account', async () =>
    expect(await silentFor('owner')).toEqual(['object-keys.create.emits.obj_access_key_create:silent']))
  test('may be one that the hook does not read after a call on another account', async () =>
    expect(await silentFor('other')).toEqual([]))
})

/** What is found on a target that emits more than it should, after a firewall was made, once in vain, and updated to what it is. */
const loudFor = async (fault: Fault, exclusive = true, refusals = 0): Promise<readonly string[]> => {
  const { session } = inProcess({ environment: { ...embeddedEnvironment(), exclusive }, fault })
  const policies = { inbound: [], inbound_policy: 'DROP', outbound: [], outbound_policy: 'DROP' }
  const found: string[] = []
  const send = async (id: string, args: Args): Promise<string> => {
    const op = operationById(id)
    if (!op) throw new Error(`no operation ${id}`)
    const { deviations, judgement } = await session.send({ program: 'program' }, op, args, 'check')
    found.push(...deviations.map(({ clause, kind, level }) => `${level} ${clause}:${kind}`))
    return judgement.made ?? ''
  }
  const create = (body: object, as: string) => send('firewalls.create', { body: { rules: policies, ...body }, as })
  await create({ label: 'ts-t-1' }, 'other')
  const firewallId = await create({ label: 'ts-t-2' }, 'owner')
  for (const label of ['x', 'y']) await create({ label }, 'owner')
  for (let n = 0; n < refusals; n += 1)
    await send('firewalls.update', { path: { firewallId }, body: { status: 'deleted' }, as: 'owner' })
  for (const status of ['enabled', 'enabled'])
    await send('firewalls.update', { path: { firewallId }, body: { status }, as: 'owner' })
  return found
}

describe('an event that should not come', () => {
  test('is not found where there is none', async () => expect(await loudFor({})).toEqual([]))

  const refused: Fault = {
    events: (events, op, accepted) => (accepted ? events : (op.emits?.map(({ event }) => event) ?? [])),
  }
  test('is found after a refused call', async () =>
    expect(await loudFor(refused)).toEqual(['must firewalls.create.emits.firewall_create.alone:loud']))
  test('may be of another client on a target that others use', async () =>
    expect(await loudFor(refused, false)).toEqual([]))

  test('is found after an update that changes no status', async () =>
    expect(
      await loudFor({ events: (events, { id }) => (id === 'firewalls.update' ? ['firewall_enable'] : events) }),
    ).toEqual(['must firewalls.update.emits.firewall_enable.alone:loud']))

  test('is found after that however many calls were refused before', async () =>
    expect(
      await loudFor(
        {
          events: (events, { id }, accepted) => (id === 'firewalls.update' && accepted ? ['firewall_enable'] : events),
        },
        true,
        60,
      ),
    ).toContain('must firewalls.update.emits.firewall_enable.alone:loud'))

  test('is a should where it came twice', async () =>
    expect(await loudFor({ events: (events) => [...events, ...events] })).toEqual([
      'should firewalls.create.emits.firewall_create.alone:repeated',
    ]))
})

test('an event that is late is waited for hardly longer than it takes', async () => {
  let waited = 0
  const watch = createEventWatch({
    readEvents: async () => (waited < 1500 ? [] : [{ action: 'obj_access_key_create' }]),
    onFailure: (error) => {
      throw error
    },
    sleep: async (ms) => {
      waited += ms
    },
    patienceMs: 60_000,
  })
  const heard = await watch.after(() => [{ event: 'obj_access_key_create', atLeast: 1 }])
  expect(heard?.further).toEqual({ obj_access_key_create: 1 })
  expect(waited).toBeLessThan(1900)
})

test('an event of before that comes in while a run begins is not counted for it', async () => {
  let slept = 0
  const action = 'firewall_create'
  const watch = createEventWatch({
    readEvents: async () => (slept < 1200 ? [] : [{ action }]).concat(slept < 700 ? [] : [{ action }]),
    onFailure: (error) => {
      throw error
    },
    sleep: async (ms) => {
      slept += ms
    },
    patienceMs: 60_000,
  })
  // One comes within the first pause, the other within the second.
  slept = 300
  await watch.begin()
  expect((await watch.after(() => [{ event: action, atLeast: 0 }]))?.further).toEqual({ [action]: 0 })
})

test('what was emitted before the first call is not counted, though the clock of the target is ahead', async () => {
  const log = [{ action: 'firewall_create' }, { action: 'firewall_create' }]
  const asked: Date[] = []
  const watch = createEventWatch({
    readEvents: async (since) => {
      asked.push(since)
      return [...log]
    },
    onFailure: (error) => {
      throw error
    },
    sleep: async () => undefined,
    patienceMs: 1000,
  })
  const before = Date.now()
  await watch.begin()
  log.push({ action: 'firewall_create' })
  await watch.begin()
  const heard = await watch.after(() => [{ event: 'firewall_create', atLeast: 1 }])
  expect(heard?.further).toEqual({ firewall_create: 1 })
  // Nor are those missed whose times are some minutes behind.
  expect(asked.every((since) => since.getTime() < before - 60_000)).toBe(true)
})
