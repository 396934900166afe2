import { describe, expect, test } from 'vitest'
import type { Area } from '../../models/language/operation.js'
import { examine, type Selection } from './harbour/examination.js'
import { type FaultName, faults } from './harbour/faults.js'
import { drawn, type Oddities, plain } from './harbour/oddities.js'

const everything: Selection = {
  areas: ['volumes', 'object-storage', 'support'],
  exclusive: true,
  fixtures: 'many',
  programs: 3,
  walks: false,
}
const beside: Selection = { ...everything, exclusive: false }

const variants: readonly (readonly [name: string, Oddities, Selection])[] = [
  ['accepts all on which the document is silent', { ...plain, settling: 'reads' }, everything],
  [
    'refuses all on which the document is silent, for its state first',
    { ...drawn(2), silence: 'refuse', quota: 0 },
    everything,
  ],
  ['shows records without ids, with few fixtures', { ...drawn(4), records: 'alien' }, { ...beside, fixtures: 'few' }],
  ['shares its accounts with strangers and fails now and then', { ...drawn(10), flaky: true, strangers: true }, beside],
]

describe('a target that follows the document in odd ways', () => {
  test.each(variants)('conforms where it %s', async (_, oddities, selection) => {
    const { findings, troubles } = await examine(oddities, selection)
    expect(findings.map(({ id, steps, received }) => [id, steps.map(({ line }) => line), received])).toEqual([])
    expect(troubles.filter((text) => text.includes('suite defect'))).toEqual([])
  })
})

const areasOf = (fault: FaultName): readonly Area[] => {
  if (fault.startsWith('volume')) return ['volumes']
  return /^(?:ticket|reply|attachment|page|results|token|error)/.test(fault) ? ['support'] : ['object-storage']
}

/** One fault in six is tried here, each by the probes of its area. */
const sample = (Object.keys(faults) as FaultName[]).filter((_, i) => i % 6 === 2)

describe('a target that breaks one sentence', () => {
  test.each(sample)('is caught by a clause about it: %s', async (fault) => {
    const oddities: Oddities = { ...plain, settling: fault.endsWith('inactive') ? 'slow' : 'reads', fault }
    const walks = fault.startsWith('page')
    const { findings } = await examine(oddities, { ...everything, areas: areasOf(fault), programs: 4, walks })
    expect(findings.map(({ clause }) => clause)).toEqual(expect.arrayContaining([expect.stringMatching(faults[fault])]))
    const named = findings.filter(({ clause }) => faults[fault].test(clause))
    expect(Math.min(...named.map(({ steps }) => steps.length))).toBeLessThan(40)
  })
})
