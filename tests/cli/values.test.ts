// Values of flags: what is taken, and what is refused.
import { InvalidArgumentError } from 'commander'
import { expect, test } from 'vitest'
import { duration, globs, integerBetween, latency, oneOf, rate, reportKinds, shard } from '../../cli/values.js'

test.each([
  ['90s', 90_000],
  ['30m', 1_800_000],
  ['5min', 300_000],
  ['1.5h', 5_400_000],
  ['250ms', 250],
])('%s is a time of %d ms', (text, ms) => {
  expect(duration(text)).toBe(ms)
})

test.each(['30', '0s', '-5m', 'm', '1d', '5 m', '', '1e3s', '501h'])('%j is no time', (text) => {
  expect(() => duration(text)).toThrow(InvalidArgumentError)
})

test('no time is longer than a timer takes', () => {
  expect(duration('500h')).toBeLessThan(2 ** 31)
  expect(() => duration('501h')).toThrow('at most 500h')
  expect(latency('50ms±20')).toEqual({ ms: 50, spreadMs: 20 })
  expect(() => latency('9999999s')).toThrow('at most 1h')
  expect(() => latency('1s±9999999')).toThrow('at most 1h')
})

test.each([
  ['5/s', 5],
  ['300/min', 5],
  ['7200/h', 2],
])('%s is a rate of %d in a second', (text, perSecond) => {
  expect(rate(text)).toBe(perSecond)
})

test.each(['5', '0/s', '5/d', '/s', '-1/s'])('%j is no rate', (text) => {
  expect(() => rate(text)).toThrow(InvalidArgumentError)
})

test('the last shard of four is one, the fifth is none', () => {
  expect(shard('4/4')).toEqual([4, 4])
  for (const text of ['5/4', '0/4', '1', '1/0', '1/4/4', 'a/b'])
    expect(() => shard(text), text).toThrow(InvalidArgumentError)
})

test('a number outside of its bounds, or with anything but digits, is refused', () => {
  const read = integerBetween(1, 64)
  expect(read('64')).toBe(64)
  for (const text of ['0', '65', '1.5', '0x10', ' 1', '1e1', '']) expect(() => read(text), text).toThrow('from 1 to 64')
})

test('reports are named once each, and an unknown one is refused with the one that was meant', () => {
  expect(reportKinds('html,junit, html')).toEqual(['html', 'junit'])
  expect(() => reportKinds('html,junti')).toThrow('Did you mean "junit"?')
  expect(() => reportKinds('html,')).toThrow('comma')
})

test('one of a few words is read as it is, and another is refused with the one that was meant', () => {
  const read = oneOf(['operations', 'clauses'])
  expect(read('clauses')).toBe('clauses')
  expect(() => read('operation')).toThrow('Expected one of operations, clauses. Did you mean "operations"?')
})

test('a later use of a filter adds to an earlier one', () => {
  const read = globs('operation')
  expect(read('tags.*', read('volumes.create,volumes.view'))).toEqual(['volumes.create', 'volumes.view', 'tags.*'])
})

test('a filter that matches nothing is refused, with the id that was meant', () => {
  expect(() => globs('area')('volume')).toThrow('Did you mean "volumes"?')
  expect(() => globs('clause')('volumes.resize.onlyup')).toThrow('Did you mean "volumes.resize.only-up"?')
  expect(() => globs('operation')('*.nowhere')).toThrow('No operation matches it')
  for (const slip of ['volumes', 'volume.*'])
    expect(() => globs('operation')(slip)).toThrow('Did you mean "volumes.*"?')
  expect(() => globs('clause')('volumes.resize')).toThrow('Did you mean "volumes.resize.*"?')
})
