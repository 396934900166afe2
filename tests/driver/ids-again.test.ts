// A reply that shows an id anew waits for the calls under way that may have given it again, and for no others.
import { expect, test } from 'vitest'
import { createIdsAgain } from '../../driver/ids-again.js'
import { operationById } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { embeddedEnvironment } from '../../reference/environment.js'
import { inProcess } from '../../reference/in-process.js'

const op = (id: string): Operation => operationById(id) as Operation

test.each([
  ['volumes.create', true],
  ['volumes.clone', true],
  ['tags.create', false],
])('a read that shows a volume again while %s is under way waits for it: %s', async (creating, waits) => {
  const { session } = inProcess({ environment: embeddedEnvironment(), seed: 1 })
  const origin = session.originOf('p')
  const body = { label: 'ts-t-1', region: 'r1' }
  const made = (await session.send(origin, op('volumes.create'), { as: 'owner', body }, 'arrange')).judgement.made
  const args = { as: 'owner', path: { volumeId: String(made) } }
  const { call, outcome } = await session.send(origin, op('volumes.view'), args, 'read')
  await session.send(origin, op('volumes.delete'), args, 'check')

  const idsAgain = createIdsAgain()
  let answer = (): void => undefined
  const underWay = idsAgain.during([op(creating)], () => new Promise<void>((done) => (answer = done)))
  let isBefore = true
  const waiting = idsAgain
    .before([{ op: op('volumes.view'), wire: call, outcome }], session.world())
    .then(() => (isBefore = false))
  await new Promise(setImmediate)
  expect(isBefore).toBe(waits)
  answer()
  await Promise.all([underWay, waiting])
  expect(isBefore).toBe(false)
})
