// Random commands on an account, and random requests, in fast-check's own form: they shrink, and replay by seed and path.

import fc from 'fast-check'
import { accountCommands, deviations, openAccount } from 'touchstone/fast-check'
import { startReference } from 'touchstone/reference'
import { expect, test } from 'vitest'

test('no sequence of commands on volumes breaks a clause', async () => {
  const reference = await startReference()
  const account = await openAccount({ target: reference.target }) // or a target file
  const commands = accountCommands(account, { operations: ['volumes.create', 'volumes.view', 'volumes.update'] })
  await fc.assert(
    fc.asyncProperty(commands, (all) => fc.asyncModelRun(account.setup, all)),
    { numRuns: 5 },
  )
  await account.close()
  await reference.close()
}, 60_000)

test('a contact that breaks one rule is refused', async () => {
  const reference = await startReference({ listen: false })
  await fc.assert(
    fc.asyncProperty(deviations('managed-contacts.create'), async ({ path, body, clause }) => {
      const reply = await reference.fetch(path, {
        method: 'POST',
        headers: { authorization: `Bearer ${reference.secrets.owner}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(reply.status, clause).toBe(400)
    }),
    { numRuns: 20 },
  )
  await reference.close()
})
