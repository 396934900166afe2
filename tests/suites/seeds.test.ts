// The seed of a run for which none is asked.
import { expect, onTestFinished, test, vi } from 'vitest'
import { defaultSeed, mostSeed } from '../../suites/seeds.js'

test.each(['0', '8', String(mostSeed)])('the variable TOUCHSTONE_SEED names it: %s', (text) => {
  expect(defaultSeed(text)).toBe(Number(text))
})

test.each(['abc', '1.5', '-1', '1e3', ' 7', String(mostSeed + 1)])(
  'the variable TOUCHSTONE_SEED with %j is an error that says what was expected',
  (text) => {
    expect(() => defaultSeed(text)).toThrow(
      `TOUCHSTONE_SEED: expected a whole number from 0 to ${mostSeed}, received ${JSON.stringify(text)}`,
    )
  },
)

test('without the variable it follows the time, within what every generator takes', () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const seedAt = (ms: number): number => {
    vi.setSystemTime(ms)
    return defaultSeed('')
  }
  expect([0, 1, mostSeed, 2 ** 41].map(seedAt)).toEqual([0, 1, 0, 1024])
})
