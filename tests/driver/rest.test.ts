// How long a resource is waited for until it has come to rest.
import { expect, test } from 'vitest'
import { settle } from '../../driver/rest.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { volumes } from '../../models/volumes/record.js'
import { createAfar } from '../../reference/afar.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

test('where every second look is lost, no resource is waited for longer than the one before', async () => {
  const afar = createAfar(() => 1)
  let looks = 0
  const { session } = inProcess(
    { environment: embeddedEnvironment(), clock: afar.now, restAfter: { ms: 300 } },
    'ts-t',
    (plain) => {
      const { adapt } = afar
      const send: typeof plain.transport.send = async (call, step) => {
        if (call.operation === 'volumes.view') looks += 1
        return looks % 2 === 1 ? { status: 502 } : plain.transport.send(call, step)
      }
      return adapt({ ...plain, settleMs: 60_000, transport: { send } })
    },
  )
  const op = operationById('volumes.create') as Operation
  const origin = session.originOf('p')
  const waited: number[] = []
  for (let i = 0; i < 8; i += 1) {
    looks = 0
    const body = { label: `ts-t-${i}`, region: 'r1' }
    const { judgement } = await session.send(origin, op, { body, as: 'owner' }, 'check')
    await settle(session, origin, volumes, judgement.made as string, {})
    waited.push(session.rests.get('volumes') ?? 0)
  }
  expect(Math.max(...waited)).toBeLessThan(600)
})

test('one resource that took long does not make all others wait as long', async () => {
  const afar = createAfar(() => 1)
  const { session } = inProcess(
    { environment: embeddedEnvironment(), clock: afar.now, restAfter: { ms: 300 } },
    'ts-t',
    (plain) => afar.adapt({ ...plain, settleMs: 60_000 }),
  )
  session.rests.set('volumes', 20_000)
  const op = operationById('volumes.create') as Operation
  const origin = session.originOf('p')
  for (let i = 0; i < 20; i += 1) {
    const body = { label: `ts-t-${i}`, region: 'r1' }
    const { judgement } = await session.send(origin, op, { body, as: 'owner' }, 'check')
    await settle(session, origin, volumes, judgement.made as string, {})
  }
  expect(session.rests.get('volumes')).toBeLessThan(600)
})

test('on a target that gives no answer any more nothing is waited for', async () => {
  const afar = createAfar(() => 1)
  let isSilent = false
  const { session } = inProcess(
    { environment: embeddedEnvironment(), clock: afar.now, restAfter: { ms: 300 } },
    'ts-t',
    (plain) => {
      const send: typeof plain.transport.send = async (call, step) => {
        if (!isSilent) return plain.transport.send(call, step)
        await afar.sleep(10_000)
        return { lost: 'timeout' }
      }
      return afar.adapt({ ...plain, settleMs: 60_000, transport: { send } })
    },
  )
  const [create, list] = ['volumes.create', 'tags.list'].map((id) => operationById(id) as Operation)
  if (!create || !list) throw new Error('expected both operations')
  const origin = session.originOf('p')
  await session.send(origin, list, { as: 'owner' }, 'read')
  const { judgement } = await session.send(
    origin,
    create,
    { body: { label: 'ts-t-1', region: 'r1' }, as: 'owner' },
    'check',
  )
  isSilent = true
  while (session.gone() === undefined) await session.send(origin, list, { as: 'owner' }, 'read')
  const goneAt = afar.now()
  await settle(session, origin, volumes, judgement.made as string, {})
  expect(afar.now() - goneAt).toBeLessThan(1000)
})
