// Tests of a client against the reference: its own behaviour, and by the oracle whether the two understand each other.

import { openHistory } from 'touchstone/oracle'
import { type Reference, startReference } from 'touchstone/reference'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

/** The client under test: it tries again where a gateway refuses. */
const createClient = (baseUrl: string, token: string) => ({
  createVolume: async (label: string, region: string): Promise<{ readonly id: number; readonly status: string }> => {
    for (;;) {
      const reply = await fetch(`${baseUrl}/volumes`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ label, region }),
      })
      if (reply.status === 503) continue
      if (!reply.ok) throw new Error((await reply.json()).errors[0].reason)
      return reply.json()
    }
  },
})

let reference: Reference
beforeAll(async () => {
  reference = await startReference({ restAfter: 'by-hand' })
})
beforeEach(() => {
  reference.reset()
  reference.clearJournal()
})
afterAll(() => reference.close())

test('it tries again after a 503, and makes one volume', async () => {
  reference.disturb({ kind: '503', times: 2 })
  const { status } = await createClient(reference.baseUrl, reference.secrets.owner).createVolume('data', 'r1')
  expect(status).toBe('creating')
  expect(reference.journal().map(({ outcome }) => 'status' in outcome && outcome.status)).toEqual([503, 503, 200])
})

test('it passes the reason of a refusal on', async () => {
  const client = createClient(reference.baseUrl, reference.secrets.owner)
  await expect(client.createVolume('x'.repeat(40), 'r1')).rejects.toThrow('label is longer than 32')
})

test('all that it sent and was answered is as the document says', async () => {
  await createClient(reference.baseUrl, reference.secrets.owner).createVolume('data', 'r1')
  const history = await openHistory({ target: reference.target })
  for (const { n, call, outcome } of reference.journal())
    history.add({ request: call, reply: outcome, startedAt: n, endedAt: n })
  expect(history.judge().findings).toEqual([])
})
