// What is forbidden once although nothing forbids it, and what is forbidden each time.
import { expect, it } from 'vitest'
import type { SessionOptions } from '../../driver/session.js'
import { survey } from '../../driver/survey.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const op = (id: string): Operation => operationById(id) as Operation
const forbidden = { status: 403, body: { errors: [{ field: '', reason: 'Unauthorized' }] } }

/** Sends calls through what forbids those of an operation, `times` of them, before or after the target has done them. */
const behind = async (id: string, times: number, isDone = false) => {
  let left = times
  let sent = 0
  const adapt = (options: SessionOptions): SessionOptions => ({
    ...options,
    transport: {
      send: async (call, step) => {
        if (call.operation === id) sent += 1
        if (call.operation !== id || left === 0) return options.transport.send(call, step)
        left -= 1
        if (isDone) await options.transport.send(call, step)
        return forbidden
      },
    },
  })
  const { session, lines } = inProcess({ environment: embeddedEnvironment(), seed: 1 }, 'ts-t', adapt)
  await survey(session)
  const origin = session.originOf('a program')
  const made = await session.send(
    origin,
    op('volumes.create'),
    { as: 'owner', body: { label: 'ts-t-1', region: 'r1', size: 20 } },
    'check',
  )
  const path = { volumeId: made.judgement.made ?? '0' }
  const seen = await session.send(origin, op('volumes.view'), { as: 'owner', path }, 'check')
  const assumed = lines.flatMap((line) => (line.type === 'assumed' ? [line.assumed] : []))
  return { told: [...made.deviations, ...seen.deviations].map(({ clause }) => clause), sent, assumed }
}

it.each(['volumes.create', 'volumes.view'])(
  '%s that is forbidden once and not the next time was not forbidden by the target',
  async (id) => {
    expect(await behind(id, 1)).toEqual({ told: [], sent: 2, assumed: ['gateway 403'] })
  },
)

it('what is forbidden each time is the target’s doing', async () => {
  const { told, assumed } = await behind('volumes.view', 999)
  expect(told).toContain('volumes.view.accepts')
  expect(assumed).toEqual([])
})

it('a creation that was done and forbidden is not sent twice', async () => {
  expect((await behind('volumes.create', 1, true)).sent).toBe(1)
})
