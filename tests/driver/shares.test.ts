// Who waits for late locks, who goes first, and what is given back.
import { expect, test } from 'vitest'
import type { Lock } from '../../driver/locks.js'
import { createShares } from '../../driver/shares.js'

const place = (amount: number): Lock => ({ key: 'volumes on 101', amount, capacity: 8, isLate: true })

/** Shares of which 8 are there, and the order in which those asked for were taken. */
const setUp = () => {
  const shares = createShares()
  const taken: string[] = []
  const ask = (name: string, amount: number, rank = 0) => {
    const late = shares.late([place(amount)], rank)
    const take = (): Promise<void> => late.take().then(() => void taken.push(name))
    return { ...late, take }
  }
  return { ask, taken }
}

/** Whatever can be taken has been taken then. */
const idle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('Who needs more than is left waits until enough is given back', async () => {
  const { ask, taken } = setUp()
  const [one, two, whole] = [ask('one', 4), ask('two', 3), ask('whole', 8)]
  for (const late of [one, two, whole]) void late.take()
  await idle()
  expect(taken).toEqual(['one', 'two'])
  one.give()
  await idle()
  expect(taken).toEqual(['one', 'two'])
  two.give()
  await idle()
  expect(taken).toEqual(['one', 'two', 'whole'])
})

test('Of those that wait the one of the highest rank goes first', async () => {
  const { ask, taken } = setUp()
  const first = ask('first', 8)
  const [low, high] = [ask('low', 8, 1), ask('high', 8, 2)]
  for (const late of [first, low, high]) void late.take()
  first.give()
  await idle()
  expect(taken).toEqual(['first', 'high'])
})

test('Who needs all of it is not kept from it by those of a lower rank that need some', async () => {
  const { ask, taken } = setUp()
  const [first, whole, low] = [ask('first', 4), ask('whole', 8, 2), ask('low', 1, 1)]
  for (const late of [first, whole, low]) void late.take()
  await idle()
  expect(taken).toEqual(['first'])
  first.give()
  await idle()
  expect(taken).toEqual(['first', 'whole'])
  whole.give()
  await idle()
  expect(taken).toEqual(['first', 'whole', 'low'])
})

test('Locks are taken once however often they are asked for, and not at all where they are not', async () => {
  const { ask, taken } = setUp()
  const [twice, never] = [ask('twice', 5), ask('never', 8)]
  void twice.take()
  await twice.take()
  never.give()
  twice.give()
  await idle()
  await ask('whole', 8).take()
  expect(taken).toEqual(['twice', 'twice', 'whole'])
})

test('Locks that were still waited for when their program ended are given back', async () => {
  const { ask, taken } = setUp()
  const [first, ended, next] = [ask('first', 8), ask('ended', 8, 1), ask('next', 8)]
  for (const late of [first, ended, next]) void late.take()
  ended.give()
  first.give()
  await idle()
  expect(taken).toEqual(['first', 'ended', 'next'])
})

const part = (key: string, amount: number): Lock => ({ key, amount, capacity: 8 })

test('Who needs something alone keeps others from all of it, once nobody has any of it alone', () => {
  const shares = createShares()
  const wanted = [part('node', 8), part('firewalls', 8), part('volumes', 1)]
  expect(shares.awaited(wanted)).toEqual([])
  shares.take([part('node', 2)])
  expect(shares.awaited(wanted)).toEqual(['node', 'firewalls'])
  shares.take([part('firewalls', 8)])
  expect(shares.awaited(wanted)).toEqual(['firewalls'])
  shares.give([part('firewalls', 8)])
  shares.give([part('node', 2)])
  expect(shares.awaited(wanted)).toEqual([])
})
