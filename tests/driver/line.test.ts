// Which programs in line may begin while others are under way, awake or asleep.
import { expect, test } from 'vitest'
import { createLine } from '../../driver/line.js'
import type { Lock } from '../../driver/locks.js'

const part = (key: string, amount: number): Lock => ({ key, amount, capacity: 8 })
const unitOf = (name: string, ...locks: readonly Lock[]) => ({ jobs: [name], locks })

/** A line of which the first has begun; each asked for begins at once. */
const setUp = (...units: readonly ReturnType<typeof unitOf>[]) => {
  const [first, ...rest] = units
  const line = createLine<string, (typeof units)[number]>([...rest], 10, () => undefined)
  const active = first && line.begin(first, 0)
  const begun = (): readonly string[] => {
    const names: string[] = []
    for (const unit of line.ready()) {
      line.begin(unit, 0)
      names.push(...unit.jobs)
    }
    return names
  }
  return { line, first, active, begun }
}

test('What a program waits for alone is left to it once enough of those behind it have taken some', () => {
  const behind = Array.from({ length: 20 }, (_, at) => unitOf(`behind ${at}`, part('other node', 1)))
  const { line, first, begun } = setUp(
    unitOf('reader', part('node', 1)),
    unitOf('alone', part('node', 8), part('other node', 8)),
    ...behind,
  )
  const overtaking: string[] = []
  for (let names = begun(); names.length > 0; names = begun()) {
    overtaking.push(...names)
    for (const unit of behind) if (names.includes(unit.jobs[0] as string)) line.end(unit)
  }
  expect(overtaking).toEqual(behind.slice(0, 12).map(({ jobs }) => jobs[0]))
  if (first) line.end(first)
  expect(begun()).toEqual(['alone'])
})

test('What a program under way waits for alone is left to it once enough of those in line have taken some', async () => {
  const behind = Array.from({ length: 20 }, (_, at) => unitOf(`behind ${at}`, part('node', 1)))
  const late = unitOf('late', part('other node', 1), { ...part('node', 8), isLate: true })
  const { line, first, active, begun } = setUp(late, ...behind)
  const reader = unitOf('reader', part('node', 1))
  line.begin(reader, 0)
  void active?.nap(active.late.take())
  const overtaking: string[] = []
  for (let names = begun(); names.length > 0; names = begun()) {
    overtaking.push(...names)
    for (const unit of behind) if (names.includes(unit.jobs[0] as string)) line.end(unit)
  }
  expect(overtaking).toEqual(behind.slice(0, 12).map(({ jobs }) => jobs[0]))
  line.end(reader)
  await active?.late.take()
  expect(begun()).toEqual([])
  if (first) line.end(first)
  await Promise.resolve()
  expect(begun()).toEqual(behind.slice(12).map(({ jobs }) => jobs[0]))
})

test('While one that is asleep has a share of it, those behind take what is free', () => {
  const { active, begun } = setUp(
    unitOf('sleeper', part('node', 1)),
    unitOf('alone', part('node', 8), part('other node', 8)),
    unitOf('behind', part('other node', 1)),
  )
  void active?.nap(new Promise(() => undefined))
  expect(begun()).toEqual(['behind'])
})
