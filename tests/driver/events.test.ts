import { describe, expect, test } from 'vitest'
import { operationById } from '../../models/index.js'
import { embeddedEnvironment } from '../../reference/environment.js'
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
