// Tests of the pace on a clock that the test turns.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLimiter } from '../../driver/rate.js'
import { seed } from '../seed.js'

const at = (perSecond: number | undefined) => {
  let now = 1000
  const limiter = createLimiter(perSecond, () => now)
  return { ...limiter, wait: (ms: number) => (now += ms), now: () => now }
}

test('without a rate no request waits', () => {
  const { reserve } = at(undefined)
  expect([reserve(), reserve(), reserve()]).toEqual([0, 0, 0])
})

test('requests at once are spaced evenly', () => {
  const { reserve } = at(20)
  expect([reserve(), reserve(), reserve(), reserve()]).toEqual([0, 50, 100, 150])
})

test('a long rest earns no burst', () => {
  const { reserve, wait } = at(20)
  reserve()
  wait(10_000)
  expect([reserve(), reserve() > 0]).toEqual([0, true])
})

test('a timer that is late by less than the slack is caught up with', () => {
  const { reserve, wait } = at(100)
  reserve()
  wait(25)
  expect([reserve(), reserve(), reserve()]).toEqual([0, 0, 5])
})

test('a pause that the target asks for holds every request, with a rate and without', () => {
  for (const rate of [undefined, 20]) {
    const { reserve, hold, wait } = at(rate)
    hold(300)
    hold(100)
    expect(reserve()).toBe(300)
    wait(1000)
    expect(reserve()).toBe(0)
  }
})

test.each([[undefined], [200]])('slots that are made rarer become as many as before (at %s a second)', (rate) => {
  const { reserve, slow, wait } = at(rate)
  const apart = () => {
    wait(60_000)
    for (let slots = 0; slots < 8; slots += 1) reserve()
    return Math.round((reserve() - reserve()) * -10) / 10
  }
  const full = apart()
  slow()
  slow()
  expect(apart()).toBe(10)
  slow()
  slow()
  expect(apart()).toBe(15)
  for (let slots = 0; slots < 1500; slots += 1) reserve()
  expect(apart()).toBeCloseTo(full)
  for (let times = 0; times < 30; times += 1) {
    wait(1000)
    slow()
  }
  expect(apart()).toBe(40)
})

test('no second holds more requests than the rate, but for what the slack lets catch up', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), fc.array(fc.integer({ min: 0, max: 400 })), (rate, rests) => {
      const { reserve, wait, now } = at(rate)
      const sent = rests.map((rest) => {
        wait(rest)
        wait(reserve())
        return now()
      })
      for (const from of sent)
        expect(sent.filter((time) => time >= from && time < from + 1000).length).toBeLessThanOrEqual(
          Math.ceil((rate * 1020) / 1000) + 1,
        )
    }),
    { seed },
  )
})
