// What a creation without a reply has made is looked for; where its list does not show it, it is not told to be there.
import { expect, test } from 'vitest'
import { clean } from '../../driver/clean-up.js'
import { survey } from '../../driver/survey.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const create = operationById('tags.create') as Operation

/** What the ledger has as created, and what is removed, where creations are turned away by a page or come to the target without a reply. */
const after = async (comes: boolean) => {
  const removed = new Set<string>()
  const { session, ledger } = inProcess({ environment: embeddedEnvironment() }, 'ts-t', (plain) => ({
    ...plain,
    transport: {
      send: async (call, step) => {
        if (call.method === 'GET') return plain.transport.send(call, step)
        if (call.method === 'DELETE') removed.add(call.url)
        if (comes) await plain.transport.send(call, step)
        return { status: 403, text: '<h1>403</h1>', contentType: 'text/html' }
      },
    },
  }))
  await survey(session)
  for (let i = 0; i < 12; i += 1) {
    const origin = session.originOf(`creation ${i}`)
    await session.sendTogether(
      origin,
      [0, 1].map((k) => [{ op: create, args: { as: 'owner', body: { label: `ts-t-${i}-${k}` } } }]),
    )
    await clean(session, origin, 0)
  }
  return [ledger.filter(({ event }) => event === 'created').length, removed.size]
}

test('what was never made is neither noted as created nor removed, however many creations had no reply', async () => {
  expect(await after(false)).toEqual([0, 0])
})

test('what was made is noted and removed', async () => {
  expect(await after(true)).toEqual([24, 24])
})
