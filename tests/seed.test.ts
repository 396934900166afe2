import { expect, test } from 'vitest'
import { seed, seedOf } from './seed.js'

test('another commit draws with another seed, and 7 is that of none', () => {
  expect(seedOf('9c1f3bfb2d64c6f1c4f3a9d3c3a5c5a4e8e0b1f7\n')).toBe(0x9c1f3bf)
  expect(seedOf('1291a3ec00000000000000000000000000000000\n')).toBe(0x1291a3e)
  expect(seedOf(undefined)).toBe(7)
})

test('all workers draw with the seed that the environment names', () => {
  expect(process.env.TOUCHSTONE_SEED).toBe(String(seed))
})
