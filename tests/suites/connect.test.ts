// What a connection tells a session of the way to the target.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { startEmbedded } from '../../reference/serve.js'
import { embeddedTarget } from '../../reference/target.js'
import { connect } from '../../suites/connect.js'
import { jsonReply, rawTarget, secrets } from '../driver/hostile.js'

test('once a secret has expired nothing more begins and nothing is waited for', async () => {
  const baseUrl = await rawTarget((socket) => {
    socket.end(jsonReply('{"errors":[{"reason":"Invalid token"}]}', '401 Unauthorized'))
  })
  const plain = embeddedTarget({ baseUrl, secrets: [...secrets] })
  const folder = mkdtempSync(join(tmpdir(), 'connect-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  // Where no gateway may be supposed, a token is not asked for again.
  const target = { ...plain, environment: { ...plain.environment, explanations: { gateway: false } } }
  const { session, expired, close } = await connect(target, join(folder, 'run.ndjson'), join(folder, 'ledger.ndjson'), {
    certificates: false,
    credentials: { refusedWith: 401, inEnvelope: true, reads: { owner: 'volumes.list' } },
    time: { isOver: () => false, isSpent: () => false, sleep: async () => undefined },
  })
  expect(session.isOver()).toBe(false)
  await session.send(session.originOf('any'), operationById('tags.list') as Operation, { as: 'owner' }, 'read')
  expect([session.isOver(), expired()]).toEqual([true, expect.stringContaining('has expired')])
  await close()
})

test('what was made is in the ledger as soon as it is known, and not only when more is', async () => {
  const { baseUrl, secrets: known, server } = await startEmbedded({ seed: 1 })
  const folder = mkdtempSync(join(tmpdir(), 'connect-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'ledger.ndjson')
  const target = embeddedTarget({ baseUrl, secrets: [...known] })
  const { session, close } = await connect(target, join(folder, 'run.ndjson'), file, { certificates: false })
  try {
    const args = { as: 'owner', body: { email: 'a@example.org' } }
    await session.send(session.originOf('any'), operationById('managed-contacts.create') as Operation, args, 'check')
    expect(readFileSync(file, 'utf8')).toContain('"event":"created"')
  } finally {
    await close()
    await server.close()
  }
})
