// A gateway that repeats its reply to an equal write for a while is given time to forget it when a program is sent again.
import { expect, test } from 'vitest'
import { resend } from '../../driver/replay.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

test('an equal write that was answered alike waits, and any other does not', async () => {
  const pauses: number[] = []
  const { session } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => ({
    ...plain,
    sleep: async (ms) => void pauses.push(ms),
  }))
  const create = operationById('tags.create') as Operation
  const remove = operationById('tags.delete') as Operation
  const origin = session.originOf('a tag made twice')
  const make = (label: string) => session.send(origin, create, { as: 'owner', body: { label } }, 'arrange')
  const first = await make('ts-t-a')
  const removed = await session.send(origin, remove, { as: 'owner', path: { tagLabel: 'ts-t-a' } }, 'arrange')
  const again = await make('ts-t-a')
  const other = await make('ts-t-b')
  await resend(session, origin, [first, removed, other], 'ts-t')
  expect(pauses).toEqual([])
  await resend(session, origin, [first, removed, again], 'ts-t')
  expect(pauses).toEqual([2000])
})
