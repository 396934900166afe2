import { describe, expect, test } from 'vitest'
import { examine, gating, type Selection } from './quarry/examine.js'
import { FAULTS } from './quarry/faults.js'
import { LAX, type Options, PLAIN, STERN } from './quarry/options.js'
import type { Shape } from './quarry/target.js'

const many: Shape = { exclusive: true, fixtures: 'many', hooks: true }
const variants: readonly (readonly [name: string, options: Options, shape: Shape])[] = [
  ['refuses all that is not said', STERN, many],
  ['refuses all that is not said, beside others', { ...STERN, seed: 4, quota: 0 }, { ...many, exclusive: false }],
  ['accepts all that is not said', LAX, many],
  [
    'accepts all that is not said, with few fixtures',
    { ...LAX, seed: 5 },
    { ...many, exclusive: false, fixtures: 'few' },
  ],
  ['shows no more than it must', { ...PLAIN, records: 'bare', creation: 'empty', seed: 6 }, { ...many, hooks: false }],
]
const some: Selection = { oneIn: 6, programs: 2, walks: false, untilFound: false }

describe('an implementation that follows the document in its own ways', () => {
  test.each(variants)('one that %s conforms', async (_, options, shape) => {
    const { findings, troubles } = await examine(options, shape, some)
    expect(gating(findings).map(({ summary, steps }) => [summary, ...steps.map(({ line }) => line)])).toEqual([])
    expect(troubles.filter((text) => !text.startsWith('inconclusive'))).toEqual([])
  })
})

/** One fault in so many is tried here. */
const sample = FAULTS.filter((_, i) => i % 12 === 4)

describe('an implementation that breaks one sentence', () => {
  test.each(sample)('is caught by $clause where it breaks $name', async ({ name, clause, near }) => {
    const options: Options = { ...PLAIN, silence: 'refuse', fault: name }
    const selection = { clauses: near, programs: 0, walks: /list\.(?:pages|no-dup)/.test(clause), untilFound: true }
    const { findings } = await examine(options, many, selection)
    expect(gating(findings).map((finding) => finding.clause)).toContain(clause)
    expect(gating(findings)[0]?.steps.length).toBeLessThan(40)
  })
})
