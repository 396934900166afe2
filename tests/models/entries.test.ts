import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keysThatDiffer, withEntry, withoutEntry } from '../../models/language/entries.js'
import { seed } from '../seed.js'

const keys = Array.from({ length: 90 }, (_, i) => `k${i}`)
const change = fc.tuple(fc.constantFrom(...keys, 'new 1', 'new 2', 'new 3'), fc.option(fc.nat(), { nil: undefined }))

test('a map after any changes holds what a map of the language does, in its order, and those before are as they were', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const plain = new Map(keys.map((key, i) => [key, i] as const))
      let shared: ReadonlyMap<string, number> = new Map(plain)
      const before: (readonly [ReadonlyMap<string, number>, readonly (readonly [string, number])[]])[] = []
      for (const [key, value] of changes) {
        before.push([shared, [...plain]])
        if (value === undefined) plain.delete(key)
        else plain.set(key, value)
        shared = value === undefined ? withoutEntry(shared, key) : withEntry(shared, key, value)
      }
      for (const [map, entries] of [...before, [shared, [...plain]] as const]) {
        expect([...map]).toEqual(entries)
        expect([...map.keys()].map((key) => map.get(key))).toEqual([...map.values()])
        expect([map.size, map.has('new 1')]).toEqual([entries.length, entries.some(([key]) => key === 'new 1')])
      }
    }),
    { numRuns: 60, seed },
  )
})

test('keys that differ between two maps are among those that are told', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 40 }), fc.array(change, { maxLength: 40 }), (some, others) => {
      const from: ReadonlyMap<string, number> = new Map(keys.map((key, i) => [key, i] as const))
      const [one, other] = [some, others].map((changes) =>
        changes.reduce(
          (map, [key, value]) => (value === undefined ? withoutEntry(map, key) : withEntry(map, key, value)),
          from,
        ),
      ) as [ReadonlyMap<string, number>, ReadonlyMap<string, number>]
      const differing = [...keys, 'new 1', 'new 2', 'new 3'].filter((key) => one.get(key) !== other.get(key))
      const told = keysThatDiffer(one, other)
      expect(differing.filter((key) => !told.has(key))).toEqual([])
    }),
    { numRuns: 60, seed },
  )
})
