import { describe, expect, it } from 'vitest'
import { object, text } from '../../models/language/schema.js'
import { breachesOf, variouslyCounted } from '../../oracle/validate.js'

const labelled = (max: number) => object({ label: text({ max }) })

const family = '👩‍👩‍👧'
const accented = 'e\u0301'
const flag = '🇫🇷'

describe('a text at a limit of characters', () => {
  it.each([
    ['a family of emoji', family],
    ['a letter with its accent apart', accented],
    ['a flag of two letters', flag],
  ])('may be counted by what is seen as one: %s', (_, one) => {
    for (const n of [3, 400]) {
      const full = { label: one.repeat(n) }
      expect(breachesOf(labelled(n), full)).toEqual([])
      expect(variouslyCounted(labelled(n), full)).toEqual(['label'])
      expect(breachesOf(labelled(n), { label: one.repeat(n + 1) })).toHaveLength(1)
    }
  })

  it('is counted without a copy of all of it for each of its characters', () => {
    expect(breachesOf(labelled(65_000), { label: '日'.repeat(65_001) })).toHaveLength(1)
    expect(variouslyCounted(labelled(65_000), { label: '日'.repeat(65_000) })).toEqual([])
  })
})
