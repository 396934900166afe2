// Which of several ways to read the same recordings is taken; what each leaves unexplained is written down here.
import { expect, test } from 'vitest'
import type { Reading, Recording } from '../../history/recording.js'
import type { Deviation } from '../../oracle/judgement.js'
import { assumedIn, likeliest } from '../../oracle/readings.js'

type Level = Deviation['level']
type Supposed = Reading['supposes'][number]['name']

/** A reading that supposes something and leaves findings of those levels. */
const reading = (supposed: Supposed | undefined, levels: readonly Level[], explanations = {}) => ({
  supposes: supposed ? [{ name: supposed, of: 'a file' }] : [],
  parts: [
    {
      recording: { environment: { explanations } } as Recording,
      judged: { found: levels.map((level) => ({ deviation: { level } })), steps: [{ n: 3 }] } as never,
    },
  ],
})

const two: readonly Level[] = ['must', 'should']

test.each(['clock', 'clocks', 'origins'] as const)('%s are supposed only where that leaves fewer findings', (name) => {
  const plain = reading(undefined, two)
  const taken = (levels: readonly Level[], explanations = {}) =>
    likeliest([plain, reading(name, levels, explanations)]).supposes.length > 0
  expect(taken(['must'])).toBe(true)
  expect(taken(['should'])).toBe(true)
  // As many are no reason to suppose anything, and what the document leaves open is no finding.
  expect(taken(['must', 'must'])).toBe(false)
  expect(taken(['must', 'choice', 'choice'])).toBe(true)
  expect(taken([], { [name]: false })).toBe(false)
})

test('of several the one with the fewest is taken, the first where several have as few', () => {
  const best = likeliest([reading(undefined, two), reading('clock', ['must']), reading('origins', ['must'])])
  expect(assumedIn(best)).toEqual([{ n: 3, assumed: 'clock of a file' }])
})
