// A program that is sent again is about what it makes this time.
import { expect, test } from 'vitest'
import { resend } from '../../driver/replay.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

test('a program sent again names what it makes then, though something is known by that id already', async () => {
  const { session, embedded } = inProcess({ environment: embeddedEnvironment(), seed: 1 })
  const origin = session.originOf('program')
  const send = (id: string, args: object) =>
    session.send(origin, operationById(id) as Operation, { as: 'owner', ...args }, 'check')
  const create = (label: string) => send('volumes.create', { body: { label, region: 'r1' } })
  const before = await create('ts-t-before')
  const made = await create('ts-t-1')
  const viewed = await send('volumes.view', { path: { volumeId: String(made.judgement.made) } })
  // What it held is gone, so that it gives its ids again.
  embedded.reset()
  const { sent } = await resend(session, origin, [made, viewed], 'ts-t')
  const statuses = sent.map(({ outcome }) => 'status' in outcome && outcome.status)
  expect([sent[0]?.judgement.made, statuses]).toEqual([before.judgement.made, [200, 200]])
})

test('an id that things of several kinds bear stands for that of the kind which is named', async () => {
  const { session } = inProcess({ environment: embeddedEnvironment(), seed: 1 })
  const origin = session.originOf('program')
  const send = (id: string, args: object) =>
    session.send(origin, operationById(id) as Operation, { as: 'owner', ...args }, 'check')
  const contact = await send('managed-contacts.create', { body: { email: 'ts-t-1@example.org', name: 'ts-t-1' } })
  const credential = await send('managed-credentials.create', { body: { label: 'ts-t-2', password: 'x' } })
  const id = String(contact.judgement.made)
  const another = await send('managed-contacts.create', { body: { email: 'ts-t-3@example.org', name: 'ts-t-3' } })
  const viewed = await send('managed-contacts.view', { path: { contactId: id } })
  expect([credential.judgement.made, viewed.judgement.accepted]).toEqual([id, true])
  const { sent } = await resend(session, origin, [contact, another, credential, viewed], 'ts-t')
  expect(sent.at(-1)?.call.path).toEqual({ contactId: sent[0]?.judgement.made })
})
