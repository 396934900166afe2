// Which programs side by side go first.
import { expect, test } from 'vitest'
import type { Lock } from '../../driver/locks.js'
import { ranksOf } from '../../driver/ranks.js'

const locks = (amount: number, ...keys: readonly string[]): readonly Lock[] =>
  keys.map((key) => ({ key, amount, capacity: 10 }))
const unit = (cost: number, held: readonly Lock[], isFirst = false) => ({ cost, locks: held, isFirst })

test('What needs two fixtures holds up those of each, and goes before what takes longer and holds up nobody', () => {
  const both = unit(20, locks(10, 'a', 'b'))
  const long = unit(30, locks(10, 'c'))
  const ranks = ranksOf([long, both, unit(15, locks(10, 'a')), unit(10, locks(10, 'b'))])
  expect(ranks.get(both)).toBe(45)
  expect(ranks.get(long)).toBe(30)
})

test('Who takes a share of something is held up by as much of it', () => {
  const holder = unit(20, locks(10, 'a'))
  const ranks = ranksOf([holder, unit(10, locks(1, 'a')), unit(10, locks(1, 'b'))])
  expect(ranks.get(holder)).toBe(21)
})

test('What begins before all others does so however short it is', () => {
  const early = unit(1, [], true)
  expect(ranksOf([unit(50, []), early]).get(early)).toBe(Number.POSITIVE_INFINITY)
})
