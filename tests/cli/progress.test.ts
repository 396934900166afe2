import { PassThrough } from 'node:stream'
import { afterEach, expect, test, vi } from 'vitest'
import { createProgress, type ProgressOptions } from '../../cli/progress.js'
import { countTasks } from '../../suites/advance.js'
import { tasksOf } from '../../suites/catalog.js'
import { defaultOptions } from '../../suites/defaults.js'
import type { RunContext } from '../../suites/options.js'

const options = { ...defaultOptions('touchstone run'), seed: 7 }
const context = (nonce: string): RunContext => ({ options, nonce, startedAt: 0, stopFile: 'none' })

/** Progress of a run of three tasks, a clock that is set by hand, and what is written. */
const watched = (more: Partial<ProgressOptions> = {}) => {
  const written: string[] = []
  const stream = new PassThrough() as unknown as NodeJS.WriteStream
  stream.write = (text: unknown) => written.push(String(text)) > 0
  let now = 0
  const progress = createProgress({ name: 'staging', baseUrl: 'http://127.0.0.1:9/v4', context: context('ts-p') }, 3, {
    quiet: false,
    stream,
    clock: () => now,
    ...more,
  })
  const pass = (ms: number): void => {
    now += ms
    vi.advanceTimersByTime(ms)
  }
  const endOne = (at: number, ...findings: readonly string[]): void => {
    now = at
    progress.advance({ type: 'ended', findings })
  }
  return { ...progress, written, pass, endOne }
}

afterEach(() => void vi.useRealTimers())

const first = 'touchstone: testing staging at http://127.0.0.1:9/v4, seed 7\n'

test('a plain line comes every ten seconds, and says how many programs, how long, how fast and how long yet', () => {
  const { advance, endOne, written } = watched()
  advance({ type: 'planned', tasks: 2, programs: 99 })
  for (let n = 1; n <= 25; n += 1) endOne(n * 1000, ...(n === 4 ? ['volumes.view.accepts-no-reply'] : []))
  expect(written).toEqual([
    first,
    'touchstone: 10 of 100 programs, 0:10, 1/s, about 1:30 left, 1 finding\n',
    'touchstone: 20 of 100 programs, 0:20, 1/s, about 1:20 left, 1 finding\n',
  ])
})

test('a long run says less often how far it is, and at least once in a minute', () => {
  const { advance, endOne, written } = watched()
  advance({ type: 'planned', tasks: 3, programs: 10_000 })
  for (let n = 1; n <= 130; n += 1) endOne(n * 1000)
  expect(written).toHaveLength(3)
  expect(written[2]).toBe('touchstone: 120 of 10000 programs, 2:00, 1/s, about 2:44:40 left, no findings\n')
})

test('a line comes every minute although no program ends, and none once the run has ended', () => {
  vi.useFakeTimers()
  const { advance, endOne, end, pass, written } = watched()
  for (let n = 0; n < 61; n += 1) pass(1000)
  advance({ type: 'planned', tasks: 3, programs: 3 })
  endOne(62_000)
  for (let n = 0; n < 125; n += 1) pass(1000)
  expect(written.slice(1)).toEqual([
    'touchstone: seeing what there is, and planning, 1:00\n',
    'touchstone: 1 of 3 programs, 1:10, 1/min, about 2:20 left, no findings\n',
    'touchstone: 1 of 3 programs, 2:10, 28/h, about 4:20 left, no findings\n',
  ])
  end()
  for (let n = 0; n < 125; n += 1) pass(1000)
  expect(written).toHaveLength(4)
})

test('a finding of programs that ran as one counts once', () => {
  const { endOne, written } = watched()
  for (const at of [1000, 2000, 11_000]) endOne(at, 'volumes.view.accepts-no-reply')
  expect(written.at(-1)).toMatch(/^touchstone: 3 of 3 programs, .*, 1 finding\n$/)
})

test('what waits to be confirmed is no "no findings", and counts once it is a finding', () => {
  const { advance, endOne, written } = watched()
  advance({ type: 'doubted', ids: ['tags.list.accepts:refused', 'volumes.view.accepts:no-reply'] })
  endOne(10_000)
  endOne(20_000, 'volumes.view.accepts:no-reply')
  advance({ type: 'doubted', ids: [] })
  endOne(30_000)
  expect(written.slice(1).map((line) => line.replace(/.* left, /, ''))).toEqual([
    '2 to be confirmed\n',
    '1 finding, 1 to be confirmed\n',
    '1 finding\n',
  ])
})

test('nothing is written where it is to be quiet', () => {
  const { endOne, say, written } = watched({ quiet: true })
  endOne(100_000)
  say('this')
  expect(written).toEqual([])
})

test('what a run has to do is counted before it begins: all of its clauses, and what crosses them', () => {
  const { filters } = options
  const one = { ...filters, clauses: ['tags.create.accepts'] }
  // The deletion of a node shows a clause, which is not selected; the one that is makes up for it.
  const crossing = ['journeys', 'node-deletion', 'pagination', 'races', 'random', 'sequences'].flatMap(tasksOf).length
  expect(countTasks(one)).toBe(crossing)
  expect(countTasks(filters)).toBeGreaterThan(1500)
})
