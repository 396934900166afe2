import fc from 'fast-check'
import { expect, test } from 'vitest'
import { absent, deviationsFrom, hasContainer, valueAt, withValueAt } from '../../arbitraries/deviations.js'
import { operations } from '../../models/index.js'
import type { Operation } from '../../models/language/operation.js'
import { constraintsOf, spell, text } from '../../models/language/schema.js'
import { breachesOf, variouslyCounted } from '../../oracle/validate.js'
import { seed } from '../seed.js'

/** A value that the schema of a member describes, of the kind that drafts hold. */
const plainOf = ({ type, examples, items, minimum }: Record<string, unknown>): unknown =>
  [type].flat().includes('string')
    ? ((examples as readonly string[] | undefined)?.[0] ?? 'ts-1-a')
    : [type].flat().includes('integer')
      ? Number(minimum ?? 30)
      : [type].flat().includes('array')
        ? [plainOf((items ?? {}) as Record<string, unknown>)]
        : undefined

const places = operations.flatMap((op: Operation) =>
  op.body
    ? constraintsOf(op.body)
        .filter(({ path, keyword }) => path.length === 1 && keyword !== 'required')
        .map((constraint) => ({ op, constraint }))
    : [],
)

/** The bodies' schemas with nothing required, each once, for reading one costs. */
const lenient = new Map(operations.flatMap(({ id, body }) => (body ? [[id, { ...body, required: [] }]] : [])))

const broken = ({ id }: Operation, name: string, value: unknown): readonly string[] =>
  breachesOf(lenient.get(id) as never, { [name]: value }).map(({ place, keyword }) => `${place} ${keyword}`)

const deviatingFrom = ({ constraint }: (typeof places)[number]) =>
  deviationsFrom(constraint, plainOf(constraint.schema), 3)

test.each(places)('$op.id: what deviates from $constraint.path breaks $constraint.keyword and no other', (place) => {
  const { op, constraint } = place
  const name = spell(constraint.path)
  const { wrong, odd = [] } = deviatingFrom(place)
  expect(wrong.length).toBeGreaterThan(0)
  for (const value of [...wrong, ...odd]) expect(broken(op, name, value)).toEqual([`${name} ${constraint.keyword}`])
})

// Not every constraint has a value beside those that deviate.
const right = places.flatMap((place) =>
  deviatingFrom(place).right.flatMap((value) =>
    value === absent ? [] : [{ op: place.op, name: spell(place.constraint.path), value }],
  ),
)

test.each(right)('$op.id: what does not deviate breaks nothing: $name $value', ({ op, name, value }) => {
  expect(broken(op, name, value)).toEqual([])
})

const short = constraintsOf({ type: 'object', properties: { label: text({ min: 3, max: 9 }) } } as never)

test('a text is too short in characters although it has the bytes', () => {
  const least = short.find(({ keyword }) => keyword === 'minLength')
  const { odd = [] } = least ? deviationsFrom(least, 'abc', 0) : {}
  expect(odd.map((one) => [String(one).length, Buffer.byteLength(String(one)) >= 3])).toEqual([
    [2, true],
    [2, true],
  ])
})

const labelled = { type: 'object', properties: { label: text({ min: 3, max: 9 }) } } as never

test.each([
  ['letters of two bytes', 'ж'.repeat(9), []],
  ['letters of two bytes, one too many', 'ж'.repeat(10), ['maxLength']],
  ['letters and marks that belong to them', 'e\u0301'.repeat(9), undefined],
  ['so many that they are too many however they are counted', 'e\u0301'.repeat(10), ['maxLength']],
  ['characters of two UTF-16 units', '👍'.repeat(9), undefined],
  ['a composed letter beside a plain one', 'éa', undefined],
])('%s are judged by every way to count, and left open where these differ', (_, label, keywords) => {
  const found = breachesOf(labelled, { label }).map(({ keyword }) => keyword)
  const isOpen = variouslyCounted(labelled, { label }).length > 0
  expect({ isOpen, found }).toEqual({ isOpen: keywords === undefined, found: keywords ?? [] })
})

const json = fc.object({ maxDepth: 3, withNullPrototype: false })

test('a value stands where it was put, and nothing else has changed', () => {
  fc.assert(
    fc.property(json, fc.string({ minLength: 1 }), fc.jsonValue(), (root, name, value) => {
      fc.pre(name !== '__proto__')
      const changed = withValueAt(root, [name], value) as Record<string, unknown>
      expect(valueAt(changed, [name])).toEqual(value)
      const { [name]: _, ...rest } = root
      const { [name]: __, ...others } = changed
      expect(others).toEqual(rest)
      expect(withValueAt(changed, [name], absent)).toEqual(rest)
    }),
    { seed },
  )
})

test('an item is changed where it is, first or last, and a place that is not there is told', () => {
  const root = { rules: [{ label: 'a' }, { label: 'b' }] }
  expect(withValueAt(root, ['rules', '[]', 'label'], 'x', 'last')).toEqual({ rules: [{ label: 'a' }, { label: 'x' }] })
  expect(withValueAt(root, ['rules', '[]', 'label'], absent)).toEqual({ rules: [{}, { label: 'b' }] })
  expect(withValueAt({ rules: [] }, ['rules', '[]', 'label'], 'x')).toBeUndefined()
  expect(hasContainer({ rules: [] }, ['rules', '[]', 'label'])).toBe(false)
})
