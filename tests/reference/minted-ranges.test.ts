import { expect, test } from 'vitest'
import { isRangeText, ranges } from '../../models/ipv6-ranges/record.js'

const mintedAt = (n: number): string | undefined =>
  ranges.mint?.({ integer: () => 0, pick: ([one]) => one as never, next: () => n, now: () => '' }, {}, {})

test.each([0, 1, 0xefff, 0xf000, 0x10_0000])('the range minted as number %i is one', (n) => {
  expect(isRangeText(`${mintedAt(n)}/56`)).toBe(true)
})

test('no two ranges are minted alike', () => {
  const some = Array.from({ length: 200_000 }, (_, n) => mintedAt(n))
  expect(new Set(some).size).toBe(some.length)
})
