// What removes at the end of a program is looked after as well, where nothing else shows that it takes effect.
import { expect, test } from 'vitest'
import type { Fault } from '../../reference/handler.js'
import { findingsOf } from '../models/faulty.js'

/** An operation without effect for some callers. */
const idleFor = (id: string, isMeant: (as: string | null) => boolean): Fault => {
  let as: string | null = null
  return {
    call: (call) => {
      as = call.as
      return call
    },
    world: (after, before, op) => (op.id === id && isMeant(as) ? before : after),
  }
}

test('a removal without effect is found, also where only another account calls it', async () => {
  const isOther = (as: string | null): boolean => as !== 'owner'
  const found = await findingsOf('buckets.create.unique', idleFor('buckets.delete', isOther))
  expect(found).toEqual(['buckets.delete.takes-effect'])
})

test('nothing is found where it takes effect', async () => {
  expect(await findingsOf('buckets.create.unique', {})).toEqual([])
})
